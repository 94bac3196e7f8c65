//! Scrabble with Stuff on its board. What can be played is asked of the rules in the page; how it is
//! played is by pointer or by keys, as people do.

use browser_tests::{Browser, Key, Login, Node, Scene, play};
use serde_json::{Value, json};

use crate::looks::Inspector;

const SIDE: usize = 15;
pub(crate) const CENTRE: usize = 7 * SIDE + 7;
/// Hardly two are needed.
const DEALS_MAX: usize = 20;
/// More than any of these matches takes.
const TURNS_MAX: usize = 200;

/// The view that came last, and what may be done by it.
const ASK: &str = "
const messages = window.heardFrames.filter((it) => it[1][0] === '{').map((it) => JSON.parse(it[1]));
const last = messages.filter((it) => it.view && it.match === MATCH).at(-1);
if (!last) return null;
const details = await (await fetch(`/api/v1/matches/${MATCH}`)).json();
const sight = {
  game: 'scrabble', options: JSON.stringify(details.options), seats: last.view.scores.length,
  seat: last.view.viewer, view: JSON.stringify(last.view),
};
const book = await openRulebook();
const reply = JSON.parse(book.ask(JSON.stringify({ ask: 'legal', sight })));
return { view: last.view, legal: reply.actions?.actions ?? [] };";

/// People at a match, each at a browser of their own.
struct Company {
    match_id: String,
    browsers: Vec<Browser>,
    logins: Vec<Login>,
}

/// What somebody at a browser knows.
struct Known {
    view: Value,
    legal: Vec<String>,
}

impl Known {
    fn is_after(&self, before: &Known) -> bool {
        let turn = |known: &Known| known.view["turn"].as_u64();
        turn(self) > turn(before) || !self.view["ended"].is_null()
    }

    /// The word that scores best.
    fn best(&self) -> Option<&str> {
        self.legal.iter().map(String::as_str).find(|it| is_word(it))
    }
}

impl Company {
    /// Sits people down at a match in which each of them has a rack of which words can be made.
    async fn sit_down(scene: &mut Scene, seats: usize, mut terms: Value) -> Company {
        terms["game"] = "scrabble".into();
        terms["seats"] = seats.into();
        let logins: Vec<Login> = (0..seats).map(|_| scene.parlor.guest()).collect();
        let mut browsers = Vec::new();
        for login in &logins {
            browsers.push(scene.browser_with(login).await);
        }
        let players: Vec<&Login> = logins.iter().collect();
        for _ in 0..DEALS_MAX {
            let match_id = scene.parlor.begin(&terms, &players);
            let mut is_handy = true;
            for browser in &browsers {
                browser.go(&format!("/match/{match_id}")).await;
                browser.see("grid", "Scrabble board and rack").await;
                let dealt = async || Some(rack(browser).await).filter(|rack| !rack.is_empty());
                is_handy &= makes_words(&browser.until("for a rack", dealt).await);
            }
            if is_handy {
                return Company { match_id, browsers, logins };
            }
        }
        panic!("nobody can make a word");
    }

    async fn known(&self, browser: &Browser) -> Option<Known> {
        let script = ASK.replace("MATCH", &format!("'{}'", self.match_id));
        let known = browser.run_async(&script).await;
        let legal = known["legal"].as_array()?.iter().filter_map(Value::as_str);
        Some(Known { legal: legal.map(str::to_owned).collect(), view: known["view"].clone() })
    }

    /// Waits until this browser can act, and gives what it knows.
    async fn turn_of(&self, browser: &Browser) -> Known {
        let look = async || self.known(browser).await.filter(|it| !it.legal.is_empty());
        browser.until("for a turn", look).await
    }

    /// Waits until all have heard that a turn is over.
    async fn all_hear(&self, before: &Known) {
        for browser in &self.browsers {
            let look = async || self.known(browser).await.filter(|it| it.is_after(before));
            browser.until("to hear of a turn", look).await;
        }
    }

