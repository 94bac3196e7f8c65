//! Matches as they are shown, told and exported: each viewer, while they run and once they are over.

use chess::pgn::{Pgn, PgnResult};
use domain::{MatchId, PlayerId, SeatHolder};
use game_api::{Commitment, Entry, EntryKind, MatchLog, Seat, Seed, StateHash, Telling};
use protocol::{Code, MatchStory};
use serde_json::{Value, json};
use storage::{Change, MatchResult, NewMatch};

use crate::kit::{Client, NOW_MS, TestServer, User};
use crate::play::{begin, begin_at, play_on, sit_down};
use crate::socket::Socket;

const MATCHES: &str = "/api/v1/matches";

async fn get(client: &Client, id: MatchId, rest: &str) -> Value {
    client.get(&format!("{MATCHES}/{id}{rest}")).await.json(200)
}

/// The whole log, whose options must be read as they are written.
async fn log(client: &Client, id: MatchId) -> MatchLog {
    let answer = client.get(&format!("{MATCHES}/{id}/log")).await;
    answer.json::<MatchStory>(200).log.unwrap()
}

/// A match in which all seats are one's own.
async fn alone(user: &User, terms: Value) -> MatchId {
    let body = json!({"terms": terms, "opponents": "hot_seat"});
    let started: Value = user.bearer.post(MATCHES, &body).await.json(201);
    started["match"].as_str().unwrap().parse().unwrap()
}

/// A match at a public table that somebody played with a bot and gave up at once.
pub(crate) async fn resigned(server: &TestServer, user: &User) -> MatchId {
    let terms = json!({"game": "santorini"});
    let table = json!({"terms": terms, "public": true, "bots": [{"level": 1}]});
    let id = begin_at(&table, std::slice::from_ref(user)).await;
    resign(&mut joined(server, user, id).await, id).await;
    id
}

/// Somebody without a log-in who has the watch link of a private match.
async fn watcher(server: &TestServer, owner: &User, id: MatchId) -> Client {
    let link = owner.bearer.post_empty(&format!("{MATCHES}/{id}/watch-link")).await;
    let link: Value = link.json(201);
    server.anonymous().with("x-watch-key", link["key"].as_str().unwrap())
}

async fn resign(socket: &mut Socket, id: MatchId) {
    socket.send(&json!({"type": "resign", "match": id})).await;
    socket.expect("over").await;
}

/// Does an action, which must be accepted.
async fn act(socket: &mut Socket, id: MatchId, ply: u64, action: &str) {
    let ack = socket.act(id, ply, action, ply + 1).await;
    assert_eq!(ack["type"], "ack", "{ack}");
}

async fn joined(server: &TestServer, user: &User, id: MatchId) -> Socket {
    let mut socket = Socket::open(server.address, &user.token).await;
    socket.join(id).await;
    socket
}

