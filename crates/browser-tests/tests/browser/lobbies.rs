//! From an idea to a match: a table is set, others come by its link, and it begins.

use browser_tests::{Browser, play};
use serde_json::{Value, json};

use crate::boards::{click_move, see_moved};

const CHESS: &str = "document.querySelector('[data-game=chess]')";

/// Sets a public table for chess, and gives its page.
async fn set_table(host: &Browser) -> String {
    host.go("/").await;
    host.see("button", "Set a table").await;
    host.click_within(CHESS, "button", "Set a table").await;
    host.choose("You are", "0").await;
    host.click("button", "Invite others").await;
    host.arrive("/lobby/…").await
}

#[test]
fn a_table_is_set_joined_by_its_link_and_begun() {
    play(async |scene| {
        let [host, guest] = [scene.parlor.guest(), scene.parlor.guest()];
        let ada = scene.browser_with(&host).await;
        let bob = scene.browser_with(&guest).await;
        bob.go("/").await;
        bob.read("Nobody waits just now.").await;
        let path = set_table(&ada).await;
        ada.read("Send this link to whom you want to play with:").await;
        assert!(ada.see("button", "Begin").await.is_disabled);
        // It stands in the list of those who look on already.
        bob.see("link", &format!("Chess {} · …", host.name)).await;
        let url = ada.run("return document.querySelector('.link code').textContent").await;
        bob.goto(url.as_str().unwrap_or_default()).await;
        bob.click("button", "Sit down").await;
        bob.read("Waiting for the host to begin…").await;
        ada.read(&guest.name).await;
        // Whoever comes third is told that it is too late.
        let third = scene.parlor.guest();
        let eve = scene.browser_with(&third).await;
        eve.go(&path).await;
        eve.read("All seats are taken.").await;
        ada.click("button", "Begin").await;
        let match_path = ada.arrive("/match/…").await;
        assert_eq!(bob.arrive("/match/…").await, match_path);
        ada.see("gridcell", "e2, white pawn").await;
        bob.see("gridcell", "e7, black pawn").await;
        // It is found again from the front page.
        bob.go("/").await;
        bob.click("link", "Chess …").await;
        assert_eq!(bob.arrive("/match/…").await, match_path);
    });
}

#[test]
fn a_host_sends_somebody_out_and_closes_the_table() {
    play(async |scene| {
        let [host, guest] = [scene.parlor.guest(), scene.parlor.guest()];
        let ada = scene.browser_with(&host).await;
        let bob = scene.browser_with(&guest).await;
        let path = set_table(&ada).await;
        bob.go(&path).await;
        bob.click("button", "Sit down").await;
        bob.see("button", "Leave").await;
        ada.click("button", "Send out").await;
        ada.see_no_more("button", "Send out").await;
        bob.see_no_more("button", "Leave").await;
        ada.click("button", "Close the table").await;
        ada.arrive("/").await;
        bob.see("heading", "This table is gone").await;
        bob.click("link", "To the parlor").await;
        bob.arrive("/").await;
    });
}

#[test]
fn two_who_want_to_play_someone_are_paired() {
    play(async |scene| {
        let logins = [scene.parlor.guest(), scene.parlor.guest()];
        let [ada, bob] =
            [scene.browser_with(&logins[0]).await, scene.browser_with(&logins[1]).await];
        ada.go("/").await;
        ada.see("button", "Play someone").await;
        ada.click_within(CHESS, "button", "Play someone").await;
        ada.read("Looking for somebody…").await;
        // Whoever stops looking is not found.
        ada.click("button", "Stop looking").await;
        ada.read_no_more("Looking for somebody…").await;
        bob.go("/").await;
        bob.see("button", "Play someone").await;
        bob.click_within(CHESS, "button", "Play someone").await;
        bob.read("Looking for somebody…").await;
        ada.click_within(CHESS, "button", "Play someone").await;
        assert_eq!(ada.arrive("/match/…").await, bob.arrive("/match/…").await);
        ada.see("gridcell", "e2, white pawn").await;
    });
}

