//! How far a run is, for whoever waits at a terminal; nothing elsewhere.

use std::borrow::Cow;
use std::io::{IsTerminal as _, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on the error stream.
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// For `count` steps.
    pub(super) fn new(what: impl Into<Cow<'static, str>>, count: usize) -> Progress {
        let target = if stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(count as u64), target);
        // The template is fixed; the default one would do as well.
        if let Ok(style) = ProgressStyle::with_template("{msg:24} {wide_bar} {pos}/{len} {eta}") {
            bar.set_style(style);
        }
        bar.set_message(what);
        Progress(bar)
    }

    /// For a run of this time; a step is a tenth of a second.
    pub(super) fn of_time(what: &'static str, time: Duration) -> Progress {
        Progress::new(what, usize::try_from(time.as_millis() / 100).unwrap_or(usize::MAX))
    }

    pub(super) fn step(&self) {
        self.0.inc(1);
    }

    pub(super) fn set_time(&self, passed: Duration) {
        self.0.set_position(u64::try_from(passed.as_millis() / 100).unwrap_or(u64::MAX));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
