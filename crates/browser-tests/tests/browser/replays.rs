//! A match that is over is looked at again, move by move, and proved.

use browser_tests::play;
use serde_json::json;

use crate::boards::{Pair, click_move, see_moved};
use crate::offline::open_and_keep;

#[test]
fn a_match_is_replayed_and_verified() {
    play(async |scene| {
        scene.expect_console("WebSocket connection to");
        scene.expect_console("Failed to load resource: net::ERR_");
        scene.expect_console("the server responded with a status of 504");
        let pair = Pair::sit_down(scene, json!({"game": "chess"})).await;
        let [white, black] = &pair.browsers;
        click_move(white, "e2", "e4").await;
        see_moved(black, "e4").await;
        click_move(black, "c7", "c5").await;
        see_moved(white, "c5").await;
        white.click("button", "Give up").await;
        white.click("button", "Really give up?").await;
        white.click("link", "Look at it again").await;
        white.arrive("/replay/…").await;
        white.see("gridcell", "e2, white pawn").await;
        white.read("After 0 of 3").await;
        white.click("button", "One on").await;
        white.see("gridcell", "e4, white pawn, last move").await;
        white.click("button", "To the end").await;
        white.see("gridcell", "c5, black pawn, last move").await;
        white.read("After 3 of 3").await;
        white.click("button", "One back").await;
        white.read("After 2 of 3").await;
        white.click("button", "One back").await;
        white.see("gridcell", "c7, black pawn").await;
        white.click("button", "Verify this match").await;
        white.read("Yes: seed, every move and the last state agree").await;

        // What was looked at once can be looked at without a server.
        let path = white.path().await;
        open_and_keep(white, &path).await;
        white.read("After 0 of 3").await;
        scene.parlor.kill();
        white.reload().await;
        white.read("After 0 of 3").await;
        white.click("button", "One on").await;
        white.see("gridcell", "e4, white pawn, last move").await;
        white.click("button", "Verify this match").await;
        white.read("Yes: seed, every move and the last state agree").await;
    });
}
