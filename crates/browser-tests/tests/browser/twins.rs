//! Two matches that differ in racks, bag and specials alone are the same to whoever watches: every
//! frame, and the whole page.

use browser_tests::{Browser, Login, Scene, play};
use serde_json::Value;

use crate::scrabble::{CENTRE, put, rack, short};

/// Of two tiles; one of them is soon found on two racks.
const WORDS: [&str; 16] = [
    "AT", "IT", "IN", "ON", "TO", "AN", "AS", "IS", "NO", "SO", "OR", "HE", "ME", "BE", "DO", "GO",
];
/// More pairs of deals are never needed.
const PAIRS_MAX: usize = 20;
/// What the first player buys and hides in each, and where: they cost the same, and lie in the word's row.
const HIDDEN: [(&str, &str); 2] = [("Negative", "A8"), ("Reverse", "O8")];

/// Two matches of the same people, and a word that both first players can lay.
async fn deal(scene: &Scene, logins: [&Login; 2], first: [&Browser; 2]) -> ([String; 2], String) {
    let mut terms = short("contract-b");
    terms["game"] = "scrabble".into();
    // All are told which tiles are left out.
    terms["options"]["left_out"] = 0.into();
    for _ in 0..PAIRS_MAX {
        let ids = [(), ()].map(|()| scene.parlor.begin(&terms, logins));
        let mut racks = Vec::new();
        for (browser, id) in first.iter().zip(&ids) {
            browser.go(&format!("/match/{id}")).await;
            let full = async || Some(rack(browser).await).filter(|rack| rack.len() == 7);
            racks.push(browser.until("for a rack", full).await);
        }
        let is_on_both =
            |word: &&&str| word.chars().all(|it| racks.iter().all(|rack| rack.contains(&it)));
        if let Some(word) = WORDS.iter().find(is_on_both).filter(|_| racks[0] != racks[1]) {
            return (ids, (*word).to_owned());
        }
    }
    panic!("no word is on two racks");
}

async fn pass(browser: &Browser) {
    browser.click("button", "Pass…").await;
    browser.click("button", "Pass this turn").await;
}

/// What somebody who watches was told, and the page that came of it, but for what names the match.
async fn seen(browser: &Browser, id: &str) -> (Vec<String>, String) {
    let mut told = Vec::new();
    for frame in browser.frames().await {
        let message: Value = serde_json::from_str(&frame.text).unwrap_or_default();
        if message["view"].is_object() {
            let commitment = message["commitment"].as_str().unwrap_or(id);
            told.push(frame.text.replace(commitment, "COMMITMENT").replace(id, "MATCH"));
        }
    }
    let page = browser.run("return document.querySelector('main').outerHTML").await;
    (told, page.as_str().expect("a page has a main part").replace(id, "MATCH"))
}

#[test]
fn scrabble_is_the_same_to_a_watcher_whatever_is_hidden() {
    play(async |scene| {
        let logins = [scene.parlor.guest(), scene.parlor.guest()];
        let watcher = scene.parlor.guest();
        let first = [scene.browser_with(&logins[0]).await, scene.browser_with(&logins[0]).await];
        let (ids, word) = deal(scene, [&logins[0], &logins[1]], [&first[0], &first[1]]).await;
        let mut pages = Vec::new();
        for ((id, first), (kind, square)) in ids.iter().zip(&first).zip(HIDDEN) {
            let second = scene.browser_with(&logins[1]).await;
            let watching = scene.browser_with(&watcher).await;
            for browser in [&second, &watching] {
                browser.go(&format!("/match/{id}")).await;
                browser.see("grid", "Scrabble board and rack").await;
            }
            first.click("button", &format!("Buy {kind} for 10")).await;
            first.read("1 to lay from your next turn on.").await;
            pass(first).await;
            pass(&second).await;
            first.click("button", &format!("Lay {kind}…")).await;
            first.click("gridcell", &format!("{square},…")).await;
            for (by, letter) in word.chars().enumerate() {
                put(first, CENTRE + by, letter, false).await;
            }
            first.click("button", "Play").await;
            watching.read(&format!("laid {word}")).await;
            first.see("gridcell", &format!("…your {}", kind.to_lowercase())).await;
            pages.push((seen(&watching, id).await, seen(first, id).await));
        }
        let [(shown, own), (shown_too, own_too)] = pages.as_slice() else {
            panic!("two are played");
        };
        assert!(shown.0.len() >= 4, "{} views were told", shown.0.len());
        for (told, told_too) in shown.0.iter().zip(&shown_too.0) {
            assert_eq!(told, told_too);
        }
        assert_eq!(shown, shown_too);
        assert_ne!(own.1, own_too.1, "the twins are no twins: nobody sees a difference");
    });
}
