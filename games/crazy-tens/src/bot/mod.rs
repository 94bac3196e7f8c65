//! The bot: a tree search over the cards that the other seat could hold.
//!
//! What it infers is in the view (R1.6): of which cards the other hand holds none, or few. A round
//! is played to its end, and counts by what its points do for the match.

mod search;
mod standing;
mod table;

use bots::{
    Bot, Budget, Choice, Dice, Level, Puzzled, Searched, Situation, Skill, WIN, quick_hash,
    second_thoughts,
};
use game_api::{GameRng, Seat};

use crate::scoring::round_score;
use crate::state::State;
use crate::{Action, CrazyTens};
use search::{Judged, Search};
use table::Deal;

/// However much worse the other turn looks.
const ANY: i32 = 2 * WIN;
/// So much worse is nearly as good: of a hundred matches, fifteen fewer are won.
const NEARLY: i32 = 3 * WIN / 10;
/// Twenty fewer.
const HARDLY: i32 = 4 * WIN / 10;

/// What each level lacks, the weakest first. A node is a round that is played out; a few hundred
/// tell good turns from bad ones. The highest thinks for less than a tenth of a second, since its
/// threads are shared.
#[rustfmt::skip]
const SKILLS: [Skill; Level::COUNT] = [
    Skill { nodes: 300, overlooks_percent: 100, slack: ANY,    ..Skill::FULL },
    Skill { nodes: 300, overlooks_percent: 100, slack: HARDLY, ..Skill::FULL },
    Skill { nodes: 300, overlooks_percent: 85,  slack: NEARLY, ..Skill::FULL },
    Skill { nodes: 300, overlooks_percent: 60,  slack: NEARLY, ..Skill::FULL },
    Skill { nodes: 300, overlooks_percent: 36,  slack: NEARLY, ..Skill::FULL },
    Skill { nodes: 300, overlooks_percent: 14,  slack: NEARLY, ..Skill::FULL },
    Skill { nodes: 400, ..Skill::FULL },
    Skill { nodes: 50_000, ..Skill::FULL },
];

/// Where there is nothing to choose, a glance says what the match is worth.
const FORCED_NODES: u64 = 64;
/// Playouts between two looks at the clock: a tenth of a millisecond.
const NODES_BETWEEN_LOOKS: u64 = 64;

/// Plays a round at a time.
#[derive(Clone, Copy, Debug, Default)]
pub struct CrazyTensBot;

impl Bot<CrazyTens> for CrazyTensBot {
    fn choose(
        &self,
        situation: &Situation<'_, CrazyTens>,
        level: Level,
        budget: &Budget<'_>,
        rng: &mut GameRng,
    ) -> Result<Choice<Action>, Puzzled> {
        choose(situation, level.of(&SKILLS), budget, rng)
    }
}

fn choose(
    situation: &Situation<'_, CrazyTens>,
    skill: &Skill,
    budget: &Budget<'_>,
    rng: &mut GameRng,
) -> Result<Choice<Action>, Puzzled> {
    // A view that nothing looks like is found out here, and not dealt from below.
    let state = situation.sample(rng)?;
    let actions = situation.actions(&state)?;
    let is_forced = actions.len() == 1;
    let (view, seat) = (situation.view, situation.seat.index());
    let missing = view.scores.map(|score| view.target.saturating_sub(score));
    let dice = Dice::with_seed(rng.below(1 << 30) as u64);
    let mut search = Search::new(Deal::new(view, seat), missing, skill.depth, dice);
    let nodes = if is_forced { FORCED_NODES } else { skill.nodes };
    let mut meter = budget.capped(nodes).meter(NODES_BETWEEN_LOOKS);
    while meter.spend() {
        search.play_out();
    }
    let salt = rng.below(1 << 30) as u64;
    let choice = second_thoughts(skill, rng, |left_out| best(&search, skill, salt, left_out));
    // Out of time before it began, or nothing to choose from.
    let value = value(search.worth());
    let fallback = || actions.first().map(|action| Choice { action: *action, value });
    let choice = choice.filter(|_| !is_forced).or_else(fallback);
    choice.ok_or(Puzzled::NothingToDo(situation.seat))
}

/// The turn that was tried most, or for a level that misjudges the one that seems best.
fn best(
    search: &Search,
    skill: &Skill,
    salt: u64,
    left_out: Option<&Action>,
) -> Option<Choice<Action>> {
    let mut best: Option<(f32, Choice<Action>)> = None;
    for Judged { turn, worth, visits } in search.judged() {
        let Some(card) = turn.card else { continue };
        let action = Action::Play { card, suit: turn.suit };
        if Some(&action) == left_out {
            continue;
        }
        let value = value(worth);
        let seeming = value + skill.misjudgement(quick_hash(&action.to_string()), salt);
        #[expect(clippy::cast_precision_loss, reason = "a misjudgement need not be exact")]
        let rank = if skill.noise == 0 { visits } else { seeming as f32 };
        if best.as_ref().is_none_or(|(most, _)| *most < rank) {
            best = Some((rank, Choice { action, value }));
        }
    }
    best.map(|(_, choice)| choice)
}

