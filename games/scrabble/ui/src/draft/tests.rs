//! What typing, picking and a reload make of a draft.

use super::*;

/// CAT lies across from H8.
fn position(rack: &str, stock: &str) -> Position {
    let empty = r#""...............","#;
    let view = format!(
        r#"{{"board":[{}".......CAT....."],"rack":"{rack}","specials":{{"stock":{stock}}}}}"#,
        empty.repeat(7)
    );
    Position::parse(&view)
}

fn at(name: &str) -> usize {
    square_of(name).unwrap()
}

fn typed(rack: &str, from: &str, is_down: bool, keys: &str) -> (Position, Draft) {
    let position = position(rack, "{}");
    let mut draft = Draft { is_down, ..Draft::default() };
    draft.fit(&position);
    let mut here = at(from);
    for key in keys.chars() {
        here = draft.press(&position, here, &key.to_string()).unwrap_or(here);
    }
    (position, draft)
}

#[track_caller]
fn check(from: &str, is_down: bool, keys: &str, expected: Result<&str, &str>) {
    let (position, draft) = typed("ABDEST?", from, is_down, keys);
    let expected = expected.map(str::to_owned).map_err(str::to_owned);
    assert_eq!(draft.action(&position), Some(expected), "{keys} from {from}");
}

#[test]
fn typed_letters_become_an_action() {
    check("K8", false, "s", Ok("8H:CATS"));
    // Over what lies there; a single tile is written along its longer word.
    check("G8", false, "bs", Ok("8G:BCATS"));
    check("I7", true, "bd", Ok("I7:BAD"));
    check("I9", false, "t", Ok("I8:AT"));
    check("A1", false, "a", Ok("1A:A"));
    // No Z on the rack: the blank is one; a capital asks for it.
    check("K8", true, "sz", Ok("K8:Sz"));
    check("K8", false, "S", Ok("8H:CATs"));
    check("O1", false, "ab", Ok("1O:A"));
    check("A15", true, "ab", Ok("15A:A"));
}

#[test]
fn what_says_no_action_says_why() {
    let (position, mut draft) = typed("ABDEST?", "A1", false, "ab");
    draft.press(&position, at("D1"), "d");
    assert_eq!(draft.action(&position), Some(Err("There is a gap at C1.".to_owned())));
    assert_eq!(draft.press(&position, 0, "Backspace"), Some(at("D1")));
    draft.press(&position, at("C3"), "d");
    assert!(draft.action(&position).is_some_and(|it| it.is_err()));
    draft.recall();
    assert_eq!(draft.action(&position), None);
    assert_eq!(draft.press(&position, 0, "x"), Some(1), "the blank");
    assert_eq!(draft.press(&position, 1, "x"), None, "no other");
    assert_eq!(draft.press(&position, 1, "Enter"), None);
}

#[test]
fn tiles_are_picked_and_put() {
    let (position, mut draft) = typed("AB?", "A1", false, "");
    let slot = |slot: usize| SQUARES + slot;
    draft.pick(&position, slot(1));
    assert_eq!(draft.held, Held::Slot(1));
    draft.pick(&position, at("K8"));
    assert_eq!((draft.on(at("K8")), draft.in_slot(1)), (Some(b'B'), None));
    // Moved, then picked twice.
    draft.pick(&position, at("K8"));
    draft.pick(&position, at("G8"));
    assert_eq!(draft.action(&position), Some(Ok("8G:BCAT".to_owned())));
    draft.pick(&position, at("G8"));
    draft.pick(&position, at("G8"));
    assert!(!draft.is_begun());
    // A letter that lies there is no place.
    draft.pick(&position, slot(0));
    draft.pick(&position, at("H8"));
    assert!(!draft.is_begun() && draft.held == Held::Nothing);
    draft.pick(&position, slot(2));
    draft.pick(&position, at("K8"));
    assert_eq!(draft.asks, Asks::Letter { slot: 2, square: at("K8") });
    draft.name_blank(b'S');
    assert_eq!(draft.action(&position), Some(Ok("8H:CATs".to_owned())));
    // An empty square alone turns the direction the second time.
    draft.pick(&position, at("A1"));
    assert!(!draft.is_down);
    draft.pick(&position, at("A1"));
    assert!(draft.is_down);
}

#[test]
fn specials_go_with_a_word() {
    let position = position("AS", r#"{"boom":1,"skip":1}"#);
    let mut draft = Draft::default();
    draft.fit(&position);
    for (kind, square) in [("skip", "C3"), ("boom", "A2")] {
        draft.held = Held::Special(kind.to_owned());
        draft.pick(&position, at(square));
    }
    assert!(draft.action(&position).is_some_and(|it| it.is_err()));
    draft.press(&position, at("K8"), "s");
    let action = |draft: &Draft| draft.action(&position).unwrap().unwrap();
    assert_eq!(action(&draft), "8H:CATS+boom@A2+skip@C3");
    draft.pick(&position, at("C3"));
    assert_eq!(action(&draft), "8H:CATS+boom@A2");
}

#[test]
fn tiles_are_exchanged() {
    let (position, mut draft) = typed("ABDEST?", "A1", false, "");
    draft.asks = Asks::Exchange;
    for slot in [6, 1, 0, 3, 3] {
        draft.pick(&position, SQUARES + slot);
    }
    assert_eq!(draft.exchange(), "exchange:AB?");
}

#[test]
fn a_draft_is_kept_and_fitted_to_what_there_is() {
    let (position, mut draft) = typed("ABDEST?", "K8", true, "sz");
    draft.shuffle(0.618);
    let mut kept = Draft::read(&draft.write());
    kept.fit(&position);
    assert_eq!(kept.action(&position), Some(Ok("K8:Sz".to_owned())));
    assert_eq!(kept.write(), draft.write());
    let mut rack = kept.write().split(' ').next().unwrap().as_bytes().to_vec();
    rack.sort_unstable();
    assert_eq!(rack, b"?ABDEST");
    // The S is gone, the blank is still there.
    let without = self::position("ABDET?", "{}");
    kept.fit(&without);
    assert_eq!((kept.on(at("K8")), kept.on(at("K9"))), (None, Some(b'z')));
    // What was sent is over with its turn.
    draft.send(0);
    draft.fit(&position);
    assert!(draft.is_begun());
    let mut later = position;
    later.turn = 1;
    draft.fit(&later);
    assert!(!draft.is_begun());
    assert_eq!(Draft::read("").write(), "");
    assert!(!Draft::read("é@@ x@Z9 boom").is_begun());
}
