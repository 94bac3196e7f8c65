//! Bots in seats: against a person, against each other, in lobbies.

use std::num::{NonZeroU16, NonZeroU32};
use std::sync::{Condvar, Mutex};

use ::bots::{Advice, AnyBot, Budget, Level};
use domain::MatchId;
use game_api::{Refused, Seed, Seen};
use protocol::Code;
use serde_json::{Value, json};
use server::config::{Bots, Config};
use tempfile::TempDir;

use crate::kit::{Client, TestServer, patient, with_quotas};
use crate::play::{any, id_of, sit_down};
use crate::socket::Socket;

const MATCHES: &str = "/api/v1/matches";
const LOBBIES: &str = "/api/v1/lobbies";

/// The catalogue's bots, and for the template one that always panics, or waits at the gate.
pub(crate) fn find(game: &str, name: &str) -> Option<(&'static dyn AnyBot, Level)> {
    match (game, name) {
        ("template", "1" | "2") => Some((&Gated, name.parse().unwrap())),
        ("template", _) => Some((&Clumsy, Level::HIGHEST)),
        _ => catalog::bot(game, name),
    }
}

struct Clumsy;

impl AnyBot for Clumsy {
    fn choose(&self, _: &Seen<'_>, _: Level, _: &Budget<'_>, _: &Seed) -> Result<Advice, Refused> {
        panic!("as always");
    }

    fn remark(&self, _: Level) -> Option<String> {
        None
    }
}

/// A bot that thinks until the gate is open, and then decides nothing.
struct Gated;

/// The levels that were asked, in order, and whether the gate is open.
static GATE: Mutex<(Vec<u8>, bool)> = Mutex::new((Vec::new(), false));
static GATE_CHANGED: Condvar = Condvar::new();

impl AnyBot for Gated {
    fn choose(
        &self,
        _: &Seen<'_>,
        level: Level,
        _: &Budget<'_>,
        _: &Seed,
    ) -> Result<Advice, Refused> {
        let mut gate = GATE.lock().unwrap();
        gate.0.push(level.number());
        GATE_CHANGED.notify_all();
        drop(GATE_CHANGED.wait_while(gate, |(_, is_open)| !*is_open).unwrap());
        Err(Refused { code: "undecided", message: String::new() })
    }

    fn remark(&self, _: Level) -> Option<String> {
        None
    }
}

/// Waits on a thread of its own until so many questions have come to the gate.
async fn asked_at_gate(count: usize) -> Vec<u8> {
    let wait = move || {
        let gate = GATE.lock().unwrap();
        GATE_CHANGED.wait_while(gate, |(asked, _)| asked.len() < count).unwrap().0.clone()
    };
    tokio::task::spawn_blocking(wait).await.unwrap()
}

async fn begin(client: &Client, terms: Value, bots: Value) -> MatchId {
    let body = json!({"terms": terms, "opponents": {"bots": bots}});
    let started: Value = client.post(MATCHES, &body).await.json(201);
    id_of(&started["match"])
}

/// Acts whenever it may, until the match is over; gives how it ended.
async fn play_on(id: MatchId, socket: &mut Socket) -> Value {
    loop {
        socket.send(&json!({"type": "legal", "match": id})).await;
        let legal = socket.expect("legal").await;
        let actions = legal["actions"].as_array().unwrap();
        let ply = legal["ply"].as_u64().unwrap();
        if actions.is_empty() {
            let news = |it: &Value| matches!(it["type"].as_str(), Some("event" | "over"));
            let news = socket.find(news).await;
            if news["type"] == "over" {
                return news;
            }
        } else {
            let action = actions[any(ply, actions.len())].as_str().unwrap();
            // A window may have closed meanwhile.
            socket.act(id, ply, action, ply + 1).await;
        }
    }
}

/// With this socket's seat first: does an action, and waits until the bot has answered.
async fn exchange(id: MatchId, socket: &mut Socket, ply: u64, action: &str) {
    assert_eq!(socket.act(id, ply, action, ply + 100).await["type"], "ack");
    socket.find(|it| it["type"] == "event" && it["ply"] == ply + 2).await;
}

async fn offer(id: MatchId, socket: &mut Socket, kind: &str) {
    socket.send(&json!({"type": "offer", "match": id, "kind": kind})).await;
}

