//! The tables. Every case is decoded whole, byte by byte, at random cuts and by the naive decoder.

use std::convert::Infallible;

use server::ws::frame::Violation::{self, *};
use server::ws::frame::{self, Decoder, MESSAGE_BYTES_MAX};

use crate::naive::Reader;
use crate::splits::{CLIENT_BYTES_MAX, Decoded, Seen, check_splits, decode};
use crate::wire::*;

fn text(text: impl Into<String>) -> Seen {
    Seen::Text(text.into())
}

fn ping(payload: &[u8]) -> Seen {
    Seen::Ping(payload.to_owned())
}

fn pong(payload: &[u8]) -> Seen {
    Seen::Pong(payload.to_owned())
}

fn close(code: u16, reason: &str) -> Seen {
    Seen::Close(Some((code, reason.to_owned())))
}

/// What a server sees when a client sends these frames.
#[track_caller]
fn check(frames: &[Vec<u8>], seen: &[Seen], violation: Option<Violation>) {
    let bytes = frames.concat();
    let expected = Decoded { seen: seen.to_vec(), violation };
    assert_eq!(decode(Decoder::for_server(), [&bytes[..]]), expected);
    for seed in 0..8 {
        let mut chooser = fastrand::Rng::with_seed(seed);
        let sizes: Vec<u8> = (0..100).map(|_| chooser.u8(..)).collect();
        check_splits(&bytes, &sizes);
    }
    let naive = Reader { is_server: true, message_bytes_max: MESSAGE_BYTES_MAX };
    let code = violation.map(Violation::close_code);
    assert_eq!(naive.decode(&bytes), (expected.seen, code));
}

#[track_caller]
fn check_seen(frames: &[Vec<u8>], seen: &[Seen]) {
    check(frames, seen, None);
}

/// A good message before it arrives; one behind it does not.
#[track_caller]
fn check_violation(frames: &[Vec<u8>], violation: Violation) {
    let before = frame(FINAL | TEXT, "before");
    let behind = frame(FINAL | TEXT, "behind");
    let frames = [&[before], frames, &[behind]].concat();
    check(&frames, &[text("before")], Some(violation));
}

#[test]
fn a_text_of_any_size_within_the_limit_arrives() {
    for size in [0, 1, 7, 8, 9, 124, 125, 126, 127, 128, 255, 256, 4096, 16_383, 16_384] {
        let sent = "x".repeat(size);
        check_seen(&[frame(FINAL | TEXT, &sent)], &[text(sent)]);
    }
    for sent in ["ä", "κόσμε", "€𝄞", "\0", "\u{10ffff}"] {
        check_seen(&[frame(FINAL | TEXT, sent)], &[text(sent)]);
    }
    let frames = ["a", "", "b"].map(|sent| frame(FINAL | TEXT, sent));
    check_seen(&frames, &["a", "", "b"].map(text));
}

#[test]
fn the_examples_of_the_rfc_are_read() {
    let masked = b"\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58".to_vec();
    check_seen(&[masked], &[text("Hello")]);
    let unmasked: [&[u8]; 3] = [b"\x81\x05Hello", b"\x01\x03Hel\x80\x02lo", b"\x89\x05Hello"];
    for (bytes, seen) in unmasked.into_iter().zip([text("Hello"), text("Hello"), ping(b"Hello")]) {
        let decoded = decode(Decoder::for_client(CLIENT_BYTES_MAX), [bytes]);
        assert_eq!(decoded, Decoded { seen: vec![seen], violation: None });
    }
}

#[test]
fn any_key_masks() {
    for key in [[0; 4], [0xff; 4], [0, 1, 2, 3], [0x80, 0, 0, 0x80]] {
        let sent = "a key is four bytes";
        let masked = frame_with(FINAL | TEXT, Some(key), Length::Shortest, sent.as_bytes());
        check_seen(&[masked], &[text(sent)]);
    }
}

