//! What somebody may not know is not in the page, and never came to it.

use std::time::Instant;

use browser_tests::{Browser, play};
use serde_json::{Value, json};

use crate::boards::{ANSWER, Pair, card_to_click, hand};

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

/// So many entries of the match a page knows of.
async fn ply(browser: &Browser) -> u64 {
    let heard = heard(browser).await;
    let views = heard.iter().filter(|message| message["view"].is_object());
    views.filter_map(|message| message["ply"].as_u64()).max().unwrap_or(0)
}

/// Plays on by one action, and waits until all know of it and nothing else is under way: what a hand
/// shows and what was heard are compared only then.
async fn play_on(players: &[Browser; 2], watcher: &Browser) {
    let before = ply(watcher).await;
    let advance = async || {
        for player in players {
            let Some(card) = card_to_click(player).await else { continue };
            player.click_node(&card).await;
            // A ten asks for its suit before anything is played.
            let clicked = Instant::now();
            while clicked.elapsed() < ANSWER {
                if ply(player).await > before {
                    return Some(());
                }
            }
        }
        None
    };
    watcher.until("for somebody to play", advance).await;
    for browser in [&players[0], &players[1], watcher] {
        let look = async || (ply(browser).await == before + 1).then_some(());
        browser.until("to hear of it", look).await;
    }
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
            play_on(&pair.browsers, &watcher).await;
        }
        assert!(looked_for >= 40, "only {looked_for} cards were looked for");
    });
}
