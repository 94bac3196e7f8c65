//! How much one guest can make the database grow.
//!
//! Each thing is done a few times and weighed, and multiplied by what its quota lets through in a
//! minute: no test waits a minute, and none depends on how fast the machine is.

use domain::{Counter, MatchId, SeatHolder};
use game_api::{Commitment, Entry, EntryKind, Seat, Seed, StateHash};
use serde_json::{Value, json};
use server::config::Limits;
use server::http::Cost;
use storage::{Change, MatchResult, NewMatch};

use crate::kit::{NOW_MS, TestServer, User};
use crate::socket::Socket;

/// What a guest may add to the database in a minute, and in a day.
const MINUTE_MAX: u64 = 5_000_000;
const DAY_MAX: u64 = 1_000_000_000;
const MINUTES: [u32; 2] = [1, 24 * 60];
/// So often each thing is done to weigh it.
const TIMES: u32 = 40;

/// How often a player gets through in a minute and in a day, beginning with a full quota.
fn often(cost: Cost) -> [u64; 2] {
    let (burst, period_ms) = cost.quota();
    MINUTES.map(|minutes| u64::from(burst + minutes * 60_000 / period_ms))
}

/// The bytes that each of so many adds.
async fn weigh(times: u32, deed: impl AsyncFn(&TestServer, &User)) -> u64 {
    let mut weights = Vec::new();
    for is_done in [false, true] {
        let server = TestServer::start().await;
        let user = server.register("Ada").await;
        if is_done {
            deed(&server, &user).await;
        }
        weights.push(server.weigh().await);
    }
    (weights[1] - weights[0]).div_ceil(times.into())
}

/// A match on one screen that all but one give up.
async fn weigh_match(game: &str, seats: u64) -> u64 {
    let body = json!({"terms": {"game": game, "seats": seats}, "opponents": "hot_seat"});
    let deed = async |server: &TestServer, user: &User| {
        let mut socket = Socket::open(server.address, &user.token).await;
        for _ in 0..TIMES {
            let begun: Value = user.bearer.post("/api/v1/matches", &body).await.json(201);
            let id: MatchId = begun["match"].as_str().unwrap().parse().unwrap();
            socket.join(id).await;
            for _ in 1..seats {
                socket.send(&json!({"type": "resign", "match": id})).await;
            }
            socket.expect("over").await;
        }
    };
    weigh(TIMES, deed).await
}

/// An action with a long text: its entry, and its line among the notations of the match.
async fn weigh_act() -> u64 {
    const ACTS: u32 = 5000;
    let text = "place:15O:ABCDEFG:abcdefg";
    let deed = async |server: &TestServer, user: &User| {
        let (ids, seed) = (Counter::starting_at(1), Seed::from_number(7));
        let id = MatchId::new(NOW_MS, ids.next());
        let new = NewMatch {
            id,
            game: "chess".to_owned(),
            rules_version: 1,
            options: "{}".to_owned(),
            from_position: None,
            seed,
            commitment: Commitment::new("chess", 1, "{}", &seed),
            settings: "{}".to_owned(),
            seats: vec![SeatHolder::Player(user.id)],
            is_public: false,
            founder: None,
            created_ms: NOW_MS,
            owner: None,
            lease_until_ms: NOW_MS,
        };
        let append = |ply| {
            let (seat, kind) = (Some(Seat::FIRST), EntryKind::Act(text.to_owned()));
            let nonce = u64::MAX - u64::from(ply);
            let at_ms = NOW_MS + u64::from(ply);
            let entry = Entry { ply, seat, at_ms, nonce, epoch: 0, kind };
            Change::Append { match_id: id, entry }
        };
        let lines: Vec<Value> = (0..ACTS).map(|ply| json!({"ply": ply, "text": text})).collect();
        let result = MatchResult {
            match_id: id,
            ended_ms: NOW_MS,
            reason: "resigned".to_owned(),
            places: vec![1],
            final_views: "[]".to_owned(),
            notations: serde_json::to_string(&lines).unwrap(),
            state_hash: StateHash::of(&7),
        };
        let unit = [Change::CreateMatch(new)].into_iter().chain((0..ACTS).map(append));
        server.store.commit(unit.chain([Change::EndMatch(result)]).collect()).await.unwrap();
    };
    weigh(ACTS, deed).await
}

/// A request that is answered with this status, again and again.
async fn weigh_request(deed: impl AsyncFn(&User) -> u16, expected: u16) -> u64 {
    let all = async |_: &TestServer, user: &User| {
        for _ in 0..TIMES * 5 {
            assert_eq!(deed(user).await, expected);
        }
    };
    weigh(TIMES * 5, all).await
}

#[tokio::test]
async fn one_guest_adds_less_than_five_megabytes_in_a_minute() {
    // The other database has no file here to be weighed.
    if std::env::var("PARLOR_TEST_API").is_ok_and(|name| name == "postgres") {
        return;
    }
    let mut totals = [0, 0];
    let mut add = |what: &str, times: [u64; 2], bytes: u64| {
        println!("{what}: {bytes} bytes, {} times in a minute", times[0]);
        totals = [0, 1].map(|at| totals[at] + times[at] * bytes);
    };
    let (mut worst, mut seats_max) = (0, 2);
    for game in catalog::games() {
        let seats = u64::from(*game.meta().seats.end());
        worst = worst.max(weigh_match(game.meta().id, seats).await);
        seats_max = seats_max.max(seats);
    }
    add("match", often(Cost::Match), worst);
    // Bots in all other seats answer each action of a person.
    add("act", often(Cost::Act).map(|times| times * seats_max), weigh_act().await);
    add("offer", often(Cost::Offer).map(|times| times * seats_max), weigh_act().await);
    let profile = async |user: &User| {
        user.bearer.put("/api/v1/profile", &json!({"avatar": "fox"})).await.status.as_u16()
    };
    add("profile", often(Cost::Profile), weigh_request(profile, 200).await);
    let read = async |user: &User| user.bearer.get("/api/v1/profile").await.status.as_u16();
    add("read", often(Cost::Read), weigh_request(read, 200).await);
    let lobby = async |user: &User| {
        let terms = json!({"terms": {"game": "chess"}});
        let lobby: Value = user.bearer.post("/api/v1/lobbies", &terms).await.json(201);
        let path = format!("/api/v1/lobbies/{}/leave", lobby["id"].as_str().unwrap());
        user.bearer.post_empty(&path).await.status.as_u16()
    };
    add("lobby", often(Cost::Lobby), weigh_request(lobby, 204).await);
    let pairing = async |user: &User| {
        let wish = json!({"game": "chess"});
        user.bearer.post("/api/v1/pairing", &wish).await.status.as_u16()
    };
    add("pairing", often(Cost::Pairing), weigh_request(pairing, 200).await);
    let attempts = Limits::default().address;
    let attempts = MINUTES
        .map(|minutes| u64::from(attempts.burst.get() + minutes * 60 / attempts.period_s.get()));
    let guest = async |server: &TestServer, _: &User| {
        for number in 0..TIMES * 5 {
            server.guest(&format!("the-device-of-number-{number}")).await;
        }
    };
    add("guest", attempts, weigh(TIMES * 5, guest).await);
    println!("in all {totals:?} bytes in a minute and in a day");
    assert!(totals[0] < MINUTE_MAX && totals[1] < DAY_MAX, "{totals:?}");
}
