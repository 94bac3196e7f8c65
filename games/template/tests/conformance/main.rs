//! The laws that every game keeps.

mod redeal;

game_testkit::conformance!(template::Template, redeal::redeal);