    /// Plays to the end: whoever is to act makes the best move, by `lay`.
    async fn play_out(&self, lay: impl AsyncFn(&Browser, &Known, &str)) {
        for _ in 0..TURNS_MAX {
            let known = self.known(&self.browsers[0]).await.expect("the match is known");
            let Some(seat) = known.view["to_act"][0].as_u64() else { return };
            let browser = &self.browsers[usize::try_from(seat).expect("seats are few")];
            let known = self.turn_of(browser).await;
            if let Some(word) = known.best() {
                lay(browser, &known, word).await;
            } else {
                browser.click("button", "Pass…").await;
                browser.click("button", "Pass this turn").await;
            }
            self.all_hear(&known).await;
        }
        panic!("the match does not end");
    }
}

/// One rack in fifty has no vowel.
fn makes_words(rack: &[char]) -> bool {
    let vowels = rack.iter().filter(|letter| "AEIOU".contains(**letter)).count();
    vowels >= 1 && rack.len() - vowels >= 2
}

fn is_word(action: &str) -> bool {
    let (place, _) = action.split_once(':').unwrap_or_default();
    !place.is_empty() && place.bytes().all(|it| it.is_ascii_uppercase() || it.is_ascii_digit())
}

fn name_of(square: usize) -> String {
    format!("{}{}", char::from(b"ABCDEFGHIJKLMNO"[square % SIDE]), square / SIDE + 1)
}

fn has_letter(view: &Value, square: usize) -> bool {
    let row = view["board"][square / SIDE].as_str().expect("a board has rows");
    row.as_bytes()[square % SIDE] != b'.'
}

/// Would a letter here touch none? The borders are left out.
fn is_lonely(view: &Value, square: usize) -> bool {
    let is_inside = |it: usize| (1..SIDE - 1).contains(&it);
    let is_vacant = |it: usize| !has_letter(view, it);
    is_inside(square % SIDE)
        && is_inside(square / SIDE)
        && [square, square - 1, square + 1, square - SIDE, square + SIDE].into_iter().all(is_vacant)
}

/// Where a word's letters go: its squares with their letters, and its direction.
fn squares(action: &str) -> (Vec<(usize, char)>, bool) {
    let (place, word) = action.split_once(':').expect("an action is a place and a word");
    let is_down = place.starts_with(|it: char| it.is_ascii_uppercase());
    let digits: String = place.chars().filter(char::is_ascii_digit).collect();
    let column = place.bytes().find(u8::is_ascii_uppercase).expect("a place has a column");
    let start =
        (digits.parse::<usize>().expect("and a row") - 1) * SIDE + usize::from(column - b'A');
    let step = if is_down { SIDE } else { 1 };
    (word.chars().enumerate().map(|(by, letter)| (start + by * step, letter)).collect(), is_down)
}

/// The new letters of a word.
fn new_letters(view: &Value, action: &str) -> Vec<(usize, char)> {
    squares(action).0.into_iter().filter(|(square, _)| !has_letter(view, *square)).collect()
}

/// A tile on the rack.
async fn rack_tile(browser: &Browser, letter: char) -> Node {
    let tile =
        if letter.is_ascii_lowercase() { ", blank".to_owned() } else { format!(", {letter},") };
    let look = async || {
        let cells = browser.all("gridcell").await;
        cells.into_iter().find(|it| it.name.starts_with("Rack") && it.name.contains(&tile))
    };
    browser.until(&format!("for {letter} on the rack"), look).await
}

