//! A WebSocket to the house that blocks, but not for long.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;
use server::ws::frame::{self, Decoder, Incoming};

/// A view is a few kilobytes; nothing that a house sends is longer.
const MESSAGE_BYTES_MAX: usize = 1 << 20;
const HEAD_BYTES_MAX: usize = 16 * 1024;
/// A house closes a connection that sends more than 50 messages a second.
const SPACING: Duration = Duration::from_millis(25);
/// Masks are for proxies that read along; the lines here are the bot's own.
const MASK: [u8; 4] = [0x3c, 0x91, 0x5e, 0xa7];

pub(super) struct Socket {
    stream: TcpStream,
    decoder: Decoder,
    /// When the next message may be sent.
    free_at: Instant,
}

impl Socket {
    pub(super) fn open(address: SocketAddr, host: &str, token: &str) -> anyhow::Result<Socket> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        let request = format!(
            "GET /api/v1/ws HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer {token}\r\n\r\n"
        );
        stream.write_all(request.as_bytes())?;
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            ensure!(head.len() < HEAD_BYTES_MAX, "the server does not answer as one");
            stream.read_exact(&mut byte).context("the server closed the connection")?;
            head.extend(byte);
        }
        let head = String::from_utf8_lossy(&head);
        let status = head.lines().next().unwrap_or_default();
        ensure!(status.contains(" 101 "), "no WebSocket is opened: {status}");
        let decoder = Decoder::for_client(MESSAGE_BYTES_MAX);
        Ok(Socket { stream, decoder, free_at: Instant::now() })
    }

    pub(super) fn send(&mut self, message: &Value) -> anyhow::Result<()> {
        let (mut bytes, text) = (Vec::new(), message.to_string());
        frame::masked(&mut bytes, MASK, |out| frame::text(out, text.as_bytes()));
        sleep(self.free_at.saturating_duration_since(Instant::now()));
        self.free_at = Instant::now() + SPACING;
        Ok(self.stream.write_all(&bytes)?)
    }

    /// The next message, if one comes within this time.
    pub(super) fn next(&mut self, patience: Duration) -> anyhow::Result<Option<Value>> {
        self.stream.set_read_timeout(Some(patience))?;
        loop {
            let mut pong = Vec::new();
            match self.decoder.next_message()? {
                Some(Incoming::Text(text)) => return Ok(Some(serde_json::from_str(text)?)),
                Some(Incoming::Close(close)) => {
                    let reason = close.map(|close| close.reason.to_owned()).unwrap_or_default();
                    bail!("the server closes the connection: {reason}");
                }
                Some(Incoming::Ping(payload)) => {
                    frame::masked(&mut pong, MASK, |out| frame::pong(out, payload));
                }
                Some(Incoming::Pong(_)) => {}
                None => {
                    let mut bytes = [0; 8192];
                    match self.stream.read(&mut bytes) {
                        Ok(0) => bail!("the server closed the connection"),
                        Ok(count) => {
                            self.decoder.fill(|buffer| buffer.extend_from_slice(&bytes[..count]));
                        }
                        Err(error) if is_late(&error) => return Ok(None),
                        Err(error) => return Err(error.into()),
                    }
                }
            }
            self.stream.write_all(&pong)?;
        }
    }
}

fn is_late(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut)
}
