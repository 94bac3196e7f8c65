//! A tree search over states that could be, for hidden information.
//!
//! Each round draws a state that looks like the view, walks down one tree by the actions that are
//! legal in it, adds a node and plays on to an end. A node stands for all that its actions can have
//! led to, whatever was hidden; it is chosen by its wins among the rounds in which it was legal.

use game_api::{Game, GameRng, Seat};

use crate::bot::result;
use crate::{
    Bot, Budget, Choice, Level, Puzzled, Situation, Skill, WIN, quick_hash, second_thoughts,
};

/// How much an action that was seldom tried is worth a look.
const CURIOSITY: f32 = 0.8;

/// Where there is nothing to choose, a glance says what the match is worth.
const FORCED_NODES: u64 = 64;

/// How matches are played out.
pub trait Policy<G: Game>: Send + Sync {
    /// What the match is worth to a seat, from 0 to 1, if it need not be played on: it is over, or so
    /// much has happened since `root` that the rest is chance.
    fn settled(&self, game: &G, root: &G::State, state: &G::State, seat: Seat) -> Option<f32>;

    /// Which of the seat's actions is played.
    fn pick(
        &self,
        game: &G,
        state: &G::State,
        seat: Seat,
        actions: &[G::Action],
        dice: &mut fastrand::Rng,
    ) -> usize;
}

/// Any action, each equally likely, until the match is over.
#[derive(Clone, Copy, Debug, Default)]
pub struct AtRandom;

impl<G: Game> Policy<G> for AtRandom {
    fn settled(&self, game: &G, _root: &G::State, state: &G::State, seat: Seat) -> Option<f32> {
        Some(match result(game, state, seat)? {
            1 => 1.0,
            0 => 0.5,
            _ => 0.0,
        })
    }

    fn pick(
        &self,
        _game: &G,
        _state: &G::State,
        _seat: Seat,
        actions: &[G::Action],
        dice: &mut fastrand::Rng,
    ) -> usize {
        dice.usize(..actions.len().max(1))
    }
}

/// The action that did best. A node of the budget is one match played out.
pub fn sample_tree<G: Game>(
    policy: &dyn Policy<G>,
    situation: &Situation<'_, G>,
    skill: &Skill,
    budget: &Budget<'_>,
    rng: &mut GameRng,
) -> Result<Choice<G::Action>, Puzzled> {
    let state = situation.sample(rng)?;
    let mut actions = situation.actions(&state)?;
    let nodes = if actions.len() == 1 { FORCED_NODES } else { skill.nodes };
    let dice = fastrand::Rng::with_seed(rng.below(1 << 30) as u64);
    let mut tree = Tree { policy, situation, nodes: vec![Node::new(None, situation.seat)], dice };
    let mut meter = budget.capped(nodes).meter(8);
    while meter.spend() {
        let root = situation.sample(rng)?;
        tree.play(&root, skill.depth);
    }
    let salt = rng.below(1 << 30) as u64;
    let choice = second_thoughts(skill, rng, |left_out| tree.best(skill, salt, left_out));
    Ok(choice.unwrap_or_else(|| Choice { action: actions.swap_remove(0), value: 0 }))
}

struct Node<A> {
    /// What leads here from the node above, and whose action it is.
    action: Option<A>,
    seat: Seat,
    children: Vec<usize>,
    visits: f32,
    /// Rounds in which it could have been chosen.
    chances: f32,
    /// What it was worth to its seat, in all.
    worth: f32,
}

impl<A> Node<A> {
    fn new(action: Option<A>, seat: Seat) -> Node<A> {
        Node { action, seat, children: Vec::new(), visits: 0.0, chances: 0.0, worth: 0.0 }
    }

    fn appeal(&self) -> f32 {
        // No logarithm: a root is the same on every machine.
        self.worth / self.visits + CURIOSITY * self.chances.sqrt() / (1.0 + self.visits)
    }
}

struct Tree<'a, G: Game> {
    policy: &'a dyn Policy<G>,
    situation: &'a Situation<'a, G>,
    nodes: Vec<Node<G::Action>>,
    dice: fastrand::Rng,
}

