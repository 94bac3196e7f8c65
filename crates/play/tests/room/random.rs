//! Random matches of every game with random inputs. `Table` checks every step of them; here it is
//! also checked that a room from the log is the same room, and that no clock goes up.

use domain::SeatHolder;
use fastrand::Rng;
use game_api::{Entry, EntryKind, MAX_SEATS, Seat, Viewer};
use play::room::{BotChoice, Effect, Input, MemberId, Room, To};
use protocol::ws::{OfferKind, ServerMessage, Snapshot};
use protocol::{ClockFace, ClockSetting, NotationLine};

use crate::script::{player, read_member, read_terms};
use crate::table::Table;

const STEPS: usize = 150;
const SEEDS: u64 = 6;

/// Names of those who come: a second connection of a seat and spectators among them.
const NAMES: [&str; 8] = ["a", "b", "c", "d", "a", "a2", "x", "y"];

const TABLES: [&str; 16] = [
    "template: a b c",
    "template: a b c d; fischer 60+5",
    "template: a b; move 60; late 30s",
    "template: a a a; delay 60+10",
    "template: a b c; days 1",
    "template: a b c; fischer 15+0; late 20s",
    "santorini: a b; fischer 60+5",
    "santorini: a b; late 10s",
    "santorini: a a; move 60",
    "chess: a b; delay 60+5",
    "chess: a b; fischer 120+2",
    "chess: a *",
    "chess: * *; fischer 60+5",
    "template: a * *; fischer 60+5",
    "crazy-tens: a b; fischer 60+5",
    "crazy-tens: a b; move 60; late 30s",
];

fn name_of_seat(table: &Table, seat: Seat) -> MemberId {
    // Seats are held by `a`, `b` and so on, in order, or all by `a`.
    let is_alone = table.terms.seats[1] == table.terms.seats[0];
    read_member(if is_alone { "a" } else { NAMES[seat.index()] })
}

fn random_input(table: &Table, rng: &mut Rng, acts: &mut Vec<Input>) -> Input {
    let member = read_member(rng.choice(NAMES).unwrap());
    let kinds = [
        OfferKind::Draw,
        OfferKind::Takeback,
        OfferKind::Takeback,
        OfferKind::Abort,
        OfferKind::Rematch,
        OfferKind::Pause,
    ];
    let kind = rng.choice(kinds).unwrap();
    match rng.u32(..100) {
        0..60 => random_act(table, rng, acts),
        60..63 => rng.choice(acts.iter().cloned()).unwrap_or(Input::Tick),
        63..68 => {
            let since = rng.bool().then(|| rng.u32(..=table.room.ply()));
            Input::Join { member, player: player(member), since }
        }
        68..70 => Input::Leave { member },
        70..76 => Input::Offer { member, kind },
        76..86 => Input::Answer { member, kind, accept: rng.u32(..4) > 0 },
        86..88 => Input::Chat { member, text: "hello".to_owned() },
        88 => Input::Legal { member },
        89 => Input::Claim { member },
        90 if rng.u32(..8) == 0 => Input::Resign { member },
        90 if rng.u32(..8) == 0 => Input::Depart { player: player(member) },
        _ => Input::Tick,
    }
}

fn random_act(table: &Table, rng: &mut Rng, acts: &mut Vec<Input>) -> Input {
    let contest = table.room.contest();
    let is_anybody = rng.u32(..10) == 0;
    let any = Seat::new(rng.u8(..contest.seats())).unwrap();
    let to_act = rng.choice(contest.to_act().iter().collect::<Vec<_>>());
    let seat = if is_anybody { any } else { to_act.unwrap_or(any) };
    let action = rng.choice(contest.legal(seat).unwrap().actions);
    if matches!(table.terms.seats[seat.index()], SeatHolder::Bot(_)) {
        let ply = table.room.ply().saturating_sub(u32::from(rng.u32(..5) == 0));
        let action = action.filter(|_| rng.u32(..20) > 0).unwrap_or_else(|| "nonsense".to_owned());
        let choice = BotChoice { action, value: rng.i32(-9..9) };
        return Input::BotChose { seat, ply, choice: Some(choice).filter(|_| rng.u32(..20) > 0) };
    }
    let ply = if rng.u32(..10) == 0 { rng.u32(..table.room.ply() + 2) } else { table.room.ply() };
    let input = Input::Act {
        member: name_of_seat(table, seat),
        ply,
        action: action.unwrap_or_else(|| "nonsense".to_owned()),
        nonce: rng.u64(..50),
    };
    acts.push(input.clone());
    input
}

