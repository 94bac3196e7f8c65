//! A slow and obvious decoder of a whole stream, written from the RFC and apart from the fast one.
//!
//! It tells only the code to close with. Where a frame breaks several rules, the order in which it asks
//! decides, which is the order of the bytes: the first two, the length, the payload.

use crate::splits::Seen;

pub(crate) struct Reader {
    pub(crate) is_server: bool,
    pub(crate) message_bytes_max: usize,
}

/// Why reading stopped.
enum Stop {
    /// The stream is over, perhaps amid a frame.
    NoMore,
    Wrong(u16),
}

const PROTOCOL: Stop = Stop::Wrong(1002);

struct Stream<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Stream<'_> {
    fn take(&mut self, count: u64) -> Result<Vec<u8>, Stop> {
        let mut taken = Vec::new();
        for _ in 0..count {
            let byte = self.bytes.get(self.at).ok_or(Stop::NoMore)?;
            taken.push(*byte);
            self.at += 1;
        }
        Ok(taken)
    }

    fn take_number(&mut self, bytes: u64) -> Result<u64, Stop> {
        let digits = self.take(bytes)?;
        Ok(digits.into_iter().fold(0, |number, digit| (number << 8) + u64::from(digit)))
    }
}

impl Reader {
    pub(crate) fn decode(&self, bytes: &[u8]) -> (Vec<Seen>, Option<u16>) {
        let mut seen = Vec::new();
        let stop = self.read(&mut Stream { bytes, at: 0 }, &mut seen);
        match stop {
            Ok(()) | Err(Stop::NoMore) => (seen, None),
            Err(Stop::Wrong(code)) => (seen, Some(code)),
        }
    }

    fn read(&self, stream: &mut Stream<'_>, seen: &mut Vec<Seen>) -> Result<(), Stop> {
        let mut unfinished: Option<Vec<u8>> = None;
        loop {
            let start = stream.take_number(2)?;
            let is_final = start >= 0x8000;
            let reserved = start / 0x1000 % 8;
            let opcode = start / 0x100 % 16;
            let is_masked = start % 0x100 >= 0x80;
            let mut length = start % 0x80;
            let is_control = opcode >= 8;

            if reserved != 0 || [3, 4, 5, 6, 7, 11, 12, 13, 14, 15].contains(&opcode) {
                return Err(PROTOCOL);
            }
            if opcode == 2 {
                return Err(Stop::Wrong(1003));
            }
            if is_masked != self.is_server {
                return Err(PROTOCOL);
            }
            if is_control && (!is_final || length > 125) {
                return Err(PROTOCOL);
            }
            if (opcode == 0 && unfinished.is_none()) || (opcode == 1 && unfinished.is_some()) {
                return Err(PROTOCOL);
            }

            if length == 126 {
                length = stream.take_number(2)?;
                if length < 126 {
                    return Err(PROTOCOL);
                }
            } else if length == 127 {
                length = stream.take_number(8)?;
                if !(1 << 16..1 << 63).contains(&length) {
                    return Err(PROTOCOL);
                }
            }
            let before = unfinished.as_ref().map_or(0, Vec::len);
            if !is_control && before as u64 + length > self.message_bytes_max as u64 {
                return Err(Stop::Wrong(1009));
            }

            let key = if is_masked { stream.take(4)? } else { vec![0; 4] };
            let mut payload = stream.take(length)?;
            for (at, byte) in payload.iter_mut().enumerate() {
                *byte ^= key[at % 4];
            }

            match opcode {
                8 => {
                    seen.push(Seen::Close(read_close(&payload)?));
                    return Ok(());
                }
                9 => seen.push(Seen::Ping(payload)),
                10 => seen.push(Seen::Pong(payload)),
                _ => {
                    let mut message = unfinished.take().unwrap_or_default();
                    message.extend(payload);
                    if is_final {
                        seen.push(Seen::Text(read_text(&message)?));
                    } else {
                        unfinished = Some(message);
                    }
                }
            }
        }
    }
}

fn read_text(bytes: &[u8]) -> Result<String, Stop> {
    String::from_utf8(bytes.to_owned()).map_err(|_| Stop::Wrong(1007))
}

fn read_close(payload: &[u8]) -> Result<Option<(u16, String)>, Stop> {
    if payload.is_empty() {
        return Ok(None);
    }
    if payload.len() == 1 {
        return Err(PROTOCOL);
    }
    let code = u16::from(payload[0]) * 256 + u16::from(payload[1]);
    let known = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014];
    if !known.contains(&code) && !(3000..5000).contains(&code) {
        return Err(PROTOCOL);
    }
    Ok(Some((code, read_text(&payload[2..])?)))
}
