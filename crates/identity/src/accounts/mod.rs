//! Accounts, guests and sessions: the one place that changes them.
//!
//! Every change and its audit record are one transaction. A password that is wrong and a name that
//! nobody has are two errors here; whoever answers the outside makes them one.

mod checking;
mod own;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use audit::{AuthEvent, Context, LoginFailure, PayloadTooLarge, Recorder};
use domain::{Counter, PlayerId, Role, SessionId, TimeSource, Username, UsernameError};
use sha2::{Digest as _, Sha256};
use storage::{Change, DeviceKey, NewPlayer, Player, Session, StorageError, Store, Thing, Unit};

use crate::sessions::{DeadTokens, OVERLAP_MS};
use crate::{
    Claims, HashError, Hasher, Password, PasswordHash, Token, TokenError, TokenMaker,
    TokenSigningError, Verdict, WeakPassword,
};

/// The picture of who has not chosen one.
const FIRST_AVATAR: &str = "pawn";
/// How often a fresh name for a guest is tried; each is taken with a chance of about one in a
/// million a guest.
const GUEST_NAME_TRIES: usize = 5;
/// A name changes at most once a week: others should recognise a player.
pub const RENAME_INTERVAL_MS: u64 = 7 * DAY_MS;
/// A former name is free for others after this time, so that nobody passes for its owner.
const RESERVATION_MS: u64 = 90 * DAY_MS;
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// How long tokens and sessions last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lifetimes {
    /// A token's.
    pub token_ms: u64,
    /// A session's, however often its token is refreshed.
    pub session_ms: u64,
}

/// What a log-in came with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Visit<'a> {
    /// Ties the audit record to a request.
    pub request: Option<&'a str>,
    /// What the session is called in the list of its owner, such as `Firefox on Linux`.
    pub browser: Option<&'a str>,
}

/// Somebody who is in.
#[derive(Clone, Debug)]
pub struct AuthResult {
    /// What to send back next time.
    pub token: Token,
    /// What the token says.
    pub claims: Claims,
    /// Who it is.
    pub player: Player,
}

/// A text that a device cannot call itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a device id is 16 to 128 printable ASCII characters")]
pub struct BadDevice;

