//! One contest: a state, and how entries of the log change it.

use std::sync::Arc;

use serde_json::value::RawValue;

use crate::{
    Agreement, Commitment, Entry, EntryKind, Forfeit, Game, LOG_FORMAT, MatchLog, Outcome, Seat,
    SeatSet, Seed, SetupError, StateHash, Step, Viewer, Violation, excerpt,
};

/// Longer than any action's text: what comes from outside is bounded before it is read.
const ACTION_BYTES_MAX: usize = 512;

/// A running or finished match, derived from its log, which it does not hold: whoever stores the
/// entries has them.
pub struct Match<G: Game> {
    game: Arc<G>,
    options: G::Options,
    seats: u8,
    seed: Seed,
    from_position: Option<String>,
    state: G::State,
    is_aborted: bool,
    ply: u32,
}

/// An accepted action and the state before it; the state after it is the match's.
pub struct Played<G: Game> {
    before: G::State,
    seat: Seat,
    action: G::Action,
}

impl<G: Game> Played<G> {
    /// The step from the state before to `after`.
    pub fn step<'a>(&'a self, after: &'a G::State) -> Step<'a, G> {
        Step { before: &self.before, seat: self.seat, action: &self.action, after }
    }
}

/// Why a match did not change.
#[derive(Debug, thiserror::Error)]
pub enum Refusal<V: Violation> {
    /// The rules forbid it.
    #[error(transparent)]
    Rule(V),
    /// The match has ended.
    #[error("the match is over")]
    GameOver,
    /// The match has no such seat.
    #[error("there is no seat {0} in this match")]
    NoSuchSeat(Seat),
    /// An entry of a kind that is some seat's doing does not say whose.
    #[error("the entry names no seat")]
    SeatMissing,
    /// No action is that long.
    #[error("an action of {0} bytes; the longest is {ACTION_BYTES_MAX}")]
    ActionTooLong(usize),
    /// The game has no draw to agree on.
    #[error("this game knows no draw")]
    NoDraw,
    /// A takeback to where the match never was, or is already.
    #[error("there is no ply {0} to go back to")]
    NoSuchPly(u32),
    /// Somebody has seen something since.
    #[error("ply {0} showed something that cannot be unseen")]
    Revealed(u32),
}

impl<V: Violation> Refusal<V> {
    /// The stable key.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::Rule(violation) => violation.code(),
            Refusal::GameOver => "game_over",
            Refusal::NoSuchSeat(_) | Refusal::SeatMissing => "no_such_seat",
            Refusal::ActionTooLong(_) => "invalid_action",
            Refusal::NoDraw => "no_draw",
            Refusal::NoSuchPly(_) => "no_such_ply",
            Refusal::Revealed(_) => "already_revealed",
        }
    }
}

/// Why a log is not a match.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// Written by a later Parlor.
    #[error("log format {0}; this Parlor reads {LOG_FORMAT}")]
    Format(u32),
    /// A game that is not here.
    #[error("a log of {}, which is not a game here", excerpt(.found))]
    Game {
        /// What the log says.
        found: String,
    },
    /// Played by other rules.
    #[error("rules version {found}; these rules are version {expected}")]
    RulesVersion {
        /// What the log says.
        found: u32,
        /// What this build plays.
        expected: u32,
    },
    /// Options that are none of this game's, or not in their canonical form.
    #[error("the options do not fit: {0}")]
    Options(String),
    /// The match cannot have started so.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// An entry that the match could not have taken.
    #[error("ply {ply}: {message}")]
    Entry {
        /// Where.
        ply: u32,
        /// The refusal's key.
        code: &'static str,
        /// The refusal in words.
        message: String,
    },
    /// The seed is not the one that was committed to.
    #[error("the seed does not match the commitment: the deal was not the one promised")]
    Commitment,
    /// All entries are possible, but they do not lead to the state that the log claims.
    #[error("the state hash is {found}, the replay's is {replayed}")]
    StateHash {
        /// What the log says.
        found: StateHash,
        /// What the entries lead to.
        replayed: StateHash,
    },
}

