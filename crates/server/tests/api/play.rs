//! Matches over real sockets, from the lobby to the end.

use domain::MatchId;
use serde_json::{Value, json};

use crate::kit::{TestServer, User};
use crate::socket::Socket;

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
    let create = json!({"terms": terms, "public": true});
    let lobby: Value = users[0].browser.post("/api/v1/lobbies", &create).await.json(201);
    let path = format!("/api/v1/lobbies/{}", lobby["id"].as_str().unwrap());
    for user in &users[1..] {
        let _: Value = user.browser.post_empty(&format!("{path}/join")).await.json(200);
    }
    let started: Value = users[0].browser.post_empty(&format!("{path}/start")).await.json(201);
    (started["match"].as_str().unwrap().parse().unwrap(), users)
}

/// Plays a match to its end with the first of each list of legal actions, or another by `choose`.
pub(crate) async fn play_out(
    server: &TestServer,
    id: MatchId,
    users: &[User],
    choose: impl Fn(u64, usize) -> usize,
) -> Value {
    let mut sockets = Vec::new();
    for user in users {
        let mut socket = Socket::open(server.address, &user.token).await;
        socket.join(id).await;
        sockets.push(socket);
    }
    let mut ply = 0;
    for nonce in 1.. {
        let mut is_over = true;
        for socket in &mut sockets {
            socket.send(&json!({"type": "legal", "match": id})).await;
            let legal = socket.expect("legal").await;
            let actions = legal["actions"].as_array().unwrap();
            if actions.is_empty() {
                continue;
            }
            is_over = false;
            ply = legal["ply"].as_u64().unwrap();
            let action = actions[choose(nonce, actions.len())].as_str().unwrap().to_owned();
            let ack = socket.act(id, ply, &action, nonce).await;
            assert_eq!(ack["type"], "ack", "{ack} {action}");
            assert_eq!(ack["ply"], ply + 1);
            break;
        }
        if is_over {
            break;
        }
    }
    let mut over = Value::Null;
    for socket in &mut sockets {
        let last = socket.find(|it| it["type"] == "event" && it["ply"] == ply + 1).await;
        assert_eq!(last["match"], json!(id));
        over = socket.expect("over").await;
    }
    over
}

#[tokio::test]
async fn two_people_play_santorini_to_its_end() {
    let server = TestServer::start().await;
    let (id, users) = begin(&server, json!({"game": "santorini"}), &["ada", "bob"]).await;
    let over = play_out(&server, id, &users, |nonce, count| (nonce as usize * 7) % count).await;
    assert_eq!(over["outcome"]["places"].as_array().unwrap().len(), 2);
    let profile: Value = users[0].browser.get("/api/v1/profile").await.json(200);
    assert_eq!(profile["statistics"][0]["played"], 1, "{profile}");
    assert_eq!(profile["ratings"][0]["speed"], "untimed", "{profile}");
}
