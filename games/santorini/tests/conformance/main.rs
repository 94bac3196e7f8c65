//! The laws that every game keeps.

game_testkit::conformance!(santorini::Santorini);
