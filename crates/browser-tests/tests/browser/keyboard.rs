//! Whole matches by keyboard alone, the forms before them as well, by two people at one screen.

use browser_tests::{Browser, Key, Scene, play};

use crate::boards::{SANTORINI, see_moved};

/// More than a match of Crazy Tens takes.
const TABS_MAX: usize = 2000;

/// Comes in as a guest and opens the form of a game, without a pointer.
async fn open_form(scene: &mut Scene, game: &str) -> Browser {
    let browser = scene.browser("ada").await;
    browser.go("/login").await;
    browser.see("button", "Play as a guest").await;
    browser.tab_to("Play as a guest").await;
    browser.keys(&[Key::Enter]).await;
    browser.see("button", "Log out").await;
    browser.see("button", "Set a table").await;
    let of = "return document.activeElement.closest('[data-game]')?.dataset.game ?? ''";
    loop {
        browser.tab_to("Set a table").await;
        if browser.run(of).await == game {
            break;
        }
    }
    browser.keys(&[Key::Enter]).await;
    browser.see("button", "Play here, on one screen").await;
    browser
}

async fn begin(browser: &Browser) {
    browser.tab_to("Play here, on one screen").await;
    browser.keys(&[Key::Enter]).await;
    browser.arrive("/match/…").await;
}

/// Column and row of the cell that has the focus.
async fn focused_cell(browser: &Browser) -> [i32; 2] {
    let name = browser.focused().await.map(|node| node.name).unwrap_or_default();
    match *name.as_bytes() {
        [column, row, ..] => [i32::from(column), i32::from(row)],
        _ => panic!("no cell has the focus"),
    }
}

/// Goes to a cell by arrows, from whichever side the board is seen.
async fn arrow_to(browser: &Browser, name: &str) {
    let &[column, row] = name.as_bytes() else { panic!("{name} is no cell") };
    let wanted = [i32::from(column), i32::from(row)];
    for (axis, mut keys) in [[Key::Right, Key::Left], [Key::Up, Key::Down]].into_iter().enumerate()
    {
        let mut left = (focused_cell(browser).await[axis] - wanted[axis]).abs();
        while left > 0 {
            browser.keys(&keys[..1]).await;
            let now = (focused_cell(browser).await[axis] - wanted[axis]).abs();
            if now >= left {
                keys.reverse();
            }
            left = now;
        }
    }
}

/// Picks cells, each by arrows and Enter, as soon as its label says so.
async fn pick_by_keys(browser: &Browser, cells: &[&str], is_due: fn(&str) -> bool) {
    for name in cells {
        arrow_to(browser, name).await;
        let what = format!("to pick {name}");
        let look = async || {
            let cell = browser.focused().await?;
            is_due(&cell.name).then_some(())
        };
        browser.until(&what, look).await;
        browser.keys(&[Key::Enter]).await;
    }
}

#[test]
fn chess_is_played_by_keyboard_alone() {
    play(async |scene| {
        let browser = open_form(scene, "chess").await;
        // A choice by arrows, and back.
        browser.tab_to("Clock").await;
        browser.keys(&[Key::Down, Key::Down]).await;
        assert_eq!(browser.see("combobox", "Clock").await.value, "10 min + 5 s a move");
        begin(&browser).await;
        browser.see("gridcell", "f2, white pawn").await;
        let grid = browser.until("for the board by Tab", async || {
            browser.keys(&[Key::Tab]).await;
            browser.focused().await.filter(|node| node.name.starts_with("a8"))
        });
        grid.await;
        // Picked, let go of with Escape, picked again.
        arrow_to(&browser, "f2").await;
        let picked = async |is: bool| {
            let what = if is { "for the pawn to be picked" } else { "for it to be let go of" };
            browser
                .until(what, async || {
                    let cell = browser.focused().await?;
                    if is && !cell.is_selected {
                        browser.keys(&[Key::Enter]).await;
                    }
                    (browser.focused().await?.is_selected == is).then_some(())
                })
                .await;
        };
        picked(true).await;
        browser.keys(&[Key::Escape]).await;
        picked(false).await;
        for (from, to) in [("f2", "f3"), ("e7", "e5"), ("g2", "g4"), ("d8", "h4")] {
            arrow_to(&browser, from).await;
            picked(true).await;
            pick_by_keys(&browser, &[to], |name| name.contains("can be moved to")).await;
            see_moved(&browser, to).await;
        }
        browser.read("wins: checkmate.").await;
    });
}

#[test]
fn santorini_is_played_by_keyboard_alone() {
    play(async |scene| {
        let browser = open_form(scene, "santorini").await;
        begin(&browser).await;
        browser.see("gridcell", "a5, ground, can be picked").await;
        let grid = browser.until("for the board by Tab", async || {
            browser.keys(&[Key::Tab]).await;
            browser.focused().await.filter(|node| node.name.starts_with("a5"))
        });
        grid.await;
        for (_, cells) in SANTORINI {
            pick_by_keys(&browser, cells, |name| name.contains("can be picked")).await;
        }
        browser.read(" wins:").await;
    });
}

#[test]
fn crazy_tens_is_played_by_keyboard_alone() {
    play(async |scene| {
        let browser = open_form(scene, "crazy-tens").await;
        browser.tab_to("Change the details").await;
        browser.keys(&[Key::Enter]).await;
        browser.tab_to("Points that end the match").await;
        browser.replace("1").await;
        begin(&browser).await;
        browser.see("button", "I am Player 1: show my side").await;
        let mut presses = 0;
        // Tab leads to every card, so that people can ask why one cannot be played.
        for _ in 0..TABS_MAX {
            let before = browser.text().await;
            if before.contains(" wins: ") {
                break;
            }
            let usable = browser.focused().await.filter(|node| !node.is_disabled);
            let name = usable.map(|node| node.name).unwrap_or_default();
            let ends = [", can be played", ": draw", "Pass", "hearts", ": show my side"];
            if ends.iter().any(|end| name.ends_with(end)) {
                browser.keys(&[Key::Enter]).await;
                presses += 1;
                let changed = async || {
                    let now = browser.text().await;
                    (now != before && !now.contains("not stored yet")).then_some(())
                };
                browser.until("for the table to change", changed).await;
            } else {
                browser.keys(&[Key::Tab]).await;
            }
        }
        browser.read(" wins: ").await;
        assert!(presses >= 5, "a hand has five cards");
    });
}
