//! The token of a session: PASETO v4.local, so that only this house can make, read or change one.
//!
//! A token says what was true when it was issued. Whether the session was closed since, and whether
//! its generation is the latest, the account service knows.

use std::collections::HashMap;
use std::fmt;
use std::sync::{PoisonError, RwLock};

use domain::{PlayerId, Role, SessionId};
use pasetors::Local;
use pasetors::token::UntrustedToken;
use pasetors::version4::{LocalToken, V4};
use serde::{Deserialize, Serialize};

use crate::TokenKey;

/// Sealed in every token and written in none: a token made for another use does not open here.
const PURPOSE: &[u8] = b"parlor session v1";
/// Three times our longest; what is longer is refused before any work.
const LONGEST: usize = 1024;
/// How far the clocks of two servers may differ.
const SKEW_MS: u64 = 60_000;
/// How many opened tokens are remembered, in about half a kilobyte each.
const OPENED_MAX: usize = 8192;

/// What a token says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claims {
    /// The login it belongs to.
    pub session: SessionId,
    /// Who logged in.
    pub player: PlayerId,
    /// What they may do.
    pub role: Role,
    /// Which token of the session it is: a refresh makes the next one.
    pub generation: u32,
    /// When it was made, in milliseconds since 1970.
    pub issued_ms: u64,
    /// From when on it no longer counts.
    pub expires_ms: u64,
}

/// A token for the client to keep.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// The text that travels.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

/// No token could be made: the system gives no randomness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a token could not be made")]
pub struct TokenSigningError;

/// Why a token does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// Malformed, forged, changed, of another key or use, or from the future.
    #[error("this token is not valid")]
    Invalid,
    /// It was good once.
    #[error("this token has expired")]
    Expired,
    /// A refresh could not make the next one.
    #[error(transparent)]
    Signing(#[from] TokenSigningError),
}

/// Makes and reads tokens.
pub struct TokenMaker {
    key: TokenKey,
    /// What good tokens say. A text says the same for ever, so nothing here grows stale; whether it
    /// still counts is looked at each time.
    opened: RwLock<HashMap<String, Claims>>,
}

impl fmt::Debug for TokenMaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenMaker").field("key", &self.key).finish_non_exhaustive()
    }
}

impl TokenMaker {
    /// With the key of this house.
    pub fn new(key: TokenKey) -> TokenMaker {
        TokenMaker { key, opened: RwLock::default() }
    }

    /// Makes a token that says this.
    pub fn issue(&self, claims: &Claims) -> Result<Token, TokenSigningError> {
        let payload = serde_json::to_vec(claims).map_err(|_| TokenSigningError)?;
        let sealed = LocalToken::encrypt(&self.key.0, &payload, None, Some(PURPOSE));
        sealed.map(Token).map_err(|_| TokenSigningError)
    }

    /// Reads a token that somebody sent.
    pub fn verify(&self, text: &str, now_ms: u64) -> Result<Claims, TokenError> {
        let claims = self.recall(text).or_else(|| self.open(text)).ok_or(TokenError::Invalid)?;
        if claims.issued_ms > now_ms.saturating_add(SKEW_MS) {
            return Err(TokenError::Invalid);
        }
        if claims.expires_ms <= now_ms {
            return Err(TokenError::Expired);
        }
        Ok(claims)
    }

    fn recall(&self, text: &str) -> Option<Claims> {
        self.opened.read().unwrap_or_else(PoisonError::into_inner).get(text).cloned()
    }

    fn open(&self, text: &str) -> Option<Claims> {
        // A third dot starts a footer. We write none, and the library overlooks an empty one, which
        // would give a token two spellings.
        if text.len() > LONGEST || text.matches('.').count() != 2 {
            return None;
        }
        let untrusted = UntrustedToken::<Local, V4>::try_from(text).ok()?;
        let opened = LocalToken::decrypt(&self.key.0, &untrusted, None, Some(PURPOSE)).ok()?;
        let claims: Claims = serde_json::from_str(opened.payload()).ok()?;
        let mut opened = self.opened.write().unwrap_or_else(PoisonError::into_inner);
        if opened.len() == OPENED_MAX {
            opened.clear();
        }
        opened.insert(text.to_owned(), claims.clone());
        Some(claims)
    }
}

