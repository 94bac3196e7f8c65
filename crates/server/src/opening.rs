//! Opening a house: its data folder, its database, the server's name and the token key.
//!
//! What looks like damage, or like a second server, is refused with a sentence that says what to do. A
//! first start is never refused.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use identity::TokenKey;
use storage::{Change, Listed, StorageError, Store, Thing};
use storage_postgres::{Options, PostgresStore};
use storage_sqlite::{Claim, Damage, SqliteStore};
use tokio::time::{Instant, sleep};

use crate::app::StartError;
use crate::config::Config;

/// The file of this server's name in the data folder.
const NAME_FILE: &str = "server.name";
/// The file of the token key in the data folder.
const KEY_FILE: &str = "token.key";
/// The file whose lock keeps a second server out of the data folder.
const LOCK_FILE: &str = "parlor.lock";
/// The value of the house that tells its token key from others.
const FINGERPRINT: &str = "token_key";
/// `parlor admin` may be at work for a moment when a server starts.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);
const LOCK_RETRY: Duration = Duration::from_millis(20);

/// What is known to be damaged, and accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::Args)]
pub struct Overrides {
    /// If the database is missing, empty, cut off or another program's: set it aside and begin with an
    /// empty one
    #[arg(long)]
    pub new_database: bool,
    /// If the token key is missing or another one: go on with the present or a new one, which logs
    /// everybody out
    #[arg(long)]
    pub new_key: bool,
    /// If the database has lost writes: go on with what is left
    #[arg(long)]
    pub accept_loss: bool,
}

/// What a process wants of the house.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// To be its server, of which there is one.
    Serve(Overrides),
    /// To work beside the server, which may be running.
    Beside,
}

impl Access {
    pub(crate) fn overrides(self) -> Overrides {
        match self {
            Access::Serve(overrides) => overrides,
            Access::Beside => Overrides::default(),
        }
    }
}

/// Why a house is not opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The data folder has a server.
    #[error(
        "another process uses the data folder {}: stop it, or name another folder (--data)", .0.display()
    )]
    FolderInUse(PathBuf),
    /// The database has a server.
    #[error(
        "another process uses the database {}: stop it, or name another database (--database)", .0.display()
    )]
    DatabaseInUse(PathBuf),
    /// A server of the same name uses the database.
    #[error(
        "another server named {0} uses the database: stop it, or give this one a `name` of its own"
    )]
    NameInUse(String),
    /// The database is gone.
    #[error(
        "the database {} {damage}, but it was used before: restore a backup, or start `parlor serve` \
         with --new-database to begin with an empty one", .path.display()
    )]
    DatabaseGone {
        /// The file.
        path: PathBuf,
        /// Missing or empty.
        damage: Damage,
    },
    /// The database is damaged as a whole.
    #[error(
        "the database {} {damage}: restore a backup, or start `parlor serve` with --new-database to \
         set it aside and begin with an empty one", .path.display()
    )]
    DatabaseDamaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        damage: Damage,
    },
    /// The database lacks the latest writes.
    #[error(
        "the database {} {damage}: restore a backup, or start `parlor serve` with --accept-loss to go \
         on with what is left", .path.display()
    )]
    WritesLost {
        /// The file.
        path: PathBuf,
        /// What is missing.
        damage: Damage,
    },
    /// There is no key although there was one.
    #[error(
        "there is no token key, neither in {} nor in PARLOR_TOKEN_KEY, but the database was used with \
         one: put it back, or start `parlor serve` with --new-key, which logs everybody out", .0.display()
    )]
    KeyGone(PathBuf),
    /// The key is another house's, or a new one.
    #[error(
        "the token key is not the one that the database was used with: put that one back, or start \
         `parlor serve` with --new-key, which logs everybody out"
    )]
    OtherKey,
}

/// An open house.
pub(crate) struct Opened {
    pub(crate) store: Arc<dyn Store>,
    /// Held for as long as the server runs.
    pub(crate) lock: Option<File>,
}