impl ReplayError {
    /// The stable key.
    pub const fn code(&self) -> &'static str {
        match self {
            ReplayError::Format(_) => "unknown_format",
            ReplayError::Game { .. } => "unknown_game",
            ReplayError::RulesVersion { .. } => "rules_changed",
            ReplayError::Options(_) => "invalid_setup",
            ReplayError::Setup(error) => error.code(),
            ReplayError::Entry { code, .. } => code,
            ReplayError::Commitment => "commitment_mismatch",
            ReplayError::StateHash { .. } => "state_hash_mismatch",
        }
    }
}

impl<G: Game> Match<G> {
    /// Deals a new match.
    pub fn start(
        game: Arc<G>,
        options: G::Options,
        seats: u8,
        seed: Seed,
    ) -> Result<Self, SetupError> {
        let options = game.complete(options);
        let state = game.setup(&options, seats, &seed)?;
        Ok(Self {
            game,
            options,
            seats,
            seed,
            from_position: None,
            state,
            is_aborted: false,
            ply: 0,
        })
    }

    /// Starts a match from a position in the game's own notation.
    pub fn from_position(
        game: Arc<G>,
        options: G::Options,
        text: &str,
        seed: Seed,
    ) -> Result<Self, SetupError> {
        let options = game.complete(options);
        let (seats, state) = game.position(&options, text, &seed)?;
        let from_position = Some(text.to_owned());
        Ok(Self { game, options, seats, seed, from_position, state, is_aborted: false, ply: 0 })
    }

    /// Plays a log again and checks what it claims: commitment, every entry, state hash.
    pub fn replay(game: Arc<G>, log: &MatchLog) -> Result<Self, ReplayError> {
        let mut replayed = Self::start_of(game, log)?;
        replayed.follow(log.entries.iter(), |_, _, _| ())?;
        let hash = replayed.state_hash();
        if hash != log.state_hash {
            return Err(ReplayError::StateHash { found: log.state_hash, replayed: hash });
        }
        Ok(replayed)
    }

    /// The match as it stood before the first entry of `log`.
    pub(crate) fn start_of(game: Arc<G>, log: &MatchLog) -> Result<Self, ReplayError> {
        if log.format != LOG_FORMAT {
            return Err(ReplayError::Format(log.format));
        }
        if log.game != G::META.id {
            return Err(ReplayError::Game { found: log.game.clone() });
        }
        if log.rules_version != G::META.rules_version {
            return Err(ReplayError::RulesVersion {
                found: log.rules_version,
                expected: G::META.rules_version,
            });
        }
        let options: G::Options = serde_json::from_str(log.options.get())
            .map_err(|error| ReplayError::Options(error.to_string()))?;
        let started = match &log.from_position {
            None => Self::start(game, options, log.seats, log.seed)?,
            Some(text) => Self::from_position(game, options, text, log.seed)?,
        };
        if started.seats != log.seats {
            let allowed = started.seats..=started.seats;
            return Err(SetupError::InvalidPlayers { got: log.seats, allowed }.into());
        }
        if started.options_text() != log.options.get() {
            return Err(ReplayError::Options("not in the form that the commitment hashes".into()));
        }
        if started.commitment() != log.commitment {
            return Err(ReplayError::Commitment);
        }
        Ok(started)
    }

    /// Takes entries from a log, takebacks included, and shows each of them to `visit`, an action
    /// with its step.
    pub(crate) fn follow<'e>(
        &mut self,
        entries: impl Iterator<Item = &'e Entry> + Clone,
        mut visit: impl FnMut(&Self, &Entry, Option<Step<'_, G>>),
    ) -> Result<(), ReplayError> {
        // The states before each entry that still counts: kept only if one of them is gone back to.
        let mut line: Vec<Milestone<G>> = Vec::new();
        let keeps_line = entries.clone().any(|entry| matches!(entry.kind, EntryKind::Takeback(_)));
        for entry in entries {
            let refuse = |refusal: Refusal<G::Violation>| ReplayError::Entry {
                ply: entry.ply,
                code: refusal.code(),
                message: refusal.to_string(),
            };
            if entry.ply != self.ply {
                return Err(refuse(Refusal::NoSuchPly(entry.ply)));
            }
            if let EntryKind::Takeback(to_ply) = entry.kind {
                self.go_back(&mut line, to_ply).map_err(refuse)?;
                visit(self, entry, None);
            } else {
                let before = keeps_line.then(|| self.state.clone());
                let Taken { played, is_lasting } = self.take(entry).map_err(refuse)?;
                visit(self, entry, played.as_ref().map(|played| played.step(&self.state)));
                line.extend(before.map(|state| Milestone { ply: entry.ply, state, is_lasting }));
            }
        }
        Ok(())
    }

