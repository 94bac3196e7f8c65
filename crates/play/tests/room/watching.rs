//! Spectators who see everything late, and what is said.

use crate::script::{check, player, read_member, read_terms};
use crate::table::Table;
use play::room::{Effect, Input, MemberId};

#[test]
fn spectators_see_late_and_never_the_newest() {
    check(
        "chess: a b; late 30s
        - a b join
        > x joins
        admit x as spectator
        note that a spectator came
        x <- snapshot 0 for spectator
        > @10s a acts e2e4
        store 0 act e2e4 by 0
        a <- ack 1 at 1
        viewer 0 <- event 1 e4
        viewer 1 <- event 1 e4
        wake at 40s
        > @20s b acts e7e5
        store 1 act e7e5 by 1
        b <- ack 2 at 2
        viewer 0 <- event 2 e5
        viewer 1 <- event 2 e5
        > @30s y joins
        admit y as spectator
        y <- snapshot 0 for spectator
        > @40s tick
        viewer spectator <- snapshot 1 for spectator
        wake at 50s
        > x joins since 0
        admit x as spectator
        x <- snapshot 1 for spectator
        > @45s a acts g1f3
        store 2 act g1f3 by 0
        a <- ack 3 at 3
        viewer 0 <- event 3 Nf3
        viewer 1 <- event 3 Nf3
        > @50s a says hello
        seats <- 0 says hello
        viewer spectator <- snapshot 2 for spectator
        wake at 75s
        > @80s b joins
        viewer spectator <- snapshot 3 for spectator
        admit b as 1
        b <- snapshot 3 for 1, 0 said hello
        ",
    );
}

#[test]
fn to_who_is_expelled_the_match_does_not_exist_any_more() {
    check(
        "chess: a b; is private
        - a b x y join
        > x is expelled
        x <- refused match_not_found
        dismiss x
        > x is expelled
        > a acts e2e4
        store 0 act e2e4 by 0
        a <- ack 1 at 1
        viewers <- event 1 e4
        > y is expelled
        y <- refused match_not_found
        dismiss y
        ",
    );
}

#[test]
fn spectators_who_see_late_learn_no_ply_from_a_refusal() {
    check(
        "chess: a b; late 30s
        - a b x join
        - a acts e2e4
        > x acts e7e5
        x <- refused not_seated
        > x asks
        x <- refused not_seated
        > y asks
        y <- refused not_seated
        > a acts e7e5
        a <- refused not_your_turn at 1
        ",
    );
}

#[test]
fn what_is_due_is_shown_after_the_next_entry_is_stored() {
    check(
        "chess: a b; late 30s
        - a b x join
        - a acts e2e4
        > @30s b acts e7e5
        store 1 act e7e5 by 1
        b <- ack 2 at 2
        viewer 0 <- event 2 e5
        viewer 1 <- event 2 e5
        viewer spectator <- snapshot 1 for spectator
        wake at 60s
        ",
    );
}

#[test]
fn the_end_is_no_secret() {
    check(
        "chess: a b; late 30s
        - a b x join
        - @1s a acts f2f3
        - @2s b acts e7e5
        - @3s a acts g2g4
        > @4s b acts d8h4
        store 3 act d8h4 by 1, the end: checkmate 2-1
        b <- ack 4 at 4
        viewer 0 <- event 4 Qh4#
        viewer 1 <- event 4 Qh4#
        viewer spectator <- snapshot 4 for spectator, checkmate 2-1
        all <- over, checkmate 2-1
        > y joins
        admit y as spectator
        y <- snapshot 4 for spectator, checkmate 2-1
        ",
    );
    check(
        "chess: a b; late 30s
        - a b x join
        > a resigns
        store 0 forfeit resigned by 0, the end: resigned 2-1
        viewer 0 <- snapshot 1 for 0, resigned 2-1
        viewer 1 <- snapshot 1 for 1, resigned 2-1
        viewer spectator <- snapshot 1 for spectator, resigned 2-1
        all <- over, resigned 2-1
        ",
    );
}

#[test]
fn a_takeback_shows_spectators_nothing_early() {
    check(
        "chess: a b; late 30s
        - a b x join
        - @1s a acts e2e4
        - @31s tick
        - @40s b acts e7e5
        - @41s b offers takeback
        > @42s a accepts takeback
        store 2 takeback 1 by 1
        seats <- takeback by 1 accepted
        reload
        viewer spectator <- snapshot 1 for spectator
        viewer 0 <- snapshot 3 for 0
        viewer 1 <- snapshot 3 for 1
        wake at 70s
        > y joins
        admit y as spectator
        y <- snapshot 1 for spectator
        > @70s tick
        viewer spectator <- snapshot 2 for spectator
        wake at 72s
        > @72s tick
        viewer spectator <- snapshot 3 for spectator
        ",
    );
}

#[test]
fn a_match_that_comes_back_shows_late_spectators_nothing_early() {
    check(
        "chess: a b; late 30s
        - a b x join
        - @1s a acts e2e4
        > @2s restart
        wake at 31s
        > x joins
        admit x as spectator
        note that a spectator came
        x <- snapshot 0 for spectator
        > @31s tick
        viewer spectator <- snapshot 1 for spectator
        - b join
        - b resigns
        > restart
        wake at 31s
        > x joins
        viewer spectator <- snapshot 2 for spectator, resigned 1-2
        admit x as spectator
        note that a spectator came
        x <- snapshot 2 for spectator, resigned 1-2
        ",
    );
}

