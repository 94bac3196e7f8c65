//! How each board is played, by whoever sits at a browser.

use browser_tests::{Browser, Login, Node, Scene};
use serde_json::{Value, json};

/// What the page says between sending an action and hearing that it is stored.
pub(crate) const IN_FLIGHT: &str = "not stored yet";

/// More than a match of Crazy Tens takes.
const CARDS_MAX: usize = 1000;

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

/// Clicks a piece, then its target as soon as the board says about it what `can` says. A click before
/// the board knows what is legal picks nothing, so the piece is clicked until it is picked.
pub(crate) async fn click_both(browser: &Browser, from: &str, to: &str, can: &str) {
    let look = async || {
        let target = cell(browser, to).await;
        if target.name.contains(can) {
            return browser.click_node(&target).await.then_some(());
        }
        let piece = browser.find("gridcell", &format!("{from}, …")).await?;
        if !piece.is_selected {
            browser.click_node(&piece).await;
        }
        None
    };
    browser.until(&format!("to click {from} and {to}"), look).await;
}

/// A chess move by two clicks, which waits until the move is stored. The opponent must not answer by
/// itself: its move would be the last one then.
pub(crate) async fn click_move(browser: &Browser, from: &str, to: &str) {
    click_both(browser, from, to, "can be moved to").await;
    see_moved(browser, to).await;
}

/// A chess move by dragging. A drag before the board knows what is legal moves nothing, so it is
/// repeated unless a move is being stored.
pub(crate) async fn drag_move(browser: &Browser, from: &str, to: &str) {
    let look = async || {
        let (start, target) = (cell(browser, from).await, cell(browser, to).await);
        if target.name.contains("last move") {
            return Some(());
        }
        if !browser.text().await.contains(IN_FLIGHT) {
            browser.drag(&start, &target).await;
        }
        None
    };
    browser.until(&format!("to drag {from} to {to}"), look).await;
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

/// What can be done at a table of Crazy Tens, the best first; nothing while an action is being stored.
pub(crate) async fn card_to_click(browser: &Browser) -> Option<Node> {
    if browser.text().await.contains(IN_FLIGHT) {
        return None;
    }
    let buttons = browser.all("button").await;
    let ends = [ANY_SUIT, "…, can be played", "…: draw", "Pass"];
    let mut found = ends.iter().filter_map(|end| {
        // A card that cannot be played is a suit's name too.
        buttons.iter().find(|node| !node.is_disabled && is_end(end, node))
    });
    found.next().cloned()
}

/// Is this the node's name, or the end of it if it begins with `…`?
fn is_end(end: &str, node: &Node) -> bool {
    end.strip_prefix('…').map_or(node.name == end, |end| node.name.ends_with(end))
}

/// Plays what can be played at a table of Crazy Tens, a ten with its suit. False if nothing was sent.
pub(crate) async fn play_card(browser: &Browser) -> bool {
    let Some(card) = card_to_click(browser).await else { return false };
    if !browser.click_node(&card).await {
        return false;
    }
    let is_suit = |it: &Node| is_end(ANY_SUIT, it);
    // The page asks for the suit at once; the last card of a hand needs none.
    match card_to_click(browser).await.filter(|it| !is_suit(&card) && is_suit(it)) {
        Some(suit) => browser.click_node(&suit).await,
        None => true,
    }
}

/// How many entries of the match the page has heard of.
pub(crate) async fn ply(browser: &Browser) -> u64 {
    let latest = "
        const messages = window.heardFrames.map((it) => it[1]).filter((it) => it[0] === '{');
        const shown = messages.map((it) => JSON.parse(it)).filter((it) => it.view);
        return Math.max(0, ...shown.map((it) => it.ply))";
    browser.run(latest).await.as_u64().unwrap_or_default()
}

/// Plays one action of Crazy Tens and waits until every page has heard of it, so that nothing is
/// compared or clicked in between. False if `is_over` says so before anybody can act.
pub(crate) async fn play_on(
    players: &[Browser; 2],
    watchers: &[Browser],
    is_over: impl AsyncFn() -> bool,
) -> bool {
    let before = ply(&players[0]).await;
    let advance = async || {
        if is_over().await {
            return Some(false);
        }
        for player in players {
            if play_card(player).await {
                return Some(true);
            }
        }
        None
    };
    let is_played = players[0].until("for somebody to play", advance).await;
    for browser in players.iter().chain(watchers).filter(|_| is_played) {
        let look = async || (ply(browser).await == before + 1).then_some(());
        browser.until("to hear of an action", look).await;
    }
    is_played
}

/// Plays Crazy Tens until both can read a text; gives how many actions it took.
pub(crate) async fn play_until(players: &[Browser; 2], text: &str) -> usize {
    let is_read = async || players[0].text().await.contains(text);
    for actions in 0..CARDS_MAX {
        if !play_on(players, &[], is_read).await {
            players[1].read(text).await;
            return actions;
        }
    }
    panic!("“{text}” never appears");
}

/// The cards that somebody holds, by their names.
pub(crate) async fn hand(browser: &Browser) -> Vec<String> {
    let cards =
        browser.all_within("document.querySelector('[aria-label=\"Your hand\"]')", "button");
    let name = |node: Node| node.name.split(',').next().unwrap_or_default().to_owned();
    cards.await.into_iter().map(name).collect()
}
