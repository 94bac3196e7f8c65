//! Names as SQL: which may be taken, and what a rename leaves behind.

use domain::{PlayerId, skeleton};
use sqlx::postgres::PgConnection;
use sqlx::query;
use storage::{StorageError, Thing};

use crate::rows::get;
use crate::write::{Done, is_there, ms, name_key, run};

/// A new name, and what is to be done with the old one.
pub(crate) struct Rename<'a> {
    pub(crate) player: PlayerId,
    pub(crate) name: &'a str,
    pub(crate) now_ms: u64,
    pub(crate) last_until_ms: u64,
    pub(crate) reserved_until_ms: u64,
}

pub(crate) async fn claim(
    on: &mut PgConnection,
    player: PlayerId,
    name: &str,
    now_ms: u64,
) -> Done {
    let wanted = skeleton(name);
    // No unique index decides between two who want names that look alike: they come one by one.
    let lock = query("SELECT PG_ADVISORY_XACT_LOCK(HASHTEXTEXTENDED($1, 0))");
    run(lock.bind(&wanted), on).await?;
    let find = query(
        "SELECT 1 FROM players WHERE skeleton = $1 AND id <> $2
        UNION ALL
        SELECT 1 FROM former_names WHERE skeleton = $1 AND player_id <> $2 AND until_ms >= $3",
    );
    if is_there(find.bind(&wanted).bind(player.number()).bind(ms(now_ms)), on).await? {
        return Err(StorageError::Conflict(Thing::Name).into());
    }
    Ok(())
}

pub(crate) async fn rename(on: &mut PgConnection, change: &Rename<'_>) -> Done {
    let Rename { player, name, now_ms, last_until_ms, reserved_until_ms } = *change;
    // Locked, so that of two renames at once the second sees the first.
    let find = query("SELECT name, skeleton, renamed_ms FROM players WHERE id = $1 FOR UPDATE");
    let Some(row) = find.bind(player.number()).fetch_optional(&mut *on).await? else {
        return Err(StorageError::NotFound(Thing::Player).into());
    };
    if get::<&str>(&row, "name")? == name {
        return Ok(());
    }
    let renamed_ms: Option<i64> = get(&row, "renamed_ms")?;
    if renamed_ms.is_some_and(|it| it > ms(last_until_ms)) {
        return Err(StorageError::Conflict(Thing::Rename).into());
    }
    claim(on, player, name, now_ms).await?;
    let (old_skeleton, new_skeleton) = (get::<String>(&row, "skeleton")?, skeleton(name));
    let clear = query("DELETE FROM former_names WHERE until_ms < $1 OR skeleton = $2");
    run(clear.bind(ms(now_ms)).bind(&new_skeleton), on).await?;
    if old_skeleton != new_skeleton {
        let reserve = query(
            "INSERT INTO former_names (skeleton, player_id, until_ms) VALUES ($1, $2, $3)
            ON CONFLICT (skeleton) DO UPDATE
            SET player_id = excluded.player_id, until_ms = excluded.until_ms",
        );
        let reserve = reserve.bind(old_skeleton).bind(player.number());
        run(reserve.bind(ms(reserved_until_ms)), on).await?;
    }
    let update =
        query("UPDATE players SET name = $2, name_key = $3, renamed_ms = $4 WHERE id = $1");
    let update = update.bind(player.number()).bind(name).bind(name_key(name));
    run(update.bind(ms(now_ms)), on).await.map(drop)
}
