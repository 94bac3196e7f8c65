//! Long words and wide names, which must not widen any page or push a control off it.

use browser_tests::{Browser, Login, PHONE, SCREEN, play};
use serde_json::{Value, json};

use crate::boards::{click_move, see_moved};

/// Everything on the page that is drawn left or right of the window. What a scrolling element hides is
/// inside that element.
const OUTSIDE: &str = "
const is_inside = (it) => {
  const { left, right, width } = it.getBoundingClientRect();
  return width === 0 || (left > -1 && right < innerWidth + 1);
};
const is_seen = (it) => it.checkVisibility() && !it.closest('.visually-hidden, .skip, svg');
const found = [...document.querySelectorAll('body *')].filter((it) => is_seen(it) && !is_inside(it));
const wide = document.documentElement.scrollWidth - innerWidth;
return wide > 0 ? [`the page is ${wide} pixels too wide`, ...found.map((it) => it.outerHTML.slice(0, 200))]
  : found.map((it) => it.outerHTML.slice(0, 200));";

/// Nothing sticks out, on a screen and on a phone.
async fn check(browser: &Browser, page: &str) {
    for size in [SCREEN, PHONE] {
        browser.resize(size).await;
        let found = browser.run(OUTSIDE).await;
        assert_eq!(found, json!([]), "{page}, {} pixels wide", size.width);
    }
    browser.resize(SCREEN).await;
}

async fn say(browser: &Browser, text: &str) {
    browser.fill("textbox", "Say something", text).await;
    browser.click("button", "Say").await;
}

fn wide_accounts(scene: &browser_tests::Scene) -> [Login; 2] {
    ["W", "M"].map(|letter| scene.parlor.account(&letter.repeat(20), "correct horse battery"))
}

#[test]
fn no_line_of_chat_pushes_anything_off_the_page() {
    play(async |scene| {
        let logins = wide_accounts(scene);
        let match_id = scene.parlor.begin(&json!({"game": "chess"}), &[&logins[0], &logins[1]]);
        let white = scene.browser_with(&logins[0]).await;
        let black = scene.browser_with(&logins[1]).await;
        for browser in [&white, &black] {
            browser.go(&format!("/match/{match_id}")).await;
        }
        click_move(&white, "e2", "e4").await;
        see_moved(&black, "e4").await;
        let lines = [
            "x".repeat(300),
            "\u{5d0}".repeat(80),
            "z\u{30d}\u{310}\u{352}\u{316}\u{317}".repeat(20),
        ];
        for line in &lines {
            say(&white, line).await;
            black.read(line).await;
            check(&black, "the opponent's page").await;
        }
        // The marks of a line do not reach into the lines beside it.
        let clips = black.run(
            "return [...document.querySelectorAll('.talk li')].map((it) => getComputedStyle(it).overflowY)",
        );
        assert_eq!(clips.await, json!(["hidden", "hidden", "hidden"]));
        for (role, name) in [("textbox", "Say something"), ("button", "Say")] {
            black.see(role, name).await;
        }
        white.click("button", "Take back").await;
        black.read("asks for a move back").await;
        check(&black, "an offer").await;
    });
}

#[test]
fn wide_names_fit_on_every_page() {
    play(async |scene| {
        let logins = wide_accounts(scene);
        let [ada, bob] = &logins;
        let browser = scene.browser_with(ada).await;
        let table = json!({"terms": {"game": "chess"}, "public": true});
        let lobby = scene.parlor.post("lobbies", Some(ada), &table);
        browser.go("/").await;
        browser.see("link", &format!("Chess {} · …", ada.name)).await;
        check(&browser, "the list of tables").await;
        let lobby = format!("/lobby/{}", lobby["id"].as_str().unwrap_or_default());
        browser.go(&lobby).await;
        browser.see("button", "Close the table").await;
        scene.parlor.post(
            &format!("{}/join", lobby.replace("/lobby", "lobbies")),
            Some(bob),
            &Value::Null,
        );
        browser.see("button", "Send out").await;
        check(&browser, "a table").await;
        for game in ["chess", "santorini", "crazy-tens", "scrabble"] {
            let match_id = scene.parlor.begin(&json!({"game": game}), &[ada, bob]);
            browser.go(&format!("/match/{match_id}")).await;
            browser.see("button", "Give up").await;
            browser.read(&bob.name).await;
            check(&browser, game).await;
            browser.click("button", "Give up").await;
            browser.click("button", "Really give up?").await;
            browser.read(&format!("{} wins: resigned.", bob.name)).await;
            check(&browser, "an ending").await;
            if game == "chess" {
                browser.click("link", "Look at it again").await;
                browser.see("button", "Verify this match").await;
                check(&browser, "a replay").await;
            }
        }
        browser.go("/profile").await;
        browser.see("link", &bob.name).await;
        check(&browser, "a profile").await;
    });
}
