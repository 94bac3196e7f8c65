//! The service as one thing: what every route can reach, and what runs beside the routes.

use std::fs::File;
use std::io;
use std::num::NonZero;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use audit::{Context, Event, Recorder, SystemEvent};
use domain::{AuditId, Counter, PlayerId, SystemTime, TimeSource};
use identity::{
    Accounts, AuthError, BadHashParameters, Claims, HashParameters, Hasher, Lifetimes, Parts,
    TokenKeyError, TokenMaker,
};
use play::room::{Input, MemberId};
use protocol::{Code, User};
use storage::{Change, StorageError, Store, Thing};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::actors::{Hall, House, INBOX, SteadyTime, Thinkers};
use crate::admission::{Admission, raise_file_limit};
use crate::bus::{Ask, Bus as _, LocalBus};
use crate::config::{Config, Passwords};
use crate::http::{self, Client, ClientFile, Cost, Limits, Precompressed, Purse, Refusal};
use crate::links::{self, Links};
use crate::listener::{Door, serve};
use crate::lobbies::{self, Departure};
use crate::notes::Notes;
use crate::opening::{self, Access, OpenError, Opened, Overrides};
use crate::outage::Outage;
use crate::pulse::Pulse;
use crate::roster::Roster;
use crate::seating::Shows;
use crate::telemetry::{self, Metrics};
use crate::topics::Topics;
use crate::uci::UciError;
use crate::ws::{CloseReason, keep_watch};
use crate::{Bots, Games};

/// How soon a logout on one server, or by `parlor admin`, holds on all.
const SESSIONS_PERIOD: Duration = Duration::from_secs(1);
/// A line to the database that is silent for longer counts as broken.
const SESSIONS_TIMEOUT: Duration = Duration::from_secs(5);
/// More fields than any event has, and longer names.
const FIELDS_MAX: usize = 64;
const FIELD_BYTES_MAX: usize = 100;
/// How often a deletion is tried again because a lobby changed at the same time.
const DELETION_TRIES: u32 = 16;
/// How long sockets have to say goodbye.
const SOCKETS_TIMEOUT: Duration = Duration::from_secs(5);
const SOCKETS_PAUSE: Duration = Duration::from_millis(10);
/// How often those who wait are looked at again.
const PAIRING_PERIOD: Duration = Duration::from_secs(5);
/// How often matches without a server are looked for, and how many at once.
const ORPHANS_PERIOD: Duration = Duration::from_secs(30);
const ORPHANS_PAGE: u32 = 1000;
/// Matches that are played again at once, for people to read: the rooms need the other cores.
const REPLAYS_MAX: usize = 2;