/// Opens the configured database and brings its tables up to date, beside a server or without one.
pub async fn open_store(config: &Config) -> Result<Arc<dyn Store>, StartError> {
    Ok(open(config, Access::Beside).await?.store)
}

pub(crate) async fn open(config: &Config, access: Access) -> Result<Opened, StartError> {
    let is_server = access != Access::Beside;
    let url = config.database_url();
    let url = url.expose();
    // A server whose database, key and name come from elsewhere needs no data folder.
    let uses_folder =
        sqlite_path(url).is_some() || config.token_key.is_none() || config.name.is_none();
    let lock = if is_server && uses_folder { Some(lock_folder(&config.data).await?) } else { None };
    if let Some(path) = sqlite_path(url) {
        let store = Arc::new(open_sqlite(path, config, access).await?);
        return Ok(Opened { store, lock });
    }
    let store = open_postgres(url).await?;
    if is_server {
        let name = server_name(config)?;
        if !store.take_name(&name).await? {
            return Err(OpenError::NameInUse(name).into());
        }
    }
    Ok(Opened { store: Arc::new(store), lock })
}

/// The file of an SQLite database.
pub(crate) fn sqlite_path(url: &str) -> Option<&Path> {
    url.strip_prefix("sqlite://").map(Path::new)
}

pub(crate) async fn open_postgres(url: &str) -> Result<PostgresStore, StartError> {
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return Err(StartError::UnknownDatabase);
    }
    Ok(PostgresStore::connect(url, Options::default()).await?)
}

async fn open_sqlite(
    path: &Path,
    config: &Config,
    access: Access,
) -> Result<SqliteStore, StartError> {
    if let Some(folder) = path.parent() {
        make_private_folder(folder)?;
    }
    let patience = if access == Access::Beside { Duration::ZERO } else { LOCK_PATIENCE };
    let claim = patiently(patience, || Claim::take(path)).await;
    let Some(claim) = claim.map_err(StorageError::unavailable)? else {
        return match access {
            Access::Serve(_) => Err(OpenError::DatabaseInUse(path.to_owned()).into()),
            Access::Beside => Ok(SqliteStore::open_with(path, None)?),
        };
    };
    if let Some(damage) = claim.examine().map_err(StorageError::unavailable)? {
        accept(&claim, path, damage, config, access.overrides())?;
    }
    Ok(SqliteStore::open_with(path, Some(claim))?)
}

/// Whether to go on with a damaged database; sets it aside if it is of no more use.
fn accept(
    claim: &Claim,
    path: &Path,
    damage: Damage,
    config: &Config,
    overrides: Overrides,
) -> Result<(), StartError> {
    let path = path.to_owned();
    let is_gone = matches!(damage, Damage::Missing | Damage::Empty);
    let is_used = claim.is_used().map_err(StorageError::unavailable)?;
    if is_gone && !is_used && !config.data.join(KEY_FILE).exists() {
        return Ok(());
    }
    if matches!(damage, Damage::LogLost { .. }) {
        if !overrides.accept_loss {
            return Err(OpenError::WritesLost { path, damage }.into());
        }
        tracing::warn!("the database {damage}; it goes on with what is left");
        return Ok(());
    }
    if !overrides.new_database {
        let refusal = if is_gone {
            OpenError::DatabaseGone { path, damage }
        } else {
            OpenError::DatabaseDamaged { path, damage }
        };
        return Err(refusal.into());
    }
    let aside = claim.set_aside().map_err(StorageError::unavailable)?;
    if is_gone {
        tracing::warn!("the database {damage}; an empty one is made");
    } else {
        let aside = aside.display();
        tracing::warn!(%aside, "the database {damage}; it is set aside for an empty one");
    }
    Ok(())
}

