//! The key of all tokens: from a text, or from a file that the first start makes.
//!
//! Who has it can be anybody, so it does not print and lies where only its owner reads.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use pasetors::keys::SymmetricKey;
use pasetors::version4::V4;
use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;
use zeroize::Zeroizing;

/// A key is read in full; what is longer than this is no key.
const LONGEST_FILE: u64 = 1024;

/// Hashed before a key, so that its fingerprint is no hash of anything else.
const FINGERPRINT: &[u8] = b"parlor token key fingerprint v1";

/// 32 secret bytes.
#[derive(Clone, PartialEq)]
pub struct TokenKey(pub(crate) SymmetricKey<V4>);

/// Why there is no key.
#[derive(Debug, thiserror::Error)]
pub enum TokenKeyError {
    /// Not 64 hexadecimal digits.
    #[error("a token key is 64 hexadecimal digits")]
    NotAKey,
    /// A file with something else in it.
    #[error("{path} holds no token key, which is 64 hexadecimal digits")]
    NotAKeyFile {
        /// The file.
        path: PathBuf,
    },
    /// A file that others than its owner may read or write.
    #[error(
        "{path} is open to others (mode {mode:o}); run chmod 600 on it, or delete it for a new key, which logs everybody out"
    )]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// A file that cannot be read or made.
    #[error("the token key {path} cannot be read or made: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl TokenKey {
    /// Reads 64 hexadecimal digits.
    pub fn from_hex(text: &str) -> Result<TokenKey, TokenKeyError> {
        let mut bytes = Zeroizing::new([0; 32]);
        hex::decode_to_slice(text, &mut *bytes).map_err(|_| TokenKeyError::NotAKey)?;
        SymmetricKey::from(&*bytes).map(TokenKey).map_err(|_| TokenKeyError::NotAKey)
    }

    /// Reads the key in this file, or makes one there. Servers that start together get the same.
    pub fn load_or_create(path: &Path) -> Result<TokenKey, TokenKeyError> {
        if let Some(key) = Self::load(path)? {
            return Ok(key);
        }
        let failed = |source| TokenKeyError::File { path: path.to_owned(), source };
        create(path).map_err(failed)?;
        Self::load(path)?.ok_or_else(|| failed(io::ErrorKind::NotFound.into()))
    }

    /// What tells this key from others and does not give it away: 32 hexadecimal digits.
    pub fn fingerprint(&self) -> String {
        let digest =
            Sha256::new_with_prefix(FINGERPRINT).chain_update(self.0.as_bytes()).finalize();
        hex::encode(&digest[..16])
    }

    /// Reads the key in this file; `None` if there is no file.
    pub fn load(path: &Path) -> Result<Option<TokenKey>, TokenKeyError> {
        let failed = |source| TokenKeyError::File { path: path.to_owned(), source };
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(failed)?,
        };
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = file.metadata().map_err(failed)?.permissions().mode() & 0o777;
            if mode & 0o077 != 0 {
                return Err(TokenKeyError::Exposed { path: path.to_owned(), mode });
            }
        }
        let mut text = Zeroizing::new(String::new());
        file.take(LONGEST_FILE).read_to_string(&mut text).map_err(failed)?;
        let key = Self::from_hex(text.trim_end());
        key.map(Some).map_err(|_| TokenKeyError::NotAKeyFile { path: path.to_owned() })
    }
}

/// Puts a whole, synced file under the name, or leaves the one that another server put there first.
fn create(path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = parent.unwrap_or(Path::new("."));
    let mut bytes = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *bytes).map_err(io::Error::other)?;
    // Made with mode 0600, under a name of its own.
    let mut file = NamedTempFile::new_in(folder)?;
    let text = Zeroizing::new(hex::encode(*bytes));
    writeln!(file, "{}", *text)?;
    file.as_file().sync_all()?;
    if let Err(refused) = file.persist_noclobber(path)
        && refused.error.kind() != io::ErrorKind::AlreadyExists
    {
        return Err(refused.error);
    }
    // Without this the name could be lost with the power, and every session with it.
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    Ok(())
}

impl fmt::Debug for TokenKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;
    use std::sync::Barrier;
    use std::thread;

    use super::{TokenKey, TokenKeyError};

    const DIGITS: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

    #[test]
    fn a_key_is_64_hexadecimal_digits() {
        let key = TokenKey::from_hex(DIGITS).unwrap();
        assert_eq!(key.0.as_bytes(), (0..32).collect::<Vec<u8>>());
        assert_eq!(TokenKey::from_hex(&DIGITS.to_uppercase()).unwrap(), key);
        for text in
            ["", &DIGITS[1..], &DIGITS[2..], &format!("{DIGITS}00"), &DIGITS.replace('f', "g")]
        {
            let read = TokenKey::from_hex(text);
            assert!(matches!(read, Err(TokenKeyError::NotAKey)), "{text:?}");
        }
    }

    #[test]
    fn the_first_start_makes_a_key_and_the_next_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token.key");
        let made = TokenKey::load_or_create(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_to_string(&path).unwrap().trim_end().len(), 64);
        assert_eq!(TokenKey::load_or_create(&path).unwrap(), made);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
        let other = TokenKey::load_or_create(&folder.path().join("other.key")).unwrap();
        assert_ne!(other, made);
    }

    #[test]
    fn servers_that_start_together_get_the_same_key() {
        for _ in 0..20 {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("token.key");
            let start = Barrier::new(8);
            let create = || {
                start.wait();
                TokenKey::load_or_create(&path).unwrap()
            };
            let keys: Vec<TokenKey> = thread::scope(|scope| {
                let threads: Vec<_> = (0..8).map(|_| scope.spawn(create)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert!(keys.iter().all(|key| *key == keys[0]));
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        }
    }

    #[track_caller]
    fn check_refused(content: &str, mode: u32, expected: &str) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token.key");
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let error = TokenKey::load_or_create(&path).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(error.contains("token.key"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), content, "left as it was");
    }

    #[test]
    fn a_file_that_is_no_key_or_open_to_others_is_refused() {
        for mode in [0o640, 0o604, 0o660, 0o777, 0o610] {
            check_refused(DIGITS, mode, "chmod 600");
        }
        check_refused("", 0o600, "holds no token key");
        check_refused(&DIGITS[..62], 0o600, "holds no token key");
        check_refused(&format!("{DIGITS}\n{DIGITS}\n"), 0o600, "holds no token key");
        check_refused(&DIGITS.repeat(100), 0o600, "holds no token key");
    }

    #[test]
    fn a_folder_that_is_missing_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let made = TokenKey::load_or_create(&folder.path().join("missing/token.key"));
        assert!(matches!(made, Err(TokenKeyError::File { .. })));
    }

    #[test]
    fn a_fingerprint_tells_keys_apart() {
        let fingerprint = |digits: &str| TokenKey::from_hex(digits).unwrap().fingerprint();
        // Stored in databases, so it never changes.
        assert_eq!(fingerprint(DIGITS), "508aaa368e5b917858f83e53eb5f1f4a");
        assert_ne!(fingerprint(DIGITS), fingerprint(&DIGITS.replace('1', "2")));
    }

    #[test]
    fn a_key_does_not_print() {
        assert_eq!(format!("{:?}", TokenKey::from_hex(DIGITS).unwrap()), "TokenKey(..)");
    }
}
