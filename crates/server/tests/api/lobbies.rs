//! M3: lobbies over HTTP, and who watches them over a socket.

use futures_util::future::join_all;
use protocol::Code;
use serde_json::{Value, json};

use crate::kit::{Answer, Client, PASSWORD, TestServer, User, patient, with_quotas};
use crate::races::race;
use crate::socket::Socket;

const LOBBIES: &str = "/api/v1/lobbies";

/// Opens a lobby, and gives its address.
async fn open(host: &User, terms: Value) -> String {
    let body = json!({"terms": terms, "public": true});
    let lobby: Value = host.bearer.post(LOBBIES, &body).await.json(201);
    format!("{LOBBIES}/{}", lobby["id"].as_str().unwrap())
}

fn id(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

async fn join(client: &Client, path: &str) -> Value {
    client.post_empty(&format!("{path}/join")).await.json(200)
}

async fn check_refused(client: &Client, path: &str, code: Code) {
    client.post_empty(path).await.problem(code);
}

#[tokio::test]
async fn a_lobby_goes_from_its_opening_to_its_match() {
    let server = TestServer::start().await;
    let [ada, bob] = [server.register("Ada").await, server.guest("the-device-of-bob").await];
    let body = json!({"terms": {"game": "santorini"}, "public": true});
    let lobby: Value = ada.browser.post(LOBBIES, &body).await.json(201);
    assert_eq!(lobby["host"], "Ada");
    assert_eq!(lobby["players"], json!(["Ada"]));
    assert_eq!((&lobby["seats"], &lobby["public"]), (&json!(2), &json!(true)));
    let path = format!("{LOBBIES}/{}", lobby["id"].as_str().unwrap());
    let list: Value = server.anonymous().get(LOBBIES).await.json(200);
    assert_eq!(list["lobbies"], json!([lobby]));
    let shown: Value = server.anonymous().get(&path).await.json(200);
    assert_eq!(shown, lobby);

    check_refused(&ada.browser, &format!("{path}/start"), Code::LobbyNotReady).await;
    let joined = join(&bob.browser, &path).await;
    assert_eq!(joined["players"].as_array().unwrap().len(), 2);
    assert_eq!(join(&bob.browser, &path).await, joined, "again changes nothing");
    assert_eq!(join(&ada.browser, &path).await, joined, "and so the host");

    check_refused(&bob.browser, &format!("{path}/start"), Code::NotLobbyHost).await;
    let started: Value = ada.browser.post_empty(&format!("{path}/start")).await.json(201);
    server.anonymous().get(&path).await.problem(Code::LobbyNotFound);
    check_refused(&ada.browser, &format!("{path}/start"), Code::LobbyNotFound).await;
    check_refused(&bob.browser, &format!("{path}/join"), Code::LobbyNotFound).await;
    let id = started["match"].as_str().unwrap().parse().unwrap();
    let row = server.store.find_match(id).await.unwrap().unwrap();
    let holders = [ada.id, bob.id].map(domain::SeatHolder::Player);
    assert_eq!(row.seats, holders, "the host has the first seat");
}

#[tokio::test]
async fn a_lobby_that_is_not_public_is_found_by_its_link_alone() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let body = json!({"terms": {"game": "chess"}});
    let lobby: Value = ada.browser.post(LOBBIES, &body).await.json(201);
    let list: Value = server.anonymous().get(LOBBIES).await.json(200);
    assert_eq!(list["lobbies"], json!([]));
    let path = format!("{LOBBIES}/{}", lobby["id"].as_str().unwrap());
    let shown: Value = server.anonymous().get(&path).await.json(200);
    assert_eq!((&shown, &shown["public"]), (&lobby, &json!(false)));
}

#[tokio::test]
async fn who_leaves_frees_a_seat_and_the_host_closes_the_lobby() {
    let server = TestServer::start().await;
    let [ada, bob, eve] =
        [server.register("Ada").await, server.register("Bob").await, server.register("Eve").await];
    let path = open(&ada, json!({"game": "santorini"})).await;
    let leave = format!("{path}/leave");
    check_refused(&bob.bearer, &leave, Code::NotInLobby).await;
    join(&bob.bearer, &path).await;
    check_refused(&eve.bearer, &format!("{path}/join"), Code::LobbyFull).await;
    bob.bearer.post_empty(&leave).await.empty();
    assert_eq!(join(&eve.bearer, &path).await["players"], json!(["Ada", "Eve"]));
    ada.bearer.post_empty(&leave).await.empty();
    check_refused(&ada.bearer, &leave, Code::LobbyNotFound).await;
    check_refused(&eve.bearer, &leave, Code::LobbyNotFound).await;
    let list: Value = server.anonymous().get(LOBBIES).await.json(200);
    assert_eq!(list["lobbies"], json!([]));
}

