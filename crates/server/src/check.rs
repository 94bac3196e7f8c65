//! Whether a house is whole: reads all that is stored, replays every match, and changes nothing.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use domain::{LobbyId, MatchId, PlayerId};
use game_api::{Commitment, Entry};
use play::room::{Room, SeatOwner, Setup};
use play::{Lobby, Settings, Wish};
use serde_json::value::RawValue;
use storage::{Listed, MatchResult, MatchRow, MatchStatus, StorageError, Store};
use storage_sqlite::{Claim, Damage, SqliteStore};

use crate::app::StartError;
use crate::config::Config;
use crate::{Games, actors, lobbies, opening};

/// How many ids are read at once.
const PAGE: u32 = 1000;

/// The code of a match of Scrabble whose list of words is not here.
const OTHER_WORDS: &str = "other_words";

/// What was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Accounts and guests.
    pub players: u64,
    /// Matches that are over.
    pub finished: u64,
    /// Matches that are not.
    pub running: u64,
    /// Of both, those whose rules or words are not in this program, so that they were not replayed.
    pub not_replayed: u64,
    /// Entries of all matches.
    pub entries: u64,
    /// Open lobbies.
    pub lobbies: u64,
    /// People who wait for a partner.
    pub pairings: u64,
    /// What is wrong.
    pub problems: u64,
}

/// Checks the configured house, beside its server or without one. `tell` is told of each problem.
pub async fn check(
    config: &Config,
    games: Games,
    tell: &mut dyn FnMut(&str),
) -> Result<Found, StartError> {
    let mut inspector = Inspector { games, tell, found: Found::default() };
    if let Some(store) = inspector.open(config).await? {
        let checked = inspector.inspect(config, &*store).await;
        store.close().await;
        checked?;
    }
    Ok(inspector.found)
}

struct Inspector<'a> {
    games: Games,
    tell: &'a mut dyn FnMut(&str),
    found: Found,
}

/// A value, or `None` if it is damaged, which is told.
macro_rules! readable {
    ($inspector:ident, $what:expr, $read:expr) => {
        match $read {
            Ok(value) => Some(value),
            Err(error @ (StorageError::Unavailable(_) | StorageError::NotFound(_))) => {
                return Err(error.into());
            }
            Err(error) => {
                $inspector.problem(format_args!("{}: {error}", $what));
                None
            }
        }
    };
}

impl Inspector<'_> {
    fn problem(&mut self, what: impl std::fmt::Display) {
        self.found.problems += 1;
        (self.tell)(&what.to_string());
    }

    /// The store, unless it is too damaged to be opened.
    async fn open(&mut self, config: &Config) -> Result<Option<Arc<dyn Store>>, StartError> {
        let url = config.database_url();
        let Some(path) = opening::sqlite_path(url.expose()) else {
            return Ok(Some(Arc::new(opening::open_postgres(url.expose()).await?)));
        };
        if let Some(damage) = examine(path).map_err(StorageError::unavailable)? {
            self.problem(format_args!("the database {} {damage}", path.display()));
            if !matches!(damage, Damage::LogLost { .. }) {
                return Ok(None);
            }
        }
        // What is left of a log that is damaged stays as it is.
        Ok(Some(Arc::new(SqliteStore::open_to_look(path)?)))
    }

    async fn inspect(&mut self, config: &Config, store: &dyn Store) -> Result<(), StartError> {
        for problem in store.inspect().await? {
            self.problem(format_args!("the database: {problem}"));
        }
        self.check_key(config, store).await?;
        let mut after = None;
        while let Some(page) = self.page(store, Listed::Players, &mut after).await? {
            for id in page.into_iter().filter_map(|id| PlayerId::from_number(id).ok()) {
                self.check_player(store, id).await?;
            }
        }
        let mut after = None;
        while let Some(page) = self.page(store, Listed::Matches, &mut after).await? {
            for id in page.into_iter().filter_map(|id| MatchId::from_number(id).ok()) {
                self.check_match(store, id).await?;
            }
        }
        let mut after = None;
        while let Some(page) = self.page(store, Listed::Lobbies, &mut after).await? {
            for id in page.into_iter().filter_map(|id| LobbyId::from_number(id).ok()) {
                self.check_lobby(store, id).await?;
            }
        }
        Ok(())
    }

    /// The next ids, until there are none.
    async fn page(
        &mut self,
        store: &dyn Store,
        of: Listed,
        after: &mut Option<i64>,
    ) -> Result<Option<Vec<i64>>, StartError> {
        let page = readable!(self, format_args!("{of:?}"), store.ids(of, *after, PAGE).await);
        *after = page.as_ref().and_then(|page| page.last().copied());
        Ok(page.filter(|page| !page.is_empty()))
    }

    async fn check_key(&mut self, config: &Config, store: &dyn Store) -> Result<(), StartError> {
        let stored = opening::stored_fingerprint(store).await?;
        match (opening::find_key(config), stored) {
            (Err(error), _) => self.problem(format_args!("the token key: {error}")),
            (Ok(None), _) => self.problem("there is no token key"),
            (Ok(Some(key)), Some(stored)) if key.fingerprint() != stored => {
                self.problem("the token key is not the one that the database was used with");
            }
            (Ok(Some(_)), _) => {}
        }
        Ok(())
    }

    async fn check_player(&mut self, store: &dyn Store, id: PlayerId) -> Result<(), StartError> {
        let place = format!("player {id}");
        readable!(self, place, store.find_profile(id).await);
        self.found.players += 1;
        let pairing = readable!(self, place, store.find_pairing(id).await).flatten();
        if let Some(pairing) = pairing {
            self.found.pairings += 1;
            if let Err(error) = serde_json::from_str::<Wish>(&pairing.body) {
                self.problem(format_args!("the wish of player {id}: {error}"));
            }
        }
        Ok(())
    }

    async fn check_lobby(&mut self, store: &dyn Store, id: LobbyId) -> Result<(), StartError> {
        let row = readable!(self, format_args!("lobby {id}"), store.find_lobby(id).await).flatten();
        // It may have closed since.
        let Some(row) = row else { return Ok(()) };
        self.found.lobbies += 1;
        if let Err(error) = Lobby::from_parts(&lobbies::parts(row)) {
            self.problem(format_args!("lobby {id}: {error}"));
        }
        Ok(())
    }

    async fn check_match(&mut self, store: &dyn Store, id: MatchId) -> Result<(), StartError> {
        let place = format!("match {id}");
        let row = readable!(self, place, store.find_match(id).await).flatten();
        let Some(row) = row else { return Ok(()) };
        let is_over = row.status == MatchStatus::Over;
        self.found.finished += u64::from(is_over);
        self.found.running += u64::from(!is_over);
        let Some(entries) = readable!(self, place, store.entries(id, 0).await) else {
            return Ok(());
        };
        self.found.entries += entries.len() as u64;
        let mut result = None;
        if is_over {
            let Some(found) = readable!(self, place, store.find_result(id).await) else {
                return Ok(());
            };
            if found.is_none() {
                self.problem(format_args!("{place}: it is over and has no result"));
                return Ok(());
            }
            result = found;
        }
        let games = self.games;
        let replayed = catch_unwind(AssertUnwindSafe(|| replay(games, row, entries, result)));
        match replayed.unwrap_or_else(|_| Err("its rules panicked".to_owned())) {
            Ok(Replayed::Whole) => {}
            Ok(Replayed::NotHere) => self.found.not_replayed += 1,
            Err(problem) => self.problem(format_args!("{place}: {problem}")),
        }
        Ok(())
    }
}