/// Puts a tile on a square, by two taps or by dragging.
pub(crate) async fn put(browser: &Browser, square: usize, letter: char, by_drag: bool) {
    let name = format!("{},…", name_of(square));
    if by_drag {
        let tile = rack_tile(browser, letter).await;
        let target = browser.see("gridcell", &name).await;
        browser.drag(&tile, &target).await;
    } else {
        let take = async || {
            let tile = rack_tile(browser, letter).await;
            browser.click_node(&tile).await.then_some(())
        };
        browser.until(&format!("to take {letter}"), take).await;
        browser.click("gridcell", &name).await;
    }
    if letter.is_ascii_lowercase() {
        browser.click("button", &letter.to_ascii_uppercase().to_string()).await;
    }
    let lies = async || {
        let cell = browser.find("gridcell", &format!("{},…", name_of(square))).await?;
        cell.name.contains("not played yet").then_some(())
    };
    browser.until(&format!("for {letter} on {}", name_of(square)), lies).await;
}

/// The letters on the rack.
pub(crate) async fn rack(browser: &Browser) -> Vec<char> {
    let letter = |it: Node| {
        let letter = it.name.strip_prefix("Rack ")?.split(", ").nth(1)?;
        letter.parse::<char>().ok()
    };
    browser.all("gridcell").await.into_iter().filter_map(letter).collect()
}

/// Puts two tiles on the empty board, and waits until the rules and the list of words judge them.
pub(crate) async fn lay_any(browser: &Browser) {
    for (by, letter) in rack(browser).await.into_iter().take(2).enumerate() {
        put(browser, CENTRE + by, letter, false).await;
    }
    let look = async || {
        let text = browser.text().await;
        let is_judged = text.contains(" points") || text.contains("is not in the list of words");
        is_judged.then_some(())
    };
    browser.until("for a judgement of two letters", look).await;
}

/// Lays a word by pointer: the first tile is dragged, the others are tapped.
async fn lay_by_pointer(browser: &Browser, known: &Known, action: &str) {
    for (index, (square, letter)) in new_letters(&known.view, action).into_iter().enumerate() {
        put(browser, square, letter, index == 0).await;
    }
    browser.click("button", "Play").await;
}

/// Does what a bot advises.
pub(crate) async fn lay_advised(browser: &Browser, action: &str, view: &Value) {
    if is_word(action) {
        let known = Known { view: view.clone(), legal: Vec::new() };
        return lay_by_pointer(browser, &known, action).await;
    }
    browser.click("button", "Pass…").await;
    browser.click("button", "Pass this turn").await;
}

/// Lays a word by keys: Tab to the board, arrows to the square, letters, Tab to the button.
async fn lay_by_keys(browser: &Browser, known: &Known, action: &str) {
    let new = new_letters(&known.view, action);
    let is_down = squares(action).1;
    let way = if is_down { "Typing: down ↓" } else { "Typing: across →" };
    if browser.find("button", way).await.is_none() {
        browser.tab_to("Typing:…").await;
        browser.keys(&[Key::Enter]).await;
        browser.see("button", way).await;
    }
    let here = async || {
        let name = browser.focused().await?.name;
        let (square, _) = name.split_once(',')?;
        (0..SIDE * SIDE).find(|it| name_of(*it) == square)
    };
    let mut at = browser
        .until("for the board by Tab", async || {
            let at = here().await;
            if at.is_some() {
                return at;
            }
            let on_rack = browser.focused().await.is_some_and(|it| it.name.starts_with("Rack"));
            browser.keys(&[if on_rack { Key::Up } else { Key::Tab }]).await;
            None
        })
        .await;
    let to = new[0].0;
    while at != to {
        let key = if at / SIDE == to / SIDE {
            if at < to { Key::Right } else { Key::Left }
        } else if at < to {
            Key::Down
        } else {
            Key::Up
        };
        browser.keys(&[key]).await;
        at = here().await.expect("a square has the focus");
    }
    let key = |(_, letter): &(usize, char)| {
        // A capital asks for the blank.
        if letter.is_ascii_lowercase() {
            letter.to_ascii_uppercase()
        } else {
            letter.to_ascii_lowercase()
        }
    };
    let typed: String = new.iter().map(key).collect();
    browser.type_text(&typed).await;
    browser.tab_to("Play").await;
    browser.keys(&[Key::Enter]).await;
}

