//! Whose the file is, and whether it is whole before it is opened.
//!
//! Beside the database lies `parlor.db-lock`. Its holder is the one server of the file; the kernel takes
//! the lock from a process that ends, however it ends. The lock's file also remembers how far the
//! write-ahead log had come when it was last looked at. That is a lower bound for what must be there
//! after a crash, since only frames that SQLite has synced are counted.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use storage::StorageError;

use crate::connection;
use crate::error::{Fault, Result};
use crate::wal::{self, Salts};

/// In the file's header: `Prlr`, as the migration `0006_house` sets it.
const APPLICATION_ID: u32 = 0x5072_6c72;
const HEADER: &[u8] = b"SQLite format 3\0";
const HEADER_BYTES: usize = 100;

/// Why a database should not be opened as if nothing had happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// There is no file.
    #[error("is missing")]
    Missing,
    /// It has no tables.
    #[error("is empty")]
    Empty,
    /// It lacks pages at its end.
    #[error("is cut off")]
    Cut,
    /// It is no database, or has other tables.
    #[error("belongs to another program")]
    Foreign,
    /// SQLite cannot read it.
    #[error("cannot be read")]
    Unreadable,
    /// Its log lacks commits that it had.
    #[error("has lost writes: its log had {known} frames and has {found}")]
    LogLost {
        /// So many were synced.
        known: u32,
        /// So many are whole.
        found: u32,
    },
}

/// How far the log had come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Known {
    salts: Salts,
    frames: u32,
}

/// The right to be a file's server, held until this is dropped.
pub struct Claim {
    lock: File,
    path: PathBuf,
    known: Mutex<Option<Known>>,
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(suffix);
    PathBuf::from(path)
}

impl Claim {
    /// Takes the lock of this database; `None` if another process has it.
    pub fn take(path: &Path) -> io::Result<Option<Claim>> {
        let lock = open_lock(path)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let known = Mutex::new(read_known(&lock)?);
        Ok(Some(Claim { lock, path: path.to_owned(), known }))
    }

    /// Whether a server has used the database before, as far as the lock's file tells.
    pub fn is_used(&self) -> io::Result<bool> {
        Ok(self.lock.metadata()?.len() > 0)
    }

    /// Looks for damage in the file and its log, before anybody opens it. A database that was never used
    /// is `Missing` or `Empty`.
    pub fn examine(&self) -> io::Result<Option<Damage>> {
        let mut header = [0; HEADER_BYTES];
        let file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Some(Damage::Missing));
            }
            opened => opened?,
        };
        let bytes = file.metadata()?.len();
        if bytes == 0 {
            return Ok(Some(Damage::Empty));
        }
        let read = file.read_at(&mut header, 0)?;
        if !header[..read].starts_with(&HEADER[..read.min(HEADER.len())]) {
            return Ok(Some(Damage::Foreign));
        }
        let page_bytes = match u16::from_be_bytes([header[16], header[17]]) {
            1 => 65_536,
            bytes => u64::from(bytes),
        };
        if read < HEADER_BYTES || page_bytes == 0 {
            return Ok(Some(Damage::Cut));
        }
        let application = word(&header, 68);
        if application != 0 && application != APPLICATION_ID {
            return Ok(Some(Damage::Foreign));
        }
        let log = wal::read(&self.wal())?;
        if let Some(damage) = self.examine_log(log.as_ref())? {
            return Ok(Some(damage));
        }
        let pages = u32::try_from(bytes / page_bytes).unwrap_or(u32::MAX);
        let is_cut = match log.filter(|log| log.frames > 0) {
            // The log may hold the pages that the file lacks.
            Some(log) => (pages + 1..=log.database_pages).any(|page| !log.pages.contains(&page)),
            // The size counts only if it was written with the last change.
            None => word(&header, 24) == word(&header, 92) && word(&header, 28) > pages,
        };
        if is_cut {
            return Ok(Some(Damage::Cut));
        }
        match self.examine_tables() {
            Err(Fault(StorageError::Corrupt(_))) => Ok(Some(Damage::Unreadable)),
            examined => examined.map_err(|Fault(error)| io::Error::other(error)),
        }
    }

    fn examine_log(&self, log: Option<&wal::Log>) -> io::Result<Option<Damage>> {
        let known = *self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = known else { return Ok(None) };
        let found = match log {
            Some(log) if log.salts == known.salts => log.frames,
            // The log began anew since. Its salts say nothing about how often: the connection that writes
            // draws them by chance if another one, such as the checkpointer's, has restarted the log.
            Some(_) => return Ok(None),
            // If the file was written later, another program, such as sqlite3 or an older server, has
            // copied the log into it.
            None if self.is_file_newer()? => return Ok(None),
            None => 0,
        };
        let is_lost = found < known.frames;
        Ok(is_lost.then_some(Damage::LogLost { known: known.frames, found }))
    }

    fn is_file_newer(&self) -> io::Result<bool> {
        let written = std::fs::metadata(&self.path)?.modified()?;
        Ok(written >= self.lock.metadata()?.modified()?)
    }

    fn examine_tables(&self) -> Result<Option<Damage>> {
        let db = connection::open_onlooker(&self.path)?;
        let count = |sql| db.query_row(sql, [], |row| row.get::<_, i64>(0));
        let tables = count("SELECT count(*) FROM sqlite_schema")?;
        let ours = count("SELECT count(*) FROM sqlite_schema WHERE name = 'migrations'")?;
        Ok(match (tables, ours) {
            (0, _) => Some(Damage::Empty),
            (_, 0) => Some(Damage::Foreign),
            _ => None,
        })
    }

    /// Renames the file and its log, so that an empty database takes their place; gives the new name.
    pub fn set_aside(&self) -> io::Result<PathBuf> {
        let mut names = (1_u32..).map(|number| beside(&self.path, &format!(".aside-{number}")));
        let aside = names.find(|path| !path.exists()).unwrap_or_default();
        for suffix in ["", "-wal", "-shm"] {
            match std::fs::rename(beside(&self.path, suffix), beside(&aside, suffix)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        self.forget()?;
        Ok(aside)
    }

    /// From now on nothing is known of the log.
    fn forget(&self) -> io::Result<()> {
        self.remember(None)
    }

    fn note(&self, count: impl FnOnce() -> u32) -> io::Result<()> {
        let before = wal::salts(&self.wal())?;
        let frames = count();
        // If the log began anew meanwhile, it is unknown to which log the frames belong.
        let after = wal::salts(&self.wal())?;
        match before {
            _ if before != after => Ok(()),
            None => self.forget(),
            Some(_) if frames == 0 => Ok(()),
            Some(salts) => self.remember(Some(Known { salts, frames })),
        }
    }

    fn remember(&self, known: Option<Known>) -> io::Result<()> {
        let mut remembered = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if *remembered == known {
            return Ok(());
        }
        *remembered = known;
        write(&self.lock, known)
    }

    fn wal(&self) -> PathBuf {
        beside(&self.path, "-wal")
    }
}

/// One short write over the last one. A count is not synced: an older count of the same log is true too. That
/// nothing is known is synced, since the log is truncated afterwards.
fn write(lock: &File, known: Option<Known>) -> io::Result<()> {
    let Known { salts: Salts(first, second), frames } =
        known.unwrap_or(Known { salts: Salts(0, 0), frames: 0 });
    let line = format!("{first:08x} {second:08x} {frames:08x}\n");
    lock.write_all_at(line.as_bytes(), 0)?;
    if frames == 0 { lock.sync_data() } else { Ok(()) }
}

fn open_lock(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).read(true).write(true).mode(0o600);
    options.open(beside(path, "-lock"))
}

