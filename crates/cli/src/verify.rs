//! `parlor verify`: does a log replay, was its deal the promised one, does it end where it says?

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, bail, ensure};
use game_api::{MatchLog, excerpt};

/// A log of the longest match is a few megabytes.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Says what is true of the log, or fails with what is wrong.
pub(crate) fn run(file: &Path) -> anyhow::Result<()> {
    let place = || file.display().to_string();
    let mut bytes = Vec::new();
    // Not by the file's size, which a pipe does not have.
    let mut start = File::open(file).with_context(place)?.take(FILE_BYTES_MAX + 1);
    start.read_to_end(&mut bytes).with_context(place)?;
    ensure!(bytes.len() as u64 <= FILE_BYTES_MAX, "{}: too long for a log", file.display());
    // The shell's reply to `log` can be saved as it is.
    let json = bytes.strip_prefix(b"= ").unwrap_or(&bytes);
    let log: MatchLog = serde_json::from_slice(json)
        .with_context(|| format!("{}: this is no log", file.display()))?;
    let contest = match catalog::replay(&log) {
        Ok(contest) => contest,
        Err(error) => bail!("{}: {error} ({})", file.display(), error.code()),
    };
    let mut out = std::io::stdout().lock();
    let meta = contest.meta();
    writeln!(out, "{}: {} seats, {} entries, all legal", meta.name, log.seats, log.entries.len())?;
    match &log.from_position {
        None => writeln!(out, "deal: follows from the seed, as committed to: {}", log.commitment)?,
        Some(position) => writeln!(out, "no deal to check: set up from {}", excerpt(position))?,
    }
    writeln!(out, "state: as the log says: {}", log.state_hash)?;
    match contest.outcome() {
        Some(outcome) => writeln!(out, "outcome: {}", serde_json::to_string(&outcome)?)?,
        None if contest.to_act().is_empty() => writeln!(out, "outcome: none, it was aborted")?,
        None => writeln!(out, "outcome: none yet, seat {} is to act", contest.to_act())?,
    }
    Ok(())
}
