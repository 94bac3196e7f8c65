//! The rules of every game, for the browser to ask: a module of its own, loaded when a match is
//! opened, so that the first page does not carry what it does not need.
//!
//! It keeps nothing but a list of words, if it was given one: a question brings the view or the log
//! that it is about. Whatever comes in, an answer comes out.

use bots::Budget;
use client_core::{Advice, Judgement, Question, Reply, Scene, Sight};
use game_api::{
    Agreement, AnyGame, AnyMatch, Completeness, Entry, EntryKind, Forfeit, Legal, MatchLog,
    Refused, Seat, Seed, Seen, Telling, Viewer,
};
use protocol::ws::Outcome;

/// Answers a question; both are JSON.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen::prelude::wasm_bindgen)]
pub fn ask(question: &str) -> String {
    let answer = match serde_json::from_str(question) {
        Ok(question) => answer(&question),
        Err(error) => refused("bad_question", error.to_string()),
    };
    write(&answer)
}

/// Takes the list of words that the word game is played with, as `GET /api/v1/words/{hash}` gives it:
/// without it nothing of such a match can be asked. Answers as [`ask`] does.
#[cfg_attr(target_arch = "wasm32", wasm_bindgen::prelude::wasm_bindgen)]
pub fn give_words(packed: &[u8]) -> String {
    write(&match catalog::take_words(packed) {
        Ok(words) => Reply::Words { name: words.name().to_owned() },
        Err(error) => refused(error.code(), error.to_string()),
    })
}

fn write(answer: &Reply) -> String {
    // An answer is made of texts and numbers, which JSON can always say.
    serde_json::to_string(answer).unwrap_or_default()
}

/// Answers a question.
pub fn answer(question: &Question) -> Reply {
    let answer = match question {
        Question::Legal { sight } => by_view(sight, |game, seen| game.legal_by_view(seen)),
        Question::Ahead { sight, ahead } => {
            by_view(sight, |game, seen| game.legal_ahead(seen, ahead))
        }
        Question::Preview { sight, action } => preview(sight, action),
        Question::Begin { game, options, seats, seed } => begin(game, options, *seats, seed),
        Question::Play { log, seat, action, at_ms } => {
            go_on(log, Some(*seat), *at_ms, EntryKind::Act(action.clone()))
        }
        Question::GiveUp { log, seat, at_ms } => {
            go_on(log, Some(*seat), *at_ms, EntryKind::Forfeit(Forfeit::Resigned))
        }
        Question::AgreeDraw { log, at_ms } => {
            go_on(log, None, *at_ms, EntryKind::Agree(Agreement::Draw))
        }
        Question::Undo { log } => undo(log),
        Question::Scene { log, ply, viewer } => scene(log, *ply, *viewer).map(Reply::Scene),
        Question::Advise { sight, level, think_ms, chance } => {
            advise(sight, *level, *think_ms, *chance).map(Reply::Advice)
        }
        Question::Judge { log, ply, instead, think_ms } => {
            judge(log, *ply, instead.as_deref(), *think_ms).map(Reply::Judged)
        }
        Question::Verify { log, commitment } => verify(log, commitment),
    };
    answer.unwrap_or_else(|refusal| refused(refusal.code, refusal.message))
}

fn refused(code: &str, message: String) -> Reply {
    Reply::Refused { code: code.to_owned(), message }
}

fn find(game: &str) -> Result<&'static dyn AnyGame, Refused> {
    let unknown = || Refused { code: "unknown_game", message: "there is no such game".to_owned() };
    catalog::find(game).ok_or_else(unknown)
}

fn seen(sight: &Sight) -> Seen<'_> {
    Seen { options: &sight.options, seats: sight.seats, seat: sight.seat, view: &sight.view }
}

