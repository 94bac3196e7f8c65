//! A database of its own for a test, on the server that `PARLOR_TEST_DATABASE` names.

use std::hash::{BuildHasher as _, RandomState};
use std::thread;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _};

use crate::error::storage_error;
use crate::{Options, PostgresStore, Result};

/// The address of a superuser's database.
pub const SERVER: &str = "PARLOR_TEST_DATABASE";

/// A fresh database, which is removed when this is dropped, whoever is still connected.
pub struct TestDatabase {
    server: PgConnectOptions,
    name: String,
}

impl TestDatabase {
    /// Makes an empty one.
    ///
    /// # Panics
    ///
    /// If the server is not named or does not answer: then there is nothing to test.
    #[expect(clippy::expect_used, reason = "without a server the test ends here")]
    pub async fn create() -> TestDatabase {
        let url = std::env::var(SERVER).expect("PARLOR_TEST_DATABASE names a server");
        let server: PgConnectOptions = url.parse().expect("it is an address");
        let name = format!("parlor_{:016x}", RandomState::new().hash_one(0));
        let database = TestDatabase { server: server.disable_statement_logging(), name };
        database.run_on_server("CREATE DATABASE").await.expect("the server answers");
        database
    }

    /// Its address.
    pub fn url(&self) -> String {
        self.server.clone().database(&self.name).to_url_lossy().to_string()
    }

    /// A store in it that waits patiently for a connection, since tests share a busy machine.
    pub async fn connect(&self) -> Result<PostgresStore> {
        let acquire_timeout = Duration::from_mins(1);
        PostgresStore::connect(&self.url(), Options { acquire_timeout, ..Options::default() }).await
    }

    /// Runs SQL in it, past any store: to damage what is stored, or to disturb.
    pub async fn execute(&self, sql: &str) -> Result<()> {
        let options = self.server.clone().database(&self.name);
        execute(&options, sql.to_owned()).await
    }

    async fn run_on_server(&self, verb: &str) -> Result<()> {
        execute(&self.server, format!("{verb} {}", self.name)).await
    }
}

async fn execute(options: &PgConnectOptions, sql: String) -> Result<()> {
    let mut connection: PgConnection = options.connect().await.map_err(storage_error)?;
    sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.map_err(storage_error)?;
    connection.close().await.map_err(storage_error)
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        // The test's own runtime cannot be waited for here.
        thread::scope(|scope| {
            scope.spawn(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                let sql = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name);
                // What cannot be removed goes with its server.
                if let Ok(runtime) = runtime {
                    runtime.block_on(execute(&self.server, sql)).ok();
                }
            });
        });
    }
}
