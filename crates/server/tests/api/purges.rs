//! What is removed after its time.

use domain::MatchId;
use protocol::Code;
use serde_json::{Value, json};

use crate::kit::{TestServer, User, patient};
use crate::socket::Socket;

const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Begins a match on one screen, and gives it up if wanted.
async fn alone(server: &TestServer, user: &User, is_ended: bool) -> MatchId {
    let body = json!({"terms": {"game": "chess"}, "opponents": "hot_seat"});
    let begun: Value = user.bearer.post("/api/v1/matches", &body).await.json(201);
    let id = begun["match"].as_str().unwrap().parse().unwrap();
    if is_ended {
        resign(server, user, id).await;
    }
    id
}

async fn resign(server: &TestServer, user: &User, id: MatchId) {
    let mut socket = Socket::open(server.address, &user.token).await;
    socket.join(id).await;
    socket.send(&json!({"type": "resign", "match": id})).await;
    socket.expect("over").await;
}

#[tokio::test]
async fn idle_guests_and_their_matches_are_removed_and_nothing_of_an_account() {
    let (server, app) = TestServer::with_app(patient()).await;
    let ada = server.register("Ada").await;
    let [idle, playing] = [
        server.guest("the-device-that-is-idle").await,
        server.guest("the-device-that-plays").await,
    ];
    let alone_over = alone(&server, &idle, true).await;
    let running = alone(&server, &playing, false).await;
    let of_account = alone(&server, &ada, true).await;
    let wish = json!({"game": "chess"});
    let _: Value = ada.bearer.post("/api/v1/pairing", &wish).await.json(200);
    let paired: Value = idle.bearer.post("/api/v1/pairing", &wish).await.json(200);
    let together: MatchId = paired["match"].as_str().unwrap().parse().unwrap();
    resign(&server, &idle, together).await;

    let is_there = async |id: MatchId| server.store.find_match(id).await.unwrap().is_some();
    server.time.advance(29 * DAY_MS);
    app.purge_all().await.unwrap();
    assert!(server.store.find_player(idle.id).await.unwrap().is_some());
    assert!(is_there(alone_over).await);

    server.time.advance(2 * DAY_MS);
    app.purge_all().await.unwrap();
    let who = [(&idle, false), (&playing, true), (&ada, true)];
    for (user, is_kept) in who {
        assert_eq!(server.store.find_player(user.id).await.unwrap().is_some(), is_kept);
    }
    for (id, is_kept) in
        [(alone_over, false), (running, true), (of_account, true), (together, true)]
    {
        assert_eq!(is_there(id).await, is_kept);
        assert_eq!(
            server.store.entries(id, 0).await.unwrap().is_empty(),
            !is_kept || id == running
        );
    }
    let path = format!("/api/v1/matches/{alone_over}");
    server.anonymous().get(&path).await.problem(Code::MatchNotFound);
    let history: Value = server.anonymous().get("/api/v1/users/ada/matches").await.json(200);
    assert!(history["matches"].to_string().contains(&together.to_string()), "{history}");
    // The device is a new guest now.
    let again = server.guest("the-device-that-is-idle").await;
    assert_ne!(again.id, idle.id);
}

#[tokio::test]
async fn a_guest_who_came_back_stays_for_thirty_days_more() {
    let (server, app) = TestServer::with_app(patient()).await;
    let device = "the-device-that-comes-back";
    let guest = server.guest(device).await;
    server.time.advance(25 * DAY_MS);
    assert_eq!(server.guest(device).await.id, guest.id);
    // The newest token has expired meanwhile, and its session is the only trace of the visit.
    for (days, is_kept) in [(10, true), (19, true), (2, false)] {
        server.time.advance(days * DAY_MS);
        app.purge_all().await.unwrap();
        let is_there = server.store.find_player(guest.id).await.unwrap().is_some();
        assert_eq!(is_there, is_kept, "after {days} more days");
    }
}
