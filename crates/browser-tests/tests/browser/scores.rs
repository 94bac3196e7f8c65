//! M13: the score of Crazy Tens in both bases, what a round came to, and the sum to work out.

use browser_tests::play;
use serde_json::json;

use crate::boards::{Pair, play_until};
use crate::looks::Inspector;

#[test]
fn a_round_is_summed_up_and_the_bases_change_places() {
    play(async |scene| {
        let options = json!({"target": 500, "starter": "alternate"});
        let pair = Pair::sit_down(scene, json!({"game": "crazy-tens", "options": options})).await;
        let [first, second] = &pair.browsers;
        first.read("Round 1, up to 500").await;

        let prominent = "return document.querySelector('table.scores').className";
        assert_eq!(first.run(prominent).await, "scores prominent-ten");
        first.click("button", "Dozenal first").await;
        first.see("button", "Decimal first").await;
        assert_eq!(first.run(prominent).await, "scores prominent-twelve");
        first.reload().await;
        first.see("button", "Decimal first").await;

        play_until(&pair.browsers, " wins round 1").await;
        first.see("region", "The round is over").await;
        let is_first = "const top = (it) => document.querySelector(it).getBoundingClientRect().top;
            return top('.round-over') < top('.hand')";
        assert_eq!(second.run(is_first).await, true, "above the next hand");
        let mut inspector = Inspector::new();
        inspector.inspect(second, "crazy tens, a round is over").await;
        inspector.finish();
        pair.both_read("Left in the other hand: ").await;
        let sum = "What do these cards add up to, in dozenal?";
        first.fill("textbox", sum, "what").await;
        first.click("button", "Check").await;
        first.read("This is no dozenal number").await;
        first.fill("textbox", sum, "BBB").await;
        first.click("button", "Check").await;
        first.read("Not quite.").await;
        first.click("button", "Show me").await;
        first.read("The sum is ").await;
        // What the other reads there is right.
        let text = first.text().await;
        let dozenal = text.split(" in decimal and ").nth(1).and_then(|it| it.split(' ').next());
        second.fill("textbox", sum, dozenal.expect("a sum")).await;
        second.click("button", "Check").await;
        second.read("The sum is ").await;
        first.click("button", "Go on").await;
        first.see_no_more("region", "The round is over").await;
        first.read("Round 2, up to 500").await;
    });
}
