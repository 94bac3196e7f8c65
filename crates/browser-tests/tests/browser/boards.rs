//! How each board is played, by whoever sits at a browser.

use std::time::{Duration, Instant};

use browser_tests::{Browser, Login, Node, PATIENCE, Scene};
use serde_json::{Value, json};

/// How long a board may take to answer a click before it is clicked again.
pub(crate) const ANSWER: Duration = Duration::from_millis(800);

/// The suit that is asked for after a ten, whatever the hand.
const ANY_SUIT: &str = "…hearts";

/// Two guests at a match that has begun, each at a browser.
pub(crate) struct Pair {
    pub(crate) match_id: String,
    pub(crate) logins: [Login; 2],
    pub(crate) browsers: [Browser; 2],
}

impl Pair {
    pub(crate) async fn sit_down(scene: &mut Scene, terms: Value) -> Pair {
        let logins = [scene.parlor.guest(), scene.parlor.guest()];
        let match_id = scene.parlor.begin(&terms, &[&logins[0], &logins[1]]);
        let browsers = [scene.browser_with(&logins[0]).await, scene.browser_with(&logins[1]).await];
        for browser in &browsers {
            browser.go(&format!("/match/{match_id}")).await;
        }
        Pair { match_id, logins, browsers }
    }

    pub(crate) async fn both_read(&self, text: &str) {
        for browser in &self.browsers {
            browser.read(text).await;
        }
    }
}

/// A match of Crazy Tens that the first round decides.
pub(crate) fn short_crazy_tens() -> Value {
    json!({"game": "crazy-tens", "options": {"target": 1, "starter": "alternate"}})
}

/// A cell, by its name alone.
pub(crate) async fn cell(browser: &Browser, name: &str) -> Node {
    browser.see("gridcell", &format!("{name}…")).await
}

/// Chess by two clicks. One that comes before the board knows what is legal means nothing, so it is
/// made again.
pub(crate) async fn click_move(browser: &Browser, from: &str, to: &str) {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        browser.click("gridcell", &format!("{from}, …")).await;
        let picked = Instant::now();
        while picked.elapsed() < ANSWER {
            let target = cell(browser, to).await;
            if target.name.contains("can be moved to") {
                browser.click_node(&target).await;
                return see_moved(browser, to).await;
            }
        }
    }
    panic!("{} cannot move {from} to {to}", browser.name);
}

/// Chess by dragging.
pub(crate) async fn drag_move(browser: &Browser, from: &str, to: &str) {
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        let (start, target) = (cell(browser, from).await, cell(browser, to).await);
        browser.drag(&start, &target).await;
        let dropped = Instant::now();
        while dropped.elapsed() < ANSWER {
            if cell(browser, to).await.name.contains("last move") {
                return;
            }
        }
    }
    panic!("{} cannot drag {from} to {to}", browser.name);
}

/// Waits for the other's move, or for one's own to be stored.
pub(crate) async fn see_moved(browser: &Browser, to: &str) {
    let what = format!("for a move to {to}");
    let look = async || cell(browser, to).await.name.contains("last move").then_some(());
    browser.until(&what, look).await;
}

/// Picks cells of Santorini, each as soon as it can be.
pub(crate) async fn pick(browser: &Browser, cells: &[&str]) {
    for name in cells {
        let what = format!("to pick {name}");
        let look = async || {
            let cell = cell(browser, name).await;
            let is_due = cell.name.contains("can be picked");
            (is_due && browser.click_node(&cell).await).then_some(())
        };
        browser.until(&what, look).await;
    }
}

/// The shortest way to win Santorini, the second player helping: what each seat picks, turn by turn.
pub(crate) const SANTORINI: [(usize, &[&str]); 9] = [
    (0, &["b2", "a1"]),
    (1, &["d4", "e5"]),
    (0, &["b2", "b3", "c2"]),
    (1, &["d4", "d3", "c3"]),
    (0, &["b3", "c2", "c3"]),
    (1, &["d3", "d4", "c4"]),
    (0, &["c2", "c3", "c4"]),
    (1, &["d4", "d5", "c4"]),
    (0, &["c3", "c4"]),
];

/// What can be done at a table of Crazy Tens, the best first.
pub(crate) async fn card_to_click(browser: &Browser) -> Option<Node> {
    let buttons = browser.all("button").await;
    let ends = [ANY_SUIT, "…, can be played", "…: draw", "Pass"];
    let mut found = ends.iter().filter_map(|end| {
        let is_it = |node: &&Node| match end.strip_prefix('…') {
            Some(end) => node.name.ends_with(end),
            None => node.name == *end,
        };
        // A card that cannot be played is a suit's name too.
        buttons.iter().filter(|node| !node.is_disabled).find(is_it)
    });
    found.next().cloned()
}

/// The cards that somebody holds, by their names.
pub(crate) async fn hand(browser: &Browser) -> Vec<String> {
    let cards =
        browser.all_within("document.querySelector('[aria-label=\"Your hand\"]')", "button");
    let name = |node: Node| node.name.split(',').next().unwrap_or_default().to_owned();
    cards.await.into_iter().map(name).collect()
}
