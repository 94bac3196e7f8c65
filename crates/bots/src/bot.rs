//! What a bot is asked, and what it answers.

use game_api::{BadView, Context, Game, GameRng, Seat, Viewer};

use crate::{Budget, Level};

/// A player of one game.
pub trait Bot<G: Game>: Send + Sync {
    /// An action for the seat, by what it sees.
    fn choose(
        &self,
        situation: &Situation<'_, G>,
        level: Level,
        budget: &Budget<'_>,
        rng: &mut GameRng,
    ) -> Result<Choice<G::Action>, Puzzled>;

    /// What people should know of a level, in a sentence: what it lacks besides skill.
    fn remark(&self, _level: Level) -> Option<String> {
        None
    }
}

/// A match as one seat sees it.
pub struct Situation<'a, G: Game> {
    /// The rules.
    pub game: &'a G,
    /// The match's options.
    pub options: &'a G::Options,
    /// How many seats the match has.
    pub seats: u8,
    /// Who is asked.
    pub seat: Seat,
    /// What this seat sees.
    pub view: &'a G::View,
}

impl<G: Game> Situation<'_, G> {
    /// One of the states that look like this.
    pub fn sample(&self, rng: &mut GameRng) -> Result<G::State, Puzzled> {
        let viewer = Viewer::Seat(self.seat);
        let context = Context { options: self.options, seats: self.seats, viewer };
        Ok(self.game.determinize(&context, self.view, rng)?)
    }

    /// The seat's actions in one of these states; at least one.
    pub fn actions(&self, state: &G::State) -> Result<Vec<G::Action>, Puzzled> {
        let mut actions = Vec::new();
        if self.game.to_act(state).contains(self.seat) {
            self.game.legal_actions(state, self.seat, &mut actions);
        }
        if actions.is_empty() { Err(Puzzled::NothingToDo(self.seat)) } else { Ok(actions) }
    }
}

/// An action, and how its bot likes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice<A> {
    /// What to do.
    pub action: A,
    /// What the seat's match is worth then: 0 is even, [`crate::WIN`] is won; what lies between is
    /// the game's own measure.
    pub value: i32,
}

/// Why a bot names no action.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Puzzled {
    /// Nothing looks like this.
    #[error(transparent)]
    View(#[from] BadView),
    /// It is not the seat's turn, or its actions cannot be listed.
    #[error("seat {0} has nothing to choose from")]
    NothingToDo(Seat),
}

/// 1 if the match is over and the seat has won it, 0 if it shares the first place, -1 else.
pub(crate) fn result<G: Game>(game: &G, state: &G::State, seat: Seat) -> Option<i32> {
    let places = game.outcome(state)?.places;
    if places.get(seat.index()) != Some(&1) {
        return Some(-1);
    }
    let is_shared = places.iter().enumerate().any(|(at, place)| at != seat.index() && *place == 1);
    Some(i32::from(!is_shared))
}
