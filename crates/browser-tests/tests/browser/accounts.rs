//! Who is logged in: guests, accounts, and what needs one of them.

use browser_tests::{Browser, play};
use serde_json::json;

use crate::boards::{click_move, see_moved};
use crate::looks::Inspector;

const PASSWORD: &str = "correct horse battery";

async fn fill_in(browser: &Browser, name: &str, password: &str) {
    browser.fill("textbox", "Name", name).await;
    browser.fill("textbox", "Password", password).await;
}

#[test]
fn a_guest_comes_in_by_one_click_and_leaves_by_another() {
    play(async |scene| {
        // A page that is loaded again before it heard of its log-out asks for it once more.
        scene.expect_console(
            "/api/v1/logout - Failed to load resource: the server responded with a status of 401",
        );
        let browser = scene.browser("ada").await;
        browser.go("/").await;
        browser.click("link", "Log in").await;
        browser.see("heading", "Log in").await;
        browser.click("button", "Play as a guest").await;
        browser.see("button", "Log out").await;
        browser.arrive("/").await;
        browser.reload().await;
        browser.click("button", "Log out").await;
        browser.see("link", "Log in").await;
        browser.reload().await;
        browser.see("link", "Log in").await;
    });
}

#[test]
fn a_password_is_changed_and_sessions_are_ended() {
    play(async |scene| {
        scene.expect_console("the server responded with a status of 401");
        let here = scene.parlor.account("Ada", PASSWORD);
        let there = scene.parlor.log_in("Ada", PASSWORD);
        let ada = scene.browser_with(&here).await;
        let other = scene.browser_with(&there).await;
        other.go("/").await;
        other.see("button", "Log out").await;
        ada.go("/settings").await;
        ada.see("heading", "Password and sessions").await;
        ada.read("This one").await;
        ada.see("button", "End the session of Program").await;
        let mut inspector = Inspector::new();
        inspector.inspect(&ada, "settings of an account").await;
        inspector.finish();

        let change = async |old: &str, new: &str| {
            ada.fill("textbox", "Current password", old).await;
            ada.fill("textbox", "New password", new).await;
            ada.click("button", "Change the password").await;
        };
        change(PASSWORD, "short").await;
        ada.read("A password has at least 8 characters.").await;
        change("not the password", "wrong donkey charger").await;
        ada.read("This is not your current password.").await;
        change(PASSWORD, "wrong donkey charger").await;
        ada.read("Your password is changed. All your other sessions have ended.").await;
        other.see("link", "Log in").await;
        ada.see_no_more("button", "End the session of Program").await;

        let there = scene.parlor.log_in("Ada", "wrong donkey charger");
        other.take(&there).await;
        other.go("/").await;
        other.see("button", "Log out").await;
        ada.reload().await;
        ada.click("button", "End the session of Program").await;
        other.see("link", "Log in").await;
        ada.see_no_more("button", "End the session of Program").await;
        ada.see("button", "Log out").await;
    });
}

#[test]
fn a_guest_has_sessions_but_no_password() {
    play(async |scene| {
        let login = scene.parlor.guest();
        let browser = scene.browser_with(&login).await;
        browser.go("/settings").await;
        browser.see("heading", "Sessions").await;
        browser.read("This one").await;
        assert!(browser.find("textbox", "Current password").await.is_none());
    });
}

#[test]
fn an_account_is_made_left_and_entered_again() {
    play(async |scene| {
        scene.expect_console(
            "/api/v1/login - Failed to load resource: the server responded with a status of 401",
        );
        scene.expect_console(
            "/api/v1/register - Failed to load resource: the server responded with a status of 409",
        );
        scene.parlor.account("Bob", PASSWORD);
        let browser = scene.browser("ada").await;
        browser.go("/login").await;
        browser.click("button", "I am new here").await;
        browser.see("heading", "Make an account").await;
        // What cannot be is said before anything is sent, what is taken after it.
        fill_in(&browser, "Ada", "short").await;
        browser.click("button", "Make an account").await;
        browser.read("A password has at least 8 characters.").await;
        fill_in(&browser, "Bob", PASSWORD).await;
        browser.click("button", "Make an account").await;
        browser.see("alert", "…").await;
        browser.read("taken").await;
        fill_in(&browser, "Ada", PASSWORD).await;
        browser.click("button", "Make an account").await;
        browser.see("button", "Log out").await;
        browser.read("Ada").await;
        browser.click("button", "Log out").await;
        browser.click("link", "Log in").await;
        browser.see("heading", "Log in").await;
        fill_in(&browser, "Ada", "wrong horse battery").await;
        browser.click("button", "Log in").await;
        browser.read("This name and password do not belong together.").await;
        fill_in(&browser, "Ada", PASSWORD).await;
        browser.click("button", "Log in").await;
        browser.see("button", "Log out").await;
        browser.read("Ada").await;
    });
}

#[test]
fn a_page_that_needs_somebody_asks_who_and_goes_on_there() {
    play(async |scene| {
        let host = scene.parlor.account("Host", PASSWORD);
        let body = json!({"terms": {"game": "chess"}});
        let lobby = scene.parlor.post("lobbies", Some(&host), &body);
        let path = format!("/lobby/{}", lobby["id"].as_str().unwrap_or_default());
        let browser = scene.browser("ada").await;
        browser.go(&path).await;
        browser.see("heading", "Log in").await;
        browser.click("button", "Play as a guest").await;
        browser.see("button", "Sit down").await;
        assert_eq!(browser.path().await, path);
    });
}

#[test]
fn two_tabs_of_one_player_stay_in_step() {
    play(async |scene| {
        let logins = [scene.parlor.guest(), scene.parlor.guest()];
        let id = scene.parlor.begin(&json!({"game": "chess"}), &[&logins[0], &logins[1]]);
        let path = format!("/match/{id}");
        let [white, black] =
            [scene.browser_with(&logins[0]).await, scene.browser_with(&logins[1]).await];
        white.go(&path).await;
        let first = white.tab().await;
        let second = white.open_tab(&path, browser_tests::SCREEN).await;
        black.go(&path).await;
        // A move in one tab, then the other's; each tab shows both.
        click_move(&white, "e2", "e4").await;
        white.turn_to(&first).await;
        see_moved(&white, "e4").await;
        click_move(&black, "e7", "e5").await;
        for tab in [&first, &second] {
            white.turn_to(tab).await;
            see_moved(&white, "e5").await;
        }
        white.turn_to(&first).await;
        click_move(&white, "g1", "f3").await;
        white.turn_to(&second).await;
        see_moved(&white, "f3").await;
        // Leaving in one tab is leaving.
        white.click("button", "Log out").await;
        white.see("link", "Log in").await;
        white.turn_to(&first).await;
        white.see("heading", "Log in").await;
    });
}