impl<G: Game> Tree<'_, G> {
    /// One match, from a state that could be.
    fn play(&mut self, root: &G::State, depth: u8) {
        let (game, policy) = (self.situation.game, self.policy);
        let mut state = root.clone();
        let mut path = vec![0];
        let mut at = Some(0);
        let mut actions = Vec::new();
        while policy.settled(game, root, &state, self.situation.seat).is_none() {
            let Some(first) = game.to_act(&state).iter().next() else { break };
            // Where several may act, the one who is asked decides first.
            let seat = if path.len() == 1 { self.situation.seat } else { first };
            actions.clear();
            game.legal_actions(&state, seat, &mut actions);
            let index = match at.filter(|_| path.len() <= usize::from(depth)) {
                Some(node) => {
                    let (index, child, is_new) = self.descend(node, seat, &actions);
                    path.push(child);
                    at = Some(child).filter(|_| !is_new);
                    index
                }
                None => policy.pick(game, &state, seat, &actions, &mut self.dice),
            };
            let Some(action) = actions.get(index) else { break };
            let Ok(after) = game.apply(&state, seat, action) else { break };
            state = after;
        }
        for index in path {
            let node = &mut self.nodes[index];
            node.visits += 1.0;
            node.worth += policy.settled(game, root, &state, node.seat).unwrap_or(0.5);
        }
    }

    /// The child to go to, and the place of its action among those that are legal now.
    fn descend(&mut self, node: usize, seat: Seat, actions: &[G::Action]) -> (usize, usize, bool) {
        let mut untried = Vec::new();
        let mut best: Option<(usize, usize)> = None;
        for (index, action) in actions.iter().enumerate() {
            let mut children = self.nodes[node].children.iter().copied();
            let is_it = |child: &usize| {
                let child = &self.nodes[*child];
                child.seat == seat && child.action.as_ref() == Some(action)
            };
            match children.find(is_it) {
                None => untried.push(index),
                Some(child) => {
                    self.nodes[child].chances += 1.0;
                    let appeal = self.nodes[child].appeal();
                    if best.is_none_or(|(_, other)| self.nodes[other].appeal() < appeal) {
                        best = Some((index, child));
                    }
                }
            }
        }
        match (self.dice.choice(&untried), best) {
            (None, Some((index, child))) => (index, child, false),
            (untried, _) => {
                let index = untried.copied().unwrap_or_default();
                let mut new = Node::new(actions.get(index).cloned(), seat);
                new.chances = 1.0;
                self.nodes.push(new);
                let child = self.nodes.len() - 1;
                self.nodes[node].children.push(child);
                (index, child, true)
            }
        }
    }

    /// The root's action that was tried most, or for a level that misjudges the one that seems best.
    fn best(
        &self,
        skill: &Skill,
        salt: u64,
        left_out: Option<&G::Action>,
    ) -> Option<Choice<G::Action>> {
        let mut best: Option<(f32, Choice<G::Action>)> = None;
        for child in self.nodes[0].children.iter().map(|child| &self.nodes[*child]) {
            let Some(action) = child.action.clone().filter(|action| Some(action) != left_out)
            else {
                continue;
            };
            // A share of a million, so an `f32` is exact enough.
            #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "so")]
            let value = ((2.0 * child.worth / child.visits - 1.0) * WIN as f32) as i32;
            let seeming = value + skill.misjudgement(quick_hash(&action.to_string()), salt);
            #[expect(clippy::cast_precision_loss, reason = "so")]
            let rank = if skill.noise == 0 { child.visits } else { seeming as f32 };
            if best.as_ref().is_none_or(|(most, _)| *most < rank) {
                best = Some((rank, Choice { action, value }));
            }
        }
        best.map(|(_, choice)| choice)
    }
}

/// This search for any game, with matches played out at random to their end: a measure for others.
/// Its level does not matter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sampling;

impl<G: Game> Bot<G> for Sampling {
    fn choose(
        &self,
        situation: &Situation<'_, G>,
        _level: Level,
        budget: &Budget<'_>,
        rng: &mut GameRng,
    ) -> Result<Choice<G::Action>, Puzzled> {
        sample_tree(&AtRandom, situation, &Skill::FULL, budget, rng)
    }
}