#[cfg(test)]
mod tests {
    use domain::{PlayerId, Role, SessionId};
    use pasetors::version4::LocalToken;

    use super::{Claims, LONGEST, OPENED_MAX, PURPOSE, TokenError, TokenMaker};
    use crate::TokenKey;

    const NOW_MS: u64 = 1_800_000_000_000;

    fn maker(digit: &str) -> TokenMaker {
        TokenMaker::new(TokenKey::from_hex(&digit.repeat(64)).unwrap())
    }

    fn claims() -> Claims {
        Claims {
            session: SessionId::new(NOW_MS, 1),
            player: PlayerId::new(NOW_MS, 2),
            role: Role::Player,
            generation: 7,
            issued_ms: NOW_MS,
            expires_ms: NOW_MS + 1000,
        }
    }

    fn token() -> String {
        maker("a").issue(&claims()).unwrap().as_str().to_owned()
    }

    #[track_caller]
    fn check_invalid(text: &str) {
        assert_eq!(maker("a").verify(text, NOW_MS), Err(TokenError::Invalid), "{text:?}");
    }

    #[test]
    fn a_token_says_what_was_put_in() {
        let extreme = Claims {
            session: SessionId::from_number(i64::MAX).unwrap(),
            player: PlayerId::from_number(0).unwrap(),
            role: Role::Admin,
            generation: u32::MAX,
            issued_ms: 0,
            expires_ms: u64::MAX,
        };
        for claims in [claims(), Claims { role: Role::Guest, ..claims() }, extreme] {
            let token = maker("a").issue(&claims).unwrap();
            assert_eq!(maker("a").verify(token.as_str(), NOW_MS), Ok(claims));
            assert!(token.as_str().len() * 2 < LONGEST, "{}", token.as_str().len());
        }
    }

    #[test]
    fn two_tokens_of_the_same_claims_differ() {
        assert_ne!(token(), token());
    }

    #[test]
    fn a_changed_byte_spoils_it() {
        let good = token();
        for at in 0..good.len() {
            for bit in 0..7 {
                let mut bytes = good.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                check_invalid(&String::from_utf8(bytes).unwrap());
            }
        }
    }

    #[test]
    fn every_part_of_it_is_too_little() {
        let good = token();
        for length in 0..good.len() {
            check_invalid(&good[..length]);
            check_invalid(&good[good.len() - length..]);
        }
    }

    #[test]
    fn it_has_one_spelling() {
        let good = token();
        for text in [
            format!("{good}."),
            format!("{good}.e30"),
            format!("{good}.e30.e30"),
            format!("{good}="),
            format!("{good}A"),
            format!("{good}\n"),
            format!(" {good}"),
            format!("Bearer {good}"),
            good.to_uppercase(),
            good.replace("v4.", "V4."),
        ] {
            check_invalid(&text);
        }
    }

    #[test]
    fn another_version_purpose_or_algorithm_is_refused() {
        let good = token();
        let body = good.strip_prefix("v4.local.").unwrap();
        for prefix in ["v4.public.", "v3.local.", "v2.local.", "v1.local.", "v4.none.", "none.", ""]
        {
            check_invalid(&format!("{prefix}{body}"));
        }
        // {"alg":"none"} and {"role":"admin"}, as a JSON web token without a signature.
        check_invalid("eyJhbGciOiJub25lIn0.eyJyb2xlIjoiYWRtaW4ifQ.");
        check_invalid("v4.local.eyJyb2xlIjoiYWRtaW4ifQ");
        check_invalid("v4.local.");
    }

