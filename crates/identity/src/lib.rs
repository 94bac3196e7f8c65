//! Who somebody is: passwords, their hashes, and the tokens of a session (M4).
//!
//! What is secret here never prints: its `Debug` shows the type's name alone. Knows no HTTP.

mod hashing;
mod key;
mod password;
mod token;

pub use hashing::{BadHashParameters, HashError, HashParameters, Hasher, PasswordHash, Verdict};
pub use key::{TokenKey, TokenKeyError};
pub use password::{Password, WeakPassword};
pub use token::{Claims, Token, TokenError, TokenMaker, TokenSigningError};
