//! M15, the engine: a match from the first deal to its end.

use game_api::{Forfeit, GameRng, Outcome, Seat, SeatSet, Seed, SetupError};
use serde::{Deserialize, Serialize};

use crate::action::{Action, Violation};
use crate::card::CardSet;
use crate::round::Round;
use crate::scoring::round_score;

/// The document's `MaxPlayers`: exactly two.
pub const MAX_PLAYERS: u8 = 2;
/// R6.3: a round with this many actions is void.
pub const ROUND_ACTIONS_MAX: u16 = 2_000;
/// R6.4: after this many rounds the totals decide.
pub const ROUNDS_MAX: u8 = 100;
/// Far above what a hundred rounds are likely to bring, and small enough for the scores' type.
pub const TARGET_MAX: u16 = 10_000;

/// What the host chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    /// R6.1: the total that ends the match, 1 to [`TARGET_MAX`].
    pub target: u16,
    /// R2.4: who starts a round.
    pub starter: Starter,
}

impl Default for Options {
    fn default() -> Self {
        Options { target: 50, starter: Starter::Alternate }
    }
}

/// Who starts a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Starter {
    /// Seat 0 the first, then in turn.
    Alternate,
    /// Seat 0, the host, every round.
    Host,
}

/// The document's `GameState`: everything, secrets included.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct State {
    /// The round being played, or the last one.
    pub round: Round,
    /// The deals still to come.
    pub rng: GameRng,
    pub(crate) options: Options,
    pub(crate) scores: [u16; 2],
    pub(crate) round_number: u8,
    pub(crate) actions_in_round: u16,
    pub(crate) turn: u32,
    pub(crate) last_round: Option<LastRound>,
    pub(crate) ended: Option<Ended>,
}

/// A state is copied with every action.
const _: () = assert!(size_of::<State>() <= 256);

/// How the round before this one went.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct LastRound {
    pub(crate) round: u8,
    /// Nobody, if it was void.
    pub(crate) winner: Option<Seat>,
    pub(crate) loser_hand: CardSet,
    /// The totals after it.
    pub(crate) scores: [u16; 2],
}

/// Why the match is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// A total reached the target.
    Target,
    /// The last of [`ROUNDS_MAX`] rounds was played.
    Rounds,
    /// A seat gave up.
    Forfeit {
        /// Which.
        seat: Seat,
        /// Why.
        cause: Forfeit,
    },
}

impl State {
    /// `createGame`
    pub fn create(options: Options, seats: u8, seed: &Seed) -> Result<State, SetupError> {
        if seats != MAX_PLAYERS {
            let allowed = MAX_PLAYERS..=MAX_PLAYERS;
            return Err(SetupError::InvalidPlayers { got: seats, allowed });
        }
        options.check()?;
        let mut rng = GameRng::new(seed);
        let round = Round::init(Seat::FIRST, &mut rng);
        Ok(State::begin(options, [0; 2], round, rng))
    }

    /// The first round of a match, with these cards and totals.
    pub(crate) fn begin(options: Options, scores: [u16; 2], round: Round, rng: GameRng) -> State {
        State {
            round,
            rng,
            options,
            scores,
            round_number: 1,
            actions_in_round: 0,
            turn: 0,
            last_round: None,
            ended: None,
        }
    }

    /// `applyTurn`
    pub fn apply_turn(&self, seat: Seat, action: Action) -> Result<State, Violation> {
        if self.ended.is_some() {
            return Err(Violation::GameOver);
        }
        let mut next = self.clone();
        match action {
            Action::Play { card, suit } => next.round.apply_play(seat, card, suit)?,
            Action::Draw => next.round.apply_draw(seat, &mut next.rng)?,
            Action::Pass => next.round.apply_pass(seat)?,
        }
        next.actions_in_round += 1;
        if next.round.is_over() {
            next.end_round(Some(seat));
        } else if next.actions_in_round >= ROUND_ACTIONS_MAX {
            next.end_round(None);
        }
        let is_turn_over = action != Action::Draw || next.round_number != self.round_number;
        next.turn += u32::from(is_turn_over);
        Ok(next)
    }

    /// R5.1, R6: books the round and deals the next, unless the match is over.
    fn end_round(&mut self, winner: Option<Seat>) {
        let mut loser_hand = CardSet::EMPTY;
        if let Some(winner) = winner {
            loser_hand = self.round.hands[winner.after(1, 2).index()];
            self.scores[winner.index()] += round_score(loser_hand);
        }
        let scores = self.scores;
        self.last_round = Some(LastRound { round: self.round_number, winner, loser_hand, scores });
        if self.scores.iter().any(|score| *score >= self.options.target) {
            self.ended = Some(Ended::Target);
        } else if self.round_number >= ROUNDS_MAX {
            self.ended = Some(Ended::Rounds);
        } else {
            self.round_number += 1;
            self.actions_in_round = 0;
            self.round = Round::init(self.starter(), &mut self.rng);
        }
    }

    /// The state after a seat gave up.
    #[must_use]
    pub(crate) fn forfeited(&self, seat: Seat, cause: Forfeit) -> State {
        let mut next = self.clone();
        next.ended = next.ended.or(Some(Ended::Forfeit { seat, cause }));
        next
    }

    /// R2.4
    pub(crate) fn starter(&self) -> Seat {
        match self.options.starter {
            Starter::Alternate => Seat::FIRST.after(self.round_number - 1, 2),
            Starter::Host => Seat::FIRST,
        }
    }

    /// The seat whose turn it is; nobody's once the match is over.
    pub(crate) fn to_act(&self) -> SeatSet {
        if self.is_over() { SeatSet::EMPTY } else { SeatSet::only(self.round.to_act) }
    }

    /// `isGameOver`
    pub fn is_over(&self) -> bool {
        self.ended.is_some()
    }

    /// `getWinner`, with everybody's place.
    pub fn outcome(&self) -> Option<Outcome> {
        let ended = self.ended?;
        let (totals, reason) = match ended {
            Ended::Target => (self.scores, "target"),
            Ended::Rounds => (self.scores, "rounds"),
            Ended::Forfeit { seat, cause } => {
                let mut standing = [1; 2];
                standing[seat.index()] = 0;
                (standing, cause.key())
            }
        };
        let place = |seat: usize| 1 + u8::from(totals[1 - seat] > totals[seat]);
        Some(Outcome { places: vec![place(0), place(1)], reason })
    }
}

impl Options {
    pub(crate) fn check(self) -> Result<(), SetupError> {
        if (1..=TARGET_MAX).contains(&self.target) {
            return Ok(());
        }
        let reason = format!("a target of {}; it is 1 to {TARGET_MAX}", self.target);
        Err(SetupError::InvalidSetup(reason))
    }
}
