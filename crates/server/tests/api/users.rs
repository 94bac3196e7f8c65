//! What all may see of somebody.

use domain::{MatchId, PlayerId};
use game_api::{Commitment, Seed, StateHash};
use protocol::{Code, MatchPage, PublicProfile};
use serde_json::{Value, json};
use storage::{Change, MatchResult, NewMatch, SeatHolder};

use crate::kit::{NOW_MS, TestServer};

/// Stores a finished match; the number tells matches apart and orders them.
async fn play(server: &TestServer, number: u64, seats: &[SeatHolder], places: &[u8]) -> MatchId {
    let (id, seed) = (MatchId::new(NOW_MS, number), Seed::from_number(number));
    let new = NewMatch {
        id,
        game: "chess".to_owned(),
        rules_version: 1,
        options: "{}".to_owned(),
        from_position: None,
        seed,
        commitment: Commitment::new("chess", 1, "{}", &seed),
        settings: "{}".to_owned(),
        seats: seats.to_vec(),
        is_public: true,
        founder: None,
        created_ms: NOW_MS + number,
        owner: None,
        lease_until_ms: NOW_MS,
    };
    let end = MatchResult {
        match_id: id,
        ended_ms: NOW_MS + 1000 + number,
        reason: if places.is_empty() { "aborted" } else { "checkmate" }.to_owned(),
        places: places.to_vec(),
        final_views: "[]".to_owned(),
        notations: "[]".to_owned(),
        state_hash: StateHash::of(&number),
    };
    let unit = vec![Change::CreateMatch(new), Change::EndMatch(end)];
    server.store.commit(unit).await.unwrap();
    id
}

async fn page(server: &TestServer, query: &str) -> MatchPage {
    server.anonymous().get(&format!("/api/v1/users/Ada/matches{query}")).await.json(200)
}

#[tokio::test]
async fn all_see_a_profile_without_what_is_its_owners() {
    let server = TestServer::start().await;
    let ada = server.admin("Ada").await;
    for client in [server.anonymous(), ada.browser] {
        for name in ["Ada", "ada", "%41da"] {
            let answer = client.get(&format!("/api/v1/users/{name}")).await;
            let profile: PublicProfile = answer.json(200);
            assert_eq!((profile.name.as_str(), profile.avatar.as_str()), ("Ada", "pawn"));
            let value: Value = answer.json(200);
            let fields: Vec<&String> = value.as_object().unwrap().keys().collect();
            assert_eq!(fields, ["avatar", "created_at_ms", "name", "ratings", "statistics"]);
        }
    }
}

#[tokio::test]
async fn nobody_has_neither_profile_nor_matches() {
    let server = TestServer::start().await;
    let client = server.anonymous();
    for name in ["Ada", "a", "Guest%201", &"x".repeat(3000)] {
        let path = format!("/api/v1/users/{name}");
        client.get(&path).await.problem(Code::RecordNotFound);
        client.get(&format!("{path}/matches")).await.problem(Code::RecordNotFound);
    }
    client.get("/api/v1/users/").await.problem(Code::NotFound);
}

#[tokio::test]
async fn a_guest_has_a_profile_too() {
    let server = TestServer::start().await;
    let guest = server.guest("the-device-of-a-guest").await;
    let name = server.store.find_player(guest.id).await.unwrap().unwrap().name;
    let path = format!("/api/v1/users/{}", name.replace(' ', "%20"));
    let profile: PublicProfile = server.anonymous().get(&path).await.json(200);
    assert_eq!(profile.name, name);
}

#[tokio::test]
async fn a_history_says_who_sat_where_and_how_it_ended() {
    let server = TestServer::start().await;
    let (ada, bob) = (server.register("Ada").await, server.register("Bob").await);
    let seat = |player: PlayerId| SeatHolder::Player(player);
    let bot = || SeatHolder::Bot("random".to_owned());
    play(&server, 1, &[seat(bob.id), seat(ada.id)], &[2, 1]).await;
    play(&server, 2, &[seat(ada.id), bot()], &[]).await;
    play(&server, 3, &[seat(ada.id), seat(ada.id)], &[1, 1]).await;
    play(&server, 4, &[seat(bob.id), bot()], &[1, 2]).await;
    bob.browser.delete("/api/v1/profile").await.empty();
    let path = "/api/v1/users/ada/matches";
    let value: Value = server.anonymous().get(path).await.json(200);
    let seats: Vec<&Value> =
        value["matches"].as_array().unwrap().iter().map(|it| &it["seats"]).collect();
    let ada = |place: u8| json!({"name": "Ada", "place": place});
    let expected = [
        json!([ada(1), ada(1)]),
        json!([{"name": "Ada"}, {"name": "Bot, random", "bot": "random"}]),
        json!([{"place": 2}, ada(1)]),
    ];
    assert_eq!(seats, expected.iter().collect::<Vec<_>>());
    let matches = page(&server, "").await.matches;
    let own: Vec<Option<u8>> = matches.iter().map(|it| it.your_seat).collect();
    assert_eq!(own, [Some(0), Some(0), Some(1)], "one's own seat, the first of several");
    let last = &matches[2];
    assert_eq!((last.id, last.game.as_str()), (MatchId::new(NOW_MS, 1), "chess"));
    assert_eq!((last.started_at_ms, last.ended_at_ms), (NOW_MS + 1, NOW_MS + 1001));
    assert_eq!(last.reason, "checkmate");
}

#[tokio::test]
async fn a_history_comes_by_page_the_latest_first() {
    let server = TestServer::start().await;
    let ada = server.register("Ada").await;
    let seats = [SeatHolder::Player(ada.id), SeatHolder::Bot("random".to_owned())];
    let mut ids = Vec::new();
    for number in 0..45 {
        ids.insert(0, play(&server, number, &seats, &[1, 2]).await);
    }
    let check = async |query: &str, expected: &[MatchId], next: Option<u32>| {
        let page = page(&server, query).await;
        let found: Vec<MatchId> = page.matches.iter().map(|it| it.id).collect();
        assert_eq!((found.as_slice(), page.next_offset), (expected, next), "{query}");
    };
    check("", &ids[..20], Some(20)).await;
    check("?offset=20", &ids[20..40], Some(40)).await;
    check("?offset=40", &ids[40..], None).await;
    check("?limit=45", &ids, None).await;
    check("?limit=44", &ids[..44], Some(44)).await;
    check("?limit=100&offset=1", &ids[1..], None).await;
    check("?limit=1&offset=44", &ids[44..], None).await;
    check("?offset=45", &[], None).await;
    check("?offset=4294967295", &[], None).await;
    for query in ["limit=0", "limit=101", "limit=-1", "limit=x", "limit=", "offset=-1", "page=2"] {
        let path = format!("/api/v1/users/Ada/matches?{query}");
        server.anonymous().get(&path).await.problem(Code::BadRequest);
    }
}
