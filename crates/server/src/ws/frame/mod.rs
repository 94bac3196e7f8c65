//! WebSocket frames (RFC 6455, sections 5 and 7) as pure code: bytes read become messages, messages
//! become bytes to write.
//!
//! Owns the framing alone: it touches no socket, answers no ping and no close, and knows nothing of
//! what a text says. Knows no extension, so a reserved bit is an error, and no binary message.

mod decoder;
mod encoder;

pub use decoder::Decoder;
pub use encoder::{close, masked, ping, pong, text, write_text};

/// Most bytes of a client's message, in all its fragments. The longest that a client has to say, a
/// chat line or an action, is well below it.
pub const MESSAGE_BYTES_MAX: usize = 16 * 1024;

/// Most bytes that a control frame carries (RFC 6455, 5.5).
pub const CONTROL_BYTES_MAX: usize = 125;

const FINAL: u8 = 0x80;
const RESERVED: u8 = 0x70;
const OPCODE: u8 = 0x0f;
const MASKED: u8 = 0x80;
const LENGTH: u8 = 0x7f;

const CONTINUATION: u8 = 0x0;
const TEXT: u8 = 0x1;
const BINARY: u8 = 0x2;
const CLOSE: u8 = 0x8;
const PING: u8 = 0x9;
const PONG: u8 = 0xa;

/// A length below this is its own byte; this byte says that two follow, the next one eight.
const LENGTH_OF_TWO: u8 = 126;
const LENGTH_OF_EIGHT: u8 = 127;

/// What the other side said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Incoming<'a> {
    /// A whole text message.
    Text(&'a str),
    /// To be answered by a pong with the same bytes.
    Ping(&'a [u8]),
    /// The answer to a ping, or a sign of life.
    Pong(&'a [u8]),
    /// The last thing it says, with its reason if it gave one; to be answered by a close.
    Close(Option<Close<'a>>),
}

/// Why the other side closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Close<'a> {
    /// One of the codes that may be sent.
    pub code: u16,
    /// For a log; may be empty.
    pub reason: &'a str,
}

/// What is wrong with the bytes. The connection is closed with [`Violation::close_code`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    /// No extension was agreed on that could use them.
    #[error("reserved bits are set")]
    ReservedBits,
    /// None that the RFC defines.
    #[error("opcode {0} is unknown")]
    Opcode(u8),
    /// Our protocol is text alone.
    #[error("binary messages are not understood")]
    Binary,
    /// A client masks every frame, a server none.
    #[error("a client's frame is not masked, or a server's is")]
    Masking,
    /// A control frame is one frame.
    #[error("a control frame is fragmented")]
    ControlFragmented,
    /// More than [`CONTROL_BYTES_MAX`].
    #[error("a control frame is longer than {CONTROL_BYTES_MAX} bytes")]
    ControlTooLong,
    /// There is no message to go on with.
    #[error("a continuation continues nothing")]
    Continuation,
    /// The message before it is not finished.
    #[error("a message begins within another")]
    MessageWithinMessage,
    /// Not the shortest encoding, or not a length at all.
    #[error("a length is not encoded in the shortest way")]
    LengthEncoding,
    /// More than the limit, in all fragments so far.
    #[error("a message is too long")]
    TooBig,
    /// In a whole message, or in the reason of a close.
    #[error("a text is not UTF-8")]
    Utf8,
    /// One byte is no code.
    #[error("a close carries half a code")]
    CloseLength,
    /// A code that is reserved, or may not be sent.
    #[error("close code {0} may not be sent")]
    CloseCode(u16),
}

impl Violation {
    /// The code to close with (RFC 6455, 7.4.1).
    pub fn close_code(self) -> u16 {
        match self {
            Violation::ReservedBits
            | Violation::Opcode(_)
            | Violation::Masking
            | Violation::ControlFragmented
            | Violation::ControlTooLong
            | Violation::Continuation
            | Violation::MessageWithinMessage
            | Violation::LengthEncoding
            | Violation::CloseLength
            | Violation::CloseCode(_) => 1002,
            Violation::Binary => 1003,
            Violation::Utf8 => 1007,
            Violation::TooBig => 1009,
        }
    }
}

/// Puts the mask on, or takes it off.
fn mask(bytes: &mut [u8], key: [u8; 4]) {
    let [a, b, c, d] = key;
    let key = [a, b, c, d, a, b, c, d];
    let (words, rest) = bytes.as_chunks_mut();
    for word in words {
        *word = (u64::from_ne_bytes(*word) ^ u64::from_ne_bytes(key)).to_ne_bytes();
    }
    for (byte, key) in rest.iter_mut().zip(key) {
        *byte ^= key;
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_mask_is_the_key_again_and_again() {
        for length in 0..40 {
            let key = [0x12, 0x34, 0x56, 0x78];
            let mut bytes: Vec<u8> = (0..length).collect();
            let expected: Vec<u8> = (0..length).map(|at| at ^ key[usize::from(at) % 4]).collect();
            super::mask(&mut bytes, key);
            assert_eq!(bytes, expected);
        }
    }
}
