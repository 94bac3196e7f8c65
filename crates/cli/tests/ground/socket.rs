//! A WebSocket client that queues everything that the server sends.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use server::ws::frame::{self, Decoder, Incoming};

use crate::server::{PATIENCE, Server};

/// An open connection. Dropping it closes it.
pub(crate) struct Socket {
    stream: TcpStream,
    messages: Receiver<Value>,
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.stream.shutdown(Shutdown::Both).ok();
    }
}

impl Socket {
    /// Opens a socket, or gives the status with which the handshake was refused.
    pub(crate) fn open(server: &Server, token: &str) -> Result<Socket, u16> {
        let mut stream = TcpStream::connect(server.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let request = format!(
            "GET /api/v1/ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer {token}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte).unwrap();
            head.push(byte[0]);
        }
        let head = String::from_utf8(head).unwrap();
        let status: u16 = head.split(' ').nth(1).unwrap().parse().unwrap();
        if status != 101 {
            return Err(status);
        }
        stream.set_read_timeout(None).unwrap();
        let (sender, messages) = channel();
        let reader = stream.try_clone().unwrap();
        thread::spawn(move || read(reader, &sender));
        Ok(Socket { stream, messages })
    }

    /// Sends a text message.
    pub(crate) fn say(&mut self, text: &str) {
        let mut bytes = Vec::new();
        frame::masked(&mut bytes, [1, 2, 3, 4], |out| frame::text(out, text.as_bytes()));
        self.stream.write_all(&bytes).unwrap();
    }

    /// The next message, if one comes in time.
    pub(crate) fn next(&self, within: Duration) -> Option<Value> {
        self.messages.recv_timeout(within).ok()
    }
}

/// Reads until the connection ends. A close is queued as `{"closed": CODE, "reason": REASON}`.
fn read(mut stream: TcpStream, sender: &Sender<Value>) {
    let mut decoder = Decoder::for_client(1 << 20);
    let mut bytes = [0; 1 << 14];
    loop {
        let message = match decoder.next_message() {
            Ok(Some(Incoming::Text(text))) => serde_json::from_str(text).unwrap_or_default(),
            Ok(Some(Incoming::Close(close))) => {
                let close = close.map(|close| (close.code, close.reason.to_owned()));
                let (code, reason) = close.unwrap_or_default();
                sender.send(json!({"closed": code, "reason": reason})).ok();
                return;
            }
            Ok(Some(Incoming::Ping(payload))) => {
                let (payload, mut pong) = (payload.to_owned(), Vec::new());
                frame::masked(&mut pong, [1, 2, 3, 4], |out| frame::pong(out, &payload));
                stream.write_all(&pong).ok();
                continue;
            }
            Ok(Some(Incoming::Pong(_))) => continue,
            Ok(None) => match stream.read(&mut bytes) {
                Ok(count) if count > 0 => {
                    decoder.fill(|buffer| buffer.extend_from_slice(&bytes[..count]));
                    continue;
                }
                _ => return,
            },
            Err(error) => json!({"broken": error.to_string()}),
        };
        if sender.send(message).is_err() {
            return;
        }
    }
}