/// Why somebody was not let in, or a change was not made.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// A text that cannot be a name.
    #[error(transparent)]
    InvalidUsername(#[from] UsernameError),
    /// A text that cannot be a device's id.
    #[error(transparent)]
    InvalidDevice(#[from] BadDevice),
    /// Somebody has this name.
    #[error("this name is taken")]
    UsernameTaken,
    /// The name looks like one of the staff, of a guest or of a bot.
    #[error("this name is reserved")]
    NameReserved,
    /// A password that is too easy to guess.
    #[error(transparent)]
    WeakPassword(#[from] WeakPassword),
    /// The password is another. Not for the outside to know.
    #[error("the password is wrong")]
    InvalidCredentials,
    /// Nobody has this name. Not for the outside to know.
    #[error("there is no such account")]
    AccountNotFound,
    /// The session has ended, or is of somebody else.
    #[error("there is no such session")]
    SessionNotFound,
    /// Only a guest can become an account.
    #[error("this is an account already")]
    AlreadyRegistered,
    /// The token does not count, or none could be made.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// Too many passwords are being checked just now.
    #[error("too many logins at once")]
    Busy,
    /// A password could not be hashed or checked.
    #[error("a password could not be checked: {0}")]
    Hash(HashError),
    /// The database said no (`CredentialStoreError`).
    #[error(transparent)]
    Store(#[from] StorageError),
    /// A record with too much to say, which is our own mistake.
    #[error(transparent)]
    Audit(#[from] PayloadTooLarge),
}

impl From<HashError> for AuthError {
    fn from(error: HashError) -> Self {
        match error {
            HashError::Busy => AuthError::Busy,
            error => AuthError::Hash(error),
        }
    }
}

impl From<TokenSigningError> for AuthError {
    fn from(error: TokenSigningError) -> Self {
        AuthError::Token(error.into())
    }
}

fn taken_name(error: StorageError) -> AuthError {
    match error {
        StorageError::Conflict(Thing::Name) => AuthError::UsernameTaken,
        error => error.into(),
    }
}

type Result<T> = std::result::Result<T, AuthError>;

/// Lets people in and out.
pub struct Accounts {
    store: Arc<dyn Store>,
    time: Arc<dyn TimeSource>,
    hasher: Hasher,
    tokens: TokenMaker,
    lifetimes: Lifetimes,
    recorder: Arc<Recorder>,
    ids: Counter,
    dead_tokens: DeadTokens,
    /// A token each of the sessions that must be ended because it was reused; each session is here
    /// once.
    reused: Mutex<Vec<Claims>>,
    learned_ms: AtomicU64,
}

/// What [`Accounts`] is made of.
pub struct Parts {
    /// Where accounts are kept.
    pub store: Arc<dyn Store>,
    /// The time.
    pub time: Arc<dyn TimeSource>,
    /// Checks passwords.
    pub hasher: Hasher,
    /// Makes and reads tokens.
    pub tokens: TokenMaker,
    /// How long they last.
    pub lifetimes: Lifetimes,
    /// Writes audit records.
    pub recorder: Arc<Recorder>,
    /// From the system's randomness.
    pub chance: u64,
}

impl Accounts {
    /// Knows which tokens are dead once [`Accounts::learn_sessions`] has run.
    pub fn new(parts: Parts) -> Accounts {
        Accounts {
            store: parts.store,
            time: parts.time,
            hasher: parts.hasher,
            tokens: parts.tokens,
            lifetimes: parts.lifetimes,
            recorder: parts.recorder,
            ids: Counter::starting_at(parts.chance),
            dead_tokens: DeadTokens::default(),
            reused: Mutex::default(),
            learned_ms: AtomicU64::new(0),
        }
    }

    /// Makes an account and lets its owner in.
    pub async fn create_account(
        &self,
        username: &str,
        password: &str,
        visit: Visit<'_>,
    ) -> Result<AuthResult> {
        let name = free_name(username)?;
        let password = Password::parse(password, &name)?;
        // A taken name is refused before the costly hash; the commit still decides.
        if self.store.find_player_by_name(name.as_str()).await?.is_some() {
            return Err(AuthError::UsernameTaken);
        }
        let hash = self.hasher.hash(password).await?;
        let player = self.new_player(name.as_str(), Role::Player);
        let unit = vec![
            claim_name(&player, &name, player.created_ms),
            Change::CreatePlayer(NewPlayer { player: player.clone(), device: None }),
            store_credential(player.id, &hash),
        ];
        self.let_in(player, unit, &AuthEvent::Registered, visit).await.map_err(
            |error| match error {
                AuthError::Store(error) => taken_name(error),
                error => error,
            },
        )
    }

    /// Lets the owner of an account in.
    pub async fn login(
        &self,
        username: &str,
        password: &str,
        visit: Visit<'_>,
    ) -> Result<AuthResult> {
        let request = visit.request;
        let Some(password) = Password::entered(password) else {
            let reason = LoginFailure::WrongPassword;
            self.note_failed_login(None, reason, request).await?;
            return Err(AuthError::InvalidCredentials);
        };
        let credential = self.store.find_credential(username).await?;
        let (player, stored) = match credential {
            Some(found) => (Some(found.player), Some(PasswordHash::parse(&found.password_hash)?)),
            None => (None, None),
        };
        let verdict = self.hasher.verify(password, stored).await?;
        match (player, verdict) {
            (Some(player), Verdict::Right { rehash }) => {
                let rehash = rehash.iter().map(|hash| store_credential(player.id, hash)).collect();
                self.let_in(player, rehash, &AuthEvent::LoggedIn, visit).await
            }
            (Some(player), Verdict::Wrong) => {
                let reason = LoginFailure::WrongPassword;
                self.note_failed_login(Some(player.id), reason, request).await?;
                Err(AuthError::InvalidCredentials)
            }
            (None, _) => {
                let reason = LoginFailure::AccountNotFound;
                self.note_failed_login(None, reason, request).await?;
                Err(AuthError::AccountNotFound)
            }
        }
    }

    /// Lets a device in as the guest that it was, or as a new one.
    pub async fn create_guest_session(
        &self,
        device_id: &str,
        visit: Visit<'_>,
    ) -> Result<AuthResult> {
        let device = device_key(device_id)?;
        for _ in 0..GUEST_NAME_TRIES {
            let (player, unit) = if let Some(player) = self.store.find_guest(device).await? {
                (player, vec![])
            } else {
                let player = self.new_player(&self.guest_name(), Role::Guest);
                let new = NewPlayer { player: player.clone(), device: Some(device) };
                (player, vec![Change::CreatePlayer(new)])
            };
            match self.let_in(player, unit, &AuthEvent::GuestStarted, visit).await {
                // The name is taken, or the same device was faster on another connection.
                Err(AuthError::Store(StorageError::Conflict(Thing::Name | Thing::Device))) => {}
                answer => return answer,
            }
        }
        Err(StorageError::unavailable("no name for a guest was free").into())
    }

    /// Makes the guest who asks an account, with all that the guest has played.
    pub async fn upgrade_guest(
        &self,
        claims: &Claims,
        username: &str,
        password: &str,
        request: Option<&str>,
    ) -> Result<AuthResult> {
        if claims.role != Role::Guest {
            return Err(AuthError::AlreadyRegistered);
        }
        let name = free_name(username)?;
        let password = Password::parse(password, &name)?;
        let hash = self.hasher.hash(password).await?;
        let player = claims.player;
        let guest = self.store.find_player(player).await?.ok_or(TokenError::Invalid)?;
        let (token, next) = self.next_token(claims, Role::Player).await?;
        let now_ms = next.issued_ms;
        // First the session: whoever upgrades from a second session of this guest finds it revoked.
        let unit = vec![
            rotation(claims, &next),
            Change::RevokeSessionsOf { player, except: Some(claims.session), now_ms },
            claim_name(&guest, &name, now_ms),
            Change::UpdateProfile { player, name: Some(name.to_string()), avatar: None },
            Change::SetRole { player, role: Role::Player },
            store_credential(player, &hash),
            Change::ForgetDevice { player },
            self.audit(&AuthEvent::GuestUpgraded, context(claims, request))?,
        ];
        self.store.commit(unit).await.map_err(|error| match error {
            StorageError::Conflict(Thing::Session) => TokenError::Invalid.into(),
            error => taken_name(error),
        })?;
        self.note_rotation(claims, &next);
        self.learn_at_once().await;
        let player = Player { name: name.to_string(), role: Role::Player, ..guest };
        Ok(AuthResult { token, claims: next, player })
    }

    /// Ends the session of a token.
    pub async fn logout(&self, token: &str, request: Option<&str>) -> Result<()> {
        let claims = self.check_token(token, request).await?;
        let now_ms = self.time.now_ms();
        let unit = vec![
            Change::RevokeSession { id: claims.session, now_ms },
            self.audit(&AuthEvent::LoggedOut, context(&claims, request))?,
        ];
        self.store.commit(unit).await.map_err(dead_session)?;
        let until_ms = now_ms + self.lifetimes.token_ms;
        self.note_session(&claims, claims.generation, until_ms, true);
        Ok(())
    }

    /// Makes a token that says this.
    pub fn issue_token(&self, claims: &Claims) -> std::result::Result<Token, TokenSigningError> {
        self.tokens.issue(claims)
    }

    /// Whether the session of a token has ended: by a log-out, a deletion or a new password, or
    /// because its newest token has expired. The token itself may be an older one.
    pub fn is_ended(&self, claims: &Claims) -> bool {
        self.dead_tokens.is_over(claims, self.time.now_ms())
    }

    /// Gives a session its next token; the old one is dead. Of many who try with one token, one
    /// succeeds.
    pub async fn refresh_token(&self, token: &str, request: Option<&str>) -> Result<AuthResult> {
        let claims = self.check_token(token, request).await?;
        let player = self.store.find_player(claims.player).await?.ok_or(TokenError::Invalid)?;
        let (token, next) = self.next_token(&claims, player.role).await?;
        let unit = vec![
            rotation(&claims, &next),
            self.audit(&AuthEvent::Refreshed, context(&claims, request))?,
        ];
        self.store.commit(unit).await.map_err(dead_session)?;
        self.note_rotation(&claims, &next);
        Ok(AuthResult { token, claims: next, player })
    }

    /// Removes an account with all that is its own; its games stay, without a name. `before` is
    /// stored first, in the same unit: it must take the player out of the lobbies of others.
    pub async fn delete_account(
        &self,
        player: PlayerId,
        before: Unit,
        context: Context,
    ) -> Result<()> {
        let now_ms = self.time.now_ms();
        let mut unit = before;
        unit.push(Change::DeletePlayer { player, now_ms });
        unit.push(self.audit(&AuthEvent::AccountDeleted, context)?);
        self.change_account(unit).await
    }

    /// Lets somebody do more or less. They must log in again.
    pub async fn set_role(&self, player: PlayerId, role: Role, context: Context) -> Result<()> {
        let now_ms = self.time.now_ms();
        let unit = vec![
            Change::SetRole { player, role },
            Change::RevokeSessionsOf { player, except: None, now_ms },
            self.audit(&AuthEvent::RoleChanged { role }, context)?,
        ];
        self.change_account(unit).await
    }

    /// Gives an account another password. Its owner must log in again.
    pub async fn reset_password(
        &self,
        account: &Player,
        password: &str,
        context: Context,
    ) -> Result<()> {
        let name = Username::parse(&account.name)?;
        let hash = self.hasher.hash(Password::parse(password, &name)?).await?;
        let (player, now_ms) = (account.id, self.time.now_ms());
        let unit = vec![
            store_credential(player, &hash),
            Change::RevokeSessionsOf { player, except: None, now_ms },
            self.audit(&AuthEvent::PasswordChanged, context)?,
        ];
        self.change_account(unit).await
    }

    /// Learns which sessions other servers, or `parlor admin`, have rotated or revoked. To be called
    /// at the start and every second.
    pub async fn learn_sessions(&self) -> std::result::Result<(), StorageError> {
        let now_ms = self.time.now_ms();
        let since_ms = self.learned_ms.load(Ordering::Relaxed).saturating_sub(OVERLAP_MS);
        let changed = self.store.changed_sessions(since_ms, now_ms).await?;
        self.dead_tokens.learn(&changed, now_ms);
        self.learned_ms.fetch_max(now_ms, Ordering::Relaxed);
        Ok(())
    }

    async fn change_account(&self, unit: Unit) -> Result<()> {
        self.store.commit(unit).await.map_err(|error| match error {
            StorageError::NotFound(Thing::Player) => AuthError::AccountNotFound,
            error => error.into(),
        })?;
        self.learn_at_once().await;
        Ok(())
    }

    /// The change is made; if the database goes away just now, the next second tells.
    async fn learn_at_once(&self) {
        let _ = self.learn_sessions().await;
    }

    fn new_player(&self, name: &str, role: Role) -> Player {
        let now_ms = self.time.now_ms();
        Player {
            id: PlayerId::new(now_ms, self.ids.next()),
            name: name.to_owned(),
            role,
            avatar: FIRST_AVATAR.to_owned(),
            created_ms: now_ms,
        }
    }

    /// With a blank, which no account's name has.
    fn guest_name(&self) -> String {
        let chance = PlayerId::new(self.time.now_ms(), self.ids.next()).to_string();
        format!("Guest {}", &chance[chance.len() - 6..])
    }

    /// Stores the unit with a new session and the event in it, and makes the session's first token.
    async fn let_in(
        &self,
        player: Player,
        mut unit: Unit,
        event: &AuthEvent,
        visit: Visit<'_>,
    ) -> Result<AuthResult> {
        let now_ms = self.time.now_ms();
        let lifetime_ms = self.lifetimes.token_ms.min(self.lifetimes.session_ms);
        let claims = Claims {
            session: SessionId::new(now_ms, self.ids.next()),
            player: player.id,
            role: player.role,
            generation: 0,
            issued_ms: now_ms,
            expires_ms: now_ms + lifetime_ms,
        };
        let token = self.issue_token(&claims)?;
        unit.push(Change::OpenSession(Session {
            id: claims.session,
            player: player.id,
            generation: 0,
            created_ms: now_ms,
            until_ms: claims.expires_ms,
            changed_ms: now_ms,
            is_revoked: false,
            browser: visit.browser.map(str::to_owned),
        }));
        unit.push(self.audit(event, context(&claims, visit.request))?);
        self.store.commit(unit).await?;
        Ok(AuthResult { token, claims, player })
    }

    /// The session's next token, and what it says; it does not outlive the session. Made before the
    /// session is changed, so that nothing can fail after.
    async fn next_token(&self, claims: &Claims, role: Role) -> Result<(Token, Claims)> {
        let session = self.store.find_session(claims.session).await?;
        let end_ms = session.ok_or(TokenError::Invalid)?.created_ms + self.lifetimes.session_ms;
        let issued_ms = self.time.now_ms();
        let expires_ms = end_ms.min(issued_ms + self.lifetimes.token_ms);
        if expires_ms <= issued_ms {
            return Err(TokenError::Expired.into());
        }
        let generation = claims.generation.saturating_add(1);
        let next = Claims { role, generation, issued_ms, expires_ms, ..claims.clone() };
        Ok((self.issue_token(&next)?, next))
    }

    fn note_rotation(&self, claims: &Claims, next: &Claims) {
        let until_ms = next.expires_ms.max(claims.expires_ms);
        self.note_session(claims, next.generation, until_ms, false);
    }

    /// Updates this server's memory at once with what the database has just stored.
    fn note_session(&self, claims: &Claims, generation: u32, until_ms: u64, is_revoked: bool) {
        let now_ms = self.time.now_ms();
        let session = Session {
            id: claims.session,
            player: claims.player,
            generation,
            created_ms: claims.issued_ms,
            until_ms,
            changed_ms: now_ms,
            is_revoked,
            browser: None,
        };
        self.dead_tokens.learn(&[session], now_ms);
    }

    async fn note_failed_login(
        &self,
        user: Option<PlayerId>,
        reason: LoginFailure,
        request: Option<&str>,
    ) -> Result<()> {
        let correlation = request.map(str::to_owned);
        let context = Context { user, correlation, ..Context::default() };
        let record = self.audit(&AuthEvent::LoginFailed { reason }, context)?;
        Ok(self.store.commit(vec![record]).await?)
    }

    fn audit(&self, event: &AuthEvent, context: Context) -> Result<Change> {
        Ok(Change::Audit(self.recorder.record(event, context)?))
    }
}

/// A name that a new account may have.
fn free_name(text: &str) -> Result<Username> {
    let name = Username::parse(text)?;
    if name.is_reserved() { Err(AuthError::NameReserved) } else { Ok(name) }
}

fn claim_name(player: &Player, name: &Username, now_ms: u64) -> Change {
    Change::ClaimName { player: player.id, name: name.to_string(), now_ms }
}

/// Gives an account another name: once a week, and the old one is reserved for 90 days.
pub fn rename(player: PlayerId, name: &Username, now_ms: u64) -> Change {
    Change::Rename {
        player,
        name: name.to_string(),
        now_ms,
        last_until_ms: now_ms.saturating_sub(RENAME_INTERVAL_MS),
        reserved_until_ms: now_ms + RESERVATION_MS,
    }
}

fn rotation(claims: &Claims, next: &Claims) -> Change {
    Change::RotateSession {
        id: claims.session,
        generation: claims.generation,
        until_ms: next.expires_ms,
        now_ms: next.issued_ms,
    }
}

fn store_credential(player: PlayerId, hash: &PasswordHash) -> Change {
    Change::StoreCredential { player, password_hash: hash.as_str().to_owned() }
}

fn context(claims: &Claims, request: Option<&str>) -> Context {
    Context {
        user: Some(claims.player),
        session: Some(claims.session),
        match_id: None,
        correlation: request.map(str::to_owned),
    }
}

fn dead_session(error: StorageError) -> AuthError {
    match error {
        StorageError::Conflict(Thing::Session) | StorageError::NotFound(Thing::Session) => {
            TokenError::Invalid.into()
        }
        error => error.into(),
    }
}

/// What is kept of a device's id, so that reading the database gives nobody a guest's key.
fn device_key(device_id: &str) -> std::result::Result<DeviceKey, BadDevice> {
    let is_printable = device_id.bytes().all(|byte| (0x21..=0x7e).contains(&byte));
    if !(16..=128).contains(&device_id.len()) || !is_printable {
        return Err(BadDevice);
    }
    let hash = Sha256::new().chain_update(b"parlor device\n").chain_update(device_id).finalize();
    Ok(DeviceKey(hash.into()))
}
