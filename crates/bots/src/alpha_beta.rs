//! Alpha-beta for two seats that both see everything: iterative deepening, a table of known states,
//! killers, null windows and reductions of late actions.
//!
//! The depth counts turns, so that a turn of several actions is judged when it is over.

use std::hash::{Hash, Hasher};

use game_api::{Game, GameRng, Seat};

use crate::bot::result;
use crate::{Budget, Choice, Meter, Puzzled, Situation, Skill, second_thoughts};

/// A match that is won; a win that takes longer is worth a little less.
pub const WIN: i32 = 1_000_000;
/// Beyond this a value tells of a win or a loss that was found.
const FOUND: i32 = WIN - 1_000;
/// Where there is nothing to choose, a glance says what the match is worth.
const FORCED_NODES: u64 = 400;
/// The first actions of a state are searched in full.
const EARLY: usize = 6;

/// A game whose states can be judged.
pub trait Searched: Game {
    /// What a state that is not over is worth to a seat, well below [`WIN`].
    fn evaluate(&self, state: &Self::State, seat: Seat) -> i32;

    /// Equal for states from which the match goes on alike.
    fn key(&self, state: &Self::State) -> u64 {
        quick_hash(state)
    }

    /// The state after an action that was listed.
    fn after(&self, state: &Self::State, seat: Seat, action: &Self::Action) -> Option<Self::State> {
        self.apply(state, seat, action).ok()
    }

    /// How early an action is worth a look.
    fn promise(&self, _state: &Self::State, _action: &Self::Action) -> i32 {
        0
    }
}

/// A hash for tables: quick, and the same on every machine.
pub fn quick_hash(value: &impl Hash) -> u64 {
    let mut hasher = QuickHasher(0);
    value.hash(&mut hasher);
    // The high bits are the good ones; tables look at the low ones.
    hasher.0 ^ hasher.0 >> 32
}

/// Where a table whose size is a power of two keeps what is known under a key.
pub fn place_of(key: u64, table_size: usize) -> usize {
    usize::try_from(key & (table_size as u64 - 1)).unwrap_or_default()
}

struct QuickHasher(u64);

