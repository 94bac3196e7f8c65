//! Which presses play on a board: those of the primary button, of one finger, or of a pen.

use std::time::Duration;

use browser_tests::{
    Browser, MOUSE_BUTTON_LEFT, MOUSE_BUTTON_MIDDLE, MOUSE_BUTTON_RIGHT, PHONE, play,
};
use serde_json::json;

use crate::boards::{IN_FLIGHT, Pair, cell, click_move, pick, see_moved};

/// The presses that must play nothing: the buttons, in the order in which they go down.
const OTHER_BUTTONS: [&[u64]; 4] = [
    &[MOUSE_BUTTON_RIGHT],
    &[MOUSE_BUTTON_MIDDLE],
    &[MOUSE_BUTTON_LEFT, MOUSE_BUTTON_RIGHT],
    &[MOUSE_BUTTON_RIGHT, MOUSE_BUTTON_LEFT],
];

/// Drags between two cells with these buttons.
async fn drag_with(browser: &Browser, buttons: &[u64], from: &str, to: &str) {
    let (from, to) = (cell(browser, from).await, cell(browser, to).await);
    let path = browser.path_of_drag(&from, &to).await.expect("cells stay");
    browser.press_with(buttons, &path, Duration::ZERO).await;
}

/// Clicks a cell with one button.
async fn click_with(browser: &Browser, button: u64, name: &str) {
    let place = browser.place(&cell(browser, name).await).await.expect("cells stay");
    browser.press_with(&[button], &[place], Duration::ZERO).await;
}

/// Picks a chess piece up, so that the target says that it can be moved to.
async fn pick_up(browser: &Browser, from: &str, to: &str) {
    let look = async || {
        if cell(browser, to).await.name.contains("can be moved to") {
            return Some(());
        }
        let piece = browser.find("gridcell", &format!("{from}, …")).await?;
        if !piece.is_selected {
            browser.click_node(&piece).await;
        }
        None
    };
    browser.until("to pick a piece up", look).await;
}

#[test]
fn other_mouse_buttons_play_no_chess_move() {
    play(async |scene| {
        let pair = Pair::sit_down(scene, json!({"game": "chess"})).await;
        let [white, black] = &pair.browsers;
        pick_up(white, "e2", "e4").await;
        for button in [MOUSE_BUTTON_RIGHT, MOUSE_BUTTON_MIDDLE] {
            click_with(white, button, "e4").await;
        }
        for buttons in OTHER_BUTTONS {
            drag_with(white, buttons, "e2", "e4").await;
        }
        click_move(white, "d2", "d3").await;
        see_moved(black, "d3").await;
        black.see("gridcell", "e2, white pawn").await;
    });
}

#[test]
fn a_second_finger_cancels_a_drag_and_one_finger_plays() {
    play(async |scene| {
        let pair = Pair::sit_down(scene, json!({"game": "chess"})).await;
        let [white, black] = &pair.browsers;
        white.resize(PHONE).await;
        pick_up(white, "e2", "e4").await;
        let place =
            async |name: &str| white.place(&cell(white, name).await).await.expect("cells stay");
        let (from, to) = (place("e2").await, place("e4").await);
        let between = (from.0, f64::midpoint(from.1, to.1));
        // One finger on the board, and one beside it.
        for second in [place("b5").await, (3.0, 3.0)] {
            let steps: [&[_]; 4] = [&[from], &[between], &[between, second], &[to, second]];
            white.touch(&steps).await;
        }
        let (from, to) = (place("d2").await, place("d4").await);
        let between = (from.0, f64::midpoint(from.1, to.1));
        let look = async || {
            if cell(white, "d4").await.name.contains("last move") {
                return Some(());
            }
            if !white.text().await.contains(IN_FLIGHT) {
                white.touch(&[&[from], &[between], &[to]]).await;
            }
            None
        };
        white.until("to drag a pawn with one finger", look).await;
        see_moved(black, "d4").await;
        black.see("gridcell", "e2, white pawn").await;
    });
}

#[test]
fn other_mouse_buttons_place_no_worker() {
    play(async |scene| {
        let pair = Pair::sit_down(scene, json!({"game": "santorini"})).await;
        let [first, second] = &pair.browsers;
        let is_due = async || cell(first, "b2").await.name.contains("can be picked").then_some(());
        first.until("for the own turn", is_due).await;
        for name in ["b2", "a1"] {
            click_with(first, MOUSE_BUTTON_RIGHT, name).await;
        }
        pick(first, &["c3", "d4"]).await;
        for name in ["c3", "d4"] {
            let is_placed =
                async || cell(second, name).await.name.contains("worker of").then_some(());
            second.until("for a worker", is_placed).await;
        }
        assert!(!cell(second, "b2").await.name.contains("worker"), "the right button placed it");
    });
}

#[test]
fn other_mouse_buttons_lay_no_tile() {
    play(async |scene| {
        let pair = Pair::sit_down(scene, json!({"game": "scrabble"})).await;
        let [first, _] = &pair.browsers;
        let ready = async || first.find("button", "Pass…").await;
        first.until("for the own turn", ready).await;
        let letters = async || {
            let cells = first.all("gridcell").await.into_iter();
            let names = cells.filter_map(|it| {
                let (slot, letter) = it.name.split_once(", ")?;
                let is_letter = slot.starts_with("Rack") && letter.contains("point");
                is_letter.then(|| slot.to_owned())
            });
            Some(names.collect::<Vec<_>>()).filter(|names| names.len() > 1)
        };
        let letters = first.until("for two letters on the rack", letters).await;
        for buttons in OTHER_BUTTONS {
            drag_with(first, buttons, &format!("{},", letters[0]), "A1,").await;
        }
        drag_with(first, &[MOUSE_BUTTON_LEFT], &format!("{},", letters[1]), "H8").await;
        first
            .until("for a tile", async || {
                cell(first, "H8").await.name.contains("not played yet").then_some(())
            })
            .await;
        assert!(cell(first, "A1,").await.name.contains("empty"), "another button laid it");
    });
}
