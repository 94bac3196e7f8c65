//! The write-ahead log as bytes: how many of its frames are whole, and which pages they hold.
//!
//! SQLite reads a log up to the first frame that is not whole and says nothing of what follows. That is
//! right after a loss of power, where only frames that were never synced are torn, and it hides damage.
//! The format is described in <https://sqlite.org/fileformat2.html#the_write_ahead_log>.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::Path;

type Result<T> = std::io::Result<T>;

const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;
/// The last bit says how the words of a checksum are read.
const MAGIC: u32 = 0x377f_0682;
const PAGE_BYTES_MAX: usize = 65_536;

/// Two numbers that every frame of a log repeats. They change each time that the log begins anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Salts(pub(crate) u32, pub(crate) u32);

/// What a log holds.
pub(crate) struct Log {
    pub(crate) salts: Salts,
    /// How many frames belong to whole commits.
    pub(crate) frames: u32,
    /// The database's size in pages after the last of them.
    pub(crate) database_pages: u32,
    /// The pages of all of them.
    pub(crate) pages: HashSet<u32>,
}

struct Checksum {
    is_big_endian: bool,
    sums: (u32, u32),
}

impl Checksum {
    fn add(&mut self, bytes: &[u8]) {
        let read = if self.is_big_endian { u32::from_be_bytes } else { u32::from_le_bytes };
        for pair in bytes.as_chunks::<4>().0.as_chunks::<2>().0 {
            let [first, second] = pair.map(read);
            self.sums.0 = self.sums.0.wrapping_add(first).wrapping_add(self.sums.1);
            self.sums.1 = self.sums.1.wrapping_add(second).wrapping_add(self.sums.0);
        }
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |word| u32::from_be_bytes(*word))
}

/// False at the end of the file.
fn fill(file: &mut impl Read, bytes: &mut [u8]) -> Result<bool> {
    match file.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

fn open(path: &Path) -> Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The salts in the log's header; `None` if there is no whole header.
pub(crate) fn salts(path: &Path) -> Result<Option<Salts>> {
    let Some(mut file) = open(path)? else { return Ok(None) };
    Ok(read_header(&mut file)?.map(|(header, _)| salts_at(&header, 16)))
}

fn salts_at(bytes: &[u8], at: usize) -> Salts {
    Salts(word(bytes, at), word(bytes, at + 4))
}

fn read_header(file: &mut impl Read) -> Result<Option<([u8; HEADER_BYTES], Checksum)>> {
    let mut header = [0; HEADER_BYTES];
    if !fill(file, &mut header)? || word(&header, 0) & !1 != MAGIC {
        return Ok(None);
    }
    let mut sum = Checksum { is_big_endian: word(&header, 0) & 1 == 1, sums: (0, 0) };
    sum.add(&header[..24]);
    let is_whole = sum.sums == (word(&header, 24), word(&header, 28));
    Ok(is_whole.then_some((header, sum)))
}

/// Reads a log; `None` if it is not there or has no whole header.
pub(crate) fn read(path: &Path) -> Result<Option<Log>> {
    let Some(file) = open(path)? else { return Ok(None) };
    let mut file = BufReader::new(file);
    let Some((header, mut sum)) = read_header(&mut file)? else { return Ok(None) };
    let page_bytes = word(&header, 8) as usize;
    if !page_bytes.is_power_of_two() || page_bytes > PAGE_BYTES_MAX {
        return Ok(None);
    }
    let salts = salts_at(&header, 16);
    let mut log = Log { salts, frames: 0, database_pages: 0, pages: HashSet::new() };
    let (mut frames, mut begun) = (0, Vec::new());
    let mut frame = vec![0; FRAME_HEADER_BYTES + page_bytes];
    while fill(&mut file, &mut frame)? {
        let page = word(&frame, 0);
        sum.add(&frame[..8]);
        sum.add(&frame[FRAME_HEADER_BYTES..]);
        let is_whole = sum.sums == (word(&frame, 16), word(&frame, 20));
        if page == 0 || salts_at(&frame, 8) != salts || !is_whole {
            break;
        }
        frames += 1;
        begun.push(page);
        // The last frame of a commit says how large the database is after it.
        let database_pages = word(&frame, 4);
        if database_pages > 0 {
            log.frames = frames;
            log.database_pages = database_pages;
            log.pages.extend(begun.drain(..));
        }
    }
    Ok(Some(log))
}
