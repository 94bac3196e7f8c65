//! Addresses that lead nowhere: each says so, and what to do.

use browser_tests::play;

#[test]
fn a_link_that_leads_nowhere_says_so_and_leads_home() {
    play(async |scene| {
        scene.expect_console("the server responded with a status of 404");
        let login = scene.parlor.guest();
        let browser = scene.browser_with(&login).await;
        for (path, heading) in [
            ("/nowhere/at/all", "There is nothing here"),
            ("/match/no-such-id", "There is nothing here"),
            ("/match/06gt3xp9r0002", "This match cannot be shown"),
            ("/lobby/06gt3xp9r0002", "This table is gone"),
            ("/lobby/no-such-id", "This table is gone"),
        ] {
            browser.go(path).await;
            browser.see("heading", heading).await;
            browser.click("link", "To the parlor").await;
            browser.see("heading", "Play").await;
            assert_eq!(browser.path().await, "/");
        }
    });
}
