//! The laws that every game keeps, in the three presets and in two with challenges.

#[path = "../kit/mod.rs"]
mod kit;
mod redeal;

use game_testkit::Budget;
use scrabble::{Challenge, ChallengeRule, Options, Scrabble};

fn game() -> Scrabble {
    let challenge = |rule| Some(Challenge { rule, ..Challenge::default() });
    let double = challenge(ChallengeRule::Double);
    kit::game()
        .with_preset(
            "classic-five",
            Options { challenge: challenge(ChallengeRule::Five), ..Options::classic() },
        )
        .with_preset("a-double", Options { challenge: double, ..Options::contract_a() })
        .with_preset("b-double", Options { challenge: double, ..Options::contract_b() })
}

// Six sets of options by three numbers of seats: eighteen matches are one of each. A ply of this game
// costs more than one of others, so there are fewer.
game_testkit::conformance!(Scrabble, redeal::redeal, game(), Budget { cheap: 180, deep: 36 });