fn by_view(
    sight: &Sight,
    list: impl FnOnce(&dyn AnyGame, &Seen<'_>) -> Result<Legal, Refused>,
) -> Result<Reply, Refused> {
    let Legal { completeness, actions } = list(find(&sight.game)?, &seen(sight))?;
    Ok(Reply::Actions { complete: completeness == Completeness::Complete, actions })
}

fn preview(sight: &Sight, action: &str) -> Result<Reply, Refused> {
    let preview = find(&sight.game)?.preview_by_view(&seen(sight), action)?;
    Ok(Reply::Preview { preview: String::from_utf8_lossy(&preview).into_owned() })
}

fn begin(game: &str, options: &str, seats: u8, seed: &str) -> Result<Reply, Refused> {
    let bad_seed = |_| Refused { code: "bad_seed", message: "this is no seed".to_owned() };
    let seed: Seed = seed.parse().map_err(bad_seed)?;
    written(&*find(game)?.start(options, seats, seed)?, Vec::new())
}

fn written(contest: &dyn AnyMatch, entries: Vec<Entry>) -> Result<Reply, Refused> {
    let log = contest.log(entries)?;
    let log = serde_json::to_string(&log).map_err(|error| bad_log(&error))?;
    Ok(Reply::Log { log })
}

fn bad_log(error: &serde_json::Error) -> Refused {
    Refused { code: "bad_log", message: format!("this is no log: {error}") }
}

fn read(log: &str) -> Result<MatchLog, Refused> {
    serde_json::from_str(log).map_err(|error| bad_log(&error))
}

/// The match at its start.
fn started(log: &MatchLog) -> Result<Box<dyn AnyMatch>, Refused> {
    let game = find(&log.game)?;
    let (options, seed) = (log.options.get(), log.seed);
    match &log.from_position {
        Some(text) => game.start_from_position(options, text, seed),
        None => game.start(options, log.seats, seed),
    }
}

/// One more entry.
fn go_on(log: &str, seat: Option<Seat>, at_ms: u64, kind: EntryKind) -> Result<Reply, Refused> {
    let mut log = read(log)?;
    let mut contest = catalog::replay(&log)?;
    match (&kind, seat) {
        (EntryKind::Act(action), Some(seat)) => {
            contest.act(seat, action, &mut Telling::default())?;
        }
        (EntryKind::Forfeit(cause), Some(seat)) => contest.forfeit(seat, *cause)?,
        (EntryKind::Agree(Agreement::Draw), _) => contest.agree_draw()?,
        _ => {}
    }
    let ply = u32::try_from(log.entries.len()).unwrap_or(u32::MAX);
    log.entries.push(Entry { ply, seat, at_ms, nonce: u64::from(ply), epoch: 0, kind });
    written(&*contest, log.entries)
}

fn undo(log: &str) -> Result<Reply, Refused> {
    let mut log = read(log)?;
    check_undo(&log)?;
    let mut contest = catalog::replay(&log)?;
    contest.undo(&mut log.entries)?;
    written(&*contest, log.entries)
}

/// As a takeback: not past what was revealed.
fn check_undo(log: &MatchLog) -> Result<(), Refused> {
    let nothing =
        || Refused { code: "no_such_ply", message: "nothing has happened yet".to_owned() };
    let last = log.entries.last().ok_or_else(nothing)?;
    catalog::replay(log)?.takeback(&log.entries, last.ply)
}

fn scene(text: &str, ply: u32, viewer: Option<Viewer>) -> Result<Scene, Refused> {
    let log = read(text)?;
    let mut contest = started(&log)?;
    let shown = log.entries.len().min(usize::try_from(ply).unwrap_or(usize::MAX));
    let (shown, rest) = log.entries.split_at(shown);
    let mut notations = Vec::with_capacity(shown.len());
    contest.retell(shown, &Viewer::Seat, &mut |entry, told| {
        let line = told.map(|told| String::from_utf8_lossy(told.notation).into_owned());
        notations.push(line.unwrap_or_else(|| of_entry(entry)));
    })?;
    let to_act = contest.to_act();
    let viewer = viewer.unwrap_or(Viewer::Seat(first_to_act(&*contest)));
    let legal = match viewer {
        Viewer::Seat(seat) => contest.legal(seat)?.actions,
        Viewer::Spectator => Vec::new(),
    };
    Ok(Scene {
        ply: contest.ply(),
        plies: u32::try_from(log.entries.len()).unwrap_or(u32::MAX),
        seats: contest.seats(),
        viewer,
        view: String::from_utf8_lossy(&contest.view(viewer)?).into_owned(),
        to_act,
        legal,
        outcome: contest
            .outcome()
            .map(|it| Outcome { places: it.places, reason: it.reason.to_owned() }),
        notations,
        may_undo: rest.is_empty() && check_undo(&log).is_ok(),
        options: contest.options(),
        game: log.game,
    })
}

/// Who acts next, or the first seat.
fn first_to_act(contest: &dyn AnyMatch) -> Seat {
    contest.to_act().iter().next().unwrap_or(Seat::FIRST)
}

/// What is no action, in a line.
fn of_entry(entry: &Entry) -> String {
    match &entry.kind {
        EntryKind::Forfeit(cause) => cause.key().to_owned(),
        EntryKind::Takeback(to_ply) => format!("taken back to {to_ply}"),
        kind => kind.to_string(),
    }
}

/// A bot thinks of this many states at most: where no clock ends its thoughts, they still end.
const NODES_MAX: u64 = 2_000_000;
/// The level that judges.
const JUDGE: u8 = 8;

fn advise(sight: &Sight, level: u8, think_ms: u32, chance: u64) -> Result<Advice, Refused> {
    let no_bot = || Refused { code: "no_bot", message: "there is no such bot".to_owned() };
    let (bot, level) = catalog::bot(&sight.game, &level.to_string()).ok_or_else(no_bot)?;
    let end = clock::now_ms() + f64::from(think_ms);
    let is_time_up = || clock::now_ms() >= end;
    let budget = Budget::until(&is_time_up).capped(NODES_MAX);
    let advice = bot.choose(&seen(sight), level, &budget, &Seed::from_number(chance))?;
    let notation = find(&sight.game)?.notation_by_view(&seen(sight), &advice.action)?;
    let standing = catalog::standing(&sight.game, advice.value);
    Ok(Advice { seat: sight.seat, action: advice.action, notation, standing })
}

/// The seat that was to act judges, by what it saw.
fn judge(text: &str, ply: u32, instead: Option<&str>, think_ms: u32) -> Result<Judgement, Refused> {
    let log = read(text)?;
    let mut contest = started(&log)?;
    let past = log.entries.len().min(usize::try_from(ply).unwrap_or(usize::MAX));
    let (past, rest) = log.entries.split_at(past);
    contest.retell(past, &Viewer::Seat, &mut |_, _| {})?;
    let mut chance = u64::from(ply);
    if let Some(action) = instead {
        contest.act(first_to_act(&*contest), action, &mut Telling::default())?;
        // As after what was done: only the actions differ.
        chance += 1;
    }
    let seat = first_to_act(&*contest);
    let Legal { completeness, actions } = contest.legal(seat)?;
    let sight = Sight {
        options: contest.options(),
        seats: contest.seats(),
        seat,
        view: String::from_utf8_lossy(&contest.view(Viewer::Seat(seat))?).into_owned(),
        game: log.game,
    };
    let is_undone = |entry: &Entry| matches!(entry.kind, EntryKind::Takeback(to) if to <= ply);
    let played = match rest {
        [Entry { seat: Some(by), kind: EntryKind::Act(action), .. }, later @ ..]
            if instead.is_none() && *by == seat && !later.iter().any(is_undone) =>
        {
            Some(action.clone())
        }
        _ => None,
    };
    Ok(Judgement {
        advice: advise(&sight, JUDGE, think_ms, chance)?,
        played,
        is_forced: completeness == Completeness::Complete && actions.len() == 1,
    })
}

#[cfg(target_arch = "wasm32")]
mod clock {
    //! The browser's clock.

    use wasm_bindgen::prelude::wasm_bindgen;

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(js_namespace = performance)]
        fn now() -> f64;
    }

    pub(crate) fn now_ms() -> f64 {
        now()
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod clock {
    //! Outside a browser no time passes: a bot's thoughts are counted.

    pub(crate) fn now_ms() -> f64 {
        0.0
    }
}

fn verify(text: &str, commitment: &str) -> Result<Reply, Refused> {
    let log = read(text)?;
    let other = || Refused {
        code: "commitment_mismatch",
        message: "this is not the deal that was published at the start".to_owned(),
    };
    if log.commitment.to_string() != commitment {
        return Err(other());
    }
    let contest = catalog::replay(&log)?;
    Ok(Reply::Verified { state_hash: contest.state_hash().to_string() })
}