/// Few tiles, so that a match is soon over.
pub(crate) fn short(preset: &str) -> Value {
    let classic = json!({"left_out": 60});
    let options = match preset {
        "classic" => classic,
        "contract-a" => json!({
            "left_out": 60, "supply": "inventories", "blanks": 0,
            "specials": [{"kind": "negative", "price": 30}, {"kind": "boom", "price": 30},
                {"kind": "reverse", "price": 30}, {"kind": "exchange", "price": 30},
                {"kind": "skip", "price": 30}],
        }),
        _ => json!({
            "left_out": 60, "blanks": 0, "starting_points": 20, "word_check": "at_end",
            "scoring": "squares", "laying": "any_in_line", "stacking": "replace",
            "own_specials": "block", "negatives": "stay",
            "boom": {"shape": "square", "reach": 3, "clears_specials": true},
            "specials": [{"kind": "boom", "price": 20}, {"kind": "negative", "price": 10},
                {"kind": "reverse", "price": 10}, {"kind": "snatch", "price": 30}],
        }),
    };
    json!({"options": options})
}

/// Fails if another's rack or hidden special is in a page, or in anything that came to it.
async fn check_unknown(watcher: &Browser, known: &Known) {
    let page = watcher.run("return document.documentElement.outerHTML").await.to_string();
    assert!(!page.contains("class=\\\"special\\\""), "{} sees a special", watcher.name);
    let rack = format!("\"rack\":{}", known.view["rack"]);
    let heard = watcher.frames().await;
    assert!(!heard.is_empty());
    for frame in &heard {
        assert!(!frame.text.contains(&rack), "{} hears of {rack}: {}", watcher.name, frame.text);
    }
    let laid = known.view["specials"]["laid"].as_array().expect("a player has laid specials");
    for at in laid.iter().filter_map(|it| it["square"].as_str()) {
        for frame in heard.iter().filter(|it| !it.text.contains("\"fired\":[{")) {
            let told = format!("\"{at}\"");
            assert!(!frame.text.contains(&told), "{} hears of {at}: {}", watcher.name, frame.text);
        }
    }
}

#[test]
fn scrabble_classic_is_played_by_four_by_pointer() {
    play(async |scene| {
        let company = Company::sit_down(scene, 4, short("classic")).await;
        company.play_out(lay_by_pointer).await;
        for browser in &company.browsers {
            browser.read(" wins:").await;
        }
    });
}

#[test]
fn scrabble_contract_a_is_played_by_two_with_a_special_bought_and_laid() {
    play(async |scene| {
        let company = Company::sit_down(scene, 2, short("contract-a")).await;
        let laid = std::cell::Cell::new(0);
        let lay = async |browser: &Browser, known: &Known, action: &str| {
            let is_first = known.view["viewer"] == 0;
            let stock = known.view["specials"]["stock"].as_object().expect("a player has a stock");
            let [_, other] = company.browsers.as_slice() else { panic!("two sit down") };
            if is_first {
                check_unknown(other, known).await;
            }
            if is_first && !stock.is_empty() && laid.get() == 0 {
                // Where nothing lies, and the word does not go.
                let (word, _) = squares(action);
                let free = |it: &usize| {
                    !has_letter(&known.view, *it) && word.iter().all(|(square, _)| square != it)
                };
                let square = (0..SIDE * SIDE).find(free).expect("the board is large");
                browser.click("button", "Lay Skip…").await;
                browser.click("gridcell", &format!("{},…", name_of(square))).await;
                browser.see("gridcell", "…skip, not played yet").await;
                laid.set(square + 1);
            }
            lay_by_pointer(browser, known, action).await;
        };
        let buy = async |browser: &Browser, known: &Known, action: &str| {
            let stock = known.view["specials"]["stock"].as_object().expect("a player has a stock");
            let may_buy = known.legal.iter().any(|it| it == "buy:skip");
            if known.view["viewer"] == 0 && may_buy && stock.is_empty() && laid.get() == 0 {
                browser.click("button", "Buy Skip for 30").await;
                browser.read("1 to lay from your next turn on.").await;
            }
            lay(browser, known, action).await;
        };
        company.play_out(buy).await;
        assert!(laid.get() > 0, "somebody had 30 points");
        // Whose it is sees it where it lies, unless it fired.
        let has_fired =
            company.browsers[1].frames().await.iter().any(|it| it.text.contains("\"fired\":[{"));
        let square = name_of(laid.get() - 1);
        let cell = company.browsers[0].see("gridcell", &format!("{square},…")).await;
        assert!(has_fired || cell.name.contains("your skip"), "{}", cell.name);
        company.browsers[1].read(" wins:").await;
    });
}

