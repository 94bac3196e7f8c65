//! What people have chosen, as signals that boards and pages read. Keeping it is the client's.

use client_core::{Choice, Digits, Hints, Motion, ScoreBase, Theme, Volume};
use leptos::prelude::*;

/// What people have chosen. Reading a field with `get` where something is drawn draws it again when the
/// choice changes.
///
/// The client provides it as a context: [`Settings::here`] finds it.
#[derive(Clone, Copy)]
pub struct Settings {
    /// Light or dark. The style sheet follows it by itself.
    pub theme: RwSignal<Theme>,
    /// Whether things move. The style sheet follows it by itself; what moves by a script asks
    /// [`Settings::is_moving`].
    pub motion: RwSignal<Motion>,
    /// Whether there is any sound.
    pub is_sound_on: RwSignal<bool>,
    /// How loud.
    pub volume: RwSignal<Volume>,
    /// How much a board explains. What can be done is marked, however little it is.
    pub hints: RwSignal<Hints>,
    /// How the dozenal digits ten and eleven look: [`Settings::dozenal`] writes them.
    pub digits: RwSignal<Digits>,
    /// The base whose numbers stand out on a scoreboard (M13). The other one is shown too.
    pub score_base: RwSignal<ScoreBase>,
    /// Whether the names of rows and columns stand beside a board.
    pub has_coordinates: RwSignal<bool>,
    /// Whether the sum of a round is asked for in dozenal after it.
    pub has_tally: RwSignal<bool>,
}

impl Default for Settings {
    /// As they are before anybody chooses.
    fn default() -> Settings {
        Settings {
            theme: RwSignal::default(),
            motion: RwSignal::default(),
            is_sound_on: RwSignal::new(true),
            volume: RwSignal::default(),
            hints: RwSignal::default(),
            digits: RwSignal::default(),
            score_base: RwSignal::default(),
            has_coordinates: RwSignal::new(true),
            has_tally: RwSignal::new(true),
        }
    }
}

impl Settings {
    /// Those of the application that this is drawn in; the defaults if there is none.
    pub fn here() -> Settings {
        use_context::<Settings>().unwrap_or_default()
    }

    /// A dozenal number's text, in the digits that were chosen.
    pub fn dozenal(self, text: &str) -> String {
        self.digits.get().show(text)
    }

    /// May things move? As chosen, else as the system has it.
    pub fn is_moving(self) -> bool {
        match self.motion.get() {
            Motion::On => true,
            Motion::Off => false,
            Motion::System => {
                let query = window().match_media("(prefers-reduced-motion: reduce)");
                !query.ok().flatten().is_some_and(|query| query.matches())
            }
        }
    }

    /// M13's toggle: the other base stands out from now on.
    pub fn toggle_score_base(self) {
        self.score_base.update(|base| {
            *base = match base {
                ScoreBase::Decimal => ScoreBase::Dozenal,
                ScoreBase::Dozenal => ScoreBase::Decimal,
            };
        });
    }

    /// Takes over what was kept; `kept` finds it by its name.
    pub fn recall(self, kept: impl Fn(&str) -> Option<String>) {
        let switch = |key: &str, signal: RwSignal<bool>, default: bool| {
            set(signal, client_core::recall_switch(kept(key).as_deref(), default));
        };
        set(self.theme, Theme::recall(kept("theme").as_deref()));
        set(self.motion, Motion::recall(kept("motion").as_deref()));
        switch("sound", self.is_sound_on, true);
        set(self.volume, Volume::recall(kept("volume").as_deref()));
        set(self.hints, Hints::recall(kept("hints").as_deref()));
        set(self.digits, Digits::recall(kept("digits").as_deref()));
        set(self.score_base, ScoreBase::recall(kept("score-base").as_deref()));
        switch("coordinates", self.has_coordinates, true);
        switch("tally", self.has_tally, true);
    }

    /// All of it, as it is kept.
    pub fn to_keep(self) -> [(&'static str, String); 9] {
        let switch = |signal: RwSignal<bool>| client_core::switch_key(signal.get()).to_owned();
        [
            ("theme", self.theme.get().key().to_owned()),
            ("motion", self.motion.get().key().to_owned()),
            ("sound", switch(self.is_sound_on)),
            ("volume", self.volume.get().percent().to_string()),
            ("hints", self.hints.get().key().to_owned()),
            ("digits", self.digits.get().key().to_owned()),
            ("score-base", self.score_base.get().key().to_owned()),
            ("coordinates", switch(self.has_coordinates)),
            ("tally", switch(self.has_tally)),
        ]
    }
}

/// Only if it is another one, so that nothing is drawn again in vain.
fn set<T: PartialEq + Send + Sync + 'static>(signal: RwSignal<T>, value: T) {
    if signal.with_untracked(|it| *it != value) {
        signal.set(value);
    }
}
