//! A tree search over the cards that the other seat could hold.
//!
//! Each playout deals a table that looks like the view, walks down one tree by the turns that are
//! possible there, adds a node and plays the round to its end. A node stands for all that its turns
//! can have led to, whatever was hidden; it is chosen by its worth among the playouts in which it
//! was possible.

use bots::Dice;

use super::standing::worth;
use super::table::{Deal, End, PLAIN, Table, Turn};
use crate::card::{Card, CardSet, Suit};
use crate::scoring::score_value;

/// So large a tree grows; then it is only walked.
const NODES_MAX: usize = 200_000;
/// So far ahead it grows.
const DEPTH_MAX: usize = 60;
/// How much a turn that was seldom tried is worth a look.
const CURIOSITY: f32 = 0.8;

pub(super) struct Search {
    deal: Deal,
    /// What each seat misses of the target.
    missing: [u16; 2],
    depth: usize,
    dice: Dice,
    nodes: Vec<Node>,
}

/// A turn, and how it went.
struct Node {
    turn: Turn,
    /// The first of those below, and the next beside it; 0, which is the root, if there is none.
    below: usize,
    beside: usize,
    visits: f32,
    /// Playouts in which it could have been chosen.
    chances: f32,
    /// What it was worth to who chooses it, in all.
    worth: f32,
}

impl Node {
    fn new(turn: Turn) -> Node {
        Node { turn, below: 0, beside: 0, visits: 0.0, chances: 1.0, worth: 0.0 }
    }

    fn appeal(&self) -> f32 {
        // No logarithm: a root is the same on every machine.
        self.worth / self.visits + CURIOSITY * self.chances.sqrt() / (1.0 + self.visits)
    }
}

/// A turn, what it seems worth from 0 to 1, and how often it was played out.
pub(super) struct Judged {
    pub(super) turn: Turn,
    pub(super) worth: f32,
    pub(super) visits: f32,
}

impl Search {
    /// Looks `depth` turns ahead before it plays by rule of thumb.
    pub(super) fn new(deal: Deal, missing: [u16; 2], depth: u8, dice: Dice) -> Search {
        let depth = usize::from(depth).min(DEPTH_MAX);
        Search { deal, missing, depth, dice, nodes: vec![Node::new(Turn::PASS)] }
    }

    /// One round, from a table that could be.
    pub(super) fn play_out(&mut self) {
        let mut table = self.deal.table(&mut self.dice);
        let mut path = [0; DEPTH_MAX + 1];
        let mut length = 1;
        let mut is_in_tree = true;
        let end = loop {
            if let Some(end) = table.end() {
                break end;
            }
            let playable = table.playable(&mut self.dice);
            if is_in_tree && length <= self.depth {
                let (node, is_new) = self.descend(path[length - 1], &table, playable);
                path[length] = node;
                length += 1;
                is_in_tree = !is_new;
                table.take(self.nodes[node].turn);
            } else {
                table.take(pick(&table, playable));
            }
        };
        let own = self.value(end);
        for (ply, node) in path[..length].iter().enumerate() {
            let node = &mut self.nodes[*node];
            node.visits += 1.0;
            // The root counts for the seat that asks, and so does what it chooses: every other node.
            node.worth += if ply == 0 || ply % 2 == 1 { own } else { 1.0 - own };
        }
    }

    /// What the match seems worth, from 0 to 1.
    pub(super) fn worth(&self) -> f32 {
        self.nodes[0].worth / self.nodes[0].visits.max(1.0)
    }

    /// The turns that were tried.
    pub(super) fn judged(&self) -> impl Iterator<Item = Judged> {
        let mut next = self.nodes[0].below;
        std::iter::from_fn(move || {
            let node = self.nodes.get(next).filter(|_| next > 0)?;
            next = node.beside;
            let worth = node.worth / node.visits.max(1.0);
            Some(Judged { turn: node.turn, worth, visits: node.visits })
        })
    }

    /// What a round's end is worth to the seat that asks.
    fn value(&self, end: End) -> f32 {
        let mut missing = self.missing;
        if let Some(winner) = end.winner {
            missing[winner] = missing[winner].saturating_sub(end.points);
        }
        let seat = self.deal.seat();
        worth(missing[seat], missing[1 - seat])
    }

    /// The node to go to, and whether it is new: a turn that was not tried yet, else the best.
    fn descend(&mut self, node: usize, table: &Table, playable: CardSet) -> (usize, bool) {
        let Search { nodes, dice, .. } = self;
        let mut best = (0, f32::MIN);
        let mut untried = (0, Turn::PASS);
        table.turns(playable, |turn| {
            let mut at = nodes[node].below;
            while at > 0 && nodes[at].turn != turn {
                at = nodes[at].beside;
            }
            if at == 0 {
                // Each of them is as likely to remain.
                untried.0 += 1;
                if dice.u32(..untried.0) == 0 {
                    untried.1 = turn;
                }
                return;
            }
            nodes[at].chances += 1.0;
            let appeal = nodes[at].appeal();
            if best.1 < appeal {
                best = (at, appeal);
            }
        });
        if best.0 > 0 && (untried.0 == 0 || nodes.len() >= NODES_MAX) {
            return (best.0, false);
        }
        let new = nodes.len();
        nodes.push(Node { beside: nodes[node].below, ..Node::new(untried.1) });
        nodes[node].below = new;
        (new, true)
    }
}

/// The turn by rule of thumb: high cards first, tens last, and with a ten one's longest suit.
fn pick(table: &Table, playable: CardSet) -> Turn {
    let hand = table.hands[table.seat];
    let liking = |card: &Card| if card.is_ten() { 0 } else { score_value(*card) };
    let Some(card) = playable.iter().max_by_key(liking) else { return Turn::PASS };
    let size = |suit: &Suit| hand.and(PLAIN[*suit as usize]).len();
    let asks = card.is_ten() && hand.len() > 1;
    let suit = Suit::ALL.into_iter().max_by_key(size).filter(|_| asks);
    Turn { card: Some(card), suit }
}
