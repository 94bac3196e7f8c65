//! All sockets of the load in one thread: WebSocket lines that never block, and never allocate where
//! messages are small and come whole.

use std::io::{self, Read as _, Write as _};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use mio::net::TcpStream;
use mio::{Events, Interest, Poll, Token};
use server::ws::frame;

use super::message::Message;
use super::progress::Progress;

/// More than a socket has to say between two looks, nearly always.
const SCRATCH_BYTES: usize = 256 * 1024;
const EVENTS: usize = 1024;
/// Masks hide nothing here; a server undoes any.
const MASK: [u8; 4] = [0x5a, 0x17, 0xc3, 0x88];
/// Connections under way at once: what a listener's queue takes.
const OPENING_MAX: usize = 1000;
/// Everything that is waited for comes sooner.
pub(super) const PATIENCE: Duration = Duration::from_mins(2);

const TEXT: u8 = 0x81;
const CLOSE: u8 = 0x88;
const PING: u8 = 0x89;

struct Socket {
    stream: TcpStream,
    /// The handshake is over.
    is_open: bool,
    /// Bytes of a frame that has not come whole.
    partial: Vec<u8>,
    /// What the line has not taken yet.
    unsent: Vec<u8>,
}

/// The sockets, by number.
pub(super) struct Net {
    address: SocketAddr,
    poll: Poll,
    events: Events,
    sockets: Vec<Option<Socket>>,
    scratch: Vec<u8>,
    frame: Vec<u8>,
    /// Those that have something to read, after [`Net::wait`].
    ready: Vec<usize>,
    /// Looks at every socket instead of being told of those that are ready.
    is_restless: bool,
}

impl Net {
    pub(super) fn new(address: SocketAddr) -> anyhow::Result<Net> {
        Ok(Net {
            address,
            poll: Poll::new()?,
            events: Events::with_capacity(EVENTS),
            sockets: Vec::new(),
            scratch: vec![0; SCRATCH_BYTES],
            frame: Vec::new(),
            ready: Vec::new(),
            is_restless: false,
        })
    }

    /// From now on looks at every socket in turn. To tell the load that a socket is ready would be
    /// work of whoever sends, which on one machine is the server's core.
    pub(super) fn never_rest(&mut self) -> anyhow::Result<()> {
        for socket in self.sockets.iter_mut().flatten() {
            self.poll.registry().deregister(&mut socket.stream)?;
        }
        self.is_restless = true;
        Ok(())
    }

