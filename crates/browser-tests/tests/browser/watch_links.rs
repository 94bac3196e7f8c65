//! Private matches: only the players see one, until one of them makes a watch link.

use browser_tests::{Browser, play};
use serde_json::json;

use crate::boards::{Pair, click_move, see_moved};
use crate::looks::Inspector;

/// Makes a link on the page of a player, and gives it.
async fn make_link(browser: &Browser) -> String {
    let shown = "return document.querySelector('.link code')?.textContent ?? ''";
    let text = async || browser.run(shown).await.as_str().unwrap_or_default().to_owned();
    browser.click("button", "Make a watch link").await;
    browser.until("for a link", async || Some(text().await).filter(|it| !it.is_empty())).await
}

#[test]
fn a_private_match_is_watched_by_its_link_until_that_is_taken_back() {
    play(async |scene| {
        scene.expect_console("the server responded with a status of 404");
        let logins = [scene.parlor.guest(), scene.parlor.guest()];
        let table = json!({"terms": {"game": "chess"}});
        let match_id = scene.parlor.begin_at(&table, &[&logins[0], &logins[1]]);
        let path = format!("/match/{match_id}");
        let white = scene.browser_with(&logins[0]).await;
        let black = scene.browser_with(&logins[1]).await;
        for browser in [&white, &black] {
            browser.go(&path).await;
        }
        let login = scene.parlor.guest();
        let eve = scene.browser_with(&login).await;
        eve.go(&path).await;
        eve.see("heading", "This match cannot be shown").await;

        let link = make_link(&white).await;
        assert!(link.contains(&format!("{path}#watch=")), "{link}");
        white.see("button", "Copy").await;
        let mut inspector = Inspector::new();
        inspector.inspect(&white, "a watch link").await;
        inspector.finish();
        eve.goto(&link).await;
        eve.read("You are watching.").await;
        assert_eq!(eve.path().await, path, "the secret leaves the address bar");
        assert!(eve.find("button", "Make a watch link").await.is_none(), "she only watches");
        click_move(&white, "e2", "e4").await;
        see_moved(&eve, "e4").await;
        // A reload, and what is read over HTTP, work by the same secret.
        eve.reload().await;
        eve.read("You are watching.").await;
        eve.see("list", "Moves so far").await;

        // The link is still there after a reload of the player's page.
        white.reload().await;
        white.read(&link).await;
        white.click("button", "Take the link back").await;
        white.read("The link is taken back").await;
        eve.see("heading", "You cannot watch this match any more").await;
        eve.goto(&link).await;
        eve.see("heading", "This match cannot be shown").await;

        // The other player makes a new link. Its visitor has to log in first.
        let link = make_link(&black).await;
        let nobody = scene.browser("nobody").await;
        nobody.goto(&link).await;
        nobody.click("button", "Play as a guest").await;
        nobody.read("You are watching.").await;
    });
}

#[test]
fn a_public_match_needs_no_watch_link() {
    play(async |scene| {
        let pair = Pair::sit_down(scene, json!({"game": "chess"})).await;
        let [white, _] = &pair.browsers;
        click_move(white, "e2", "e4").await;
        assert!(white.find("button", "Make a watch link").await.is_none());
    });
}
