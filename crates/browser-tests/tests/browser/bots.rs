//! Bots: a guest plays whole matches against them, on the server and without one, asks them for hints,
//! and looks at a match again with one.

use browser_tests::{Browser, Scene, play};
use serde_json::{Value, json};

use crate::boards::{Pair, click_both, click_move, pick, play_card, see_moved};
use crate::offline::open_and_keep;
use crate::scrabble;

/// More than any of these matches takes.
const ACTIONS_MAX: usize = 300;

/// What the own seat sees of the match on this screen, by what the browser keeps.
const SEEN_HERE: &str = "
const log = localStorage.getItem(location.pathname.replace('/practice/', 'practice-'));
if (!log) return null;
const of = async (viewer) => (await ask({ ask: 'scene', log, ply: 1e6, viewer })).scene;
const { outcome, viewer: turn } = await of(null);
const { game, options, seats, view } = await of(OWN);
const is_over = !!outcome;
const sight = { game, options, seats, seat: OWN, view };
if (turn !== OWN && !is_over) return null;";

/// The same of the match on the server, by what the page heard.
const SEEN_THERE: &str = "
const messages = window.heardFrames.filter((it) => it[1][0] === '{').map((it) => JSON.parse(it[1]));
const last = messages.filter((it) => it.view).at(-1);
if (!last) return null;
const is_over = messages.some((it) => it.type === 'over' || it.status === 'over');
const { game, options, seats } = await (await fetch(`/api/v1/matches/${last.match}`)).json();
const sight = {
  game, options: JSON.stringify(options), seats: seats.length, seat: OWN, view: JSON.stringify(last.view),
};";

/// What the strongest bot would do there; nothing while it is another's turn.
const ADVISED: &str = "
if (is_over) return { is_over };
const legal = await ask({ ask: 'legal', sight });
if (!legal.actions?.actions.length) return null;
const { advice, refused } = await ask({ ask: 'advise', sight, level: 8, think_ms: 60, chance: 1 });
return { action: advice?.action, view: JSON.parse(sight.view), refused };";

async fn chess(browser: &Browser, action: &str, _: &Value) {
    let (from, rest) = action.split_at(2);
    let (to, promotion) = rest.split_at(2);
    // The bot may have answered before the test looks for the move.
    click_both(browser, from, to, "can be moved to").await;
    if !promotion.is_empty() {
        browser.click("button", "…queen").await;
    }
}

/// An action of Santorini is one or two squares, with what is done there.
async fn santorini(browser: &Browser, action: &str, _: &Value) {
    let squares: Vec<&str> =
        action.split(|c: char| !c.is_ascii_alphanumeric()).filter(|it| it.len() == 2).collect();
    // The worker that goes on to build is picked already.
    pick(browser, &squares).await;
}

/// Plays any card, with a suit if it is asked for.
async fn crazy_tens(browser: &Browser, _: &str, _: &Value) {
    let look = async || play_card(browser).await.then_some(());
    browser.until("for a card to play", look).await;
}

/// Plays as the strongest bot advises, to the end.
async fn play_out(browser: &Browser, seen: &str, act: &impl AsyncFn(&Browser, &str, &Value)) {
    browser.click("button", "Show me a good move").await;
    browser.read("A bot’s choice: ").await;
    let ask = "const ask = async (it) => JSON.parse(await askThinker(JSON.stringify(it)));";
    let script = format!("{ask} {seen} {ADVISED}").replace("OWN", "0");
    let mut acted = Value::Null;
    for _ in 0..ACTIONS_MAX {
        // What was seen before is not acted on again.
        let look = async || {
            let known = browser.run_async(&script).await;
            (known.is_object() && known["view"] != acted).then_some(known)
        };
        let known = browser.until("for the own turn", look).await;
        if known["is_over"] == true {
            // How well the bots play depends on the machine.
            let look = async || {
                let text = browser.text().await;
                (text.contains(" wins: ") || text.contains("A draw: ")).then_some(())
            };
            browser.until("for the result", look).await;
            return;
        }
        let action = known["action"].as_str().unwrap_or_else(|| panic!("no advice: {known}"));
        act(browser, action, &known["view"]).await;
        acted = known["view"].clone();
    }
    panic!("the match does not end");
}

