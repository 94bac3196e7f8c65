//! From bytes to messages, for a server and for a client.
//!
//! Decides where the memory of a connection is held; leaves reading from the socket to the caller.

use std::ops::Range;

use super::{
    BINARY, CLOSE, CONTINUATION, Close, FINAL, Incoming, LENGTH, LENGTH_OF_EIGHT, LENGTH_OF_TWO,
    MASKED, MESSAGE_BYTES_MAX, OPCODE, PING, PONG, RESERVED, TEXT, Violation, mask,
};

/// Room for each read: many messages of a client, and yet small beside a task.
const READ_BYTES: usize = 2048;

/// Reads messages from the bytes of one connection, however they were cut on the way.
///
/// It holds the read buffer, and nothing else that grows except the fragments of one message. While
/// no frame is under way it has no memory allocated.
///
/// ```
/// use server::ws::frame::{Decoder, Incoming, Violation, masked, text};
///
/// let mut wire = Vec::new();
/// masked(&mut wire, [1, 2, 3, 4], |out| text(out, b"hello"));
///
/// let mut decoder = Decoder::for_server();
/// // With tokio: `decoder.fill(|buffer| socket.try_read_buf(buffer))`.
/// decoder.fill(|buffer| buffer.extend_from_slice(&wire));
/// assert_eq!(decoder.next_message()?, Some(Incoming::Text("hello")));
/// assert_eq!(decoder.next_message()?, None);
/// # Ok::<(), Violation>(())
/// ```
#[derive(Debug)]
pub struct Decoder {
    /// What was read; the bytes before `start` are used up.
    buffer: Vec<u8>,
    start: usize,
    /// The fragments so far; or the whole message of the last call, until the next one.
    fragments: Vec<u8>,
    phase: Phase,
    /// Frames that were parts of a message, since they were asked for.
    parts: u64,
    is_server: bool,
    message_bytes_max: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    BetweenMessages,
    WithinMessage,
    /// By a close, or by a violation: what follows is thrown away.
    Ended(Result<(), Violation>),
}

/// A frame that is wholly in the buffer.
struct Frame {
    opcode: u8,
    is_final: bool,
    key: Option<[u8; 4]>,
    payload: Range<usize>,
}

/// What is complete, still as bytes: of the buffer, or all fragments.
enum Whole {
    Text(Range<usize>),
    Fragments,
    Ping(Range<usize>),
    Pong(Range<usize>),
    Close(Range<usize>),
}

impl Decoder {
    /// Of what a client sends: masked frames, messages of at most [`MESSAGE_BYTES_MAX`].
    pub fn for_server() -> Decoder {
        Decoder::new(true, MESSAGE_BYTES_MAX)
    }

    /// Of what a server sends: frames without a mask, messages of at most so many bytes.
    pub fn for_client(message_bytes_max: usize) -> Decoder {
        Decoder::new(false, message_bytes_max)
    }

    fn new(is_server: bool, message_bytes_max: usize) -> Decoder {
        Decoder {
            buffer: Vec::new(),
            start: 0,
            fragments: Vec::new(),
            phase: Phase::BetweenMessages,
            parts: 0,
            is_server,
            message_bytes_max,
        }
    }

    /// Lets `read` append to the buffer, in which it finds room. To be called when
    /// [`Decoder::next_message`] has no more, so that the buffer never outgrows one frame by more
    /// than one read.
    ///
    /// The result is that of `read`, so that it may be a `try_read` or a `poll_read`: if nothing
    /// came, the memory is given back.
    pub fn fill<R>(&mut self, read: impl FnOnce(&mut Vec<u8>) -> R) -> R {
        self.buffer.drain(..self.start);
        self.start = 0;
        let held = self.buffer.len();
        // Doubling keeps the copying of a long message in bounds; what a frame announces counts for
        // nothing, since announcing costs nothing.
        let doubled = held.min(self.message_bytes_max.saturating_sub(held));
        self.buffer.reserve_exact(READ_BYTES.max(doubled));
        let result = read(&mut self.buffer);
        self.release();
        result
    }