/// What is remembered of the log while the file is open. What cannot be written, on a broken disk say, is
/// written at the next look.
pub(crate) enum Record {
    /// The server's.
    Own(Claim),
    /// A guest's: where the server's lock is.
    Guest(PathBuf),
}

impl Record {
    pub(crate) fn new(path: &Path, claim: Option<Claim>) -> Record {
        claim.map_or_else(|| Record::Guest(path.to_owned()), Record::Own)
    }

    /// The server has opened the file, whose log may be another one from now on.
    pub(crate) fn begin(&self) -> std::result::Result<(), StorageError> {
        let Record::Own(claim) = self else { return Ok(()) };
        *claim.known.lock().unwrap_or_else(PoisonError::into_inner) = None;
        write(&claim.lock, None).map_err(StorageError::unavailable)
    }

    /// To be called before a checkpoint that truncates the log. The server may write its record again
    /// before that; but then the checkpoint has something to copy, and the file is newer than the record.
    pub(crate) fn forget(&self) {
        let _ = match self {
            Record::Own(claim) => claim.forget(),
            Record::Guest(path) => open_lock(path).and_then(|lock| write(&lock, None)),
        };
    }

    /// Remembers how far the log has come. `count` asks SQLite for its frames.
    pub(crate) fn note(&self, count: impl FnOnce() -> u32) {
        match self {
            Record::Own(claim) => {
                let _ = claim.note(count);
            }
            Record::Guest(_) => {
                count();
            }
        }
    }

    /// Writes the record again after a checkpoint, so that it is newer than the file.
    pub(crate) fn touch(&self) {
        if let Record::Own(claim) = self {
            let known = *claim.known.lock().unwrap_or_else(PoisonError::into_inner);
            let _ = write(&claim.lock, known);
        }
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |word| u32::from_be_bytes(*word))
}

/// A record that cannot be read says nothing.
fn read_known(lock: &File) -> io::Result<Option<Known>> {
    let mut line = [0; 26];
    let count = lock.read_at(&mut line, 0)?;
    let text = str::from_utf8(&line[..count]).unwrap_or_default();
    let words: Vec<u32> =
        text.split_whitespace().filter_map(|word| u32::from_str_radix(word, 16).ok()).collect();
    Ok(match words[..] {
        [first, second, frames] if frames > 0 => {
            Some(Known { salts: Salts(first, second), frames })
        }
        _ => None,
    })
}
