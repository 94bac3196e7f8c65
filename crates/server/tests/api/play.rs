//! Matches over real sockets, from the lobby to the end.

use domain::MatchId;
use game_api::{AnyMatch, EntryKind, Telling, Viewer};
use serde_json::{Value, json};
use storage::MatchRow;

use crate::kit::{TestServer, User, games};
use crate::socket::{Came, Socket};

/// A match of these terms between new accounts, through a lobby.
pub(crate) async fn begin(
    server: &TestServer,
    terms: Value,
    names: &[&str],
) -> (MatchId, Vec<User>) {
    let mut users = Vec::new();
    for name in names {
        users.push(server.register(name).await);
    }
    (begin_between(terms, &users).await, users)
}

/// A match of these terms, through a public lobby.
pub(crate) async fn begin_between(terms: Value, users: &[User]) -> MatchId {
    begin_at(&json!({"terms": terms, "public": true}), users).await
}

/// The match of a lobby that the first of them opens by this message.
pub(crate) async fn begin_at(create: &Value, users: &[User]) -> MatchId {
    let lobby: Value = users[0].bearer.post("/api/v1/lobbies", create).await.json(201);
    let path = format!("/api/v1/lobbies/{}", lobby["id"].as_str().unwrap());
    for user in &users[1..] {
        let _: Value = user.bearer.post_empty(&format!("{path}/join")).await.json(200);
    }
    let started: Value = users[0].bearer.post_empty(&format!("{path}/start")).await.json(201);
    id_of(&started["match"])
}

pub(crate) fn id_of(value: &Value) -> MatchId {
    value.as_str().unwrap().parse().unwrap()
}

/// Opens a socket for each, and joins the match.
pub(crate) async fn sit_down<'a>(
    server: &TestServer,
    id: MatchId,
    users: impl IntoIterator<Item = &'a User>,
) -> Vec<Socket> {
    let mut sockets = Vec::new();
    for user in users {
        let mut socket = Socket::open(server.address, &user.token).await;
        socket.join(id).await;
        sockets.push(socket);
    }
    sockets
}

/// Checks whether the other of two was there, each time that the first was told.
pub(crate) async fn check_presence(first: &mut Socket, others: &[bool]) {
    for is_there in others {
        assert_eq!(first.expect("presence").await["present"], json!([true, is_there]));
    }
}

/// From here on are the numbers of actions that [`step`] makes.
const NONCES: u64 = 1 << 40;

/// Acts once for a seat that may, by choosing from its legal actions, by the ply; tells the ply after it, or
/// nothing if nobody may act.
pub(crate) async fn step(
    id: MatchId,
    sockets: &mut [Socket],
    choose: &impl Fn(u64, usize) -> usize,
) -> Option<u64> {
    for socket in sockets {
        socket.send(&json!({"type": "legal", "match": id})).await;
        let legal = socket.expect("legal").await;
        let actions = legal["actions"].as_array().unwrap();
        if actions.is_empty() {
            continue;
        }
        let ply = legal["ply"].as_u64().unwrap();
        let action = actions[choose(ply, actions.len())].as_str().unwrap().to_owned();
        let ack = socket.act(id, ply, &action, NONCES + ply).await;
        assert_eq!(ack["type"], "ack", "{ack} {action}");
        assert_eq!(ack["ply"], ply + 1);
        return Some(ply + 1);
    }
    None
}

/// Plays a match to its end; gives how it ended, as every socket heard it.
pub(crate) async fn play_on(
    id: MatchId,
    sockets: &mut [Socket],
    choose: impl Fn(u64, usize) -> usize,
) -> Value {
    let mut ply = None;
    while let Some(after) = step(id, sockets, &choose).await {
        ply = Some(after);
    }
    let mut over = Value::Null;
    for socket in sockets {
        let last = socket.find(|it| it["type"] == "event" && it["ply"].as_u64() == ply).await;
        assert_eq!(last["match"], json!(id));
        over = socket.expect("over").await;
    }
    over
}

