//! What works without a server, once the page was opened with one.

use browser_tests::{Browser, play};

use crate::boards::{click_move, pick};
use crate::scrabble;

/// Until the service worker has what it needs.
const IS_KEPT: &str = "
const registration = await navigator.serviceWorker.ready;
return registration.active?.state === 'activated' && !!navigator.serviceWorker.controller;";

/// The part of the client that draws boards cannot be fetched while this holds.
const NO_PART: &str = "
const unhindered = globalThis.fetch;
globalThis.isPartMissing = true;
globalThis.fetch = (what, ...how) =>
  globalThis.isPartMissing && String(what).includes('/client-part-')
    ? Promise.reject(new TypeError('no part today'))
    : unhindered(what, ...how);";

pub(crate) async fn open_and_keep(browser: &Browser, path: &str) {
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
        open_and_keep(&browser, "/practice/scrabble").await;
        browser.click("button", "I am Player 1: show my side").await;
        browser.see("grid", "Scrabble board and rack").await;
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
        // The list of words is here too.
        browser.go("/practice/scrabble").await;
        browser.click("button", "I am Player 1: show my side").await;
        browser.see("grid", "Scrabble board and rack").await;
        scrabble::lay_any(&browser).await;
    });
}

#[test]
fn a_visit_to_the_parlor_keeps_the_code_of_the_boards() {
    play(async |scene| {
        let browser = scene.browser("ada").await;
        open_and_keep(&browser, "/").await;
        let is_kept = "
            const kept = await (await caches.open('parlor')).keys();
            return kept.some(({ url }) => url.includes('/client-part-'));";
        assert_eq!(browser.run_async(is_kept).await, true);
    });
}

#[test]
fn a_board_whose_code_cannot_be_fetched_is_a_sentence_and_another_try() {
    play(async |scene| {
        scene.expect_console("no part today");
        let browser = scene.browser("ada").await;
        browser.before_pages(NO_PART).await;
        browser.go("/practice/chess").await;
        browser.read("could not be fetched").await;
        browser.click("button", "Try again").await;
        browser.read("could not be fetched").await;
        browser.run("globalThis.isPartMissing = false").await;
        browser.click("button", "Try again").await;
        click_move(&browser, "e2", "e4").await;
    });
}
