//! The bot: a tree search over the cards that the other seat could hold.
//!
//! What it can infer is in the view: a seat that drew held nothing that went on the card it drew on,
//! and `determinize` deals it no such card. A seat's next play ends what is known of it.

use bots::{
    Bot, Budget, Choice, Level, Policy, Puzzled, Searched, Situation, Skill, WIN, sample_tree,
};
use game_api::{GameRng, Outcome, Seat};

use crate::card::{CardSet, Suit};
use crate::scoring::{round_score, score_value};
use crate::state::State;
use crate::{Action, CrazyTens};

/// However much worse the other action looks.
const ANY: i32 = 2 * WIN;

/// What each level lacks, the weakest first. A node is a round that is played out.
#[rustfmt::skip]
const SKILLS: [Skill; Level::COUNT] = [
    Skill { depth: 8,  nodes: 200, noise: 0, overlooks_percent: 100, slack: ANY },
    Skill { depth: 8,  nodes: 200, noise: 0, overlooks_percent: 80,  slack: ANY },
    Skill { depth: 8,  nodes: 200, noise: 0, overlooks_percent: 60,  slack: ANY },
    Skill { depth: 8,  nodes: 200, noise: 0, overlooks_percent: 34,  slack: ANY },
    Skill { depth: 16, nodes: 200, noise: 0, overlooks_percent: 10,  slack: ANY },
    Skill { depth: 16, nodes: 300, noise: 0, overlooks_percent: 0,   slack: ANY },
    Skill { nodes: 500, ..Skill::FULL },
    Skill::FULL,
];

/// How often a round is played out by a whim, so that the other seat is not always foreseen.
const WHIM_PERCENT: u8 = 20;

/// How strongly the totals tell who will win the match.
const LEAD_WEIGHT: f32 = 4.0;
/// A ten is played when nothing else can be.
const TEN_KEPT: i32 = 100;

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
        sample_tree(&Rounds, situation, level.of(&SKILLS), budget, rng)
    }
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

/// Rounds played to their end: high cards first, tens last.
struct Rounds;

impl Policy<CrazyTens> for Rounds {
    fn settled(&self, _game: &CrazyTens, root: &State, state: &State, seat: Seat) -> Option<f32> {
        if let Some(Outcome { places, .. }) = state.outcome() {
            let is_tie = places[0] == places[1];
            return Some(if is_tie { 0.5 } else { f32::from(u8::from(places[seat.index()] == 1)) });
        }
        if state.round_number == root.round_number {
            return None;
        }
        let score = |seat: Seat| f32::from(state.scores[seat.index()]);
        let lead = (score(seat) - score(seat.after(1, 2))) / f32::from(state.options.target);
        let weighed = LEAD_WEIGHT * lead;
        Some(0.5 + 0.5 * weighed / (1.0 + weighed.abs()))
    }

    fn pick(
        &self,
        _game: &CrazyTens,
        state: &State,
        seat: Seat,
        actions: &[Action],
        dice: &mut bots::Dice,
    ) -> usize {
        if actions.len() < 2 || dice.u8(..100) < WHIM_PERCENT {
            return dice.usize(..actions.len().max(1));
        }
        let hand = state.round.hands[seat.index()];
        let liking = |action: &Action| match *action {
            Action::Play { suit: Some(suit), .. } => suit_size(hand, suit) - TEN_KEPT,
            Action::Play { card, suit: None } => i32::from(score_value(card)),
            Action::Draw | Action::Pass => 0,
        };
        (0..actions.len()).max_by_key(|index| liking(&actions[*index])).unwrap_or_default()
    }
}

fn suit_size(hand: CardSet, suit: Suit) -> i32 {
    hand.iter().map(|card| i32::from(card.suit() == suit && !card.is_ten())).sum()
}
