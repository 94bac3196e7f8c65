//! What the end of a match brings beside its last entry. A likeness of `server::actors::finish`,
//! and at the end of a run the check that it was booked once.

use std::collections::BTreeMap;

use domain::{PlayerId, SeatHolder};
use game_api::Entry;
use play::room::Room;
use play::{Rated, rate, speed};
use protocol::ws::Outcome;
use storage::{Change, MatchResult, MatchStatus, Rating, Score, Unit};

use crate::ground::Ground;
use crate::ledger::Ledger;
use crate::violated;

/// The result, and what is counted and rated by it.
pub(crate) fn end(ground: &Ground, room: &Room, entry: &Entry, outcome: &Outcome) -> Unit {
    let mut unit = vec![Change::EndMatch(MatchResult {
        match_id: room.id(),
        ended_ms: entry.at_ms,
        reason: outcome.reason.clone(),
        places: outcome.places.clone(),
        final_views: "[]".to_owned(),
        notations: "[]".to_owned(),
        state_hash: room.contest().state_hash(),
    })];
    let Some(ledger) = ground.ledgers.get(&room.id()) else {
        return unit;
    };
    let game = &ledger.row().game;
    if !is_counted(ledger, &outcome.places) {
        return unit;
    }
    let players = ledger.players();
    unit.extend(players.iter().zip(scores(&outcome.places)).map(|(player, score)| {
        Change::CountResult {
            player: *player,
            game: game.clone(),
            score,
            is_public: ledger.row().is_public,
        }
    }));
    if !ledger.settings().is_rated || room.has_takeback() {
        return unit;
    }
    let speed = speed(ledger.settings().clock);
    let ratings: Vec<Option<Rating>> =
        players.iter().map(|player| find_rating(ground, *player, game, speed)).collect();
    let before: Vec<Rated> = ratings
        .iter()
        .map(|rating| {
            rating.as_ref().map_or(Rated::NEW, |it| Rated {
                rating: it.rating,
                deviation: it.deviation,
                volatility: it.volatility,
            })
        })
        .collect();
    let after = rate(&before, &outcome.places);
    unit.extend(players.iter().zip(ratings).zip(after).map(|((player, before), rated)| {
        Change::SetRating(Rating {
            player: *player,
            game: game.clone(),
            speed: speed.to_owned(),
            rating: rated.rating,
            deviation: rated.deviation,
            volatility: rated.volatility,
            version: before.map_or(0, |rating| rating.version) + 1,
        })
    }));
    unit
}

/// Nothing counts that was aborted, or that somebody played alone or with bots.
fn is_counted(ledger: &Ledger, places: &[u8]) -> bool {
    let seats: &[SeatHolder] = &ledger.row().seats;
    let has_bot = seats.iter().any(|holder| matches!(holder, SeatHolder::Bot(_)));
    !places.is_empty() && !has_bot && seats.windows(2).any(|pair| pair[0] != pair[1])
}

fn scores(places: &[u8]) -> impl Iterator<Item = Score> {
    let is_shared = places.iter().filter(|place| **place == 1).nth(1).is_some();
    places.iter().map(move |place| match place {
        1 if is_shared => Score::Drawn,
        1 => Score::Won,
        _ => Score::Lost,
    })
}

fn find_rating(ground: &Ground, player: PlayerId, game: &str, speed: &str) -> Option<Rating> {
    let ratings = ground.store.profile(player)?.ratings;
    ratings.into_iter().find(|rating| rating.game == game && rating.speed == speed)
}

/// Every match that has ended has one result, and every player's books are the sum of them.
pub(crate) fn check(ground: &Ground, players: &[PlayerId]) {
    const ONCE: &str = "a result is booked once";
    let mut counted: BTreeMap<(PlayerId, String), [u32; 3]> = BTreeMap::new();
    let mut rated: BTreeMap<(PlayerId, String, String), u32> = BTreeMap::new();
    for ledger in ground.ledgers.values() {
        let id = ledger.id();
        let result = ground.store.result(id);
        let status = ground.store.row(id).map(|row| row.status);
        if ledger.is_over() != result.is_some()
            || ledger.is_over() != (status == Some(MatchStatus::Over))
        {
            violated(ONCE, format!("{id}: over {}, but {status:?}", ledger.is_over()));
        }
        let Some(result) = result else {
            continue;
        };
        let places = ledger.places();
        if result.places != places || result.state_hash != ledger.state_hash() {
            violated(ONCE, format!("{id}: {:?} instead of {places:?}", result.places));
        }
        if !is_counted(ledger, &places) {
            continue;
        }
        let game = &ledger.row().game;
        for (player, score) in ledger.players().into_iter().zip(scores(&places)) {
            counted.entry((player, game.clone())).or_default()[score as usize] += 1;
            if ledger.settings().is_rated && !ledger.has_takeback {
                let speed = speed(ledger.settings().clock).to_owned();
                *rated.entry((player, game.clone(), speed)).or_default() += 1;
            }
        }
    }
    for player in players {
        let Some(profile) = ground.store.profile(*player) else {
            continue;
        };
        for row in &profile.statistics {
            let expected = counted.remove(&(*player, row.game.clone()));
            if expected != Some([row.won, row.drawn, row.lost]) {
                violated(ONCE, format!("{player:?} has {row:?}, not {expected:?}"));
            }
        }
        for rating in &profile.ratings {
            let key = (*player, rating.game.clone(), rating.speed.clone());
            let expected = rated.remove(&key);
            if expected != Some(rating.version) {
                violated(ONCE, format!("{player:?} has {rating:?}, not {expected:?}"));
            }
        }
    }
    if let Some((missing, _)) = counted.iter().next() {
        violated(ONCE, format!("nothing is counted for {missing:?}"));
    }
    if let Some((missing, _)) = rated.iter().next() {
        violated(ONCE, format!("nothing is rated for {missing:?}"));
    }
}
