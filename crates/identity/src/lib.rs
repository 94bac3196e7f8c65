//! Who somebody is: passwords and their hashes (M4).
//!
//! What is secret here never prints: its `Debug` shows the type's name alone. Knows no HTTP.

mod hashing;
mod password;

pub use hashing::{BadHashParameters, HashError, HashParameters, Hasher, PasswordHash, Verdict};
pub use password::{Password, WeakPassword};