    /// The next message or control frame that has wholly arrived. To be called until it has none.
    ///
    /// After a close there is never another; after a violation always the same one again.
    pub fn next_message(&mut self) -> Result<Option<Incoming<'_>>, Violation> {
        let whole = match self.next_whole() {
            Ok(Some(whole)) => whole,
            Ok(None) => {
                self.release();
                return Ok(None);
            }
            Err(violation) => {
                self.phase = Phase::Ended(Err(violation));
                return Err(violation);
            }
        };
        let incoming = match whole {
            Whole::Text(at) => read_text(&self.buffer[at]).map(Incoming::Text),
            Whole::Fragments => read_text(&self.fragments).map(Incoming::Text),
            Whole::Ping(at) => Ok(Incoming::Ping(&self.buffer[at])),
            Whole::Pong(at) => Ok(Incoming::Pong(&self.buffer[at])),
            Whole::Close(at) => {
                self.phase = Phase::Ended(Ok(()));
                read_close(&self.buffer[at]).map(Incoming::Close)
            }
        };
        if let Err(violation) = incoming {
            self.phase = Phase::Ended(Err(violation));
        }
        incoming.map(Some)
    }

    fn next_whole(&mut self) -> Result<Option<Whole>, Violation> {
        match self.phase {
            Phase::BetweenMessages => self.fragments = Vec::new(),
            Phase::WithinMessage => {}
            Phase::Ended(end) => {
                self.start = self.buffer.len();
                return end.map(|()| None);
            }
        }
        while let Some(Frame { opcode, is_final, key, payload }) = self.next_frame()? {
            self.start = payload.end;
            let bytes = &mut self.buffer[payload.clone()];
            if let Some(key) = key {
                mask(bytes, key);
            }
            match opcode {
                CLOSE => return Ok(Some(Whole::Close(payload))),
                PING => return Ok(Some(Whole::Ping(payload))),
                PONG => return Ok(Some(Whole::Pong(payload))),
                TEXT if is_final => return Ok(Some(Whole::Text(payload))),
                _ => self.fragments.extend_from_slice(bytes),
            }
            if is_final {
                self.phase = Phase::BetweenMessages;
                return Ok(Some(Whole::Fragments));
            }
            self.phase = Phase::WithinMessage;
            self.parts += 1;
        }
        Ok(None)
    }

    /// How many frames came, since this was asked last, that were no message yet.
    pub fn take_parts(&mut self) -> u64 {
        std::mem::take(&mut self.parts)
    }

    /// The frame at `start`, or none if bytes are missing. What its first bytes show to be wrong is
    /// an error as soon as they are there.
    fn next_frame(&self) -> Result<Option<Frame>, Violation> {
        let bytes = &self.buffer[self.start..];
        let Some((&[first, second], bytes)) = bytes.split_first_chunk() else { return Ok(None) };
        if first & RESERVED != 0 {
            return Err(Violation::ReservedBits);
        }
        let opcode = first & OPCODE;
        let is_control = match opcode {
            CONTINUATION | TEXT => false,
            CLOSE | PING | PONG => true,
            BINARY => return Err(Violation::Binary),
            unknown => return Err(Violation::Opcode(unknown)),
        };
        let is_masked = second & MASKED != 0;
        if is_masked != self.is_server {
            return Err(Violation::Masking);
        }
        let is_final = first & FINAL != 0;
        let is_within = self.phase == Phase::WithinMessage;
        match opcode {
            CONTINUATION if !is_within => return Err(Violation::Continuation),
            TEXT if is_within => return Err(Violation::MessageWithinMessage),
            _ if is_control && !is_final => return Err(Violation::ControlFragmented),
            _ if is_control && second & LENGTH >= LENGTH_OF_TWO => {
                return Err(Violation::ControlTooLong);
            }
            _ => {}
        }
        let Some((length, mut bytes)) = read_length(second & LENGTH, bytes)? else {
            return Ok(None);
        };
        let room = self.message_bytes_max - self.fragments.len();
        let length = usize::try_from(length).map_err(|_| Violation::TooBig)?;
        if length > room && !is_control {
            return Err(Violation::TooBig);
        }
        let mut key = None;
        if is_masked {
            let Some((found, rest)) = bytes.split_first_chunk() else { return Ok(None) };
            (key, bytes) = (Some(*found), rest);
        }
        if bytes.len() < length {
            return Ok(None);
        }
        let start = self.buffer.len() - bytes.len();
        Ok(Some(Frame { opcode, is_final, key, payload: start..start + length }))
    }

    /// Gives the memory back if all is used up: an idle connection holds none.
    fn release(&mut self) {
        if self.start == self.buffer.len() {
            self.buffer = Vec::new();
            self.start = 0;
        }
    }
}

/// The length that the second byte's bits begin, and what follows it; none if bytes are missing.
fn read_length(begun: u8, bytes: &[u8]) -> Result<Option<(u64, &[u8])>, Violation> {
    let (length, shortest, bytes) = match begun {
        LENGTH_OF_TWO => {
            let Some((length, rest)) = bytes.split_first_chunk() else { return Ok(None) };
            (u64::from(u16::from_be_bytes(*length)), u64::from(LENGTH_OF_TWO), rest)
        }
        LENGTH_OF_EIGHT => {
            let Some((length, rest)) = bytes.split_first_chunk() else { return Ok(None) };
            (u64::from_be_bytes(*length), u64::from(u16::MAX) + 1, rest)
        }
        length => (u64::from(length), 0, bytes),
    };
    // The highest bit must not be set (5.2).
    if length < shortest || i64::try_from(length).is_err() {
        return Err(Violation::LengthEncoding);
    }
    Ok(Some((length, bytes)))
}

