//! Writes frames, right and wrong ones, without the encoder that is tested.

/// The key of every masked frame of the tables.
const KEY: [u8; 4] = [0x37, 0xfa, 0x21, 0x3d];

pub(crate) const FINAL: u8 = 0x80;
pub(crate) const CONTINUATION: u8 = 0;
pub(crate) const TEXT: u8 = 1;
pub(crate) const CLOSE: u8 = 8;
pub(crate) const PING: u8 = 9;
pub(crate) const PONG: u8 = 10;

/// How many bytes of its own the length takes.
#[derive(Clone, Copy)]
pub(crate) enum Length {
    Shortest,
    Two,
    Eight,
}

pub(crate) fn frame_with(
    first: u8,
    key: Option<[u8; 4]>,
    length: Length,
    payload: &[u8],
) -> Vec<u8> {
    let count = payload.len();
    let masked = if key.is_some() { 0x80 } else { 0 };
    let mut frame = vec![first];
    match (length, u8::try_from(count), u16::try_from(count)) {
        (Length::Shortest, Ok(count @ ..=125), _) => frame.push(masked + count),
        (Length::Shortest | Length::Two, _, Ok(count)) => {
            frame.push(masked + 126);
            frame.extend(count.to_be_bytes());
        }
        _ => {
            frame.push(masked + 127);
            frame.extend((count as u64).to_be_bytes());
        }
    }
    frame.extend(key.into_iter().flatten());
    let key = key.unwrap_or_default();
    frame.extend(payload.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key));
    frame
}

/// A client's frame with this first byte.
pub(crate) fn frame(first: u8, payload: impl AsRef<[u8]>) -> Vec<u8> {
    frame_with(first, Some(KEY), Length::Shortest, payload.as_ref())
}

/// A client's header that announces so many bytes, without any of them.
pub(crate) fn announce(first: u8, second: u8, length: &[u8]) -> Vec<u8> {
    [&[first, 0x80 + second], length, &KEY].concat()
}
