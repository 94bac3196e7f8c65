//! M14: a profile is looked at, changed and deleted.

use browser_tests::play;
use serde_json::json;

use crate::boards::{Pair, click_move, see_moved};

const PASSWORD: &str = "correct horse battery";

#[test]
fn a_profile_is_changed_and_others_see_it() {
    play(async |scene| {
        let login = scene.parlor.account("Ada", PASSWORD);
        scene.parlor.account("Bob", PASSWORD);
        scene.expect_console(
            "/api/v1/profile - Failed to load resource: the server responded with a status of 409",
        );
        let browser = scene.browser_with(&login).await;
        browser.go("/profile").await;
        browser.see("heading", "Ada").await;
        // A name that is taken or cannot be is refused in words, and nothing changes.
        browser.fill("textbox", "Name", "a b").await;
        browser.click("button", "Save").await;
        browser.see("alert", "…").await;
        browser.fill("textbox", "Name", "Bob").await;
        browser.click("button", "Save").await;
        browser.read("taken").await;
        browser.fill("textbox", "Name", "Lovelace").await;
        browser.click("button", "Save").await;
        browser.read("Saved.").await;
        browser.see("link", "Lovelace").await;
        browser.reload().await;
        browser.see("heading", "Lovelace").await;
        let other = scene.browser("bob").await;
        other.go("/player/Lovelace").await;
        other.see("heading", "Lovelace").await;
    });
}

#[test]
fn a_match_that_was_played_is_counted_and_found_again() {
    play(async |scene| {
        let pair = Pair::sit_down(scene, json!({"game": "chess"})).await;
        let [white, black] = &pair.browsers;
        for (browser, from, to) in [(white, "f2", "f3"), (black, "e7", "e5"), (white, "g2", "g4")] {
            click_move(browser, from, to).await;
            see_moved(if browser.name == white.name { black } else { white }, to).await;
        }
        click_move(black, "d8", "h4").await;
        pair.both_read("wins: checkmate.").await;
        black.go(&format!("/player/{}", pair.logins[1].name.replace(' ', "%20"))).await;
        black.see("heading", "Chess").await;
        black.read("1 match, 100 % won").await;
    });
}

#[test]
fn an_account_is_deleted_after_a_second_question() {
    play(async |scene| {
        let login = scene.parlor.account("Ada", PASSWORD);
        scene.expect_console(
            "/api/v1/login - Failed to load resource: the server responded with a status of 401",
        );
        let browser = scene.browser_with(&login).await;
        browser.go("/profile").await;
        browser.click("button", "Delete my account…").await;
        browser.click("button", "Keep it").await;
        browser.click("button", "Delete my account…").await;
        browser.click("button", "Delete it for good").await;
        browser.read("Your account is deleted. Farewell.").await;
        browser.click("link", "Log in").await;
        browser.fill("textbox", "Name", "Ada").await;
        browser.fill("textbox", "Password", PASSWORD).await;
        browser.click("button", "Log in").await;
        browser.read("This name and password do not belong together.").await;
    });
}
