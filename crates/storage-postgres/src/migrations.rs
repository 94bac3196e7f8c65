//! The tables, step by step. The names are those of `storage-sqlite` too.
//!
//! A name that this binary does not know is no error: each migration works with the binary before
//! it, so that servers of two versions can share a database during an upgrade.

use sqlx::postgres::PgPool;

/// Each with its name, in their order.
pub const MIGRATIONS: &[(&str, &str)] = &[
    ("0001_base", include_str!("../migrations/0001_base.sql")),
    ("0002_public_matches", include_str!("../migrations/0002_public_matches.sql")),
    ("0003_watch_links", include_str!("../migrations/0003_watch_links.sql")),
    ("0004_quotas", include_str!("../migrations/0004_quotas.sql")),
    ("0005_sessions", include_str!("../migrations/0005_sessions.sql")),
    ("0006_house", include_str!("../migrations/0006_house.sql")),
];

/// Any number will do that nobody else locks in this database.
const LOCK: i64 = 0x7061_726c_6f72;

/// Runs what has not run yet. Servers that start at once wait for one another.
pub(crate) async fn run(pool: &PgPool) -> Result<(), sqlx::Error> {
    let mut transaction = pool.begin().await?;
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK).execute(&mut *transaction).await?;
    // Without the note that the table is there already.
    sqlx::raw_sql("SET LOCAL client_min_messages = warning").execute(&mut *transaction).await?;
    sqlx::raw_sql(
        "CREATE TABLE IF NOT EXISTS migrations (
            name TEXT PRIMARY KEY,
            applied_at TIMESTAMPTZ NOT NULL DEFAULT now()
        )",
    )
    .execute(&mut *transaction)
    .await?;
    for (name, sql) in MIGRATIONS {
        let is_new =
            sqlx::query("INSERT INTO migrations (name) VALUES ($1) ON CONFLICT DO NOTHING")
                .bind(name)
                .execute(&mut *transaction)
                .await?
                .rows_affected()
                == 1;
        if is_new {
            sqlx::raw_sql(*sql).execute(&mut *transaction).await?;
        }
    }
    transaction.commit().await
}
