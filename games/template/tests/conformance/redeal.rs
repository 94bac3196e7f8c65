//! Deals again what a viewer has not seen, for the leak law. Written from RULES.md, never from the
//! view: what the view forgets to hide, this does not forget to change.

use game_api::{GameRng, Seat, Viewer};
use template::{Place, Snare, State};

/// A twin of `state` that `viewer` cannot tell from it.
///
/// A seat remembers more than this: the card it swapped lies under the stock, and a card that fell
/// is back in its player's hand. The state does not record who has seen which card, so here they are
/// forgotten; more twins than a player would believe in make the law stricter, not weaker.
pub(crate) fn redeal(state: &State, viewer: Viewer, rng: &mut GameRng) -> State {
    let mut twin = state.clone();
    let others: Vec<usize> =
        Seat::all(state.seats).filter(|seat| !viewer.is(*seat)).map(Seat::index).collect();

    // R5.1, R7.2: the hands of others, in the match or out of it, and the stock.
    let mut unseen = std::mem::take(&mut twin.stock);
    for other in &others {
        unseen.append(&mut twin.hands[*other]);
    }
    rng.shuffle(&mut unseen);
    for other in &others {
        twin.hands[*other] = unseen.split_off(unseen.len() - state.hands[*other].len());
    }
    twin.stock = unseen;

    // R5.3: a snare that has not sprung may be held, or lie on any place.
    for other in others {
        if state.snares[other] != Snare::Sprung {
            let places = Place::ALL.map(Snare::Laid);
            twin.snares[other] = *places.get(rng.below(places.len() + 1)).unwrap_or(&Snare::Held);
        }
    }
    twin
}
