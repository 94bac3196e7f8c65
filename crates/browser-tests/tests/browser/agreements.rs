//! What people settle between them: a takeback, a draw, the end, another match, and talk.

use browser_tests::play;
use serde_json::json;

use crate::boards::{Pair, click_move, see_moved};

#[test]
fn a_move_is_taken_back_if_the_other_agrees() {
    play(async |scene| {
        let pair = Pair::sit_down(scene, json!({"game": "chess"})).await;
        let [white, black] = &pair.browsers;
        click_move(white, "e2", "e4").await;
        see_moved(black, "e4").await;
        white.click("button", "Take back").await;
        white.read("You asked for a move back.").await;
        black.read(&format!("{} asks for a move back.", pair.logins[0].name)).await;
        black.click("button", "No").await;
        white.read_no_more("You asked for a move back.").await;
        click_move(black, "e7", "e5").await;
        see_moved(white, "e5").await;
        white.click("button", "Take back").await;
        black.click("button", "Yes").await;
        for browser in [white, black] {
            browser.see("gridcell", "e2, white pawn").await;
            browser.see("gridcell", "e7, black pawn").await;
        }
        click_move(white, "d2", "d4").await;
        see_moved(black, "d4").await;
    });
}

#[test]
fn a_draw_is_agreed_on_and_played_again() {
    play(async |scene| {
        let pair = Pair::sit_down(scene, json!({"game": "chess"})).await;
        let [white, black] = &pair.browsers;
        click_move(white, "e2", "e4").await;
        see_moved(black, "e4").await;
        white.click("button", "Offer a draw").await;
        black.click("button", "Yes").await;
        pair.both_read("A draw: ").await;
        black.click("button", "Play again").await;
        white.click("button", "Yes").await;
        let old = format!("/match/{}", pair.match_id);
        for browser in [white, black] {
            let look = async || Some(browser.path().await).filter(|path| *path != old);
            let path = browser.until("for the next match", look).await;
            assert!(path.starts_with("/match/"), "{path}");
            browser.see("gridcell", "e2, white pawn").await;
        }
        assert_eq!(white.path().await, black.path().await);
    });
}

#[test]
fn a_match_is_paused_and_goes_on() {
    play(async |scene| {
        let clock = json!({"mode": "fischer", "initial_s": 600, "increment_s": 1});
        let pair = Pair::sit_down(scene, json!({"game": "chess", "clock": clock})).await;
        let [white, black] = &pair.browsers;
        click_move(white, "e2", "e4").await;
        see_moved(black, "e4").await;
        white.click("button", "Pause").await;
        black.click("button", "Yes").await;
        pair.both_read("The match is paused.").await;
        white.see_no_more("button", "Pause").await;
        white.see("button", "Give up").await;
        black.click("button", "Go on").await;
        for browser in [white, black] {
            browser.read_no_more("The match is paused.").await;
        }
        click_move(black, "e7", "e5").await;
        see_moved(white, "e5").await;
    });
}

#[test]
fn only_what_the_game_and_the_clock_know_is_offered() {
    play(async |scene| {
        let pair = Pair::sit_down(scene, json!({"game": "santorini"})).await;
        let [first, _] = &pair.browsers;
        first.see("button", "Take back").await;
        for name in ["Offer a draw", "Pause"] {
            assert!(first.find("button", name).await.is_none(), "{name}");
        }
        let watcher = scene.parlor.guest();
        let watcher = scene.browser_with(&watcher).await;
        watcher.go(&format!("/match/{}", pair.match_id)).await;
        watcher.read("You are watching.").await;
    });
}

#[test]
fn giving_up_is_asked_twice() {
    play(async |scene| {
        let pair = Pair::sit_down(scene, json!({"game": "santorini"})).await;
        let [first, second] = &pair.browsers;
        second.see("gridcell", "a1, …").await;
        first.click("button", "Give up").await;
        first.see("button", "Really give up?").await;
        assert!(!second.text().await.contains(" wins: "), "once is not yet meant");
        first.click("button", "Really give up?").await;
        pair.both_read(&format!("{} wins: resigned.", pair.logins[1].name)).await;
        first.see_no_more("button", "Give up").await;
    });
}

#[test]
fn people_talk_and_markup_is_only_text() {
    play(async |scene| {
        let pair = Pair::sit_down(scene, json!({"game": "chess"})).await;
        let [white, black] = &pair.browsers;
        white.fill("textbox", "Say something", "Good luck! <b onclick=1>").await;
        white.click("button", "Say").await;
        pair.both_read(&format!("{} Good luck! <b onclick=1>", pair.logins[0].name)).await;
        black.fill("textbox", "Say something", "Have fun").await;
        black.click("button", "Say").await;
        pair.both_read("Have fun").await;
        assert_eq!(black.run("return document.querySelector('b[onclick]')").await, json!(null));
        // Who comes later reads what was said.
        black.reload().await;
        black.read("Good luck!").await;
    });
}
