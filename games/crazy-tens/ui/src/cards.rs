//! The faces and the back of the cards; whatever holds them says which card it is.

use leptos::prelude::*;

use crate::position::Card;

/// A card's face: a drawing, so its signs are no text that a name would have to repeat.
#[component]
pub(crate) fn Face(card: Card) -> impl IntoView {
    let class = if card.suit.is_red() { "face red" } else { "face black" };
    view! {
        <span class=class aria-hidden="true">
            <span class="rank" data-sign=card.rank()></span>
            <span class="suit" data-sign=card.suit.symbol()></span>
        </span>
    }
}

/// A card's back, with how many lie there.
#[component]
pub(crate) fn Back(count: u8) -> impl IntoView {
    view! { <span class="back" aria-hidden="true">{count}</span> }
}
