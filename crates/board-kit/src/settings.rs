//! What people have chosen, where boards and pages read it. Keeping it is the client's.

use client_core::{Hints, Motion, Preferences, ScoreBase};
use leptos::prelude::*;

/// What people have chosen. Reading it where something is drawn draws that again when a choice changes.
///
/// The client provides it as a context, which [`Settings::here`] finds: call it where a component is
/// made, and the others wherever something is drawn.
#[derive(Clone, Copy)]
pub struct Settings {
    chosen: RwSignal<Preferences>,
}

impl Settings {
    /// With what was kept.
    pub fn new(preferences: Preferences) -> Settings {
        Settings { chosen: RwSignal::new(preferences) }
    }

    /// Those of the application that this is drawn in; as usual if there is none.
    pub fn here() -> Settings {
        use_context().unwrap_or_else(|| Settings::new(Preferences::default()))
    }

    /// All of it.
    pub fn get(self) -> Preferences {
        self.chosen.get()
    }

    /// Chooses something else.
    pub fn update(self, choose: impl FnOnce(&mut Preferences)) {
        let mut preferences = self.chosen.get_untracked();
        choose(&mut preferences);
        // Nothing is drawn again in vain.
        if preferences != self.chosen.get_untracked() {
            self.chosen.set(preferences);
        }
    }

    /// How much a board explains. What can be done is marked, however little it is.
    pub fn hints(self) -> Hints {
        self.get().hints
    }

    /// Do the names of rows and columns stand beside a board?
    pub fn has_coordinates(self) -> bool {
        self.get().has_coordinates
    }

    /// The names of row and column in a cell of a square board with `size` cells a side: in its first
    /// column and its last row, and only if they are wanted. Cells are called like `a1`, and that is
    /// read to whoever cannot see them, so these are signs of the style sheet.
    pub fn draw_coordinates(self, name: &str, index: usize, size: usize) -> AnyView {
        let mark = |class: &'static str, text: &str| {
            view! { <span class=class data-mark=text.to_owned()></span> }
        };
        let (column, row) = name.split_at_checked(1).unwrap_or_default();
        let is_wanted = self.has_coordinates();
        let rank = (is_wanted && index.is_multiple_of(size)).then(|| mark("rank-mark", row));
        let file = (is_wanted && index >= size * (size - 1)).then(|| mark("file-mark", column));
        view! { {rank} {file} }.into_any()
    }

    /// Is the sum of a round asked for in dozenal after it?
    pub fn has_tally(self) -> bool {
        self.get().has_tally
    }

    /// The base whose numbers stand out on a scoreboard (M13). The other one is shown too.
    pub fn score_base(self) -> ScoreBase {
        self.get().score_base
    }

    /// M13's toggle: the other base stands out from now on.
    pub fn toggle_score_base(self) {
        self.update(|it| {
            it.score_base = match it.score_base {
                ScoreBase::Decimal => ScoreBase::Dozenal,
                ScoreBase::Dozenal => ScoreBase::Decimal,
            };
        });
    }

    /// A dozenal number in the digits that were chosen. Few fonts have ↊ and ↋, so those are a 2 and a 3,
    /// turned by the style sheet.
    pub fn draw_dozenal(self, text: &str) -> AnyView {
        let digit = |digit: char| match digit {
            '↊' => turned("2", "ten"),
            '↋' => turned("3", "eleven"),
            other => other.to_string().into_any(),
        };
        self.get().digits.show(text).chars().map(digit).collect_view().into_any()
    }

    /// May things move? As chosen, else as the system has it. The style sheet follows it by itself; this
    /// is for what moves by a script.
    pub fn is_moving(self) -> bool {
        match self.get().motion {
            Motion::On => true,
            Motion::Off => false,
            Motion::System => {
                let query = window().match_media("(prefers-reduced-motion: reduce)");
                !query.ok().flatten().is_some_and(|query| query.matches())
            }
        }
    }
}

fn turned(digit: &'static str, meaning: &'static str) -> AnyView {
    view! { <span class="turned" role="img" aria-label=meaning>{digit}</span> }.into_any()
}
