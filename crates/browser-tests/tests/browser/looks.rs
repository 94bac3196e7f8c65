//! Every page and board in both themes, on a screen and on a phone: nothing sticks out, and axe-core
//! finds nothing that people could not use.

use std::path::PathBuf;

use browser_tests::{Browser, PHONE, SCREEN, Size, folder, play, prepared};
use serde_json::{Value, json};

use crate::boards::{Pair, card_to_click, click_both, click_move, pick, see_moved};

const AXE: &str = "PARLOR_TEST_AXE";
/// All rules that are on by themselves: WCAG and good practice.
const RUN_AXE: &str = "
const found = await axe.run(document);
return {
  passes: found.passes.length,
  violations: found.violations.map((it) =>
    [it.id, it.help, ...it.nodes.map((node) => `${node.target} ${node.failureSummary}`)].join('\\n  ')),
};";

pub(crate) struct Inspector {
    axe: String,
    complaints: Vec<String>,
    /// For people to look at.
    gallery: PathBuf,
}

impl Inspector {
    pub(crate) fn new() -> Inspector {
        let axe = std::fs::read_to_string(prepared(AXE)).expect("axe-core can be read");
        Inspector { axe, complaints: Vec::new(), gallery: folder("gallery") }
    }

    /// Looks at a page as it stands, in every look.
    pub(crate) async fn inspect(&mut self, browser: &Browser, page: &str) {
        for (size, is_dark) in [(SCREEN, false), (SCREEN, true), (PHONE, true), (PHONE, false)] {
            browser.resize(size).await;
            browser.prefer_dark(is_dark).await;
            browser.rest().await;
            self.check_width(browser, page, size).await;
            browser.run(&self.axe).await;
            let found = browser.run_async(RUN_AXE).await;
            assert!(found["passes"].as_u64().is_some_and(|it| it > 5), "{page}: {found}");
            let theme = if is_dark { "dark" } else { "light" };
            let look = format!("{} {theme}", size.width);
            browser.screenshot(&self.gallery.join(format!("{page}, {look}.png"))).await;
            let violations = found["violations"].as_array().into_iter().flatten();
            let violations = violations.filter_map(Value::as_str);
            self.complaints.extend(violations.map(|it| format!("{page}, {look}: {it}")));
        }
        browser.resize(SCREEN).await;
    }

    async fn check_width(&mut self, browser: &Browser, page: &str, size: Size) {
        let width = browser.run("return document.documentElement.scrollWidth").await.as_u64();
        if width > Some(size.width.into()) {
            self.complaints.push(format!("{page}: {width:?} wide on {} pixels", size.width));
        }
    }

    pub(crate) fn finish(self) {
        assert!(self.complaints.is_empty(), "{}", self.complaints.join("\n\n"));
    }
}

#[test]
fn every_page_can_be_used_by_everybody() {
    play(async |scene| {
        scene.expect_console("the server responded with a status of 404");
        let mut inspector = Inspector::new();
        let browser = scene.browser("ada").await;
        browser.go("/").await;
        browser.see("button", "Set a table").await;
        inspector.inspect(&browser, "home of nobody").await;
        browser.click("link", "Log in").await;
        browser.see("heading", "Log in").await;
        inspector.inspect(&browser, "log-in").await;
        browser.click("button", "Log in").await;
        browser.read("A name and a password are needed.").await;
        browser.click("button", "I am new here").await;
        browser.see("heading", "Make an account").await;
        inspector.inspect(&browser, "sign-up").await;
        browser.click("button", "Play as a guest").await;
        browser.see("button", "Log out").await;
        browser.see("button", "Set a table").await;
        for game in ["chess", "santorini", "crazy-tens"] {
            let card = format!("document.querySelector('[data-game={game}]')");
            browser.click_within(&card, "button", "Set a table").await;
            browser.run(&format!("{card}.querySelector('details').open = true")).await;
        }
        inspector.inspect(&browser, "home with open forms").await;
        browser.click("button", "Invite others").await;
        browser.arrive("/lobby/…").await;
        browser.see("button", "Copy").await;
        inspector.inspect(&browser, "lobby").await;
        browser.click("link", "Settings").await;
        browser.see("heading", "Settings").await;
        inspector.inspect(&browser, "settings").await;
        browser.go("/rules/crazy-tens").await;
        browser.see("heading", "Crazy Tens: the rules").await;
        inspector.inspect(&browser, "rules").await;
        browser.go("/rules").await;
        browser.see("heading", "Rules and tutorials").await;
        inspector.inspect(&browser, "all rules").await;
        browser.go("/learn/santorini").await;
        browser.see("grid", "…").await;
        inspector.inspect(&browser, "tutorial").await;
        browser.go("/practice/chess").await;
        browser.see("gridcell", "e2, white pawn").await;
        inspector.inspect(&browser, "on one screen").await;
        browser.go("/practice/crazy-tens").await;
        browser.see("button", "I am Player 1: show my side").await;
        inspector.inspect(&browser, "hand-over").await;
        browser.go("/nowhere").await;
        browser.see("heading", "There is nothing here").await;
        inspector.inspect(&browser, "nothing here").await;
        let login = scene.parlor.account("Ada", "correct horse battery");
        browser.take(&login).await;
        browser.go("/profile").await;
        browser.see("heading", "Ada").await;
        inspector.inspect(&browser, "profile").await;
        inspector.finish();
    });
}

