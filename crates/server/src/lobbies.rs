//! M3: lobbies and the pairing queue on the database. What may be done is `play`'s to say.

use domain::{LobbyId, MatchId, PlayerId, Role, SeatHolder};
use identity::Claims;
use play::room::SeatOwner;
use play::{
    LOBBIES_PER_HOST_MAX, Left, Lobby, LobbyError, LobbyParts, Member, PairingQueue, Rated, Sitter,
    Standing, Terms, WISH_LASTS_MS, Wish, is_rated, pool, speed,
};
use protocol::ws::ServerMessage;
use protocol::{BotSeat, KickRequest, LobbyList, MatchStarted};
use storage::{Change, Counted, Pairing, StorageError, Thing};

use crate::actors::{BeginError, Plan, begin};
use crate::app::App;
use crate::http::Refusal;
use crate::seating;

/// How many lobbies a page has at most, and if nobody says.
pub(crate) const PAGE_MAX: u32 = 100;
/// A lobby that nobody has changed for so long is closed: who opened it is not waiting any more, and
/// others must find those who are.
const PUBLIC_STALE_MS: u64 = 24 * 60 * 60 * 1000;
/// Private lobbies are not listed, and their links may be opened days later.
const PRIVATE_STALE_MS: u64 = 7 * PUBLIC_STALE_MS;
/// How many rows one step of a sweep looks at.
const SWEEP_STEP: u32 = 100;
/// Two changes of a lobby at once: the second tries again.
const TRIES: u32 = 16;

