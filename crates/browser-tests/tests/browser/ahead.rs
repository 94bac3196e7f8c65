//! What is entered during the other's turn.

use browser_tests::{Browser, play};
use serde_json::json;

use crate::boards::{Pair, click_both, click_move, see_moved};

async fn enter(browser: &Browser, from: &str, to: &str) {
    click_both(browser, from, to, "can be entered ahead").await;
    browser.read(&format!("Entered ahead:\n{from}{to}")).await;
}

#[test]
fn a_move_that_was_entered_ahead_is_made_when_it_is_due() {
    play(async |scene| {
        let pair = Pair::sit_down(scene, json!({"game": "chess"})).await;
        let [white, black] = &pair.browsers;
        enter(black, "e7", "e5").await;
        // Taken back, it is not made.
        black.click("button", "Forget it").await;
        black.read_no_more("Entered ahead").await;
        enter(black, "d7", "d5").await;
        white.see("gridcell", "d7, black pawn").await;
        click_both(white, "e2", "e4", "can be moved to").await;
        for browser in [white, black] {
            see_moved(browser, "d5").await;
        }
        black.read_no_more("Entered ahead").await;
    });
}

#[test]
fn what_is_no_longer_legal_when_it_is_due_is_dropped_with_a_notice() {
    play(async |scene| {
        let pair = Pair::sit_down(scene, json!({"game": "chess"})).await;
        let [white, black] = &pair.browsers;
        click_move(white, "e2", "e4").await;
        see_moved(black, "e4").await;
        click_move(black, "e7", "e5").await;
        see_moved(white, "e5").await;
        enter(black, "d7", "d5").await;
        // The bishop pins the pawn to its king.
        click_move(white, "f1", "b5").await;
        black.read("Not played, although entered: d7d5.").await;
        black.see("gridcell", "d7, black pawn").await;
        click_move(black, "a7", "a6").await;
    });
}
