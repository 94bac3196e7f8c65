//! To a stranger a private match is like one that does not exist: on every route and socket message, in
//! lists, histories and profiles, while it runs and when it is over.

use bytes::Bytes;
use domain::MatchId;
use http::Method;
use protocol::{Code, MatchPage, Profile, PublicProfile};
use serde_json::{Value, json};
use server::config::{Bots, Config};
use storage::Shown;

use crate::kit::{Client, TestServer, User, patient, with_quotas};
use crate::play::{agree, begin_at, id_of, sit_down};
use crate::socket::Socket;

const MATCHES: &str = "/api/v1/matches";
/// What a route below a match is asked, after the match's id.
const ROUTES: [(Method, &str); 7] = [
    (Method::GET, ""),
    (Method::GET, "/log"),
    (Method::GET, "/export"),
    (Method::GET, "/export?format=pgn"),
    (Method::GET, "/export?format=nonsense"),
    (Method::POST, "/watch-link"),
    (Method::DELETE, "/watch-link"),
];

/// Everything that a client can say of a match.
fn messages(id: MatchId) -> Vec<Value> {
    vec![
        json!({"type": "join", "match": id}),
        json!({"type": "join", "match": id, "since": 3}),
        json!({"type": "join", "match": id, "key": "AAAAAAAAAAAAAAAAAAAAAA"}),
        json!({"type": "act", "match": id, "ply": 0, "action": "e2e4", "nonce": 7}),
        json!({"type": "legal", "match": id}),
        json!({"type": "resign", "match": id}),
        json!({"type": "claim", "match": id}),
        json!({"type": "offer", "match": id, "kind": "draw"}),
        json!({"type": "offer", "match": id, "kind": "rematch"}),
        json!({"type": "answer", "match": id, "kind": "draw", "accept": true}),
        json!({"type": "chat", "match": id, "text": "hello"}),
        json!({"type": "leave", "match": id}),
    ]
}

async fn ask(client: &Client, method: &Method, id: MatchId, rest: &str) -> (u16, String, String) {
    let path = format!("{MATCHES}/{id}{rest}");
    let answer = client.exchange(method.clone(), &path, None, Bytes::new()).await;
    let is_same = |name: &str| !["x-request-id", "date"].contains(&name);
    let headers = answer.headers.iter().filter(|(name, _)| is_same(name.as_str()));
    let mut headers: Vec<String> = headers.map(|line| format!("{line:?}")).collect();
    headers.sort();
    let body = answer.text().replace(answer.request_id(), "ID");
    (answer.status.as_u16(), headers.join("\n"), body)
}

/// A match of these at a private table.
async fn private(users: &[User], game: &str) -> MatchId {
    begin_at(&json!({"terms": {"game": game}}), users).await
}

async fn post_match(user: &User, opponents: Value) -> MatchId {
    let body = json!({"terms": {"game": "santorini"}, "opponents": opponents});
    let started: Value = user.bearer.post(MATCHES, &body).await.json(201);
    id_of(&started["match"])
}

async fn resign(socket: &mut Socket, id: MatchId) {
    socket.send(&json!({"type": "resign", "match": id})).await;
    socket.find(|it| it["type"] == "over" && it["match"] == json!(id)).await;
}

/// A private match of every kind, by its people: at a table that runs, that is over, that is a rematch;
/// on one screen; with a bot; of bots alone.
async fn all_kinds(server: &TestServer) -> (Vec<User>, Vec<MatchId>) {
    let users = vec![server.register("Ada").await, server.guest("the-device-of-bob").await];
    let running = private(&users, "chess").await;
    let over = private(&users, "crazy-tens").await;
    let mut sockets = sit_down(server, over, &users).await;
    resign(&mut sockets[0], over).await;
    sockets[1].expect("over").await;
    agree(over, &mut sockets, "rematch").await;
    let next = id_of(&sockets[0].expect("rematch").await["next"]);
    let hot_seat = post_match(&users[0], json!("hot_seat")).await;
    let bot = post_match(&users[1], json!({"bots": [{"level": 1}]})).await;
    let show = post_match(&users[0], json!({"bots": [{"level": 1}, {"level": 1}]})).await;
    (users, vec![running, over, next, hot_seat, bot, show])
}

