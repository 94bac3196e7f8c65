//! From messages to bytes. All but [`masked`] write what a server sends; around one of them, it
//! makes the frame a client's.
//!
//! Appends to a buffer of the caller's, so that several frames leave in one write.

use super::{
    CLOSE, CONTROL_BYTES_MAX, FINAL, LENGTH_OF_EIGHT, LENGTH_OF_TWO, MASKED, PING, PONG, TEXT, mask,
};

/// Appends a text message, which must be UTF-8.
pub fn text(out: &mut Vec<u8>, payload: &[u8]) {
    append(out, TEXT, payload);
}

/// Appends a text message that `write` appends to the buffer itself, so that it is not copied. If it
/// fails, nothing is appended.
///
/// ```
/// use server::ws::frame::write_text;
///
/// let mut out = Vec::new();
/// write_text(&mut out, |out| serde_json::to_writer(out, &[1, 2]))?;
/// assert_eq!(out, b"\x81\x05[1,2]");
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn write_text<E>(
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    /// The header of most messages: then they stay where they were written.
    const RESERVED_HEADER: [u8; 4] = [0; 4];
    let start = out.len();
    out.extend_from_slice(&RESERVED_HEADER);
    let payload = out.len();
    if let Err(error) = write(out) {
        out.truncate(start);
        return Err(error);
    }
    let (header, used) = header(TEXT, out.len() - payload);
    if used == RESERVED_HEADER.len() {
        out[start..payload].copy_from_slice(&header[..used]);
    } else {
        out.splice(start..payload, header[..used].iter().copied());
    }
    Ok(())
}

/// Appends a ping. Of the payload, at most [`CONTROL_BYTES_MAX`] are sent.
pub fn ping(out: &mut Vec<u8>, payload: &[u8]) {
    append(out, PING, &payload[..payload.len().min(CONTROL_BYTES_MAX)]);
}

/// Appends the answer to a ping with this payload.
pub fn pong(out: &mut Vec<u8>, payload: &[u8]) {
    append(out, PONG, &payload[..payload.len().min(CONTROL_BYTES_MAX)]);
}

/// Appends a close. A reason that is too long for a control frame is cut.
pub fn close(out: &mut Vec<u8>, code: u16, reason: &str) {
    let code = code.to_be_bytes();
    let reason = &reason[..reason.floor_char_boundary(CONTROL_BYTES_MAX - code.len())];
    append(out, CLOSE, &[&code, reason.as_bytes()].concat());
}

/// Makes the one frame that `write` appends a client's, by masking it. The key is to be random.
pub fn masked(out: &mut Vec<u8>, key: [u8; 4], write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    write(out);
    let Some(second) = out.get_mut(start + 1) else { return };
    let payload = start
        + match *second {
            LENGTH_OF_TWO => 4,
            LENGTH_OF_EIGHT => 10,
            _ => 2,
        };
    *second |= MASKED;
    mask(&mut out[payload..], key);
    out.splice(payload..payload, key);
}

fn append(out: &mut Vec<u8>, opcode: u8, payload: &[u8]) {
    let (header, used) = header(opcode, payload.len());
    out.reserve(used + payload.len());
    out.extend_from_slice(&header[..used]);
    out.extend_from_slice(payload);
}

/// The header of an unmasked frame, and how many of its bytes are used.
fn header(opcode: u8, length: usize) -> ([u8; 10], usize) {
    let mut header = [0; 10];
    header[0] = FINAL | opcode;
    let used = if let Ok(short) = u8::try_from(length)
        && short < LENGTH_OF_TWO
    {
        header[1] = short;
        2
    } else if let Ok(length) = u16::try_from(length) {
        header[1] = LENGTH_OF_TWO;
        header[2..4].copy_from_slice(&length.to_be_bytes());
        4
    } else {
        header[1] = LENGTH_OF_EIGHT;
        header[2..].copy_from_slice(&(length as u64).to_be_bytes());
        10
    };
    (header, used)
}

#[cfg(test)]
mod tests {
    use crate::ws::frame::{CONTROL_BYTES_MAX, Close, Decoder, Incoming};

    #[test]
    fn what_is_too_long_for_a_control_frame_is_cut() {
        let long = "ä".repeat(100);
        let mut decoder = Decoder::for_client(0);
        decoder.fill(|out| {
            super::ping(out, long.as_bytes());
            super::pong(out, long.as_bytes());
            super::close(out, 1001, &long);
        });
        let cut = &long.as_bytes()[..CONTROL_BYTES_MAX];
        assert_eq!(decoder.next_message(), Ok(Some(Incoming::Ping(cut))));
        assert_eq!(decoder.next_message(), Ok(Some(Incoming::Pong(cut))));
        let close = Close { code: 1001, reason: &long[..122] };
        assert_eq!(decoder.next_message(), Ok(Some(Incoming::Close(Some(close)))));
    }

    #[test]
    fn a_message_that_fails_to_be_written_leaves_nothing() {
        let mut out = b"before".to_vec();
        let failed = super::write_text(&mut out, |out| {
            out.extend_from_slice(b"half");
            Err("no more")
        });
        assert_eq!((failed, &out[..]), (Err("no more"), &b"before"[..]));
    }
}