#[tokio::test]
async fn a_guest_plays_a_whole_match_against_a_bot_in_each_game() {
    let server = TestServer::start().await;
    let guest = server.guest("the-device-of-a-guest").await;
    for (game, preset, seat) in [
        ("santorini", "standard", 1),
        ("chess", "standard", 0),
        ("crazy-tens", "short", 1),
        ("scrabble", "classic", 1),
        // Its bot panics each time; then the room does what is allowed.
        ("template", "short", 1),
    ] {
        let terms = json!({"game": game, "preset": preset});
        let id = begin(&guest.bearer, terms, json!([{"seat": seat, "level": 6}])).await;
        let mut sockets = sit_down(&server, id, [&guest]).await;
        let over = play_on(id, &mut sockets[0]).await;
        let result = server.store.find_result(id).await.unwrap().unwrap();
        assert_eq!(over["outcome"]["reason"], result.reason, "{game}");
        assert_eq!(result.places.len(), 2, "{game}");
        let entries = server.store.entries(id, 0).await.unwrap();
        let by_bot = entries.iter().filter(|it| it.seat.is_some_and(|at| at.index() == seat));
        assert!(by_bot.count() > 0, "{game}");
        let shown: Value = guest.bearer.get(&format!("{MATCHES}/{id}")).await.json(200);
        assert_eq!(shown["seats"][seat]["name"], "Bot, level 6");
        assert_eq!(
            (&shown["seats"][seat]["bot"], &shown["is_rated"]),
            (&json!("6"), &json!(false))
        );
    }
}

#[tokio::test]
async fn a_match_with_bots_changes_neither_ratings_nor_statistics() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let id = begin(&ada.bearer, json!({"game": "chess"}), json!([{"level": 1}])).await;
    let mut sockets = sit_down(&server, id, [&ada]).await;
    sockets[0].send(&json!({"type": "resign", "match": id})).await;
    sockets[0].expect("over").await;
    let profile: Value = ada.bearer.get("/api/v1/profile").await.json(200);
    assert_eq!((&profile["statistics"], &profile["ratings"]), (&json!([]), &json!([])));
    let history: Value = ada.bearer.get("/api/v1/users/Ada/matches").await.json(200);
    let seats = history["matches"][0]["seats"].as_array().unwrap();
    assert!(seats.iter().any(|seat| seat["name"] == "Bot, level 1" && seat["bot"] == "1"));
}

#[tokio::test]
async fn a_bot_grants_what_it_is_asked_for() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let clock = json!({"mode": "fischer", "initial_s": 600, "increment_s": 1});
    let terms = json!({"game": "chess", "clock": clock});
    let id = begin(&ada.bearer, terms, json!([{"seat": 1, "level": 2}])).await;
    let mut socket = sit_down(&server, id, [&ada]).await.remove(0);
    exchange(id, &mut socket, 0, "e2e4").await;
    offer(id, &mut socket, "takeback").await;
    let back = socket.find(|it| it["type"] == "snapshot" && it["ply"] == 3).await;
    assert_eq!(back["clock"]["running"], json!([0]), "it is the person's turn again");
    offer(id, &mut socket, "pause").await;
    socket.find(|it| it["status"] == "paused").await;
    let end = json!({"type": "answer", "match": id, "kind": "pause", "accept": false});
    socket.send(&end).await;
    socket.find(|it| it["type"] == "snapshot" && it["ply"] == 5).await;
    exchange(id, &mut socket, 5, "d2d4").await;

    socket.forget();
    offer(id, &mut socket, "draw").await;
    let answer = socket.expect("offer").await;
    if answer["state"] == "accepted" {
        assert_eq!(socket.join(id).await["outcome"]["reason"], "agreed");
    } else {
        assert_eq!(answer["state"], "declined");
        socket.send(&json!({"type": "resign", "match": id})).await;
        socket.expect("over").await;
    }
    offer(id, &mut socket, "rematch").await;
    let next = id_of(&socket.expect("rematch").await["next"]);
    let snapshot = socket.join(next).await;
    assert_eq!((&snapshot["viewer"], &snapshot["seats"][0]["bot"]), (&json!(1), &json!("2")));
    socket.send(&json!({"type": "join", "match": next, "since": 0})).await;
    // The bot begins, without being asked by anybody.
    socket.find(|it| it["match"] == json!(next) && it["ply"] == 1).await;
    offer(next, &mut socket, "abort").await;
    let over = socket.find(|it| it["type"] == "over" && it["match"] == json!(next)).await;
    assert_eq!(over["outcome"]["reason"], "aborted");
}

