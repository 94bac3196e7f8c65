//! Two matches that differ in another's rack, the bag and specials alone are the same to an opponent and to
//! whoever watches: every frame, and the whole page.

use browser_tests::{Browser, Login, Parlor, play};
use domain::MatchId;
use serde_json::{Value, json};
use storage::{Change, NewMatch, Store as _};
use storage_sqlite::SqliteStore;

use crate::scrabble::{CENTRE, put};

/// The first player's racks, each with the word; the rest of all tiles is in the bag.
const RACKS: [&str; 2] = ["ATEIRSN", "ATOOBLC"];
const WORD: &str = "AT";
/// The second player's, which is the same in both.
const OTHER_RACK: &str = "EEDGLMP";
/// What the first player buys and hides in each, and where: they cost the same, and lie in the word's row.
const HIDDEN: [(&str, &str); 2] = [("Negative", "A8"), ("Reverse", "O8")];

/// Two matches of the same people. No seeds are known that deal like this, so they are stored as if they
/// had been set up.
async fn deal(parlor: &Parlor, players: &[&Login]) -> [String; 2] {
    let model = parlor.begin(&json!({"game": "scrabble", "preset": "contract-b"}), players);
    let model: MatchId = model.parse().expect("a match has an id");
    let store = SqliteStore::open(&parlor.database()).expect("the server's store opens");
    let model = store.find_match(model).await.expect("it can be read").expect("it has the match");
    let board = vec![".".repeat(15); 15].join("/");
    let mut ids = Vec::new();
    for (number, rack) in (1..).zip(RACKS) {
        let id = MatchId::new(model.created_ms, number);
        let new = NewMatch {
            id,
            game: model.game.clone(),
            rules_version: model.rules_version,
            options: model.options.clone(),
            from_position: Some(format!("{board} {rack},{OTHER_RACK} 20,20 0")),
            seed: model.seed,
            commitment: model.commitment,
            settings: model.settings.clone(),
            seats: model.seats.clone(),
            is_public: true,
            founder: None,
            created_ms: model.created_ms,
            owner: None,
            lease_until_ms: 0,
        };
        store.commit(vec![Change::CreateMatch(new)]).await.expect("it is stored");
        ids.push(id.to_string());
    }
    store.close().await;
    ids.try_into().expect("there are two racks")
}

async fn pass(browser: &Browser) {
    browser.click("button", "Pass…").await;
    browser.click("button", "Pass this turn").await;
}

/// What somebody was told, and the page that came of it, but for what names the match.
async fn seen(browser: &Browser, id: &str) -> (Vec<String>, String) {
    let mut told = Vec::new();
    for frame in browser.frames().await {
        let message: Value = serde_json::from_str(&frame.text).unwrap_or_default();
        if message["view"].is_object() {
            let commitment = message["commitment"].as_str().unwrap_or(id);
            told.push(frame.text.replace(commitment, "COMMITMENT").replace(id, "MATCH"));
        }
    }
    let page = browser.run("return document.querySelector('main').outerHTML").await;
    (told, page.as_str().expect("a page has a main part").replace(id, "MATCH"))
}

#[test]
fn scrabble_is_the_same_to_opponents_and_watchers_whatever_is_hidden() {
    play(async |scene| {
        let logins = [scene.parlor.guest(), scene.parlor.guest()];
        let watcher = scene.parlor.guest();
        let ids = deal(&scene.parlor, &[&logins[0], &logins[1]]).await;
        let mut pages = Vec::new();
        for (id, (kind, square)) in ids.iter().zip(HIDDEN) {
            let mut browsers = Vec::new();
            for login in [&logins[0], &logins[1], &watcher] {
                let browser = scene.browser_with(login).await;
                browser.go(&format!("/match/{id}")).await;
                browser.see("grid", "Scrabble board and rack").await;
                browsers.push(browser);
            }
            let [first, second, watching] = &browsers[..] else { panic!("three are there") };
            first.click("button", &format!("Buy {kind} for 10")).await;
            first.read("1 to lay from your next turn on.").await;
            pass(first).await;
            pass(second).await;
            first.click("button", &format!("Lay {kind}…")).await;
            first.click("gridcell", &format!("{square},…")).await;
            for (by, letter) in WORD.chars().enumerate() {
                put(first, CENTRE + by, letter, false).await;
            }
            first.click("button", "Play").await;
            for browser in [second, watching] {
                browser.read(&format!("laid {WORD}")).await;
            }
            first.see("gridcell", &format!("…your {}", kind.to_lowercase())).await;
            let mut seen_by = Vec::new();
            for browser in &browsers {
                seen_by.push(seen(browser, id).await);
            }
            pages.push(seen_by);
        }
        for viewer in [1, 2] {
            let [shown, shown_too] = [&pages[0][viewer], &pages[1][viewer]];
            assert!(shown.0.len() >= 4, "{} views were told", shown.0.len());
            for (told, told_too) in shown.0.iter().zip(&shown_too.0) {
                assert_eq!(told, told_too);
            }
            assert_eq!(shown, shown_too);
        }
        assert_ne!(
            pages[0][0].1, pages[1][0].1,
            "the twins are no twins: nobody sees a difference"
        );
    });
}