#[test]
fn scrabble_contract_b_is_played_by_three_by_pointer() {
    play(async |scene| {
        let company = Company::sit_down(scene, 3, short("contract-b")).await;
        company.browsers[0].click("button", "Buy Negative for 10").await;
        company.browsers[0].read("1 to lay from your next turn on.").await;
        // Others see that points are gone, and nothing else.
        company.browsers[1].read("10, 7 tiles").await;
        assert!(!company.browsers[1].text().await.contains("to lay from"));
        company.play_out(lay_by_pointer).await;
        company.browsers[2].read(" wins:").await;
    });
}

#[test]
fn scrabble_is_played_by_keyboard_alone() {
    play(async |scene| {
        let company = Company::sit_down(scene, 2, short("classic")).await;
        company.play_out(lay_by_keys).await;
        company.browsers[0].read(" wins:").await;
    });
}

#[test]
fn scrabble_challenges_are_upheld_and_rejected_and_drafts_survive_a_reload() {
    play(async |scene| {
        // No machine is so slow that the window closes by itself.
        let challenge = json!({"rule": "double", "window_s": 600});
        let terms = json!({"options": {"challenge": challenge}});
        let company = Company::sit_down(scene, 2, terms).await;
        let [ada, bo] = company.browsers.as_slice() else { panic!("two sit down") };
        let mut inspector = Inspector::new();

        // All tiles as they stand on the rack make no word.
        let known = company.turn_of(ada).await;
        let rack = known.view["rack"].as_str().expect("a player has a rack").to_owned();
        let typed: Vec<char> = rack.chars().filter(|it| *it != '?').take(5).collect();
        for (by, letter) in typed.iter().enumerate() {
            put(ada, CENTRE + by, *letter, false).await;
        }
        ada.reload().await;
        let cell = format!("H8, double word, {}…", typed[0]);
        assert!(ada.see("gridcell", &cell).await.name.contains("not played yet"));
        ada.click("button", "Play").await;
        bo.see("button", "Challenge").await;
        bo.read("It can be challenged for another ").await;
        // What was sent comes back with the snapshot.
        ada.reload().await;
        ada.see("group", "Challenge").await;
        assert!(ada.see("gridcell", &cell).await.name.contains("last move"));
        inspector.inspect(bo, "scrabble, a challenge").await;
        bo.click("button", "Challenge").await;
        for browser in [ada, bo] {
            browser.read("was challenged and fell").await;
        }

        // A good word stands, and the challenger pays.
        let known = company.turn_of(bo).await;
        lay_by_pointer(bo, &known, known.best().expect("there is a word")).await;
        ada.click("button", "Challenge").await;
        bo.read(&format!("{} laid", company.logins[1].name)).await;
        let known = company.turn_of(bo).await;
        assert_eq!(known.view["order"][0], 1, "the challenger has lost a turn");
        assert_eq!(known.view["last"]["stands"], true);
        inspector.finish();
    });
}