    /// Applies an entry that is no takeback.
    fn take(&mut self, entry: &Entry) -> Result<Taken<G>, Refusal<G::Violation>> {
        let seat = || entry.seat.ok_or(Refusal::SeatMissing);
        match &entry.kind {
            EntryKind::Act(text) => {
                let played = self.act(seat()?, text)?;
                let is_lasting = self.game.reveals(&played.step(&self.state));
                return Ok(Taken { played: Some(played), is_lasting });
            }
            EntryKind::Forfeit(cause) => self.forfeit(seat()?, *cause)?,
            EntryKind::Agree(Agreement::Draw) => self.agree_draw()?,
            EntryKind::Abort => self.abort()?,
            EntryKind::Pause | EntryKind::Resume => {
                self.mark_time()?;
                return Ok(Taken { played: None, is_lasting: false });
            }
            EntryKind::Takeback(to_ply) => return Err(Refusal::NoSuchPly(*to_ply)),
        }
        Ok(Taken { played: None, is_lasting: true })
    }

    fn go_back(
        &mut self,
        line: &mut Vec<Milestone<G>>,
        to_ply: u32,
    ) -> Result<(), Refusal<G::Violation>> {
        self.check_running()?;
        let at = line.binary_search_by_key(&to_ply, |milestone| milestone.ply);
        let at = at.map_err(|_| Refusal::NoSuchPly(to_ply))?;
        if let Some(lasting) = line[at..].iter().find(|milestone| milestone.is_lasting) {
            return Err(Refusal::Revealed(lasting.ply));
        }
        if let Some(milestone) = line.drain(at..).next() {
            self.state = milestone.state;
        }
        self.ply += 1;
        Ok(())
    }

    /// Goes back to a state that it had before, by an entry that says so.
    pub(crate) fn return_to(&mut self, state: G::State) -> Result<(), Refusal<G::Violation>> {
        self.mark_time()?;
        self.state = state;
        Ok(())
    }

    /// Reads and applies an action.
    pub fn act(&mut self, seat: Seat, text: &str) -> Result<Played<G>, Refusal<G::Violation>> {
        let action = self.read_action(seat, text)?;
        self.apply(seat, action)
    }

    /// Reads an action of a seat of this match, without applying it.
    pub fn read_action(&self, seat: Seat, text: &str) -> Result<G::Action, Refusal<G::Violation>> {
        self.check_seat(seat)?;
        if text.len() > ACTION_BYTES_MAX {
            return Err(Refusal::ActionTooLong(text.len()));
        }
        text.parse().map_err(Refusal::Rule)
    }

    /// Applies an action.
    pub fn apply(
        &mut self,
        seat: Seat,
        action: G::Action,
    ) -> Result<Played<G>, Refusal<G::Violation>> {
        self.check_seat(seat)?;
        self.check_running()?;
        let after = self.game.apply(&self.state, seat, &action).map_err(Refusal::Rule)?;
        let before = std::mem::replace(&mut self.state, after);
        self.ply += 1;
        Ok(Played { before, seat, action })
    }

    /// Lets a seat give up.
    pub fn forfeit(&mut self, seat: Seat, cause: Forfeit) -> Result<(), Refusal<G::Violation>> {
        self.check_seat(seat)?;
        self.check_running()?;
        self.state = self.game.forfeit(&self.state, seat, cause);
        self.ply += 1;
        Ok(())
    }

    /// Ends the match as a draw, since all agreed.
    pub fn agree_draw(&mut self) -> Result<(), Refusal<G::Violation>> {
        self.check_running()?;
        self.state = self.game.agree_draw(&self.state).ok_or(Refusal::NoDraw)?;
        self.ply += 1;
        Ok(())
    }

    /// Ends the match without a result.
    pub fn abort(&mut self) -> Result<(), Refusal<G::Violation>> {
        self.check_running()?;
        self.is_aborted = true;
        self.ply += 1;
        Ok(())
    }

    /// Counts an entry that concerns the clock alone.
    pub fn mark_time(&mut self) -> Result<(), Refusal<G::Violation>> {
        self.check_running()?;
        self.ply += 1;
        Ok(())
    }

