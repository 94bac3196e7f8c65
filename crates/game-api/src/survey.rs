//! Walking through a game's tree without anybody playing: counts for tests and benchmarks.

use crate::{Game, GameRng, Seat, Seed, SetupError};

/// How many ways there are to play `depth` more actions; a match that ends earlier counts once.
pub fn perft<G: Game>(game: &G, state: &G::State, depth: u32) -> u64 {
    let to_act = game.to_act(state);
    if depth == 0 || to_act.is_empty() {
        return 1;
    }
    let mut actions = Vec::new();
    let mut leaves = 0_u64;
    for seat in to_act.iter() {
        actions.clear();
        game.legal_actions(state, seat, &mut actions);
        for action in &actions {
            if let Ok(after) = game.apply(state, seat, action) {
                leaves = game.perft(&after, depth - 1).saturating_add(leaves);
            }
        }
    }
    leaves
}

/// What random play went through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Playouts {
    /// Matches played to their end.
    pub matches: u64,
    /// Actions in all of them.
    pub plies: u64,
}

/// Plays `matches` matches by uniformly random legal actions, repeatable by `seed`.
pub fn playouts<G: Game>(
    game: &G,
    options: &G::Options,
    seats: u8,
    matches: u64,
    seed: u64,
) -> Result<Playouts, SetupError> {
    let mut chooser = fastrand::Rng::with_seed(seed);
    let mut rng = GameRng::new(&Seed::from_number(seed));
    let mut actions = Vec::new();
    let mut total = Playouts::default();
    for _ in 0..matches {
        let mut state = game.setup(options, seats, &Seed::from_number(chooser.u64(..)))?;
        while let Some(seat) = choose_seat(game, &state, &mut chooser) {
            let mut chosen = game.sample(&state, seat, &mut rng);
            if chosen.is_none() {
                actions.clear();
                game.legal_actions(&state, seat, &mut actions);
                chosen = chooser.choice(&actions).cloned();
            }
            let applied = chosen.as_ref().map(|action| game.apply(&state, seat, action));
            let Some(Ok(after)) = applied else {
                let fault = format!("seat {seat} cannot do what is listed: {chosen:?}");
                return Err(SetupError::InvalidSetup(fault));
            };
            state = after;
            total.plies += 1;
        }
        total.matches += 1;
    }
    Ok(total)
}

fn choose_seat<G: Game>(game: &G, state: &G::State, chooser: &mut fastrand::Rng) -> Option<Seat> {
    let to_act = game.to_act(state);
    let skipped = if to_act.len() > 1 { chooser.usize(..to_act.len()) } else { 0 };
    to_act.iter().nth(skipped)
}
