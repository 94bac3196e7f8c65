//! How a store comes to its database.

use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use storage::StorageError;

use crate::error::storage_error;
use crate::writer::{self, Writer};
use crate::{Result, migrations};

/// How a store uses its server.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// How many connections it opens at most, beside the one for appends.
    pub connections: u32,
    /// How long a call waits for one of them before the database counts as unavailable. Short, so
    /// that requests do not pile up behind a database that is gone.
    pub acquire_timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options { connections: 16, acquire_timeout: Duration::from_secs(2) }
    }
}

/// Keeps everything in a PostgreSQL database.
pub struct PostgresStore {
    pub(crate) pool: PgPool,
    pub(crate) writer: Writer,
}

impl PostgresStore {
    /// Connects and brings the tables up to date. Must be called in a tokio runtime, which then
    /// also runs the writer.
    pub async fn connect(url: &str, options: Options) -> Result<PostgresStore> {
        // The reason could quote the address, and with it the password.
        let server: PgConnectOptions = url
            .parse()
            .map_err(|_| StorageError::unavailable("the database's address cannot be read"))?;
        let server = server.application_name("parlor").disable_statement_logging();
        let pool_of = |connections| {
            let pool = PgPoolOptions::new().max_connections(connections);
            pool.acquire_timeout(options.acquire_timeout)
        };
        let pool = pool_of(options.connections).connect_with(server.clone()).await;
        let pool = pool.map_err(storage_error)?;
        migrations::run(&pool).await.map_err(storage_error)?;
        // Connections of its own, so that no crowd of other requests makes matches wait. What
        // PostgreSQL knows of the tables is from when they were small, and then it would rather
        // read all of them than look rows up by key.
        let by_key = server.options([("enable_seqscan", "off")]);
        let writer = Writer::start(pool_of(writer::TASKS).connect_lazy_with(by_key));
        Ok(PostgresStore { pool, writer })
    }
}