#[tokio::test]
async fn a_bot_that_is_to_move_goes_on_after_a_restart() {
    let think_ms = NonZeroU32::new(600_000).unwrap();
    let slow = Bots { think_ms, pause_ms: 600_000, ..Bots::default() };
    let server = TestServer::with(Config { bots: slow, ..patient() }).await;
    let ada = server.register("Ada").await;
    let id = begin(&ada.bearer, json!({"game": "chess"}), json!([{"seat": 1, "level": 8}])).await;
    let mut socket = sit_down(&server, id, [&ada]).await.remove(0);
    assert_eq!(socket.act(id, 0, "e2e4", 1).await["type"], "ack");
    let server = server.restart().await;
    let mut socket = Socket::open(server.address, &ada.token).await;
    let snapshot = socket.join(id).await;
    if snapshot["ply"] == 1 {
        socket.find(|it| it["type"] == "event" && it["ply"] == 2).await;
    }
    exchange(id, &mut socket, 2, "h2h3").await;
}

#[tokio::test]
async fn a_bot_thinks_no_longer_of_what_nobody_wants_to_know() {
    let think_ms = NonZeroU32::new(600_000).unwrap();
    let slow = Bots { think_ms, threads: NonZeroU16::new(1), ..patient().bots };
    let server = TestServer::with(Config { bots: slow, ..patient() }).await;
    let ada = server.register("Ada").await;
    for reason in ["takeback", "abort"] {
        let bots = json!([{"seat": 1, "level": 8}]);
        let id = begin(&ada.bearer, json!({"game": "chess"}), bots).await;
        let mut socket = sit_down(&server, id, [&ada]).await.remove(0);
        assert_eq!(socket.act(id, 0, "e2e4", 1).await["type"], "ack");
        offer(id, &mut socket, reason).await;
        // The one thread would be busy for minutes.
        let bots = json!([{"seat": 1, "level": 1}]);
        let id = begin(&ada.bearer, json!({"game": "chess"}), bots).await;
        socket.join(id).await;
        exchange(id, &mut socket, 0, "e2e4").await;
    }
}

#[tokio::test]
async fn the_bot_of_who_has_many_matches_lets_the_bot_of_another_go_first() {
    let bots = Bots { threads: NonZeroU16::new(1), ..patient().bots };
    let server = TestServer::with(Config { bots, ..patient() }).await;
    let [ada, bob] = [server.register("Ada").await, server.register("Bob").await];
    let terms = json!({"game": "template", "preset": "short"});
    for (user, level, count) in [(&ada, 1, 10), (&bob, 2, 1)] {
        for _ in 0..count {
            let bots = json!([{"seat": 0, "level": level}]);
            let id = begin(&user.bearer, terms.clone(), bots).await;
            // The bot was asked before its room answers this.
            Socket::open(server.address, &user.token).await.join(id).await;
        }
    }
    asked_at_gate(1).await;
    GATE.lock().unwrap().1 = true;
    GATE_CHANGED.notify_all();
    assert_eq!(asked_at_gate(3).await[..3], [1, 2, 1]);
}

#[tokio::test]
async fn a_rematch_is_made_once_however_often_it_is_asked_for() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let id = begin(&ada.bearer, json!({"game": "chess"}), json!([{"level": 1}])).await;
    let mut socket = sit_down(&server, id, [&ada]).await.remove(0);
    socket.send(&json!({"type": "resign", "match": id})).await;
    socket.expect("over").await;
    for _ in 0..10 {
        offer(id, &mut socket, "rematch").await;
    }
    let next = id_of(&socket.expect("rematch").await["next"]);
    offer(id, &mut socket, "rematch").await;
    assert_eq!(id_of(&socket.expect("rematch").await["next"]), next);
    let running: Value = ada.bearer.get(MATCHES).await.json(200);
    assert_eq!(running["matches"].as_array().unwrap().len(), 1, "{running}");
}

/// A UCI engine that always names the same move.
fn engine(folder: &TempDir) -> String {
    let path = folder.path().join("engine.sh");
    let text = "while read line; do case $line in
        uci) echo 'id name Script 1'; echo uciok ;;
        isready) echo readyok ;;
        go*) echo 'bestmove a7a6' ;;
    esac; done";
    std::fs::write(&path, text).unwrap();
    format!("sh {}", path.display())
}

