//! What comes late: an answer to a page that is there by now, or to one that is gone.

use browser_tests::{Browser, play};
use serde_json::json;

/// Keeps the text of an answer back, until `letGo` is called.
const HOLD: &str = "
(() => {
  const ask = window.fetch;
  window.fetch = async (address, ...words) => {
    const answer = await ask(address, ...words);
    if (String(address).endsWith('PATH')) {
      const text = await answer.text();
      answer.text = () => new Promise((tell) => { window.letGo = () => tell(text); });
    }
    return answer;
  };
})()";

/// Keeps back what is to be done with the next frame.
const HOLD_FRAMES: &str =
    "window.held = []; window.requestAnimationFrame = (draw) => window.held.push(draw);";

async fn hold(browser: &Browser, path: &str) {
    browser.before_pages(&HOLD.replace("PATH", path)).await;
}

/// Gives what was kept back, and comes back when the page has done with it what it does.
async fn let_go(browser: &Browser) {
    let is_held = async || (browser.run("return !!window.letGo").await == true).then_some(());
    browser.until("for the answer", is_held).await;
    browser.run_async("window.letGo(); await new Promise((go) => setTimeout(go));").await;
}

#[test]
fn a_match_that_is_told_of_twice_is_opened_once() {
    play(async |scene| {
        let [host, guest] = [scene.parlor.guest(), scene.parlor.guest()];
        let lobby = scene.parlor.post("lobbies", Some(&host), &json!({"terms": {"game": "chess"}}));
        let lobby = lobby["id"].as_str().expect("an id");
        scene.parlor.post(&format!("lobbies/{lobby}/join"), Some(&guest), &json!(null));
        let ada = scene.browser_with(&host).await;
        hold(&ada, "/start").await;
        ada.go(&format!("/lobby/{lobby}")).await;
        ada.click("button", "Begin").await;
        // The socket was faster than the answer.
        ada.see("gridcell", "e2, white pawn").await;
        let pages = "return history.length";
        let before = ada.run(pages).await;
        ada.run("document.querySelector('.match').id = 'first'").await;
        let_go(&ada).await;
        assert_eq!(ada.run("return document.querySelector('.match').id").await, "first");
        assert_eq!(ada.run(pages).await, before);
    });
}

#[test]
fn a_page_that_is_left_before_its_next_frame_stays_quiet() {
    play(async |scene| {
        let logins = [scene.parlor.guest(), scene.parlor.guest()];
        let id = scene.parlor.begin(&json!({"game": "chess"}), &[&logins[0], &logins[1]]);
        let ada = scene.browser_with(&logins[0]).await;
        ada.before_pages(HOLD_FRAMES).await;
        ada.go(&format!("/match/{id}")).await;
        ada.see("gridcell", "e2, white pawn").await;
        ada.click("link", "Parlor").await;
        ada.see("heading", "Your matches").await;
        let drawn = ada.run("window.held.forEach((draw) => draw(0)); return window.held.length");
        assert!(drawn.await.as_u64().is_some_and(|drawn| drawn > 0), "nothing was held");
    });
}

#[test]
fn whoever_leaves_the_door_while_it_opens_stays_where_they_are() {
    play(async |scene| {
        let ada = scene.browser("ada").await;
        hold(&ada, "/guest").await;
        ada.go("/login").await;
        ada.click("button", "Play as a guest").await;
        ada.click("link", "Rules and tutorials").await;
        ada.arrive("/rules").await;
        let_go(&ada).await;
        ada.see("button", "Log out").await;
        assert_eq!(ada.path().await, "/rules");
    });
}
