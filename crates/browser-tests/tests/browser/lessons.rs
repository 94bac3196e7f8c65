//! A tutorial is worked through, skipped and repeated.

use browser_tests::{Browser, play};

use crate::boards::cell;

/// Picks two squares of a lesson's board until it has a word for it.
async fn answer(browser: &Browser, from: &str, to: &str, word: &str) {
    let look = async || {
        browser.click_node(&cell(browser, from).await).await;
        browser.click_node(&cell(browser, to).await).await;
        browser.text().await.contains(word).then_some(())
    };
    browser.until("for a lesson's word", look).await;
}

#[test]
fn a_lesson_says_right_and_wrong_and_can_be_repeated_or_skipped() {
    play(async |scene| {
        let browser = scene.browser("ada").await;
        browser.go("/learn/chess").await;
        browser.read("Step 1 of 5").await;
        answer(&browser, "e2", "e3", "No. That is the right pawn.").await;
        answer(&browser, "e2", "e4", "Right. It takes room in the middle").await;
        browser.click("button", "Try it again").await;
        browser.read_no_more("Right. ").await;
        browser.see("gridcell", "e2, white pawn…").await;
        for step in 2..=5 {
            browser.click("button", "Next").await;
            browser.read(&format!("Step {step} of 5")).await;
        }
        browser.click("button", "Back").await;
        browser.read("Step 4 of 5").await;
        browser.click("button", "Next").await;
        browser.click("button", "Done").await;
        browser.see("heading", "That is all you need to begin").await;
        browser.click("button", "Once more").await;
        browser.read("Step 1 of 5").await;
        browser.click("button", "Skip the tutorial").await;
        browser.arrive("/").await;
    });
}