#[tokio::test]
async fn own_matches_are_listed_while_they_run_the_latest_first() {
    let server = TestServer::start().await;
    let clock = json!({"mode": "fischer", "initial_s": 300, "increment_s": 2});
    let terms = json!({"game": "santorini", "clock": clock});
    let (first, users) = begin(&server, terms, &["Ada", "Bob"]).await;
    let second = alone(&users[0], json!({"game": "chess"})).await;
    let list = async |user: &User| -> Value { user.bearer.get(MATCHES).await.json(200) };
    let both = list(&users[0]).await;
    // In one millisecond neither is the later one.
    let order =
        |id| both["matches"].as_array().unwrap().iter().position(|it| it["id"] == json!(id));
    let [earlier, later] = [order(first).unwrap(), order(second).unwrap()];
    let begun = |place: usize| both["matches"][place]["started_at_ms"].as_u64().unwrap();
    assert!(later < earlier || begun(later) == begun(earlier), "{both}");
    assert_eq!(
        list(&users[1]).await["matches"],
        json!([{
            "id": first,
            "game": "santorini",
            "clock": clock,
            "seats": [{"name": "Ada"}, {"name": "Bob"}],
            "started_at_ms": begun(earlier),
        }])
    );
    let mut socket = joined(&server, &users[1], first).await;
    resign(&mut socket, first).await;
    assert_eq!(list(&users[1]).await["matches"], json!([]));
    assert_eq!(list(&users[0]).await["matches"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_match_is_shown_to_anybody_and_its_secrets_once_it_is_over() {
    let server = TestServer::start().await;
    let options = json!({"target": 1});
    let terms = json!({"game": "crazy-tens", "options": options, "spectator_delay_s": 5});
    let (id, users) = begin(&server, terms, &["Ada", "Bob"]).await;
    let seed = server.store.find_match(id).await.unwrap().unwrap().seed.reveal();
    let viewers = [
        (users[0].bearer.clone(), json!(0)),
        (users[1].browser.clone(), json!(1)),
        (server.anonymous(), json!("spectator")),
        (server.bearer("garbage"), json!("spectator")),
    ];
    for (client, viewer) in &viewers {
        let answer = client.get(&format!("{MATCHES}/{id}")).await;
        assert!(!answer.text().contains(&seed));
        let shown: Value = answer.json(200);
        assert_eq!(shown["viewer"], *viewer);
        assert_eq!((&shown["game"], &shown["status"]), (&json!("crazy-tens"), &json!("running")));
        assert_eq!(shown["seats"], json!([{"name": "Ada"}, {"name": "Bob"}]));
        assert_eq!((&shown["spectator_delay_s"], &shown["is_rated"]), (&json!(5), &json!(false)));
        assert_eq!(shown["options"]["starter"], "alternate");
        assert_eq!(shown["is_public"], true);
        for absent in ["ended_at_ms", "outcome", "view", "notations", "seed"] {
            assert_eq!(shown[absent], Value::Null, "{absent}");
        }
    }
    let mut sockets = sit_down(&server, id, &users).await;
    let over = play_on(id, &mut sockets, |_, _| 0).await;
    for (client, viewer) in &viewers {
        let shown = get(client, id, "").await;
        assert_eq!((&shown["viewer"], &shown["view"]["viewer"]), (viewer, viewer));
        assert_eq!(shown["view"]["hand"].is_array(), *viewer != json!("spectator"));
        assert_eq!((&shown["status"], &shown["seed"]), (&json!("over"), &json!(seed)));
        assert_eq!(shown["outcome"], over["outcome"]);
        assert_eq!(shown["seats"][0]["place"], over["outcome"]["places"][0]);
        assert!(shown["ended_at_ms"].as_u64() >= shown["started_at_ms"].as_u64());
        assert!(shown["notations"].as_array().unwrap().len() >= 5);
        let commitment = Commitment::new(
            "crazy-tens",
            shown["rules_version"].as_u64().unwrap().try_into().unwrap(),
            r#"{"target":1,"starter":"alternate"}"#,
            &seed.parse().unwrap(),
        );
        assert_eq!(shown["commitment"], commitment.to_string());
    }
}

/// Plays a match of Crazy Tens until somebody draws a card; gives who, and that hand.
async fn until_a_draw(server: &TestServer, id: MatchId, users: &[User]) -> Option<(usize, Value)> {
    let mut sockets = Vec::new();
    for user in users {
        sockets.push(joined(server, user, id).await);
    }
    for ply in 0.. {
        let mut drew = None;
        for (seat, socket) in sockets.iter_mut().enumerate() {
            socket.send(&json!({"type": "legal", "match": id})).await;
            let legal = socket.expect("legal").await;
            let Some(action) = legal["actions"][0].as_str() else { continue };
            act(socket, id, ply, action).await;
            let event = socket.find(|it| it["type"] == "event" && it["ply"] == ply + 1).await;
            // A new round deals cards that were seen in the old one.
            if event["view"]["round"] != 1 {
                return None;
            }
            drew = (action == "draw").then(|| (seat, event["view"]["hand"].clone()));
            break;
        }
        if drew.is_some() {
            return drew;
        }
    }
    None
}

/// Whether a text names one of these cards.
fn names_any(text: &str, cards: &Value) -> bool {
    let mut words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.any(|word| cards.as_array().unwrap().iter().any(|card| card == word))
}

/// The fingerprint of where a running match stands.
async fn state_hash(server: &TestServer, id: MatchId) -> StateHash {
    let row = server.store.find_match(id).await.unwrap().unwrap();
    let game = catalog::find(&row.game).unwrap();
    let mut contest = game.start(&row.options, 2, row.seed).unwrap();
    for entry in server.store.entries(id, 0).await.unwrap() {
        let EntryKind::Act(text) = &entry.kind else { continue };
        contest.act(entry.seat.unwrap(), text, &mut Telling::default()).unwrap();
    }
    contest.state_hash()
}

#[tokio::test]
async fn a_running_log_tells_each_viewer_only_what_it_may_know() {
    let server = TestServer::start().await;
    for number in 0.. {
        let names = [format!("Ada{number}"), format!("Bob{number}")];
        let terms = json!({"game": "crazy-tens"});
        let (id, users) = begin(&server, terms, &[&names[0], &names[1]]).await;
        let Some((seat, hand)) = until_a_draw(&server, id, &users).await else { continue };
        let row = server.store.find_match(id).await.unwrap().unwrap();
        let entries = server.store.entries(id, 0).await.unwrap();
        let state_hash = state_hash(&server, id).await.to_string();
        let guest = server.guest("somebody-who-only-looks").await;
        for (client, own) in [
            (&users[seat].browser, Some(seat)),
            (&users[1 - seat].bearer, Some(1 - seat)),
            (&server.anonymous(), None),
            (&guest.bearer, None),
        ] {
            let answer = client.get(&format!("{MATCHES}/{id}/log")).await;
            let text = answer.text();
            assert_eq!(names_any(&text, &hand), own == Some(seat), "{hand} {text}");
            assert!(!text.contains(&row.seed.reveal()) && !text.contains(&state_hash));
            let story: Value = answer.json(200);
            assert_eq!(story["viewer"], own.map_or(json!("spectator"), |seat| json!(seat)));
            assert_eq!(story["log"], Value::Null);
            let told = story["entries"].as_array().unwrap();
            assert_eq!(told.len(), entries.len());
            for (told, entry) in told.iter().zip(&entries) {
                let EntryKind::Act(action) = &entry.kind else { panic!() };
                let is_own = own == entry.seat.map(Seat::index);
                let action = if is_own { json!(action) } else { Value::Null };
                assert_eq!((&told["action"], &told["kind"]), (&action, &json!("act")));
                assert_eq!((&told["ply"], &told["seat"]), (&json!(entry.ply), &json!(entry.seat)));
                assert_eq!(told["at_ms"], json!(entry.at_ms));
                assert!(told["event"].is_object() && told["notation"].is_string());
            }
        }
        return;
    }
}

#[tokio::test]
async fn who_has_all_seats_reads_each_action_as_the_seat_that_acted() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let id = alone(&ada, json!({"game": "crazy-tens"})).await;
    let mut socket = joined(&server, &ada, id).await;
    for ply in 0..6 {
        socket.send(&json!({"type": "legal", "match": id})).await;
        let legal = socket.expect("legal").await;
        act(&mut socket, id, ply, legal["actions"][0].as_str().unwrap()).await;
    }
    let entries = server.store.entries(id, 0).await.unwrap();
    let own = get(&ada.bearer, id, "/log").await;
    let watched = get(&watcher(&server, &ada, id).await, id, "/log").await;
    for (index, entry) in entries.iter().enumerate() {
        let EntryKind::Act(action) = &entry.kind else { panic!() };
        assert_eq!(own["entries"][index]["action"], json!(action));
        assert_eq!(watched["entries"][index]["action"], Value::Null);
        let event = &own["entries"][index]["event"];
        assert_eq!(event["card"].is_string(), action != "pass", "{event}");
    }
}

#[tokio::test]
async fn spectators_of_a_delayed_match_read_its_log_late() {
    let server = TestServer::start().await;
    let terms = json!({"game": "chess", "spectator_delay_s": 60});
    let (id, users) = begin(&server, terms, &["Ada", "Bob"]).await;
    act(&mut joined(&server, &users[0], id).await, id, 0, "e2e4").await;
    let count =
        async |client: &Client| get(client, id, "/log").await["entries"].as_array().unwrap().len();
    assert_eq!(count(&server.anonymous()).await, 0);
    assert_eq!(count(&users[0].bearer).await, 1);
    assert_eq!(count(&users[1].bearer).await, 1);
    server.time.advance(61_000);
    let server = server.restart().await;
    assert_eq!(count(&server.anonymous()).await, 1);
    act(&mut joined(&server, &users[1], id).await, id, 1, "e7e5").await;
    assert_eq!(count(&server.anonymous()).await, 1);
    let ada = server.login("Ada").await;
    assert_eq!(count(&ada.bearer).await, 2);
    let mut socket = joined(&server, &ada, id).await;
    resign(&mut socket, id).await;
    assert_eq!(count(&server.anonymous()).await, 3, "the end is no secret");
}

#[tokio::test]
async fn the_log_of_a_finished_match_verifies_and_is_the_export() {
    for game in catalog::games() {
        let server = TestServer::start().await;
        let (id, users) = begin(&server, json!({"game": game.meta().id}), &["Ada", "Bob"]).await;
        // Chess goes on for long unless somebody gives up; no match is over so soon, not even if every
        // play lays seven of the hundred tiles.
        for ply in 0..12 {
            let mut socket = joined(&server, &users[ply % 2], id).await;
            socket.send(&json!({"type": "legal", "match": id})).await;
            let legal = socket.expect("legal").await;
            if let Some(action) = legal["actions"][0].as_str() {
                act(&mut socket, id, legal["ply"].as_u64().unwrap(), action).await;
            }
        }
        let mut socket = joined(&server, &users[0], id).await;
        resign(&mut socket, id).await;
        let story = get(&server.anonymous(), id, "/log").await;
        let log = log(&server.anonymous(), id).await;
        let contest = catalog::replay(&log).unwrap();
        assert_eq!(contest.outcome().unwrap().places, [2, 1]);
        let told = story["entries"].as_array().unwrap();
        assert_eq!(told.len(), log.entries.len());
        for (told, entry) in told.iter().zip(&log.entries) {
            match &entry.kind {
                EntryKind::Act(action) => {
                    assert_eq!(told["action"], json!(action));
                    assert!(told["event"].is_object() && told["notation"].is_string());
                }
                _ => assert_eq!(
                    (&told["kind"], &told["cause"]),
                    (&json!("forfeit"), &json!("resigned"))
                ),
            }
        }
        let path = format!("{MATCHES}/{id}/export");
        for path in [path.clone(), format!("{path}?format=json")] {
            let answer = server.anonymous().get(&path).await;
            let name = format!("attachment; filename=\"{}-{id}.json\"", game.meta().id);
            assert_eq!(answer.header("content-disposition"), name);
            assert_eq!(answer.json::<Value>(200), story["log"]);
        }
    }
}

/// Fool's mate, with a move taken back in between.
async fn play_chess(server: &TestServer, id: MatchId, users: [&User; 2]) {
    let mut sockets = [joined(server, users[0], id).await, joined(server, users[1], id).await];
    act(&mut sockets[0], id, 0, "e2e4").await;
    sockets[0].send(&json!({"type": "offer", "match": id, "kind": "takeback"})).await;
    if users[0].id != users[1].id {
        sockets[1].find(|it| it["type"] == "offer" && it["state"] == "open").await;
        let answer = json!({"type": "answer", "match": id, "kind": "takeback", "accept": true});
        sockets[1].send(&answer).await;
    }
    sockets[0].find(|it| it["type"] == "snapshot" && it["ply"] == 2).await;
    for (ply, (seat, action)) in (2..).zip([(0, "f2f3"), (1, "e7e5"), (0, "g2g4"), (1, "d8h4")]) {
        act(&mut sockets[seat], id, ply, action).await;
    }
    sockets[0].expect("over").await;
}

#[tokio::test]
async fn what_was_taken_back_is_told_and_in_no_notation() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let id = alone(&ada, json!({"game": "chess"})).await;
    play_chess(&server, id, [&ada, &ada]).await;
    let shown = get(&ada.bearer, id, "").await;
    let line = |ply: u32, text: &str| json!({"ply": ply, "seat": ply % 2, "text": text});
    let lines = [line(2, "f3"), line(3, "e5"), line(4, "g4"), line(5, "Qh4#")];
    assert_eq!(shown["notations"], json!(lines));
    let story = get(&ada.bearer, id, "/log").await;
    assert_eq!(story["entries"][0]["notation"], "e4");
    assert_eq!(
        (&story["entries"][1]["kind"], &story["entries"][1]["to_ply"]),
        (&json!("takeback"), &json!(0))
    );
    catalog::replay(&log(&ada.bearer, id).await).unwrap();
}

async fn export_pgn(client: &Client, id: MatchId) -> Pgn {
    let answer = client.get(&format!("{MATCHES}/{id}/export?format=pgn")).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("content-type"), "application/vnd.chess-pgn");
    let name = format!("attachment; filename=\"chess-{id}.pgn\"");
    assert_eq!(answer.header("content-disposition"), name);
    let text = answer.text();
    let pgn = Pgn::parse(&text).unwrap().remove(0);
    assert_eq!(pgn.to_string(), text);
    pgn
}