/// A guest plays the weakest bot on the server, then on this screen with the server stopped, and looks
/// at that match again.
async fn both(
    scene: &mut Scene,
    game: &str,
    options: Value,
    act: impl AsyncFn(&Browser, &str, &Value),
) {
    scene.expect_console("Failed to load resource: net::ERR_");
    scene.expect_console("the server responded with a status of 504");
    scene.expect_console("WebSocket connection to");
    let guest = scene.parlor.guest();
    let terms = json!({"game": game, "options": options});
    let body = json!({"terms": terms, "opponents": {"bots": [{"seat": 1, "level": 1}]}});
    let made = scene.parlor.post("matches", Some(&guest), &body);
    let browser = scene.browser_with(&guest).await;
    browser.go(&format!("/match/{}", made["match"].as_str().expect("an id"))).await;
    browser.read("Bot, level 1").await;
    play_out(&browser, SEEN_THERE, &act).await;

    open_and_keep(&browser, &format!("/practice/{game}")).await;
    browser.see("combobox", "Against").await;
    assert!(browser.find("combobox", "You are").await.is_none(), "one plays all sides");
    browser.choose("Against", "1").await;
    browser.choose("You are", "0").await;
    browser.read("Player 1 (you)").await;
    // The bot's thread has what it needs before the server is gone.
    browser.click("button", "Show me a good move").await;
    browser.read("A bot’s choice: ").await;
    scene.parlor.kill();
    let begin = "
        const question = { ask: 'begin', game: GAME, options: OPTIONS, seats: 2, seed: '2a' };
        const { log } = JSON.parse((await openRulebook()).ask(JSON.stringify(question)));
        localStorage.setItem(`practice-${GAME}`, log.log);";
    let options = format!("'{options}'");
    let begin = begin.replace("GAME", &format!("'{game}'")).replace("OPTIONS", &options);
    browser.run_async(&begin).await;
    browser.reload().await;
    play_out(&browser, SEEN_HERE, &act).await;
    browser.click("button", "Review it with a bot").await;
    let is_told = async || {
        let text = browser.text().await;
        let is_told =
            text.contains("Where it turned:") || text.contains("No single move turned it.");
        is_told.then_some(())
    };
    browser.until("for the review", is_told).await;
    let plot = "return document.querySelector('.review polyline').points.length";
    assert!(browser.run(plot).await.as_u64().is_some_and(|points| points > 1), "the plot");
}

#[test]
fn whole_matches_of_chess_against_a_bot_on_the_server_and_without_it() {
    play(async |scene| both(scene, "chess", json!({}), chess).await);
}

#[test]
fn whole_matches_of_santorini_against_a_bot_on_the_server_and_without_it() {
    play(async |scene| both(scene, "santorini", json!({}), santorini).await);
}

#[test]
fn whole_matches_of_crazy_tens_against_a_bot_on_the_server_and_without_it() {
    let short = json!({"target": 20, "starter": "alternate"});
    play(async |scene| both(scene, "crazy-tens", short, crazy_tens).await);
}

#[test]
fn whole_matches_of_scrabble_against_a_bot_on_the_server_and_without_it() {
    let short = json!({"left_out": 60});
    play(async |scene| both(scene, "scrabble", short, scrabble::lay_advised).await);
}

#[test]
fn a_review_marks_the_move_that_let_the_fool_be_mated() {
    play(async |scene| {
        let pair = Pair::sit_down(scene, json!({"game": "chess"})).await;
        let moves = [("f2", "f3"), ("e7", "e5"), ("g2", "g4"), ("d8", "h4")];
        for (index, (from, to)) in moves.into_iter().enumerate() {
            click_move(&pair.browsers[index % 2], from, to).await;
            see_moved(&pair.browsers[(index + 1) % 2], to).await;
        }
        let [white, _] = &pair.browsers;
        white.click("link", "Look at it again").await;
        white.arrive("/replay/…").await;
        white.click("button", "Review it with a bot").await;
        white.read("Where it turned:").await;
        white.see("button", "3. g4").await;
        let marked =
            "return [...document.querySelectorAll('.turns button')].map((it) => it.textContent)";
        let marked = white.run(marked).await;
        let is_blacks = |it: &Value| it.as_str().is_some_and(|it| it.starts_with(['2', '4']));
        let all = marked.as_array().expect("a list");
        assert!(!all.iter().any(is_blacks), "Black did nothing wrong: {marked}");
        white.click("button", "3. g4").await;
        white.read("After 2 of 4").await;
    });
}

