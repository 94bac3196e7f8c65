//! What works without a server, once the page was opened with one.

use browser_tests::{Browser, play};

use crate::boards::{click_move, pick};

/// Until the service worker has what it needs.
const IS_KEPT: &str = "
const registration = await navigator.serviceWorker.ready;
return registration.active?.state === 'activated' && !!navigator.serviceWorker.controller;";

async fn open_and_keep(browser: &Browser, path: &str) {
    browser.go(path).await;
    browser
        .until("for the worker", async || browser.run_async(IS_KEPT).await.as_bool()?.then_some(()))
        .await;
    // What a page fetches is kept when the worker sees it fetched.
    browser.reload().await;
}

#[test]
fn a_match_on_one_screen_goes_on_without_a_server() {
    play(async |scene| {
        scene.expect_console("Failed to load resource: net::ERR_");
        scene.expect_console("the server responded with a status of 504");
        let browser = scene.browser("ada").await;
        open_and_keep(&browser, "/practice/chess").await;
        click_move(&browser, "e2", "e4").await;
        scene.parlor.kill();
        click_move(&browser, "e7", "e5").await;
        // The page itself comes from the browser now, and the match with it.
        browser.reload().await;
        browser.see("gridcell", "e5, black pawn, last move").await;
        click_move(&browser, "g1", "f3").await;
        browser.click("button", "Take back").await;
        browser.see("gridcell", "g1, white knight").await;
        browser.go("/practice/santorini").await;
        pick(&browser, &["b2", "a1"]).await;
        pick(&browser, &["d4", "e5"]).await;
        browser.see("gridcell", "d4, ground, …").await;
    });
}