#[tokio::test]
async fn a_finished_chess_match_is_exported_as_pgn() {
    let server = TestServer::start().await;
    let clock = json!({"mode": "fischer", "initial_s": 300, "increment_s": 2});
    let terms = json!({"game": "chess", "clock": clock});
    let (id, users) = begin(&server, terms, &["Ada", "Bob"]).await;
    play_chess(&server, id, [&users[0], &users[1]]).await;
    let pgn = export_pgn(&server.anonymous(), id).await;
    for (tag, value) in [
        ("Event", Some("Rated match")),
        ("Site", Some("?")),
        ("Date", Some("2026.11.14")),
        ("White", Some("Ada")),
        ("Black", Some("Bob")),
        ("Result", Some("0-1")),
        ("TimeControl", Some("300+2")),
        ("Termination", Some("normal")),
        ("FEN", None),
    ] {
        assert_eq!(pgn.tag(tag), value, "{tag}");
    }
    assert_eq!(pgn.result, PgnResult::Black);
    let moves: Vec<&str> = pgn.moves.iter().map(|mv| mv.san.as_str()).collect();
    assert_eq!(moves, ["f3", "e5", "g4", "Qh4#"]);
    for mv in &pgn.moves {
        assert!((280..=304).contains(&mv.clock_s.unwrap()), "{:?}", mv.clock_s);
    }
}

