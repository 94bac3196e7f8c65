//! How a match ends: its last entry, result, statistics, ratings and record are one unit.

use std::collections::BTreeMap;

use audit::{Context, GameplayEvent};
use domain::{MatchId, PlayerId, SeatHolder};
use game_api::{AnyMatch, Entry, EntryKind, StateHash, Viewer};
use play::room::{Ending, Room};
use play::{Rated, rate, speed};
use protocol::ws::Outcome;
use protocol::{ClockSetting, NotationLine};
use serde_json::value::RawValue;
use storage::{Change, MatchResult, MatchRow, Rating, Score, StorageError, Thing, Unit};

use super::House;
use super::story::{self, Hearer, story};

/// Matches of one player may end at once: then the others rate again, one after the other. Whose turn it is
/// can still lose to one that ends meanwhile, or at another server, hence several tries.
const RATING_TRIES: u32 = 8;

/// All that the room knows about its end.
pub(super) struct End {
    match_id: MatchId,
    game: &'static str,
    seats: Vec<SeatHolder>,
    clock: ClockSetting,
    is_rated: bool,
    is_public: bool,
    entry: Entry,
    outcome: Outcome,
    final_views: String,
    /// Unless only the log tells them.
    notations: Option<Vec<NotationLine>>,
    state_hash: StateHash,
    refusals: BTreeMap<String, u32>,
}

/// How often a room gave each refusal.
pub(super) fn refusals(room: &Room) -> BTreeMap<String, u32> {
    room.refusals().iter().map(|(code, count)| ((*code).to_owned(), *count)).collect()
}

impl End {
    pub(super) fn of(room: &Room, entry: Entry, ending: Ending) -> End {
        End {
            match_id: room.id(),
            game: room.contest().meta().id,
            seats: room.seats().iter().map(|owner| owner.holder.clone()).collect(),
            clock: room.clock_setting(),
            // Nobody's rating survives a takeback.
            is_rated: room.is_rated() && !room.has_takeback(),
            is_public: room.is_public(),
            entry,
            outcome: ending.outcome,
            final_views: final_views(room.contest()),
            notations: room.notations(),
            state_hash: room.contest().state_hash(),
            refusals: refusals(room),
        }
    }

    /// Stores the last entry and all that comes with it.
    pub(super) async fn store(mut self, house: &House) -> Result<(), StorageError> {
        let lines = match self.notations.take() {
            Some(lines) => lines,
            None => self.notations_by_log(house).await?,
        };
        let notations = serde_json::to_string(&lines).unwrap_or_default();
        let mut turn = None;
        for _ in 0..RATING_TRIES {
            let unit = self.unit(house, notations.clone()).await?;
            match house.store.commit(unit).await {
                Err(StorageError::Conflict(Thing::Rating)) if turn.is_none() => {
                    turn = Some(house.rating_again.lock().await);
                }
                Err(StorageError::Conflict(Thing::Rating)) => {}
                stored => return stored,
            }
        }
        Err(StorageError::Conflict(Thing::Rating))
    }

    /// The steps as whoever made them reads them; the match is over, so it is no secret any more.
    async fn notations_by_log(&self, house: &House) -> Result<Vec<NotationLine>, StorageError> {
        let row = house.store.find_match(self.match_id).await?;
        let row = row.ok_or(StorageError::NotFound(Thing::Match))?;
        let mut entries = house.store.entries(self.match_id, 0).await?;
        entries.truncate(self.entry.ply as usize);
        entries.push(self.entry.clone());
        let story = (house.games)(&row.game).map(|game| story(game, &row, &entries, Hearer::All));
        Ok(story::notations(story.and_then(Result::ok).unwrap_or_default()))
    }

    async fn unit(&self, house: &House, notations: String) -> Result<Unit, StorageError> {
        let match_id = self.match_id;
        let mut unit = vec![
            Change::Append { match_id, entry: self.entry.clone() },
            Change::EndMatch(MatchResult {
                match_id,
                ended_ms: self.entry.at_ms,
                reason: self.outcome.reason.clone(),
                places: self.outcome.places.clone(),
                final_views: self.final_views.clone(),
                notations,
                state_hash: self.state_hash,
            }),
        ];
        // Nothing counts that was aborted, or that somebody played alone or with bots.
        if !self.outcome.places.is_empty() && !self.is_hot_seat() && !self.has_bot() {
            let scored = self.seats.iter().zip(scores(&self.outcome.places));
            unit.extend(scored.filter_map(|(holder, score)| match holder {
                SeatHolder::Player(player) => {
                    let (player, game) = (*player, self.game.to_owned());
                    let is_public = self.is_public;
                    Some(Change::CountResult { player, game, score, is_public })
                }
                SeatHolder::Bot(_) | SeatHolder::Gone => None,
            }));
            unit.extend(self.ratings(house).await?);
        }
        let context = || Context { match_id: Some(match_id), ..Context::default() };
        let ended = GameplayEvent::MatchEnded { reason: self.outcome.reason.clone() };
        unit.extend(house.notes.change(&ended, context()));
        if !self.refusals.is_empty() {
            let refused = GameplayEvent::ActionsRefused { counts: self.refusals.clone() };
            unit.extend(house.notes.change(&refused, context()));
        }
        Ok(unit)
    }

