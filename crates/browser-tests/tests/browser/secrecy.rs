//! What somebody may not know is not in the page, and never came to it.

use browser_tests::{Browser, play};
use serde_json::{Value, json};

use crate::boards::{Pair, hand, play_on};

/// No round is over so soon: each plays four of five cards, and then a hand is open to all.
const ACTIONS: usize = 8;

const RANKS: [(&str, &str); 13] = [
    ("A", "ace"),
    ("2", "two"),
    ("3", "three"),
    ("4", "four"),
    ("5", "five"),
    ("6", "six"),
    ("7", "seven"),
    ("8", "eight"),
    ("9", "nine"),
    ("10", "ten"),
    ("J", "jack"),
    ("Q", "queen"),
    ("K", "king"),
];

/// A card's code on the wire, by its name.
fn code(name: &str) -> String {
    let (rank, suit) = name.split_once(" of ").unwrap_or_else(|| panic!("{name} is no card"));
    let rank = RANKS.iter().find(|(_, it)| *it == rank).map(|(code, _)| *code);
    format!("{}{}", rank.unwrap_or_else(|| panic!("{name} is no card")), suit[..1].to_uppercase())
}

/// Does a text have this word?
fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|it| it == word)
}

/// What came to a page, by message.
async fn heard(browser: &Browser) -> Vec<Value> {
    let frames = browser.frames().await;
    let mut heard: Vec<Value> =
        frames.iter().filter_map(|frame| serde_json::from_str(&frame.text).ok()).collect();
    // R1.6: these name cards of which a hand holds at most so many, by what its seat had to draw on
    // and not by what it holds. That they depend on nothing hidden is what the leak law compares.
    for view in heard.iter_mut().filter_map(|message| message["view"].as_object_mut()) {
        view.remove("limits");
    }
    heard
}

/// Fails if a card of `hand` that never lay open is in the page or in anything that came to it; gives
/// how many were looked for.
async fn check_unknown(watcher: &Browser, hand: &[String]) -> usize {
    let page = watcher.run("return document.documentElement.outerHTML").await.to_string();
    let heard = heard(watcher).await;
    let is_open = |code: &str| heard.iter().any(|message| message["view"]["top"] == code);
    let hidden = hand.iter().filter(|name| !is_open(&code(name)));
    let mut count = 0;
    for name in hidden {
        assert!(!page.contains(name.as_str()), "{} sees the {name}", watcher.name);
        for text in heard.iter().map(Value::to_string) {
            assert!(!has_word(&text, &code(name)), "{} hears of the {name}: {text}", watcher.name);
        }
        count += 1;
    }
    count
}

#[test]
fn nobody_sees_or_hears_of_a_card_in_another_hand() {
    play(async |scene| {
        let pair = Pair::sit_down(scene, json!({"game": "crazy-tens"})).await;
        let login = scene.parlor.guest();
        let watcher = scene.browser_with(&login).await;
        watcher.go(&format!("/match/{}", pair.match_id)).await;
        watcher.see("image", "On top: …").await;
        let [first, second] = &pair.browsers;
        for player in [first, second] {
            player.see("list", "Your hand").await;
        }
        let mut looked_for = 0;
        for _ in 0..ACTIONS {
            let hands = [hand(first).await, hand(second).await];
            assert!(hands.iter().all(|hand| !hand.is_empty()), "both hold cards: {hands:?}");
            for (watcher, hand) in [
                (&watcher, &hands[0]),
                (&watcher, &hands[1]),
                (first, &hands[1]),
                (second, &hands[0]),
            ] {
                looked_for += check_unknown(watcher, hand).await;
            }
            play_on(&pair.browsers, std::slice::from_ref(&watcher), async || false).await;
        }
        assert!(looked_for >= 40, "only {looked_for} cards were looked for");
    });
}
