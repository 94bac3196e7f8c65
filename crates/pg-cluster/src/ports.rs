//! Ports for servers of tests: below the range from which systems take ports for connections and for
//! listeners that name none. So nothing takes a server's port before it has started or while it is stopped.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::iter;
use std::net::TcpListener;

/// A port of 127.0.0.1 on which nothing listens.
///
/// # Panics
/// If all of them are taken.
#[must_use]
pub fn free_port() -> u16 {
    let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
    random_ports().take(1000).find(is_free).expect("some port is free")
}

/// Random ports, taken or not.
pub(crate) fn random_ports() -> impl Iterator<Item = u16> {
    iter::repeat_with(|| {
        let [high, low, ..] = RandomState::new().build_hasher().finish().to_be_bytes();
        16_000 + u16::from_be_bytes([high, low]) % 16_000
    })
}