fn random_pause_ms(rng: &mut Rng) -> u64 {
    match rng.u32(..40) {
        0 => rng.u64(..90_000),
        1..6 => rng.u64(..10_000),
        _ => rng.u64(..500),
    }
}

/// What a room answers to whoever asks; nothing may come of it that is stored.
fn answers(room: &mut Room, now_ms: u64, input: Input) -> Vec<String> {
    let mut effects = Vec::new();
    room.handle(now_ms, input, &mut effects);
    let letters = effects.into_iter().filter_map(|effect| match effect {
        Effect::Send { to: To::Member(_), letter } => Some(String::from_utf8(letter).unwrap()),
        Effect::Append(_) => panic!("nothing of this is stored"),
        _ => None,
    });
    letters.collect()
}

/// What a seat sees who comes (again), but for what is not in the log: who is there, what is
/// offered and what was said.
fn look(room: &mut Room, now_ms: u64, member: MemberId) -> (String, ClockFace) {
    let join = Input::Join { member, player: player(member), since: None };
    let letters = answers(room, now_ms, join);
    let found = letters.iter().find_map(|letter| match ServerMessage::parse(letter).unwrap() {
        ServerMessage::Snapshot(snapshot) => Some(snapshot),
        _ => None,
    });
    let Snapshot { ply, viewer, view, clock, status, outcome, commitment, .. } = found.unwrap();
    (format!("{ply} {viewer} {view} {clock:?} {status:?} {outcome:?} {commitment}"), clock)
}

/// A room from the log shows the same, wakes at the same time, and answers alike whoever repeats an
/// action or names an old ply.
fn check_restored(table: &mut Table, acts: &[Input]) {
    let now_ms = table.now_ms;
    // Another time may be up at this very moment: that is the next entry.
    if table.room.wake_at().is_some_and(|at_ms| at_ms <= now_ms) {
        return;
    }
    let mut restored = table.restored();
    assert_eq!(restored.ply(), table.room.ply());
    assert_eq!(restored.contest().state_hash(), table.room.contest().state_hash());
    // By the rules alone: a room that took something back was itself made from its log.
    let mut contest = table.terms.setup().contest;
    let mut lines = Vec::new();
    contest
        .retell(&table.log, &Viewer::Seat, &mut |entry, told| {
            if let (Some(seat), Some(told)) = (entry.seat, told) {
                let text = String::from_utf8(told.notation.to_vec()).unwrap();
                lines.push(NotationLine { ply: entry.ply, seat, text });
            }
        })
        .unwrap();
    assert_eq!(restored.contest().state_hash(), contest.state_hash());
    assert_eq!(restored.notations(), None);
    assert_eq!(table.room.notations(), Some(lines).filter(|_| !table.is_from_log));
    assert_eq!(restored.is_over(), table.room.is_over());
    for name in ["a", "b", "c", "d", "x"] {
        let member = read_member(name);
        let is_late = |seated: bool| !seated && table.terms.spectator_delay_ms > 0;
        if table.screens.get(&member).is_some_and(|screen| !is_late(screen.is_seated)) {
            let shown = look(&mut table.room, now_ms, member);
            assert_eq!(look(&mut restored, now_ms, member), shown, "{name}");
        }
    }
    if table.terms.spectator_delay_ms == 0 {
        answers(&mut restored, now_ms, Input::Leave { member: MemberId(0) });
        assert_eq!(restored.wake_at(), table.room.wake_at());
    }
    let repeated = acts.iter().rev().take(12).filter(|input| is_stored(table, input)).cloned();
    let odd = Seat::all(MAX_SEATS).flat_map(|seat| {
        let member = read_member(["a", "b", "c", "d", "e", "f", "g", "h"][seat.index()]);
        let plies = table.room.ply().saturating_sub(6)..=table.room.ply() + 1;
        let action = "no action of any game".to_owned();
        plies.map(move |ply| Input::Act { member, ply, action: action.clone(), nonce: u64::MAX })
    });
    let asked: Vec<Input> = repeated.chain(odd).collect();
    for input in asked {
        let told = answers(&mut table.room, now_ms, input.clone());
        let Input::Act { member, .. } = input else { continue };
        if table.screens.contains_key(&member) {
            assert_eq!(answers(&mut restored, now_ms, input.clone()), told, "{input:?}");
        }
    }
}

