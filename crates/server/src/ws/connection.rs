//! One socket: what waits to be written, and when it must close. Knows no match and no room.
//!
//! Whoever has something to say writes it at once, on its own task. Here waits, within bounds, what the
//! socket does not take, and what need not leave before the next.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::PlayerId;
use identity::Claims;
use play::room::MemberId;
use protocol::ws::ServerMessage;
use rustix::buffer::spare_capacity;
use tokio::io::Interest;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::frame;
use crate::admission::SocketPlace;

/// A reader that leaves more than this unread does not keep up: it is closed, and comes back to a
/// snapshot.
pub const OUTBOX_BYTES_MAX: usize = 64 * 1024;
/// How long what asks for no decision may be held: less than a screen shows one picture.
pub const HOLD: Duration = Duration::from_millis(10);
/// More is not held: a write that is larger still saves nothing.
const HELD_BYTES_MAX: usize = 16 * 1024;

/// Why a server closes a socket, beyond the protocol's own reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// The server stops.
    GoingAway,
    /// The session was revoked or has expired, or its account was deleted.
    SessionEnded,
    /// What was sent was not read.
    SlowConsumer,
    /// Too many messages.
    Flood,
    /// Nothing was heard for too long.
    TimedOut,
    /// Frames that break the protocol.
    Violation(u16),
}

impl CloseReason {
    /// The code in the close frame.
    pub const fn code(self) -> u16 {
        match self {
            CloseReason::GoingAway => 1001,
            CloseReason::SessionEnded => 4001,
            CloseReason::SlowConsumer => 4002,
            CloseReason::Flood => 4003,
            CloseReason::TimedOut => 4004,
            CloseReason::Violation(code) => code,
        }
    }

    /// The reason in the close frame.
    pub const fn text(self) -> &'static str {
        match self {
            CloseReason::GoingAway => "going_away",
            CloseReason::SessionEnded => "session_ended",
            CloseReason::SlowConsumer => "slow_consumer",
            CloseReason::Flood => "flood",
            CloseReason::TimedOut => "timed_out",
            CloseReason::Violation(_) => "protocol_violation",
        }
    }
}

/// A socket that others can write to.
pub(crate) struct Connection {
    id: MemberId,
    claims: Claims,
    stream: TcpStream,
    /// Held until the stream is closed; none in tests.
    _place: Option<SocketPlace>,
    outbox: Mutex<Outbox>,
    /// There is something to write or a reason to close.
    stirred: Notify,
    /// When something came in last.
    heard_ms: AtomicU64,
    pinged_ms: AtomicU64,
}

#[derive(Default)]
struct Outbox {
    bytes: Vec<u8>,
    /// Since when the bytes wait for more to come, if that is what they wait for, and not the socket.
    held_since: Option<Instant>,
    closing: Option<CloseReason>,
}

impl Outbox {
    /// Whether the socket takes no more, so that its task waits for it.
    fn is_stuck(&self) -> bool {
        !self.bytes.is_empty() && self.held_since.is_none()
    }
}

impl Connection {
    pub(crate) fn new(
        id: MemberId,
        claims: Claims,
        stream: TcpStream,
        place: impl Into<Option<SocketPlace>>,
        now_ms: u64,
    ) -> Connection {
        Connection {
            id,
            claims,
            stream,
            _place: place.into(),
            outbox: Mutex::default(),
            stirred: Notify::new(),
            heard_ms: AtomicU64::new(now_ms),
            pinged_ms: AtomicU64::new(now_ms),
        }
    }

    pub(crate) fn id(&self) -> MemberId {
        self.id
    }

    pub(crate) fn claims(&self) -> &Claims {
        &self.claims
    }

    pub(crate) fn player(&self) -> PlayerId {
        self.claims.player
    }

    pub(crate) fn stream(&self) -> &TcpStream {
        &self.stream
    }

    pub(crate) fn heard(&self, now_ms: u64) {
        self.heard_ms.store(now_ms, Ordering::Relaxed);
    }

    pub(crate) fn heard_ms(&self) -> u64 {
        self.heard_ms.load(Ordering::Relaxed)
    }

    /// Whether so much time has passed since it was asked last; then it counts as asked now.
    pub(crate) fn is_ping_due(&self, now_ms: u64, period_ms: u64) -> bool {
        let is_due = self.pinged_ms.load(Ordering::Relaxed) + period_ms <= now_ms;
        if is_due {
            self.pinged_ms.store(now_ms, Ordering::Relaxed);
        }
        is_due
    }

    /// Sends a message.
    pub(crate) fn say(&self, message: &ServerMessage<'_>) {
        let mut frame = Vec::new();
        // Plain structs with text keys have a JSON.
        let written = frame::write_text(&mut frame, |out| serde_json::to_writer(out, message));
        if written.is_ok() {
            self.send(&frame);
        }
    }

    /// Waits for something to write, or for a reason to close.
    pub(crate) async fn stirred(&self) {
        self.stirred.notified().await;
    }

    /// Sends frames. What the socket does not take at once waits behind what waits already.
    pub(crate) fn send(&self, frames: &[u8]) {
        let mut outbox = self.outbox();
        if outbox.closing.is_none() && !frames.is_empty() {
            self.put(&mut outbox, frames);
        }
    }

    /// Keeps frames, to leave with whatever comes next. True if nothing was kept before: then
    /// [`Connection::release`] with this time must follow.
    pub(crate) fn hold(&self, frames: &[u8], now: Instant) -> bool {
        let mut outbox = self.outbox();
        if outbox.closing.is_some() || frames.is_empty() {
            return false;
        }
        if outbox.is_stuck() || outbox.bytes.len() + frames.len() > HELD_BYTES_MAX {
            self.put(&mut outbox, frames);
            return false;
        }
        outbox.bytes.extend_from_slice(frames);
        let is_first = outbox.held_since.is_none();
        outbox.held_since.get_or_insert(now);
        is_first
    }