#[test]
fn every_board_can_be_used_by_everybody() {
    play(async |scene| {
        let mut inspector = Inspector::new();
        let pair = Pair::sit_down(scene, json!({"game": "chess"})).await;
        let [white, black] = &pair.browsers;
        click_move(white, "e2", "e4").await;
        see_moved(black, "e4").await;
        black.fill("textbox", "Say something", "Good luck").await;
        black.click("button", "Say").await;
        white.read("Good luck").await;
        inspector.inspect(white, "chess, the other's turn").await;
        black.click("gridcell", "e7, …").await;
        inspector.inspect(black, "chess, a pawn picked").await;
        white.click("button", "Offer a draw").await;
        black.read("asks for a draw").await;
        inspector.inspect(black, "chess, an offer").await;
        black.click("button", "Yes").await;
        black.read("A draw: ").await;
        black.resize(PHONE).await;
        let is_seen =
            "const { top, bottom } = document.querySelector('.outcome').getBoundingClientRect();
            return top >= 0 && bottom <= innerHeight";
        let look = async || (black.run(is_seen).await == true).then_some(());
        black.until("for the result to be seen without scrolling", look).await;
        inspector.inspect(black, "chess, over").await;
        black.click("link", "Look at it again").await;
        black.click("button", "Verify this match").await;
        black.read("Yes: seed").await;
        let widths = "const width = (it) => document.querySelector(it).offsetWidth;
            return width('.slider') - width('.grid')";
        assert_eq!(black.run(widths).await, 0, "the slider is as wide as the board");
        inspector.inspect(black, "replay").await;
        black.go(&format!("/player/{}", pair.logins[0].name.replace(' ', "%20"))).await;
        black.see("heading", "Chess").await;
        inspector.inspect(black, "a player").await;
        black.go("/match/0s8c8ym70255s").await;
        black.see("heading", "This match cannot be shown").await;
        inspector.inspect(black, "no such match").await;

        let next = async |terms: Value| {
            let id = scene.parlor.begin(&terms, &[&pair.logins[0], &pair.logins[1]]);
            for browser in &pair.browsers {
                browser.go(&format!("/match/{id}")).await;
            }
        };
        let gods = json!({"game": "santorini", "options": {"gods": ["atlas", "demeter"]}});
        next(gods).await;
        white.see("gridcell", "a1, ground, can be picked").await;
        inspector.inspect(white, "santorini, empty").await;
        pick(white, &["b2", "a1"]).await;
        pick(black, &["d4", "e5"]).await;
        pick(white, &["b2", "b3"]).await;
        pick(white, &["c2"]).await;
        inspector.inspect(white, "santorini, a choice").await;

        next(json!({"game": "crazy-tens"})).await;
        white.see("list", "Your hand").await;
        let look = async || card_to_click(white).await;
        let card = white.until("for a turn", look).await;
        inspector.inspect(white, "crazy tens, own turn").await;
        black.see("list", "Your hand").await;
        inspector.inspect(black, "crazy tens, the other's turn").await;
        white.click_node(&card).await;
        inspector.finish();
    });
}