/// With bots that let the exhibition go on for as long as the test.
async fn start() -> TestServer {
    let bots = Bots { pause_ms: 600_000, ..patient().bots };
    TestServer::with(Config { bots, ..patient() }).await
}

#[tokio::test]
async fn a_private_match_answers_a_stranger_as_one_that_does_not_exist() {
    let server = start().await;
    let (_, ids) = all_kinds(&server).await;
    let [account, guest] = [server.register("Eve").await, server.guest("device-of-a-guest").await];
    let admin = server.admin("Root").await;
    let absent = MatchId::random(0x0123_4567_89ab_cdef);
    let nobody = server.anonymous();
    let wrong = nobody.clone().with("x-watch-key", "AAAAAAAAAAAAAAAAAAAAAA");
    let clients = [nobody, wrong, account.bearer.clone(), guest.browser.clone(), admin.bearer];
    for client in &clients {
        for (method, rest) in &ROUTES {
            let expected = ask(client, method, absent, rest).await;
            assert_eq!(expected.0, 404, "{expected:?}");
            assert!(expected.2.contains(r#""code":"match_not_found""#), "{expected:?}");
            for id in &ids {
                assert_eq!(ask(client, method, *id, rest).await, expected, "{method} {rest}");
            }
        }
    }
    for user in [&account, &guest] {
        let mut socket = Socket::open(server.address, &user.token).await;
        for (index, message) in messages(absent).into_iter().enumerate() {
            socket.send(&message).await;
            let expected = socket.next().await;
            assert_eq!(expected["code"], "match_not_found", "{message}");
            for id in &ids {
                socket.send(&messages(*id)[index]).await;
                let mut answer = socket.next().await;
                assert_eq!(answer["match"].take(), json!(id));
                answer["match"] = json!(absent);
                assert_eq!(answer, expected, "{message}");
            }
        }
    }
}

#[tokio::test]
async fn guessed_ids_are_not_found_and_no_log_is_read_for_them() {
    let (server, line) = TestServer::with_line().await;
    let (_, ids) = all_kinds(&server).await;
    let [account, guest] = [server.register("Eve").await, server.guest("device-of-a-guest").await];
    // Half of them random, half beside those that there are.
    let mut guesses: Vec<MatchId> =
        (0..1000).map(|_| MatchId::random(getrandom::u64().unwrap())).collect();
    for distance in 1..=84 {
        for id in &ids {
            let near = [id.number().saturating_sub(distance), id.number().saturating_add(distance)];
            guesses.extend(near.into_iter().filter_map(|it| MatchId::from_number(it).ok()));
        }
    }
    guesses.truncate(2000);
    guesses.retain(|guess| !ids.contains(guess));
    let reads = line.reads();
    let clients = [server.anonymous(), account.bearer.clone(), guest.bearer.clone()];
    for (number, guess) in guesses.iter().enumerate() {
        let (method, rest) = &ROUTES[number % ROUTES.len()];
        let client = &clients[number / ROUTES.len() % clients.len()];
        let (status, _, body) = ask(client, method, *guess, rest).await;
        assert!(status == 404 && body.contains("match_not_found"), "{method} {rest} {body}");
    }
    for user in [&account, &guest] {
        let mut socket = Socket::open(server.address, &user.token).await;
        for guess in guesses.iter().chain(&ids) {
            let messages = messages(*guess);
            for message in &messages {
                socket.send(message).await;
            }
            for message in &messages {
                assert_eq!(socket.next().await["code"], "match_not_found", "{message}");
            }
        }
    }
    assert_eq!(line.reads(), reads);
}

#[tokio::test]
async fn its_people_see_a_private_match_also_after_the_end() {
    let server = start().await;
    let (users, ids) = all_kinds(&server).await;
    // Who sits where, or began it.
    let people = [vec![0, 1], vec![0, 1], vec![0, 1], vec![0], vec![1], vec![0]];
    for (id, people) in ids.iter().zip(people) {
        for (number, user) in users.iter().enumerate() {
            let answer = user.bearer.get(&format!("{MATCHES}/{id}")).await;
            if people.contains(&number) {
                assert_eq!(answer.json::<Value>(200)["id"], json!(id));
                user.bearer.get(&format!("{MATCHES}/{id}/log")).await.json::<Value>(200);
                sit_down(&server, *id, [user]).await;
            } else {
                answer.problem(Code::MatchNotFound);
            }
        }
    }
    users[1].bearer.get(&format!("{MATCHES}/{}/export", ids[1])).await.json::<Value>(200);
    // The account of one is deleted; the match stays the other's.
    users[0].bearer.delete("/api/v1/profile").await.empty();
    for id in &ids[..3] {
        let path = format!("{MATCHES}/{id}");
        users[0].bearer.get(&path).await.problem(Code::MatchNotFound);
        users[1].bearer.get(&path).await.json::<Value>(200);
    }
}

#[tokio::test]
async fn others_see_public_matches_alone_in_a_history_and_in_the_counts() {
    let server = TestServer::start().await;
    let users = [server.register("Ada").await, server.register("Bob").await];
    let mut public = Vec::new();
    for number in 0..7 {
        let is_public = number % 3 == 1;
        let game = if number == 6 { "santorini" } else { "chess" };
        let table = json!({"terms": {"game": game}, "public": is_public});
        let id = begin_at(&table, &users).await;
        let mut sockets = sit_down(&server, id, &users).await;
        // Ada loses the first and wins the others.
        resign(&mut sockets[usize::from(number > 0)], id).await;
        if is_public {
            public.push(id);
        }
    }
    // In the order in which they ended, or by their ids if that was in one millisecond.
    let history = server.store.match_history(users[0].id, Shown::Public, 10, 0).await.unwrap();
    let history: Vec<MatchId> = history.iter().map(|it| it.id).collect();
    assert!(history.len() == 2 && public.iter().all(|id| history.contains(id)), "{history:?}");
    let public = history;
    post_match(&users[0], json!("hot_seat")).await;
    let ids = async |client: &Client, query: &str| {
        let path = format!("/api/v1/users/Ada/matches{query}");
        let page: MatchPage = client.get(&path).await.json(200);
        (page.matches.iter().map(|it| it.id).collect::<Vec<_>>(), page.next_offset)
    };
    for stranger in [&server.anonymous(), &users[1].bearer] {
        assert_eq!(ids(stranger, "").await, (public.clone(), None));
        assert_eq!(ids(stranger, "?limit=1").await, (public[..1].to_vec(), Some(1)));
        assert_eq!(ids(stranger, "?limit=1&offset=1").await, (public[1..].to_vec(), None));
        let profile: PublicProfile = stranger.get("/api/v1/users/Ada").await.json(200);
        let counts: Vec<_> =
            profile.statistics.iter().map(|it| (it.game.as_str(), it.played, it.won)).collect();
        assert_eq!(counts, [("chess", 2, 2)], "nothing of Santorini, not even its name");
    }
    assert_eq!(ids(&users[0].bearer, "").await.0.len(), 7);
    assert_eq!(ids(&users[0].browser, "?limit=3").await.1, Some(3));
    let own: Profile = users[0].bearer.get("/api/v1/profile").await.json(200);
    let counts: Vec<_> =
        own.statistics.iter().map(|it| (it.game.as_str(), it.played, it.won, it.lost)).collect();
    assert_eq!(counts, [("chess", 6, 5, 1), ("santorini", 1, 1, 0)]);
    let all = server.store.match_history(users[0].id, Shown::All, 10, 0).await.unwrap();
    assert_eq!(all.len(), 7);
}

#[tokio::test]
async fn the_match_of_a_private_lobby_is_told_to_its_players_alone() {
    let server = TestServer::start().await;
    let users = [server.register("Ada").await, server.register("Bob").await];
    let eve = server.guest("the-device-of-eve").await;
    for is_public in [false, true] {
        let table = json!({"terms": {"game": "chess"}, "public": is_public});
        let lobby: Value = users[0].bearer.post("/api/v1/lobbies", &table).await.json(201);
        let lobby = lobby["id"].as_str().unwrap();
        let mut sockets = Vec::new();
        for user in [&users[0], &users[1], &eve] {
            let mut socket = Socket::open(server.address, &user.token).await;
            socket.send(&json!({"type": "watch", "topic": format!("lobby:{lobby}")})).await;
            socket.expect("lobby").await;
            sockets.push(socket);
        }
        let path = format!("/api/v1/lobbies/{lobby}");
        users[1].bearer.post_empty(&format!("{path}/join")).await.json::<Value>(200);
        let started: Value = users[0].bearer.post_empty(&format!("{path}/start")).await.json(201);
        for (number, socket) in sockets.iter_mut().enumerate() {
            let closed =
                socket.find(|it| it["type"] == "lobby" && it["lobby"] == Value::Null).await;
            let is_told = is_public || number < 2;
            let expected = if is_told { started["match"].clone() } else { Value::Null };
            assert_eq!(closed["match"], expected, "{number}");
        }
    }
}

/// A new link of a match, by one of its people.
async fn link(user: &User, id: MatchId) -> String {
    let answer = user.bearer.post_empty(&format!("{MATCHES}/{id}/watch-link")).await;
    answer.json::<Value>(201)["key"].as_str().unwrap().to_owned()
}

async fn take_back(user: &User, id: MatchId) {
    user.bearer.delete(&format!("{MATCHES}/{id}/watch-link")).await.empty();
}

/// Joins by a link; gives the `snapshot` or `refused`.
async fn join_by(socket: &mut Socket, id: MatchId, key: &str) -> Value {
    socket.send(&json!({"type": "join", "match": id, "key": key})).await;
    socket.find(|it| it["type"] == "snapshot" || it["type"] == "refused").await
}

/// The match is gone for this socket, and stays so.
async fn check_gone(socket: &mut Socket, id: MatchId, key: &str) {
    let refused = socket.expect("refused").await;
    let gone = json!({
        "type": "refused", "match": id, "code": "match_not_found",
        "message": Code::MatchNotFound.title(),
    });
    assert_eq!(refused, gone);
    for message in messages(id) {
        socket.send(&message).await;
        assert_eq!(socket.expect("refused").await["code"], "match_not_found", "{message}");
    }
    assert_eq!(join_by(socket, id, key).await, gone);
}

#[tokio::test]
async fn a_watch_link_opens_a_private_match_until_it_is_replaced_or_taken_back() {
    let server = TestServer::start().await;
    let users = [server.register("Ada").await, server.guest("the-device-of-bob").await];
    let eve = server.guest("the-device-of-eve").await;
    let id = private(&users, "chess").await;
    let path = format!("{MATCHES}/{id}");
    let first = link(&users[0], id).await;
    assert_eq!(first.len(), 22, "128 bits");

    let mut watcher = Socket::open(server.address, &eve.token).await;
    let snapshot = join_by(&mut watcher, id, &first).await;
    assert_eq!((&snapshot["type"], &snapshot["viewer"]), (&json!("snapshot"), &json!("spectator")));
    watcher.send(&json!({"type": "legal", "match": id})).await;
    assert_eq!(watcher.expect("refused").await["code"], "not_seated", "the match is there");
    for rest in ["", "/log"] {
        for client in [&server.anonymous(), &eve.bearer] {
            let path = format!("{path}{rest}");
            client.get(&path).await.problem(Code::MatchNotFound);
            let keyed = client.clone().with("x-watch-key", &first);
            let shown = keyed.get(&path).await.json::<Value>(200);
            assert_eq!(shown["is_public"] == false, rest.is_empty(), "{shown}");
        }
    }
    let with_key = eve.bearer.clone().with("x-watch-key", &first);
    let link_path = format!("{path}/watch-link");
    with_key.post_empty(&link_path).await.problem(Code::Forbidden);
    with_key.delete(&link_path).await.problem(Code::Forbidden);
    eve.bearer.post_empty(&link_path).await.problem(Code::MatchNotFound);

    // A player who follows it by the link too is no stranger.
    let mut players = sit_down(&server, id, &users).await;
    assert_eq!(join_by(&mut players[0], id, &first).await["viewer"], 0);

    let second = link(&users[1], id).await;
    assert_ne!(second, first);
    check_gone(&mut watcher, id, &first).await;
    assert_eq!(join_by(&mut watcher, id, &second).await["type"], "snapshot");
    take_back(&users[0], id).await;
    check_gone(&mut watcher, id, &second).await;
    take_back(&users[0], id).await;

    let heard = watcher.heard.len();
    assert_eq!(players[0].act(id, 0, "e2e4", 1).await["type"], "ack");
    players[1].send(&json!({"type": "chat", "match": id, "text": "alone"})).await;
    players[0].expect("chat").await;
    watcher.send(&json!({"type": "ping"})).await;
    watcher.expect("pong").await;
    assert_eq!(watcher.heard.len(), heard + 1, "who was sent away hears no more");

    // It works once the match is over, too.
    resign(&mut players[0], id).await;
    let third = link(&users[0], id).await;
    assert_eq!(join_by(&mut watcher, id, &third).await["status"], "over");
    let client = server.anonymous().with("x-watch-key", &third);
    client.get(&format!("{path}/export")).await.json::<Value>(200);
    let records = server.restart().await.records_of(id).await;
    let made = records.iter().filter(|(name, _)| name == "watch_link_created").count();
    let ended = records.iter().filter(|(name, _)| name == "watch_link_taken_back").count();
    assert_eq!((made, ended), (3, 2));
    assert!(!crate::kit::log().contains(&third) && !format!("{records:?}").contains(&third));
}

#[tokio::test]
async fn who_began_a_match_of_bots_can_give_a_link_and_a_public_one_needs_none() {
    let server = start().await;
    let [ada, eve] = [server.register("Ada").await, server.guest("the-device-of-eve").await];
    let show = post_match(&ada, json!({"bots": [{"level": 1}, {"level": 1}]})).await;
    let key = link(&ada, show).await;
    let mut watcher = Socket::open(server.address, &eve.token).await;
    assert_eq!(join_by(&mut watcher, show, &key).await["viewer"], "spectator");
    let mut founder = sit_down(&server, show, [&ada]).await.remove(0);
    take_back(&ada, show).await;
    check_gone(&mut watcher, show, &key).await;
    founder.join(show).await;

    let users = [ada, server.register("Bob").await];
    let table = json!({"terms": {"game": "chess"}, "public": true});
    let open = begin_at(&table, &users).await;
    let key = link(&users[0], open).await;
    assert_eq!(join_by(&mut watcher, open, &key).await["type"], "snapshot");
    take_back(&users[0], open).await;
    watcher.join(open).await;
    let path = format!("{MATCHES}/{open}/watch-link");
    eve.bearer.post_empty(&path).await.problem(Code::Forbidden);
    server.anonymous().post_empty(&path).await.problem(Code::Unauthorized);
}

#[tokio::test]
async fn who_watches_by_a_link_learns_nothing_of_the_rematch() {
    let server = TestServer::start().await;
    let users = [server.register("Ada").await, server.register("Bob").await];
    let eve = server.guest("the-device-of-eve").await;
    let id = private(&users, "chess").await;
    let key = link(&users[0], id).await;
    let mut watcher = Socket::open(server.address, &eve.token).await;
    join_by(&mut watcher, id, &key).await;
    let mut players = sit_down(&server, id, &users).await;
    resign(&mut players[0], id).await;
    players[1].expect("over").await;
    agree(id, &mut players, "rematch").await;
    let next = id_of(&players[1].expect("rematch").await["next"]);
    players[0].expect("rematch").await;
    players[0].join(next).await;
    players[0].send(&json!({"type": "chat", "match": id, "text": "again"})).await;
    watcher.expect("chat").await;
    let is_told = watcher.heard.iter().any(|text| text.contains(&next.to_string()));
    assert!(!is_told, "{:?}", watcher.heard);
    watcher.forget();
    assert_eq!(join_by(&mut watcher, next, &key).await["code"], "match_not_found");
}

#[tokio::test]
async fn of_a_join_and_a_taking_back_at_once_the_taking_back_stays() {
    let server = TestServer::start().await;
    let users = [server.register("Ada").await, server.register("Bob").await];
    let eve = server.guest("the-device-of-eve").await;
    let id = private(&users, "chess").await;
    let mut watcher = Socket::open(server.address, &eve.token).await;
    for _ in 0..30 {
        let key = link(&users[0], id).await;
        let join = json!({"type": "join", "match": id, "key": key});
        tokio::join!(watcher.send(&join), take_back(&users[0], id));
        // Whichever came first: the join is refused, or ended.
        watcher.expect("refused").await;
        watcher.forget();
    }
}

#[tokio::test]
async fn a_link_that_another_server_takes_back_ends_here_too() {
    let server = TestServer::start().await;
    let users = [server.register("Ada").await, server.register("Bob").await];
    let eve = server.guest("the-device-of-eve").await;
    let other = server.beside("another").await;
    let id = private(&users, "chess").await;
    let key = link(&users[0], id).await;
    let mut watcher = Socket::open(server.address, &eve.token).await;
    assert_eq!(join_by(&mut watcher, id, &key).await["type"], "snapshot");
    let elsewhere = other.bearer(&users[0].token);
    elsewhere.delete(&format!("{MATCHES}/{id}/watch-link")).await.empty();
    check_gone(&mut watcher, id, &key).await;
}

/// Asks over a socket for a match that is not there, or not for the asker; gives the code.
async fn miss(socket: &mut Socket, id: MatchId) -> Value {
    socket.send(&json!({"type": "legal", "match": id})).await;
    socket.expect("refused").await["code"].take()
}

#[tokio::test]
async fn an_address_that_misses_too_often_is_told_to_wait_and_not_what_is_there() {
    let server = TestServer::with(with_quotas()).await;
    let users = [server.register("Ada").await, server.guest("the-device-of-bob").await];
    let eve = server.guest("the-device-of-eve").await;
    let id = private(&users, "chess").await;
    let table = json!({"terms": {"game": "chess"}, "public": true});
    let public = begin_at(&table, &users).await;
    let absent = MatchId::random(1 << 40);
    let mut socket = Socket::open(server.address, &eve.token).await;
    let mut misses = 0;
    while miss(&mut socket, if misses % 2 == 0 { id } else { absent }).await != "rate_limited" {
        misses += 1;
    }
    assert!(misses >= 60, "{misses}");
    // More at once than a second gives back: each of these meets the bound sooner or later.
    let path = |id: MatchId| format!("{MATCHES}/{id}");
    for client in [&server.anonymous(), &eve.bearer] {
        for id in [id, absent] {
            let limited = loop {
                let answer = client.get(&path(id)).await;
                if answer.is_problem(Code::RateLimited) {
                    break answer;
                }
                answer.problem(Code::MatchNotFound);
            };
            limited.problem(Code::RateLimited);
            assert_eq!(limited.header("retry-after"), "1");
        }
    }
    // Who sees a match sees it, also from this address.
    for user in &users {
        user.bearer.get(&path(id)).await.json::<Value>(200);
        sit_down(&server, id, [user]).await;
    }
    socket.join(public).await;
    let key = link(&users[0], id).await;
    assert_eq!(join_by(&mut socket, id, &key).await["type"], "snapshot");
}