#[test]
fn all_hear_what_is_said_and_who_comes_later_too() {
    check(
        "chess: a b
        - a b x join
        > a says good luck
        all <- 0 says good luck
        > b says thanks
        all <- 1 says thanks
        > y joins
        admit y as spectator
        y <- snapshot 0 for spectator, 0 said good luck, 1 said thanks
        - a resigns
        > b says good game
        all <- 1 says good game
        ",
    );
}

#[test]
fn late_spectators_hear_nothing() {
    check(
        "chess: a b; late 30s
        - a b x join
        > a says good luck
        seats <- 0 says good luck
        > y joins
        admit y as spectator
        y <- snapshot 0 for spectator
        > b joins
        admit b as 1
        b <- snapshot 0 for 1, 0 said good luck
        ",
    );
}

#[test]
fn nobody_says_too_much_at_once() {
    check(
        "chess: a b
        - a b join
        - a says 1
        - @1s a says 2
        - a says 3
        - a says 4
        - a says 5
        > @9s a says 6
        a <- refused chat_too_fast at 0
        > b says 1
        all <- 1 says 1
        > @10s a says 6
        all <- 0 says 6
        > a says 7
        a <- refused chat_too_fast at 0
        ",
    );
}

#[test]
fn a_line_has_a_length_and_no_control_characters() {
    let longest = "ä".repeat(300);
    check(&format!(
        "chess: a b
        - a b join
        > a says {longest}
        all <- 0 says {longest}
        > a says {longest}!
        a <- refused bad_chat at 0
        > a says a\tb
        a <- refused bad_chat at 0
        > a says \u{a0} \u{a0}
        a <- refused bad_chat at 0
        > a says \u{200b}\u{feff}
        a <- refused bad_chat at 0
        > a says win\u{202e}gnp.exe
        a <- refused bad_chat at 0
        > a says two\u{2028}lines
        a <- refused bad_chat at 0
        "
    ));
}

#[test]
fn who_comes_late_reads_the_last_lines() {
    let mut table = Table::open(read_terms("chess: a b"));
    let join = |table: &mut Table, name: &str| {
        let member = read_member(name);
        table.handle(Input::Join { member, player: player(member), since: None })
    };
    join(&mut table, "a");
    for number in 0..40 {
        table.now_ms += 5_000;
        table.handle(Input::Chat { member: read_member("a"), text: number.to_string() });
    }
    let deeds = join(&mut table, "x");
    let lines = deeds.iter().find_map(|deed| match &deed.effect {
        Effect::Send { letter, .. } => {
            Some(std::str::from_utf8(letter).unwrap().matches(r#""text""#).count())
        }
        _ => None,
    });
    assert_eq!(lines, Some(16));
}

#[test]
fn a_full_room_takes_seats_but_no_more_spectators() {
    let mut table = Table::open(read_terms("chess: a b"));
    let mut is_admitted = |member: MemberId, name: &str| {
        let player = player(read_member(name));
        let deeds = table.handle(Input::Join { member, player, since: None });
        deeds.iter().any(|deed| matches!(deed.effect, Effect::Admit { .. }))
    };
    let admitted = (0..1100).filter(|number| is_admitted(MemberId(10_000 + number), "x")).count();
    assert_eq!(admitted, 1000);
    assert!(is_admitted(MemberId(10_000), "x"), "who is in may come again");
    assert!(!is_admitted(MemberId(11_000), "x"));
    assert!(is_admitted(read_member("a"), "a") && is_admitted(read_member("b"), "b"));
}

#[test]
fn of_one_player_the_oldest_of_too_many_connections_is_sent_away() {
    let mut table = Table::open(read_terms("chess: a b"));
    let a = player(read_member("a"));
    for number in 0..20 {
        let member = MemberId(10_000 + number);
        let deeds = table.handle(Input::Join { member, player: a, since: None });
        let sent_away: Vec<&MemberId> = deeds
            .iter()
            .filter_map(|deed| match &deed.effect {
                Effect::Dismiss { member } => Some(member),
                _ => None,
            })
            .collect();
        let oldest = MemberId(10_000 + number.saturating_sub(16));
        let expected: &[&MemberId] = if number < 16 { &[] } else { &[&oldest] };
        assert_eq!(sent_away, expected, "{number}");
    }
    assert_eq!(table.room.members().count(), 16);
    table.handle(Input::Join {
        member: read_member("b"),
        player: player(read_member("b")),
        since: None,
    });
    assert_eq!(table.room.members().count(), 17, "others lose nothing by it");
}

#[test]
fn what_is_due_in_the_moment_of_a_takeback_is_shown_and_the_new_room_plans_the_next() {
    check(
        "chess: a b; fischer 60+5; late 10s
        - a b x join
        - @5s a acts e2e4
        - @10s a offers takeback
        > @16s b accepts takeback
        store 1 takeback 0 by 0
        seats <- takeback by 0 accepted
        viewer spectator <- snapshot 1 for spectator | 60s *60s
        reload
        viewer spectator <- snapshot 1 for spectator | 60s *60s
        viewer 0 <- snapshot 2 for 0 | *55s 49s
        viewer 1 <- snapshot 2 for 1 | *55s 49s
        wake at 26s
        ",
    );
}
