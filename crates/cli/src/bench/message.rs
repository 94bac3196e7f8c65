//! What a server says, read by hand: the few bytes that the load tool must know, and no more.
//!
//! Relies on the order in which a server writes the fields: `type`, `match`, then the numbers, before
//! anything of the game's.

/// A message, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Message<'a> {
    Welcome,
    Snapshot {
        match_id: &'a [u8],
        ply: u32,
    },
    Event {
        match_id: &'a [u8],
        ply: u32,
    },
    Ack {
        match_id: &'a [u8],
        nonce: u64,
        ply: u32,
    },
    Over {
        match_id: &'a [u8],
    },
    Left,
    Pong,
    /// Something that must not come in a run: a refusal, an error, the end of the connection.
    Trouble(&'a [u8]),
    Other,
}

impl<'a> Message<'a> {
    pub(super) fn parse(payload: &'a [u8]) -> Message<'a> {
        Message::read(payload).unwrap_or(Message::Trouble(payload))
    }

    fn read(payload: &'a [u8]) -> Option<Message<'a>> {
        let rest = payload.strip_prefix(br#"{"type":""#)?;
        let (kind, rest) = split_at_quote(rest)?;
        let of_match = |rest: &'a [u8]| split_at_quote(rest.strip_prefix(br#","match":""#)?);
        Some(match kind {
            b"event" => {
                let (match_id, rest) = of_match(rest)?;
                Message::Event { match_id, ply: number(rest, br#","ply":"#)?.0.try_into().ok()? }
            }
            b"ack" => {
                let (match_id, rest) = of_match(rest)?;
                let (nonce, rest) = number(rest, br#","nonce":"#)?;
                let (ply, _) = number(rest, br#","ply":"#)?;
                Message::Ack { match_id, nonce, ply: ply.try_into().ok()? }
            }
            b"snapshot" => {
                let (match_id, rest) = of_match(rest)?;
                let (_, rest) = split_at_quote(rest.strip_prefix(br#","game":""#)?)?;
                let (ply, _) = number(rest, br#","ply":"#)?;
                Message::Snapshot { match_id, ply: ply.try_into().ok()? }
            }
            b"over" => Message::Over { match_id: of_match(rest)?.0 },
            b"welcome" => Message::Welcome,
            b"left" => Message::Left,
            b"pong" => Message::Pong,
            b"refused" | b"error" => Message::Trouble(payload),
            _ => Message::Other,
        })
    }
}

fn split_at_quote(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = bytes.iter().position(|byte| *byte == b'"')?;
    Some((&bytes[..at], &bytes[at + 1..]))
}

/// The number after `before`, and what follows it.
fn number<'a>(bytes: &'a [u8], before: &[u8]) -> Option<(u64, &'a [u8])> {
    let digits = bytes.strip_prefix(before)?;
    let end = digits.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(digits.len());
    let mut number = 0_u64;
    for digit in &digits[..end] {
        number = number.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
    }
    (end > 0).then_some((number, &digits[end..]))
}

#[cfg(test)]
mod tests {
    use super::Message;

    #[test]
    fn the_messages_of_a_run_are_read() {
        let check = |text: &str, expected: Message<'_>| {
            let found = Message::parse(text.as_bytes());
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{text}");
        };
        let match_id = &b"0123"[..];
        check(
            r#"{"type":"event","match":"0123","ply":17,"event":{"ply":3}}"#,
            Message::Event { match_id, ply: 17 },
        );
        check(
            r#"{"type":"ack","match":"0123","nonce":5,"ply":6}"#,
            Message::Ack { match_id, nonce: 5, ply: 6 },
        );
        check(
            r#"{"type":"snapshot","match":"0123","game":"chess","ply":0,"viewer":0}"#,
            Message::Snapshot { match_id, ply: 0 },
        );
        check(r#"{"type":"over","match":"0123","outcome":{}}"#, Message::Over { match_id });
        check(r#"{"type":"presence","match":"0123"}"#, Message::Other);
        for odd in [
            r#"{"type":"refused","match":"0123"}"#,
            r#"{"type":"event","match":"0123"}"#,
            r#"{"type":"event","match":"0123","ply":99999999999999999999}"#,
            "",
        ] {
            check(odd, Message::Trouble(odd.as_bytes()));
        }
    }
}
