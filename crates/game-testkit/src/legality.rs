//! The laws of play: who may act, what is legal, how it ends; and that a view suffices to know it.

use std::collections::VecDeque;
use std::sync::Arc;

use game_api::{
    Completeness, Context, Forfeit, Game, GameRng, Seat, Seed, StateHash, Step, TimeOut, Viewer,
    Violation,
};

use crate::walk::{Failure, Walk, WalkReport};

/// How many actions of earlier moments are tried again later, where most of them are illegal.
const MEMORY: usize = 64;
/// How many of them at each step.
const TRIED_PER_STEP: usize = 4;

/// Legality, views and events at each step of random matches.
pub fn walk_laws<G: Game>(game: &Arc<G>, matches: u64) -> Result<WalkReport, Failure> {
    let mut report = WalkReport::default();
    let mut memory = VecDeque::with_capacity(MEMORY);
    check_seat_counts(&**game)?;
    for number in 0..matches {
        let mut walk = Walk::start(game, number)?;
        // Now and then a seat gives up on the way.
        let gives_up_at = (number % 8 == 7).then(|| walk.chooser.u32(..64));
        let mut plies = 0;
        loop {
            check_end(&walk)?;
            check_draw(&walk)?;
            report.checks += check_lists(&mut walk, &memory)?;
            check_ahead(&walk)?;
            if gives_up_at == Some(plies) {
                check_forfeit(&mut walk)?;
                check_end(&walk)?;
            }
            let Some((seat, action)) = walk.choose()? else { break };
            walk.advance(seat, &action, check_step)?;
            plies += 1;
            if memory.len() == MEMORY {
                memory.pop_front();
            }
            memory.push_back(action);
        }
        report.matches += 1;
        report.plies += u64::from(plies);
    }
    Ok(report)
}

/// A game refuses to seat more or fewer than it says, and never panics over it.
fn check_seat_counts<G: Game>(game: &G) -> Result<(), Failure> {
    for seats in 0..=u8::MAX {
        let accepts = game.setup(&G::Options::default(), seats, &Seed::from_number(0)).is_ok();
        if accepts != G::META.seats.contains(&seats) {
            let detail = format!("{seats} seats: accepted is {accepts}");
            let law = "setup seats whom META says";
            return Err(Failure { law, number: 0, plies: 0, detail });
        }
    }
    Ok(())
}

/// Over ⇔ nobody to act ⇔ there is an outcome, which places every seat.
fn check_end<G: Game>(walk: &Walk<'_, G>) -> Result<(), Failure> {
    let to_act = walk.game.to_act(&walk.state);
    let outcome = walk.game.outcome(&walk.state);
    if to_act.is_empty() != outcome.is_some() {
        let detail = format!("to act: {{{to_act}}}, outcome: {outcome:?}");
        return Err(walk.fail("over exactly when nobody is to act", detail));
    }
    if to_act.iter().any(|seat| seat.index() >= usize::from(walk.seating.seats)) {
        return Err(walk.fail("only the match's seats act", to_act.to_string()));
    }
    let Some(outcome) = outcome else { return Ok(()) };
    // Places are numbered as in sport: one more than the seats that did better.
    let expected: Vec<usize> = outcome
        .places
        .iter()
        .map(|place| 1 + outcome.places.iter().filter(|other| *other < place).count())
        .collect();
    let places: Vec<usize> = outcome.places.iter().map(|place| usize::from(*place)).collect();
    if places == expected && places.len() == usize::from(walk.seating.seats) {
        Ok(())
    } else {
        Err(walk.fail("an outcome places every seat", format!("{outcome:?}")))
    }
}

/// A running match can be drawn by agreement exactly if META says so; then it is over, and nobody won.
fn check_draw<G: Game>(walk: &Walk<'_, G>) -> Result<(), Failure> {
    if walk.game.to_act(&walk.state).is_empty() {
        return Ok(());
    }
    let drawn = walk.game.agree_draw(&walk.state);
    if drawn.is_some() != G::META.draw_by_agreement {
        let detail = format!("known is {}", drawn.is_some());
        return Err(walk.fail("META says whether a draw can be agreed on", detail));
    }
    let Some(drawn) = drawn else { return Ok(()) };
    let outcome = walk.game.outcome(&drawn);
    // Somebody is second only behind a single first; who gave up before comes after all who share it.
    let is_won = outcome.as_ref().is_some_and(|outcome| outcome.places.contains(&2));
    if walk.game.to_act(&drawn).is_empty() && !is_won {
        Ok(())
    } else {
        Err(walk.fail("an agreed draw ends it without a winner", format!("{outcome:?}")))
    }
}