    async fn ratings(&self, house: &House) -> Result<Unit, StorageError> {
        let players: Option<Vec<PlayerId>> = self.seats.iter().map(player).collect();
        let (true, Some(players)) = (self.is_rated, players) else {
            return Ok(Unit::new());
        };
        let speed = speed(self.clock);
        let mut versions = Vec::with_capacity(players.len());
        let mut before = Vec::with_capacity(players.len());
        for player in &players {
            // Whose account was deleted meanwhile cannot be rated, and so nobody can.
            let Some(profile) = house.store.find_profile(*player).await? else {
                return Ok(Unit::new());
            };
            let is_this = |it: &Rating| it.game == self.game && it.speed == speed;
            let rating = profile.ratings.into_iter().find(is_this);
            versions.push(rating.as_ref().map_or(0, |rating| rating.version));
            before.push(rating.map_or(Rated::NEW, |it| Rated {
                rating: it.rating,
                deviation: it.deviation,
                volatility: it.volatility,
            }));
        }
        let after = rate(&before, &self.outcome.places);
        let seats = players.iter().zip(versions).zip(after);
        let ratings = seats.map(|((player, version), rated)| {
            Change::SetRating(Rating {
                player: *player,
                game: self.game.to_owned(),
                speed: speed.to_owned(),
                rating: rated.rating,
                deviation: rated.deviation,
                volatility: rated.volatility,
                version: version + 1,
            })
        });
        Ok(ratings.collect())
    }

    fn is_hot_seat(&self) -> bool {
        self.seats.windows(2).all(|pair| pair[0] == pair[1])
    }

    fn has_bot(&self) -> bool {
        self.seats.iter().any(|holder| matches!(holder, SeatHolder::Bot(_)))
    }
}

fn player(holder: &SeatHolder) -> Option<PlayerId> {
    match holder {
        SeatHolder::Player(player) => Some(*player),
        SeatHolder::Bot(_) | SeatHolder::Gone => None,
    }
}

fn scores(places: &[u8]) -> impl Iterator<Item = Score> {
    let is_shared = places.iter().filter(|place| **place == 1).nth(1).is_some();
    places.iter().map(move |place| match place {
        1 if is_shared => Score::Drawn,
        1 => Score::Won,
        _ => Score::Lost,
    })
}

/// What each viewer saw last: a list by seat, spectators at the end.
fn final_views(contest: &dyn AnyMatch) -> String {
    let views = Viewer::all(contest.seats()).map(|viewer| {
        let view = contest.view(viewer).unwrap_or_default();
        serde_json::from_slice::<Box<RawValue>>(&view).ok()
    });
    serde_json::to_string(&views.collect::<Vec<_>>()).unwrap_or_default()
}

/// Ends a running match whose rules are gone.
pub(super) async fn abort_for_rules(
    house: &House,
    row: &MatchRow,
    entries: usize,
) -> Result<(), StorageError> {
    let match_id = row.id;
    let ply = u32::try_from(entries).unwrap_or(u32::MAX);
    let at_ms = house.time.now_ms();
    let epoch = row.epoch + 1;
    let entry = Entry { ply, seat: None, at_ms, nonce: 0, epoch, kind: EntryKind::Abort };
    let take = Change::TakeLease {
        match_id,
        owner: house.owner.clone(),
        epoch: row.epoch,
        until_ms: at_ms,
    };
    let end = Change::EndMatch(MatchResult {
        match_id,
        ended_ms: at_ms,
        reason: "rules_changed".to_owned(),
        places: Vec::new(),
        final_views: "[]".to_owned(),
        notations: "[]".to_owned(),
        // There are no rules that could tell the state.
        state_hash: StateHash::of(&()),
    });
    house.store.commit(vec![take, Change::Append { match_id, entry }, end]).await
}
