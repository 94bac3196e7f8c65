//! A server's name among those that share a database: held by a lock of a session of its own.

use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions as _, Connection as _, query};
use storage::StorageError;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::error::storage_error;
use crate::{Result, rows};

/// Any number that is not used by other locks of this kind in the database.
const LOCK: i64 = 0x6e61_6d65;
/// PostgreSQL notices within 8 s that the machine of a lock's holder is gone.
const KEEP_ALIVE: [(&str, &str); 3] =
    [("tcp_keepalives_idle", "5"), ("tcp_keepalives_interval", "1"), ("tcp_keepalives_count", "3")];
/// A server that takes the place of one that has just died waits so long for its lock.
const PATIENCE: Duration = Duration::from_secs(10);
const RETRY: Duration = Duration::from_millis(100);
/// How often the connection is looked at, and how long it may take to answer.
const PERIOD: Duration = Duration::from_secs(5);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);

/// A name that is held until this is dropped.
pub(crate) struct Name(JoinHandle<()>);

impl Drop for Name {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Takes a name; `None` if another server has it.
pub(crate) async fn take(server: &PgConnectOptions, name: &str) -> Result<Option<Name>> {
    let server = server.clone().options(KEEP_ALIVE);
    let until = Instant::now() + PATIENCE;
    let mut connection = server.connect().await.map_err(storage_error)?;
    while !lock(&mut connection, name).await? {
        if Instant::now() >= until {
            return Ok(None);
        }
        sleep(RETRY).await;
    }
    Ok(Some(Name(tokio::spawn(hold(server, connection, name.to_owned())))))
}

async fn lock(connection: &mut PgConnection, name: &str) -> Result<bool> {
    let statement = query("SELECT pg_try_advisory_lock(hashtextextended($1, $2)) AS is_taken");
    let row = statement.bind(name).bind(LOCK).fetch_one(connection).await.map_err(storage_error)?;
    rows::get(&row, "is_taken")
}

/// Takes the name again when its connection has died. A match is safe even if another server of this
/// name was faster: its epoch keeps one of the two out.
async fn hold(server: PgConnectOptions, mut connection: PgConnection, name: String) {
    let mut is_lost = false;
    loop {
        sleep(PERIOD).await;
        if !is_lost && matches!(timeout(ANSWER_TIMEOUT, connection.ping()).await, Ok(Ok(()))) {
            continue;
        }
        if !is_lost {
            tracing::warn!("the lock of this server's name is lost");
            is_lost = true;
        }
        let again = async {
            let mut new = server.connect().await.map_err(storage_error)?;
            Ok::<_, StorageError>(lock(&mut new, &name).await?.then_some(new))
        };
        if let Ok(Ok(Some(new))) = timeout(ANSWER_TIMEOUT, again).await {
            tracing::info!("this server's name is locked again");
            connection = new;
            is_lost = false;
        }
    }
}
