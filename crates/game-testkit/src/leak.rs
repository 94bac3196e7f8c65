//! The leak law: two states that differ only in what a viewer has not seen look the same to it, and
//! so does every step from them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use game_api::{Game, GameRng, Seat, Seed, Step, Viewer};

use crate::walk::{Failure, Walk};

/// Deals everything anew that the viewer has not seen, by RULES.md and never by `View`.
pub type Redeal<G> = fn(&<G as Game>::State, Viewer, &mut GameRng) -> <G as Game>::State;

/// What the law was tried on. Zeros would mean that nothing was compared, and are failures.
#[derive(Clone, Debug, Default)]
pub struct LeakReport {
    /// Pairs of states that one viewer cannot tell apart.
    pub twins: u64,
    /// Of these, for each viewer, pairs that somebody else can tell apart.
    pub telling_twins: BTreeMap<String, u64>,
    /// Pairs of equal actions in twins compared.
    pub steps: u64,
    /// Pairs of different actions in one state compared.
    pub concealed: u64,
    /// Pairs of refusals compared.
    pub refusals: u64,
}

impl fmt::Display for LeakReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LeakReport { twins, telling_twins, steps, concealed, refusals } = self;
        write!(
            f,
            "{twins} twins (for each viewer, different to others: {telling_twins:?}), {steps} steps, \
             {concealed} concealed actions, {refusals} refusals compared"
        )
    }
}

/// Views, legal lists, events and notations tell a viewer nothing that is hidden from it.
pub fn leak_law<G: Game>(
    game: &Arc<G>,
    redeal: Redeal<G>,
    matches: u64,
) -> Result<LeakReport, Failure> {
    let mut report = LeakReport::default();
    for number in 0..matches {
        let mut walk = Walk::start(game, number)?;
        let mut rng = GameRng::new(&Seed::from_number(number ^ 0x1EAC));
        let mut earlier: Vec<G::Action> = Vec::new();
        loop {
            let seats = Seat::all(walk.seating.seats);
            let lists: Vec<(Seat, Vec<G::Action>)> =
                seats.map(|seat| (seat, walk.list(seat))).collect();
            for viewer in Viewer::all(walk.seating.seats) {
                let twin = redeal(&walk.state, viewer, &mut rng);
                compare_states(&walk, viewer, &twin, &mut report)?;
                for (seat, actions) in &lists {
                    compare_steps(&walk, viewer, &twin, (*seat, actions), &mut report)?;
                }
                compare_refusals(&walk, viewer, &twin, &earlier, &mut report)?;
            }
            let Some((seat, action)) = walk.choose()? else { break };
            walk.advance(seat, &action, |_, _| Ok(()))?;
            earlier.truncate(7);
            earlier.insert(0, action);
        }
    }
    let has_redealt = report.telling_twins.values().all(|count| *count > 0);
    if report.steps == 0 || report.refusals == 0 || !has_redealt {
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
    let (game, state) = (&**walk.game, &walk.state);
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
    let is_telling = Viewer::all(walk.seating.seats).any(differs);
    *report.telling_twins.entry(viewer.to_string()).or_default() += u64::from(is_telling);
    Ok(())
}

/// If a viewer cannot tell the states after two steps apart, it cannot tell the steps apart either:
/// neither the same action in both twins, nor two actions of another seat that lead to different
/// states. The second is about secrets in an action's text, such as a card exchanged face down. (Two
/// deeds that lead to the very same state, such as the votes that close a ballot, may differ.)
fn compare_steps<G: Game>(
    walk: &Walk<'_, G>,
    viewer: Viewer,
    twin: &G::State,
    (seat, actions): (Seat, &[G::Action]),
    report: &mut LeakReport,
) -> Result<(), Failure> {
    let game = &**walk.game;
    let mut seen: Vec<Seen<'_, G>> = Vec::new();
    for action in actions {
        let here = Seen::new(game, &walk.state, seat, action, viewer);
        let there = Seen::new(game, twin, seat, action, viewer);
        let Some(here) = here else { continue };
        let concealed = seen.iter().filter(|other| !viewer.is(seat) && other.after != here.after);
        for other in concealed.filter(|other| other.view == here.view) {
            report.concealed += 1;
            here.check_told_alike(other).map_err(|(law, detail)| walk.fail(law, detail))?;
        }
        if let Some(there) = there.filter(|there| there.view == here.view) {
            report.steps += 1;
            here.check_told_alike(&there).map_err(|(law, detail)| walk.fail(law, detail))?;
        }
        seen.push(here);
    }
    Ok(())
}

/// What a seat may not do, it may not do in both twins, for the same reason in the same words.
fn compare_refusals<G: Game>(
    walk: &Walk<'_, G>,
    viewer: Viewer,
    twin: &G::State,
    actions: &[G::Action],
    report: &mut LeakReport,
) -> Result<(), Failure> {
    let Some(seat) = viewer.seat() else { return Ok(()) };
    let refusal = |state: &G::State, action: &G::Action| {
        walk.game.apply(state, seat, action).err().map(|violation| violation.to_string())
    };
    for action in actions {
        let (here, there) = (refusal(&walk.state, action), refusal(twin, action));
        report.refusals += u64::from(here.is_some());
        if here != there {
            let detail = format!("seat {seat} {action}: {here:?} with another deal is {there:?}");
            return Err(walk.fail("a refusal hides what is hidden", detail));
        }
    }
    Ok(())
}

/// What a viewer sees of a step.
struct Seen<'a, G: Game> {
    action: &'a G::Action,
    after: G::State,
    view: G::View,
    event: G::Event,
    notation: String,
}

impl<'a, G: Game> Seen<'a, G> {
    /// `None` if the action is refused.
    fn new(
        game: &G,
        before: &G::State,
        seat: Seat,
        action: &'a G::Action,
        viewer: Viewer,
    ) -> Option<Self> {
        let after = game.apply(before, seat, action).ok()?;
        let step = Step { before, seat, action, after: &after };
        let (event, notation) = (game.event(&step, viewer), game.notation(&step, viewer));
        let view = game.view(&after, viewer);
        Some(Seen { action, after, view, event, notation })
    }
}

impl<G: Game> Seen<'_, G> {
    /// Two steps that lead to equal views: the law that their telling breaks, and how.
    fn check_told_alike(&self, other: &Self) -> Result<(), (&'static str, String)> {
        let law = if self.event != other.event {
            "an event hides what is hidden"
        } else if self.notation != other.notation {
            "a notation hides what is hidden"
        } else {
            return Ok(());
        };
        let (one, two) = (self.action, other.action);
        Err((law, format!("{one} is told as {self}, {two} as {other}")))
    }
}

impl<G: Game> fmt::Display for Seen<'_, G> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.notation, self.event)
    }
}