/// Some legal action.
pub(crate) fn any(ply: u64, count: usize) -> usize {
    usize::try_from((ply + 1) * 7).unwrap() % count
}

/// The match as its log tells it.
async fn replay(server: &TestServer, row: &MatchRow) -> Box<dyn AnyMatch> {
    let seats = u8::try_from(row.seats.len()).unwrap();
    let mut contest = games(&row.game).unwrap().start(&row.options, seats, row.seed).unwrap();
    for entry in server.store.entries(row.id, 0).await.unwrap() {
        let EntryKind::Act(text) = &entry.kind else { panic!("entry {}", entry.ply) };
        contest.act(entry.seat.unwrap(), text, &mut Telling::default()).unwrap();
    }
    contest
}

/// The last view that a socket was told.
fn last_view(socket: &Socket) -> Value {
    let latest = socket.heard.iter().rev();
    let mut messages = latest.map(|text| serde_json::from_str::<Value>(text).unwrap());
    messages.find(|message| message["view"].is_object()).unwrap()["view"].clone()
}

pub(crate) async fn check_whole_match(terms: Value, names: &[&str]) {
    let server = TestServer::start().await;
    let (id, users) = begin(&server, terms.clone(), names).await;
    let watcher = server.guest("the-device-of-a-guest").await;
    let mut spectator = sit_down(&server, id, [&watcher]).await.remove(0);
    let mut sockets = sit_down(&server, id, &users).await;
    let refused = sockets[0].act(id, 0, "nonsense", 1).await;
    assert_eq!((&refused["type"], &refused["ply"]), (&json!("refused"), &json!(0)), "{refused}");

    let over = play_on(id, &mut sockets, any).await;
    assert_eq!(spectator.expect("over").await, over);

    let row = server.store.find_match(id).await.unwrap().unwrap();
    let contest = replay(&server, &row).await;
    let result = server.store.find_result(id).await.unwrap().unwrap();
    assert_eq!(contest.state_hash(), result.state_hash, "the log tells the same match");
    assert_eq!(over["outcome"]["reason"], result.reason);
    assert_eq!(over["outcome"]["places"], json!(result.places));
    assert_eq!(result.places.len(), names.len());
    sockets.push(spectator);
    for (viewer, socket) in Viewer::all(contest.seats()).zip(&sockets) {
        let view: Value = serde_json::from_slice(&contest.view(viewer).unwrap()).unwrap();
        assert_eq!(last_view(socket), view, "{viewer}");
    }
    for (user, place) in users.iter().zip(&result.places) {
        let profile: Value = user.bearer.get("/api/v1/profile").await.json(200);
        assert_eq!(profile["statistics"][0]["played"], 1, "{profile}");
        let is_shared = result.places.iter().filter(|it| **it == 1).nth(1).is_some();
        let is_best = *place == 1 && !is_shared;
        assert_eq!(profile["statistics"][0]["won"], u64::from(is_best), "{profile}");
        // Only what has a name is rated.
        let speed = if terms["options"].is_null() { json!("untimed") } else { Value::Null };
        assert_eq!(profile["ratings"][0]["speed"], speed, "{profile}");
    }
    let path = format!("/api/v1/users/{}/matches", names[0]);
    let history: Value = server.anonymous().get(&path).await.json(200);
    assert_eq!(history["matches"][0]["id"], json!(id));
    assert_eq!(history["matches"][0]["reason"], result.reason);

    // What need not wait is written down at the latest when the server stops.
    let server = server.restart().await;
    let records = server.records_of(id).await;
    let kinds: Vec<&str> = records.iter().map(|(name, _)| name.as_str()).collect();
    let mut expected = vec!["actions_refused", "match_ended", "match_started", "spectator_joined"];
    expected.extend(names.iter().map(|_| "seat_joined"));
    expected.sort_unstable();
    assert_eq!(kinds, expected);
    let codes: Value = serde_json::from_str(&records[0].1).unwrap();
    assert_eq!(codes["counts"].as_object().unwrap().len(), 1, "{codes}");
}