    /// Goes back to the state before the entry `to_ply`, unless something was revealed since.
    /// `entries` are all that led here.
    pub fn takeback(&mut self, entries: &[Entry], to_ply: u32) -> Result<(), ReplayError> {
        let kind = EntryKind::Takeback(to_ply);
        let last = Entry { ply: self.ply, seat: None, at_ms: 0, nonce: 0, epoch: 0, kind };
        let mut again = self.restart()?;
        again.follow(entries.iter().chain([&last]), |_, _, _| ())?;
        *self = again;
        Ok(())
    }

    /// Takes the last entry off the log as if it had never been: for testers, since the log of a
    /// match that people play only grows.
    pub fn undo(&mut self, entries: &mut Vec<Entry>) -> Result<(), ReplayError> {
        let kept = entries.len().saturating_sub(1);
        let mut again = self.restart()?;
        again.follow(entries[..kept].iter(), |_, _, _| ())?;
        *self = again;
        entries.truncate(kept);
        Ok(())
    }

    fn restart(&self) -> Result<Self, SetupError> {
        let (game, options) = (self.game.clone(), self.options.clone());
        match &self.from_position {
            None => Self::start(game, options, self.seats, self.seed),
            Some(text) => Self::from_position(game, options, text, self.seed),
        }
    }

    /// The seats that may act; none once the match is over or aborted.
    pub fn to_act(&self) -> SeatSet {
        if self.is_aborted { SeatSet::EMPTY } else { self.game.to_act(&self.state) }
    }

    /// How it ended; an aborted match has no outcome.
    pub fn outcome(&self) -> Option<Outcome> {
        if self.is_aborted { None } else { self.game.outcome(&self.state) }
    }

    /// The fingerprint of the state.
    pub fn state_hash(&self) -> StateHash {
        StateHash::of(&self.state)
    }

    /// What is published when the match starts.
    pub fn commitment(&self) -> Commitment {
        Commitment::new(G::META.id, G::META.rules_version, &self.options_text(), &self.seed)
    }

    /// The whole log, with the entries that led here.
    pub fn log(&self, entries: Vec<Entry>) -> Result<MatchLog, serde_json::Error> {
        Ok(MatchLog {
            format: LOG_FORMAT,
            game: G::META.id.to_owned(),
            rules_version: G::META.rules_version,
            options: RawValue::from_string(self.options_text())?,
            seats: self.seats,
            from_position: self.from_position.clone(),
            seed: self.seed,
            commitment: self.commitment(),
            entries,
            state_hash: self.state_hash(),
        })
    }

    /// The options' canonical JSON.
    pub fn options_text(&self) -> String {
        // A struct of plain values always has a JSON; a type that had none would fail verification.
        serde_json::to_string(&self.options).unwrap_or_default()
    }

    /// Refuses a seat or viewer that the match does not have.
    pub fn check_viewer(&self, viewer: Viewer) -> Result<(), Refusal<G::Violation>> {
        viewer.seat().map_or(Ok(()), |seat| self.check_seat(seat))
    }

    fn check_seat(&self, seat: Seat) -> Result<(), Refusal<G::Violation>> {
        if seat.index() < usize::from(self.seats) { Ok(()) } else { Err(Refusal::NoSuchSeat(seat)) }
    }

    pub(crate) fn check_running(&self) -> Result<(), Refusal<G::Violation>> {
        if self.to_act().is_empty() { Err(Refusal::GameOver) } else { Ok(()) }
    }

    /// The rules.
    pub fn game(&self) -> &G {
        &self.game
    }

    /// The options it is played with.
    pub fn options(&self) -> &G::Options {
        &self.options
    }

    /// How many seats it has.
    pub fn seats(&self) -> u8 {
        self.seats
    }

    /// The state, secrets included.
    pub fn state(&self) -> &G::State {
        &self.state
    }

    /// The number that the next entry gets.
    pub fn ply(&self) -> u32 {
        self.ply
    }
}

/// An entry that was applied.
struct Taken<G: Game> {
    /// The action that it was.
    played: Option<Played<G>>,
    /// Whether it can never be taken back.
    is_lasting: bool,
}

/// A point that a takeback can go back to: the state before the entry `ply`.
struct Milestone<G: Game> {
    ply: u32,
    state: G::State,
    is_lasting: bool,
}
