//! Limits as a client meets them.

use std::num::NonZeroU32;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use domain::MatchId;
use futures_util::future::join_all;
use http::Method;
use protocol::Code;
use serde_json::{Value, json};
use server::config::{Config, Limits, Quota, Sockets};
use server::http::{App, Cost, Refusal};

use crate::kit::{Answer, Client, PASSWORD, TestServer, User, patient, with_quotas};
use crate::play::begin_between;
use crate::socket::Socket;

#[tokio::test]
async fn a_guesser_is_told_when_to_come_back() {
    let attempt = async |State(app): State<Arc<App>>,
                         client: server::http::Client|
           -> Result<&str, Refusal> {
        app.limits.check_address(client.address)?;
        Ok("wrong")
    };
    let routes = Router::new().route("/attempt", post(attempt));
    let server = TestServer::with_routes(Config::default(), routes).await;
    let client = server.anonymous();
    for _ in 0..200 {
        let answer = client.post("/attempt", &()).await;
        if answer.status != 200 {
            answer.problem(Code::RateLimited);
            let seconds: u32 = answer.header("retry-after").parse().unwrap();
            assert!((1..=5).contains(&seconds), "{seconds}");
            return;
        }
    }
    panic!("never refused");
}

#[tokio::test]
async fn every_route_that_lets_somebody_in_counts_attempts() {
    let few = |burst| {
        let [burst, period_s] = [burst, 3600].map(|it| NonZeroU32::new(it).unwrap());
        Quota { burst, period_s }
    };
    let many = patient().limits;
    // The guest who asks has used one attempt of the address, and none of an account.
    let by_address = Limits { address: few(2), ..many.clone() };
    let by_account = Limits { account: few(1), ..many };
    let account = json!({"username": "Ada", "password": "short"});
    let device = json!({"device_id": "another-device-of-it"});
    for (path, body, is_of_account) in [
        ("register", &account, false),
        ("login", &account, true),
        ("guest/upgrade", &account, false),
        ("guest", &device, false),
        ("token/refresh", &json!({}), false),
    ] {
        for (limits, is_limited) in [(&by_address, true), (&by_account, is_of_account)] {
            let server = TestServer::with(Config { limits: limits.clone(), ..patient() }).await;
            let guest = server.guest("the-device-of-a-guest").await;
            let path = format!("/api/v1/{path}");
            let first = guest.bearer.post(&path, body).await;
            assert!(!first.is_problem(Code::RateLimited), "{path}");
            let second = guest.bearer.post(&path, body).await;
            assert_eq!(second.is_problem(Code::RateLimited), is_limited, "{path}");
            assert_eq!(second.header("retry-after").is_empty(), !is_limited);
        }
    }
}

/// Without a body if it has no fields.
async fn send(client: &Client, method: &Method, path: &str, body: &Value) -> Answer {
    let is_empty = body == &json!({});
    let bytes = if is_empty { Vec::new() } else { serde_json::to_vec(body).unwrap() };
    let kind = (!is_empty).then_some("application/json");
    client.send(method.clone(), path, kind, bytes).await
}

/// Sends it until it is refused as too much; how often it was not.
async fn use_up(client: &Client, method: &Method, path: &str, body: &Value) -> u32 {
    let mut count = 0;
    loop {
        let answer = send(client, method, path, body).await;
        if answer.is_problem(Code::RateLimited) {
            let seconds: u32 = answer.header("retry-after").parse().unwrap();
            assert!((1..=30).contains(&seconds), "{path}: {seconds}");
            return count;
        }
        count += 1;
        assert!(count < 1000, "{path} is not counted");
    }
}

