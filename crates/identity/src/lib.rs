//! Who somebody is: accounts, guests, passwords and their hashes, sessions and their tokens (M4).
//!
//! What is secret here never prints: its `Debug` shows the type's name alone. Knows no HTTP.

mod accounts;
mod hashing;
mod key;
mod password;
mod sessions;
mod token;

pub use accounts::{
    Accounts, AuthError, AuthResult, BadDevice, Lifetimes, Parts, RENAME_INTERVAL_MS, Visit, rename,
};
pub use hashing::{BadHashParameters, HashError, HashParameters, Hasher, PasswordHash, Verdict};
pub use key::{TokenKey, TokenKeyError};
pub use password::{Password, WeakPassword};
pub use token::{Claims, Token, TokenError, TokenMaker, TokenSigningError};