#[tokio::test]
async fn a_pgn_says_where_it_began_if_that_was_elsewhere_and_has_no_clock_without_one() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let fen = "7k/8/8/8/8/8/6Q1/K7 w - - 0 1";
    let id = alone(&ada, json!({"game": "chess", "options": {"fen": fen}})).await;
    let mut socket = joined(&server, &ada, id).await;
    act(&mut socket, id, 0, "g2g6").await;
    socket.expect("over").await;
    let pgn = export_pgn(&ada.bearer, id).await;
    assert_eq!((pgn.tag("SetUp"), pgn.tag("FEN")), (Some("1"), Some(fen)));
    assert_eq!((pgn.tag("TimeControl"), pgn.tag("Event")), (Some("-"), Some("Casual match")));
    assert_eq!((pgn.result, pgn.moves[0].clock_s), (PgnResult::Draw, None));
}

#[tokio::test]
async fn what_is_no_match_or_format_is_not_found() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let unknown = MatchId::new(NOW_MS, 7).to_string();
    for id in [unknown.as_str(), "0", "nothing", "%00", "%F0%9F%A6%89", &"x".repeat(5000)] {
        for rest in ["", "/log", "/export"] {
            let answer = ada.bearer.get(&format!("{MATCHES}/{id}{rest}")).await;
            answer.problem(Code::MatchNotFound);
        }
    }
    let id = alone(&ada, json!({"game": "santorini"})).await;
    let export = async |query: &str| ada.bearer.get(&format!("{MATCHES}/{id}/export{query}")).await;
    export("").await.problem(Code::MatchRunning);
    export("?format=pgn").await.problem(Code::MatchRunning);
    let mut socket = joined(&server, &ada, id).await;
    resign(&mut socket, id).await;
    for format in ["pgn", "JSON", "", "%00", "..%2F..%2Fjson"] {
        export(&format!("?format={format}")).await.problem(Code::NoSuchFormat);
    }
    for query in ["?formats=json", "?format=json&format=json", "?format=json&seat=0"] {
        export(query).await.problem(Code::BadRequest);
    }
}

