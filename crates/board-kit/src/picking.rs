//! What is picked on a board, on the way to an action.

use client_core::{Picked, Way, pick, targets};
use leptos::prelude::*;

use crate::Stage;

/// The cells that are picked, and the actions that a choice is left of.
#[derive(Clone, Copy)]
pub struct Picking {
    act: Callback<String>,
    attempt: Callback<Vec<usize>, Option<String>>,
    ways: Memo<Vec<Way>>,
    picked: RwSignal<Vec<usize>>,
    choice: RwSignal<Vec<String>>,
}

impl Picking {
    /// Nothing is picked yet. `ways_of` says by which cells an action is said; `attempt` what cells
    /// that say no legal action were meant to say, so that people are told why it is none.
    pub fn new(
        stage: Stage,
        ways_of: fn(&str) -> Vec<Way>,
        attempt: impl Fn(&[usize]) -> Option<String> + Send + Sync + 'static,
    ) -> Picking {
        let picking = Picking {
            act: stage.act,
            attempt: Callback::new(move |cells: Vec<usize>| attempt(&cells)),
            ways: Memo::new(move |_| stage.legal.get().iter().flat_map(|it| ways_of(it)).collect()),
            picked: RwSignal::new(Vec::new()),
            choice: RwSignal::new(Vec::new()),
        };
        // A new position is a new decision, and in a pause there is none.
        Effect::new(move || {
            stage.view.track();
            stage.legal.track();
            picking.let_go();
        });
        picking
    }

    /// Nothing is picked any more.
    pub fn let_go(self) {
        self.picked.set(Vec::new());
        self.choice.set(Vec::new());
    }

    /// Picks a cell.
    pub fn pick(self, cell: usize) {
        self.choice.set(Vec::new());
        let so_far = self.picked.get_untracked();
        match self.ways.with_untracked(|ways| pick(ways, &so_far, cell)) {
            Picked::Cells(cells) => {
                let is_let_go = so_far.last() == Some(&cell);
                if cells.is_empty() && !is_let_go && self.ways.with_untracked(|it| !it.is_empty()) {
                    let meant = [so_far.as_slice(), &[cell]].concat();
                    if let Some(action) = self.attempt.run(meant) {
                        self.act.run(action);
                    }
                }
                self.picked.set(cells);
            }
            Picked::Action(action) => self.act(action),
            Picked::Choice(actions) => self.choice.set(actions),
        }
    }

    /// Does an action, however it was chosen.
    pub fn act(self, action: String) {
        self.let_go();
        self.act.run(action);
    }

    /// The actions that a choice is left of.
    pub fn choice(self) -> Vec<String> {
        self.choice.get()
    }

    /// Is anything picked?
    pub fn is_begun(self) -> bool {
        self.picked.with(|picked| !picked.is_empty())
    }

    /// Is this cell picked?
    pub fn is_picked(self, cell: usize) -> bool {
        self.picked.with(|picked| picked.contains(&cell))
    }

    /// Can this cell be picked first?
    pub fn is_start(self, cell: usize) -> bool {
        self.ways.with(|ways| targets(ways, &[]).contains(&cell))
    }

    /// Can this cell be picked next?
    pub fn is_next(self, cell: usize) -> bool {
        let so_far = self.picked.get();
        self.ways.with(|ways| targets(ways, &so_far).contains(&cell))
    }
}
