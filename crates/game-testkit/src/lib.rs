//! The laws that every game keeps, as tests that a game inherits with one line.
//!
//! ```text
//! game_testkit::conformance!(CrazyTens, redeal::redeal); // hidden information
//! game_testkit::conformance!(Chess);                     // everybody sees everything
//! ```
//!
//! Each law is also a function that returns a [`Failure`] instead of panicking, so that the kit's
//! own tests can show that it bites. `redeal` is written by each game's tests from RULES.md, never
//! from its `View`: otherwise a view that forgets to hide something would vouch for itself.
//!
//! A sample of the random matches runs in `cargo test`; with `PARLOR_SOAK` set, the full number.

mod leak;
mod legality;
mod playthrough;
mod replay;
mod text;
mod tutorial;
mod walk;

pub use leak::{LeakReport, Redeal, leak_law};
pub use legality::{view_laws, walk_laws};
pub use playthrough::check_playthroughs;
pub use replay::{fingerprint, replay_laws};
pub use text::text_laws;
pub use tutorial::{check_tutorial, tutorial};
pub use walk::{Failure, Seating, WalkReport};

/// How many random matches a law is tried on.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// For what is cheap: legality, views and events at each step.
    pub cheap: u64,
    /// For what replays or re-deals at every step.
    pub deep: u64,
}

impl Budget {
    /// The sample, or with `PARLOR_SOAK` set the full number.
    pub fn from_environment() -> Budget {
        if std::env::var_os("PARLOR_SOAK").is_some() {
            Budget { cheap: 100_000, deep: 1_000 }
        } else {
            Budget { cheap: 5_000, deep: 100 }
        }
    }
}

/// All laws for a game: one line in its `tests/conformance.rs`.
#[macro_export]
macro_rules! conformance {
    ($game:ty) => {
        const _: () = assert!(
            !<$game as ::game_api::Game>::META.hidden_information,
            "a game with secrets gives its redeal: conformance!(Game, redeal)"
        );
        $crate::conformance!(@laws $game);
    };
    ($game:ty, $redeal:path) => {
        $crate::conformance!(@laws $game);

        #[test]
        fn nobody_learns_what_is_hidden() {
            let matches = $crate::Budget::from_environment().deep;
            match $crate::leak_law(&$crate::hold::<$game>(), $redeal, matches) {
                Ok(report) => println!("leak law: {report}"),
                Err(failure) => panic!("{failure}"),
            }
        }
    };
    (@laws $game:ty) => {
        // A state holds every secret, so it must not know how to leave: this line is ambiguous, and
        // does not compile, if the state implements Serialize.
        const _: fn() = || {
            trait AmbiguousIfSerialize<A> {
                fn check() {}
            }
            impl<T: ?Sized> AmbiguousIfSerialize<()> for T {}
            struct Leaves;
            impl<T: ?Sized + $crate::Serialize> AmbiguousIfSerialize<Leaves> for T {}
            let _ = <<$game as ::game_api::Game>::State as AmbiguousIfSerialize<_>>::check;
        };

        #[test]
        fn random_matches_keep_the_laws_of_play() {
            let matches = $crate::Budget::from_environment().cheap;
            match $crate::walk_laws(&$crate::hold::<$game>(), matches) {
                Ok(report) => println!("laws of play: {report}"),
                Err(failure) => panic!("{failure}"),
            }
        }

        #[test]
        fn views_say_all_that_their_viewer_needs() {
            let matches = $crate::Budget::from_environment().deep;
            match $crate::view_laws(&$crate::hold::<$game>(), matches) {
                Ok(report) => println!("laws of views: {report}"),
                Err(failure) => panic!("{failure}"),
            }
        }

        #[test]
        fn a_log_replays_to_the_same_match() {
            let matches = $crate::Budget::from_environment().deep;
            match $crate::replay_laws(&$crate::hold::<$game>(), matches) {
                Ok(report) => println!("laws of the log: {report}"),
                Err(failure) => panic!("{failure}"),
            }
        }

        #[test]
        fn any_text_is_read_or_refused() {
            let matches = $crate::Budget::from_environment().deep;
            match $crate::text_laws(&$crate::hold::<$game>(), matches) {
                Ok(report) => println!("laws of text: {report}"),
                Err(failure) => panic!("{failure}"),
            }
        }

        #[test]
        fn recorded_matches_play_as_they_did() {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/playthroughs");
            if let Err(failure) = $crate::check_playthroughs(&$crate::hold::<$game>(), folder.as_ref()) {
                panic!("{failure}");
            }
        }

        #[test]
        fn the_tutorial_shows_what_the_rules_say() {
            let folder = env!("CARGO_MANIFEST_DIR");
            if let Err(failure) = $crate::check_tutorial(&$crate::hold::<$game>(), folder.as_ref()) {
                panic!("{failure}");
            }
        }
    };
}

/// The game under test, held as matches hold it.
#[doc(hidden)]
pub fn hold<G: game_api::Game + Default>() -> std::sync::Arc<G> {
    std::sync::Arc::default()
}

#[doc(hidden)]
pub use serde::Serialize;