/// Stores a match of a game that is not here, with one action.
async fn store_foreign(
    server: &TestServer,
    number: u32,
    player: PlayerId,
    is_over: bool,
) -> MatchId {
    let id = MatchId::new(NOW_MS, number.into());
    let seed = Seed::from_number(5);
    let entry = |ply, seat, kind| Change::Append {
        match_id: id,
        entry: Entry { ply, seat, at_ms: NOW_MS, nonce: 0, epoch: 0, kind },
    };
    let mut unit = vec![
        Change::CreateMatch(NewMatch {
            id,
            game: "checkers".to_owned(),
            rules_version: 3,
            options: "{}".to_owned(),
            from_position: None,
            seed,
            commitment: Commitment::new("checkers", 3, "{}", &seed),
            settings: "{}".to_owned(),
            seats: vec![SeatHolder::Player(player), SeatHolder::Bot("random".to_owned())],
            is_public: true,
            founder: None,
            created_ms: NOW_MS,
            owner: Some("another".to_owned()),
            lease_until_ms: NOW_MS + 1_000_000,
        }),
        entry(0, Seat::new(0), EntryKind::Act("9-14".to_owned())),
    ];
    if is_over {
        unit.push(entry(1, None, EntryKind::Abort));
        unit.push(Change::EndMatch(MatchResult {
            match_id: id,
            ended_ms: NOW_MS,
            reason: "aborted".to_owned(),
            places: Vec::new(),
            final_views: "[]".to_owned(),
            notations: r#"[{"ply":0,"seat":0,"text":"9 to 14"}]"#.to_owned(),
            state_hash: StateHash::of(&()),
        }));
    }
    server.store.commit(unit).await.unwrap();
    id
}

