//! A seventh kind of special, defined here: the engine does not change for it.

mod kit;

use game_api::{Game, Seat, Seed};
use scrabble::specials::{KINDS, Kind, Laid};
use scrabble::{Offer, Options, State};

/// The move counts double, and its player pays the owner five points.
const TOLL: Kind = Kind {
    key: "toll",
    text: "The move counts double, and the activator pays the owner five points.",
    activate: |hit, effects| {
        effects.factor *= 2;
        effects.scores[hit.activator.index()] -= 5;
        effects.scores[hit.owner.index()] += 5;
    },
};

#[test]
fn six_kinds_are_in_the_house() {
    let keys: Vec<&str> = KINDS.iter().map(|kind| kind.key).collect();
    assert_eq!(keys, ["negative", "boom", "reverse", "exchange", "skip", "snatch"]);
    assert!(KINDS.iter().all(|kind| kind.text.ends_with('.')));
}

#[test]
fn a_seventh_kind_is_bought_laid_and_fires_like_the_others() {
    let game = kit::game().with_kind(TOLL);
    let offer = |kind: &str| Offer { kind: kind.to_owned(), price: 10 };
    let specials = vec![offer("toll"), offer("negative")];
    let options = Options { starting_points: 50, specials, ..Options::contract_a() };
    assert!(kit::game().setup(&options, 2, &Seed::from_number(1)).is_err());

    let mut state = game.setup(&options, 2, &Seed::from_number(1)).unwrap();
    state.racks.fill("CATOWSE".parse().unwrap());
    let act = |state: &State, seat: u8, text: &str| {
        let seat = Seat::new(seat).unwrap();
        let after = game.apply(state, seat, &text.parse().unwrap());
        after.unwrap_or_else(|violation| panic!("{text}: {violation}"))
    };
    let state = act(&state, 0, "buy:toll");
    let state = act(&act(&state, 0, "pass"), 1, "8H:CAT");
    let mut state = act(&state, 0, "K8:SEAT+toll@H9");
    assert_eq!(state.scores, [50 - 10 + 14, 60]);
    state.racks[1] = "OWE".parse().unwrap();
    let hit = act(&state, 1, "H8:COW");
    assert_eq!(hit.scores, [54 + 5, 60 - 5 + 2 * 8]);
    assert_eq!(hit.last_move().unwrap().fired[0].kind, "toll");
    // Together with a Negative on the same square.
    let owner = Seat::FIRST;
    state.specials.laid.push(Laid { square: "H9".parse().unwrap(), kind: 1, owner });
    assert_eq!(act(&state, 1, "H8:COW").scores, [54 + 5, 60 - 5 - 2 * 8]);
}
