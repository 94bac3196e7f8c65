//! The list of matches that anybody may find and watch, and which are not in it.

use domain::MatchId;
use protocol::Code;
use serde_json::{Value, json};

use crate::kit::{TestServer, User};
use crate::play::{agree, begin_at, begin_between, id_of, sit_down};
use crate::socket::Socket;

const PUBLIC: &str = "/api/v1/matches/public";

async fn listed(server: &TestServer, query: &str) -> Value {
    let mut list: Value = server.anonymous().get(&format!("{PUBLIC}{query}")).await.json(200);
    list["matches"].take()
}

async fn ids(server: &TestServer, query: &str) -> Vec<MatchId> {
    let list = listed(server, query).await;
    list.as_array().unwrap().iter().map(|it| id_of(&it["id"])).collect()
}

async fn ada_and_bob(server: &TestServer) -> Vec<User> {
    vec![server.register("Ada").await, server.guest("the-device-of-bob").await]
}

#[tokio::test]
async fn a_match_from_a_public_table_is_listed_while_it_runs() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    assert_eq!(listed(&server, "").await, json!([]));
    let clock = json!({"mode": "fischer", "initial_s": 300, "increment_s": 2});
    let terms = json!({"game": "crazy-tens", "clock": clock, "spectator_delay_s": 60});
    let body = json!({"terms": terms, "public": true, "bots": [{"level": 2}]});
    let id = begin_at(&body, std::slice::from_ref(&ada)).await;
    let own: Value = ada.bearer.get("/api/v1/matches").await.json(200);
    let list = listed(&server, "").await;
    assert_eq!(list, own["matches"], "all see of it what its players see in their own list");
    assert_eq!(list[0]["id"], json!(id));
    assert_eq!((&list[0]["game"], &list[0]["clock"]), (&json!("crazy-tens"), &clock));
    let bot = json!({"name": "Bot, level 2", "bot": "2"});
    assert_eq!(list[0]["seats"], json!([{"name": "Ada"}, bot]));
    let fields: Vec<&str> = list[0].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(fields, ["clock", "game", "id", "seats", "started_at_ms"]);

    let mut socket = sit_down(&server, id, [&ada]).await.remove(0);
    socket.send(&json!({"type": "resign", "match": id})).await;
    socket.expect("over").await;
    assert_eq!(listed(&server, "").await, json!([]));
}

#[tokio::test]
async fn matches_by_link_alone_or_with_bots_are_not_listed() {
    let server = TestServer::start().await;
    let users = ada_and_bob(&server).await;
    let terms = json!({"game": "santorini"});
    begin_at(&json!({"terms": terms}), &users).await;
    for opponents in [json!("hot_seat"), json!({"bots": [{"seat": 1, "level": 1}]})] {
        let body = json!({"terms": terms, "opponents": opponents});
        let _: Value = users[0].bearer.post("/api/v1/matches", &body).await.json(201);
    }
    assert_eq!(server.store.running_matches(users[0].id).await.unwrap().len(), 3);
    assert_eq!(listed(&server, "").await, json!([]));
}

#[tokio::test]
async fn strangers_who_were_paired_are_listed() {
    let server = TestServer::start().await;
    let users = ada_and_bob(&server).await;
    let mut found = Value::Null;
    for user in &users {
        let wish = json!({"game": "chess"});
        found = user.bearer.post("/api/v1/pairing", &wish).await.json::<Value>(200)["match"].take();
    }
    assert_eq!(ids(&server, "").await, [id_of(&found)]);
}

#[tokio::test]
async fn a_rematch_is_as_public_as_the_match_that_it_follows() {
    let server = TestServer::start().await;
    let users = ada_and_bob(&server).await;
    let terms = json!({"game": "chess"});
    for is_public in [true, false] {
        let id = begin_at(&json!({"terms": terms, "public": is_public}), &users).await;
        let mut sockets = sit_down(&server, id, &users).await;
        agree(id, &mut sockets, "draw").await;
        sockets[0].expect("over").await;
        agree(id, &mut sockets, "rematch").await;
        let next = id_of(&sockets[0].expect("rematch").await["next"]);
        assert_eq!(ids(&server, "").await, if is_public { vec![next] } else { vec![] });
        let mut sockets = sit_down(&server, next, &users).await;
        agree(next, &mut sockets, "abort").await;
        sockets[0].expect("over").await;
    }
}

#[tokio::test]
async fn the_list_is_bounded_the_latest_first_and_of_one_game_if_wanted() {
    let server = TestServer::start().await;
    let users = ada_and_bob(&server).await;
    let mut begun = Vec::new();
    for number in 0..21 {
        let game = if number % 7 == 0 { "santorini" } else { "chess" };
        let id = begin_between(json!({"game": game}), &users).await;
        let created_ms = server.store.find_match(id).await.unwrap().unwrap().created_ms;
        begun.push((created_ms, id, game));
    }
    // Of one millisecond, the greater id comes first.
    begun.sort_by_key(|(created_ms, id, _)| std::cmp::Reverse((*created_ms, *id)));
    let santorini = begun.iter().filter(|it| it.2 == "santorini").map(|it| it.1);
    let santorini: Vec<MatchId> = santorini.collect();
    let begun: Vec<MatchId> = begun.into_iter().map(|it| it.1).collect();
    assert_eq!(ids(&server, "").await, begun[..20]);
    assert_eq!(ids(&server, "?limit=100").await, begun);
    assert_eq!(ids(&server, "?limit=2").await, begun[..2]);
    assert_eq!(santorini.len(), 3);
    assert_eq!(ids(&server, "?game=santorini").await, santorini);
    assert_eq!(ids(&server, "?game=santorini&limit=1").await, santorini[..1]);
    for nothing in ["?game=scrabble", "?game=checkers", "?game=", "?game=%00"] {
        assert_eq!(ids(&server, nothing).await, [], "{nothing}");
    }
    for bad in ["limit=0", "limit=101", "limit=x", "limit=-1", "limit=1&limit=2", "page=2"] {
        server.anonymous().get(&format!("{PUBLIC}?{bad}")).await.problem(Code::BadRequest);
    }
}

#[tokio::test]
async fn whoever_finds_a_match_can_watch_it() {
    let server = TestServer::start().await;
    let users = ada_and_bob(&server).await;
    begin_between(json!({"game": "crazy-tens"}), &users).await;
    let eve = server.guest("the-device-of-eve").await;
    let found = ids(&server, "").await.remove(0);
    let mut socket = Socket::open(server.address, &eve.token).await;
    assert_eq!(socket.join(found).await["viewer"], "spectator");
}
