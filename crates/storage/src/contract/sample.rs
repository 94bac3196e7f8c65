//! Rows to test with, each made from a small number.

use audit::{AuditRecord, AuthEvent, Context};
use domain::{LobbyId, MatchId, PlayerId, Role, SessionId};
use game_api::{Commitment, Entry, EntryKind, Seat, Seed, StateHash};

use crate::{
    Change, DeviceKey, Lobby, MatchResult, NewMatch, NewPlayer, Pairing, Player, SeatHolder,
    Session, Store,
};

pub(super) const NOW_MS: u64 = 1_794_700_000_000;

pub(super) fn player(number: u64, name: &str) -> NewPlayer {
    let player = Player {
        id: PlayerId::new(NOW_MS, number),
        name: name.to_owned(),
        role: Role::Player,
        avatar: "owl".to_owned(),
        created_ms: NOW_MS + number,
    };
    NewPlayer { player, device: None }
}

pub(super) fn guest(number: u64) -> NewPlayer {
    let mut new = player(number, &format!("Guest {number}"));
    new.player.role = Role::Guest;
    new.device = Some(DeviceKey([u8::try_from(number).unwrap(); 32]));
    new
}

pub(super) async fn add(store: &dyn Store, new: NewPlayer) -> Player {
    store.create_player(new).await.unwrap()
}

pub(super) async fn ada_and_bob(store: &dyn Store) -> [Player; 2] {
    [add(store, player(1, "Ada")).await, add(store, player(2, "Bob")).await]
}

pub(super) fn session(number: u64, player: PlayerId) -> Session {
    Session {
        id: SessionId::new(NOW_MS, number),
        player,
        generation: 0,
        created_ms: NOW_MS,
        until_ms: NOW_MS + 1000,
        changed_ms: NOW_MS,
        is_revoked: false,
        browser: Some("Firefox on Linux".to_owned()),
    }
}

pub(super) fn new_match(number: u64, players: &[PlayerId]) -> NewMatch {
    let seed = Seed::from_number(number);
    NewMatch {
        id: MatchId::new(NOW_MS + number, 0),
        game: "chess".to_owned(),
        rules_version: 1,
        options: "{}".to_owned(),
        from_position: None,
        seed,
        commitment: Commitment::new("chess", 1, "{}", &seed),
        settings: r#"{"clock":"none"}"#.to_owned(),
        seats: players.iter().map(|player| SeatHolder::Player(*player)).collect(),
        is_public: false,
        founder: None,
        created_ms: NOW_MS + number,
        owner: Some("here".to_owned()),
        lease_until_ms: NOW_MS + 5000,
    }
}

pub(super) async fn start(store: &dyn Store, number: u64, players: &[PlayerId]) -> MatchId {
    let new = new_match(number, players);
    let id = new.id;
    store.commit(vec![Change::CreateMatch(new)]).await.unwrap();
    id
}

pub(super) fn entry(ply: u32, nonce: u64) -> Entry {
    let kind = EntryKind::Act(format!("move{ply}"));
    Entry { ply, seat: Some(Seat::FIRST), at_ms: NOW_MS + u64::from(ply), nonce, epoch: 0, kind }
}

pub(super) fn append(match_id: MatchId, ply: u32, nonce: u64) -> Change {
    Change::Append { match_id, entry: entry(ply, nonce) }
}

pub(super) fn result(match_id: MatchId, ended_ms: u64) -> MatchResult {
    MatchResult {
        match_id,
        ended_ms,
        reason: "checkmate".to_owned(),
        places: vec![1, 2],
        final_views: r#"["mate"]"#.to_owned(),
        notations: r#"["Qf7#"]"#.to_owned(),
        state_hash: StateHash::of(&7),
    }
}

pub(super) fn lobby(number: u64, host: PlayerId) -> Lobby {
    Lobby {
        id: LobbyId::random(number << 1),
        host,
        is_public: true,
        body: "{}".to_owned(),
        created_ms: NOW_MS + number,
        touched_ms: NOW_MS + number,
        version: 1,
    }
}

pub(super) fn wish(player: PlayerId, pool: &str, since_ms: u64) -> Pairing {
    Pairing {
        player,
        pool: pool.to_owned(),
        body: r#"{"rating":1500}"#.to_owned(),
        since_ms,
        asked_ms: since_ms,
    }
}

pub(super) fn record(number: u64, context: Context) -> AuditRecord {
    let reason = audit::LoginFailure::WrongPassword;
    let event = AuthEvent::LoginFailed { reason };
    AuditRecord::of(&event, context, NOW_MS + number, number).unwrap()
}
