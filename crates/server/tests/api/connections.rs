//! How many connections there may be, and who still gets in when there are too many.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use bytes::Bytes;
use http::Method;
use protocol::Code;
use serde_json::json;
use server::config::{Config, Connections, Limits, Switch};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::kit::{Answer, Client, TestServer, patient};
use crate::play::begin;
use crate::socket::Socket;

const GAMES: &str = "/api/v1/games";

fn bounded(total: u32, per_address: u32, per_player: u32) -> Config {
    let positive = |number| NonZeroU32::new(number).unwrap();
    let connections = Connections {
        total: Some(positive(total)),
        per_address: positive(per_address),
        per_player: positive(per_player),
    };
    let limits = Limits { quotas: Switch::On, ..patient().limits };
    Config { connections, limits, ..patient() }
}

/// Asks on a new connection, and for nothing else.
async fn ask(client: &Client, path: &str) -> Answer {
    client.exchange(Method::GET, path, None, Bytes::new()).await
}

async fn try_socket(address: SocketAddr, headers: &str, token: &str) -> Result<Socket, String> {
    Socket::try_open(address, &format!("Authorization: Bearer {token}\r\n{headers}")).await
}

#[tokio::test]
async fn players_get_in_where_others_are_told_that_there_is_no_place() {
    let server = TestServer::with(bounded(40, u32::MAX, u32::MAX)).await;
    let (_, users) = begin(&server, json!({"game": "santorini"}), &["ada", "bob"]).await;
    let watcher = server.guest("the-device-of-a-guest").await;
    let mut crowd = Vec::new();
    while let Ok(socket) = try_socket(server.address, "", &watcher.token).await {
        crowd.push(socket);
        assert!(crowd.len() <= 30, "the crowd takes the reserve");
    }
    // A connection that ended may not be counted out yet.
    assert!(crowd.len() >= 20, "{}", crowd.len());
    assert_eq!(ask(&server.anonymous(), "/api/v1/health").await.status, 200, "it is well");
    let refused = ask(&server.anonymous(), GAMES).await;
    refused.problem(Code::Busy);
    assert_ne!(refused.header("retry-after"), "");
    assert_eq!(refused.header("connection"), "close");
    assert_eq!(ask(&watcher.bearer, "/api/v1/matches").await.status, 200);
    let mut players = Vec::new();
    let last = loop {
        match try_socket(server.address, "", &users[0].token).await {
            Ok(socket) => players.push(socket),
            Err(status) => break status,
        }
        assert!(players.len() <= 20);
    };
    assert!(!players.is_empty() && last.contains("503"), "{last}");
    // Nobody has asked anything, and is told all the same.
    let told = server.raw(b"").await;
    assert!(told.starts_with("HTTP/1.1 503 ") && told.contains(r#""code":"busy""#), "{told}");
    assert!(told.to_lowercase().contains("retry-after: "), "{told}");
    drop((crowd, players));
    let request = b"GET /api/v1/games HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    while !server.raw(request).await.starts_with("HTTP/1.1 200 ") {}
}

#[tokio::test]
async fn a_newcomer_takes_the_place_of_who_has_asked_nothing_for_longest() {
    let server = TestServer::with(bounded(8, u32::MAX, u32::MAX)).await;
    let mut idle = Vec::new();
    for _ in 0..6 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(b"GET /api/v1/health HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        assert_eq!(stream.read_u8().await.unwrap(), b'H');
        idle.push(stream);
    }
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(2)).await;
    tokio::time::resume();
    assert_eq!(ask(&server.anonymous(), GAMES).await.status, 200);
    let mut rest = Vec::new();
    idle[0].read_to_end(&mut rest).await.unwrap();
    let last = idle.pop().unwrap();
    assert!(last.try_read(&mut [0; 4096]).is_ok_and(|count| count > 0), "the others stay");
}

#[tokio::test]
async fn a_player_has_so_many_sockets_and_no_more() {
    let server = TestServer::with(bounded(1000, u32::MAX, 3)).await;
    let [ada, bob] = [server.register("ada").await, server.register("bob").await];
    let mut sockets = Vec::new();
    for _ in 0..3 {
        sockets.push(Socket::open(server.address, &ada.token).await);
    }
    let refused = try_socket(server.address, "", &ada.token).await.err().unwrap();
    assert!(refused.contains("429"), "{refused}");
    Socket::open(server.address, &bob.token).await;
    assert_eq!(ask(&ada.bearer, "/api/v1/profile").await.status, 200);
    sockets.pop();
    while try_socket(server.address, "", &ada.token).await.is_err() {}
}

#[tokio::test]
async fn an_address_has_so_many_connections_and_those_behind_a_proxy_have_their_own() {
    let server = TestServer::with(bounded(1000, 10, u32::MAX)).await;
    let ada = server.register("ada").await;
    let mut sockets = Vec::new();
    while let Ok(socket) = try_socket(server.address, "", &ada.token).await {
        sockets.push(socket);
        assert!(sockets.len() <= 10);
    }
    let told = server.raw(b"").await;
    assert!(told.starts_with("HTTP/1.1 503 "), "{told}");

    let proxies = vec!["127.0.0.1".parse().unwrap()];
    let config = Config { trusted_proxies: proxies, ..bounded(1000, 10, u32::MAX) };
    let server = TestServer::with(config).await;
    let ada = server.register("ada").await;
    let mut sockets = Vec::new();
    for address in ["198.51.100.1", "198.51.100.2"] {
        let header = format!("X-Forwarded-For: {address}\r\n");
        for _ in 0..10 {
            sockets.push(try_socket(server.address, &header, &ada.token).await.unwrap());
        }
        let refused = try_socket(server.address, &header, &ada.token).await.err().unwrap();
        assert!(refused.contains("429"), "{refused}");
    }
    assert_eq!(ask(&ada.bearer, "/api/v1/profile").await.status, 200, "the proxy itself is free");
}
