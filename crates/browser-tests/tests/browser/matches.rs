//! Whole matches, by pointer, of two people at two browsers.

use browser_tests::{PHONE, play};
use serde_json::json;

use crate::boards::{
    Pair, SANTORINI, click_both, click_move, drag_move, pick, play_until, see_moved,
    short_crazy_tens,
};

#[test]
fn chess_is_played_to_mate_by_clicks_and_by_dragging() {
    play(async |scene| {
        let pair = Pair::sit_down(scene, json!({"game": "chess"})).await;
        let [white, black] = &pair.browsers;
        click_move(white, "f2", "f3").await;
        see_moved(black, "f3").await;
        drag_move(black, "e7", "e5").await;
        see_moved(white, "e5").await;
        click_move(white, "g2", "g4").await;
        see_moved(black, "g4").await;
        drag_move(black, "d8", "h4").await;
        pair.both_read(&format!("{} wins: checkmate.", pair.logins[1].name)).await;
        white.see("gridcell", "e1, white king, in check").await;
    });
}

#[test]
fn a_pawn_becomes_what_its_owner_chooses() {
    play(async |scene| {
        let fen = "7k/P7/8/8/8/8/8/K7 w - - 0 1";
        let options =
            json!({"variant": "standard", "number": null, "fen": fen, "auto_queen": false});
        let terms = json!({"game": "chess", "options": options});
        let pair = Pair::sit_down(scene, terms).await;
        let [white, black] = &pair.browsers;
        // The move is whole only with the choice.
        click_both(white, "a7", "a8", "can be moved to").await;
        white.click("button", "white knight").await;
        black.see("gridcell", "a8, white knight, last move").await;
    });
}

#[test]
fn santorini_is_played_to_the_top() {
    play(async |scene| {
        let pair = Pair::sit_down(scene, json!({"game": "santorini"})).await;
        for (seat, cells) in SANTORINI {
            pick(&pair.browsers[seat], cells).await;
        }
        pair.both_read(&format!("{} wins:", pair.logins[0].name)).await;
    });
}

#[test]
fn santorini_is_played_to_the_top_on_phones() {
    play(async |scene| {
        let pair = Pair::sit_down(scene, json!({"game": "santorini"})).await;
        for browser in &pair.browsers {
            browser.resize(PHONE).await;
        }
        for (seat, cells) in SANTORINI {
            pick(&pair.browsers[seat], cells).await;
        }
        pair.both_read(&format!("{} wins:", pair.logins[0].name)).await;
    });
}

#[test]
fn a_piece_of_the_other_side_says_whose_turn_it_is() {
    play(async |scene| {
        let pair = Pair::sit_down(scene, json!({"game": "chess"})).await;
        let [white, _] = &pair.browsers;
        white.see("gridcell", "e2, white pawn").await;
        let look = async || {
            white.click("gridcell", "e7, …").await;
            white.text().await.contains("It is white’s turn.").then_some(())
        };
        white.until("to be told whose turn it is", look).await;
    });
}

#[test]
fn crazy_tens_is_played_by_what_is_highlighted() {
    play(async |scene| {
        let pair = Pair::sit_down(scene, short_crazy_tens()).await;
        let actions = play_until(&pair.browsers, " wins: ").await;
        assert!(actions >= 5, "a hand has five cards");
    });
}

#[test]
fn what_is_not_allowed_is_refused_in_words_and_changes_nothing() {
    play(async |scene| {
        let pair = Pair::sit_down(scene, json!({"game": "chess"})).await;
        let [white, _] = &pair.browsers;
        let said = async || {
            white.click("gridcell", "e2, …").await;
            white.click("gridcell", "e6").await;
            let words =
                white.run("return document.querySelector('.board [role=alert]').textContent");
            words.await.as_str().filter(|it| it.ends_with('.')).map(str::to_owned)
        };
        let said = white.until("for a reason", said).await;
        assert!(said.contains("pawn") || said.contains("e2"), "{said}");
        white.see("gridcell", "e2, white pawn").await;
        click_move(white, "e2", "e4").await;
    });
}
