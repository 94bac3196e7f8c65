//! How the browser client's files are given out.

use http::Method;
use protocol::Code;
use server::http::ClientFile;

use crate::kit::{Answer, Client, TestServer};

const FILES: &[ClientFile] = &[
    file("assets/client-0123456789abcdef.wasm"),
    file("assets/chess-tutorial-0123456789abcdef.json"),
    file("icon-192.png"),
    file("icon.svg"),
    file("index.html"),
    file("robots.txt"),
    file("worker.js"),
];

const fn file(path: &'static str) -> ClientFile {
    ClientFile { path, plain: b"plain", gzip: b"gzip", brotli: b"brotli" }
}

async fn start() -> (TestServer, Client) {
    let server = TestServer::with_client(FILES).await;
    let client = server.anonymous();
    (server, client)
}

#[track_caller]
fn check_page(answer: &Answer, status: u16) {
    assert_eq!(answer.status.as_u16(), status);
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(answer.header("cache-control"), "no-cache");
}

#[tokio::test]
async fn every_address_for_people_gets_the_page() {
    let (_server, client) = start().await;
    for path in ["/", "/login?next=/profile", "/match/06gt3xp9r0002", "/rules/chess", "/player/Ada"]
    {
        check_page(&client.get(path).await, 200);
    }
    for path in ["/no/such/page", "/match", "/rules/chess/R3", "/sitemap.xml", "/index.html"] {
        check_page(&client.get(path).await, 404);
    }
    for path in ["/api/v1/nothing", "/apinothing", "/assets/gone-00.js"] {
        client.get(path).await.problem(Code::NotFound);
    }
    client.send(Method::POST, "/login", None, String::new()).await.problem(Code::NotFound);
}

#[tokio::test]
async fn a_file_comes_in_the_best_coding_that_is_asked_for() {
    let (_server, client) = start().await;
    let check = async |accepted: Option<&str>, content: &str, coding: &str| {
        let client = client.clone();
        let client = match accepted {
            Some(accepted) => client.with("accept-encoding", accepted),
            None => client,
        };
        let answer = client.get("/icon.svg").await;
        assert_eq!((&*answer.text(), answer.header("content-encoding")), (content, coding));
        assert_eq!(answer.header("vary"), "accept-encoding");
        assert_eq!(answer.header("content-type"), "image/svg+xml");
    };
    check(None, "plain", "").await;
    check(Some("gzip, deflate, br, zstd"), "brotli", "br").await;
    check(Some("gzip;q=0.5, BR;q=0"), "gzip", "gzip").await;
    check(Some("br;q=0.0, identity"), "plain", "").await;
    check(Some("brotli"), "plain", "").await;
}

#[tokio::test]
async fn a_hashed_file_is_kept_for_ever_and_wasm_is_called_so() {
    let (_server, client) = start().await;
    let answer = client.get("/assets/client-0123456789abcdef.wasm").await;
    assert_eq!(answer.header("content-type"), "application/wasm");
    assert_eq!(answer.header("cache-control"), "public, max-age=31536000, immutable");
    let policy = answer.header("content-security-policy");
    assert!(policy.contains("'wasm-unsafe-eval'") && !policy.contains("'unsafe-inline'"));
}

#[tokio::test]
async fn a_worker_is_asked_for_anew_and_may_work_for_the_whole_site() {
    let (_server, client) = start().await;
    let answer = client.get("/worker.js").await;
    assert_eq!(answer.header("content-type"), "text/javascript; charset=utf-8");
    assert_eq!(answer.header("cache-control"), "no-cache");
    assert!(answer.header("content-security-policy").contains("worker-src 'self'"));
}

#[tokio::test]
async fn a_file_is_called_what_it_is() {
    let (_server, client) = start().await;
    for (path, kind) in [
        ("/assets/chess-tutorial-0123456789abcdef.json", "application/json"),
        ("/icon-192.png", "image/png"),
        ("/robots.txt", "text/plain; charset=utf-8"),
    ] {
        assert_eq!(client.get(path).await.header("content-type"), kind, "{path}");
    }
}

#[tokio::test]
async fn without_a_client_there_is_the_interface_alone() {
    let server = TestServer::start().await;
    server.anonymous().get("/").await.problem(Code::NotFound);
}