#[tokio::test]
async fn every_route_that_writes_or_costs_has_a_quota() {
    let server = TestServer::with(with_quotas()).await;
    let players = [server.register("Walter").await, server.register("Bertha").await];
    // A public match: to look for one that is not there is counted apart.
    let watched = begin_between(json!({"game": "chess"}), &players).await;
    let (log, export) = (format!("matches/{watched}/log"), format!("matches/{watched}/export"));
    let terms = json!({"terms": {"game": "chess"}});
    let hot_seat = json!({"terms": {"game": "chess"}, "opponents": "hot_seat"});
    let empty = json!({});
    let routes = [
        (Cost::Match, Method::POST, "matches", &hot_seat),
        (Cost::Match, Method::POST, "lobbies/06gt3xp9r0001/start", &empty),
        (Cost::Lobby, Method::POST, "lobbies", &terms),
        (Cost::Lobby, Method::POST, "lobbies/06gt3xp9r0001/join", &empty),
        (Cost::Lobby, Method::POST, "lobbies/06gt3xp9r0001/leave", &empty),
        (Cost::Lobby, Method::POST, "lobbies/06gt3xp9r0001/bots", &json!({"level": 1})),
        (Cost::Lobby, Method::POST, "lobbies/06gt3xp9r0001/kick", &json!({"name": "Bob"})),
        (Cost::Pairing, Method::POST, "pairing", &json!({"game": "chess"})),
        (Cost::Pairing, Method::DELETE, "pairing", &empty),
        (Cost::Profile, Method::PUT, "profile", &json!({"avatar": "fox"})),
        (Cost::Read, Method::GET, "profile", &empty),
        (Cost::Read, Method::GET, &log, &empty),
        (Cost::Read, Method::GET, &export, &empty),
    ];
    for (number, (cost, method, path, body)) in routes.iter().enumerate() {
        let user = server.register(&format!("user-{number}")).await;
        let path = format!("/api/v1/{path}");
        let count = use_up(&user.bearer, method, &path, body).await;
        assert!(count >= cost.quota().0, "{method} {path}: {count}");
        let other = server.register(&format!("other-{number}")).await;
        let answer = send(&other.bearer, method, &path, body).await;
        assert!(!answer.is_problem(Code::RateLimited), "another has a quota of their own");
    }
}

#[tokio::test]
async fn every_message_that_writes_has_a_quota() {
    let server = TestServer::with(with_quotas()).await;
    let hot_seat = json!({"terms": {"game": "chess"}, "opponents": "hot_seat"});
    for (number, (cost, message)) in [
        (Cost::Act, json!({"type": "act", "ply": 9, "action": "e2e4", "nonce": 1})),
        (Cost::Act, json!({"type": "claim"})),
        (Cost::Offer, json!({"type": "offer", "kind": "takeback"})),
        (Cost::Offer, json!({"type": "answer", "kind": "draw", "accept": true})),
        (Cost::Match, json!({"type": "offer", "kind": "rematch"})),
        (Cost::Chat, json!({"type": "chat", "text": ""})),
    ]
    .into_iter()
    .enumerate()
    {
        let user = server.guest(&format!("the-device-of-number-{number}")).await;
        let begun: Value = user.bearer.post("/api/v1/matches", &hot_seat).await.json(201);
        let id: MatchId = begun["match"].as_str().unwrap().parse().unwrap();
        let mut socket = Socket::open(server.address, &user.token).await;
        socket.join(id).await;
        let mut message = message;
        message["match"] = begun["match"].clone();
        let mut count = 0;
        loop {
            socket.send(&message).await;
            let refused = socket.expect("refused").await;
            if refused["code"] == "rate_limited" {
                assert_eq!(refused["nonce"], message["nonce"]);
                break;
            }
            count += 1;
            assert!(count < 3000, "{message} is not counted");
        }
        // One match was begun already.
        assert!(count + 1 >= cost.quota().0, "{message}: {count}");
        // Reading is not counted, and the match goes on.
        socket.send(&json!({"type": "legal", "match": begun["match"]})).await;
        socket.expect("legal").await;
    }
}