    /// Sends what is kept since this time, if it is still there.
    pub(crate) fn release(&self, held_since: Instant) {
        let mut outbox = self.outbox();
        if outbox.closing.is_none() && outbox.held_since == Some(held_since) {
            self.put(&mut outbox, &[]);
        }
    }

    /// Writes what waits, and then these frames.
    fn put(&self, outbox: &mut Outbox, frames: &[u8]) {
        let was_stuck = outbox.is_stuck();
        // That a line broke, the reading side finds out too, and ends it.
        if !outbox.bytes.is_empty() {
            outbox.bytes.extend_from_slice(frames);
            let _ = self.flush_outbox(outbox);
        } else if let Ok(written) = self.write(frames) {
            outbox.bytes.extend_from_slice(&frames[written..]);
        }
        if outbox.bytes.len() > OUTBOX_BYTES_MAX {
            outbox.closing.get_or_insert(CloseReason::SlowConsumer);
        }
        if (outbox.is_stuck() && !was_stuck) || outbox.closing.is_some() {
            self.stirred.notify_one();
        }
    }

    /// Reads what is there into the buffer's free space, once. If that was less than the space, the
    /// socket counts as empty, so that nobody has to ask it again to find that out.
    pub(crate) fn read(&self, buffer: &mut Vec<u8>) -> io::Result<Option<usize>> {
        let space = buffer.capacity() - buffer.len();
        let mut read = None;
        let emptied = self.stream.try_io(Interest::READABLE, || {
            let count = rustix::io::read(&self.stream, spare_capacity(buffer))?;
            read = Some(count);
            if count < space { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(()) }
        });
        match emptied {
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => Err(error),
            _ => Ok(read),
        }
    }

    /// Writes what waits, as far as the socket takes it; true if something is left.
    pub(crate) fn flush(&self) -> io::Result<bool> {
        self.flush_outbox(&mut self.outbox())
    }

    fn flush_outbox(&self, outbox: &mut Outbox) -> io::Result<bool> {
        outbox.held_since = None;
        match self.write(&outbox.bytes)? {
            all if all == outbox.bytes.len() => outbox.bytes = Vec::new(),
            count => drop(outbox.bytes.drain(..count)),
        }
        Ok(!outbox.bytes.is_empty())
    }

    /// Writes as much as the socket takes; gives how much that was.
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = 0;
        while written < bytes.len() {
            match self.stream.try_write(&bytes[written..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => written += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(written)
    }

    /// Closes it as soon as its task sees that.
    pub(crate) fn close(&self, reason: CloseReason) {
        self.outbox().closing.get_or_insert(reason);
        self.stirred.notify_one();
    }

    pub(crate) fn closing(&self) -> Option<CloseReason> {
        self.outbox().closing
    }

    /// Queues the goodbye behind all that waits: in the midst of a frame nobody would understand it.
    pub(crate) fn say_goodbye(&self, code: u16, reason: &str) {
        let mut outbox = self.outbox();
        outbox.closing.get_or_insert(CloseReason::GoingAway);
        frame::close(&mut outbox.bytes, code, reason);
    }

    fn outbox(&self) -> MutexGuard<'_, Outbox> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use play::room::MemberId;
    use tokio::time::Instant;

    use super::{Connection, HELD_BYTES_MAX};
    use crate::ws::far_end::line;
    use crate::ws::frame;

    /// More than the buffers of a line take.
    const MUCH: usize = 60 * 1024;

    fn is_stirred(connection: &Connection) -> bool {
        connection.stirred().now_or_never().is_some()
    }

    #[tokio::test]
    async fn what_is_held_and_does_not_fit_the_socket_stirs_its_task_once_let_go() {
        let (connection, mut far_end) = line(MemberId(1)).await;
        let since = Instant::now();
        let held = vec![b'h'; HELD_BYTES_MAX];
        assert!(connection.hold(&held, since));
        assert!(!connection.hold(b"", since));
        assert!(!is_stirred(&connection));
        far_end.check_heard(b"");
        connection.release(since);
        assert!(is_stirred(&connection), "its task waits for the socket from now on");
        // What comes now is behind it, held or not, and its task knows already.
        assert!(!connection.hold(b"later", Instant::now()));
        connection.send(b"last");
        assert!(!is_stirred(&connection));
        far_end.check_hears(&connection, &[&held[..], b"later", b"last"].concat()).await;
    }

    #[tokio::test]
    async fn too_much_is_not_held() {
        let (connection, mut far_end) = line(MemberId(1)).await;
        let now = Instant::now();
        assert!(connection.hold(b"first", now));
        assert!(!connection.hold(b"second", now));
        let much = vec![b'm'; HELD_BYTES_MAX - 10];
        assert!(!connection.hold(&much, now));
        far_end.check_hears(&connection, &[b"firstsecond", &much[..]].concat()).await;
        assert!(connection.hold(b"anew", now));
        connection.release(now);
        far_end.check_heard(b"anew");
    }

    #[tokio::test]
    async fn a_goodbye_stands_behind_what_is_held_and_what_is_stuck() {
        for stuck in [0, MUCH] {
            let (connection, mut far_end) = line(MemberId(1)).await;
            let stuck = vec![b's'; stuck];
            connection.send(&stuck);
            connection.hold(b"held", Instant::now());
            connection.say_goodbye(1001, "going_away");
            let mut goodbye = Vec::new();
            frame::close(&mut goodbye, 1001, "going_away");
            far_end.check_hears(&connection, &[&stuck[..], b"held", &goodbye].concat()).await;
        }
    }
}