/// Listed ⇔ accepted, for every seat of the match; returns how many actions were tried.
fn check_lists<G: Game>(
    walk: &mut Walk<'_, G>,
    memory: &VecDeque<G::Action>,
) -> Result<u64, Failure> {
    let mut tried = 0;
    let to_act = walk.game.to_act(&walk.state);
    let mut listed = Vec::new();
    for seat in Seat::all(walk.seating.seats) {
        listed.clear();
        let completeness = walk.game.legal_actions(&walk.state, seat, &mut listed);
        if !to_act.contains(seat) && !listed.is_empty() {
            return Err(walk.fail("only who may act has actions", format!("seat {seat}")));
        }
        for (index, action) in listed.iter().enumerate() {
            if listed[..index].contains(action) {
                return Err(walk.fail("an action is listed once", action.to_string()));
            }
            if let Err(violation) = walk.game.apply(&walk.state, seat, action) {
                let detail = format!("seat {seat} {action}: {violation}");
                return Err(walk.fail("what is listed is accepted", detail));
            }
        }
        tried += listed.len() as u64;
        let start = walk.chooser.usize(..MEMORY);
        for action in memory.iter().skip(start).take(TRIED_PER_STEP) {
            tried += 1;
            let code = walk.game.apply(&walk.state, seat, action).err().map(|error| error.code());
            let expected = if to_act.is_empty() {
                Some("game_over")
            } else if !to_act.contains(seat) {
                Some("not_your_turn")
            } else if listed.contains(action) || completeness == Completeness::Partial {
                continue;
            } else {
                code
            };
            if code.is_none() || code != expected {
                let detail = format!("seat {seat} {action}: {code:?}, expected {expected:?}");
                return Err(walk.fail("what is not listed is refused", detail));
            }
        }
        if let (true, TimeOut::Act(action)) =
            (to_act.contains(seat), walk.game.time_out(&walk.state, seat))
            && walk.game.apply(&walk.state, seat, &action).is_err()
        {
            return Err(walk.fail("what the clock does is legal", action.to_string()));
        }
    }
    Ok(tried)
}

/// Where a game lets a seat act ahead, it has a turn there with something to do.
fn check_ahead<G: Game>(walk: &Walk<'_, G>) -> Result<(), Failure> {
    for seat in Seat::all(walk.seating.seats) {
        if walk.game.to_act(&walk.state).contains(seat) {
            continue;
        }
        let Some(supposed) = walk.game.suppose_turn(&walk.state, seat) else { continue };
        let mut listed = Vec::new();
        walk.game.legal_actions(&supposed, seat, &mut listed);
        let is_good = |action: &G::Action| walk.game.apply(&supposed, seat, action).is_ok();
        let is_turn = walk.game.to_act(&supposed).contains(seat);
        if !is_turn || listed.is_empty() || !listed.iter().all(is_good) {
            return Err(walk.fail("a supposed turn is a turn", format!("seat {seat}")));
        }
    }
    Ok(())
}

/// Views, events and notations exist for everybody, the same for all where nothing is hidden; and
/// turns only go up.
fn check_step<G: Game>(walk: &Walk<'_, G>, step: &Step<'_, G>) -> Result<(), Failure> {
    if walk.game.turn(step.after) < walk.game.turn(step.before) {
        return Err(walk.fail("turns only go up", step.action.to_string()));
    }
    let told = Viewer::all(walk.seating.seats).map(|viewer| {
        let view = walk.game.view(step.after, viewer);
        (view, walk.game.event(step, viewer), walk.game.notation(step, viewer))
    });
    let told: Vec<_> = told.collect();
    if !G::META.hidden_information && told.iter().any(|it| *it != told[0]) {
        return Err(walk.fail("without secrets all see alike", step.action.to_string()));
    }
    Ok(())
}

