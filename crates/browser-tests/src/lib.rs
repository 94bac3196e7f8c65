//! The client in a real browser: a server, browsers that people sit at, and what they see and do.
//!
//! Elements are found as people find them, by role and name, in the browser's own accessibility tree;
//! pointer and keys are real input. Nothing here knows a page: that is the tests'.
//! `cargo xtask browser` runs them.

#![expect(clippy::missing_panics_doc, reason = "a test fails by a panic")]

mod accessible;
mod browser;
mod driver;
mod input;
mod parlor;
mod scene;

use std::env;
use std::ffi::OsString;
use std::time::Duration;

pub use accessible::Node;
pub use browser::{Browser, Frame, PHONE, SCREEN, Size};
pub use fantoccini::actions::{MOUSE_BUTTON_LEFT, MOUSE_BUTTON_MIDDLE, MOUSE_BUTTON_RIGHT};
pub use fantoccini::key::Key;
pub use input::Place;
pub use parlor::{Login, Parlor};
pub use scene::{Scene, folder, play};

/// Longer than anything takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(90);
/// Between two looks.
const LOOK_EVERY: Duration = Duration::from_millis(15);

/// What the chore that runs the tests has prepared.
#[must_use]
pub fn prepared(variable: &str) -> OsString {
    env::var_os(variable)
        .unwrap_or_else(|| panic!("{variable} is not set: run `cargo xtask browser`"))
}
