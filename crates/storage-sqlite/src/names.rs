//! Names as SQL: which may be taken, and what a rename leaves behind.

use domain::{PlayerId, skeleton};
use rusqlite::{Connection, OptionalExtension as _, params};
use storage::Thing;

use crate::columns::signed;
use crate::error::{Result, conflict, missing};
use crate::write::changed;

/// A new name, and what is to be done with the old one.
pub(crate) struct Rename<'a> {
    pub(crate) player: PlayerId,
    pub(crate) name: &'a str,
    pub(crate) now_ms: u64,
    pub(crate) last_until_ms: u64,
    pub(crate) reserved_until_ms: u64,
}

pub(crate) fn claim(db: &Connection, player: PlayerId, name: &str, now_ms: u64) -> Result<()> {
    let mut find = db.prepare_cached(
        "SELECT 1 FROM players WHERE skeleton = ?1 AND id <> ?2
         UNION ALL
         SELECT 1 FROM former_names WHERE skeleton = ?1 AND player_id <> ?2 AND until_ms >= ?3",
    )?;
    if find.exists(params![skeleton(name), player.number(), signed(now_ms)])? {
        return Err(conflict(Thing::Name));
    }
    Ok(())
}

pub(crate) fn rename(db: &Connection, change: &Rename<'_>) -> Result<()> {
    let Rename { player, name, now_ms, last_until_ms, reserved_until_ms } = *change;
    let mut find =
        db.prepare_cached("SELECT name, skeleton, renamed_ms FROM players WHERE id = ?1")?;
    let found: Option<(String, String, Option<i64>)> = find
        .query_row([player.number()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?;
    let (old, old_skeleton, renamed_ms) = found.ok_or_else(|| missing(Thing::Player))?;
    if old == name {
        return Ok(());
    }
    if renamed_ms.is_some_and(|it| it > signed(last_until_ms)) {
        return Err(conflict(Thing::Rename));
    }
    claim(db, player, name, now_ms)?;
    let new_skeleton = skeleton(name);
    changed(
        db,
        "DELETE FROM former_names WHERE until_ms < ?1 OR skeleton = ?2",
        params![signed(now_ms), new_skeleton],
    )?;
    if old_skeleton != new_skeleton {
        changed(
            db,
            "INSERT OR REPLACE INTO former_names (skeleton, player_id, until_ms)
             VALUES (?1, ?2, ?3)",
            params![old_skeleton, player.number(), signed(reserved_until_ms)],
        )?;
    }
    changed(
        db,
        "UPDATE players SET name = ?2, name_key = ?3, renamed_ms = ?4 WHERE id = ?1",
        params![player.number(), name, name.to_ascii_lowercase(), signed(now_ms)],
    )?;
    Ok(())
}