#[test]
fn a_match_from_a_public_table_is_found_and_watched() {
    play(async |scene| {
        let logins = [scene.parlor.guest(), scene.parlor.guest()];
        let [ada, bob] =
            [scene.browser_with(&logins[0]).await, scene.browser_with(&logins[1]).await];
        // One that is known by its link alone, and one of somebody with a bot.
        let private = json!({"terms": {"game": "santorini"}});
        scene.parlor.begin_at(&private, &[&logins[0], &logins[1]]);
        let cyd = scene.parlor.guest();
        let table =
            json!({"terms": {"game": "crazy-tens"}, "public": true, "bots": [{"level": 1}]});
        let table = scene.parlor.post("lobbies", Some(&cyd), &table);
        let start = format!("lobbies/{}/start", table["id"].as_str().unwrap_or_default());
        scene.parlor.post(&start, Some(&cyd), &Value::Null);
        let path = set_table(&ada).await;
        bob.go(&path).await;
        bob.click("button", "Sit down").await;
        bob.read("Waiting for the host to begin…").await;
        ada.click("button", "Begin").await;
        let match_path = ada.arrive("/match/…").await;
        click_move(&ada, "e2", "e4").await;
        let third = scene.parlor.guest();
        let eve = scene.browser_with(&third).await;
        eve.go("/").await;
        eve.see("heading", "Playing now").await;
        let contest = format!("Chess {} · {} · no clock", logins[0].name, logins[1].name);
        let link = format!("{contest} Watch");
        eve.see("link", &link).await;
        eve.see("link", &format!("Crazy Tens {} · Bot, level 1 · no clock Watch", cyd.name)).await;
        assert!(eve.find("link", "Santorini …").await.is_none());
        eve.click("link", &link).await;
        assert_eq!(eve.arrive("/match/…").await, match_path);
        see_moved(&eve, "e4").await;
        // Whoever plays goes on there, and is not asked to watch.
        bob.go("/").await;
        bob.see("link", "Crazy Tens …").await;
        bob.see("link", &format!("{contest} Go on")).await;
        bob.see_no_more("link", &link).await;
    });
}

#[test]
fn a_long_list_of_tables_has_more_pages() {
    play(async |scene| {
        let table = json!({"terms": {"game": "chess"}, "public": true});
        let host = scene.parlor.guest();
        scene.parlor.post("lobbies", Some(&host), &table);
        // A page has a hundred of them, the latest first, and everybody may set three.
        for _ in 0..34 {
            let other = scene.parlor.guest();
            for _ in 0..3 {
                scene.parlor.post("lobbies", Some(&other), &table);
            }
        }
        let eve = scene.browser("eve").await;
        eve.go("/").await;
        eve.see("button", "More tables").await;
        let oldest = format!("Chess {} · …", host.name);
        assert!(eve.find("link", &oldest).await.is_none(), "it stands on the second page");
        eve.click("button", "More tables").await;
        eve.see("link", &oldest).await;
        eve.see_no_more("button", "More tables").await;
    });
}

#[test]
fn options_are_chosen_in_words() {
    play(async |scene| {
        let host = scene.parlor.guest();
        let ada = scene.browser_with(&host).await;
        ada.go("/").await;
        ada.see("button", "Set a table").await;
        let card = "document.querySelector('[data-game=santorini]')";
        ada.click_within(card, "button", "Set a table").await;
        ada.run(&format!("{card}.querySelector('details').open = true")).await;
        ada.see("combobox", "God, player 2").await;
        ada.run(&format!(
            "const it = [...{card}.querySelectorAll('select')].find((it) => \
             it.labels[0].textContent.startsWith('God, player 2')); \
             it.value = 'pan'; it.dispatchEvent(new Event('change', {{ bubbles: true }}));"
        ))
        .await;
        ada.click("button", "Play here, on one screen").await;
        ada.arrive("/match/…").await;
        ada.read("Player 2 plays Pan: also wins by moving down two levels or more.").await;
    });
}