#[test]
fn fragments_make_one_message() {
    let start = |sent| frame(TEXT, sent);
    let middle = |sent| frame(CONTINUATION, sent);
    let end = |sent| frame(FINAL | CONTINUATION, sent);
    check_seen(&[start("Hel"), end("lo")], &[text("Hello")]);
    check_seen(&[start("a"), middle("b"), middle(""), end("c")], &[text("abc")]);
    check_seen(&[start(""), middle(""), end("")], &[text("")]);
    check_seen(&[start(""), middle("x"), end("")], &[text("x")]);
    let euro = "€".as_bytes();
    let halves = [frame(TEXT, &euro[..1]), frame(FINAL | CONTINUATION, &euro[1..])];
    check_seen(&halves, &[text("€")]);
    let twice = [start("a"), end("b"), start("c"), end("d"), frame(FINAL | TEXT, "e")];
    check_seen(&twice, &[text("ab"), text("cd"), text("e")]);
    check_seen(&[start("unfinished"), middle("still")], &[]);
}

#[test]
fn control_frames_come_between_fragments() {
    let frames = [
        frame(TEXT, "a"),
        frame(FINAL | PING, "1"),
        frame(CONTINUATION, "b"),
        frame(FINAL | PONG, "2"),
        frame(FINAL | PING, ""),
        frame(FINAL | CONTINUATION, "c"),
    ];
    check_seen(&frames, &[ping(b"1"), pong(b"2"), ping(b""), text("abc")]);
    let full = frame(TEXT, "x".repeat(MESSAGE_BYTES_MAX));
    let frames = [full, frame(FINAL | PING, [7; 125]), frame(FINAL | CONTINUATION, "")];
    check_seen(&frames, &[ping(&[7; 125]), text("x".repeat(MESSAGE_BYTES_MAX))]);
    check_seen(&[frame(TEXT, "a"), frame(FINAL | CLOSE, "")], &[Seen::Close(None)]);
}

#[test]
fn pings_and_pongs_carry_up_to_125_bytes_of_any_kind() {
    for payload in [&b""[..], b"hello", b"\0\xff\xfe\xfd", &[0xfe; 125]] {
        check_seen(&[frame(FINAL | PING, payload)], &[ping(payload)]);
        check_seen(&[frame(FINAL | PONG, payload)], &[pong(payload)]);
    }
    for opcode in [CLOSE, PING, PONG] {
        check_violation(&[frame(FINAL | opcode, [0xfe; 126])], ControlTooLong);
        check_violation(&[announce(FINAL | opcode, 127, &[])], ControlTooLong);
        check_violation(&[frame(opcode, "")], ControlFragmented);
    }
    check_violation(&[frame(TEXT, "a"), frame(PING, "")], ControlFragmented);
}

#[test]
fn reserved_bits_are_refused() {
    for opcode in [TEXT, CLOSE, PING, PONG] {
        for bits in 1..8 {
            check_violation(&[frame(FINAL | bits << 4 | opcode, "")], ReservedBits);
        }
    }
    check_violation(&[frame(TEXT, "a"), frame(FINAL | 0x40, "b")], ReservedBits);
}

#[test]
fn reserved_opcodes_are_refused() {
    for opcode in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] {
        check_violation(&[frame(FINAL | opcode, "x")], Opcode(opcode));
        check_violation(&[frame(opcode, "")], Opcode(opcode));
        check_violation(&[frame(TEXT, "a"), frame(FINAL | opcode, "")], Opcode(opcode));
    }
}

#[test]
fn binary_messages_are_refused() {
    for payload in ["", "x"] {
        check_violation(&[frame(FINAL | 2, payload)], Binary);
        check_violation(&[frame(2, payload)], Binary);
    }
}

