//! The laws that every game keeps, for chess. Nothing is hidden, so there is nothing to deal anew.

game_testkit::conformance!(chess::Chess);