fn read_text(bytes: &[u8]) -> Result<&str, Violation> {
    str::from_utf8(bytes).map_err(|_| Violation::Utf8)
}

fn read_close(bytes: &[u8]) -> Result<Option<Close<'_>>, Violation> {
    let Some((code, reason)) = bytes.split_first_chunk() else {
        return if bytes.is_empty() { Ok(None) } else { Err(Violation::CloseLength) };
    };
    let code = u16::from_be_bytes(*code);
    // What may be sent by 7.4.1 and IANA's registry; from 3000 on for libraries and applications.
    if !matches!(code, 1000..=1003 | 1007..=1014 | 3000..=4999) {
        return Err(Violation::CloseCode(code));
    }
    Ok(Some(Close { code, reason: read_text(reason)? }))
}

#[cfg(test)]
mod tests {
    use super::{Decoder, FINAL, READ_BYTES};
    use crate::ws::frame::{self, Incoming, MESSAGE_BYTES_MAX, TEXT};

    /// Reads as a socket does: at most what there is room for.
    fn feed(decoder: &mut Decoder, wire: &mut &[u8]) {
        decoder.fill(|buffer| {
            let room = buffer.capacity() - buffer.len();
            let (now, later) = wire.split_at(room.min(wire.len()));
            buffer.extend_from_slice(now);
            *wire = later;
        });
    }

    fn held_bytes(decoder: &Decoder) -> usize {
        decoder.buffer.capacity() + decoder.fragments.capacity()
    }

    #[test]
    fn an_idle_connection_holds_no_memory() {
        let mut wire = Vec::new();
        let fragments = [(TEXT, &b"ab"[..]), (FINAL, b"cd")];
        for (first, payload) in fragments {
            frame::masked(&mut wire, [7; 4], |out| {
                out.extend_from_slice(&[first, 2]);
                out.extend_from_slice(payload);
            });
        }
        frame::masked(&mut wire, [7; 4], |out| frame::text(out, b"ef"));
        let mut decoder = Decoder::for_server();
        feed(&mut decoder, &mut &wire[..]);
        assert_eq!(held_bytes(&decoder), READ_BYTES);
        for text in ["abcd", "ef"] {
            assert_eq!(decoder.next_message(), Ok(Some(Incoming::Text(text))));
        }
        assert_eq!(decoder.next_message(), Ok(None));
        assert_eq!(held_bytes(&decoder), 0);
        decoder.fill(|buffer| assert!(buffer.capacity() >= READ_BYTES));
        assert_eq!(held_bytes(&decoder), 0, "nothing came");
    }

    #[test]
    fn the_buffer_grows_to_the_longest_message_and_one_read_only() {
        let text = "x".repeat(MESSAGE_BYTES_MAX);
        let mut wire = Vec::new();
        frame::masked(&mut wire, [7; 4], |out| frame::text(out, text.as_bytes()));
        let mut decoder = Decoder::for_server();
        let mut rest = &wire[..];
        let mut most = 0;
        while !rest.is_empty() {
            assert_eq!(decoder.next_message(), Ok(None));
            feed(&mut decoder, &mut rest);
            most = most.max(held_bytes(&decoder));
        }
        assert_eq!(decoder.next_message(), Ok(Some(Incoming::Text(&text))));
        assert!(most <= MESSAGE_BYTES_MAX + READ_BYTES, "{most}");
    }

    #[test]
    fn a_stream_that_goes_on_and_on_needs_no_more_memory() {
        let mut texts = Vec::new();
        for _ in 0..200 {
            frame::masked(&mut texts, [7; 4], |out| frame::text(out, &[b'x'; 700]));
        }
        let mut close = Vec::new();
        frame::masked(&mut close, [7; 4], |out| frame::close(out, 1000, ""));
        let violation = vec![0xff; 2];
        for start in [vec![], close, violation] {
            let mut decoder = Decoder::for_server();
            let stream = [start, texts.clone()].concat();
            let mut rest = &stream[..];
            while !rest.is_empty() {
                feed(&mut decoder, &mut rest);
                assert!(held_bytes(&decoder) <= 2 * READ_BYTES);
                while let Ok(Some(_)) = decoder.next_message() {}
            }
        }
    }
}