#[tokio::test]
async fn the_host_sends_out_whoever_may_not_come_back() {
    let server = TestServer::start().await;
    let [ada, bob] = [server.register("Ada").await, server.register("Bob").await];
    let path = open(&ada, json!({"game": "template", "seats": 3})).await;
    join(&bob.bearer, &path).await;
    let kick = format!("{path}/kick");
    let check = async |by: &User, whom: &str, code: Code| {
        by.bearer.post(&kick, &json!({"name": whom})).await.problem(code);
    };
    check(&bob, "Ada", Code::NotLobbyHost).await;
    check(&bob, "Nobody", Code::NotLobbyHost).await;
    check(&ada, "Nobody", Code::NotInLobby).await;
    check(&ada, "Ada", Code::CannotKickHost).await;
    let lobby: Value = ada.bearer.post(&kick, &json!({"name": "Bob"})).await.json(200);
    assert_eq!(lobby["players"], json!(["Ada"]));
    check(&ada, "Bob", Code::NotInLobby).await;
    check_refused(&bob.bearer, &format!("{path}/join"), Code::Kicked).await;
    check_refused(&bob.bearer, &format!("{path}/leave"), Code::NotInLobby).await;
}

#[tokio::test]
async fn what_is_no_lobby_is_not_found() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let other = open(&ada, json!({"game": "chess"})).await;
    let mut unknown = id(&other).to_owned();
    let last = unknown.pop().unwrap();
    unknown.push(if last == '0' { '1' } else { '0' });
    for id in [unknown.as_str(), "x", "%00", "-1", "99999999999999999999", "%F0%9F%A6%89"] {
        let path = format!("{LOBBIES}/{id}");
        server.anonymous().get(&path).await.problem(Code::LobbyNotFound);
        for deed in ["join", "leave", "start"] {
            check_refused(&ada.bearer, &format!("{path}/{deed}"), Code::LobbyNotFound).await;
        }
        let kick = ada.bearer.post(&format!("{path}/kick"), &json!({"name": "Bob"})).await;
        kick.problem(Code::LobbyNotFound);
    }
}

#[tokio::test]
async fn nobody_has_more_than_three_lobbies() {
    let server = TestServer::with(with_quotas()).await;
    let ada = server.register("Ada").await;
    let mut paths = Vec::new();
    for _ in 0..3 {
        paths.push(open(&ada, json!({"game": "chess"})).await);
    }
    let body = json!({"terms": {"game": "chess"}});
    ada.bearer.post(LOBBIES, &body).await.problem(Code::TooManyLobbies);
    ada.bearer.post_empty(&format!("{}/leave", paths[0])).await.empty();
    let _: Value = ada.bearer.post(LOBBIES, &body).await.json(201);
}

#[tokio::test]
async fn with_quotas_off_nobody_is_told_to_come_back_later() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    for _ in 0..5 {
        open(&ada, json!({"game": "chess"})).await;
    }
    let bots = json!([{"level": 1}, {"level": 1}]);
    let show = json!({"terms": {"game": "santorini"}, "opponents": {"bots": bots}});
    for _ in 0..4 {
        let _: Value = ada.bearer.post("/api/v1/matches", &show).await.json(201);
    }
}

#[tokio::test]
async fn terms_that_make_no_match_are_refused_wherever_they_are_asked_for() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    for (terms, code) in [
        (json!({"game": "no-such-game"}), Code::InvalidSetup),
        (json!({"game": "\u{0}"}), Code::InvalidSetup),
        (json!({"game": "chess", "preset": "no-such-preset"}), Code::InvalidSetup),
        (json!({"game": "chess", "seats": 3}), Code::InvalidPlayers),
        (json!({"game": "chess", "seats": 0}), Code::InvalidPlayers),
        (json!({"game": "chess", "clock": {"mode": "days", "days": 15}}), Code::InvalidSetup),
        (json!({"game": "chess", "clock": {"mode": "per_move", "seconds": 1}}), Code::InvalidSetup),
    ] {
        ada.bearer.post(LOBBIES, &json!({"terms": terms})).await.problem(code);
        let hot_seat = json!({"terms": terms, "opponents": "hot_seat"});
        ada.bearer.post("/api/v1/matches", &hot_seat).await.problem(code);
        ada.bearer.post("/api/v1/pairing", &terms).await.problem(code);
    }
    for terms in [
        json!({"game": "template", "options": {"hand": 9}}),
        json!({"game": "template", "options": {"no_such_option": 1}}),
        json!({"game": "template", "preset": "short", "options": {}}),
        json!({"game": "template", "spectator_delay_s": 901}),
    ] {
        ada.bearer.post(LOBBIES, &json!({"terms": terms})).await.problem(Code::InvalidSetup);
    }
    let odd = json!({"terms": {"game": "chess"}, "opponents": "nobody"});
    ada.bearer.post("/api/v1/matches", &odd).await.problem(Code::BadRequest);
}

