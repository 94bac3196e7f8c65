//! How things look, kept in this browser.

use leptos::prelude::*;

use crate::browser::{keep, recall};

const THEME_KEY: &str = "theme";

/// Light, dark, or as the system has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// All, in the order in which they are shown.
    pub(crate) const ALL: [Theme; 3] = [Theme::System, Theme::Light, Theme::Dark];

    /// The name that is kept, and that the style sheet knows.
    pub(crate) fn key(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// The name that people read.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Theme::System => "As my system has it",
            Theme::Light => "Light",
            Theme::Dark => "Dark",
        }
    }
}

/// What people have chosen.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    /// Light or dark.
    pub(crate) theme: RwSignal<Theme>,
}

impl Settings {
    /// As they were kept; from now on every change is.
    pub(crate) fn start() -> Settings {
        let kept = recall(THEME_KEY);
        let theme = Theme::ALL.into_iter().find(|theme| kept.as_deref() == Some(theme.key()));
        let theme = RwSignal::new(theme.unwrap_or_default());
        Effect::new(move || {
            let key = theme.get().key();
            keep(THEME_KEY, key);
            if let Some(root) = document().document_element() {
                // An attribute of a known name is never refused.
                let _ = root.set_attribute("data-theme", key);
            }
        });
        Settings { theme }
    }
}
