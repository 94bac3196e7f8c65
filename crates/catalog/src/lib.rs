//! The explicit list of games. A new game is one line here; no other crate's code names it.

use std::sync::LazyLock;

use game_api::{AnyGame, AnyMatch, Erased, MatchLog, ReplayError};

static GAMES: LazyLock<Vec<Box<dyn AnyGame>>> = LazyLock::new(|| {
    vec![
        Box::new(Erased::new(crazy_tens::CrazyTens)),
        Box::new(Erased::new(chess::Chess)),
        Box::new(Erased::new(santorini::Santorini)),
        // New games go here, one line each.
    ]
});

/// All games, in the order in which they are shown.
pub fn games() -> impl Iterator<Item = &'static dyn AnyGame> {
    GAMES.iter().map(AsRef::as_ref)
}

/// The game with this key.
pub fn find(id: &str) -> Option<&'static dyn AnyGame> {
    games().find(|game| game.meta().id == id)
}

/// Plays a log of any game again and checks all that it claims.
pub fn replay(log: &MatchLog) -> Result<Box<dyn AnyMatch>, ReplayError> {
    match find(&log.game) {
        Some(game) => game.replay(log),
        None => Err(ReplayError::Game { found: log.game.clone() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_game_has_a_key_of_its_own_that_fits_an_address() {
        let mut ids: Vec<&str> = games().map(|game| game.meta().id).collect();
        assert!(
            ids.iter().all(|id| {
                id.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
            })
        );
        assert!(ids.iter().all(|id| find(id).is_some_and(|game| game.meta().id == *id)));
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
        assert!(find("no-such-game").is_none());
    }
}