#[test]
fn scrabble_stands_when_nobody_challenges_in_time() {
    play(async |scene| {
        let challenge = json!({"rule": "double", "window_s": 5});
        let terms = json!({"options": {"challenge": challenge}});
        let company = Company::sit_down(scene, 2, terms).await;
        let [ada, bo] = company.browsers.as_slice() else { panic!("two sit down") };
        let known = company.turn_of(ada).await;
        let word = known.best().expect("there is a word").to_owned();
        lay_by_pointer(ada, &known, &word).await;
        let is_shut = |it: &Known| it.view["pending"].is_null() && it.view["to_act"] == json!([1]);
        let shut = async || company.known(bo).await.filter(is_shut);
        let known = bo.until("for the end of the time to challenge", shut).await;
        let was_open = async |it: &Browser| {
            it.frames().await.iter().any(|it| it.text.contains("\"pending\":{"))
        };
        assert!(was_open(bo).await, "there was time to challenge");
        assert_eq!(known.view["last"]["type"], "played", "{}", known.view["last"]);
        assert!(known.view["scores"][0].as_i64() > Some(0), "{}", known.view["scores"]);
        for browser in [ada, bo] {
            browser.read_no_more("It can be challenged").await;
            browser.read(&format!("{} laid", company.logins[0].name)).await;
        }
    });
}

#[test]
fn scrabble_can_be_used_by_everybody_in_every_look() {
    play(async |scene| {
        let mut inspector = Inspector::new();
        let company = Company::sit_down(scene, 2, short("contract-b")).await;
        let [ada, bo] = company.browsers.as_slice() else { panic!("two sit down") };
        ada.click("button", "Buy Boom for 20").await;
        ada.read("1 to lay from your next turn on.").await;
        for turn in 0..4 {
            let browser = &company.browsers[turn % 2];
            let known = company.turn_of(browser).await;
            lay_by_pointer(browser, &known, known.best().expect("there is a word")).await;
            company.all_hear(&known).await;
        }
        let known = company.turn_of(ada).await;
        let word = known.best().expect("there is a word");
        for (square, letter) in new_letters(&known.view, word) {
            put(ada, square, letter, false).await;
        }
        ada.read(" points").await;
        inspector.inspect(ada, "scrabble, tiles on the board").await;
        inspector.inspect(bo, "scrabble, the other's turn").await;
        ada.click("button", "Exchange…").await;
        assert!(ada.see("button", "Choose tiles").await.is_disabled);
        inspector.inspect(ada, "scrabble, an exchange").await;
        ada.click("button", "Never mind").await;
        ada.click("button", "Larger").await;
        let is_seen = "const rect = (it) => document.querySelector(it).getBoundingClientRect();
            const [window, cell] = [rect('.table-top'), rect('.last')];
            return cell.left >= window.left && cell.right <= window.right
                && cell.top >= window.top && cell.bottom <= window.bottom";
        let look = async || (ada.run(is_seen).await == true).then_some(());
        ada.until("to see the last move", look).await;
        inspector.inspect(ada, "scrabble, larger").await;

        // A bad word says why.
        ada.click("button", "Whole board").await;
        let rack = known.view["rack"].as_str().expect("a player has a rack");
        let lonely = (0..SIDE * SIDE).find(|it| is_lonely(&known.view, *it));
        let lonely = lonely.expect("the board is large");
        put(ada, lonely, rack.chars().next().expect("it has tiles"), false).await;
        ada.read("touches no letter").await;
        inspector.inspect(ada, "scrabble, refused").await;

        // The list of words came for the match, and does not come with the front page.
        let lists = "return performance.getEntriesByType('resource')
            .filter((it) => it.name.includes('/api/v1/words/')).length";
        let home = &company.browsers[1];
        assert_eq!(home.run(lists).await, 1);
        home.go("/").await;
        let card = "document.querySelector('[data-game=scrabble]')";
        home.click_within(card, "button", "Set a table").await;
        home.run(&format!("{card}.querySelector('details').open = true")).await;
        inspector.inspect(home, "scrabble, the form").await;
        assert_eq!(home.run(lists).await, 0);
        inspector.finish();
    });
}