/// Whether an action with this number was stored lately enough to be remembered.
fn is_stored(table: &Table, input: &Input) -> bool {
    let Input::Act { member, nonce, .. } = input else { return false };
    let stored = table.log.iter().rev().filter(|entry| entry.nonce != 0).take(16);
    stored
        .filter_map(|entry| Some((entry.nonce, name_of_seat(table, entry.seat?))))
        .any(|act| act == (*nonce, *member))
}

/// A seat's time rises only by its increment, or to the full time of a turn.
fn check_clock(table: &Table, before: &ClockFace, now: &ClockFace, stored: usize) {
    let entries = &table.log[stored..];
    for (index, (left_ms, before_ms)) in
        now.remaining_ms.iter().zip(&before.remaining_ms).enumerate()
    {
        let is_own = |entry: &&Entry| {
            matches!(entry.kind, EntryKind::Act(_))
                && entry.seat.is_some_and(|seat| seat.index() == index)
        };
        let own_acts = entries.iter().filter(is_own).count() as u64;
        let most_ms = match table.terms.clock {
            _ if entries.is_empty() => *before_ms,
            ClockSetting::Fischer { increment_s, .. } => {
                before_ms + own_acts * u64::from(increment_s) * 1000
            }
            ClockSetting::PerMove { seconds } => u64::from(seconds) * 1000,
            ClockSetting::Days { days } => u64::from(days) * 86_400_000,
            _ => *before_ms,
        };
        assert!(*left_ms <= most_ms, "seat {index} had {before:?} and has {now:?}");
    }
}

fn play(line: &str, seed: u64) -> usize {
    let mut rng = Rng::with_seed(seed);
    let mut terms = read_terms(line);
    terms.seed = rng.u64(..);
    let mut table = Table::open(terms);
    let mut acts = Vec::new();
    for name in ["a", "b", "c", "d", "x"] {
        let member = read_member(name);
        table.handle(Input::Join { member, player: player(member), since: None });
    }
    // The last look at the clock, and how many entries there were.
    let mut last_look: Option<(ClockFace, usize)> = None;
    for _ in 0..STEPS {
        table.now_ms += random_pause_ms(&mut rng);
        let stored = table.log.len();
        if rng.u32(..60) == 0 {
            table.restart();
            let member = read_member("a");
            table.handle(Input::Join { member, player: player(member), since: None });
            // Nobody knows when the house went away, so what ran since the last entry is given back.
            last_look = None;
        } else {
            let input = random_input(&table, &mut rng, &mut acts);
            table.handle(input);
        }
        table.check_screens();
        if table.log.len() > stored {
            check_restored(&mut table, &acts);
        }
        if table.room.wake_at().is_none_or(|at_ms| at_ms > table.now_ms)
            && table.screens.contains_key(&read_member("a"))
        {
            let (_, face) = look(&mut table.room, table.now_ms, read_member("a"));
            if let Some((before, stored)) = &last_look {
                check_clock(&table, before, &face, *stored);
            }
            last_look = Some((face, table.log.len()));
        }
    }
    table.log.len()
}

/// Prints the seed of a match that goes wrong.
struct Named<'a>(&'a str, u64);

impl Drop for Named<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the match `{}` with seed {}", self.0, self.1);
        }
    }
}

#[test]
fn random_matches_keep_every_law() {
    let mut entries = 0;
    for line in TABLES {
        for seed in 0..SEEDS {
            let _named = Named(line, seed);
            entries += play(line, seed);
        }
    }
    assert!(entries > 2000, "only {entries} entries were stored");
}
