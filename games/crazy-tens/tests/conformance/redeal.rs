//! What a viewer of Crazy Tens has not seen, dealt anew, by RULES.md: the others' hands, the stock
//! and its order (R1.3, R1.4), and every deal to come.

use crazy_tens::{Card, State};
use game_api::{GameRng, Seat, Viewer};

pub(crate) fn redeal(state: &State, viewer: Viewer, rng: &mut GameRng) -> State {
    let mut twin = state.clone();
    twin.rng = rng.split();
    let hidden: Vec<Seat> = Seat::all(2).filter(|seat| !viewer.is(*seat)).collect();
    let mut unseen: Vec<Card> = state.round.piles.stock().to_vec();
    unseen.extend(hidden.iter().flat_map(|seat| state.round.hands[seat.index()].iter()));
    rng.shuffle(&mut unseen);
    for seat in hidden {
        let size = usize::from(state.round.hands[seat.index()].len());
        twin.round.hands[seat.index()] = unseen.drain(..size).collect();
    }
    twin.round.piles.stock_mut().copy_from_slice(&unseen);
    twin
}