    #[test]
    fn anything_goes_in_and_nothing_huge_is_worked_on() {
        for text in ["", ".", "..", "...", "\0", "é.é.é", "v4.local.é"] {
            check_invalid(text);
        }
        // Blanks behind the JSON are all that is odd about these, so only their length can refuse them.
        let payload = serde_json::to_string(&claims()).unwrap();
        let sealed_with = |blanks: usize| {
            let payload = payload.clone() + &" ".repeat(blanks);
            LocalToken::encrypt(&maker("a").key.0, payload.as_bytes(), None, Some(PURPOSE)).unwrap()
        };
        assert!(maker("a").verify(&sealed_with(500), NOW_MS).is_ok());
        check_invalid(&sealed_with(600));
        check_invalid(&sealed_with(1_000_000));
    }

    #[test]
    fn a_token_of_our_key_for_another_use_is_refused() {
        let key = maker("a").key.0;
        let payload = serde_json::to_string(&claims()).unwrap();
        let seal = |payload: &str, footer, purpose| {
            LocalToken::encrypt(&key, payload.as_bytes(), footer, purpose).unwrap()
        };
        assert!(maker("a").verify(&seal(&payload, None, Some(PURPOSE)), NOW_MS).is_ok());
        check_invalid(&seal(&payload, None, None));
        check_invalid(&seal(&payload, None, Some(b"parlor session v2")));
        check_invalid(&seal(&payload, Some(b"footer"), Some(PURPOSE)));
        for other in ["{}", "null", "[]", "x", &payload.replace("player\":", "gamer\":")] {
            check_invalid(&seal(other, None, Some(PURPOSE)));
        }
        let more = payload.replace('}', r#","more":1}"#);
        check_invalid(&seal(&more, None, Some(PURPOSE)));
    }

    #[test]
    fn a_token_of_another_key_is_refused() {
        assert_eq!(maker("b").verify(&token(), NOW_MS), Err(TokenError::Invalid));
    }

    #[test]
    fn a_token_counts_from_a_minute_before_its_issue_until_it_expires() {
        for (now_ms, expected) in [
            (0, Err(TokenError::Invalid)),
            (NOW_MS - 60_001, Err(TokenError::Invalid)),
            (NOW_MS - 60_000, Ok(claims())),
            (NOW_MS, Ok(claims())),
            (NOW_MS + 999, Ok(claims())),
            (NOW_MS + 1000, Err(TokenError::Expired)),
            (u64::MAX, Err(TokenError::Expired)),
        ] {
            assert_eq!(maker("a").verify(&token(), now_ms), expected, "{now_ms}");
        }
    }

    #[test]
    fn a_remembered_token_is_judged_anew_each_time() {
        let (maker, token) = (maker("a"), token());
        assert_eq!(maker.verify(&token, NOW_MS), Ok(claims()));
        assert_eq!(maker.recall(&token), Some(claims()));
        assert_eq!(maker.verify(&token, NOW_MS + 1000), Err(TokenError::Expired));
        assert_eq!(maker.verify(&token, NOW_MS - 60_001), Err(TokenError::Invalid));
        assert_eq!(maker.verify(&format!("{token}A"), NOW_MS), Err(TokenError::Invalid));
    }

    #[test]
    fn a_bounded_number_of_tokens_is_remembered_and_no_bad_one() {
        let maker = maker("a");
        for _ in 0..=OPENED_MAX {
            let token = maker.issue(&claims()).unwrap();
            assert_eq!(maker.verify(token.as_str(), NOW_MS), Ok(claims()));
        }
        assert_eq!(maker.opened.read().unwrap().len(), 1);
        assert_eq!(maker.verify("v4.local.x", NOW_MS), Err(TokenError::Invalid));
        assert_eq!(maker.opened.read().unwrap().len(), 1);
    }

    #[test]
    fn a_token_and_its_maker_do_not_print() {
        let token = maker("a").issue(&claims()).unwrap();
        assert_eq!(format!("{token:?}"), "Token(..)");
        assert_eq!(format!("{:?}", maker("a")), "TokenMaker { key: TokenKey(..), .. }");
    }
}