#[tokio::test]
async fn a_class_of_thirty_behind_one_address_registers_and_plays() {
    let server = TestServer::with(Config {
        limits: Limits::default(),
        sockets: Sockets::default(),
        ..patient()
    })
    .await;
    let names = (0..30).map(|number| format!("pupil-{number}"));
    let class = join_all(names.map(async |name| server.register(&name).await)).await;
    // Everybody plays a bot first, and then with a neighbour: half by a lobby, half by pairing.
    let bot = json!({"terms": {"game": "chess"}, "opponents": {"bots": [{"level": 1}]}});
    join_all(class.iter().map(async |pupil| {
        let begun: Value = pupil.bearer.post("/api/v1/matches", &bot).await.json(201);
        play(&server, pupil, &begun["match"]).await;
    }))
    .await;
    join_all(class.chunks(2).take(8).map(async |pair| {
        let lobby = json!({"terms": {"game": "chess"}, "public": true});
        let lobby: Value = pair[0].bearer.post("/api/v1/lobbies", &lobby).await.json(201);
        let path = format!("/api/v1/lobbies/{}", lobby["id"].as_str().unwrap());
        let _: Value = pair[1].bearer.post_empty(&format!("{path}/join")).await.json(200);
        let begun: Value = pair[0].bearer.post_empty(&format!("{path}/start")).await.json(201);
        play(&server, &pair[0], &begun["match"]).await;
    }))
    .await;
    for pupil in &class[16..] {
        let wish = json!({"game": "santorini"});
        let _: Value = pupil.bearer.post("/api/v1/pairing", &wish).await.json(200);
    }
    for pupil in &class {
        let running = server.store.running_matches(pupil.id).await.unwrap();
        assert_eq!(running.len(), 2);
    }
}

/// Joins, asks what can be done, does the first of it, and says something.
async fn play(server: &TestServer, user: &User, id: &Value) {
    let mut socket = Socket::open(server.address, &user.token).await;
    socket.join(id.as_str().unwrap().parse().unwrap()).await;
    socket.send(&json!({"type": "chat", "match": id, "text": "hello"})).await;
    socket.expect("chat").await;
    socket.send(&json!({"type": "legal", "match": id})).await;
    let legal = socket.expect("legal").await;
    if let Some(action) = legal["actions"].get(0) {
        let (ply, nonce) = (&legal["ply"], 1);
        let act = json!({"type": "act", "match": id, "ply": ply, "action": action, "nonce": nonce});
        socket.send(&act).await;
        socket.expect("ack").await;
    }
}

#[tokio::test]
async fn a_guesser_and_a_stranger_who_registers_the_name_lock_no_owner_out() {
    let config = Config {
        trusted_proxies: vec!["127.0.0.1".parse().unwrap()],
        limits: Limits { account: Config::default().limits.account, ..patient().limits },
        ..patient()
    };
    let server = TestServer::with(config).await;
    server.register("Ada").await;
    let from = |address: &str| server.anonymous().with("x-forwarded-for", address);
    let [stranger, owner] = [from("203.0.113.66"), from("198.51.100.1")];
    let right = json!({"username": "Ada", "password": PASSWORD});
    let wrong = json!({"username": "Ada", "password": "not this one"});
    for _ in 0..12 {
        stranger.post("/api/v1/register", &right).await.problem(Code::UsernameTaken);
    }
    for _ in 0..10 {
        stranger.post("/api/v1/login", &wrong).await.problem(Code::InvalidCredentials);
    }
    stranger.post("/api/v1/login", &right).await.problem(Code::RateLimited);
    assert_eq!(owner.post("/api/v1/login", &right).await.status, 200);
    // From many addresses: only where the owner was before is the name still open.
    for number in 0..120 {
        from(&format!("192.0.2.{number}")).post("/api/v1/login", &wrong).await;
    }
    let newcomer = from("198.51.100.2");
    newcomer.post("/api/v1/login", &right).await.problem(Code::RateLimited);
    assert_eq!(owner.post("/api/v1/login", &right).await.status, 200);
}