#[tokio::test]
async fn santorini_is_played_to_its_end() {
    check_whole_match(json!({"game": "santorini"}), &["ada", "bob"]).await;
}

#[tokio::test]
async fn crazy_tens_is_played_to_its_end() {
    check_whole_match(json!({"game": "crazy-tens", "preset": "short"}), &["ada", "bob"]).await;
}

#[tokio::test]
async fn chess_is_played_to_its_end() {
    check_whole_match(json!({"game": "chess"}), &["ada", "bob"]).await;
}

#[tokio::test]
async fn scrabble_is_played_to_its_end() {
    check_whole_match(json!({"game": "scrabble"}), &["ada", "bob"]).await;
}

#[tokio::test]
async fn the_template_is_played_to_its_end_by_two_to_four() {
    let names = ["ada", "bob", "eve", "zoe"];
    for seats in 2..=4 {
        let terms = json!({"game": "template", "preset": "short", "seats": seats});
        check_whole_match(terms, &names[..seats]).await;
    }
}

#[test]
fn no_game_of_the_catalogue_is_left_out() {
    let ids: Vec<&str> = catalog::games().map(|game| game.meta().id).collect();
    assert_eq!(ids, ["crazy-tens", "chess", "santorini", "scrabble"], "each has its test above");
}

#[tokio::test]
async fn one_person_plays_all_seats_on_one_screen() {
    let server = TestServer::start().await;
    let ada = server.register("ada").await;
    for (game, preset) in [
        ("santorini", "standard"),
        ("chess", "standard"),
        ("crazy-tens", "short"),
        ("scrabble", "contract-a"),
        ("template", "short"),
    ] {
        let body = json!({"terms": {"game": game, "preset": preset}, "opponents": "hot_seat"});
        let started: Value = ada.bearer.post("/api/v1/matches", &body).await.json(201);
        let id = id_of(&started["match"]);
        let mut sockets = sit_down(&server, id, [&ada]).await;
        let over = play_on(id, &mut sockets, any).await;
        let result = server.store.find_result(id).await.unwrap().unwrap();
        assert_eq!(over["outcome"]["reason"], result.reason);
    }
    let profile: Value = ada.bearer.get("/api/v1/profile").await.json(200);
    assert_eq!((&profile["statistics"], &profile["ratings"]), (&json!([]), &json!([])));
}

#[tokio::test]
async fn whose_account_is_deleted_has_resigned() {
    let server = TestServer::start().await;
    let (id, users) = begin(&server, json!({"game": "santorini"}), &["ada", "bob"]).await;
    let mut sockets = sit_down(&server, id, &users).await;
    users[1].bearer.delete("/api/v1/profile").await.empty();
    let over = sockets[0].expect("over").await;
    assert_eq!(over["outcome"], json!({"places": [1, 2], "reason": "resigned"}));
    assert_eq!(sockets[1].end().await, Came::Closed(4001, "session_ended".to_owned()));
    let result = server.store.find_result(id).await.unwrap().unwrap();
    assert_eq!(result.places, [1, 2]);
    let profile: Value = users[0].bearer.get("/api/v1/profile").await.json(200);
    assert_eq!(profile["statistics"][0]["won"], 1);
}

#[tokio::test]
async fn who_goes_leaves_the_others_to_play_on_and_a_lonely_match_is_aborted() {
    let server = TestServer::start().await;
    let terms = json!({"game": "template", "preset": "short", "seats": 3});
    let (id, users) = begin(&server, terms, &["ada", "bob", "eve"]).await;
    let body = json!({"terms": {"game": "chess"}, "opponents": "hot_seat"});
    let lonely: Value = users[0].bearer.post("/api/v1/matches", &body).await.json(201);
    let lonely = id_of(&lonely["match"]);
    let path = format!("/api/v1/matches/{lonely}/watch-link");
    let link: Value = users[0].bearer.post_empty(&path).await.json(201);
    let mut sockets = sit_down(&server, id, &users[1..]).await;
    users[0].bearer.delete("/api/v1/profile").await.empty();
    sockets[0].find(|it| it["type"] == "snapshot" && it["ply"] == 1).await;
    let over = play_on(id, &mut sockets, any).await;
    assert_eq!(over["outcome"]["places"][0], 3, "{over}");
    let mut watcher = Socket::open(server.address, &users[1].token).await;
    watcher.send(&json!({"type": "join", "match": lonely, "key": link["key"]})).await;
    // It happens in its own time.
    let over = watcher.find(|it| !it["outcome"].is_null()).await;
    assert_eq!(over["outcome"], json!({"places": [], "reason": "aborted"}));
}

