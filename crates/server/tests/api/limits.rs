//! Limits as a client meets them.

use std::num::NonZeroU32;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use protocol::Code;
use serde_json::json;
use server::config::{Config, Limits, Quota};
use server::http::{App, Client, Refusal};

use crate::kit::{TestServer, patient};

#[tokio::test]
async fn a_guesser_is_told_when_to_come_back() {
    let attempt = async |State(app): State<Arc<App>>, client: Client| -> Result<&str, Refusal> {
        app.limits.check_address(client.address)?;
        Ok("wrong")
    };
    let routes = Router::new().route("/attempt", post(attempt));
    let server = TestServer::with_routes(Config::default(), routes).await;
    let client = server.anonymous();
    for _ in 0..200 {
        let answer = client.post("/attempt", &()).await;
        if answer.status != 200 {
            answer.problem(Code::RateLimited);
            let seconds: u32 = answer.header("retry-after").parse().unwrap();
            assert!((1..=5).contains(&seconds), "{seconds}");
            return;
        }
    }
    panic!("never refused");
}

#[tokio::test]
async fn every_route_that_lets_somebody_in_counts_attempts() {
    let few = |burst| {
        let [burst, period_s] = [burst, 3600].map(|it| NonZeroU32::new(it).unwrap());
        Quota { burst, period_s }
    };
    let many = patient().limits;
    // The guest who asks has used one attempt of the address, and none of an account.
    let by_address = Limits { address: few(2), ..many.clone() };
    let by_account = Limits { account: few(1), ..many };
    let account = json!({"username": "Ada", "password": "short"});
    let device = json!({"device_id": "another-device-of-it"});
    for (path, body, is_of_account) in [
        ("register", &account, true),
        ("login", &account, true),
        ("guest/upgrade", &account, true),
        ("guest", &device, false),
        ("token/refresh", &json!({}), false),
    ] {
        for (limits, is_limited) in [(&by_address, true), (&by_account, is_of_account)] {
            let server = TestServer::with(Config { limits: limits.clone(), ..patient() }).await;
            let guest = server.guest("the-device-of-a-guest").await;
            let path = format!("/api/v1/{path}");
            let first = guest.bearer.post(&path, body).await;
            assert!(!first.is_problem(Code::RateLimited), "{path}");
            let second = guest.bearer.post(&path, body).await;
            assert_eq!(second.is_problem(Code::RateLimited), is_limited, "{path}");
            assert_eq!(second.header("retry-after").is_empty(), !is_limited);
        }
    }
}
