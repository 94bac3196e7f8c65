//! Which bots there are: the catalogue's, and for the highest level of chess an engine of the operator's
//! if there is one.

use bots::{Advice, AnyBot, Budget, Level};
use game_api::{Refused, Seed, Seen};

use crate::uci::{UciEngine, UciError};

/// What our own bot may look at where the engine failed: its time is over by then.
const INSTEAD_NODES: u64 = 20_000;

pub(crate) struct Roster {
    find: crate::Bots,
    engine: Option<Backed>,
}

impl Roster {
    /// With the engine that this command starts, if any.
    pub(crate) fn open(find: crate::Bots, uci: Option<&str>) -> Result<Roster, UciError> {
        let own = find(catalog::UCI_GAME, &Level::HIGHEST.to_string()).map(|(own, _)| own);
        let engine = match (uci, own) {
            (Some(command), Some(own)) => {
                Some(Backed { engine: UciEngine::open(command, &[])?, own })
            }
            _ => None,
        };
        Ok(Roster { find, engine })
    }

    /// A bot by its game's key and its name.
    pub(crate) fn find(&self, game: &str, name: &str) -> Option<(&dyn AnyBot, Level)> {
        let is_engines = game == catalog::UCI_GAME && name.parse() == Ok(Level::HIGHEST);
        match self.engine.as_ref().filter(|_| is_engines) {
            Some(engine) => Some((engine, Level::HIGHEST)),
            None => (self.find)(game, name),
        }
    }
}

/// An engine, and who plays if it fails.
struct Backed {
    engine: UciEngine,
    own: &'static dyn AnyBot,
}

impl AnyBot for Backed {
    fn choose(
        &self,
        seen: &Seen<'_>,
        level: Level,
        budget: &Budget<'_>,
        chance: &Seed,
    ) -> Result<Advice, Refused> {
        self.engine.think(seen, budget).or_else(|error| {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "the chess engine failed; our own bot plays instead");
            self.own.choose(seen, level, &Budget::of_nodes(INSTEAD_NODES), chance)
        })
    }

    fn remark(&self, level: Level) -> Option<String> {
        self.engine.remark(level)
    }
}
