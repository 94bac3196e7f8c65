//! The boards: the one place of the client that names games. A game without a board of its own is played
//! by the list of what one may do.

use board_kit::{About, Stage};
use leptos::prelude::*;

/// The board of a game.
pub(crate) fn board(game: &str, stage: Stage) -> AnyView {
    match game {
        "chess" => view! { <chess_ui::ChessBoard stage/> }.into_any(),
        "crazy-tens" => view! { <crazy_tens_ui::CrazyTensTable stage/> }.into_any(),
        "santorini" => view! { <santorini_ui::SantoriniBoard stage/> }.into_any(),
        "scrabble" => scrabble_ui::board(stage),
        _ => plain(stage).into_any(),
    }
}

/// What people read about a game before they play it.
pub(crate) fn about(game: &str) -> Option<&'static About> {
    match game {
        "chess" => Some(&chess_ui::ABOUT),
        "crazy-tens" => Some(&crazy_tens_ui::ABOUT),
        "santorini" => Some(&santorini_ui::ABOUT),
        "scrabble" => Some(&scrabble_ui::ABOUT),
        _ => None,
    }
}

/// An action of a game, or a line of its list of moves, as people say it.
pub(crate) fn say(game: &str, text: &str) -> String {
    about(game).map_or_else(|| text.to_owned(), |about| (about.say)(text))
}

fn plain(stage: Stage) -> impl IntoView {
    let shown = move || stage.view.get();
    let button = move |action: String| {
        let text = action.clone();
        view! { <li><button on:click=move |_| stage.act.run(action.clone())>{text}</button></li> }
    };
    view! {
        <pre class="view" tabindex="0" aria-label="What you see">{shown}</pre>
        <ul class="legal" aria-label="What you may do">
            {move || stage.legal.get().into_iter().map(button).collect_view()}
        </ul>
    }
}
