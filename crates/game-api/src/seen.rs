//! What follows from a view alone: the browser has no more, and asks the same rules as the server.

use crate::any::{json, read_options};
use crate::{BadView, Context, Game, GameRng, Legal, Refusal, Refused, Seat, Seed, Step, Viewer};

/// A match as the player of one seat sees it.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The match's options, as JSON.
    pub options: &'a str,
    /// How many seats it has.
    pub seats: u8,
    /// Whose view it is.
    pub seat: Seat,
    /// The view, as JSON.
    pub view: &'a str,
}

impl Seen<'_> {
    /// The options and the view as the game has them.
    pub fn read<G: Game>(&self) -> Result<(G::Options, G::View), Refused> {
        Ok((read_options::<G>(self.options)?, read_view::<G>(self)?))
    }
}

/// What the seat may do.
pub(crate) fn legal<G: Game>(game: &G, seen: &Seen<'_>) -> Result<Legal, Refused> {
    let state = state(game, seen)?;
    Ok(list(game, &state, seen.seat))
}

/// What the seat might do once all of `ahead` has happened and nothing else, as far as that can be
/// known.
pub(crate) fn legal_ahead<G: Game>(
    game: &G,
    seen: &Seen<'_>,
    ahead: &[String],
) -> Result<Legal, Refused> {
    let refused = |violation: G::Violation| Refused::from(Refusal::Rule(violation));
    let mut state = state(game, seen)?;
    for text in ahead {
        let before = at_turn(game, state, seen.seat)?;
        let action: G::Action = text.parse().map_err(refused)?;
        let after = game.apply(&before, seen.seat, &action).map_err(refused)?;
        let step = Step { before: &before, seat: seen.seat, action: &action, after: &after };
        if game.reveals(&step) {
            return Ok(Legal { completeness: crate::Completeness::Partial, actions: Vec::new() });
        }
        state = after;
    }
    let state = at_turn(game, state, seen.seat)?;
    Ok(list(game, &state, seen.seat))
}

/// What the seat can foresee of its action, as JSON.
pub(crate) fn preview<G: Game>(game: &G, seen: &Seen<'_>, text: &str) -> Result<Vec<u8>, Refused> {
    let refused = |violation: G::Violation| Refused::from(Refusal::Rule(violation));
    let (options, view) = seen.read::<G>()?;
    let action: G::Action = text.parse().map_err(refused)?;
    let preview = game.preview(&context(seen, &options), &view, &action).map_err(refused)?;
    Ok(json(&preview))
}

/// How the seat's action would be written down, as far as the seat can know: the action alone, where
/// chance would add to it.
pub(crate) fn notation<G: Game>(game: &G, seen: &Seen<'_>, text: &str) -> Result<String, Refused> {
    let refused = |violation: G::Violation| Refused::from(Refusal::Rule(violation));
    let before = state(game, seen)?;
    let action: G::Action = text.parse().map_err(refused)?;
    let after = game.apply(&before, seen.seat, &action).map_err(refused)?;
    let step = Step { before: &before, seat: seen.seat, action: &action, after: &after };
    if game.reveals(&step) {
        return Ok(action.to_string());
    }
    Ok(game.notation(&step, Viewer::Seat(seen.seat)))
}

fn context<'a, G: Game>(seen: &Seen<'_>, options: &'a G::Options) -> Context<'a, G> {
    Context { options, seats: seen.seats, viewer: Viewer::Seat(seen.seat) }
}

fn read_view<G: Game>(seen: &Seen<'_>) -> Result<G::View, Refused> {
    if !G::META.seats.contains(&seen.seats) || seen.seat.index() >= usize::from(seen.seats) {
        return Err(BadView("it has no such seat").into());
    }
    serde_json::from_str(seen.view).map_err(|_| BadView("it cannot be read").into())
}

fn state<G: Game>(game: &G, seen: &Seen<'_>) -> Result<G::State, Refused> {
    let (options, view) = seen.read::<G>()?;
    // Which of the states that look like this does not matter: the seat's actions are the same.
    let mut rng = GameRng::new(&Seed::from_number(0));
    Ok(game.determinize(&context(seen, &options), &view, &mut rng)?)
}

fn at_turn<G: Game>(game: &G, state: G::State, seat: Seat) -> Result<G::State, Refused> {
    if game.to_act(&state).contains(seat) {
        return Ok(state);
    }
    game.suppose_turn(&state, seat).ok_or_else(|| Refused {
        code: "not_your_turn",
        message: "nothing can be entered ahead now".to_owned(),
    })
}

fn list<G: Game>(game: &G, state: &G::State, seat: Seat) -> Legal {
    let mut actions = Vec::new();
    let completeness = game.legal_actions(state, seat, &mut actions);
    Legal { completeness, actions: actions.iter().map(ToString::to_string).collect() }
}

impl From<BadView> for Refused {
    fn from(error: BadView) -> Self {
        Refused { code: "bad_view", message: error.to_string() }
    }
}