/// Why the service does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The data folder cannot be made.
    #[error("the data folder cannot be made")]
    Data(#[source] io::Error),
    /// The scheme is neither `sqlite` nor `postgres`.
    #[error("a database is named sqlite://FILE or postgres://USER@HOST/NAME")]
    UnknownDatabase,
    /// The database does not open.
    #[error("the database does not open")]
    Store(#[from] StorageError),
    /// The house is damaged, or another server has it.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// There is no key for the tokens.
    #[error("there is no key for the tokens")]
    Key(#[from] TokenKeyError),
    /// Argon2id cannot have these parameters.
    #[error("`passwords`: such a hash cannot be made")]
    Passwords(#[from] BadHashParameters),
    /// The bots have no threads to think on.
    #[error("no thread can be started for the bots")]
    Threads(#[source] io::Error),
    /// The chess engine that the configuration names is of no use.
    #[error("the chess engine of `bots.uci` cannot be used")]
    Engine(#[from] UciError),
    /// The system gives no randomness.
    #[error("the system gives no randomness")]
    Chance(#[from] getrandom::Error),
}

/// What every route can reach.
pub struct App {
    /// The settings.
    pub config: Config,
    /// Attempts that are left.
    pub limits: Limits,
    /// Everything that is kept.
    pub store: Arc<dyn Store>,
    /// Who may come in.
    pub accounts: Accounts,
    /// Records that need not wait for their request.
    pub(crate) notes: Arc<Notes>,
    admission: Arc<Admission>,
    pub(crate) pulse: Pulse,
    /// The answer to `GET games`, made when it is first asked for.
    pub(crate) games: OnceLock<Precompressed>,
    pub(crate) metrics: Metrics,
    /// What the rooms can reach.
    pub(crate) house: Arc<House>,
    pub(crate) bus: Arc<LocalBus>,
    pub(crate) topics: Topics,
    pub(crate) shows: Shows,
    pub(crate) links: Links,
    /// Held by whoever looks for a partner.
    pub(crate) pairing: tokio::sync::Mutex<()>,
    pub(crate) time: Arc<dyn TimeSource>,
    pub(crate) recorder: Arc<Recorder>,
    replays: Arc<Semaphore>,
    members: Counter,
    /// The halls' inboxes, until they run.
    inboxes: Mutex<Vec<mpsc::Receiver<Ask>>>,
    /// The lock of the data folder.
    _lock: Option<File>,
}

/// The accounts of a store, with the configured key and costs.
async fn open_accounts(
    config: &Config,
    store: &Arc<dyn Store>,
    time: &Arc<dyn TimeSource>,
    recorder: &Arc<Recorder>,
    overrides: Overrides,
) -> Result<Accounts, StartError> {
    let key = opening::open_key(config, &**store, overrides).await?;
    let Passwords { memory_kib, passes, lanes, threads, queue } = config.passwords;
    let parameters =
        HashParameters { memory_kib: memory_kib.get(), passes: passes.get(), lanes: lanes.get() };
    let accounts = Accounts::new(Parts {
        store: store.clone(),
        time: time.clone(),
        hasher: Hasher::new(parameters, threads, queue)?,
        tokens: TokenMaker::new(key),
        lifetimes: Lifetimes {
            token_ms: u64::from(config.tokens.lifetime_s.get()) * 1000,
            session_ms: u64::from(config.tokens.session_s.get()) * 1000,
        },
        recorder: recorder.clone(),
        chance: getrandom::u64()?,
    });
    accounts.learn_sessions().await?;
    Ok(accounts)
}

impl App {
    /// The service with these settings, on its database.
    pub async fn start(config: Config, access: Access) -> Result<Arc<App>, StartError> {
        raise_file_limit();
        let opened = opening::open(&config, access).await?;
        let time = Arc::new(SystemTime);
        App::assemble(config, opened, time, catalog::find, catalog::bot, access.overrides()).await
    }

    /// The service on a store that is open already.
    pub async fn on(
        config: Config,
        store: Arc<dyn Store>,
        time: Arc<dyn TimeSource>,
        games: Games,
        bots: Bots,
    ) -> Result<Arc<App>, StartError> {
        let opened = Opened { store, lock: None };
        App::assemble(config, opened, time, games, bots, Overrides::default()).await
    }

    async fn assemble(
        config: Config,
        opened: Opened,
        time: Arc<dyn TimeSource>,
        games: Games,
        bots: Bots,
        overrides: Overrides,
    ) -> Result<Arc<App>, StartError> {
        let Opened { store, lock } = opened;
        let recorder = Arc::new(Recorder::new(time.clone(), getrandom::u64()?));
        let accounts = open_accounts(&config, &store, &time, &recorder, overrides).await?;
        let outage = Arc::new(Outage::default());
        let notes = Arc::new(Notes::new(recorder.clone(), outage.clone()));
        // A hall a core: rooms of one hall never run at once.
        let halls = std::thread::available_parallelism().map_or(1, NonZero::get);
        let (senders, inboxes) = (0..halls).map(|_| mpsc::channel(INBOX)).unzip();
        let bus = Arc::new(LocalBus::new(senders));
        let bots = Arc::new(Roster::open(bots, config.bots.uci.as_deref())?);
        let house = House {
            store: store.clone(),
            bus: bus.clone(),
            notes: notes.clone(),
            outage,
            time: SteadyTime::from(&time),
            games,
            thinkers: Thinkers::new(&config.bots, &bots).map_err(StartError::Threads)?,
            bots,
            owner: opening::server_name(&config)?,
            rating_again: tokio::sync::Mutex::default(),
            has_match_limit: config.limits.quotas.is_on(),
        };
        Ok(Arc::new(App {
            limits: Limits::new(&config.limits),
            admission: Admission::new(&config.connections, config.limits.quotas.is_on()),
            accounts,
            notes,
            house: Arc::new(house),
            bus,
            topics: Topics::default(),
            shows: Shows::default(),
            links: Links::default(),
            pairing: tokio::sync::Mutex::default(),
            replays: Arc::new(Semaphore::new(REPLAYS_MAX)),
            members: Counter::starting_at(1),
            inboxes: Mutex::new(inboxes),
            pulse: Pulse::default(),
            games: OnceLock::new(),
            metrics: telemetry::metrics(),
            config,
            store,
            recorder,
            time,
            _lock: lock,
        }))
    }

    /// Serves until `shutdown`, then finishes what is under way and lets go of the database. `client`
    /// is the browser client, if the binary has one.
    pub async fn run(
        self: Arc<App>,
        listener: TcpListener,
        client: &'static [ClientFile],
        shutdown: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let mut chores = JoinSet::new();
        chores.spawn(self.clone().learn_sessions());
        chores.spawn(self.clone().purge_daily());
        chores.spawn(self.clone().sweep_every_minute());
        let app = self.clone();
        let notes = tokio::spawn(async move { app.notes.write_to(&*app.store).await });
        let inboxes =
            std::mem::take(&mut *self.inboxes.lock().unwrap_or_else(PoisonError::into_inner));
        let mut halls: JoinSet<()> =
            inboxes.into_iter().map(|inbox| Hall::new(self.house.clone(), inbox).run()).collect();
        let app = self.clone();
        chores.spawn(async move { keep_watch(&app).await });
        let app = self.clone();
        chores.spawn(async move { app.topics.run(&app).await });
        let app = self.clone();
        chores.spawn(async move { links::keep_true(&app).await });
        let bus = self.bus.clone();
        chores.spawn(async move { bus.release_held().await });
        chores.spawn(self.clone().pair_now_and_then());
        chores.spawn(self.clone().take_orphans());
        let router = http::router(self.clone(), client);
        let served = serve(listener, router, self.door(), shutdown).await;
        chores.shutdown().await;
        self.close_sockets().await;
        self.house.thinkers.close();
        self.bus.close().await;
        while halls.join_next().await.is_some() {}
        self.notes.close();
        // If it panicked, its records are gone with it.
        let _ = notes.await;
        self.store.close().await;
        served
    }

    /// Who may connect.
    pub fn door(&self) -> Door {
        let trusted_proxies = self.config.trusted_proxies.clone();
        Door { admission: self.admission.clone(), trusted_proxies }
    }

    async fn close_sockets(&self) {
        let begin = tokio::time::Instant::now();
        while begin.elapsed() < SOCKETS_TIMEOUT {
            let mut is_any = false;
            self.bus.for_each_connection(|connection| {
                is_any = true;
                connection.close(CloseReason::GoingAway);
            });
            if !is_any {
                return;
            }
            sleep(SOCKETS_PAUSE).await;
        }
    }

    /// Takes on matches whose server is gone, so that their clocks run, also if nobody asks for them.
    async fn take_orphans(self: Arc<App>) {
        loop {
            if let Err(error) = self.take_all_orphans().await
                && !self.house.outage.counts(&error)
            {
                tracing::warn!(%error, "orphans were not looked for");
            }
            sleep(ORPHANS_PERIOD).await;
        }
    }

    /// Page by page: those that sleep without a clock are found again and again, and must not hide
    /// the others.
    async fn take_all_orphans(&self) -> Result<(), StorageError> {
        let now_ms = self.house.time.now_ms();
        let mut after = None;
        loop {
            let orphans = self.store.unleased_matches(now_ms, after, ORPHANS_PAGE).await?;
            for match_id in &orphans {
                // The rooms are closing themselves.
                let _ = self.bus.ask(*match_id, Input::Tick).await;
            }
            after = orphans.last().copied();
            if after.is_none() {
                return Ok(());
            }
        }
    }

    /// Ratings that were too far apart come nearer with time.
    async fn pair_now_and_then(self: Arc<App>) {
        loop {
            sleep(PAIRING_PERIOD).await;
            if let Err(error) = lobbies::pair(&self, Context::default()).await
                && !self.house.outage.counts(&error)
            {
                tracing::warn!(%error, "nobody was paired");
            }
        }
    }

    /// Does what takes long on a thread of its own, a few at a time.
    pub(crate) async fn replay<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Refusal> {
        let failed = |error: &dyn std::fmt::Display| Refusal::from(Code::Internal).because(error);
        let permit = self.replays.clone().acquire_owned().await.map_err(|error| failed(&error))?;
        let work = move || {
            // Whoever asked may be gone; the work still counts until it is done.
            let _permit = permit;
            work()
        };
        tokio::task::spawn_blocking(work).await.map_err(|error| failed(&error))
    }

    /// The next connection's number.
    pub(crate) fn next_member(&self) -> MemberId {
        MemberId(self.members.next())
    }

    /// Who somebody is, as others see it.
    pub(crate) async fn describe_user(&self, claims: &Claims) -> Result<User, StorageError> {
        let player = self.store.find_player(claims.player).await?;
        let player = player.ok_or(StorageError::NotFound(Thing::Player))?;
        Ok(User { id: player.id, name: player.name, role: player.role })
    }

    async fn learn_sessions(self: Arc<App>) {
        let mut interval = tokio::time::interval(SESSIONS_PERIOD);
        interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            interval.tick().await;
            // What could not be stored when a token was reused; the next second tries again.
            let _ = timeout(SESSIONS_TIMEOUT, self.accounts.end_reused(None)).await;
            let learned = timeout(SESSIONS_TIMEOUT, self.accounts.learn_sessions()).await;
            let late = || StorageError::unavailable("it took too long");
            let mut answer = learned.unwrap_or_else(|_| Err(late()));
            // A full disk is still read from.
            if answer.is_ok() && self.house.outage.is_suspected() {
                answer = self.pulse.check(&*self.store).await;
            }
            self.house.outage.look(answer);
        }
    }

    /// Takes the values of fields out of a record, for good, and writes that down.
    pub async fn redact_audit(
        &self,
        id: AuditId,
        fields: Vec<String>,
        context: Context,
    ) -> Result<(), Refusal> {
        let is_fit = |field: &String| (1..=FIELD_BYTES_MAX).contains(&field.len());
        if !(1..=FIELDS_MAX).contains(&fields.len()) || !fields.iter().all(is_fit) {
            let detail = "`fields` are 1 to 64 names of 1 to 100 bytes";
            return Err(Refusal::new(Code::BadRequest, detail));
        }
        let event = SystemEvent::AuditRedacted { event: id, fields: fields.clone() };
        let record = self.record(&event, context)?;
        Ok(self.store.commit(vec![Change::RedactAudit { id, fields }, record]).await?)
    }

    /// Removes an account: from its matches, from all lobbies, and from the database.
    pub async fn delete_account(&self, player: PlayerId, context: Context) -> Result<(), Refusal> {
        let running = self.store.running_matches(player).await?;
        for _ in 0..DELETION_TRIES {
            let departure = Departure::of(self, player).await?;
            let unit = departure.unit.clone();
            match self.accounts.delete_account(player, unit, context.clone()).await {
                Ok(()) => {
                    departure.tell(self);
                    for match_id in running {
                        // Rooms that are closing find the empty seat when they open again.
                        let _ = self.bus.ask(match_id, Input::Depart { player }).await;
                    }
                    return Ok(());
                }
                Err(AuthError::AccountNotFound) => return Err(Code::RecordNotFound.into()),
                // A lobby has changed meanwhile, or has become a match.
                Err(AuthError::Store(
                    StorageError::Conflict(Thing::Lobby) | StorageError::NotFound(Thing::Lobby),
                )) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Code::Busy.into())
    }

    /// The change that writes an event down.
    pub(crate) fn record<E: Event>(&self, event: &E, context: Context) -> Result<Change, Refusal> {
        let record = self.recorder.record(event, context);
        record.map(Change::Audit).map_err(|error| Refusal::new(Code::BadRequest, error.to_string()))
    }

    /// What somebody is told of a match that is not there, or not for them.
    pub(crate) fn miss(&self, purse: Purse) -> Refusal {
        self.limits.check_miss(purse).err().unwrap_or_else(|| Code::MatchNotFound.into())
    }

    /// Remembers whether a password was right; a failure of the server says nothing of it.
    pub(crate) fn note_attempt(&self, client: &Client, name: &str, error: Option<&AuthError>) {
        match error {
            None => self.limits.note_right(client.address, name),
            Some(AuthError::InvalidCredentials | AuthError::AccountNotFound) => {
                self.limits.note_wrong(name);
            }
            Some(_) => {}
        }
    }

    /// Counts something that writes or costs, for who asks.
    pub(crate) fn spend(
        &self,
        cost: Cost,
        client: &Client,
        player: Option<PlayerId>,
    ) -> Result<(), Refusal> {
        let purse = self.limits.purse(player, client.address);
        self.limits.spend(cost, purse).map_err(Refusal::too_much)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn migrations_have_the_same_names_in_both_databases() {
        let names = |migrations: &[(&'static str, &str)]| -> Vec<&str> {
            migrations.iter().map(|(name, _)| *name).collect()
        };
        assert_eq!(names(storage_sqlite::MIGRATIONS), names(storage_postgres::MIGRATIONS));
    }
}
