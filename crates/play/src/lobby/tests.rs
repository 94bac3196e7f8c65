//! Lobbies as lists of steps.

use domain::{LobbyId, PlayerId};
use game_api::Erased;
use protocol::BotSeat;

use super::{KICKED_MAX, Left, Lobby, LobbyError, LobbyParts, Member, Sitter};
use crate::Terms;

fn player(number: i64) -> PlayerId {
    PlayerId::from_number(number).unwrap()
}

/// Of three seats, by player 0.
fn lobby() -> Lobby {
    let terms = serde_json::from_str(r#"{"game": "template", "seats": 3}"#).unwrap();
    let terms = Terms::parse(terms, &Erased::new(template::Template)).unwrap();
    let host = Member { player: player(0), name: "p0".to_owned() };
    Lobby::create(LobbyId::random(7), host, terms, true, 1_000)
}

/// Does a line of steps such as `1 joins`, `0 kicks 1` or `0 adds 5` (`0 adds 5 1` in seat 1); what came
/// of the last one, and the members and version after it.
#[track_caller]
fn check(steps: &str, expected: &str, members: &[i64], version: u32) {
    let mut lobby = lobby();
    let mut last = String::new();
    for step in steps.split(", ") {
        let words: Vec<&str> = step.split(' ').collect();
        let who = player(words[0].parse().unwrap());
        let answer = match words[1] {
            "joins" => lobby.join(who, &format!("p{}", words[0])).map(|is| format!("{is}")),
            "adds" => {
                let seat = words.get(3).map(|seat| seat.parse().unwrap());
                let bot = BotSeat { seat, level: words[2].parse().unwrap() };
                lobby.add_bot(who, bot).map(|()| "in".into())
            }
            "sends" => {
                let name = format!("Bot, level {}", words[2]);
                lobby
                    .kick_bot(who, &name, words.get(3).map(|seat| seat.parse().unwrap()))
                    .map(|is| format!("{is}"))
            }
            "vanishes" => Ok(format!("{}", lobby.forget(who))),
            "leaves" => lobby.leave(who).map(|left| format!("{left:?}")),
            "kicks" => lobby.kick(who, player(words[2].parse().unwrap())).map(|()| "out".into()),
            _ => lobby.start(who).map(|()| "started".into()),
        };
        last = answer.unwrap_or_else(|error| error.code().to_owned());
    }
    assert_eq!(last, expected, "{steps}");
    let found: Vec<i64> = lobby.members().iter().map(|it| it.player.number()).collect();
    assert_eq!((found.as_slice(), lobby.version), (members, version), "{steps}");
}

#[test]
fn a_deleted_account_leaves_no_trace_in_the_lobby_of_another() {
    check("1 joins, 2 joins, 1 vanishes", "true", &[0, 2], 4);
    check("1 joins, 1 vanishes, 3 joins", "true", &[0, 3], 4);
    check("1 joins, 0 kicks 1, 1 vanishes", "true", &[0], 4);
    check("1 joins, 0 kicks 1, 1 vanishes, 1 joins", "true", &[0, 1], 5);
    check("1 vanishes", "false", &[0], 1);
    check("1 joins, 0 vanishes", "false", &[0, 1], 2);
}

#[test]
fn joining_takes_the_next_seat_until_all_are_taken() {
    check("1 joins", "true", &[0, 1], 2);
    check("2 joins, 1 joins", "true", &[0, 2, 1], 3);
    check("2 joins, 1 joins, 3 joins", "lobby_full", &[0, 2, 1], 3);
}

#[test]
fn the_host_adds_bots_to_free_seats_and_sends_them_out() {
    check("0 adds 5", "in", &[0], 2);
    check("1 adds 5", "not_lobby_host", &[0], 1);
    check("0 adds 5, 0 adds 3, 0 adds 1", "lobby_full", &[0], 3);
    check("0 adds 5, 0 adds 3, 1 joins", "lobby_full", &[0], 3);
    check("0 adds 5, 1 joins, 0 starts", "started", &[0, 1], 3);
    check("0 adds 5, 0 starts", "lobby_not_ready", &[0], 2);
    check("0 adds 5, 0 sends 5", "true", &[0], 3);
    check("0 adds 5, 0 sends 4", "false", &[0], 2);
    check("0 adds 5, 1 sends 5", "not_lobby_host", &[0], 2);
    check("0 leaves, 0 adds 5", "lobby_closed", &[0], 1);
    let mut lobby = lobby();
    lobby.add_bot(player(0), BotSeat { seat: None, level: 5 }).unwrap();
    lobby.join(player(1), "p1").unwrap();
    let summary = lobby.summary();
    assert_eq!(summary.players, ["p0", "p1", "Bot, level 5"], "bots sit last");
    assert_eq!((summary.bots, lobby.has_bots()), (vec![5], true));
    assert_eq!(Lobby::from_parts(&lobby.to_parts()), Ok(lobby));
}

#[test]
fn a_bot_takes_the_seat_that_it_is_given_if_that_is_free() {
    check("0 adds 5 1", "in", &[0], 2);
    check("0 adds 5 0", "no_such_seat", &[0], 1);
    check("0 adds 5 3", "no_such_seat", &[0], 1);
    check("1 joins, 0 adds 5 1", "no_such_seat", &[0, 1], 2);
    check("0 adds 5 1, 0 adds 5 1", "no_such_seat", &[0], 2);
    check("0 adds 5 1, 0 sends 5, 0 adds 4 1", "in", &[0], 4);
    check("0 adds 5, 0 adds 5, 0 sends 5 2, 0 adds 4 2", "in", &[0], 5);
    check("0 adds 5, 0 adds 5, 0 sends 5, 0 adds 4 1", "in", &[0], 5);
    check("0 adds 5, 0 sends 5 1", "false", &[0], 2);
}

/// Where the host wants to sit, and the bots; who sits where, `-` for a free seat, after somebody
/// has come; or why it cannot be.
#[track_caller]
fn check_order(host: Option<u8>, bots: &[(u8, Option<u8>)], expected: &str) {
    let bots: Vec<BotSeat> =
        bots.iter().map(|(level, seat)| BotSeat { seat: *seat, level: *level }).collect();
    let order = lobby().with_seats(host, &bots).map(|mut lobby| {
        let _ = lobby.join(player(1), "p1");
        assert_eq!(Lobby::from_parts(&lobby.to_parts()), Ok(lobby.clone()));
        let names = lobby.order().into_iter().map(|sitter| match sitter {
            Some(Sitter::Member(member)) => member.name.clone(),
            Some(Sitter::Bot(level)) => level.to_string(),
            None => "-".to_owned(),
        });
        let names: Vec<String> = names.collect();
        let told = lobby.summary().order;
        assert!(told.iter().zip(&names).all(|(told, name)| told.is_some() == (name != "-")));
        names.join(" ")
    });
    let order = order.unwrap_or_else(|error| error.code().to_owned());
    assert_eq!(order, expected, "{host:?} {bots:?}");
}

#[test]
fn the_order_of_seats_is_the_hosts_to_choose() {
    check_order(None, &[], "p0 p1 -");
    check_order(Some(2), &[], "p1 - p0");
    check_order(None, &[(5, None)], "p0 p1 5");
    check_order(None, &[(5, Some(0))], "5 p0 p1");
    check_order(Some(1), &[(5, None), (6, Some(2))], "5 p0 6");
    check_order(Some(2), &[(5, None)], "p1 5 p0");
    check_order(Some(1), &[(5, Some(1))], "no_such_seat");
    check_order(None, &[(5, Some(1)), (6, Some(1))], "no_such_seat");
    check_order(Some(3), &[], "no_such_seat");
    check_order(None, &[(5, Some(3))], "no_such_seat");
    check_order(None, &[(5, None), (6, None), (7, None)], "lobby_full");
}

#[test]
fn a_row_without_the_seats_of_bots_has_them_in_the_last() {
    let lobby = lobby().with_seats(None, &[BotSeat { seat: None, level: 5 }]).unwrap();
    let mut parts = lobby.to_parts();
    let known = parts.body.len();
    parts.body = parts.body.replace(r#","bot_seats":[2]"#, "").replace(r#""host_seat":0,"#, "");
    assert!(parts.body.len() + 20 < known, "{}", parts.body);
    assert_eq!(Lobby::from_parts(&parts), Ok(lobby));
}

#[test]
fn joining_twice_changes_nothing() {
    check("0 joins", "false", &[0], 1);
    check("1 joins, 1 joins", "false", &[0, 1], 2);
    check("1 joins, 2 joins, 1 joins", "false", &[0, 1, 2], 3);
}

#[test]
fn leaving_frees_a_seat_and_the_hosts_leaving_closes_the_lobby() {
    check("1 joins, 1 leaves", "Seat", &[0], 3);
    check("1 leaves", "not_in_lobby", &[0], 1);
    check("1 joins, 0 leaves", "Closed", &[0, 1], 2);
    check("1 joins, 0 leaves, 2 joins", "lobby_closed", &[0, 1], 2);
    check("1 joins, 0 leaves, 0 leaves", "lobby_closed", &[0, 1], 2);
}

#[test]
fn only_the_host_kicks_and_never_the_host() {
    check("1 joins, 0 kicks 1", "out", &[0], 3);
    check("1 joins, 2 joins, 1 kicks 2", "not_lobby_host", &[0, 1, 2], 3);
    check("1 joins, 1 kicks 0", "not_lobby_host", &[0, 1], 2);
    check("9 kicks 0", "not_lobby_host", &[0], 1);
    check("0 kicks 0", "cannot_kick_host", &[0], 1);
    check("0 kicks 1", "not_in_lobby", &[0], 1);
}

#[test]
fn who_was_kicked_cannot_come_back() {
    check("1 joins, 0 kicks 1, 1 joins", "kicked", &[0], 3);
    check("1 joins, 0 kicks 1, 2 joins", "true", &[0, 2], 4);
}

#[test]
fn the_first_who_was_kicked_is_forgotten_when_there_are_too_many() {
    let mut lobby = lobby();
    for number in 1..=i64::try_from(KICKED_MAX).unwrap() + 1 {
        lobby.join(player(number), "somebody").unwrap();
        lobby.kick(player(0), player(number)).unwrap();
    }
    assert_eq!(lobby.join(player(2), "p2"), Err(LobbyError::Kicked));
    assert_eq!(lobby.join(player(1), "p1"), Ok(true));
}

#[test]
fn the_host_starts_when_all_seats_are_taken() {
    check("0 starts", "lobby_not_ready", &[0], 1);
    check("1 joins, 2 joins, 1 starts", "not_lobby_host", &[0, 1, 2], 3);
    check("1 joins, 2 joins, 9 starts", "not_lobby_host", &[0, 1, 2], 3);
    check("1 joins, 2 joins, 0 starts", "started", &[0, 1, 2], 3);
    check("1 joins, 2 joins, 0 starts, 0 starts", "lobby_closed", &[0, 1, 2], 3);
    check("1 joins, 2 joins, 0 starts, 1 leaves", "lobby_closed", &[0, 1, 2], 3);
}

#[test]
fn the_host_sits_first_and_the_others_as_they_came() {
    let mut lobby = lobby();
    lobby.join(player(5), "p5").unwrap();
    lobby.join(player(3), "p3").unwrap();
    assert_eq!(lobby.start(player(0)), Ok(()));
    let seats = lobby.order().into_iter().map(|sitter| match sitter {
        Some(Sitter::Member(member)) => member.player,
        other => panic!("{other:?}"),
    });
    assert_eq!(seats.collect::<Vec<PlayerId>>(), [player(0), player(5), player(3)]);
}

#[test]
fn a_lobby_survives_its_row() {
    let mut lobby = lobby();
    lobby.join(player(1), "Zoë \"Z\"").unwrap();
    lobby.join(player(2), "p2").unwrap();
    lobby.kick(player(0), player(2)).unwrap();
    let parts = lobby.to_parts();
    assert_eq!((parts.host, parts.version, parts.is_public), (player(0), 4, true));
    assert_eq!(Lobby::from_parts(&parts), Ok(lobby));
}

#[test]
fn a_row_that_no_lobby_wrote_is_an_error() {
    let good = || lobby().to_parts();
    let member = r#"{"player":"0000000000000","name":"p0"}"#;
    for (old, new) in [
        ("{", ""),
        ("members", "member"),
        (member, ""),
        (member, &[member; 2].join(",")),
        (member, &[member; 4].join(",")),
        ("0000000000000", "0000000000001"),
        ("0000000000000", "nobody"),
    ] {
        let body = good().body.replacen(old, new, 1);
        assert_ne!(body, good().body);
        let read = Lobby::from_parts(&LobbyParts { body: body.clone(), ..good() });
        assert_eq!(read.map_err(|error| error.code()), Err("internal"), "{body}");
    }
}

#[test]
fn the_summary_names_everybody_in_the_order_of_seats() {
    let mut lobby = lobby();
    lobby.join(player(1), "p1").unwrap();
    let summary = lobby.summary();
    assert_eq!((summary.host.as_str(), summary.seats, summary.public), ("p0", 3, true));
    assert_eq!(summary.players, ["p0", "p1"]);
    assert_eq!((summary.created_at_ms, summary.terms.seats), (1_000, Some(3)));
    assert_eq!(lobby.member_named("p1"), Some(player(1)));
    assert_eq!(lobby.member_named("p2"), None);
    assert_eq!(lobby.leave(player(1)), Ok(Left::Seat));
}