    /// Opens a socket for each token, as many at a time as a listener takes, numbered from 0; with
    /// each, once it is welcomed, `welcomed` may say something. Gives how long it took until all
    /// had heard what `is_done` waits for.
    pub(super) fn open_all(
        &mut self,
        tokens: &[String],
        mut welcomed: impl FnMut(usize, &mut Vec<u8>),
        is_done: impl Fn(usize, &Message<'_>) -> bool,
    ) -> anyhow::Result<Duration> {
        let progress = Progress::new("connections", tokens.len());
        self.sockets.clear();
        let begin = Instant::now();
        let mut done = 0;
        let mut say = Vec::new();
        let mut heard = Vec::new();
        while done < tokens.len() {
            while self.sockets.len() < tokens.len() && self.sockets.len() - done < OPENING_MAX {
                self.open(&tokens[self.sockets.len()])?;
            }
            ensure!(begin.elapsed() < PATIENCE, "{done} of {} connected", tokens.len());
            self.wait(Some(Duration::from_millis(100)))?;
            for at in 0..self.ready.len() {
                let socket = self.ready[at];
                self.read(socket, |message| {
                    heard.push((message == Message::Welcome, is_done(socket, &message)));
                })?;
                for (is_welcome, is_done) in heard.drain(..) {
                    if is_welcome {
                        say.clear();
                        welcomed(socket, &mut say);
                        if !say.is_empty() {
                            self.send(socket, &say)?;
                        }
                    }
                    if is_done {
                        done += 1;
                        progress.step();
                    }
                }
            }
        }
        Ok(begin.elapsed())
    }

    fn open(&mut self, token: &str) -> anyhow::Result<()> {
        let (address, number) = (self.address, self.sockets.len());
        let hint = "cannot open so many sockets: see `ulimit -n`";
        let mut stream = TcpStream::connect(address).context(hint)?;
        let interest = Interest::READABLE | Interest::WRITABLE;
        self.poll.registry().register(&mut stream, Token(number), interest)?;
        let handshake = format!(
            "GET /api/v1/ws HTTP/1.1\r\nHost: {address}\r\nConnection: Upgrade\r\n\
             Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nAuthorization: Bearer {token}\r\n\r\n"
        );
        let unsent = handshake.into_bytes();
        let socket = Socket { stream, is_open: false, partial: Vec::new(), unsent };
        self.sockets.push(Some(socket));
        Ok(())
    }

    /// Closes all sockets at once, without a word.
    pub(super) fn drop_all(&mut self) {
        self.sockets.clear();
    }

    /// Waits until something comes, forever if no time is given; or never, see
    /// [`Net::never_rest`]. What is there to read is in [`Net::ready`].
    pub(super) fn wait(&mut self, time: Option<Duration>) -> anyhow::Result<()> {
        self.ready.clear();
        if self.is_restless {
            for (number, socket) in self.sockets.iter_mut().enumerate() {
                let Some(socket) = socket else { continue };
                if !socket.unsent.is_empty() {
                    socket.flush()?;
                }
                self.ready.push(number);
            }
            return Ok(());
        }
        match self.poll.poll(&mut self.events, time) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
        for event in &self.events {
            let number = event.token().0;
            if event.is_writable()
                && let Some(Some(socket)) = self.sockets.get_mut(number)
                && !socket.unsent.is_empty()
            {
                socket.flush()?;
            }
            if event.is_readable() {
                self.ready.push(number);
            }
        }
        Ok(())
    }

    /// Those that have something to read.
    pub(super) fn ready(&self) -> usize {
        self.ready.len()
    }

    /// The number of one of [`Net::ready`].
    pub(super) fn ready_at(&self, at: usize) -> usize {
        self.ready[at]
    }

    /// Sends a text.
    pub(super) fn send(&mut self, number: usize, text: &[u8]) -> anyhow::Result<()> {
        self.frame.clear();
        frame::masked(&mut self.frame, MASK, |out| frame::text(out, text));
        let Some(Some(socket)) = self.sockets.get_mut(number) else { bail!("no such socket") };
        socket.send(&self.frame)
    }

    /// Reads all that a socket has.
    pub(super) fn read(
        &mut self,
        number: usize,
        mut hear: impl FnMut(Message<'_>),
    ) -> anyhow::Result<()> {
        // Closed since it became ready.
        let Some(Some(socket)) = self.sockets.get_mut(number) else { return Ok(()) };
        loop {
            let kept = socket.partial.len();
            if self.scratch.len() < 2 * kept {
                self.scratch.resize(4 * kept, 0);
            }
            self.scratch[..kept].copy_from_slice(&socket.partial);
            socket.partial.clear();
            let room = self.scratch.len() - kept;
            let count = match socket.stream.read(&mut self.scratch[kept..]) {
                Ok(0) => bail!("the server closed a connection"),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
                Err(error) => return Err(error).context("a connection broke"),
            };
            let read = &self.scratch[..kept + count];
            let used = socket.hear(read, &mut self.frame, &mut hear)?;
            socket.partial.extend_from_slice(&read[used..]);
            // A short read has emptied it: what comes later is told of anew.
            if count < room {
                return Ok(());
            }
        }
    }
}

impl Socket {
    fn send(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let mut written = 0;
        if self.unsent.is_empty() {
            match self.stream.write(bytes) {
                Ok(count) => written = count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.unsent.extend_from_slice(&bytes[written..]);
        Ok(())
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        // Only now is it sure that it is connected.
        self.stream.set_nodelay(true)?;
        while !self.unsent.is_empty() {
            match self.stream.write(&self.unsent) {
                Ok(count) => drop(self.unsent.drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error.into()),
            }
        }
        self.unsent = Vec::new();
        Ok(())
    }

    /// Takes whole frames; gives how many bytes they were.
    fn hear(
        &mut self,
        bytes: &[u8],
        frame: &mut Vec<u8>,
        hear: &mut impl FnMut(Message<'_>),
    ) -> anyhow::Result<usize> {
        let mut at = 0;
        if !self.is_open {
            let Some(end) = bytes.windows(4).position(|it| it == b"\r\n\r\n") else { return Ok(0) };
            let answer = String::from_utf8_lossy(&bytes[..end]);
            ensure!(answer.starts_with("HTTP/1.1 101 "), "a socket was refused: {answer}");
            self.is_open = true;
            at = end + 4;
        }
        while let Some((kind, start, end)) = frame_at(bytes, at) {
            let payload = &bytes[start..end];
            match kind {
                TEXT => hear(Message::parse(payload)),
                PING => {
                    frame.clear();
                    frame::masked(frame, MASK, |out| frame::pong(out, payload));
                    self.send(frame)?;
                }
                CLOSE => hear(Message::Trouble(payload)),
                // Servers send no fragments.
                _ => bail!("an unknown frame"),
            }
            at = end;
        }
        Ok(at)
    }
}

/// The kind, start and end of the whole frame at `at`, if it is there.
fn frame_at(bytes: &[u8], at: usize) -> Option<(u8, usize, usize)> {
    let [kind, length, rest @ ..] = bytes.get(at..)? else { return None };
    let (head, length) = match length {
        126 => (4, usize::from(u16::from_be_bytes(*rest.first_chunk()?))),
        127 => (10, usize::try_from(u64::from_be_bytes(*rest.first_chunk()?)).ok()?),
        length => (2, usize::from(*length)),
    };
    let start = at + head;
    let end = start.checked_add(length)?;
    (end <= bytes.len()).then_some((*kind, start, end))
}
