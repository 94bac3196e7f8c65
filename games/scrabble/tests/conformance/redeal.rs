//! Deals again what a viewer has not seen, for the leak law. Written from RULES.md (R11), never from
//! the view: what the view forgets to hide, this does not forget to change.

use game_api::{GameRng, Seat, Viewer};
use scrabble::specials::Laid;
use scrabble::{Square, Stacking, State, Tile};

/// A twin of `state` that `viewer` cannot tell from it.
///
/// A seat remembers more than this: letters that came back after a challenge, say. Here that is
/// forgotten; more twins than a player would believe in make the law stricter, not weaker.
pub(crate) fn redeal(state: &State, viewer: Viewer, rng: &mut GameRng) -> State {
    let mut twin = state.clone();
    twin.rng = rng.split();
    redeal_tiles(state, viewer, &mut twin, rng);
    redeal_holdings(viewer, &mut twin, rng);
    redeal_specials(state, viewer, &mut twin, rng);
    twin
}

/// R11.1, R11.2: the racks of others, and the order of every pool.
fn redeal_tiles(state: &State, viewer: Viewer, twin: &mut State, rng: &mut GameRng) {
    for pool in 0..state.pools.len() {
        let hidden: Vec<Seat> = Seat::all(state.seats)
            .filter(|seat| state.pool_of(*seat) == pool && !viewer.is(*seat))
            .collect();
        let mut unseen: Vec<Tile> = state.pools[pool].clone();
        unseen.extend(hidden.iter().flat_map(|seat| state.racks[seat.index()].tiles()));
        rng.shuffle(&mut unseen);
        for seat in hidden {
            let size = state.racks[seat.index()].total();
            twin.racks[seat.index()] = unseen.drain(..size).collect();
        }
        twin.pools[pool] = unseen;
    }
}

/// R11.3: which specials others hold, how many, and which they have bought just now.
fn redeal_holdings(viewer: Viewer, twin: &mut State, rng: &mut GameRng) {
    for seat in Seat::all(twin.seats).filter(|seat| !viewer.is(*seat)) {
        for held in &mut twin.stock[seat.index()] {
            *held = u16::try_from(rng.below(3)).unwrap_or(0);
        }
    }
    if !viewer.is(twin.active) {
        for bought in &mut twin.bought {
            *bought = u16::try_from(rng.below(2)).unwrap_or(0);
        }
    }
}

/// R11.3, R11.4: where the specials of others lie, and whether one has replaced an own special.
fn redeal_specials(state: &State, viewer: Viewer, twin: &mut State, rng: &mut GameRng) {
    let kinds = state.options.specials.len();
    let others: Vec<Seat> = Seat::all(state.seats).filter(|seat| !viewer.is(*seat)).collect();
    if kinds == 0 {
        return;
    }
    let any = |square: Square, rng: &mut GameRng| Laid {
        square,
        kind: u8::try_from(rng.below(kinds)).unwrap_or(0),
        owner: others[rng.below(others.len())],
    };
    let all = state.specials.laid.iter().chain(&state.specials.replaced);
    let own: Vec<Laid> = all.filter(|special| viewer.is(special.owner)).copied().collect();
    let mut free: Vec<Square> =
        Square::all().filter(|square| !state.board.has_letter(*square)).collect();
    rng.shuffle(&mut free);
    twin.specials.laid.clear();
    twin.specials.replaced.clear();
    let is_replacing = state.options.stacking == Stacking::Replace;
    // In a queue the own ones stand where they stood, with any others before and between them.
    for special in own {
        let is_covered = rng.below(2) == 0;
        match (is_replacing, is_covered) {
            (true, true) => {
                twin.specials.replaced.push(special);
                twin.specials.laid.push(any(special.square, rng));
            }
            (false, true) => twin.specials.laid.extend([any(special.square, rng), special]),
            (_, false) => twin.specials.laid.push(special),
        }
    }
    for square in free.into_iter().take(rng.below(6)) {
        let is_taken = twin.specials.laid.iter().any(|special| special.square == square);
        if !(is_replacing && is_taken) {
            twin.specials.laid.push(any(square, rng));
        }
    }
    // The specials of a move that waits for answers.
    if let Some(pending) = twin.pending.as_mut().filter(|_| !viewer.is(state.active)) {
        for special in &mut pending.specials {
            special.kind = u8::try_from(rng.below(kinds)).unwrap_or(0);
        }
        if rng.below(2) == 0 {
            pending.specials.clear();
        }
    }
}
