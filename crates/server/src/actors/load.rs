//! A room from the database: whose match it is, what has happened in it, and that it is ours now.

use domain::{MatchId, SeatHolder, bot_name};
use game_api::{AnyGame, AnyMatch, Refused};
use play::Settings;
use play::room::{Room, SeatOwner, Setup, Unreplayable};
use protocol::Code;
use storage::{Change, MatchRow, MatchStatus, StorageError, Thing};

use super::hall::LEASE_MS;
use super::{House, finish};

/// A room that is ready.
pub(super) struct Loaded {
    pub(super) room: Box<Room>,
    pub(super) epoch: u32,
    /// Set if it became ours by this.
    pub(super) lease_until_ms: Option<u64>,
}

/// Why there is no room.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unloadable {
    #[error("there is no such match")]
    NotFound,
    #[error("another server has it")]
    Elsewhere,
    #[error("it was played by other rules")]
    RulesChanged,
    #[error("its row cannot be read: {0}")]
    Corrupt(&'static str),
    #[error("its rules panicked")]
    Panicked,
    #[error(transparent)]
    Unreplayable(#[from] Unreplayable),
    #[error(transparent)]
    Store(#[from] StorageError),
}

impl Unloadable {
    pub(crate) fn code(&self) -> Code {
        match self {
            Unloadable::NotFound => Code::MatchNotFound,
            Unloadable::Elsewhere => Code::Busy,
            Unloadable::RulesChanged => Code::RulesChanged,
            Unloadable::Store(StorageError::Unavailable(_) | StorageError::Conflict(_)) => {
                Code::Unavailable
            }
            Unloadable::Corrupt(_)
            | Unloadable::Panicked
            | Unloadable::Unreplayable(_)
            | Unloadable::Store(_) => Code::Internal,
        }
    }
}

/// In which epoch this process has a match already: then time went on for it.
#[derive(Clone, Copy)]
pub(super) struct Held {
    pub(super) epoch: u32,
    /// Something may still be stored in this epoch that this process knows nothing of: a new one
    /// keeps it out.
    pub(super) is_unsure: bool,
}

/// Reads a match, and makes it ours unless it is.
pub(super) async fn load(
    house: &House,
    match_id: MatchId,
    held: Option<Held>,
) -> Result<Loaded, Unloadable> {
    let row = house.store.find_match(match_id).await?.ok_or(Unloadable::NotFound)?;
    let now_ms = house.time.now_ms();
    let is_running = row.status == MatchStatus::Running;
    let held = held.filter(|held| held.epoch == row.epoch);
    let is_held = held.is_some_and(|held| !held.is_unsure);
    let is_ours = row.owner.as_deref().is_none_or(|owner| owner == house.owner);
    if is_running && !is_held && !is_ours && row.lease_until_ms > now_ms {
        return Err(Unloadable::Elsewhere);
    }
    let entries = house.store.entries(match_id, 0).await?;
    let is_taken = is_running && !is_held;
    let epoch = if is_taken { row.epoch + 1 } else { row.epoch };
    let setup = match setup(house, &row, epoch).await {
        Err(Unloadable::RulesChanged) if is_running => {
            finish::abort_for_rules(house, &row, entries.len()).await?;
            return Err(Unloadable::RulesChanged);
        }
        setup => setup?,
    };
    let mut room = Box::new(Room::restore(setup, &entries)?);
    if !is_taken {
        return Ok(Loaded { room, epoch, lease_until_ms: None });
    }
    let until_ms = now_ms + LEASE_MS;
    let owner = house.owner.clone();
    let mut unit = vec![Change::TakeLease { match_id, owner, epoch: row.epoch, until_ms }];
    if held.is_none() {
        unit.extend(room.resume(now_ms).map(|entry| Change::Append { match_id, entry }));
    }
    house.store.commit(unit).await?;
    // The owner before may have stored something after the log was read. The next try finds it.
    if !house.store.entries(match_id, room.ply()).await?.is_empty() {
        return Err(StorageError::Conflict(Thing::Entry).into());
    }
    Ok(Loaded { room, epoch, lease_until_ms: Some(until_ms) })
}

/// The match as it was at its beginning.
pub(crate) fn deal(game: &dyn AnyGame, row: &MatchRow) -> Result<Box<dyn AnyMatch>, Refused> {
    match &row.from_position {
        None => game.start(&row.options, u8::try_from(row.seats.len()).unwrap_or(0), row.seed),
        Some(text) => game.start_from_position(&row.options, text, row.seed),
    }
}

/// The rules that a match is played by, if they are still here.
pub(crate) fn rules(house: &House, row: &MatchRow) -> Option<&'static dyn AnyGame> {
    (house.games)(&row.game).filter(|game| game.meta().rules_version == row.rules_version)
}

/// How a match is played; what an older row does not say is as usual.
pub(crate) fn settings(text: &str) -> Settings {
    serde_json::from_str(text).unwrap_or_default()
}

/// Who sits where, by the names of today.
pub(crate) async fn owners(house: &House, row: &MatchRow) -> Result<Vec<SeatOwner>, StorageError> {
    let mut owners = Vec::with_capacity(row.seats.len());
    for holder in &row.seats {
        let name = match holder {
            SeatHolder::Player(player) => {
                house.store.find_player(*player).await?.map(|player| player.name)
            }
            SeatHolder::Bot(bot) => Some(bot_name(bot)),
            SeatHolder::Gone => None,
        };
        owners.push(SeatOwner { holder: holder.clone(), name });
    }
    Ok(owners)
}

/// All that a room is made of.
pub(crate) async fn setup(house: &House, row: &MatchRow, epoch: u32) -> Result<Setup, Unloadable> {
    let game = rules(house, row).ok_or(Unloadable::RulesChanged)?;
    let contest = deal(game, row).map_err(|_| Unloadable::Corrupt("options"))?;
    if contest.commitment() != row.commitment {
        return Err(Unloadable::Corrupt("commitment"));
    }
    let settings: Settings =
        serde_json::from_str(&row.settings).map_err(|_| Unloadable::Corrupt("settings"))?;
    Ok(Setup {
        id: row.id,
        contest,
        seats: owners(house, row).await?,
        clock: settings.clock,
        spectator_delay_ms: u64::from(settings.spectator_delay_s) * 1000,
        is_rated: settings.is_rated,
        is_public: row.is_public,
        epoch,
        created_ms: row.created_ms,
    })
}
