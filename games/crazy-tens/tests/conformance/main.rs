//! The laws that every game keeps.

mod redeal;

game_testkit::conformance!(crazy_tens::CrazyTens, redeal::redeal);