#[tokio::test]
async fn lobbies_survive_a_restart() {
    let server = TestServer::start().await;
    let [ada, bob] = [server.register("Ada").await, server.register("Bob").await];
    let path = open(&ada, json!({"game": "santorini"})).await;
    let joined = join(&bob.bearer, &path).await;
    let server = server.restart().await;
    let shown: Value = server.anonymous().get(&path).await.json(200);
    assert_eq!(shown, joined);
    let host = server.bearer(&ada.token);
    let _: Value = host.post_empty(&format!("{path}/start")).await.json(201);
}

#[tokio::test]
async fn a_deleted_account_leaves_all_lobbies_and_their_watchers_hear_of_it() {
    let server = TestServer::start().await;
    let [ada, bob] = [server.register("Ada").await, server.register("Bob").await];
    let own = open(&ada, json!({"game": "santorini"})).await;
    let other = open(&bob, json!({"game": "santorini"})).await;
    join(&ada.bearer, &other).await;
    let mut socket = Socket::open(server.address, &bob.token).await;
    for path in [&own, &other] {
        let topic = format!("lobby:{}", id(path));
        socket.send(&json!({"type": "watch", "topic": topic})).await;
        socket.expect("lobby").await;
    }
    ada.bearer.delete("/api/v1/profile").await.empty();
    assert_eq!(socket.expect("lobby").await["lobby"], Value::Null, "the own lobby is closed");
    assert_eq!(socket.expect("lobby").await["lobby"]["players"], json!(["Bob"]));
    server.anonymous().get(&own).await.problem(Code::LobbyNotFound);
    let shown: Value = server.anonymous().get(&other).await.json(200);
    assert_eq!((&shown["players"], &shown["order"]), (&json!(["Bob"]), &json!(["Bob", null])));
    check_refused(&bob.bearer, &format!("{other}/start"), Code::LobbyNotReady).await;

    let eve = server.register("Eve").await;
    join(&eve.bearer, &other).await;
    let start = bob.bearer.post_empty(&format!("{other}/start")).await;
    let _: Value = start.json(201);
}

