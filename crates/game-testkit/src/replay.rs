//! The laws of the log: replay equals play, undo equals the prefix, a takeback goes back and never
//! past a reveal, and all of it gives the same fingerprints on every machine.

use std::sync::Arc;

use game_api::{
    AnyGame, Entry, EntryKind, Game, Match, MatchLog, Refused, Seat, Seed, StateHash, Telling,
    Viewer,
};

use crate::walk::{Failure, Seating, Walk, WalkReport};

/// How many places of each match are gone back from.
const PLACES: usize = 4;

/// Records random matches and plays their logs again.
pub fn replay_laws<G: Game>(game: &Arc<G>, matches: u64) -> Result<WalkReport, Failure> {
    let mut report = WalkReport::default();
    for number in 0..matches {
        let recorded = record(game, number)?;
        report.checks += check_replay(game, &recorded, number)?;
        report.matches += 1;
        report.plies += recorded.entries.len() as u64;
    }
    if report.checks == 0 {
        let law = "the laws of the log compare something";
        return Err(Failure { law, number: 0, plies: 0, detail: report.to_string() });
    }
    Ok(report)
}

/// A random match, the entries that led to its end, and what was true before each.
struct Recorded<G: Game> {
    contest: Match<G>,
    entries: Vec<Entry>,
    hashes: Vec<StateHash>,
    reveals: Vec<bool>,
}

fn record<G: Game>(game: &Arc<G>, number: u64) -> Result<Recorded<G>, Failure> {
    let mut walk = Walk::start(game, number)?;
    let Seating { options, seats, seed } = Seating::new(&**game, number);
    let mut contest = Match::start(game.clone(), options, seats, seed)
        .map_err(|error| walk.fail("a preset makes a match", error.to_string()))?;
    let (mut entries, mut hashes, mut reveals) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        if contest.state() != &walk.state {
            return Err(walk.fail("the same seed and actions give the same match", "they do not"));
        }
        hashes.push(contest.state_hash());
        let Some((seat, action)) = walk.choose()? else { break };
        let text = action.to_string();
        let played = contest
            .act(seat, &text)
            .map_err(|refusal| walk.fail("what is listed is accepted", refusal.to_string()))?;
        reveals.push(contest.game().reveals(&played.step(contest.state())));
        entries.push(entry(contest.ply() - 1, seat, text));
        walk.advance(seat, &action, |_, _| Ok(()))?;
    }
    Ok(Recorded { contest, entries, hashes, reveals })
}

fn entry(ply: u32, seat: Seat, text: String) -> Entry {
    Entry { ply, seat: Some(seat), at_ms: 0, nonce: 0, epoch: 0, kind: EntryKind::Act(text) }
}

/// Replays the whole log, then goes back from several places of it; returns how many takebacks were
/// allowed and led where they should.
fn check_replay<G: Game>(
    game: &Arc<G>,
    recorded: &Recorded<G>,
    number: u64,
) -> Result<u64, Failure> {
    let mut walk = Walk::start(game, number)?;
    let json = recorded
        .contest
        .log(recorded.entries.clone())
        .and_then(|log| serde_json::to_string(&log))
        .map_err(|error| walk.fail("a log survives JSON", error.to_string()))?;
    let log: MatchLog = serde_json::from_str(&json)
        .map_err(|error| walk.fail("a log survives JSON", error.to_string()))?;
    let again = Match::replay(game.clone(), &log)
        .map_err(|error| walk.fail("replay equals play", error.to_string()))?;
    if again.state() != recorded.contest.state() || again.ply() != recorded.contest.ply() {
        return Err(walk.fail("replay equals play", "another state"));
    }
    let mut takebacks = 0;
    for _ in 0..PLACES.min(recorded.entries.len()) {
        let place = walk.chooser.usize(1..=recorded.entries.len());
        takebacks += u64::from(check_going_back(&mut walk, recorded, place)?);
    }
    Ok(takebacks)
}

/// From the state before entry `place`: undo the last entry, take back to one of the last few plies,
/// and undo that. True if the takeback was allowed.
fn check_going_back<G: Game>(
    walk: &mut Walk<'_, G>,
    recorded: &Recorded<G>,
    place: usize,
) -> Result<bool, Failure> {
    let mut entries = recorded.entries[..place].to_vec();
    let Seating { options, seats, seed } = Seating::new(&**walk.game, walk.number());
    let mut contest = Match::start(walk.game.clone(), options, seats, seed)
        .map_err(|error| walk.fail("a preset makes a match", error.to_string()))?;
    for entry in &entries {
        let (EntryKind::Act(text), Some(seat)) = (&entry.kind, entry.seat) else { continue };
        contest
            .act(seat, text)
            .map_err(|refusal| walk.fail("replay equals play", refusal.to_string()))?;
    }
    contest
        .undo(&mut entries)
        .map_err(|error| walk.fail("undo equals the prefix", error.to_string()))?;
    let here = contest.state_hash();
    if here != recorded.hashes[place - 1] || entries.len() != place - 1 {
        return Err(walk.fail("undo equals the prefix", format!("ply {place}")));
    }
    if entries.is_empty() {
        return Ok(false);
    }
    let to = entries.len() - 1 - walk.chooser.usize(..entries.len().min(3));
    let to_ply = entries[to].ply;
    let has_revealed = recorded.reveals[to..entries.len()].contains(&true);
    match (contest.takeback(&entries, to_ply), has_revealed) {
        (Err(error), true) if error.code() == "already_revealed" => return Ok(false),
        (Ok(()), false) if contest.state_hash() == recorded.hashes[to] => {}
        (result, _) => {
            let detail = format!("from ply {} to {to_ply}: {result:?}", entries.len());
            return Err(walk.fail("a takeback goes back, never past a reveal", detail));
        }
    }
    let kind = EntryKind::Takeback(to_ply);
    entries.push(Entry {
        seat: None,
        kind,
        ..entry(contest.ply() - 1, Seat::FIRST, String::new())
    });
    let undone = contest.undo(&mut entries);
    if undone.is_err() || contest.state_hash() != here {
        return Err(walk.fail("undo takes back a takeback", format!("{undone:?}")));
    }
    Ok(true)
}

/// A random match of any game, folded into one hash: every state, view, event and notation of every
/// viewer. Natively and in WebAssembly it has to be the same.
pub fn fingerprint(game: &dyn AnyGame, number: u64) -> Result<StateHash, Refused> {
    let seat_counts: Vec<u8> = game.meta().seats.collect();
    let mut chooser = fastrand::Rng::with_seed(number);
    // Not `usize`: the chooser draws fewer bits for it in WebAssembly.
    let mut pick = |count: usize| usize::try_from(chooser.u64(..count as u64)).unwrap_or(0);
    let seats = seat_counts[pick(seat_counts.len())];
    let mut contest = game.start("{}", seats, Seed::from_number(number))?;
    let mut telling = Telling::to(Viewer::all(seats));
    let mut fold = contest.state_hash();
    while !contest.to_act().is_empty() {
        let to_act: Vec<Seat> = contest.to_act().iter().collect();
        let seat = to_act[pick(to_act.len())];
        let legal = contest.legal(seat)?.actions;
        contest.act(seat, &legal[pick(legal.len())], &mut telling)?;
        for told in telling.told() {
            fold = StateHash::of(&(fold, told.view, told.event, told.notation));
        }
        fold = StateHash::of(&(fold, contest.state_hash()));
    }
    Ok(fold)
}