async fn lock_folder(folder: &Path) -> Result<File, StartError> {
    make_private_folder(folder)?;
    let mut options = OpenOptions::new();
    options.create(true).append(true).mode(0o600);
    let take = || {
        let lock = options.open(folder.join(LOCK_FILE))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(lock)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    };
    let lock = patiently(LOCK_PATIENCE, take).await.map_err(StartError::Data)?;
    lock.ok_or_else(|| OpenError::FolderInUse(folder.to_owned()).into())
}

async fn patiently<T>(
    patience: Duration,
    mut take: impl FnMut() -> io::Result<Option<T>>,
) -> io::Result<Option<T>> {
    let until = Instant::now() + patience;
    loop {
        let taken = take()?;
        if taken.is_some() || Instant::now() >= until {
            return Ok(taken);
        }
        sleep(LOCK_RETRY).await;
    }
}

/// The key of the variable or the file; `None` if there is neither.
pub(crate) fn find_key(config: &Config) -> Result<Option<TokenKey>, StartError> {
    Ok(match &config.token_key {
        Some(key) => Some(TokenKey::from_hex(key.expose())?),
        None => TokenKey::load(&config.data.join(KEY_FILE))?,
    })
}

/// The fingerprint of the key that the database was used with.
pub(crate) async fn stored_fingerprint(store: &dyn Store) -> Result<Option<String>, StorageError> {
    store.house_value(FINGERPRINT).await
}

/// The house's key, which a first start makes. The database remembers its fingerprint, since servers with
/// different keys would log out each other's players.
pub(crate) async fn open_key(
    config: &Config,
    store: &dyn Store,
    overrides: Overrides,
) -> Result<TokenKey, StartError> {
    let path = config.data.join(KEY_FILE);
    let before = stored_fingerprint(store).await?;
    let key = if let Some(key) = find_key(config)? {
        key
    } else {
        let is_used = before.is_some() || !store.ids(Listed::Players, None, 1).await?.is_empty();
        if is_used && !overrides.new_key {
            return Err(OpenError::KeyGone(path).into());
        }
        make_private_folder(&config.data)?;
        TokenKey::load_or_create(&path)?
    };
    let fingerprint = key.fingerprint();
    if before.as_ref() == Some(&fingerprint) {
        return Ok(key);
    }
    if before.is_some() && !overrides.new_key {
        return Err(OpenError::OtherKey.into());
    }
    let name = FINGERPRINT.to_owned();
    let set = Change::SetHouseValue { name, before, value: fingerprint.clone() };
    match store.commit(vec![set]).await {
        // Another server has started at the same time.
        Err(StorageError::Conflict(Thing::HouseValue)) => {
            let stored = stored_fingerprint(store).await?;
            if stored != Some(fingerprint) {
                return Err(OpenError::OtherKey.into());
            }
        }
        done => {
            done?;
            tracing::info!("from now on the database is used with this token key alone");
        }
    }
    Ok(key)
}

/// This server's name as the owner of matches: the same after a restart, so that it goes on with its
/// own at once.
pub(crate) fn server_name(config: &Config) -> Result<String, StartError> {
    if let Some(name) = &config.name {
        return Ok(name.clone());
    }
    make_private_folder(&config.data)?;
    let path = config.data.join(NAME_FILE);
    match std::fs::read_to_string(&path) {
        // An empty one is left of a start that was interrupted.
        Ok(name) if !name.trim().is_empty() => return Ok(name),
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(StartError::Data(error));
        }
        _ => {}
    }
    let name = format!("{:016x}", getrandom::u64()?);
    let mut options = OpenOptions::new();
    let file = options.create(true).write(true).truncate(true).mode(0o600).open(&path);
    file.and_then(|mut file| file.write_all(name.as_bytes())).map_err(StartError::Data)?;
    Ok(name)
}

/// For its owner alone: it holds the key and the database.
fn make_private_folder(path: &Path) -> Result<(), StartError> {
    if path.as_os_str().is_empty() || path.is_dir() {
        return Ok(());
    }
    let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(StartError::Data)
}
