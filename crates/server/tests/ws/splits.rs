//! What a decoder makes of a stream of bytes, and the law that it does not matter how they are cut.
//!
//! Also the body of the fuzz target `ws_frames`, so it uses nothing but the server's public items.

use server::ws::frame::{Decoder, Incoming, Violation};

/// More than 65,535, so that every encoding of a length occurs in what a client reads.
pub(crate) const CLIENT_BYTES_MAX: usize = 70_000;

/// An [`Incoming`] to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Seen {
    Text(String),
    Ping(Vec<u8>),
    Pong(Vec<u8>),
    Close(Option<(u16, String)>),
}

impl From<Incoming<'_>> for Seen {
    fn from(incoming: Incoming<'_>) -> Seen {
        match incoming {
            Incoming::Text(text) => Seen::Text(text.to_owned()),
            Incoming::Ping(payload) => Seen::Ping(payload.to_owned()),
            Incoming::Pong(payload) => Seen::Pong(payload.to_owned()),
            Incoming::Close(close) => {
                Seen::Close(close.map(|close| (close.code, close.reason.to_owned())))
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decoded {
    pub(crate) seen: Vec<Seen>,
    pub(crate) violation: Option<Violation>,
}

pub(crate) fn decode<'a>(
    mut reader: Decoder,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Decoded {
    let mut decoded = Decoded { seen: Vec::new(), violation: None };
    for piece in pieces {
        reader.fill(|buffer| buffer.extend_from_slice(piece));
        loop {
            match reader.next_message() {
                Ok(Some(incoming)) => decoded.seen.push(incoming.into()),
                Ok(None) => break,
                Err(violation) => {
                    // All further pieces come too: none of them may change anything.
                    let first = *decoded.violation.get_or_insert(violation);
                    assert_eq!(violation, first);
                    break;
                }
            }
        }
    }
    decoded
}

/// The stream cut after as many bytes as each number says; what is left is the last piece.
fn cut<'a>(mut bytes: &'a [u8], sizes: &[u8]) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    for &size in sizes {
        let (piece, rest) = bytes.split_at(bytes.len().min(size.into()));
        pieces.push(piece);
        bytes = rest;
    }
    pieces.push(bytes);
    pieces
}

/// Asserts that a stream means the same whole, byte by byte and cut into pieces of these sizes.
pub(crate) fn check_splits(bytes: &[u8], sizes: &[u8]) {
    for new in [Decoder::for_server, || Decoder::for_client(CLIENT_BYTES_MAX)] {
        let whole = decode(new(), [bytes]);
        assert_eq!(decode(new(), bytes.chunks(1)), whole, "byte by byte: {bytes:?}");
        assert_eq!(decode(new(), cut(bytes, sizes)), whole, "cut by {sizes:?}: {bytes:?}");
    }
}
