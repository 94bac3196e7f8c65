//! The bot: an engine of our own on the crate's bitboards.
//!
//! [`search`] looks ahead, [`order`] says which moves first, [`evaluate`] what a position is worth.

mod evaluate;
mod order;
mod search;

use bots::{Bot, Budget, Choice, Level, Puzzled, Searched, Situation, Skill, second_thoughts};
use cozy_chess::Move;
use game_api::{GameRng, Seat};

use self::order::Memory;
use self::search::Search;
use crate::Chess;
use crate::action::Action;
use crate::state::State;

/// What each level lacks, the weakest first.
#[rustfmt::skip]
const SKILLS: [Skill; Level::COUNT] = [
    Skill { depth: 1, nodes: 300,    noise: 250, overlooks_percent: 60, slack: 500 },
    Skill { depth: 1, nodes: 1_000,  noise: 120, overlooks_percent: 40, slack: 200 },
    Skill { depth: 2, nodes: 2_000,  noise: 90,  overlooks_percent: 30, slack: 120 },
    Skill { depth: 3, nodes: 4_000,  noise: 60,  overlooks_percent: 20, slack: 80 },
    Skill { depth: 4, nodes: 6_000,  noise: 40,  overlooks_percent: 10, slack: 50 },
    Skill { depth: 6, nodes: 6_000,  noise: 20,  overlooks_percent: 0,  slack: 0 },
    Skill { depth: 9, nodes: 12_000, noise: 0,   overlooks_percent: 0,  slack: 0 },
    Skill::FULL,
];

/// Where there is nothing to choose, a glance says what the match is worth.
const FORCED_NODES: u64 = 400;

/// Plays chess and Chess960, and claims a draw when it is not better.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChessBot;

impl Bot<Chess> for ChessBot {
    fn choose(
        &self,
        situation: &Situation<'_, Chess>,
        level: Level,
        budget: &Budget<'_>,
        rng: &mut GameRng,
    ) -> Result<Choice<Action>, Puzzled> {
        let nothing = Puzzled::NothingToDo(situation.seat);
        let state = situation.sample(rng)?;
        if !state.to_act().contains(situation.seat) {
            return Err(nothing);
        }
        let mut moves = state.moves();
        // Equal moves are not always tried in the same order.
        rng.shuffle(&mut moves);
        let nothing_tried = Memory::new(1);
        moves.sort_by_cached_key(|mv| -nothing_tried.promise(&state.board, 0, None, *mv));
        let any = moves.first().map(|mv| Choice { action: *mv, value: 0 });
        let skill = level.of(&SKILLS);
        let salt = rng.below(1 << 30) as u64;
        let nodes = if moves.len() == 1 { FORCED_NODES } else { skill.nodes };
        let budget = budget.capped(nodes);
        let choice = second_thoughts(skill, rng, |left_out: Option<&Move>| {
            let moves = moves.iter().copied().filter(|mv| left_out != Some(mv)).collect();
            let mut search = Search::new(&budget, skill, salt, &state.repeats);
            let found = search.deepen(&state.board, moves);
            // Too little may be left for a single look: then the most promising one, but not as an
            // alternative to one that was looked at.
            found.or_else(|| any.clone().filter(|_| left_out.is_none()))
        });
        let Choice { action, value } = choice.ok_or(nothing)?;
        let claim = state.claims().into_iter().next().filter(|_| value <= 0);
        let action = claim.unwrap_or(Action::Move(state.manner.write(&state.board, action)));
        Ok(Choice { action, value })
    }
}

/// What greedy play goes by.
impl Searched for Chess {
    fn evaluate(&self, state: &State, seat: Seat) -> i32 {
        let value = evaluate::evaluate(&state.board);
        if state.mover() == seat { value } else { -value }
    }
}

#[cfg(test)]
mod tests {
    use game_api::{Game as _, Seed, Viewer};

    use super::*;
    use crate::Options;

    /// Nobody is judged by a deeper look,
    const DEPTH_MAX: u8 = 3;
    /// and who looks deeper, or less deep for want of nodes, may think otherwise by so much.
    const HORIZON: i32 = 250;

    /// What each move is worth to a player who lacks nothing but depth.
    fn judge(state: &State, depth: u8) -> Vec<(Action, i32)> {
        let sober = Skill { depth, ..Skill::FULL };
        let judged = |mv: &Move| {
            let mut search = Search::new(&Budget::of_nodes(40_000), &sober, 0, &state.repeats);
            let found = search.deepen(&state.board, vec![*mv]).unwrap();
            (Action::Move(state.manner.write(&state.board, *mv)), found.value)
        };
        state.moves().iter().map(judged).collect()
    }

    /// A position that moves by lot have led to.
    fn wander(options: &Options, number: u64, chance: &mut GameRng) -> State {
        let mut state = Chess.setup(options, 2, &Seed::from_number(number)).unwrap();
        for _ in 0..10 + 2 * number {
            let moves = state.moves();
            let action = state.manner.write(&state.board, moves[chance.below(moves.len())]);
            let after = Chess.apply(&state, state.mover(), &Action::Move(action)).unwrap();
            if Chess.to_act(&after).is_empty() {
                break;
            }
            state = after;
        }
        state
    }

    #[test]
    fn above_the_lowest_level_no_move_is_made_by_chance() {
        let options = Options::default();
        let (mut moves, mut poor) = (0, 0);
        for number in 0..30 {
            let mut chance = GameRng::new(&Seed::from_number(number));
            let state = wander(&options, number, &mut chance);
            let seat = state.mover();
            let view = Chess.view(&state, Viewer::Seat(seat));
            let situation =
                Situation { game: &Chess, options: &options, seats: 2, seat, view: &view };
            let by_depth: Vec<_> = (1..=DEPTH_MAX).map(|depth| judge(&state, depth)).collect();
            for level in Level::all().skip(1) {
                let skill = level.of(&SKILLS);
                let judged = &by_depth[usize::from(skill.depth.min(DEPTH_MAX)) - 1];
                let best = judged.iter().map(|(_, value)| *value).max().unwrap();
                // Both the best and another may be misjudged. A mate is beyond all this.
                let least = best - 2 * skill.noise - skill.slack - HORIZON;
                let budget = Budget::of_nodes(6_000);
                let action =
                    ChessBot.choose(&situation, level, &budget, &mut chance).unwrap().action;
                if let Some((_, value)) = judged.iter().find(|(listed, _)| *listed == action) {
                    let fen = &view.fen;
                    assert!(*value >= least, "{fen}, level {level}: {action} {value} of {best}");
                }
                moves += judged.len();
                poor += judged.iter().filter(|(_, value)| *value < least).count();
            }
        }
        // Else chance would have passed too.
        assert!(poor * 4 > moves, "{poor} of {moves}");
    }
}
