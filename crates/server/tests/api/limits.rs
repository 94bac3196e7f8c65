//! Limits as a client meets them.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use protocol::Code;
use server::config::Config;
use server::http::{App, Client, Refusal};

use crate::kit::TestServer;

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