#[tokio::test]
async fn an_engine_plays_the_highest_level_of_chess_and_our_bot_where_it_fails() {
    let folder = TempDir::new().unwrap();
    let bots = Bots { uci: Some(engine(&folder)), ..patient().bots };
    let server = TestServer::with(Config { bots, ..patient() }).await;
    let ada = server.register("Ada").await;
    let games: Value = ada.bearer.get("/api/v1/games").await.json(200);
    let chess = games.as_array().unwrap().iter().find(|game| game["id"] == "chess").unwrap();
    assert_eq!(chess["bots"][7]["remark"], "Played by Script 1.");
    assert_eq!(chess["bots"][6]["remark"], Value::Null);
    let id = begin(&ada.bearer, json!({"game": "chess"}), json!([{"seat": 1, "level": 8}])).await;
    let mut socket = sit_down(&server, id, [&ada]).await.remove(0);
    assert_eq!(socket.act(id, 0, "e2e4", 1).await["type"], "ack");
    let told = socket.find(|it| it["type"] == "event" && it["ply"] == 2).await;
    assert_eq!(told["notation"], "a6");
    // Its next move is illegal, so another one is made.
    exchange(id, &mut socket, 2, "d2d4").await;
}

#[tokio::test]
async fn bots_play_each_other_and_who_wanted_it_watches() {
    let server = TestServer::start().await;
    let guest = server.guest("the-device-of-a-guest").await;
    let terms = json!({"game": "crazy-tens", "preset": "short"});
    let bots = json!([{"seat": 0, "level": 3}, {"level": 5}]);
    let id = begin(&guest.bearer, terms, bots).await;
    let mut socket = Socket::open(server.address, &guest.token).await;
    let snapshot = socket.join(id).await;
    assert_eq!(snapshot["viewer"], "spectator");
    let seats = snapshot["seats"].as_array().unwrap();
    let names: Vec<&str> = seats.iter().map(|seat| seat["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Bot, level 3", "Bot, level 5"]);
    assert!(seats.iter().all(|seat| seat["present"] == true), "{snapshot}");
    socket.expect("over").await;
    assert_eq!(server.store.find_result(id).await.unwrap().unwrap().places.len(), 2);
}

#[tokio::test]
async fn nobody_lets_more_than_two_matches_of_bots_run() {
    let slow = Bots { pause_ms: 600_000, ..Bots::default() };
    let server = TestServer::with(Config { bots: slow, ..with_quotas() }).await;
    let [ada, bob] = [server.register("Ada").await, server.register("Bob").await];
    let bots = json!([{"level": 1}, {"level": 1}]);
    let terms = json!({"game": "santorini"});
    for _ in 0..2 {
        begin(&ada.bearer, terms.clone(), bots.clone()).await;
    }
    let body = json!({"terms": terms, "opponents": {"bots": bots}});
    ada.bearer.post(MATCHES, &body).await.problem(Code::TooManyBots);
    begin(&bob.bearer, terms.clone(), bots).await;
    begin(&ada.bearer, terms, json!([{"level": 1}])).await;
}

#[tokio::test]
async fn bots_that_there_are_not_and_seats_that_are_taken_are_refused() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    for (game, bots, code) in [
        ("chess", json!([{"level": 0}]), Code::InvalidLevel),
        ("chess", json!([{"level": 9}]), Code::InvalidLevel),
        ("chess", json!([{"level": 256}]), Code::BadRequest),
        ("chess", json!([{"seat": 2, "level": 1}]), Code::NoSuchSeat),
        ("chess", json!([{"seat": 0, "level": 1}, {"seat": 0, "level": 1}]), Code::NoSuchSeat),
        ("chess", json!([{"level": 1}, {"level": 1}, {"level": 1}]), Code::NoSuchSeat),
        ("chess", json!([[1, 1]]), Code::BadRequest),
        ("chess", json!([{"level": 1, "name": "x"}]), Code::BadRequest),
        ("fuse", json!([{"level": 1}]), Code::NoBots),
    ] {
        let body = json!({"terms": {"game": game}, "opponents": {"bots": bots}});
        ada.bearer.post(MATCHES, &body).await.problem(code);
    }
    for (bots, code) in [
        (json!([{"level": 9}]), Code::InvalidLevel),
        (json!([{"level": 1}, {"level": 1}]), Code::LobbyFull),
        (json!([{"level": 1, "seat": 2}]), Code::NoSuchSeat),
        (json!([1]), Code::BadRequest),
        (json!([[1, 1]]), Code::BadRequest),
    ] {
        let body = json!({"terms": {"game": "chess"}, "bots": bots});
        ada.bearer.post(LOBBIES, &body).await.problem(code);
    }
}

