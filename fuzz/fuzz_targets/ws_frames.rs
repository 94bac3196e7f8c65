//! Any bytes, cut anywhere: a decoder of WebSocket frames sees the same, and never panics.
//!
//! The law itself is a file of the server's tests, which check it with random streams.
#![no_main]

#[path = "../../crates/server/tests/ws/splits.rs"]
mod splits;

libfuzzer_sys::fuzz_target!(|input: (Vec<u8>, Vec<u8>)| {
    let (bytes, sizes) = input;
    splits::check_splits(&bytes, &sizes);
});
