//! Changes that another site's page sends with somebody's cookie.

use http::Method;
use protocol::Code;

use crate::kit::{Client, TestServer, User};
use crate::routes::{Places, fitting, routes};

#[tokio::test]
async fn another_site_changes_nothing_with_a_cookie() {
    let server = TestServer::start().await;
    let places = Places::new(&server).await;
    for (number, route) in routes().into_iter().enumerate() {
        let user = fitting(&server, route.need, number).await;
        let cookie = format!("authToken={}", user.token);
        let plain = server.anonymous().with("cookie", &cookie);
        let own = format!("http://{}", server.address);
        let foreign = [
            plain.clone().with("origin", "https://evil.example"),
            plain.clone().with("origin", "null"),
            plain.clone().with("origin", &format!("{own}.evil.example")),
            plain.clone().with("sec-fetch-site", "cross-site"),
            plain.clone().with("sec-fetch-site", "same-site"),
            plain.clone().with("sec-fetch-site", "odd"),
            plain.clone().with("origin", &own).with("sec-fetch-site", "cross-site"),
            plain.clone().with("origin", "null").with("authorization", "Basic YTpi"),
        ];
        for client in &foreign {
            let answer = route.ask(client, &places).await;
            if route.method == Method::GET {
                // Reading is safe: a page of another site is not shown the answer.
                assert!(!answer.is_problem(Code::CrossOrigin));
                assert_eq!(answer.header("access-control-allow-origin"), "");
            } else {
                answer.problem(Code::CrossOrigin);
                assert_eq!(server.records(&answer).await, [], "nothing happened");
                assert_eq!(answer.header("set-cookie"), "");
            }
        }
    }
}

/// How somebody asks: from a client without anything, and with the server's own origin.
type Dress = fn(&User, Client, &str) -> Client;

#[tokio::test]
async fn the_own_page_and_programs_are_served() {
    for (number, route) in routes().into_iter().enumerate() {
        let server = TestServer::start().await;
        let places = Places::new(&server).await;
        let own = format!("http://{}", server.address);
        let dresses: [Dress; 6] = [
            |user, client, _| client.with("cookie", &format!("authToken={}", user.token)),
            |user, client, own| {
                let client = client.with("cookie", &format!("authToken={}", user.token));
                client.with("origin", own)
            },
            |user, _, _| user.browser.clone(),
            |user, _, _| user.browser.clone().with("sec-fetch-site", "none"),
            |user, _, _| user.bearer.clone().with("origin", "https://evil.example"),
            |user, _, _| user.bearer.clone().with("sec-fetch-site", "cross-site"),
        ];
        for (turn, dress) in dresses.into_iter().enumerate() {
            let user = fitting(&server, route.need, 10 * number + turn).await;
            let client = dress(&user, server.anonymous(), &own);
            let answer = route.ask(&client, &places).await;
            // The second who wants the same name or seat does not get it, but is heard.
            let is_late =
                [Code::UsernameTaken, Code::LobbyFull].map(|code| answer.is_problem(code));
            let is_heard = route.is_heard(&answer) || is_late.contains(&true);
            assert!(is_heard, "{} {turn}: {}", route.path(&places), answer.text());
        }
    }
}
