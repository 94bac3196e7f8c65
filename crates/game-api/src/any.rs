//! The game and the match without type parameters, for whoever holds many of them.
//!
//! Actions cross as text, views and events as JSON bytes. One adapter, [`Erased`], implements both
//! traits for every game; there is nothing to write for a new one.

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

use crate::{
    Circumstances, Commitment, Completeness, Context, Entry, EntryKind, Forfeit, Format, Game,
    GameMeta, Match, MatchLog, Outcome, Playouts, Record, Recorded, Refusal, ReplayError, Seat,
    SeatSet, Seed, Seen, SetupError, StateHash, TimeOut, Viewer, Violation, playouts, seen,
};

/// A refusal with its stable key and the sentence for people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refused {
    /// The stable key.
    pub code: &'static str,
    /// What to tell the player.
    pub message: String,
}

impl<V: Violation> From<Refusal<V>> for Refused {
    fn from(refusal: Refusal<V>) -> Self {
        Refused { code: refusal.code(), message: refusal.to_string() }
    }
}

impl From<SetupError> for Refused {
    fn from(error: SetupError) -> Self {
        Refused { code: error.code(), message: error.to_string() }
    }
}

impl From<ReplayError> for Refused {
    fn from(error: ReplayError) -> Self {
        Refused { code: error.code(), message: error.to_string() }
    }
}