#[tokio::test]
async fn a_lobby_with_an_account_that_an_older_server_deleted_frees_the_seat_at_the_start() {
    let server = TestServer::start().await;
    let [ada, bob] = [server.register("Ada").await, server.register("Bob").await];
    let path = open(&bob, json!({"game": "santorini"})).await;
    join(&ada.bearer, &path).await;
    let row = server.store.find_lobby(id(&path).parse().unwrap()).await.unwrap().unwrap();
    ada.bearer.delete("/api/v1/profile").await.empty();
    // As the lobby was before the deletion, which is what the older server leaves.
    let ghost = storage::Lobby { version: row.version + 2, ..row };
    server.store.commit(vec![storage::Change::PutLobby(ghost)]).await.unwrap();
    let eve = server.register("Eve").await;
    check_refused(&eve.bearer, &format!("{path}/join"), Code::LobbyFull).await;
    check_refused(&bob.bearer, &format!("{path}/start"), Code::LobbyNotReady).await;
    let shown = join(&eve.bearer, &path).await;
    assert_eq!(shown["players"], json!(["Bob", "Eve"]));
    let _: Value = bob.bearer.post_empty(&format!("{path}/start")).await.json(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_joins_while_the_account_is_deleted_is_in_no_lobby_afterwards() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let mut paths = Vec::new();
    for number in 0..8 {
        let host = server.guest(&format!("device-number-{number:04}")).await;
        for _ in 0..3 {
            paths.push(open(&host, json!({"game": "santorini"})).await);
        }
    }
    let joins = paths.iter().map(|path| {
        let (client, path) = (ada.bearer.clone(), format!("{path}/join"));
        tokio::spawn(async move { client.post_empty(&path).await.status })
    });
    let joins: Vec<_> = joins.collect();
    ada.bearer.delete("/api/v1/profile").await.empty();
    for join in joins {
        join.await.unwrap();
    }
    assert_eq!(server.store.lobbies_naming(ada.id).await, Ok(vec![]));
    for path in &paths {
        let shown: Value = server.anonymous().get(path).await.json(200);
        assert_eq!(shown["players"].as_array().unwrap().len(), 1, "{shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_want_the_last_seat_one_gets_it() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let path = open(&ada, json!({"game": "santorini"})).await;
    let mut guests = Vec::new();
    for number in 0..30 {
        guests.push(server.guest(&format!("device-number-{number:04}")).await);
    }
    let attempt = |number: usize| {
        let (client, path) = (guests[number].bearer.clone(), format!("{path}/join"));
        async move { client.post_empty(&path).await }
    };
    let winners = race(guests.len(), attempt, &[Code::LobbyFull]).await;
    assert_eq!(winners.len(), 1);
    let lobby: Value = winners[0].json(200);
    let shown: Value = server.anonymous().get(&path).await.json(200);
    assert_eq!(shown, lobby);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_starts_of_one_lobby_one_makes_a_match() {
    let server = TestServer::start().await;
    let [ada, bob] = [server.register("Ada").await, server.register("Bob").await];
    let path = open(&ada, json!({"game": "santorini"})).await;
    join(&bob.bearer, &path).await;
    let attempt = |_| {
        let (client, path) = (ada.bearer.clone(), format!("{path}/start"));
        async move { client.post_empty(&path).await }
    };
    let winners = race(20, attempt, &[Code::LobbyNotFound, Code::Busy]).await;
    assert_eq!(winners.len(), 1);
    assert_eq!(server.store.running_matches(ada.id).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seat_given_up_while_the_match_begins_is_not_played() {
    let server = TestServer::start().await;
    let [ada, bob] = [server.register("Ada").await, server.register("Bob").await];
    for _ in 0..10 {
        let path = open(&ada, json!({"game": "santorini"})).await;
        join(&bob.bearer, &path).await;
        let (start, leave) = (format!("{path}/start"), format!("{path}/leave"));
        let (started, left) =
            tokio::join!(ada.bearer.post_empty(&start), bob.bearer.post_empty(&leave));
        assert_ne!(started.status.is_success(), left.status.is_success(), "{}", started.text());
        if left.status.is_success() {
            ada.bearer.post_empty(&leave).await.empty();
        }
    }
}

#[tokio::test]
async fn who_watches_the_lobbies_sees_every_change() {
    let server = TestServer::start().await;
    let [ada, bob] = [server.register("Ada").await, server.register("Bob").await];
    let mut socket = Socket::open(server.address, &bob.token).await;
    socket.send(&json!({"type": "watch", "topic": "lobbies"})).await;
    assert_eq!(socket.expect("lobbies").await["lobbies"], json!([]));

    let path = open(&ada, json!({"game": "santorini"})).await;
    let list = socket.find(|it| it["lobbies"][0]["host"] == "Ada").await;
    assert_eq!(list["lobbies"][0]["id"], id(&path));
    let topic = format!("lobby:{}", id(&path));
    socket.send(&json!({"type": "watch", "topic": topic})).await;
    assert_eq!(socket.expect("lobby").await["lobby"]["players"], json!(["Ada"]));

    join(&bob.bearer, &path).await;
    assert_eq!(socket.expect("lobby").await["lobby"]["players"], json!(["Ada", "Bob"]));
    let start = ada.bearer.post_empty(&format!("{path}/start")).await;
    let started: Value = start.json(201);
    let news = socket.expect("lobby").await;
    assert_eq!((&news["match"], &news["lobby"]), (&started["match"], &Value::Null), "{news}");
    socket.find(|it| it["lobbies"] == json!([])).await;

    // Also a lobby that is gone, or never was, can be asked for.
    socket.send(&json!({"type": "watch", "topic": topic})).await;
    assert_eq!(socket.expect("lobby").await["lobby"], Value::Null);
}

#[tokio::test]
async fn who_stops_watching_hears_no_more() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let path = open(&ada, json!({"game": "santorini"})).await;
    let topic = format!("lobby:{}", id(&path));
    let mut socket = Socket::open(server.address, &ada.token).await;
    socket.send(&json!({"type": "watch", "topic": topic})).await;
    socket.expect("lobby").await;
    socket.send(&json!({"type": "unwatch", "topic": topic})).await;
    assert_eq!(socket.expect("unwatched").await["topic"], json!(topic));
    ada.bearer.post_empty(&format!("{path}/leave")).await.empty();
    socket.send(&json!({"type": "ping"})).await;
    assert_eq!(socket.next().await["type"], "pong");
}

#[tokio::test]
async fn a_guest_who_becomes_a_player_keeps_the_seat() {
    let server = TestServer::start().await;
    let [ada, guest] = [server.register("Ada").await, server.guest("the-device-of-bob").await];
    let path = open(&ada, json!({"game": "santorini"})).await;
    join(&guest.bearer, &path).await;
    let body = json!({"username": "Bob", "password": PASSWORD});
    let _: Value = guest.browser.post("/api/v1/guest/upgrade", &body).await.json(200);
    let _: Value = ada.bearer.post_empty(&format!("{path}/start")).await.json(201);
    assert_eq!(server.store.running_matches(guest.id).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_sixty_lobbies_asked_for_at_once_three_open() {
    let server = TestServer::with(with_quotas()).await;
    let ada = server.guest("the-device-of-ada").await;
    let body = json!({"terms": {"game": "chess"}});
    let answers = join_all((0..60).map(|_| ada.bearer.post(LOBBIES, &body))).await;
    let opened = answers.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(opened, 3);
    let refused = |answer: &&Answer| {
        answer.is_problem(Code::TooManyLobbies) || answer.is_problem(Code::RateLimited)
    };
    assert_eq!(answers.iter().filter(refused).count(), 57);
    assert_eq!(server.store.lobbies_of(ada.id).await.unwrap().len(), 3);
}

#[tokio::test]
async fn the_list_of_lobbies_has_pages() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let mut paths = Vec::new();
    for _ in 0..5 {
        paths.insert(0, open(&ada, json!({"game": "chess"})).await);
        server.time.advance(1);
    }
    let page = async |query: &str| -> (Vec<String>, Value) {
        let list: Value = server.anonymous().get(&format!("{LOBBIES}{query}")).await.json(200);
        let lobbies = list["lobbies"].as_array().unwrap().iter();
        let paths = lobbies.map(|it| format!("{LOBBIES}/{}", it["id"].as_str().unwrap()));
        (paths.collect(), list["next_offset"].clone())
    };
    assert_eq!(page("").await, (paths.clone(), Value::Null));
    assert_eq!(page("?limit=5").await, (paths.clone(), Value::Null));
    assert_eq!(page("?limit=2").await, (paths[..2].to_vec(), json!(2)));
    assert_eq!(page("?limit=2&offset=2").await, (paths[2..4].to_vec(), json!(4)));
    assert_eq!(page("?limit=2&offset=4").await, (paths[4..].to_vec(), Value::Null));
    assert_eq!(page("?offset=4294967295").await, (Vec::new(), Value::Null));
    for query in ["?limit=0", "?limit=101", "?offset=-1", "?page=2"] {
        server.anonymous().get(&format!("{LOBBIES}{query}")).await.problem(Code::BadRequest);
    }
}

#[tokio::test]
async fn a_lobby_that_nobody_touches_closes_in_the_end() {
    const DAY_MS: u64 = 24 * 60 * 60 * 1000;
    let (server, app) = TestServer::with_app(patient()).await;
    let [ada, bob] = [server.register("Ada").await, server.register("Bob").await];
    let body = json!({"terms": {"game": "chess"}, "public": false});
    let private: Value = ada.bearer.post(LOBBIES, &body).await.json(201);
    let private = format!("{LOBBIES}/{}", private["id"].as_str().unwrap());
    let touched = open(&ada, json!({"game": "chess"})).await;
    let public = open(&ada, json!({"game": "chess"})).await;
    let mut socket = Socket::open(server.address, &bob.token).await;
    let topic = format!("lobby:{}", id(&public));
    socket.send(&json!({"type": "watch", "topic": topic})).await;
    assert!(socket.expect("lobby").await["lobby"].is_object());
    let check = async |path: &str, is_open: bool| {
        app.sweep().await.unwrap();
        let answer = server.anonymous().get(path).await;
        assert_eq!(answer.status == 200, is_open, "{}", answer.text());
    };
    server.time.advance(DAY_MS);
    let _: Value = bob.bearer.post_empty(&format!("{touched}/join")).await.json(200);
    check(&public, true).await;
    server.time.advance(1);
    check(&public, false).await;
    assert!(socket.expect("lobby").await["lobby"].is_null(), "who watches it is told");
    check(&touched, true).await;
    check(&private, true).await;
    server.time.advance(DAY_MS);
    check(&touched, false).await;
    server.time.advance(5 * DAY_MS - 1);
    check(&private, true).await;
    server.time.advance(1);
    check(&private, false).await;
}
