//! How a store comes to its database.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::postgres::{PgConnectOptions, PgPool, PgPoolOptions};
use storage::StorageError;

use crate::error::storage_error;
use crate::name::{self, Name};
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
    server: PgConnectOptions,
    pub(crate) name: Mutex<Option<Name>>,
}

/// The parameters that the driver knows. It logs any other one with its value, which can be a secret.
const PARAMETERS: [&str; 18] = [
    "application_name",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "password",
    "port",
    "ssl-ca",
    "ssl-cert",
    "ssl-key",
    "ssl-mode",
    "ssl-root-cert",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "statement-cache-capacity",
    "user",
];

/// Refuses an address with a parameter that the driver would log. Only a name is shown, never a value.
fn check_parameters(url: &str) -> Result<()> {
    let url = url.split('#').next().unwrap_or_default();
    let Some((_, query)) = url.split_once('?') else { return Ok(()) };
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if PARAMETERS.contains(&name) || (name.starts_with("options[") && name.ends_with(']')) {
            continue;
        }
        // Without a value it may be part of a password that was not encoded.
        let is_name = name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        let shown = if is_name && !value.is_empty() { name } else { "…" };
        let what = format!("its address has an unknown parameter `{shown}`");
        return Err(StorageError::unavailable(what));
    }
    Ok(())
}

impl PostgresStore {
    /// Connects and brings the tables up to date. Must be called in a tokio runtime, which then
    /// also runs the writer.
    pub async fn connect(url: &str, options: Options) -> Result<PostgresStore> {
        check_parameters(url)?;
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
        let by_key = server.clone().options([("enable_seqscan", "off")]);
        let writer = Writer::start(pool_of(writer::TASKS).connect_lazy_with(by_key));
        Ok(PostgresStore { pool, writer, server, name: Mutex::default() })
    }

    /// Takes a server's name and keeps it until the store is closed; false if another server of this
    /// database has it. Uses a connection of its own.
    pub async fn take_name(&self, name: &str) -> Result<bool> {
        let taken = name::take(&self.server, name).await?;
        let is_taken = taken.is_some();
        *self.name.lock().unwrap_or_else(PoisonError::into_inner) = taken;
        Ok(is_taken)
    }
}

#[cfg(test)]
mod tests {
    use super::check_parameters;

    #[track_caller]
    fn check(url: &str, expected: Option<&str>) {
        let refused = check_parameters(url).err().map(|error| error.to_string());
        let begin = "the database is unavailable: its address has an unknown parameter ";
        let expected = expected.map(|name| format!("{begin}`{name}`"));
        assert_eq!(refused, expected, "{url}");
    }

    #[test]
    fn a_parameter_that_the_driver_would_log_is_refused_without_its_value() {
        check("postgres://u:p@host/db", None);
        check("postgres://u:p@host/db?", None);
        check("postgres://u:p@host/db?sslmode=verify-full&options[work_mem]=4MB", None);
        check("postgres://u:p@host/db?sslmod=hunter22", Some("sslmod"));
        check("postgres://u:p@host/db?sslmode=disable&passwort=hunter22", Some("passwort"));
        check("postgres://u:hunter?22@host/db", Some("…"));
        check("postgres://u:hunter?22@host/db=1", Some("…"));
        check("postgres://u:p@host/db?ssl%6Dode=disable", Some("…"));
    }
}
