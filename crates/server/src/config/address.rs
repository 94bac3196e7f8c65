//! Addresses in the configuration: how browsers reach the server, and which proxies it believes.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use http::Uri;
use http::uri::Authority;
use ipnet::IpNet;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Scheme and authority of the address that browsers use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    is_https: bool,
    authority: Authority,
}

impl PublicUrl {
    /// Do browsers come over TLS?
    pub fn is_https(&self) -> bool {
        self.is_https
    }

    /// Host, and port if it is not the scheme's.
    pub fn authority(&self) -> &Authority {
        &self.authority
    }
}

/// A text that is no public address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected http:// or https:// and a host, without a path")]
pub struct BadPublicUrl;

impl FromStr for PublicUrl {
    type Err = BadPublicUrl;

    fn from_str(text: &str) -> Result<PublicUrl, BadPublicUrl> {
        let uri: Uri = text.parse().map_err(|_| BadPublicUrl)?;
        let is_https = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err(BadPublicUrl),
        };
        let is_bare = uri.path_and_query().is_none_or(|rest| rest.as_str() == "/");
        match uri.into_parts().authority {
            Some(authority) if is_bare && !authority.as_str().contains('@') => {
                Ok(PublicUrl { is_https, authority })
            }
            _ => Err(BadPublicUrl),
        }
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_https { "https" } else { "http" };
        write!(f, "{scheme}://{}", self.authority)
    }
}

/// One address, or all of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network(IpNet);

impl Network {
    /// Does this address belong to it?
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }
}

/// A text that is no address and no network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected an address such as 10.0.0.1 or a network such as 10.0.0.0/8")]
pub struct BadNetwork;

impl FromStr for Network {
    type Err = BadNetwork;

    fn from_str(text: &str) -> Result<Network, BadNetwork> {
        let network = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
        network.map(Network).map_err(|_| BadNetwork)
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

macro_rules! serde_as_text {
    ($name:ident) => {
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    };
}
serde_as_text!(PublicUrl);
serde_as_text!(Network);

#[cfg(test)]
mod tests {
    use super::{Network, PublicUrl};

    #[test]
    fn addresses_are_parsed_at_the_edge() {
        for text in ["https://example.org", "http://localhost:8080", "https://[::1]"] {
            assert_eq!(text.parse::<PublicUrl>().unwrap().to_string(), text);
        }
        for text in ["", "/", "ftp://example.org", "https://example.org/sub", "https://a:b@c"] {
            assert!(text.parse::<PublicUrl>().is_err(), "{text}");
        }
        let network: Network = "10.0.0.0/8".parse().unwrap();
        assert!(network.contains("10.1.2.3".parse().unwrap()));
        assert!(network.contains("::ffff:10.1.2.3".parse().unwrap()));
        assert!(!network.contains("11.0.0.0".parse().unwrap()));
    }
}
