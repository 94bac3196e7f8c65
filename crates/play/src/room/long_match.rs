//! Tests of a match of thousands of entries: what its room keeps, and so what an action costs, does
//! not grow with the log.

use domain::{MatchId, PlayerId, SeatHolder};
use game_api::{Entry, EntryKind, Seat, Seed};
use protocol::ClockSetting;

use super::memory::{LINE_MAX, NONCES_MAX, RECENT_BYTES_MAX, SHEET_BYTES_MAX};
use super::{Effect, Input, MemberId, Room, SeatOwner, Setup};

const ENTRIES: usize = 5000;

fn player(seat: u8) -> PlayerId {
    PlayerId::from_number(i64::from(seat) + 1).unwrap()
}

fn setup(game: &str, options: &str) -> Setup {
    let holder = |seat| SeatHolder::Player(player(seat));
    let owner = |seat| SeatOwner { holder: holder(seat), name: None };
    Setup {
        id: MatchId::from_number(1).unwrap(),
        contest: catalog::find(game).unwrap().start(options, 2, Seed::from_number(1)).unwrap(),
        seats: (0..2).map(owner).collect(),
        clock: ClockSetting::Fischer { initial_s: 60, increment_s: 5 },
        spectator_delay_ms: 0,
        is_rated: false,
        is_public: true,
        epoch: 1,
        created_ms: 0,
    }
}

struct Played {
    room: Room,
    log: Vec<Entry>,
    /// How many bytes each action made the room send.
    told: Vec<usize>,
}

/// A match in which who is to act does what is listed last, a second after the action before.
fn play(setup: Setup) -> Played {
    let mut played = Played { room: Room::open(setup), log: Vec::new(), told: Vec::new() };
    for seat in 0..2 {
        join(&mut played.room, seat, None);
    }
    for nonce in 1..=ENTRIES as u64 {
        let Played { room, log, told } = &mut played;
        let seat = room.contest.to_act().iter().next().unwrap();
        let action = room.contest.legal(seat).unwrap().actions.pop().unwrap();
        let member = MemberId(seat.index() as u64);
        let mut effects = Vec::new();
        let input = Input::Act { member, ply: room.ply(), action, nonce };
        room.handle(nonce * 1000, input, &mut effects);
        told.push(effects.iter().filter_map(letter).map(<[u8]>::len).sum());
        log.extend(effects.into_iter().filter_map(|effect| match effect {
            Effect::Append(append) => Some(append.entry),
            _ => None,
        }));
        check_memory(room);
    }
    played
}

fn letter(effect: &Effect) -> Option<&[u8]> {
    match effect {
        Effect::Send { letter, .. } => Some(letter),
        _ => None,
    }
}

/// All in a room that grows with its actions.
fn check_memory(room: &Room) {
    assert!(room.line.steps.capacity() <= LINE_MAX);
    assert!(room.nonces.0.capacity() <= NONCES_MAX);
    assert!(room.recent.bytes.capacity() <= RECENT_BYTES_MAX);
    assert!(room.sheet.bytes.capacity() <= SHEET_BYTES_MAX);
}

/// What somebody is told who comes to a seat and knows `since` entries.
fn join(room: &mut Room, seat: u8, since: Option<u32>) -> Vec<u8> {
    let mut effects = Vec::new();
    let input = Input::Join { member: MemberId(seat.into()), player: player(seat), since };
    room.handle(0, input, &mut effects);
    effects.iter().find_map(letter).unwrap().to_vec()
}

#[test]
fn the_last_of_5000_actions_costs_no_more_than_the_first() {
    let setup = || setup("crazy-tens", r#"{"target":10000}"#);
    let Played { mut room, log, told } = play(setup());
    assert_eq!(log.len(), ENTRIES);
    let sum = |told: &[usize]| told.iter().sum::<usize>();
    let (first, last) = (sum(&told[..1000]), sum(&told[ENTRIES - 1000..]));
    assert!(last < first * 11 / 10, "{first} bytes for the first 1,000 actions, then {last}");

    let mut restored = Room::restore(setup(), &log).unwrap();
    check_memory(&restored);
    assert_eq!(room.notations(), None);
    assert_eq!(restored.contest.state_hash(), room.contest.state_hash());
    restored.adopt(&room, &mut Vec::new());
    for seat in 0..2 {
        let since = Some(room.ply() - 3);
        assert_eq!(join(&mut restored, seat, since), join(&mut room, seat, since));
    }
}

#[test]
fn every_other_entry_can_be_a_takeback() {
    let setup = || setup("chess", "{}");
    let entry = |ply: u32| {
        let kind = match ply % 2 {
            0 => EntryKind::Act("e2e4".to_owned()),
            _ => EntryKind::Takeback(ply - 1),
        };
        Entry { ply, seat: Some(Seat::FIRST), at_ms: 0, nonce: 0, epoch: 1, kind }
    };
    let log: Vec<Entry> = (0..).map(entry).take(ENTRIES).collect();
    let restored = Room::restore(setup(), &log).unwrap();
    assert_eq!(restored.ply() as usize, ENTRIES);
    assert_eq!(restored.contest.state_hash(), setup().contest.state_hash());
}