#[test]
fn what_opens_over_a_board_can_be_used_by_everybody() {
    play(async |scene| {
        let mut inspector = Inspector::new();
        let fen = "7k/P7/8/8/8/8/8/K7 w - - 0 1";
        let options =
            json!({"variant": "standard", "number": null, "fen": fen, "auto_queen": false});
        let clock = json!({"mode": "fischer", "initial_s": 600, "increment_s": 1});
        let terms = json!({"game": "chess", "options": options, "clock": clock});
        let pair = Pair::sit_down(scene, terms).await;
        let [white, black] = &pair.browsers;
        click_both(white, "a7", "a8", "can be moved to").await;
        white.see("button", "white queen").await;
        inspector.inspect(white, "chess, a promotion").await;
        black.click("button", "Pause").await;
        white.click("button", "Yes").await;
        white.read("The match is paused.").await;
        white.see_no_more("group", "Promote to").await;
        white.read_no_more("to move").await;
        inspector.inspect(white, "chess, paused").await;
        let watcher = scene.parlor.guest();
        let watcher = scene.browser_with(&watcher).await;
        watcher.go(&format!("/match/{}", pair.match_id)).await;
        watcher.read("You are watching.").await;
        watcher.see("gridcell", "a7, white pawn").await;
        inspector.inspect(&watcher, "chess, watched").await;

        watcher.go("/practice/santorini").await;
        watcher.click("button", "Show me a good move").await;
        watcher.read("A bot’s choice: Place workers on ").await;
        inspector.inspect(&watcher, "santorini, a hint").await;
        inspector.finish();
    });
}

#[test]
fn pieces_move_only_where_motion_is_wanted() {
    play(async |scene| {
        let browser = scene.browser("ada").await;
        browser.go("/practice/chess").await;
        click_move(&browser, "e2", "e4").await;
        // What the style sheet plays, whether or not it has ended by now.
        let played =
            "return getComputedStyle(document.querySelector('.last .piece')).animationName";
        for (chosen, system, expected) in [
            (None, false, "none"),
            (None, true, "land"),
            (Some("Off"), true, "none"),
            (Some("On"), false, "land"),
        ] {
            browser.prefer_motion(system).await;
            if let Some(chosen) = chosen {
                let group = "document.querySelector('[name=motion]').closest('fieldset')";
                browser.go("/settings").await;
                browser.see("radio", chosen).await;
                browser.click_within(group, "radio", chosen).await;
                browser.go("/practice/chess").await;
                browser.see("gridcell", "e4, white pawn, last move").await;
            }
            assert_eq!(browser.run(played).await, expected, "{chosen:?}, the system {system}");
        }
    });
}

#[test]
fn a_theme_is_chosen_and_stays() {
    play(async |scene| {
        let browser = scene.browser("ada").await;
        let is_dark = async || {
            let colour =
                browser.run("return getComputedStyle(document.documentElement).backgroundColor");
            let colour = colour.await;
            let colour = colour.as_str().unwrap_or_default().to_owned();
            let numbers = colour.trim_start_matches("rgb(").trim_end_matches(')').split(", ");
            numbers.filter_map(|it| it.parse::<u32>().ok()).sum::<u32>() < 3 * 128
        };
        browser.prefer_dark(false).await;
        browser.go("/settings").await;
        browser.see("radio", "Dark").await;
        assert!(!is_dark().await, "as the system has it");
        browser.prefer_dark(true).await;
        browser.until("for the system's colours", async || is_dark().await.then_some(())).await;
        browser.click("radio", "Light").await;
        browser.until("for light colours", async || (!is_dark().await).then_some(())).await;
        browser.prefer_dark(false).await;
        browser.click("radio", "Dark").await;
        browser.until("for dark colours", async || is_dark().await.then_some(())).await;
        browser.reload().await;
        assert!(browser.see("radio", "Dark").await.is_checked);
        assert!(is_dark().await, "kept");
    });
}
