//! How a match begins.

use audit::{Context, GameplayEvent};
use domain::{MatchId, PlayerId, SeatHolder};
use game_api::{Refused, Seed};
use play::room::{Room, SeatOwner, Setup};
use play::{Settings, Terms};
use protocol::MatchTerms;
use storage::{Change, NewMatch, StorageError};

use super::House;
use super::hall::LEASE_MS;
use super::load::owners;

/// A match that is to be.
pub(crate) struct Plan {
    pub(crate) terms: Terms,
    /// Who sits where, in order.
    pub(crate) seats: Vec<SeatOwner>,
    pub(crate) is_rated: bool,
    /// Whether anybody may watch it.
    pub(crate) is_public: bool,
    /// Who begins it to watch, without a seat in it.
    pub(crate) founder: Option<PlayerId>,
    /// Around what it is written down.
    pub(crate) context: Context,
    /// What else happens with it: a lobby closes, wishes are fulfilled.
    pub(crate) also: Vec<Change>,
}

/// Why a match does not begin.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BeginError {
    #[error("the game is not in the catalogue any more")]
    NoSuchGame,
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error(transparent)]
    Store(#[from] StorageError),
    #[error("the system gives no randomness")]
    Chance(#[from] getrandom::Error),
    #[error("the rooms are closing")]
    Closing,
    #[error("the match that it follows cannot be read")]
    Corrupt,
}

/// Deals a match, stores it, and opens its room.
pub(crate) async fn begin(house: &House, plan: Plan) -> Result<MatchId, BeginError> {
    let Plan { terms, seats, is_rated, is_public, founder, context, also } = plan;
    let game = (house.games)(terms.game()).ok_or(BeginError::NoSuchGame)?;
    let mut seed = [0; 32];
    getrandom::fill(&mut seed)?;
    let seed = Seed::new(seed);
    let contest = game.start(terms.options(), terms.seats(), seed)?;
    let now_ms = house.time.now_ms();
    let id = MatchId::random(getrandom::u64()?);
    let settings = Settings::new(&terms, is_rated);
    let new = NewMatch {
        id,
        game: terms.game().to_owned(),
        rules_version: game.meta().rules_version,
        options: contest.options(),
        from_position: None,
        seed,
        commitment: contest.commitment(),
        settings: serde_json::to_string(&settings).unwrap_or_default(),
        seats: seats.iter().map(|seat| seat.holder.clone()).collect(),
        is_public,
        founder,
        created_ms: now_ms,
        owner: Some(house.owner.clone()),
        lease_until_ms: now_ms + LEASE_MS,
    };
    let mut unit: Vec<Change> = limit(house, &seats).into_iter().chain(also).collect();
    let event = GameplayEvent::MatchStarted { game: new.game.clone(), seats: terms.seats() };
    unit.push(Change::CreateMatch(new));
    unit.extend(house.notes.change(&event, Context { match_id: Some(id), ..context }));
    house.store.commit(unit).await?;
    let room = Room::open(Setup {
        id,
        contest,
        seats,
        clock: settings.clock,
        spectator_delay_ms: u64::from(settings.spectator_delay_s) * 1000,
        is_rated,
        is_public,
        epoch: FIRST_EPOCH,
        created_ms: now_ms,
    });
    house.bus.open(Box::new(room)).await.map_err(|_| BeginError::Closing)?;
    Ok(id)
}

/// A match that needs no other person is one of those that its player may have at once.
fn limit(house: &House, seats: &[SeatOwner]) -> Option<Change> {
    let mut people = seats.iter().filter_map(|seat| match seat.holder {
        SeatHolder::Player(player) => Some(player),
        SeatHolder::Bot(_) | SeatHolder::Gone => None,
    });
    let player = people.next()?;
    if people.all(|other| other == player) { house.match_limit(player) } else { None }
}

/// The epoch that a new match is stored with.
pub(super) const FIRST_EPOCH: u32 = 0;

/// Another match like this one, in which everybody sits one seat further.
pub(super) async fn rematch(house: &House, earlier: MatchId) -> Result<MatchId, BeginError> {
    let row = house.store.find_match(earlier).await?.ok_or(BeginError::Corrupt)?;
    let settings: Settings =
        serde_json::from_str(&row.settings).map_err(|_| BeginError::Corrupt)?;
    let game = (house.games)(&row.game).ok_or(BeginError::NoSuchGame)?;
    let terms = MatchTerms {
        game: row.game.clone(),
        preset: None,
        options: Some(serde_json::from_str(&row.options).map_err(|_| BeginError::Corrupt)?),
        seats: u8::try_from(row.seats.len()).ok(),
        clock: settings.clock,
        spectator_delay_s: settings.spectator_delay_s,
    };
    let terms = Terms::parse(terms, game).map_err(|_| BeginError::Corrupt)?;
    // Nobody plays against somebody who is gone.
    if row.seats.contains(&SeatHolder::Gone) {
        return Err(BeginError::Corrupt);
    }
    let mut owners = owners(house, &row).await?;
    owners.rotate_left(1);
    let plan = Plan {
        terms,
        seats: owners,
        is_rated: settings.is_rated,
        is_public: row.is_public,
        // Whoever asked for a rematch has a seat.
        founder: None,
        context: Context::default(),
        also: Vec::new(),
    };
    begin(house, plan).await
}