/// What is wrong with the file, if no server has it.
fn examine(path: &Path) -> std::io::Result<Option<Damage>> {
    if !path.exists() {
        return Ok(Some(Damage::Missing));
    }
    Claim::take(path)?.map_or(Ok(None), |claim| claim.examine())
}

enum Replayed {
    Whole,
    /// Its rules or its words are not in this program.
    NotHere,
}

fn replay(
    games: Games,
    row: MatchRow,
    entries: Vec<Entry>,
    result: Option<MatchResult>,
) -> Result<Replayed, String> {
    let promised = Commitment::new(&row.game, row.rules_version, &row.options, &row.seed);
    if row.from_position.is_none() && promised != row.commitment {
        return Err("its seed is not the one that was promised".to_owned());
    }
    let settings: Settings =
        serde_json::from_str(&row.settings).map_err(|error| format!("its settings: {error}"))?;
    let has_rules = |game: &&dyn game_api::AnyGame| game.meta().rules_version == row.rules_version;
    let Some(game) = games(&row.game).filter(has_rules) else { return Ok(Replayed::NotHere) };
    let contest = match actors::deal(game, &row) {
        Err(refused) if refused.code == OTHER_WORDS => return Ok(Replayed::NotHere),
        dealt => dealt.map_err(|refused| format!("its beginning: {}", refused.message))?,
    };
    let Some(result) = result else {
        let owner = |holder| SeatOwner { holder, name: None };
        let setup = Setup {
            id: row.id,
            contest,
            seats: row.seats.into_iter().map(owner).collect(),
            clock: settings.clock,
            spectator_delay_ms: 0,
            is_rated: settings.is_rated,
            is_public: row.is_public,
            epoch: row.epoch,
            created_ms: row.created_ms,
        };
        return match Room::restore(setup, &entries) {
            Ok(_) => Ok(Replayed::Whole),
            Err(error) => Err(error.to_string()),
        };
    };
    let log = actors::log(&row, entries, &result).map_err(|error| error.to_string())?;
    game.replay(&log).map_err(|error| format!("{error} ({})", error.code()))?;
    for (what, json) in [("final views", &result.final_views), ("notations", &result.notations)] {
        let read = serde_json::from_str::<Vec<Option<Box<RawValue>>>>(json);
        read.map_err(|error| format!("its {what}: {error}"))?;
    }
    Ok(Replayed::Whole)
}
