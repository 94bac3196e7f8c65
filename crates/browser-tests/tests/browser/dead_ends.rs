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
            if path.starts_with("/nowhere") {
                let title = "return document.title";
                let titled =
                    async || (browser.run(title).await == "Not found · Parlor").then_some(());
                browser.until("for the title", titled).await;
            }
            browser.click("link", "To the parlor").await;
            browser.see("heading", "Play").await;
            assert_eq!(browser.path().await, "/");
        }
    });
}

#[test]
fn programs_are_told_which_addresses_are_pages() {
    play(async |scene| {
        scene.expect_console("the server responded with a status of 404");
        let browser = scene.browser("ada").await;
        browser.go("/").await;
        for (path, status) in [("/", 200), ("/rules/chess", 200), ("/nowhere", 404)] {
            let answer = browser.run_async(&format!("return (await fetch('{path}')).status")).await;
            assert_eq!(answer, status, "{path}");
        }
        let robots = browser.run_async("return await (await fetch('/robots.txt')).text()").await;
        let robots = robots.as_str().unwrap_or_default();
        assert!(robots.contains("\nUser-agent: *\n"), "{robots}");
        assert!(robots.contains("\nDisallow: /match/\n"), "{robots}");
    });
}