#[tokio::test]
async fn of_a_match_whose_rules_are_gone_there_is_what_was_stored() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let running = store_foreign(&server, 1, ada.id, false).await;
    ada.bearer.get(&format!("{MATCHES}/{running}/log")).await.problem(Code::RulesChanged);
    let shown = get(&ada.bearer, running, "").await;
    assert_eq!(shown["seats"], json!([{"name": "Ada"}, {"name": "Bot, random", "bot": "random"}]));
    let over = store_foreign(&server, 2, ada.id, true).await;
    let shown = get(&ada.bearer, over, "").await;
    assert_eq!((&shown["viewer"], &shown["view"]), (&json!(0), &Value::Null));
    let story = get(&server.anonymous(), over, "/log").await;
    let told = json!([
        {"ply": 0, "seat": 0, "at_ms": NOW_MS, "kind": "act", "action": "9-14", "notation": "9 to 14"},
        {"ply": 1, "at_ms": NOW_MS, "kind": "abort"},
    ]);
    assert_eq!(story["entries"], told);
    assert_eq!(story["log"]["game"], "checkers");
    get(&ada.bearer, over, "/export").await;
    let path = format!("{MATCHES}/{over}/export?format=pdn");
    ada.bearer.get(&path).await.problem(Code::RulesChanged);
}

#[tokio::test]
async fn a_running_match_whose_rules_are_gone_is_aborted_when_somebody_comes() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let id = store_foreign(&server, 3, ada.id, false).await;
    let mut socket = Socket::open(server.address, &ada.token).await;
    let join = json!({"type": "join", "match": id});
    socket.send(&join).await;
    assert_eq!(socket.expect("refused").await["code"], "busy", "another server may have them");
    let owner = "another".to_owned();
    let end = Change::TakeLease { match_id: id, owner, epoch: 0, until_ms: NOW_MS };
    server.store.commit(vec![end]).await.unwrap();
    for _ in 0..2 {
        socket.send(&join).await;
        assert_eq!(socket.expect("refused").await["code"], "rules_changed");
    }
    let result = server.store.find_result(id).await.unwrap().unwrap();
    assert_eq!((result.places, &*result.reason), (Vec::new(), "rules_changed"));
    let entries = server.store.entries(id, 0).await.unwrap();
    assert_eq!(entries.len(), 2);
    assert!(entries[1].kind == EntryKind::Abort);
    assert_eq!(server.store.running_matches(ada.id).await.unwrap(), []);
    let shown = get(&ada.bearer, id, "").await;
    assert_eq!(shown["outcome"], json!({"places": [], "reason": "rules_changed"}));
}

#[tokio::test]
async fn nobody_looks_through_the_eyes_of_a_deleted_account() {
    let server = TestServer::start().await;
    let (id, users) = begin(&server, json!({"game": "crazy-tens"}), &["Ada", "Bob"]).await;
    users[0].browser.delete("/api/v1/profile").await.empty();
    for client in [&server.anonymous(), &users[0].bearer] {
        let shown = get(client, id, "").await;
        let seat = &shown["seats"][0]["name"];
        assert_eq!((&shown["viewer"], seat), (&json!("spectator"), &Value::Null));
    }
}