#[test]
fn a_continuation_needs_a_start_and_a_start_an_end_before_it() {
    check_violation(&[frame(FINAL | CONTINUATION, "x")], Continuation);
    check_violation(&[frame(CONTINUATION, "")], Continuation);
    check(
        &[frame(TEXT, "a"), frame(FINAL, "b"), frame(FINAL, "c")],
        &[text("ab")],
        Some(Continuation),
    );
    check_violation(&[frame(TEXT, "a"), frame(FINAL | TEXT, "b")], MessageWithinMessage);
    check_violation(&[frame(TEXT, "a"), frame(TEXT, "b")], MessageWithinMessage);
}

#[test]
fn a_client_masks_and_a_server_does_not() {
    for opcode in [TEXT, CLOSE, PING, PONG] {
        let unmasked = frame_with(FINAL | opcode, None, Length::Shortest, b"");
        check_violation(&[unmasked], Masking);
        let decoded = decode(Decoder::for_client(9), [&frame(FINAL | opcode, "")[..]]);
        assert_eq!(decoded.violation, Some(Masking));
    }
    let start = frame(TEXT, "a");
    check_violation(&[start, frame_with(FINAL, None, Length::Shortest, b"b")], Masking);
}

#[test]
fn lengths_are_encoded_in_the_shortest_way() {
    let long = |length, size| frame_with(FINAL | TEXT, Some([1; 4]), length, &vec![b'x'; size]);
    for size in [0, 1, 125] {
        check_violation(&[long(Length::Two, size)], LengthEncoding);
        check_violation(&[long(Length::Eight, size)], LengthEncoding);
    }
    check_violation(&[long(Length::Eight, 126)], LengthEncoding);
    check_violation(&[long(Length::Eight, 16_384)], LengthEncoding);
    for length in [0xffff, 1 << 63, u64::MAX] {
        let frame = announce(FINAL | TEXT, 127, &u64::to_be_bytes(length));
        check_violation(&[frame], LengthEncoding);
    }
}

#[test]
fn what_is_too_big_is_refused_by_its_announcement() {
    check_violation(&[announce(FINAL | TEXT, 126, &16_385_u16.to_be_bytes())], TooBig);
    check_violation(&[announce(TEXT, 126, &0xffff_u16.to_be_bytes())], TooBig);
    for length in [0x1_0000, 1 << 32, i64::MAX.cast_unsigned()] {
        check_violation(&[announce(FINAL | TEXT, 127, &u64::to_be_bytes(length))], TooBig);
    }
    let half = || "x".repeat(MESSAGE_BYTES_MAX / 2);
    let whole = text("x".repeat(MESSAGE_BYTES_MAX));
    check_seen(&[frame(TEXT, half()), frame(FINAL | CONTINUATION, half())], &[whole]);
    let frames = [frame(TEXT, half()), frame(CONTINUATION, half()), frame(FINAL, "x")];
    check_violation(&frames, TooBig);
    check_violation(&[frame(TEXT, half()), announce(FINAL, 126, &8193_u16.to_be_bytes())], TooBig);
}

#[test]
fn a_text_is_utf8() {
    let wrong: [&[u8]; 12] = [
        b"\x80",
        b"\xff",
        b"abc\xfe",
        b"\xc0\xaf",
        b"\xe0\x80\xaf",
        b"\xf0\x80\x80\x80",
        b"\xed\xa0\x80",
        b"\xed\xbf\xbf",
        b"\xf4\x90\x80\x80",
        b"\xce",
        b"\xe2\x82",
        b"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80edited",
    ];
    for payload in wrong {
        check_violation(&[frame(FINAL | TEXT, payload)], Utf8);
        for at in 0..=payload.len() {
            let (start, end) = payload.split_at(at);
            check_violation(&[frame(TEXT, start), frame(FINAL | CONTINUATION, end)], Utf8);
        }
        let close = [&1000_u16.to_be_bytes(), payload].concat();
        check_violation(&[frame(FINAL | CLOSE, close)], Utf8);
    }
}

