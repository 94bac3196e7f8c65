//! Random matches: how they are set up, how they go on, and how a broken law is told.

use std::fmt;
use std::sync::Arc;

use game_api::{Game, GameRng, Seat, Seed, Step};

/// How many actions of a sampler are looked at beside a list.
const SAMPLES: usize = 8;

/// A law that a game broke, and how to see it again.
#[derive(Debug)]
pub struct Failure {
    /// The law, by name.
    pub law: &'static str,
    /// The match's number: the same number plays the same match.
    pub number: u64,
    /// After how many actions.
    pub plies: u32,
    /// What was seen.
    pub detail: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Failure { law, number, plies, detail } = self;
        write!(f, "random match {number}, after {plies} actions: {law}: {detail}")
    }
}

/// What a law was tried on.
#[derive(Clone, Copy, Debug, Default)]
pub struct WalkReport {
    /// Matches played to their end.
    pub matches: u64,
    /// Actions in them.
    pub plies: u64,
    /// Single comparisons.
    pub checks: u64,
}

impl fmt::Display for WalkReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let WalkReport { matches, plies, checks } = self;
        write!(f, "{matches} matches, {plies} actions, {checks} checks")
    }
}

/// The options and seats of the random match with a given number: all presets and all numbers of
/// seats come up in turn.
pub struct Seating<G: Game> {
    /// A preset's options.
    pub options: G::Options,
    /// How many sit down.
    pub seats: u8,
    /// Where the deal comes from.
    pub seed: Seed,
}

impl<G: Game> Seating<G> {
    /// For the match with this number.
    pub fn new(game: &G, number: u64) -> Seating<G> {
        let presets = game.presets();
        let seat_counts: Vec<u8> = G::META.seats.collect();
        let pick = |count: usize| usize::try_from(number).unwrap_or(0) % count;
        let (_, options) =
            presets[pick(presets.len() * seat_counts.len()) / seat_counts.len()].clone();
        Seating {
            options,
            seats: seat_counts[pick(seat_counts.len())],
            seed: Seed::from_number(number),
        }
    }
}

/// A random match in progress.
pub(crate) struct Walk<'g, G: Game> {
    pub(crate) game: &'g Arc<G>,
    pub(crate) seating: Seating<G>,
    pub(crate) state: G::State,
    pub(crate) chooser: fastrand::Rng,
    sampler: GameRng,
    number: u64,
    plies: u32,
    actions: Vec<G::Action>,
}

impl<'g, G: Game> Walk<'g, G> {
    pub(crate) fn start(game: &'g Arc<G>, number: u64) -> Result<Walk<'g, G>, Failure> {
        let seating = Seating::new(&**game, number);
        let state =
            game.setup(&seating.options, seating.seats, &seating.seed).map_err(|error| {
                let detail = error.to_string();
                Failure { law: "a preset makes a match", number, plies: 0, detail }
            })?;
        let chooser = fastrand::Rng::with_seed(number);
        let sampler = GameRng::new(&seating.seed);
        let actions = Vec::new();
        Ok(Walk { game, seating, state, chooser, sampler, number, plies: 0, actions })
    }

    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn fail(&self, law: &'static str, detail: impl Into<String>) -> Failure {
        Failure { law, number: self.number, plies: self.plies, detail: detail.into() }
    }

    /// A seat that may act and one of its legal actions; `None` when the match is over.
    pub(crate) fn choose(&mut self) -> Result<Option<(Seat, G::Action)>, Failure> {
        if self.plies > G::META.longest_match {
            return Err(self.fail("every match ends", "it went on beyond the longest match"));
        }
        let to_act: Vec<Seat> = self.game.to_act(&self.state).iter().collect();
        let Some(&seat) = self.chooser.choice(&to_act) else { return Ok(None) };
        if let Some(action) = self.game.sample(&self.state, seat, &mut self.sampler) {
            return Ok(Some((seat, action)));
        }
        self.actions.clear();
        self.game.legal_actions(&self.state, seat, &mut self.actions);
        match self.chooser.choice(&self.actions) {
            Some(action) => Ok(Some((seat, action.clone()))),
            None => Err(self.fail("who may act can act", format!("seat {seat} has no action"))),
        }
    }

    /// The actions that a seat is listed, and a few that its game's sampler knows beside them.
    pub(crate) fn list(&mut self, seat: Seat) -> Vec<G::Action> {
        let mut actions = Vec::new();
        self.game.legal_actions(&self.state, seat, &mut actions);
        for _ in 0..SAMPLES {
            let sampled = self.game.sample(&self.state, seat, &mut self.sampler);
            actions.extend(sampled.filter(|action| !actions.contains(action)));
        }
        actions
    }

    /// Takes the action, shows the step to `look`, and goes on from there.
    pub(crate) fn advance(
        &mut self,
        seat: Seat,
        action: &G::Action,
        look: impl FnOnce(&Self, &Step<'_, G>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let after = self.game.apply(&self.state, seat, action).map_err(|violation| {
            self.fail("what is listed is accepted", format!("seat {seat} {action}: {violation}"))
        })?;
        look(self, &Step { before: &self.state, seat, action, after: &after })?;
        self.state = after;
        self.plies += 1;
        Ok(())
    }
}
