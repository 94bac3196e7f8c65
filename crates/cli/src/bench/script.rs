//! Whole matches, played beforehand: during a run the client knows no rules, so that it is not the
//! limit.
//!
//! For games in which the deal decides nothing; where something is hidden, a match that was played
//! here could not be played there.

use anyhow::{bail, ensure};
use game_api::{AnyGame, Seat, Seed, Telling};

/// So many matches are played by chance; of these the longest are kept, since in a run every end of
/// a match is followed by a new one.
const PLAYED: u64 = 256;
const KEPT: usize = 32;

/// The actions of a match.
pub(super) struct Script {
    pub(super) steps: Vec<(Seat, String)>,
}

impl Script {
    /// How many actions.
    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.steps.len()).unwrap_or(u32::MAX)
    }

    /// Whose action follows this many.
    pub(super) fn actor(&self, ply: u32) -> Option<Seat> {
        self.steps.get(ply as usize).map(|(seat, _)| *seat)
    }

    /// The first action of a seat from this ply on; the script's length if there is none.
    pub(super) fn next_of(&self, seat: Seat, from: u32) -> u32 {
        let rest = self.steps.iter().skip(from as usize);
        let skipped = rest.take_while(|(actor, _)| *actor != seat).count();
        from + u32::try_from(skipped).unwrap_or(u32::MAX)
    }
}

/// A game that can be played from scripts.
pub(super) fn find(id: &str) -> anyhow::Result<&'static dyn AnyGame> {
    let Some(game) = catalog::find(id) else { bail!("there is no game `{id}`") };
    ensure!(!game.meta().hidden_information, "{id} has secrets: no script fits its deal");
    ensure!(*game.meta().seats.start() >= 2, "{id} is not for two");
    Ok(game)
}

/// Plays random matches and gives the longest of them.
pub(super) fn write(game: &dyn AnyGame, seats: u8) -> anyhow::Result<Vec<Script>> {
    let mut chooser = fastrand::Rng::with_seed(1);
    let mut scripts = Vec::new();
    let mut telling = Telling::default();
    for number in 0..PLAYED {
        let mut contest = game.start("{}", seats, Seed::from_number(number))?;
        let mut steps = Vec::new();
        while let Some(seat) = contest.to_act().iter().next() {
            let actions = contest.legal(seat)?.actions;
            let Some(action) = chooser.choice(actions) else { bail!("seat {seat} is stuck") };
            contest.act(seat, &action, &mut telling)?;
            steps.push((seat, action));
        }
        scripts.push(Script { steps });
    }
    scripts.sort_by_key(|script| std::cmp::Reverse(script.len()));
    scripts.truncate(KEPT);
    Ok(scripts)
}
