//! The bot: what a play scores and what tiles it keeps ([`leave`]), what the next seat can make of the
//! board ([`turn`]), and specials where there are any ([`stuff`]); at the end, when it knows all tiles,
//! alpha-beta. A low level does not know every word ([`vocabulary`]).

mod leave;
mod stuff;
mod turn;
mod vocabulary;

use bots::{Bot, Budget, Choice, Level, Puzzled, Searched, Situation, Skill, WIN, alpha_beta};
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
    Vocabulary(10), Vocabulary(20), Vocabulary(32), Vocabulary(45),
    Vocabulary(58), Vocabulary(73), Vocabulary(89), Vocabulary(100),
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
        let turn = Turn { situation, state: &state, rules, skill, vocabulary, budget };
        match state.phase(situation.seat) {
            Phase::Over | Phase::Waiting => Err(Puzzled::NothingToDo(situation.seat)),
            Phase::Window => answer(&turn, rng),
            Phase::Turn if skill.depth > 1 && is_all_known(&state) => {
                alpha_beta(situation, skill, &budget.capped(END_NODES), rng)
            }
            Phase::Turn => turn.choose(rng),
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

/// Accepts a move or challenges it. What that is worth is what the own turn after it would be.
fn answer(turn: &Turn<'_>, rng: &mut GameRng) -> Result<Choice<Action>, Puzzled> {
    let Turn { rules, state, vocabulary, .. } = *turn;
    let seat = turn.situation.seat;
    let is_known = |it: &crate::Pending| vocabulary.knows(rules, &state.board, &it.placement);
    let is_odd = !state.pending.as_ref().is_none_or(is_known);
    let doubts = rng.below(100) < vocabulary.doubt_percent();
    let action = if is_odd && doubts { Action::Challenge } else { Action::Accept };
    let next = settled(rules, state.after(rules, seat, &action));
    let value = match (next.outcome(), next.as_if_turn_of(seat)) {
        (Some(outcome), _) if outcome.places.get(seat.index()) == Some(&1) => WIN,
        (Some(_), _) => -WIN,
        (None, Some(own)) => Turn { state: &own, ..*turn }.standing(rng)?,
        (None, None) => lead(&next, seat),
    };
    Ok(Choice { action, value })
}

/// As if nobody challenged what waits for answers.
fn settled(rules: Rules<'_>, mut state: State) -> State {
    while state.pending.is_some()
        && let Some(other) = state.to_act().iter().next()
    {
        state.accept(rules, other);
    }
    state
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use game_api::{Game as _, Seed, Viewer};

    use super::*;
    use crate::{Lexicon, Options};

    /// How much worse than the best something is, in tenths of a point.
    #[derive(Clone, Copy, Default)]
    struct Losses {
        of_choices: i32,
        of_chance: i32,
    }

    /// What a player without noise would make of a situation, with the words of a level.
    fn judge(
        situation: &Situation<'_, Scrabble>,
        vocabulary: Vocabulary,
        rng: &mut GameRng,
    ) -> Vec<(Action, i32)> {
        let skill = &Skill { nodes: 0, ..Skill::FULL };
        let (state, rules) = (situation.sample(rng).unwrap(), situation.game.rules());
        let budget = &Budget::of_nodes(0);
        Turn { situation, state: &state, rules, skill, vocabulary, budget }.judged(rng).unwrap()
    }

    #[test]
    fn above_the_lowest_level_no_play_is_made_by_chance() {
        let words = include_str!("../../tests/kit/words.txt").split_whitespace();
        let game = &Scrabble::new(Arc::new(Lexicon::from_words("test", words).unwrap()));
        let options = &game.complete(Options::classic());
        let mut sums = [Losses::default(); Level::COUNT];
        for number in 0..20 {
            let mut chance = GameRng::new(&Seed::from_number(number));
            let mut state = game.setup(options, 2, &Seed::from_number(number)).unwrap();
            while let Some(seat) = game.to_act(&state).iter().next()
                && !is_all_known(&state)
            {
                let view = &game.view(&state, Viewer::Seat(seat));
                let situation = &Situation { game, options, seats: 2, seat, view };
                for (level, sum) in Level::all().zip(&mut sums).skip(1) {
                    let judged = judge(situation, *level.of(&VOCABULARIES), &mut chance);
                    let budget = Budget::of_nodes(30);
                    let choice = ScrabbleBot.choose(situation, level, &budget, &mut chance);
                    let action = choice.unwrap().action;
                    let Some(rank) = judged.iter().position(|(listed, _)| *listed == action) else {
                        assert!(judged.is_empty() && action == Action::Pass, "{action}");
                        continue;
                    };
                    let (best, skill) = (judged[0].1, level.of(&SKILLS));
                    let loss = best - judged[rank].1;
                    // Both the best and another may be misjudged.
                    let is_good = match level {
                        Level::HIGHEST => rank < turn::LOOKED_AT,
                        _ => loss <= 2 * skill.noise + skill.slack,
                    };
                    assert!(is_good, "match {number}, level {level}: {action} loses {loss}");
                    let all: i32 = judged.iter().map(|(_, worth)| best - worth).sum();
                    sum.of_choices += loss;
                    sum.of_chance += all / i32::try_from(judged.len()).unwrap();
                }
                let choice = Level::try_from(4).unwrap();
                let choice =
                    ScrabbleBot.choose(situation, choice, &Budget::of_nodes(0), &mut chance);
                state = game.apply(&state, seat, &choice.unwrap().action).unwrap();
            }
        }
        // The weak ones misjudge by more than most plays differ: then the sum tells.
        for (level, Losses { of_choices, of_chance }) in Level::all().zip(sums).skip(1) {
            println!("level {level}: {of_choices} of {of_chance}");
            assert!(of_choices * 3 < of_chance, "level {level}: {of_choices} of {of_chance}");
        }
    }
}