/// What a match that is worth so much, from 0 to 1, is worth in a bot's measure.
fn value(worth: f32) -> i32 {
    // A share of a million, so an `f32` is exact enough.
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "so")]
    let value = ((2.0 * worth - 1.0) * WIN as f32) as i32;
    value
}

/// What greedy play goes by: few points in hand, and cards that go on what lies there.
impl Searched for CrazyTens {
    fn evaluate(&self, state: &State, seat: Seat) -> i32 {
        let hand = state.round.hands[seat.index()];
        let follow = hand.and(state.round.demand.allowed()).len();
        let other = seat.after(1, 2);
        let lead = i32::from(state.scores[seat.index()]) - i32::from(state.scores[other.index()]);
        100 * lead - 10 * i32::from(round_score(hand)) + i32::from(follow)
    }
}

#[cfg(test)]
mod tests {
    use game_api::{Game as _, Seed, Viewer};

    use super::*;
    use crate::Options;

    /// A few hundred rounds played out tell what one of many turns is worth up to this.
    const ERROR: i32 = WIN / 2;
    /// Where no turn is so much worse than another, there is little to see.
    const AT_STAKE: i32 = 7 * WIN / 10;

    /// What each turn is worth, after so many rounds.
    fn judge(situation: &Situation<'_, CrazyTens>, rounds: u32) -> Vec<(Action, i32)> {
        let view = situation.view;
        let missing = view.scores.map(|score| view.target.saturating_sub(score));
        let deal = Deal::new(view, situation.seat.index());
        let mut search = Search::new(deal, missing, u8::MAX, Dice::with_seed(1));
        (0..rounds).for_each(|_| search.play_out());
        let judged = search.judged().filter_map(|Judged { turn, worth, .. }| {
            Some((Action::Play { card: turn.card?, suit: turn.suit }, value(worth)))
        });
        judged.collect()
    }

    /// How much worse than the best each turn is.
    fn losses(judged: &[(Action, i32)]) -> impl Iterator<Item = (&Action, i32)> {
        let best = judged.iter().map(|(_, value)| *value).max().unwrap_or_default();
        judged.iter().map(move |(action, value)| (action, best - value))
    }

    #[test]
    fn above_the_lowest_level_no_card_is_played_by_chance() {
        // A round decides the match, so that a turn can matter.
        let options = Options { target: 1, ..Options::default() };
        let mut sums = [(0, 0); Level::COUNT];
        for number in 0..120 {
            let mut chance = GameRng::new(&Seed::from_number(number));
            let mut state = CrazyTens.setup(&options, 2, &Seed::from_number(number)).unwrap();
            while let Some(seat) = CrazyTens.to_act(&state).iter().next() {
                let view = CrazyTens.view(&state, Viewer::Seat(seat));
                let game = &CrazyTens;
                let situation = Situation { game, options: &options, seats: 2, seat, view: &view };
                let mut ask = |level: Level, nodes: u64| {
                    let budget = Budget::of_nodes(nodes);
                    CrazyTensBot.choose(&situation, level, &budget, &mut chance).unwrap().action
                };
                let is_forced = situation.actions(&state).unwrap().len() == 1;
                let glance = if is_forced { Vec::new() } else { judge(&situation, 200) };
                if losses(&glance).any(|(_, loss)| loss > AT_STAKE) {
                    let judged = judge(&situation, 3_000);
                    for (level, sum) in Level::all().zip(&mut sums).skip(1) {
                        let action = ask(level, 1_000);
                        let chosen = losses(&judged).find(|(listed, _)| **listed == action);
                        let (_, loss) = chosen.unwrap();
                        let most = level.of(&SKILLS).slack + ERROR;
                        assert!(loss <= most, "match {number}, level {level}: {action}, {loss}");
                        sum.0 += i64::from(loss);
                        let all: i64 = losses(&judged).map(|(_, loss)| i64::from(loss)).sum();
                        sum.1 += all / i64::try_from(judged.len()).unwrap();
                    }
                }
                let action = ask(Level::HIGHEST, 20);
                state = CrazyTens.apply(&state, seat, &action).unwrap();
            }
        }
        for (level, (of_choices, of_chance)) in Level::all().zip(sums).skip(1) {
            println!("level {level}: {of_choices} of {of_chance}");
            assert!(of_choices * 2 < of_chance, "level {level}: {of_choices} of {of_chance}");
        }
    }
}
