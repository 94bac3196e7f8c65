//! The bot: what a play scores and what tiles it keeps ([`leave`]), what the next seat can make of the
//! board ([`turn`]), and specials where there are any ([`stuff`]); at the end, when it knows all tiles,
//! alpha-beta. A low level does not know every word ([`vocabulary`]).

mod leave;
mod stuff;
mod turn;
mod vocabulary;

use bots::{Bot, Budget, Choice, Level, Puzzled, Searched, Situation, Skill, alpha_beta};
use game_api::{GameRng, Seat};

use self::turn::Turn;
use self::vocabulary::Vocabulary;
use crate::action::Action;
use crate::sight::Phase;
use crate::state::State;
use crate::{Rules, Scrabble};

/// What each level lacks, the weakest first. Noise and slack are tenths of a point; a node is a reply
/// that is looked for.
#[rustfmt::skip]
const SKILLS: [Skill; Level::COUNT] = [
    Skill { depth: 1, nodes: 0,  noise: 300, overlooks_percent: 40, slack: 400 },
    Skill { depth: 1, nodes: 0,  noise: 200, overlooks_percent: 30, slack: 300 },
    Skill { depth: 1, nodes: 0,  noise: 120, overlooks_percent: 20, slack: 200 },
    Skill { depth: 1, nodes: 0,  noise: 60,  overlooks_percent: 10, slack: 150 },
    Skill { depth: 1, nodes: 0,  noise: 30,  overlooks_percent: 0,  slack: 0 },
    Skill { depth: 1, nodes: 0,  noise: 0,   overlooks_percent: 0,  slack: 0 },
    Skill { depth: 1, nodes: 0,  noise: 0,   overlooks_percent: 0,  slack: 0 },
    Skill::FULL,
];

/// Which part of the list each level knows.
#[rustfmt::skip]
const VOCABULARIES: [Vocabulary; Level::COUNT] = [
    Vocabulary(10), Vocabulary(20), Vocabulary(32), Vocabulary(46),
    Vocabulary(62), Vocabulary(80), Vocabulary(100), Vocabulary(100),
];

/// So many states are looked at when all tiles are known.
const END_NODES: u64 = 1_500;

/// Plays words, buys and lays specials, challenges.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScrabbleBot;

impl Bot<Scrabble> for ScrabbleBot {
    fn choose(
        &self,
        situation: &Situation<'_, Scrabble>,
        level: Level,
        budget: &Budget<'_>,
        rng: &mut GameRng,
    ) -> Result<Choice<Action>, Puzzled> {
        let (skill, vocabulary) = (level.of(&SKILLS), *level.of(&VOCABULARIES));
        let state = situation.sample(rng)?;
        let rules = situation.game.rules();
        match state.phase(situation.seat) {
            Phase::Over | Phase::Waiting => Err(Puzzled::NothingToDo(situation.seat)),
            Phase::Window => Ok(answer(rules, &state, situation.seat, vocabulary, rng)),
            Phase::Turn if skill.depth > 1 && is_all_known(&state) => {
                alpha_beta(situation, skill, &budget.capped(END_NODES), rng)
            }
            Phase::Turn => {
                Turn { situation, state: &state, rules, skill, vocabulary, budget }.choose(rng)
            }
        }
    }

    fn remark(&self, level: Level) -> Option<String> {
        let Vocabulary(percent) = level.of(&VOCABULARIES);
        let is_whole = level.of(&VOCABULARIES).is_whole();
        (!is_whole).then(|| format!("Knows about {percent} of a hundred words."))
    }
}

/// Can the seat to act count the other's tiles, and is nothing else hidden?
fn is_all_known(state: &State) -> bool {
    state.pools.iter().all(Vec::is_empty)
        && state.players().count() == 2
        && state.options.specials.is_empty()
}

/// Accepts a move or challenges it.
fn answer(
    rules: Rules<'_>,
    state: &State,
    seat: Seat,
    vocabulary: Vocabulary,
    rng: &mut GameRng,
) -> Choice<Action> {
    let is_known = |it: &crate::Pending| vocabulary.knows(rules, &state.board, &it.placement);
    let is_odd = !state.pending.as_ref().is_none_or(is_known);
    let doubts = rng.below(100) < vocabulary.doubt_percent();
    let action = if is_odd && doubts { Action::Challenge } else { Action::Accept };
    Choice { action, value: lead(state, seat) }
}

/// By how many points a seat is ahead of the best other.
fn lead(state: &State, seat: Seat) -> i32 {
    let others = state.players().filter(|other| *other != seat);
    let best = others.map(|other| state.scores[other.index()]).max().unwrap_or_default();
    state.scores[seat.index()] - best
}

/// What greedy play goes by: the lead.
impl Searched for Scrabble {
    fn evaluate(&self, state: &State, seat: Seat) -> i32 {
        lead(state, seat)
    }
}
