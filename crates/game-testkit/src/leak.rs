//! The leak law: two states that differ only in what a viewer has not seen look the same to it, and
//! so does every step from them.

use std::fmt;

use game_api::{Game, GameRng, Seat, Seed, Step, Viewer};

use crate::walk::{Failure, Walk};

/// Deals everything anew that the viewer has not seen, by RULES.md and never by `View`.
pub type Redeal<G> = fn(&<G as Game>::State, Viewer, &mut GameRng) -> <G as Game>::State;

/// What the law was tried on. Zeros would mean that nothing was compared, and are failures.
#[derive(Clone, Debug, Default)]
pub struct LeakReport {
    /// Pairs of states that one viewer cannot tell apart.
    pub twins: u64,
    /// Of these, pairs that somebody else can tell apart.
    pub telling_twins: u64,
    /// Pairs of steps compared.
    pub steps: u64,
}

impl fmt::Display for LeakReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LeakReport { twins, telling_twins, steps } = self;
        write!(
            f,
            "{twins} twins, {telling_twins} of them different to others, {steps} steps compared"
        )
    }
}

/// Views, legal lists, events and notations tell a viewer nothing that is hidden from it.
pub fn leak_law<G: Game>(game: &G, redeal: Redeal<G>, matches: u64) -> Result<LeakReport, Failure> {
    let mut report = LeakReport::default();
    for number in 0..matches {
        let mut walk = Walk::start(game, number)?;
        let mut rng = GameRng::new(&Seed::from_number(number ^ 0x1EAC));
        loop {
            for viewer in Viewer::all(walk.seating.seats) {
                let twin = redeal(&walk.state, viewer, &mut rng);
                compare_states(&walk, viewer, &twin, &mut report)?;
                compare_steps(&walk, viewer, &twin, &mut report)?;
            }
            let Some((seat, action)) = walk.choose()? else { break };
            walk.advance(seat, &action, |_, _| Ok(()))?;
        }
    }
    if report.steps == 0 || report.telling_twins == 0 {
        let law = "the leak law compares something";
        return Err(Failure { law, number: 0, plies: 0, detail: report.to_string() });
    }
    Ok(report)
}

fn compare_states<G: Game>(
    walk: &Walk<'_, G>,
    viewer: Viewer,
    twin: &G::State,
    report: &mut LeakReport,
) -> Result<(), Failure> {
    let (game, state) = (walk.game, &walk.state);
    report.twins += 1;
    let differs = |viewer| game.view(state, viewer) != game.view(twin, viewer);
    if differs(viewer) {
        let (here, there) = (game.view(state, viewer), game.view(twin, viewer));
        let detail = format!("viewer {viewer}: {here:?} with another deal is {there:?}");
        return Err(walk.fail("a view hides what is hidden", detail));
    }
    if let Some(seat) = viewer.seat() {
        let (mut here, mut there) = (Vec::new(), Vec::new());
        game.legal_actions(state, seat, &mut here);
        game.legal_actions(twin, seat, &mut there);
        if here != there {
            let detail = format!("seat {seat}: {here:?} with another deal is {there:?}");
            return Err(walk.fail("a legal list hides what is hidden", detail));
        }
    }
    report.telling_twins += u64::from(Viewer::all(walk.seating.seats).any(differs));
    Ok(())
}

/// Every action that both twins accept: if the viewer cannot tell the states after it apart, it
/// cannot tell the steps apart either.
fn compare_steps<G: Game>(
    walk: &Walk<'_, G>,
    viewer: Viewer,
    twin: &G::State,
    report: &mut LeakReport,
) -> Result<(), Failure> {
    let (game, state) = (walk.game, &walk.state);
    let mut actions = Vec::new();
    for seat in Seat::all(walk.seating.seats) {
        actions.clear();
        game.legal_actions(state, seat, &mut actions);
        for action in &actions {
            let (Ok(after), Ok(twin_after)) =
                (game.apply(state, seat, action), game.apply(twin, seat, action))
            else {
                continue;
            };
            if game.view(&after, viewer) != game.view(&twin_after, viewer) {
                continue;
            }
            report.steps += 1;
            let here = Step { before: state, seat, action, after: &after };
            let there = Step { before: twin, seat, action, after: &twin_after };
            let (event, twin_event) = (game.event(&here, viewer), game.event(&there, viewer));
            if event != twin_event {
                let detail = format!("viewer {viewer}, {action}: {event:?} or {twin_event:?}");
                return Err(walk.fail("an event hides what is hidden", detail));
            }
            let (text, twin_text) = (game.notation(&here, viewer), game.notation(&there, viewer));
            if text != twin_text {
                let detail = format!("viewer {viewer}, {action}: {text:?} or {twin_text:?}");
                return Err(walk.fail("a notation hides what is hidden", detail));
            }
        }
    }
    Ok(())
}
