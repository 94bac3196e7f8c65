//! Who is at the other end: the peer of the connection, or whom a trusted proxy speaks for.

use std::net::{IpAddr, SocketAddr};

use axum::extract::FromRequestParts;
use http::HeaderMap;
use http::request::Parts;
use protocol::Code;

use super::Refusal;
use crate::config::Network;

/// The other end of the connection; the listener puts it into every request.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// Who asks, and under which id; every handler can take it.
#[derive(Clone, Debug)]
pub struct Client {
    /// Not the proxy's, if it is a trusted one. Never logged.
    pub address: IpAddr,
    /// The same as in the answer and in the log.
    pub request_id: String,
}

impl<S: Sync> FromRequestParts<S> for Client {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        let client = parts.extensions.get::<Client>().cloned();
        client.ok_or_else(|| Refusal::from(Code::Internal).because("no shell around this route"))
    }
}

pub(crate) fn is_trusted(address: IpAddr, proxies: &[Network]) -> bool {
    proxies.iter().any(|network| network.contains(address))
}

/// Reads `X-Forwarded-For` from the right, where our own proxies write, up to the first address
/// that is none of them. What stands further left is whatever the client claims.
pub(super) fn client_address(peer: IpAddr, headers: &HeaderMap, proxies: &[Network]) -> IpAddr {
    let mut client = peer.to_canonical();
    let lines: Vec<&str> = {
        let values = headers.get_all("x-forwarded-for").into_iter();
        values.map(|value| value.to_str().unwrap_or_default()).collect()
    };
    let mut hops = lines.iter().rev().flat_map(|line| line.rsplit(','));
    while is_trusted(client, proxies) {
        match hops.next().and_then(read_hop) {
            Some(hop) => client = hop.to_canonical(),
            None => break,
        }
    }
    client
}

fn read_hop(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    // Some proxies add the port.
    let with_port = || text.parse().map(|hop: SocketAddr| hop.ip());
    text.parse().or_else(|_| with_port()).ok()
}

#[cfg(test)]
mod tests {
    use super::client_address;
    use crate::config::Network;

    #[track_caller]
    fn check(peer: &str, forwarded: &[&str], expected: &str) {
        let proxies: Vec<Network> =
            ["10.0.0.0/8", "::1"].iter().map(|text| text.parse().unwrap()).collect();
        let mut headers = http::HeaderMap::new();
        for value in forwarded {
            headers.append("x-forwarded-for", value.parse().unwrap());
        }
        let found = client_address(peer.parse().unwrap(), &headers, &proxies);
        assert_eq!(found.to_string(), expected, "{peer} {forwarded:?}");
    }

    #[test]
    fn only_trusted_proxies_are_believed_and_from_the_right() {
        check("203.0.113.9", &["198.51.100.1"], "203.0.113.9");
        check("10.0.0.1", &[], "10.0.0.1");
        check("10.0.0.1", &["198.51.100.1"], "198.51.100.1");
        check("::ffff:10.0.0.1", &["198.51.100.1"], "198.51.100.1");
        check("::1", &["192.0.2.66, 198.51.100.1"], "198.51.100.1");
        check("::1", &["192.0.2.66", "198.51.100.1, 10.0.0.2"], "198.51.100.1");
        check("::1", &["192.0.2.66, 198.51.100.1:4711"], "198.51.100.1");
        check("::1", &["[2001:db8::1]:4711"], "2001:db8::1");
        check("::1", &["198.51.100.1, nonsense"], "::1");
        check("::1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3");
    }
}