#[test]
fn a_bot_on_this_screen_takes_a_draw_unless_it_stands_better() {
    /// Who has lost a queen for a bishop, and what the bot at Black says to a draw.
    const CASES: [(&str, &str); 2] = [
        ("'e2e4', 'e7e5', 'd1g4', 'd7d6', 'g4c8', 'd8c8'", "The bot declines: it plays on."),
        ("'e2e4', 'e7e5', 'd2d3', 'd8g5', 'c1g5', 'a7a6'", "A draw: agreed."),
    ];
    play(async |scene| {
        let browser = scene.browser("ada").await;
        browser.go("/practice/chess").await;
        browser.choose("Against", "4").await;
        browser.choose("You are", "0").await;
        for (moves, said) in CASES {
            let begin = "
                const rules = await openRulebook();
                const of = (it) => JSON.parse(rules.ask(JSON.stringify(it))).log.log;
                let log = of({ ask: 'begin', game: 'chess', options: '{}', seats: 2, seed: '2a' });
                [MOVES].forEach((action, ply) => {
                  log = of({ ask: 'play', log, seat: ply % 2, action, at_ms: ply });
                });
                localStorage.setItem('practice-chess', log);";
            browser.run_async(&begin.replace("MOVES", moves)).await;
            browser.reload().await;
            browser.click("button", "Offer a draw").await;
            browser.read("You offered a draw. The bot answers with its next move.").await;
            // The bot may have answered before the test looks for the move.
            click_both(&browser, "h2", "h3", "can be moved to").await;
            browser.read(said).await;
        }
        browser.see_no_more("button", "Offer a draw").await;
    });
}

#[test]
fn a_bot_is_one_click_away_with_a_login_and_without() {
    play(async |scene| {
        let guest = scene.parlor.guest();
        let browser = scene.browser_with(&guest).await;
        browser.go("/").await;
        let card = "document.querySelector('[data-game=chess]')";
        browser.click_within(card, "button", "Play a bot").await;
        browser.arrive("/match/…").await;
        browser.read("Bot, level 2").await;
        browser.go("/").await;
        // A low level says which words it lacks.
        browser.read("Knows about ").await;

        let nobody = scene.browser("nobody").await;
        nobody.go("/").await;
        nobody.click_within(card, "button", "Play a bot").await;
        nobody.arrive("/practice/chess").await;
        nobody.see("combobox", "Against").await;
        nobody.read("(you)").await;
    });
}

/// Waits until these sit at a table, in order.
async fn see_seats(browser: &Browser, names: [&str; 3]) {
    let seats = "return [...document.querySelectorAll('.seats li')]
        .map((it) => it.firstChild.textContent)";
    let is_seated = async || (browser.run(seats).await == json!(names)).then_some(());
    browser.until(&format!("for {names:?} to sit"), is_seated).await;
}

#[test]
fn bots_fill_a_table_and_play_each_other() {
    play(async |scene| {
        let guest = scene.parlor.guest();
        let browser = scene.browser_with(&guest).await;
        let card = "document.querySelector('[data-game=scrabble]')";
        browser.go("/").await;
        browser.click_within(card, "button", "Set a table").await;
        browser.choose("Seats", "3").await;
        browser.choose("Bots", "1").await;
        browser.choose("You are", "1").await;
        browser.click_within(card, "button", "Invite others").await;
        browser.arrive("/lobby/…").await;
        browser.read("Bot, level 2").await;
        browser.click("button", "Let a bot sit here, in seat 1").await;
        see_seats(&browser, ["Bot, level 2", &guest.name, "Bot, level 2"]).await;
        // Of two with one name, the one in that seat goes.
        let third = "document.querySelectorAll('.seats li')[2]";
        browser.click_within(third, "button", "Send out").await;
        see_seats(&browser, ["Bot, level 2", &guest.name, "Free"]).await;
        browser.choose("How strong bots are", "3").await;
        browser.click("button", "Let a bot sit here, in seat 3").await;
        see_seats(&browser, ["Bot, level 2", &guest.name, "Bot, level 3"]).await;
        browser.click("button", "Begin").await;
        browser.arrive("/match/…").await;
        browser.see("button", "Show me a good move").await;
        browser.see("grid", "Scrabble board and rack").await;

        browser.go("/").await;
        let card = "document.querySelector('[data-game=santorini]')";
        browser.click_within(card, "button", "Set a table").await;
        browser.choose("Bots", "2").await;
        browser.click_within(card, "button", "Begin").await;
        browser.arrive("/match/…").await;
        // It may have ended by now, or end later than anybody here waits.
        let is_played = async || {
            let text = browser.text().await;
            let built = text.lines().filter(|line| line.starts_with("Build ")).count();
            (built >= 4).then_some(())
        };
        browser.until("for two turns of each bot", is_played).await;
    });
}