/// Lets all but the first answer an offer of the first.
pub(crate) async fn agree(id: MatchId, sockets: &mut [Socket], kind: &str) {
    sockets[0].send(&json!({"type": "offer", "match": id, "kind": kind})).await;
    for socket in &mut sockets[1..] {
        socket.find(|it| it["kind"] == kind && it["state"] == "open").await;
        let answer = json!({"type": "answer", "match": id, "kind": kind, "accept": true});
        socket.send(&answer).await;
    }
}

#[tokio::test]
async fn players_talk_agree_and_play_again() {
    let server = TestServer::start().await;
    let terms =
        json!({"game": "chess", "clock": {"mode": "fischer", "initial_s": 60, "increment_s": 1}});
    let (id, users) = begin(&server, terms, &["ada", "bob"]).await;
    let mut sockets = sit_down(&server, id, &users).await;
    sockets[0].send(&json!({"type": "chat", "match": id, "text": "hello"})).await;
    assert_eq!(sockets[1].expect("chat").await["text"], "hello");
    let first = step(id, &mut sockets, &any).await;
    assert_eq!(first, Some(1));

    agree(id, &mut sockets, "takeback").await;
    let back = sockets[0].find(|it| it["type"] == "snapshot" && it["ply"] == 2).await;
    assert_eq!(back["status"], "running");
    agree(id, &mut sockets, "pause").await;
    sockets[0].find(|it| it["status"] == "paused").await;
    assert_eq!(sockets[0].act(id, 3, "e2e4", 9).await["code"], "paused");
    let end = json!({"type": "answer", "match": id, "kind": "pause", "accept": false});
    sockets[1].send(&end).await;
    sockets[0].find(|it| it["type"] == "snapshot" && it["ply"] == 4).await;

    agree(id, &mut sockets, "draw").await;
    let over = sockets[0].expect("over").await;
    assert_eq!(over["outcome"]["places"], json!([1, 1]));
    agree(id, &mut sockets, "rematch").await;
    let next = sockets[0].expect("rematch").await["next"].clone();
    assert_eq!(sockets[1].expect("rematch").await["next"], next);
    let snapshot = sockets[0].join(id_of(&next)).await;
    assert_eq!(snapshot["viewer"], 1, "the colours change: {snapshot}");
    let profile: Value = users[0].bearer.get("/api/v1/profile").await.json(200);
    assert_eq!(profile["statistics"][0]["drawn"], 1);
    assert_eq!(profile["ratings"], json!([]), "no rating after a takeback");
}

#[tokio::test]
async fn whoever_resigns_has_lost_and_an_aborted_match_has_no_places() {
    let server = TestServer::start().await;
    let (id, users) = begin(&server, json!({"game": "chess"}), &["ada", "bob"]).await;
    let mut sockets = sit_down(&server, id, &users).await;
    sockets[1].send(&json!({"type": "resign", "match": id})).await;
    let over = sockets[0].expect("over").await;
    assert_eq!(over["outcome"], json!({"places": [1, 2], "reason": "resigned"}));

    let id = begin_between(json!({"game": "chess"}), &users).await;
    let mut sockets = sit_down(&server, id, &users).await;
    agree(id, &mut sockets, "abort").await;
    let over = sockets[0].expect("over").await;
    assert_eq!(over["outcome"], json!({"places": [], "reason": "aborted"}));
    let profile: Value = users[0].bearer.get("/api/v1/profile").await.json(200);
    assert_eq!(profile["statistics"][0]["played"], 1, "the aborted one does not count");
}
