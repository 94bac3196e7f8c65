//! Random streams: what a careful client would send, the same spoiled, and mere noise.

use server::ws::frame::{Decoder, MESSAGE_BYTES_MAX, Violation};

use crate::naive::Reader;
use crate::splits::{CLIENT_BYTES_MAX, Decoded, check_splits, decode};
use crate::wire::*;

/// Streams of each kind; the full number in a soak.
fn streams() -> u64 {
    if std::env::var_os("PARLOR_SOAK").is_some() { 1_000_000 } else { 2_000 }
}

/// Where encodings and limits change, and a little of everything else.
fn random_size(chooser: &mut fastrand::Rng) -> usize {
    let edges = [0, 1, 125, 126, 127, 8192, 16_383, 16_384, 16_385, 65_535, 65_536];
    match chooser.u8(..40) {
        0 => edges[chooser.usize(..edges.len())],
        1..5 => chooser.usize(..300),
        _ => chooser.usize(..20),
    }
}

fn random_text(chooser: &mut fastrand::Rng) -> String {
    let letters = ['a', 'ß', '€', '𝄞'];
    let size = random_size(chooser);
    let mut text = String::new();
    while text.len() < size {
        text.push(letters[chooser.usize(..letters.len())]);
    }
    text
}

fn random_control(chooser: &mut fastrand::Rng) -> (u8, Vec<u8>) {
    let size = chooser.usize(..=125);
    let payload: Vec<u8> = (0..size).map(|_| chooser.u8(..)).collect();
    match chooser.u8(..20) {
        0 => (CLOSE, Vec::new()),
        1 => (CLOSE, [&chooser.u16(995..1020).to_be_bytes(), &b"reason"[..]].concat()),
        2..11 => (PING, payload),
        _ => (PONG, payload),
    }
}

/// Whole messages, some in fragments, with control frames between any two frames.
fn random_stream(chooser: &mut fastrand::Rng, is_masked: bool) -> Vec<u8> {
    let mut frames = Vec::new();
    for _ in 0..chooser.u8(1..8) {
        let text = random_text(chooser).into_bytes();
        let mut rest = &text[..];
        let mut opcode = TEXT;
        while chooser.u8(..3) == 0 {
            let (fragment, later) = rest.split_at(chooser.usize(..=rest.len()));
            frames.push((opcode, fragment.to_owned()));
            (rest, opcode) = (later, CONTINUATION);
            if chooser.bool() {
                let (opcode, payload) = random_control(chooser);
                frames.push((FINAL | opcode, payload));
            }
        }
        frames.push((FINAL | opcode, rest.to_owned()));
    }
    let mut frame = |(first, payload): (u8, Vec<u8>)| {
        let key = is_masked.then(|| chooser.u32(..).to_ne_bytes());
        frame_with(first, key, Length::Shortest, &payload)
    };
    frames.into_iter().flat_map(&mut frame).collect()
}

/// A few bits flipped, bytes lost or doubled; often in a header, since most frames are short.
fn spoil(stream: &mut Vec<u8>, chooser: &mut fastrand::Rng) {
    for _ in 0..chooser.u8(1..4) {
        let at = chooser.usize(..stream.len());
        match chooser.u8(..4) {
            0 if stream.len() > 1 => drop(stream.remove(at)),
            1 => stream.insert(at, stream[at]),
            _ => stream[at] ^= 1 << chooser.u8(..8),
        }
    }
}

/// Both decoders see the same, on both sides; gives what the server's does.
#[track_caller]
fn check(stream: &[u8], number: u64) -> Decoded {
    let fast = |decoder| decode(decoder, [stream]);
    let naive =
        |is_server, message_bytes_max| Reader { is_server, message_bytes_max }.decode(stream);
    let code = |decoded: &Decoded| decoded.violation.map(Violation::close_code);
    let client = fast(Decoder::for_client(CLIENT_BYTES_MAX));
    let client_code = code(&client);
    let expected = naive(false, CLIENT_BYTES_MAX);
    assert_eq!((client.seen, client_code), expected, "stream {number}, read by a client");
    let server = fast(Decoder::for_server());
    let expected = naive(true, MESSAGE_BYTES_MAX);
    assert_eq!((server.seen.clone(), code(&server)), expected, "stream {number}, read by a server");
    server
}

#[test]
fn random_streams_are_read_as_the_naive_decoder_reads_them() {
    let mut texts = 0;
    for number in 0..streams() {
        let mut chooser = fastrand::Rng::with_seed(number);
        let is_masked = number % 4 != 0;
        let stream = random_stream(&mut chooser, is_masked);
        texts += check(&stream, number).seen.len();
    }
    assert!(texts as u64 > streams(), "too little got through: {texts}");
}

#[test]
fn spoiled_streams_are_read_as_the_naive_decoder_reads_them() {
    let mut found = std::collections::BTreeSet::new();
    for number in 0..streams() {
        let mut chooser = fastrand::Rng::with_seed(number);
        let mut stream = random_stream(&mut chooser, number % 4 != 0);
        spoil(&mut stream, &mut chooser);
        found.extend(check(&stream, number).violation.map(Violation::close_code));
    }
    assert_eq!(Vec::from_iter(found), [1002, 1003, 1007, 1009], "every kind of violation occurs");
}

#[test]
fn noise_is_read_as_the_naive_decoder_reads_it() {
    for number in 0..streams() {
        let mut chooser = fastrand::Rng::with_seed(number);
        let mut noise: Vec<u8> = (0..chooser.usize(1..200)).map(|_| chooser.u8(..)).collect();
        // Mere noise would seldom come further than this.
        noise[0] &= 0x8f;
        check(&noise, number);
    }
}

#[test]
fn it_does_not_matter_where_a_stream_is_cut() {
    for number in 0..streams() / 4 {
        let mut chooser = fastrand::Rng::with_seed(number);
        let mut stream = random_stream(&mut chooser, number % 4 != 0);
        if chooser.bool() {
            spoil(&mut stream, &mut chooser);
        }
        let most = chooser.u8(1..);
        let sizes: Vec<u8> = (0..chooser.usize(..200)).map(|_| chooser.u8(..most)).collect();
        check_splits(&stream, &sizes);
    }
}
