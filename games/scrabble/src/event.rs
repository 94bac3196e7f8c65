//! What one viewer may know of a step, and its notation.

use std::fmt;

use game_api::{Seat, Step, Viewer};
use serde::{Deserialize, Serialize};

use crate::action::{Action, Placement, Spot};
use crate::specials::Fired;
use crate::square::Square;
use crate::state::State;
use crate::tile::Counts;
use crate::{Rules, Scrabble};

/// What one viewer may know of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(missing_docs, reason = "only what is not for all eyes needs a word")]
pub enum Event {
    Played {
        seat: Seat,
        play: Placement,
        /// The specials that came with it, if they are the viewer's; for others it is as if there
        /// were none.
        specials: Vec<Spot>,
        /// What it came to, unless it waits for the others' answers.
        settled: Option<Settled>,
    },
    Exchanged {
        seat: Seat,
        count: usize,
        /// The tiles that went, if they were the viewer's.
        gave: Option<String>,
        /// The tiles that came, if they are the viewer's.
        drew: Option<String>,
    },
    Bought {
        seat: Seat,
        points: i32,
        /// What it was, if it is the viewer's.
        kind: Option<String>,
    },
    Passed {
        seat: Seat,
    },
    Accepted {
        seat: Seat,
        /// What the move came to, if this was the last answer.
        settled: Option<Settled>,
    },
    Challenged {
        seat: Seat,
        /// The words that are in no list; with none the move stands.
        wrong: Vec<String>,
        settled: Option<Settled>,
    },
}

/// What a move that stands came to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    /// What it scored.
    pub score: i32,
    /// Who got that.
    pub earner: Seat,
    /// The specials that it hit, in order.
    pub fired: Vec<Fired>,
    /// The squares whose letters are gone.
    pub cleared: Vec<Square>,
    /// The tiles that the player drew, if that is the viewer.
    pub drew: Option<String>,
}

impl Event {
    pub(crate) fn of(rules: Rules<'_>, step: &Step<'_, Scrabble>, viewer: Viewer) -> Event {
        let Step { before, seat, action, after } = *step;
        let is_own = viewer.is(seat);
        let settled = || Settled::of(before, after, viewer);
        match action {
            Action::Play(play) => Event::Played {
                seat,
                play: play.placement.clone(),
                specials: if is_own { play.specials.clone() } else { Vec::new() },
                settled: after.pending.is_none().then(settled).flatten(),
            },
            Action::Exchange(tiles) => {
                let pool = &before.pools[before.pool_of(seat)];
                let drawn: Counts = pool[pool.len() - tiles.total()..].iter().copied().collect();
                Event::Exchanged {
                    seat,
                    count: tiles.total(),
                    gave: is_own.then(|| tiles.to_string()),
                    drew: is_own.then(|| drawn.to_string()),
                }
            }
            Action::Buy(kind) => Event::Bought {
                seat,
                points: before.scores[seat.index()] - after.scores[seat.index()],
                kind: is_own.then(|| kind.clone()),
            },
            Action::Pass => Event::Passed { seat },
            Action::Accept => {
                Event::Accepted { seat, settled: after.pending.is_none().then(settled).flatten() }
            }
            Action::Challenge => {
                let judged = before.pending.as_ref().map(|pending| before.judge(rules, pending));
                let wrong = judged.map(|(_, wrong)| wrong).unwrap_or_default();
                Event::Challenged { seat, wrong, settled: settled() }
            }
        }
    }
}

impl Settled {
    /// Of a step that decided a move of the seat whose turn it was.
    fn of(before: &State, after: &State, viewer: Viewer) -> Option<Settled> {
        let last = after.last_move().filter(|last| last.stands)?;
        let player = before.active;
        let pool = before.pool_of(player);
        let left = after.pools[pool].len();
        let drawn: Counts = before.pools[pool][left..].iter().copied().collect();
        Some(Settled {
            score: last.score,
            earner: last.earner,
            fired: last.fired.clone(),
            cleared: last.cleared.clone(),
            drew: viewer.is(player).then(|| drawn.to_string()),
        })
    }
}

/// The notation of the step, as the event's viewer may read it.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Played { play, specials, settled, .. } => {
                play.fmt(f)?;
                specials.iter().try_for_each(|spot| write!(f, "+{spot}"))?;
                settled.iter().try_for_each(|settled| settled.fmt(f))
            }
            Event::Exchanged { gave: Some(gave), drew: Some(drew), .. } => {
                write!(f, "exchange {gave} for {drew}")
            }
            Event::Exchanged { count, .. } => write!(f, "exchange {count}"),
            Event::Bought { points, kind: Some(kind), .. } => {
                write!(f, "buy {kind} for {points}")
            }
            Event::Bought { points, .. } => write!(f, "buy for {points}"),
            Event::Passed { .. } => f.write_str("pass"),
            Event::Accepted { settled, .. } => {
                f.write_str("accept")?;
                settled.iter().try_for_each(|settled| write!(f, ", stands{settled}"))
            }
            Event::Challenged { wrong, settled: Some(settled), .. } if wrong.is_empty() => {
                write!(f, "challenge, rejected, stands{settled}")
            }
            Event::Challenged { wrong, .. } => {
                write!(f, "challenge, upheld: {}", wrong.join(" "))
            }
        }
    }
}

impl fmt::Display for Settled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "={}", self.score)?;
        for Fired { kind, square, owner } in &self.fired {
            write!(f, ", hits {kind}@{square} of {owner}")?;
        }
        match &self.drew {
            Some(drew) if !drew.is_empty() => write!(f, ", drew {drew}"),
            _ => Ok(()),
        }
    }
}
