//! The laws that every game keeps, as tests that a game inherits with one line.
//!
//! ```text
//! game_testkit::conformance!(CrazyTens, redeal::redeal); // hidden information
//! game_testkit::conformance!(Chess);                     // everybody sees everything
//! game_testkit::conformance!(Scrabble, redeal::redeal, game(), Budget { cheap: 90, deep: 18 });
//! ```
//!
//! The last form is for a game that must be made, and whose matches cost more than others'.
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
    /// What a quick game's tests try.
    pub const SAMPLE: Budget = Budget { cheap: 5_000, deep: 100 };

    /// The sample, or with `PARLOR_SOAK` set the full number: twenty and ten times as many.
    #[must_use]
    pub fn by_environment(self) -> Budget {
        if std::env::var_os("PARLOR_SOAK").is_some() {
            Budget { cheap: 20 * self.cheap, deep: 10 * self.deep }
        } else {
            self
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
        $crate::conformance!(@laws $game, $crate::make::<$game>(), $crate::Budget::SAMPLE);
    };
    ($game:ty, $redeal:path) => {
        $crate::conformance!($game, $redeal, $crate::make::<$game>(), $crate::Budget::SAMPLE);
    };
    ($game:ty, $redeal:path, $made:expr, $sample:expr) => {
        $crate::conformance!(@laws $game, $made, $sample);

        #[test]
        fn nobody_learns_what_is_hidden() {
            let matches = $sample.by_environment().deep;
            match $crate::leak_law(&::std::sync::Arc::new($made), $redeal, matches) {
                Ok(report) => println!("leak law: {report}"),
                Err(failure) => panic!("{failure}"),
            }
        }
    };
    (@laws $game:ty, $made:expr, $sample:expr) => {
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
            let matches = $sample.by_environment().cheap;
            match $crate::walk_laws(&::std::sync::Arc::new($made), matches) {
                Ok(report) => println!("laws of play: {report}"),
                Err(failure) => panic!("{failure}"),
            }
        }

        #[test]
        fn views_say_all_that_their_viewer_needs() {
            let matches = $sample.by_environment().deep;
            match $crate::view_laws(&::std::sync::Arc::new($made), matches) {
                Ok(report) => println!("laws of views: {report}"),
                Err(failure) => panic!("{failure}"),
            }
        }

        #[test]
        fn a_log_replays_to_the_same_match() {
            let matches = $sample.by_environment().deep;
            match $crate::replay_laws(&::std::sync::Arc::new($made), matches) {
                Ok(report) => println!("laws of the log: {report}"),
                Err(failure) => panic!("{failure}"),
            }
        }

        #[test]
        fn any_text_is_read_or_refused() {
            let matches = $sample.by_environment().deep;
            match $crate::text_laws(&::std::sync::Arc::new($made), matches) {
                Ok(report) => println!("laws of text: {report}"),
                Err(failure) => panic!("{failure}"),
            }
        }

        #[test]
        fn recorded_matches_play_as_they_did() {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/playthroughs");
            if let Err(failure) = $crate::check_playthroughs(&::std::sync::Arc::new($made), folder.as_ref()) {
                panic!("{failure}");
            }
        }

        #[test]
        fn the_tutorial_shows_what_the_rules_say() {
            let folder = env!("CARGO_MANIFEST_DIR");
            if let Err(failure) = $crate::check_tutorial(&::std::sync::Arc::new($made), folder.as_ref()) {
                panic!("{failure}");
            }
        }
    };
}

/// A game that need not be told anything.
#[doc(hidden)]
pub fn make<G: game_api::Game + Default>() -> G {
    G::default()
}

#[doc(hidden)]
pub use serde::Serialize;
