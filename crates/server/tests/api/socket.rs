//! A WebSocket client for tests: sends lines of JSON, and reads what comes.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::Duration;

use domain::MatchId;
use serde_json::{Value, json};
use server::ws::frame::{self, Decoder, Incoming};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Nothing in these tests takes nearly as long.
const PATIENCE: Duration = Duration::from_mins(2);
const MESSAGE_BYTES_MAX: usize = 1 << 20;

/// An open socket.
pub(crate) struct Socket {
    stream: TcpStream,
    decoder: Decoder,
    waiting: VecDeque<Value>,
    /// Every message that came, as it came.
    pub(crate) heard: Vec<String>,
    /// What every pong carried.
    pub(crate) pongs: Vec<Vec<u8>>,
    /// How often it was asked whether it lives; it does not say.
    pub(crate) pings: usize,
}

/// What comes over a socket.
#[derive(Debug, PartialEq)]
pub(crate) enum Came {
    Message(Value),
    Closed(u16, String),
    Ended,
}

impl Socket {
    /// Opens a socket, and takes the welcome.
    pub(crate) async fn open(address: SocketAddr, token: &str) -> Socket {
        let header = format!("Authorization: Bearer {token}\r\n");
        let mut socket = Socket::try_open(address, &header).await.unwrap();
        assert_eq!(socket.next().await["type"], "welcome");
        socket
    }

    /// Opens a socket with these headers; the status line if it is refused.
    pub(crate) async fn try_open(address: SocketAddr, headers: &str) -> Result<Socket, String> {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request = format!(
            "GET /api/v1/ws HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n"
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            answer.push(stream.read_u8().await.unwrap());
        }
        let answer = String::from_utf8(answer).unwrap();
        if !answer.starts_with("HTTP/1.1 101 ") {
            return Err(answer.lines().next().unwrap().to_owned());
        }
        assert!(answer.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{answer}");
        let decoder = Decoder::for_client(MESSAGE_BYTES_MAX);
        Ok(Socket {
            stream,
            decoder,
            waiting: VecDeque::new(),
            heard: Vec::new(),
            pongs: Vec::new(),
            pings: 0,
        })
    }

    /// Sends a message.
    pub(crate) async fn send(&mut self, message: &Value) {
        let mut bytes = Vec::new();
        let text = message.to_string();
        frame::masked(&mut bytes, [7, 1, 9, 4], |out| frame::text(out, text.as_bytes()));
        self.send_bytes(&bytes).await;
    }

    /// Sends bytes as they are; a line that is closed takes them too.
    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.ok();
    }

    /// Joins a match, and gives its snapshot.
    pub(crate) async fn join(&mut self, id: MatchId) -> Value {
        self.send(&json!({"type": "join", "match": id})).await;
        let id = json!(id);
        self.find(|it| it["type"] == "snapshot" && it["match"] == id).await
    }

    /// Acts; gives the `ack` or `refused`.
    pub(crate) async fn act(&mut self, id: MatchId, ply: u64, action: &str, nonce: u64) -> Value {
        let act = json!({
            "type": "act", "match": id, "ply": ply, "action": action, "nonce": nonce,
        });
        self.send(&act).await;
        self.find(|it| {
            it["nonce"] == nonce && matches!(it["type"].as_str(), Some("ack" | "refused"))
        })
        .await
    }

    /// The next message of this type; others before it are dropped.
    pub(crate) async fn expect(&mut self, kind: &str) -> Value {
        self.find(|message| message["type"] == kind).await
    }

    /// The next message like this; others stay in line.
    pub(crate) async fn find(&mut self, is_wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.waiting.iter().position(&is_wanted) {
            return self.waiting.remove(at).unwrap();
        }
        loop {
            let message = self.receive().await;
            if is_wanted(&message) {
                return message;
            }
            self.waiting.push_back(message);
        }
    }

    /// The next message.
    pub(crate) async fn next(&mut self) -> Value {
        match self.waiting.pop_front() {
            Some(message) => message,
            None => self.receive().await,
        }
    }

    async fn receive(&mut self) -> Value {
        match self.came().await {
            Came::Message(message) => message,
            other => panic!("{other:?}"),
        }
    }

    /// Drops what came and was not looked at.
    pub(crate) fn forget(&mut self) {
        self.waiting.clear();
    }

    /// How it ends; what comes before is dropped.
    pub(crate) async fn end(&mut self) -> Came {
        loop {
            match self.came().await {
                Came::Message(_) => {}
                end => return end,
            }
        }
    }

    /// Whatever comes next, also the end.
    pub(crate) async fn came(&mut self) -> Came {
        loop {
            match self.decoder.next_message().unwrap() {
                Some(Incoming::Text(text)) => {
                    // Everything that is said can be read by a client.
                    protocol::ws::ServerMessage::parse(text).unwrap();
                    self.heard.push(text.to_owned());
                    return Came::Message(serde_json::from_str(text).unwrap());
                }
                Some(Incoming::Close(close)) => {
                    let close = close.unwrap();
                    return Came::Closed(close.code, close.reason.to_owned());
                }
                Some(Incoming::Ping(_)) => self.pings += 1,
                Some(Incoming::Pong(payload)) => self.pongs.push(payload.to_owned()),
                None => {
                    let mut bytes = Vec::with_capacity(4096);
                    let read = timeout(PATIENCE, self.stream.read_buf(&mut bytes)).await.unwrap();
                    if read.is_err() || bytes.is_empty() {
                        return Came::Ended;
                    }
                    self.decoder.fill(|buffer| buffer.extend_from_slice(&bytes));
                }
            }
        }
    }
}
