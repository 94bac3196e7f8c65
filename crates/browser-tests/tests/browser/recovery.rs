//! What the page does when the server is gone, or the login.

use browser_tests::play;
use serde_json::json;

use crate::boards::{Pair, click_move, see_moved};

#[test]
fn a_killed_server_is_noticed_and_the_match_goes_on() {
    play(async |scene| {
        scene.expect_console("WebSocket connection to");
        scene.expect_console("Failed to load resource: net::ERR_");
        let pair = Pair::sit_down(scene, json!({"game": "chess"})).await;
        let [white, black] = &pair.browsers;
        click_move(white, "e2", "e4").await;
        see_moved(black, "e4").await;
        click_move(black, "e7", "e5").await;
        see_moved(white, "e5").await;

        scene.parlor.kill();
        // As soon as the browser knows that the socket is closed, so do people: no timer runs before.
        for browser in [white, black] {
            let closed = "return window.closedSockets > 0 && document.body.innerText";
            let look = async || browser.run(closed).await.as_str().map(str::to_owned);
            let text = browser.until("for the socket to close", look).await;
            assert!(text.contains("The connection is lost. Trying again…"), "{text}");
        }
        // Whatever is tried now is said to have failed.
        let try_it = async || {
            white.click("gridcell", "g1, …").await;
            white.click("gridcell", "f3…").await;
            white.text().await.contains("Not sent: there is no connection.").then_some(())
        };
        white.until("to be told that nothing is sent", try_it).await;
        white.see("gridcell", "e4, white pawn").await;

        scene.parlor.start_again();
        for browser in [white, black] {
            browser.read_no_more("The connection is lost.").await;
            browser.see("gridcell", "e4, white pawn").await;
            browser.see("gridcell", "e5, black pawn, last move").await;
        }
        click_move(white, "g1", "f3").await;
        see_moved(black, "f3").await;
        click_move(black, "b8", "c6").await;
        see_moved(white, "c6").await;
    });
}

#[test]
fn whoever_is_logged_out_elsewhere_is_asked_to_log_in() {
    play(async |scene| {
        let login = scene.parlor.account("Ada", "correct horse battery");
        let other = scene.parlor.guest();
        let id = scene.parlor.begin(&json!({"game": "chess"}), &[&login, &other]);
        let browser = scene.browser_with(&login).await;
        browser.go(&format!("/match/{id}")).await;
        browser.see("gridcell", "e2, white pawn").await;
        scene.parlor.post("logout", Some(&login), &json!(null));
        // The page says so by itself, and leads back after the log-in.
        browser.see("heading", "Log in").await;
        browser.read("Your login has ended").await;
        browser.fill("textbox", "Name", "Ada").await;
        browser.fill("textbox", "Password", "correct horse battery").await;
        browser.click("button", "Log in").await;
        browser.see("gridcell", "e2, white pawn").await;
        assert_eq!(browser.path().await, format!("/match/{id}"));
        click_move(&browser, "e2", "e4").await;
    });
}