#[tokio::test]
async fn a_host_lets_bots_sit_down_and_sends_them_out() {
    let server = TestServer::start().await;
    let [ada, bob] = [server.register("Ada").await, server.register("Bob").await];
    let terms = json!({"game": "scrabble", "seats": 3});
    let body = json!({"terms": terms, "public": true, "bots": [{"level": 3}]});
    let lobby: Value = ada.bearer.post(LOBBIES, &body).await.json(201);
    assert_eq!(lobby["players"], json!(["Ada", "Bot, level 3"]));
    assert_eq!(lobby["bots"], json!([3]));
    let path = format!("{LOBBIES}/{}", lobby["id"].as_str().unwrap());
    let add = format!("{path}/bots");
    bob.bearer.post(&add, &json!({"level": 4})).await.problem(Code::NotLobbyHost);
    ada.bearer.post(&add, &json!({"level": 9})).await.problem(Code::InvalidLevel);
    let lobby: Value = ada.bearer.post(&add, &json!({"level": 4})).await.json(200);
    assert_eq!(lobby["players"], json!(["Ada", "Bot, level 3", "Bot, level 4"]));
    bob.bearer.post_empty(&format!("{path}/join")).await.problem(Code::LobbyFull);
    ada.bearer.post(&add, &json!({"level": 4})).await.problem(Code::LobbyFull);
    let kick = format!("{path}/kick");
    let out = json!({"name": "Bot, level 3"});
    bob.bearer.post(&kick, &out).await.problem(Code::NotLobbyHost);
    let lobby: Value = ada.bearer.post(&kick, &out).await.json(200);
    assert_eq!((&lobby["players"], &lobby["bots"]), (&json!(["Ada", "Bot, level 4"]), &json!([4])));
    ada.bearer.post(&kick, &out).await.problem(Code::NotInLobby);
    let _: Value = bob.bearer.post_empty(&format!("{path}/join")).await.json(200);
    let started: Value = ada.bearer.post_empty(&format!("{path}/start")).await.json(201);
    let id = id_of(&started["match"]);
    let shown: Value = ada.bearer.get(&format!("{MATCHES}/{id}")).await.json(200);
    let names: Vec<&Value> =
        shown["seats"].as_array().unwrap().iter().map(|seat| &seat["name"]).collect();
    assert_eq!(names, ["Ada", "Bot, level 4", "Bob"], "the bot of level 3 had the last seat");
    assert_eq!(shown["is_rated"], false);
}

#[tokio::test]
async fn a_host_chooses_who_sits_where() {
    let server = TestServer::start().await;
    let [ada, bob] = [server.register("Ada").await, server.register("Bob").await];
    let terms = json!({"game": "scrabble", "seats": 4});
    let body = json!({"terms": terms, "seat": 2, "bots": [{"level": 3, "seat": 0}]});
    let lobby: Value = ada.bearer.post(LOBBIES, &body).await.json(201);
    assert_eq!(lobby["order"], json!(["Bot, level 3", null, "Ada", null]));
    let path = format!("{LOBBIES}/{}", lobby["id"].as_str().unwrap());
    let add = format!("{path}/bots");
    for seat in [0, 2, 4] {
        let bot = json!({"level": 4, "seat": seat});
        ada.bearer.post(&add, &bot).await.problem(Code::NoSuchSeat);
    }
    let _: Value = ada.bearer.post(&add, &json!({"level": 4, "seat": 1})).await.json(200);
    let lobby: Value = bob.bearer.post_empty(&format!("{path}/join")).await.json(200);
    let order = json!(["Bot, level 3", "Bot, level 4", "Ada", "Bob"]);
    assert_eq!(lobby["order"], order);
    let started: Value = ada.bearer.post_empty(&format!("{path}/start")).await.json(201);
    let id = id_of(&started["match"]);
    let shown: Value = ada.bearer.get(&format!("{MATCHES}/{id}")).await.json(200);
    let names: Vec<Value> =
        shown["seats"].as_array().unwrap().iter().map(|seat| seat["name"].clone()).collect();
    assert_eq!(json!(names), order);
}
