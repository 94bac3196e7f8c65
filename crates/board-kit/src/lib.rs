//! What the boards share: how a board is told of a match and speaks of an action, and a grid of cells
//! that people work with the pointer, by touch and by keyboard alike.
//!
//! No game and no rule: a cell is what its board says it is.
#![expect(unreachable_pub, reason = "the component macro makes its properties public")]

mod about;
mod grid;
mod picking;
mod settings;
mod shared;
mod tab;

pub use about::{About, Field};
pub use client_core::{Hints, ScoreBase, Way};
pub use grid::{Cell, Grid, show_cell};
use leptos::prelude::*;
pub use picking::Picking;
pub use settings::Settings;
pub use shared::{chooser, hear, lead_to, live, shown_while, words};
pub use tab::{keep_in_tab, recall_in_tab};

/// What a board is given, and what it gives back. It stays while the match changes.
#[derive(Clone, Copy)]
pub struct Stage {
    /// The game's view of this viewer, as JSON.
    pub view: Signal<String>,
    /// What the own seat may do now, or enter ahead, as texts.
    pub legal: Signal<Vec<String>>,
    /// The seat from whose side it is seen; a spectator sees it from the first.
    pub side: Signal<usize>,
    /// What the players are called, by seat.
    pub names: Signal<Vec<String>>,
    /// Is it another's turn, so that what is legal is entered ahead?
    pub is_ahead: Signal<bool>,
    /// What is left of the time to react to a move, in minutes and seconds.
    pub reaction_time: Signal<Option<String>>,
    /// What the rules foresee of an own action, as JSON, or why it may not be done, in words; nothing
    /// where nobody can say.
    pub foresee: Callback<String, Option<Result<String, String>>>,
    /// Takes an action's text.
    pub act: Callback<String>,
    /// Tells people something in words, where they also read why an action is refused.
    pub say: Callback<String>,
}

impl Stage {
    /// The words for what can be done: others while it is another's turn.
    pub fn words(self, now: &'static str) -> &'static str {
        if self.is_ahead.get() { "can be entered ahead" } else { now }
    }

    /// What a seat's player is called.
    pub fn name(self, seat: usize) -> String {
        let name = self.names.with(|names| names.get(seat).cloned());
        name.unwrap_or_else(|| format!("Player {}", seat + 1))
    }
}