#[test]
fn a_close_has_no_reason_or_one_with_a_code() {
    let frame_of = |code: u16, reason: &str| {
        frame(FINAL | CLOSE, [&code.to_be_bytes(), reason.as_bytes()].concat())
    };
    check_seen(&[frame(FINAL | CLOSE, "")], &[Seen::Close(None)]);
    let longest = "x".repeat(123);
    for reason in ["", "bye", "κόσμε", &longest] {
        check_seen(&[frame_of(1000, reason)], &[close(1000, reason)]);
    }
    check_violation(&[frame(FINAL | CLOSE, "x")], CloseLength);
    check_violation(&[frame_of(1000, &"x".repeat(124))], ControlTooLong);
    let sendable = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014];
    for code in sendable.into_iter().chain([3000, 3999, 4000, 4999]) {
        check_seen(&[frame_of(code, "")], &[close(code, "")]);
    }
    for code in [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535] {
        check_violation(&[frame_of(code, "x")], CloseCode(code));
    }
}

#[test]
fn nothing_is_read_after_a_close() {
    for behind in [frame(FINAL | TEXT, "behind"), frame(FINAL | CLOSE, ""), vec![0xff; 50]] {
        check_seen(&[frame(FINAL | CLOSE, ""), behind], &[Seen::Close(None)]);
    }
}

#[test]
fn a_frame_that_is_cut_short_is_waited_for() {
    let whole = frame(FINAL | TEXT, "x".repeat(200));
    for length in 0..whole.len() {
        check_seen(&[whole[..length].to_vec()], &[]);
    }
}

#[test]
fn every_violation_has_its_close_code() {
    let check = |violation: Violation, code| assert_eq!(violation.close_code(), code);
    check(ReservedBits, 1002);
    check(Masking, 1002);
    check(CloseCode(1005), 1002);
    check(Binary, 1003);
    check(Utf8, 1007);
    check(TooBig, 1009);
}

#[test]
fn what_is_written_is_the_shortest_frame_and_is_read_back() {
    for size in [0, 1, 125, 126, 127, 1000, 65_535, 65_536, 65_537, CLIENT_BYTES_MAX] {
        let sent = "x".repeat(size);
        let mut plain = b"before".to_vec();
        frame::text(&mut plain, sent.as_bytes());
        let mut written = b"before".to_vec();
        let Ok(()) = frame::write_text(&mut written, |out| {
            out.extend_from_slice(sent.as_bytes());
            Ok::<_, Infallible>(())
        });
        let expected = frame_with(FINAL | TEXT, None, Length::Shortest, sent.as_bytes());
        assert_eq!(plain, [b"before", &expected[..]].concat(), "{size}");
        assert_eq!(written, plain, "{size}");
        let decoded = decode(Decoder::for_client(CLIENT_BYTES_MAX), [&expected[..]]);
        assert_eq!(decoded, Decoded { seen: vec![text(&sent)], violation: None });

        let key = [9, 8, 7, 6];
        let mut masked = b"before".to_vec();
        frame::masked(&mut masked, key, |out| frame::text(out, sent.as_bytes()));
        let expected = frame_with(FINAL | TEXT, Some(key), Length::Shortest, sent.as_bytes());
        assert_eq!(masked, [b"before", &expected[..]].concat(), "{size}");
    }
}

#[test]
fn control_frames_that_are_written_are_read_back() {
    let mut bytes = Vec::new();
    frame::ping(&mut bytes, b"1");
    frame::pong(&mut bytes, b"");
    frame::close(&mut bytes, 1001, "the server stops");
    let decoded = decode(Decoder::for_client(0), [&bytes[..]]);
    let seen = vec![ping(b"1"), pong(b""), close(1001, "the server stops")];
    assert_eq!(decoded, Decoded { seen, violation: None });
}

#[test]
fn a_client_sets_its_own_limit() {
    for (limit, size, violation) in [(0, 0, None), (0, 1, Some(TooBig)), (65_536, 65_536, None)] {
        let bytes = frame_with(FINAL | TEXT, None, Length::Shortest, &vec![b'x'; size]);
        assert_eq!(decode(Decoder::for_client(limit), [&bytes[..]]).violation, violation);
    }
}