/// Why a lobby did not change.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LobbyFailure {
    #[error(transparent)]
    Refused(#[from] LobbyError),
    #[error("the bot cannot sit down")]
    Bot(Refusal),
    #[error(transparent)]
    Store(#[from] StorageError),
}

/// A page of the public lobbies, the latest first.
pub(crate) async fn list(app: &App, limit: u32, offset: u32) -> Result<LobbyList, StorageError> {
    // One more than asked for tells whether there is another page.
    let mut rows = app.store.public_lobbies(limit + 1, offset).await?;
    let has_more = rows.len() > limit as usize;
    rows.truncate(limit as usize);
    // One that cannot be read must not hide the others.
    let lobbies = rows.into_iter().filter_map(|row| Lobby::from_parts(&parts(row)).ok());
    Ok(LobbyList {
        lobbies: lobbies.map(|lobby| lobby.summary()).collect(),
        next_offset: has_more.then(|| offset.saturating_add(limit)),
    })
}

/// A lobby, public or not.
pub(crate) async fn find(app: &App, id: LobbyId) -> Result<Lobby, LobbyFailure> {
    let row = app.store.find_lobby(id).await?.ok_or(LobbyError::NotFound)?;
    Ok(Lobby::from_parts(&parts(row))?)
}

/// Opens a lobby.
pub(crate) async fn create(
    app: &App,
    host: Member,
    terms: Terms,
    is_public: bool,
    seat: Option<u8>,
    bots: &[BotSeat],
) -> Result<Lobby, LobbyFailure> {
    let limit = app.config.limits.quotas.is_on().then_some(Change::Limit {
        player: host.player,
        of: Counted::Lobbies,
        most: LOBBIES_PER_HOST_MAX,
    });
    let id = LobbyId::random(getrandom::u64().map_err(|_| LobbyError::NotFound)?);
    let lobby = Lobby::create(id, host, terms, is_public, app.time.now_ms());
    let lobby = lobby.with_seats(seat, bots)?;
    let unit = limit.into_iter().chain([Change::PutLobby(row(app, &lobby))]);
    match app.store.commit(unit.collect()).await {
        Err(StorageError::Conflict(Thing::Limit)) => return Err(LobbyError::TooMany.into()),
        stored => stored?,
    }
    app.topics.tell_lobby(id, Some(lobby.summary()));
    Ok(lobby)
}

/// Changes a lobby, again if somebody else changed it meanwhile. `change` says whether there is
/// something to store; `also` is stored before it in the same unit.
async fn update(
    app: &App,
    id: LobbyId,
    also: &[Change],
    mut change: impl FnMut(&mut Lobby) -> Result<bool, LobbyError>,
) -> Result<Lobby, LobbyFailure> {
    for _ in 0..TRIES {
        let mut lobby = find(app, id).await?;
        if !change(&mut lobby)? {
            return Ok(lobby);
        }
        let unit = [also, &[Change::PutLobby(row(app, &lobby))]].concat();
        match app.store.commit(unit).await {
            Ok(()) => {
                app.topics.tell_lobby(id, Some(lobby.summary()));
                return Ok(lobby);
            }
            Err(StorageError::NotFound(Thing::Lobby)) => return Err(LobbyError::NotFound.into()),
            Err(StorageError::Conflict(Thing::Lobby)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(StorageError::Conflict(Thing::Lobby).into())
}

/// Takes a seat.
pub(crate) async fn join(app: &App, id: LobbyId, who: &Member) -> Result<Lobby, LobbyFailure> {
    // An account that is deleted at this moment must not stay in the lobby.
    let hold = [Change::HoldPlayer { player: who.player }];
    update(app, id, &hold, |lobby| lobby.join(who.player, &who.name)).await
}

/// Gives a seat up; the host's leaving closes the lobby.
pub(crate) async fn leave(app: &App, id: LobbyId, who: &Member) -> Result<(), LobbyFailure> {
    let mut is_closed = false;
    update(app, id, &[], |lobby| {
        is_closed = lobby.leave(who.player)? == Left::Closed;
        Ok(!is_closed)
    })
    .await?;
    if is_closed {
        match app.store.commit(vec![Change::DeleteLobby { id }]).await {
            Ok(()) | Err(StorageError::NotFound(_)) => app.topics.tell_lobby(id, None),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Lets a bot take a seat.
pub(crate) async fn add_bot(
    app: &App,
    id: LobbyId,
    by: &Member,
    bot: BotSeat,
) -> Result<Lobby, LobbyFailure> {
    let game = find(app, id).await?.terms().game().to_owned();
    seating::check_level(app, &game, bot.level).map_err(LobbyFailure::Bot)?;
    update(app, id, &[], |lobby| lobby.add_bot(by.player, bot).map(|()| true)).await
}

/// Sends somebody out, or a bot.
pub(crate) async fn kick(
    app: &App,
    id: LobbyId,
    by: &Member,
    KickRequest { name, seat }: &KickRequest,
) -> Result<Lobby, LobbyFailure> {
    update(app, id, &[], |lobby| {
        // Whether somebody may ask at all comes first.
        if lobby.kick_bot(by.player, name, *seat)? {
            return Ok(true);
        }
        let whom = lobby.member_named(name).ok_or(LobbyError::NotMember)?;
        lobby.kick(by.player, whom).map(|()| true)
    })
    .await
}

/// Begins the match of a lobby.
pub(crate) async fn start(
    app: &App,
    id: LobbyId,
    by: &Member,
    context: audit::Context,
) -> Result<MatchId, StartFailure> {
    let mut lobby = find(app, id).await?;
    lobby.start(by.player).map_err(LobbyFailure::from)?;
    // A seat that is taken or given up at this very moment makes it another lobby.
    let closing = closing(row(app, &lobby));
    let limit = app.house.match_limit(by.player).filter(|_| lobby.has_bots());
    let also = limit.into_iter().chain(closing).collect();
    let party = Party {
        terms: lobby.terms().clone(),
        order: lobby.order().into_iter().flatten().collect(),
        is_public: lobby.is_public(),
    };
    let players: Vec<PlayerId> = lobby.members().iter().map(|member| member.player).collect();
    match seat(app, party, context, also).await {
        Ok(match_id) => {
            app.topics.tell_started(id, match_id, (!lobby.is_public()).then_some(&players[..]));
            Ok(match_id)
        }
        // The version before this one left deleted accounts in lobbies.
        Err(StartFailure::Store(StorageError::NotFound(Thing::Player))) => {
            Err(forget_the_absent(app, id).await?.into())
        }
        Err(failure) => Err(failure),
    }
}

/// Frees the seats of deleted accounts; says why the lobby cannot start.
async fn forget_the_absent(app: &App, id: LobbyId) -> Result<LobbyFailure, LobbyFailure> {
    let mut absent = Vec::new();
    for member in find(app, id).await?.members() {
        if app.store.find_player(member.player).await?.is_none() {
            absent.push(member.player);
        }
    }
    let forget = |lobby: &mut Lobby| {
        let mut is_changed = false;
        for player in &absent {
            is_changed |= lobby.forget(*player);
        }
        Ok(is_changed)
    };
    let lobby = update(app, id, &[], forget).await?;
    Ok(lobby.clone().start(lobby.host()).err().unwrap_or(LobbyError::NotMember).into())
}

/// A change of lobbies that goes with the deletion of an account.
pub(crate) struct Departure {
    /// To be stored before the player is deleted, in the same unit.
    pub(crate) unit: Vec<Change>,
    /// The player's own lobbies, which go with the account.
    closed: Vec<LobbyId>,
    /// The lobbies of others, without the player.
    left: Vec<Lobby>,
}

impl Departure {
    /// Takes a player out of all lobbies of others as they are now.
    pub(crate) async fn of(app: &App, player: PlayerId) -> Result<Departure, StorageError> {
        let closed = app.store.lobbies_of(player).await?.into_iter().map(|row| row.id).collect();
        let mut departure = Departure { unit: Vec::new(), closed, left: Vec::new() };
        for row in app.store.lobbies_naming(player).await? {
            let id = row.id;
            let Ok(mut lobby) = Lobby::from_parts(&parts(row)) else {
                // It cannot be shown or started either, and must not keep the account.
                departure.unit.push(Change::DeleteLobby { id });
                continue;
            };
            if lobby.forget(player) {
                departure.unit.push(Change::PutLobby(self::row(app, &lobby)));
                departure.left.push(lobby);
            }
        }
        Ok(departure)
    }

    /// Tells the watchers, once the unit is stored.
    pub(crate) fn tell(&self, app: &App) {
        for id in &self.closed {
            app.topics.tell_lobby(*id, None);
        }
        for lobby in &self.left {
            app.topics.tell_lobby(lobby.id(), Some(lobby.summary()));
        }
    }
}

/// Removes a lobby unless somebody changes it at this very moment.
fn closing(row: storage::Lobby) -> [Change; 2] {
    let id = row.id;
    let next = storage::Lobby { version: row.version + 1, ..row };
    [Change::PutLobby(next), Change::DeleteLobby { id }]
}

/// Closes the lobbies that nobody has changed for long.
pub(crate) async fn close_stale(app: &App) -> Result<(), StorageError> {
    let before = |ms| app.time.now_ms().saturating_sub(ms);
    let (public, private) = (before(PUBLIC_STALE_MS), before(PRIVATE_STALE_MS));
    loop {
        let stale = app.store.stale_lobbies(public, private, SWEEP_STEP).await?;
        let is_last = stale.len() < SWEEP_STEP as usize;
        for row in stale {
            let id = row.id;
            match app.store.commit(closing(row).to_vec()).await {
                Ok(()) => app.topics.tell_lobby(id, None),
                // Somebody has just changed or closed it.
                Err(StorageError::Conflict(_) | StorageError::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        if is_last {
            return Ok(());
        }
    }
}

/// Why no match began.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartFailure {
    #[error(transparent)]
    Lobby(#[from] LobbyFailure),
    #[error(transparent)]
    Begin(#[from] BeginError),
    #[error(transparent)]
    Store(#[from] StorageError),
    #[error("too many players are waiting")]
    QueueFull,
}

/// Who has found together, and to play what.
struct Party<'a> {
    terms: Terms,
    order: Vec<Sitter<'a>>,
    /// Whether all may know of the match.
    is_public: bool,
}

/// Begins the match of a party.
async fn seat(
    app: &App,
    party: Party<'_>,
    context: audit::Context,
    also: Vec<Change>,
) -> Result<MatchId, StartFailure> {
    let Party { terms, order, is_public } = party;
    let mut accounts = Vec::with_capacity(order.len());
    let mut seats = Vec::with_capacity(order.len());
    for sitter in order {
        let (account, owner) = match sitter {
            // A match with a bot has no rating.
            Sitter::Bot(level) => (None, seating::bot(level)),
            Sitter::Member(member) => {
                let player = app.store.find_player(member.player).await?;
                let player = player.ok_or(StorageError::NotFound(Thing::Player))?;
                let account = (player.role >= Role::Player).then_some(player.id);
                let holder = SeatHolder::Player(player.id);
                (account, SeatOwner { holder, name: Some(player.name) })
            }
        };
        accounts.push(account);
        seats.push(owner);
    }
    let is_rated = is_rated(Standing {
        accounts: &accounts,
        is_preset: terms.preset().is_some(),
        is_from_position: false,
        has_takeback: false,
    });
    let founder = None;
    let plan = Plan { terms, seats, is_rated, is_public, founder, context, also };
    Ok(begin(&app.house, plan).await?)
}

/// Asks to be paired; gives the match if somebody was waiting. Who asks for the same again keeps the
/// place in the queue.
pub(crate) async fn wish(
    app: &App,
    who: Member,
    terms: Terms,
    claims: &Claims,
    context: audit::Context,
) -> Result<Option<MatchId>, StartFailure> {
    // One after the other, so that of two who ask at once the second finds the first. Whoever asks
    // another server at that moment is found now and then.
    let _turn = app.pairing.lock().await;
    let player = claims.player;
    let ratings = match claims.role {
        // Only accounts play rated matches.
        Role::Guest => Vec::new(),
        Role::Player | Role::Admin => {
            let profile = app.store.find_profile(player).await?;
            profile.map(|profile| profile.ratings).unwrap_or_default()
        }
    };
    let speed = speed(terms.clock());
    let rating = ratings.iter().find(|it| it.game == terms.game() && it.speed == speed);
    let rating = rating.map_or(Rated::NEW.rating, |rating| rating.rating);
    let (asked_ms, pool) = (app.time.now_ms(), pool(&terms));
    let earlier = app.store.find_pairing(player).await?;
    let same = earlier.as_ref().filter(|row| row.pool == pool).and_then(read_wish);
    let same = same.filter(|wish| wish.holds(asked_ms));
    let since_ms = same.map_or(asked_ms, |wish| wish.since_ms);
    let wish = Wish { player, name: who.name, terms, rating, since_ms, asked_ms };
    let body = serde_json::to_string(&wish).unwrap_or_default();
    let mut rows = app.store.pairings(&pool).await?;
    rows.retain(|row| row.player != player);
    rows.extend(earlier);
    // Whoever finds somebody waiting need not be stored as waiting.
    let paired = pair_up(app, rows, Some(wish), context).await?;
    if paired.is_none() {
        let row = Pairing { player, pool, body, since_ms, asked_ms };
        app.store.commit(vec![Change::PutPairing(row)]).await?;
    }
    Ok(paired)
}

/// Takes a wish back; having none is no error.
pub(crate) async fn withdraw(app: &App, player: PlayerId) -> Result<(), StorageError> {
    match app.store.commit(vec![Change::DeletePairing { player }]).await {
        Ok(()) | Err(StorageError::NotFound(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Begins a match for all who can be paired.
pub(crate) async fn pair(app: &App, context: audit::Context) -> Result<(), StorageError> {
    let gone_ms = app.time.now_ms().saturating_sub(WISH_LASTS_MS);
    while app.store.purge_pairings(gone_ms, SWEEP_STEP).await? == u64::from(SWEEP_STEP) {}
    for pool in app.store.shared_pools().await? {
        let rows = app.store.pairings(&pool).await?;
        // What is wrong in one pool must not keep those of the others apart.
        match pair_up(app, rows, None, context.clone()).await {
            Ok(_) => {}
            Err(
                StartFailure::Store(error)
                | StartFailure::Begin(BeginError::Store(error @ StorageError::Unavailable(_))),
            ) => return Err(error),
            Err(error) => tracing::warn!(%error, "nobody of a pool was paired"),
        }
    }
    Ok(())
}

/// Begins a match for all of these who can be paired, and for whoever asks, who may be among them;
/// gives the asker's.
async fn pair_up(
    app: &App,
    rows: Vec<Pairing>,
    asking: Option<Wish>,
    context: audit::Context,
) -> Result<Option<MatchId>, StartFailure> {
    let asker = asking.as_ref().map(|wish| wish.player);
    let stored: Vec<PlayerId> = rows.iter().map(|row| row.player).collect();
    let mut found = None;
    let mut queue = PairingQueue::default();
    for row in rows.iter().filter(|row| Some(row.player) != asker) {
        match read_wish(row).filter(|wish| wish.holds(app.time.now_ms())) {
            Some(wish) => queue.add(wish).map_err(|_| StartFailure::QueueFull)?,
            None => withdraw(app, row.player).await?,
        }
    }
    if let Some(wish) = asking {
        queue.add(wish).map_err(|_| StartFailure::QueueFull)?;
    }
    let chance = getrandom::u64().map_err(BeginError::from)?;
    while let Some(group) = queue.pair(app.time.now_ms(), chance) {
        let Some(terms) = group.first().map(|wish| wish.terms.clone()) else {
            break;
        };
        let members: Vec<Member> = group
            .iter()
            .map(|wish| Member { player: wish.player, name: wish.name.clone() })
            .collect();
        let players: Vec<PlayerId> = members.iter().map(|it| it.player).collect();
        let waited = players.iter().filter(|player| stored.contains(player));
        let fulfilled = waited.map(|player| Change::DeletePairing { player: *player }).collect();
        // Strangers who play whoever comes are no secret.
        let order = members.iter().map(Sitter::Member).collect();
        let party = Party { terms, order, is_public: true };
        match seat(app, party, context.clone(), fulfilled).await {
            Ok(match_id) => {
                if asker.is_some_and(|asker| players.contains(&asker)) {
                    found = Some(match_id);
                }
                let paired = ServerMessage::Paired(MatchStarted { match_id });
                app.bus.for_each_connection(|connection| {
                    if players.contains(&connection.player()) {
                        connection.say(&paired);
                    }
                });
            }
            // Another request has paired one of them at the same time, or one is no more.
            Err(
                StartFailure::Begin(BeginError::Store(StorageError::NotFound(_)))
                | StartFailure::Store(StorageError::NotFound(_)),
            ) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

fn read_wish(row: &Pairing) -> Option<Wish> {
    serde_json::from_str(&row.body).ok()
}

pub(crate) fn parts(row: storage::Lobby) -> LobbyParts {
    let storage::Lobby { id, host, is_public, body, created_ms, version, .. } = row;
    LobbyParts { id, host, is_public, body, created_ms, version }
}

fn row(app: &App, lobby: &Lobby) -> storage::Lobby {
    let LobbyParts { id, host, is_public, body, created_ms, version } = lobby.to_parts();
    let touched_ms = app.time.now_ms();
    storage::Lobby { id, host, is_public, body, created_ms, touched_ms, version }
}
