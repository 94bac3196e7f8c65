//! What an action costs early and late in a match of 5,000, and how soon its room is made anew from
//! its log: `cargo xtask bench rooms`. Nothing is stored or sent.

#![expect(clippy::unwrap_used, reason = "a benchmark stops at the first fault")]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use domain::{MatchId, PlayerId, SeatHolder};
use game_api::{Entry, EntryKind, Seed, Telling};
use play::room::{Effect, Input, MemberId, Room, SeatOwner, Setup};
use protocol::ClockSetting;

const ENTRIES: usize = 5000;
const ACTIONS: usize = 100;

fn main() {
    divan::main();
}

/// An item is an action of 100: judged, applied, and written for both seats.
#[divan::bench(args = [0, 1000, 2000, 3000, 4000, ENTRIES - ACTIONS])]
fn act_after(bencher: Bencher<'_, '_>, entries: usize) {
    let log = log();
    let (past, next) = log.split_at(entries);
    let seated = || {
        let mut room = Room::restore(setup(), past).unwrap();
        for (member, player) in [(MemberId(0), player(0)), (MemberId(1), player(1))] {
            room.handle(0, Input::Join { member, player, since: None }, &mut Vec::new());
        }
        (room, next[..ACTIONS].iter().map(input).collect::<Vec<Input>>())
    };
    bencher.counter(ItemsCount::new(ACTIONS)).with_inputs(seated).bench_local_values(
        |(mut room, inputs)| {
            for input in inputs {
                let mut effects = Vec::new();
                room.handle(0, input, &mut effects);
                assert!(matches!(effects[0], Effect::Append(_)));
                black_box(effects);
            }
            room
        },
    );
}

#[divan::bench]
fn restore(bencher: Bencher<'_, '_>) {
    let log = log();
    bencher.with_inputs(setup).bench_values(|setup| Room::restore(setup, &log).unwrap());
}

fn player(seat: u8) -> PlayerId {
    PlayerId::from_number(i64::from(seat) + 1).unwrap()
}

fn setup() -> Setup {
    let owner = |seat| SeatOwner { holder: SeatHolder::Player(player(seat)), name: None };
    let game = catalog::find("crazy-tens").unwrap();
    Setup {
        id: MatchId::from_number(1).unwrap(),
        contest: game.start(r#"{"target":10000}"#, 2, Seed::from_number(1)).unwrap(),
        seats: (0..2).map(owner).collect(),
        clock: ClockSetting::Fischer { initial_s: 60, increment_s: 5 },
        spectator_delay_ms: 0,
        is_rated: false,
        is_public: true,
        epoch: 1,
        created_ms: 0,
    }
}

/// Who is to act does what is listed last.
fn log() -> Vec<Entry> {
    let mut contest = setup().contest;
    let mut telling = Telling::default();
    let next = |ply| {
        let seat = contest.to_act().iter().next().unwrap();
        let action = contest.legal(seat).unwrap().actions.pop().unwrap();
        contest.act(seat, &action, &mut telling).unwrap();
        let kind = EntryKind::Act(action);
        Entry { ply, seat: Some(seat), at_ms: 0, nonce: u64::from(ply) + 1, epoch: 1, kind }
    };
    (0..).map(next).take(ENTRIES).collect()
}

fn input(entry: &Entry) -> Input {
    let EntryKind::Act(action) = entry.kind.clone() else { unreachable!("all are actions") };
    let member = MemberId(entry.seat.unwrap().index() as u64);
    Input::Act { member, ply: entry.ply, action, nonce: entry.nonce }
}