/// A game of the catalogue.
pub trait AnyGame: Send + Sync {
    /// What the house knows of it.
    fn meta(&self) -> GameMeta;
    /// The named options, as JSON; the first is the default.
    fn presets(&self) -> Vec<(&'static str, String)>;
    /// Deals a match. `options` is JSON, all fields optional.
    fn start(&self, options: &str, seats: u8, seed: Seed) -> Result<Box<dyn AnyMatch>, Refused>;
    /// Starts a match from a position.
    fn start_from_position(
        &self,
        options: &str,
        text: &str,
        seed: Seed,
    ) -> Result<Box<dyn AnyMatch>, Refused>;
    /// What a seat may do, by its view.
    fn legal_by_view(&self, seen: &Seen<'_>) -> Result<Legal, Refused>;
    /// What a seat might do next if it had its turn and these actions of its own had happened.
    fn legal_ahead(&self, seen: &Seen<'_>, ahead: &[String]) -> Result<Legal, Refused>;
    /// What a seat can foresee of its action by its view, as JSON.
    fn preview_by_view(&self, seen: &Seen<'_>, text: &str) -> Result<Vec<u8>, Refused>;
    /// How a seat's action would be written down, by its view.
    fn notation_by_view(&self, seen: &Seen<'_>, text: &str) -> Result<String, Refused>;
    /// Plays a log again and checks all that it claims.
    fn replay(&self, log: &MatchLog) -> Result<Box<dyn AnyMatch>, ReplayError>;
    /// The formats of its own, beside the log.
    fn formats(&self) -> &'static [Format];
    /// A finished match in one of them.
    fn export(
        &self,
        log: &MatchLog,
        around: &Circumstances,
        format: &Format,
    ) -> Result<String, ReplayError>;
    /// Plays random matches.
    fn playouts(
        &self,
        options: &str,
        seats: u8,
        matches: u64,
        seed: u64,
    ) -> Result<Playouts, Refused>;
}

/// A match of any game.
pub trait AnyMatch: Send {
    /// Of which game.
    fn meta(&self) -> GameMeta;
    /// How many seats.
    fn seats(&self) -> u8;
    /// The next entry's number.
    fn ply(&self) -> u32;
    /// Who may act.
    fn to_act(&self) -> SeatSet;
    /// The clock's unit.
    fn turn(&self) -> u32;
    /// Seconds in which others may react, while they may.
    fn window(&self) -> Option<u32>;
    /// What the clock does to a seat whose time is up.
    fn time_out(&self, seat: Seat) -> TimeOut<String>;
    /// How it ended.
    fn outcome(&self) -> Option<Outcome>;
    /// A seat's legal actions.
    fn legal(&self, seat: Seat) -> Result<Legal, Refused>;
    /// Every plain move of a seat with what it scores, where the game has such a list.
    fn plays(&self, seat: Seat) -> Result<Vec<(String, i32)>, Refused>;
    /// Applies an action and writes down what each of the telling's viewers may know of it; true if
    /// no takeback may go past it.
    fn act(&mut self, seat: Seat, text: &str, telling: &mut Telling) -> Result<bool, Refused>;
    /// Lets a seat give up.
    fn forfeit(&mut self, seat: Seat, cause: Forfeit) -> Result<(), Refused>;
    /// Whether all can agree on a draw now.
    fn may_agree_draw(&self) -> bool;
    /// Ends it as a draw.
    fn agree_draw(&mut self) -> Result<(), Refused>;
    /// Ends it without a result.
    fn abort(&mut self) -> Result<(), Refused>;
    /// Counts an entry that concerns the clock alone.
    fn mark_time(&mut self) -> Result<(), Refused>;
    /// Goes back to before the entry `to_ply`.
    fn takeback(&mut self, entries: &[Entry], to_ply: u32) -> Result<(), Refused>;
    /// The state as it is now, to come back to.
    fn keep(&self) -> Kept;
    /// Goes back to a state of this match. That nothing was revealed since is the caller's to know.
    fn go_back(&mut self, kept: Kept) -> Result<(), Refused>;
    /// Takes entries from a log, takebacks included. Each is shown to `hear`, an action with what one
    /// viewer may know of it, whom `viewer_of` names for the seat that acted.
    fn retell(
        &mut self,
        entries: &[Entry],
        viewer_of: &dyn Fn(Seat) -> Viewer,
        hear: &mut dyn FnMut(&Entry, Option<Told<'_>>),
    ) -> Result<(), Refused>;
    /// Takes the last entry off the log, for testers.
    fn undo(&mut self, entries: &mut Vec<Entry>) -> Result<(), Refused>;
    /// What a viewer may know, as JSON.
    fn view(&self, viewer: Viewer) -> Result<Vec<u8>, Refused>;
    /// What a seat can foresee of its action, as JSON.
    fn preview(&self, seat: Seat, text: &str) -> Result<Vec<u8>, Refused>;
    /// The fingerprint of the state.
    fn state_hash(&self) -> StateHash;
    /// What was published at the start.
    fn commitment(&self) -> Commitment;
    /// The options' canonical JSON.
    fn options(&self) -> String;
    /// The whole log.
    fn log(&self, entries: Vec<Entry>) -> Result<MatchLog, Refused>;
    /// How many ways there are to play `depth` more actions.
    fn perft(&self, depth: u32) -> u64;
}

/// A seat's legal actions, as text.
pub struct Legal {
    /// Are these all?
    pub completeness: Completeness,
    /// The actions, in the game's order.
    pub actions: Vec<String>,
}

/// A state of some match, secrets included.
pub struct Kept(Box<dyn Any + Send>);

/// Who is to be told of an action, and the bytes to tell them. Kept from one action to the next, so
/// that its memory is reused.
#[derive(Default)]
pub struct Telling {
    viewers: Vec<Viewer>,
    bytes: Vec<u8>,
    told: Vec<Spans>,
}

/// What an action of most games takes.
const TELLING_BYTES: usize = 1024;

/// What one viewer is told of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told<'a> {
    /// Who.
    pub viewer: Viewer,
    /// The step, as JSON.
    pub event: &'a [u8],
    /// The state after it, as JSON.
    pub view: &'a [u8],
    /// The step in a line.
    pub notation: &'a [u8],
}

#[derive(Clone)]
struct Spans {
    event: Range<usize>,
    view: Range<usize>,
    notation: Range<usize>,
}

impl Telling {
    /// For these viewers.
    pub fn to(viewers: impl IntoIterator<Item = Viewer>) -> Telling {
        let viewers: Vec<Viewer> = viewers.into_iter().collect();
        // Growing step by step would copy it several times.
        let bytes = Vec::with_capacity(if viewers.is_empty() { 0 } else { TELLING_BYTES });
        Telling { told: Vec::with_capacity(viewers.len()), viewers, bytes }
    }

    /// What each viewer is told of the last accepted action, in the order they were given.
    pub fn told(&self) -> impl Iterator<Item = Told<'_>> {
        self.viewers.iter().zip(&self.told).map(|(viewer, spans)| Told {
            viewer: *viewer,
            event: &self.bytes[spans.event.clone()],
            view: &self.bytes[spans.view.clone()],
            notation: &self.bytes[spans.notation.clone()],
        })
    }

    fn write<G: Game>(&mut self, contest: &Match<G>, step: &crate::Step<'_, G>) {
        self.bytes.clear();
        self.told.clear();
        let game = contest.game();
        // Where nothing is hidden all see alike: the laws of play hold a game to that.
        if let (false, Some(&any)) = (G::META.hidden_information, self.viewers.first()) {
            let spans = Spans {
                event: append_json(&mut self.bytes, &game.event(step, any)),
                view: append_json(&mut self.bytes, &game.view(step.after, any)),
                notation: append(&mut self.bytes, game.notation(step, any).as_bytes()),
            };
            self.told.resize(self.viewers.len(), spans);
            return;
        }
        let mut events = Vec::with_capacity(self.viewers.len());
        let mut views = Vec::with_capacity(self.viewers.len());
        let mut notations = Vec::with_capacity(self.viewers.len());
        for &viewer in &self.viewers {
            let event = game.event(step, viewer);
            let view = game.view(step.after, viewer);
            let notation = game.notation(step, viewer);
            // What several viewers see alike is written once.
            let written = |index: Option<usize>| index.and_then(|index| self.told.get(index));
            let event_span = written(events.iter().position(|other| *other == event));
            let view_span = written(views.iter().position(|other| *other == view));
            let notation_span = written(notations.iter().position(|other| *other == notation));
            let spans = Spans {
                event: match event_span {
                    Some(spans) => spans.event.clone(),
                    None => append_json(&mut self.bytes, &event),
                },
                view: match view_span {
                    Some(spans) => spans.view.clone(),
                    None => append_json(&mut self.bytes, &view),
                },
                notation: match notation_span {
                    Some(spans) => spans.notation.clone(),
                    None => append(&mut self.bytes, notation.as_bytes()),
                },
            };
            self.told.push(spans);
            events.push(event);
            views.push(view);
            notations.push(notation);
        }
    }
}

fn append(bytes: &mut Vec<u8>, text: &[u8]) -> Range<usize> {
    let start = bytes.len();
    bytes.extend_from_slice(text);
    start..bytes.len()
}

fn append_json(bytes: &mut Vec<u8>, value: &impl Serialize) -> Range<usize> {
    let start = bytes.len();
    // Only a map with keys that are no text, or a `Serialize` that gives up, fails here: the laws
    // serialise every view and event of every game.
    if serde_json::to_writer(&mut *bytes, value).is_err() {
        bytes.truncate(start);
    }
    start..bytes.len()
}

pub(crate) fn json(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    append_json(&mut bytes, value);
    bytes
}

/// The adapter that makes a [`Game`] an [`AnyGame`].
pub struct Erased<G>(Arc<G>);

impl<G: Game> Erased<G> {
    /// Holds the game for all its matches.
    pub fn new(game: G) -> Self {
        Erased(Arc::new(game))
    }
}

pub(crate) fn read_options<G: Game>(text: &str) -> Result<G::Options, Refused> {
    // serde would also read a struct's fields from a list.
    if !text.trim_start().starts_with('{') {
        return Err(SetupError::InvalidSetup("options are a JSON object".to_owned()).into());
    }
    serde_json::from_str(text).map_err(|error| SetupError::InvalidSetup(error.to_string()).into())
}

impl<G: Game> AnyGame for Erased<G> {
    fn meta(&self) -> GameMeta {
        G::META
    }

    fn presets(&self) -> Vec<(&'static str, String)> {
        let text = |options| serde_json::to_string(&options).unwrap_or_default();
        self.0.presets().into_iter().map(|(name, options)| (name, text(options))).collect()
    }

    fn start(&self, options: &str, seats: u8, seed: Seed) -> Result<Box<dyn AnyMatch>, Refused> {
        let options = read_options::<G>(options)?;
        Ok(Box::new(Match::start(self.0.clone(), options, seats, seed)?))
    }

    fn start_from_position(
        &self,
        options: &str,
        text: &str,
        seed: Seed,
    ) -> Result<Box<dyn AnyMatch>, Refused> {
        let options = read_options::<G>(options)?;
        Ok(Box::new(Match::from_position(self.0.clone(), options, text, seed)?))
    }

    fn legal_by_view(&self, seen: &Seen<'_>) -> Result<Legal, Refused> {
        seen::legal(&*self.0, seen)
    }

    fn legal_ahead(&self, seen: &Seen<'_>, ahead: &[String]) -> Result<Legal, Refused> {
        seen::legal_ahead(&*self.0, seen, ahead)
    }

    fn preview_by_view(&self, seen: &Seen<'_>, text: &str) -> Result<Vec<u8>, Refused> {
        seen::preview(&*self.0, seen, text)
    }

    fn notation_by_view(&self, seen: &Seen<'_>, text: &str) -> Result<String, Refused> {
        seen::notation(&*self.0, seen, text)
    }

    fn replay(&self, log: &MatchLog) -> Result<Box<dyn AnyMatch>, ReplayError> {
        Ok(Box::new(Match::replay(self.0.clone(), log)?))
    }

    fn formats(&self) -> &'static [Format] {
        self.0.formats()
    }

    fn export(
        &self,
        log: &MatchLog,
        around: &Circumstances,
        format: &Format,
    ) -> Result<String, ReplayError> {
        let mut contest = Match::start_of(self.0.clone(), log)?;
        let first = contest.state().clone();
        let mut line: Vec<Recorded<G>> = Vec::new();
        contest.follow(log.entries.iter(), |_, entry, step| match (&entry.kind, step) {
            (EntryKind::Takeback(to_ply), _) => {
                line.truncate(line.partition_point(|recorded| recorded.ply < *to_ply));
            }
            (_, Some(step)) => line.push(Recorded {
                ply: entry.ply,
                before: step.before.clone(),
                seat: step.seat,
                action: step.action.clone(),
                after: step.after.clone(),
                clock_ms: around.clocks_ms.get(entry.ply as usize).copied().flatten(),
            }),
            (_, None) => {}
        })?;
        let outcome = contest.outcome();
        let record = Record { around, first: &first, line: &line, outcome };
        Ok(self.0.export(&record, format))
    }

    fn playouts(
        &self,
        options: &str,
        seats: u8,
        matches: u64,
        seed: u64,
    ) -> Result<Playouts, Refused> {
        Ok(playouts(&*self.0, &read_options::<G>(options)?, seats, matches, seed)?)
    }
}

impl<G: Game> AnyMatch for Match<G> {
    fn meta(&self) -> GameMeta {
        G::META
    }

    fn seats(&self) -> u8 {
        self.seats()
    }

    fn ply(&self) -> u32 {
        self.ply()
    }

    fn to_act(&self) -> SeatSet {
        self.to_act()
    }

    fn turn(&self) -> u32 {
        self.game().turn(self.state())
    }

    fn window(&self) -> Option<u32> {
        self.game().window(self.state()).filter(|_| !self.to_act().is_empty())
    }

    fn time_out(&self, seat: Seat) -> TimeOut<String> {
        match self.game().time_out(self.state(), seat) {
            TimeOut::Act(action) => TimeOut::Act(action.to_string()),
            TimeOut::Forfeit => TimeOut::Forfeit,
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome()
    }

    fn legal(&self, seat: Seat) -> Result<Legal, Refused> {
        self.check_viewer(Viewer::Seat(seat))?;
        let mut actions = Vec::new();
        let completeness = if self.to_act().contains(seat) {
            self.game().legal_actions(self.state(), seat, &mut actions)
        } else {
            Completeness::Complete
        };
        Ok(Legal { completeness, actions: actions.iter().map(ToString::to_string).collect() })
    }

    fn plays(&self, seat: Seat) -> Result<Vec<(String, i32)>, Refused> {
        self.check_viewer(Viewer::Seat(seat))?;
        if !self.to_act().contains(seat) {
            return Ok(Vec::new());
        }
        let plays = self.game().plays(self.state(), seat);
        Ok(plays.into_iter().map(|(action, score)| (action.to_string(), score)).collect())
    }

    fn act(&mut self, seat: Seat, text: &str, telling: &mut Telling) -> Result<bool, Refused> {
        let played = self.act(seat, text)?;
        let step = played.step(self.state());
        telling.write(self, &step);
        Ok(self.game().reveals(&step))
    }

    fn forfeit(&mut self, seat: Seat, cause: Forfeit) -> Result<(), Refused> {
        Ok(self.forfeit(seat, cause)?)
    }

    fn may_agree_draw(&self) -> bool {
        !self.to_act().is_empty() && self.game().agree_draw(self.state()).is_some()
    }

    fn agree_draw(&mut self) -> Result<(), Refused> {
        Ok(self.agree_draw()?)
    }

    fn abort(&mut self) -> Result<(), Refused> {
        Ok(self.abort()?)
    }

    fn mark_time(&mut self) -> Result<(), Refused> {
        Ok(self.mark_time()?)
    }

    fn takeback(&mut self, entries: &[Entry], to_ply: u32) -> Result<(), Refused> {
        Ok(self.takeback(entries, to_ply)?)
    }

    fn keep(&self) -> Kept {
        Kept(Box::new(self.state().clone()))
    }

    fn go_back(&mut self, kept: Kept) -> Result<(), Refused> {
        let foreign = |_| Refused { code: "no_such_ply", message: "of another game".to_owned() };
        let state = *kept.0.downcast::<G::State>().map_err(foreign)?;
        Ok(self.return_to(state)?)
    }

    fn retell(
        &mut self,
        entries: &[Entry],
        viewer_of: &dyn Fn(Seat) -> Viewer,
        hear: &mut dyn FnMut(&Entry, Option<Told<'_>>),
    ) -> Result<(), Refused> {
        let mut telling = Telling::default();
        self.follow(entries.iter(), |contest, entry, step| match step {
            None => hear(entry, None),
            Some(step) => {
                telling.viewers = vec![viewer_of(step.seat)];
                telling.write(contest, &step);
                hear(entry, telling.told().next());
            }
        })?;
        Ok(())
    }

    fn undo(&mut self, entries: &mut Vec<Entry>) -> Result<(), Refused> {
        Ok(self.undo(entries)?)
    }

    fn view(&self, viewer: Viewer) -> Result<Vec<u8>, Refused> {
        self.check_viewer(viewer)?;
        Ok(json(&self.game().view(self.state(), viewer)))
    }

    fn preview(&self, seat: Seat, text: &str) -> Result<Vec<u8>, Refused> {
        let action = self.read_action(seat, text)?;
        self.check_running()?;
        let viewer = Viewer::Seat(seat);
        let context = Context { options: self.options(), seats: self.seats(), viewer };
        let view = self.game().view(self.state(), viewer);
        let preview = self.game().preview(&context, &view, &action).map_err(Refusal::Rule)?;
        Ok(json(&preview))
    }

    fn state_hash(&self) -> StateHash {
        self.state_hash()
    }

    fn commitment(&self) -> Commitment {
        self.commitment()
    }

    fn options(&self) -> String {
        self.options_text()
    }

    fn log(&self, entries: Vec<Entry>) -> Result<MatchLog, Refused> {
        self.log(entries).map_err(|error| SetupError::InvalidSetup(error.to_string()).into())
    }

    fn perft(&self, depth: u32) -> u64 {
        if self.to_act().is_empty() { 1 } else { self.game().perft(self.state(), depth) }
    }
}