/// A seat that gives up never acts again; the rest play on by the rules.
fn check_forfeit<G: Game>(walk: &mut Walk<'_, G>) -> Result<(), Failure> {
    let seats: Vec<Seat> = Seat::all(walk.seating.seats).collect();
    let seat = seats[walk.chooser.usize(..seats.len())];
    let after = walk.game.forfeit(&walk.state, seat, Forfeit::Resigned);
    if walk.game.to_act(&after).contains(seat) {
        return Err(walk.fail("who gave up acts no more", format!("seat {seat}")));
    }
    if seats.len() == 2 && !walk.game.to_act(&after).is_empty() {
        return Err(walk.fail("of two, one giving up ends it", format!("seat {seat}")));
    }
    if walk.game.forfeit(&after, seat, Forfeit::Time) != after {
        return Err(walk.fail("giving up twice is giving up once", format!("seat {seat}")));
    }
    walk.state = after;
    Ok(())
}

/// A view suffices: it survives JSON, a state can be made that looks just like it, that state has
/// the viewer's own legal actions, and a preview agrees with the rules.
pub fn view_laws<G: Game>(game: &Arc<G>, matches: u64) -> Result<WalkReport, Failure> {
    let mut report = WalkReport::default();
    let mut memory: VecDeque<G::Action> = VecDeque::with_capacity(MEMORY);
    for number in 0..matches {
        let mut walk = Walk::start(game, number)?;
        let mut rng = GameRng::new(&Seed::from_number(number ^ 0xD1CE));
        loop {
            for viewer in Viewer::all(walk.seating.seats) {
                check_view(&walk, viewer, &memory, &mut rng)?;
                report.checks += 1;
            }
            let Some((seat, action)) = walk.choose()? else { break };
            walk.advance(seat, &action, check_event_json)?;
            report.plies += 1;
            if memory.len() == MEMORY {
                memory.pop_front();
            }
            memory.push_back(action);
        }
        report.matches += 1;
    }
    Ok(report)
}

fn check_view<G: Game>(
    walk: &Walk<'_, G>,
    viewer: Viewer,
    memory: &VecDeque<G::Action>,
    rng: &mut GameRng,
) -> Result<(), Failure> {
    let (game, state) = (&**walk.game, &walk.state);
    let view = game.view(state, viewer);
    let json = serde_json::to_string(&view).unwrap_or_default();
    if serde_json::from_str::<G::View>(&json).ok().as_ref() != Some(&view) {
        return Err(walk.fail("a view survives JSON", format!("viewer {viewer}: {json}")));
    }
    let seats = walk.seating.seats;
    let context = Context { options: &walk.seating.options, seats, viewer };
    let twin = game.determinize(&context, &view, rng).map_err(|error| {
        walk.fail("a view can be filled in", format!("viewer {viewer}: {error}"))
    })?;
    if game.view(&twin, viewer) != view {
        return Err(
            walk.fail("what is filled in looks the same", format!("viewer {viewer}: {json}"))
        );
    }
    let Some(seat) = viewer.seat() else { return Ok(()) };
    let (mut listed, mut twin_listed) = (Vec::new(), Vec::new());
    let completeness = game.legal_actions(state, seat, &mut listed);
    game.legal_actions(&twin, seat, &mut twin_listed);
    if completeness == Completeness::Complete && listed != twin_listed {
        let detail = format!("seat {seat}: {listed:?}, filled in: {twin_listed:?}");
        return Err(walk.fail("a view tells what is legal", detail));
    }
    let hash = StateHash::of(state);
    for action in listed.iter().chain(memory) {
        let applied = game.apply(state, seat, action).err().map(|violation| violation.code());
        let foreseen =
            game.preview(&context, &view, action).err().map(|violation| violation.code());
        if applied != foreseen {
            let detail = format!("seat {seat} {action}: {applied:?}, foreseen {foreseen:?}");
            return Err(walk.fail("a preview agrees with the rules", detail));
        }
    }
    if StateHash::of(state) != hash {
        return Err(walk.fail("a refusal leaves the state", format!("seat {seat}")));
    }
    Ok(())
}

fn check_event_json<G: Game>(walk: &Walk<'_, G>, step: &Step<'_, G>) -> Result<(), Failure> {
    for viewer in Viewer::all(walk.seating.seats) {
        let event = walk.game.event(step, viewer);
        let json = serde_json::to_string(&event).unwrap_or_default();
        if serde_json::from_str::<G::Event>(&json).ok().as_ref() != Some(&event) {
            return Err(walk.fail("an event survives JSON", format!("viewer {viewer}: {json}")));
        }
    }
    Ok(())
}