impl Hasher for QuickHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u8(&mut self, number: u8) {
        self.write_u64(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        // Any odd number with well-mixed bits.
        self.0 = (self.0.rotate_left(23) ^ number).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The best action that is found within the skill's depth and the budget.
pub fn alpha_beta<G: Searched>(
    situation: &Situation<'_, G>,
    skill: &Skill,
    budget: &Budget<'_>,
    rng: &mut GameRng,
) -> Result<Choice<G::Action>, Puzzled> {
    let root = situation.sample(rng)?;
    let mut actions = situation.actions(&root)?;
    // Equal actions are not always tried in the same order.
    rng.shuffle(&mut actions);
    actions.sort_by_cached_key(|action| -situation.game.promise(&root, action));
    let salt = rng.below(1 << 30) as u64;
    let nodes = if actions.len() == 1 { FORCED_NODES } else { skill.nodes };
    let budget = budget.capped(nodes);
    let choice = second_thoughts(skill, rng, |left_out: Option<&G::Action>| {
        let actions: Vec<G::Action> =
            actions.iter().filter(|action| left_out != Some(*action)).cloned().collect();
        // Too little may be left for a single look: then the most promising one, but not as an
        // alternative to one that was looked at.
        let any = actions.first().filter(|_| left_out.is_none()).cloned();
        let mut search = Search {
            game: situation.game,
            skill,
            salt,
            meter: budget.meter(512),
            table: vec![None; budget.table_size()],
            killers: Vec::new(),
        };
        let found = search.deepen(&root, situation.seat, actions);
        found.or_else(|| any.map(|action| Choice { action, value: 0 }))
    });
    choice.ok_or(Puzzled::NothingToDo(situation.seat))
}

/// What is known of a state.
#[derive(Clone)]
struct Known<A> {
    key: u64,
    depth: u8,
    bound: Bound,
    value: i32,
    best: A,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

struct Search<'a, G: Searched> {
    game: &'a G,
    skill: &'a Skill,
    salt: u64,
    meter: Meter<'a>,
    table: Vec<Option<Known<G::Action>>>,
    /// The action that last refuted something, by the number of actions from the root.
    killers: Vec<Option<G::Action>>,
}

/// Between what and what a value still matters.
#[derive(Clone, Copy)]
struct Window {
    alpha: i32,
    beta: i32,
}

impl Window {
    fn null_at(alpha: i32) -> Window {
        Window { alpha, beta: alpha + 1 }
    }

    fn flipped(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}

impl<G: Searched> Search<'_, G> {
    fn deepen(
        &mut self,
        root: &G::State,
        seat: Seat,
        mut actions: Vec<G::Action>,
    ) -> Option<Choice<G::Action>> {
        let mut best: Option<Choice<G::Action>> = None;
        for depth in 1..=self.skill.depth {
            let Some(found) = self.search_root(root, seat, &actions, depth) else { break };
            let is_decided = found.value.abs() > FOUND;
            actions.sort_by_key(|action| *action != found.action);
            best = Some(found);
            if self.meter.is_over() || is_decided {
                break;
            }
        }
        best
    }

    /// What was best when the budget ended, if it allowed for one action at least.
    fn search_root(
        &mut self,
        root: &G::State,
        seat: Seat,
        actions: &[G::Action],
        depth: u8,
    ) -> Option<Choice<G::Action>> {
        let mut best: Option<Choice<G::Action>> = None;
        for (index, action) in actions.iter().enumerate() {
            let alpha = best.as_ref().map_or(-WIN, |best| best.value);
            let window = Window { alpha, beta: WIN };
            let Some(after) = self.game.after(root, seat, action) else { continue };
            let Some(value) = self.value_of(root, &after, seat, depth, 0, index, window) else {
                break;
            };
            if best.as_ref().is_none_or(|best| best.value < value) {
                best = Some(Choice { action: action.clone(), value });
            }
        }
        best
    }

    /// What `after` is worth to the seat that acted, searched the less the later its action came.
    #[expect(clippy::too_many_arguments, reason = "all of it changes from one call to the next")]
    fn value_of(
        &mut self,
        before: &G::State,
        after: &G::State,
        seat: Seat,
        depth: u8,
        ply: usize,
        index: usize,
        window: Window,
    ) -> Option<i32> {
        let is_turn_over = self.game.turn(after) != self.game.turn(before);
        let depth = depth - u8::from(is_turn_over);
        if index > 0 {
            let reduced = depth.saturating_sub(u8::from(index >= EARLY && depth > 1));
            let null = Window::null_at(window.alpha);
            let mut value = self.search(after, seat, reduced, ply + 1, null)?;
            if value > window.alpha && reduced < depth {
                value = self.search(after, seat, depth, ply + 1, null)?;
            }
            if value <= window.alpha || value >= window.beta {
                return Some(value);
            }
        }
        self.search(after, seat, depth, ply + 1, window)
    }

    /// What a state is worth to `seat`; `None` once the budget is spent.
    fn search(
        &mut self,
        state: &G::State,
        seat: Seat,
        depth: u8,
        ply: usize,
        window: Window,
    ) -> Option<i32> {
        if !self.meter.spend() {
            return None;
        }
        let Some(to_act) = self.game.to_act(state).iter().next() else {
            // Sooner is better, and later is less bad.
            let worth = WIN - i32::try_from(ply).unwrap_or_default();
            return Some(result(self.game, state, seat).unwrap_or_default() * worth);
        };
        if to_act != seat {
            return Some(-self.search_own(state, to_act, depth, ply, window.flipped())?);
        }
        self.search_own(state, seat, depth, ply, window)
    }

    /// The same for the seat that is to act.
    fn search_own(
        &mut self,
        state: &G::State,
        seat: Seat,
        depth: u8,
        ply: usize,
        mut window: Window,
    ) -> Option<i32> {
        let key = self.game.key(state);
        if depth == 0 {
            let noise = self.skill.misjudgement(key, self.salt);
            return Some(self.game.evaluate(state, seat) + noise);
        }
        let place = place_of(key, self.table.len());
        let known = self.table[place].as_ref().filter(|known| known.key == key);
        if let Some(known) = known.filter(|known| known.depth >= depth) {
            let is_enough = match known.bound {
                Bound::Exact => true,
                Bound::AtLeast => known.value >= window.beta,
                Bound::AtMost => known.value <= window.alpha,
            };
            if is_enough {
                return Some(known.value);
            }
        }
        let first = known.map(|known| known.best.clone());
        let actions = self.ordered(state, seat, ply, first.as_ref());
        let floor = window.alpha;
        let mut best: Option<(i32, &G::Action)> = None;
        for (index, action) in actions.iter().enumerate() {
            let Some(after) = self.game.after(state, seat, action) else { continue };
            let value = self.value_of(state, &after, seat, depth, ply, index, window)?;
            if best.is_none_or(|(most, _)| most < value) {
                best = Some((value, action));
            }
            window.alpha = window.alpha.max(value);
            if window.alpha >= window.beta {
                self.killers[ply] = Some(action.clone());
                break;
            }
        }
        let (value, action) = best?;
        let bound = match value {
            _ if value >= window.beta => Bound::AtLeast,
            _ if value <= floor => Bound::AtMost,
            _ => Bound::Exact,
        };
        self.table[place] = Some(Known { key, depth, bound, value, best: action.clone() });
        Some(value)
    }

    fn ordered(
        &mut self,
        state: &G::State,
        seat: Seat,
        ply: usize,
        first: Option<&G::Action>,
    ) -> Vec<G::Action> {
        if self.killers.len() <= ply {
            self.killers.resize(ply + 1, None);
        }
        let killer = self.killers[ply].as_ref();
        let mut actions = Vec::with_capacity(32);
        self.game.legal_actions(state, seat, &mut actions);
        actions.sort_by_cached_key(|action| {
            let rank = 2 * u8::from(Some(action) == first) + u8::from(Some(action) == killer);
            (u8::MAX - rank, -self.game.promise(state, action))
        });
        actions
    }
}
