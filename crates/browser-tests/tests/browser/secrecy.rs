//! What somebody may not know is not in the page, and never came to it.

use std::collections::BTreeSet;

use browser_tests::{Browser, play};
use serde_json::json;

use crate::boards::{Pair, card_to_click, hand};

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

/// Fails if a card of `hidden` is in the page or in anything that came to it.
async fn check_unknown(watcher: &Browser, hidden: &BTreeSet<String>) {
    let page = watcher.run("return document.documentElement.outerHTML").await.to_string();
    let frames = watcher.frames().await;
    assert!(!frames.is_empty(), "{} hears something", watcher.name);
    for name in hidden {
        let code = code(name);
        assert!(!page.contains(name.as_str()), "{} sees the {name}", watcher.name);
        for frame in &frames {
            let text = &frame.text;
            assert!(!has_word(text, &code), "{} hears of the {name}: {text}", watcher.name);
        }
    }
}

#[test]
fn nobody_sees_or_hears_of_a_card_in_another_hand() {
    play(async |scene| {
        let terms = json!({"game": "crazy-tens"});
        let pair = Pair::sit_down(scene, terms).await;
        let login = scene.parlor.guest();
        let watcher = scene.browser_with(&login).await;
        watcher.go(&format!("/match/{}", pair.match_id)).await;
        watcher.see("image", "On top: …").await;
        let [first, second] = &pair.browsers;
        // What once lay open is no secret, also if it is drawn again.
        let mut open = BTreeSet::new();
        let mut compared = 0;
        for _ in 0..12 {
            let top = watcher.see("image", "On top: …").await.name;
            open.insert(top.trim_start_matches("On top: ").to_owned());
            let [ours, theirs] = [hand(first).await, hand(second).await];
            if ours.is_empty() || theirs.is_empty() {
                break;
            }
            let secret = |hand: &[String]| -> BTreeSet<String> {
                hand.iter().filter(|card| !open.contains(*card)).cloned().collect()
            };
            let [ours, theirs] = [secret(&ours), secret(&theirs)];
            assert!(ours.is_disjoint(&theirs), "each card is there once");
            check_unknown(&watcher, &(&ours | &theirs)).await;
            check_unknown(first, &theirs).await;
            check_unknown(second, &ours).await;
            compared += ours.len() + theirs.len();
            // Whoever can do something does it.
            let texts = async || (first.text().await, second.text().await);
            let before = texts().await;
            let acted = first.until("for somebody to play", async || {
                for browser in [first, second] {
                    if let Some(card) = card_to_click(browser).await {
                        browser.click_node(&card).await;
                    }
                }
                (texts().await != before).then_some(())
            });
            acted.await;
            if first.text().await.contains("Round 2") {
                break;
            }
        }
        assert!(compared >= 20, "only {compared} cards were looked for");
    });
}
