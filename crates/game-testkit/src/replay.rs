//! The laws of the log: replay equals play, undo equals the prefix, a takeback goes back and never
//! past a reveal, and all of it gives the same fingerprints on every machine.

use std::sync::Arc;

use game_api::{
    AnyGame, Entry, EntryKind, Game, Match, MatchLog, Refused, Seat, Seed, StateHash, Telling,
    Viewer,
};

use crate::walk::{Failure, Seating, Walk, WalkReport};

/// Records random matches and plays their logs again.
pub fn replay_laws<G: Game>(game: &Arc<G>, matches: u64) -> Result<WalkReport, Failure> {
    let mut report = WalkReport::default();
    for number in 0..matches {
        let recorded = record(game, number)?;
        check_replay(game, &recorded, number)?;
        report.matches += 1;
        report.plies += recorded.entries.len() as u64;
        report.checks += recorded.hashes.len() as u64;
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

fn check_replay<G: Game>(
    game: &Arc<G>,
    recorded: &Recorded<G>,
    number: u64,
) -> Result<(), Failure> {
    let walk = Walk::start(game, number)?;
    let fail = |law, detail: String| walk.fail(law, detail);
    let played_again = |entries: Vec<Entry>| {
        let json = recorded.contest.log(entries).and_then(|log| serde_json::to_string(&log));
        let log: MatchLog = serde_json::from_str(&json.unwrap_or_default())
            .map_err(|error| fail("a log survives JSON", error.to_string()))?;
        Match::<G>::replay(game.clone(), &log)
            .map_err(|error| fail("replay equals play", error.to_string()))
    };
    let mut again = played_again(recorded.entries.clone())?;

    // Undo, from the end and from the middle.
    let mut entries = recorded.entries.clone();
    let undone = again.undo(&mut entries);
    let expected = recorded.hashes[recorded.entries.len().saturating_sub(1)];
    if undone.is_err() || again.state_hash() != expected {
        return Err(fail("undo equals the prefix", format!("{undone:?}")));
    }

    // A takeback from just before the end, to each of the last plies.
    for to_ply in entries.len().saturating_sub(8)..entries.len() {
        let hidden_since = recorded.reveals[to_ply..entries.len()].contains(&true);
        let to = u32::try_from(to_ply).unwrap_or(u32::MAX);
        let before = again.state_hash();
        match (again.takeback(&entries, to), hidden_since) {
            (Ok(()), false) if again.state_hash() == recorded.hashes[to_ply] => {
                again
                    .undo(&mut with_takeback(&entries, to))
                    .map_err(|error| fail("undo takes back a takeback", error.to_string()))?;
            }
            (Err(error), true) if error.code() == "already_revealed" => {}
            (result, _) => {
                let detail = format!("to ply {to} of {}: {result:?}", entries.len());
                return Err(fail("a takeback goes back, never past a reveal", detail));
            }
        }
        if again.state_hash() != before {
            return Err(fail("undo takes back a takeback", format!("ply {to}")));
        }
    }
    Ok(())
}

fn with_takeback(entries: &[Entry], to_ply: u32) -> Vec<Entry> {
    let ply = u32::try_from(entries.len()).unwrap_or(u32::MAX);
    let kind = EntryKind::Takeback(to_ply);
    let last = Entry { ply, seat: None, at_ms: 0, nonce: 0, epoch: 0, kind };
    entries.iter().cloned().chain([last]).collect()
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
