//! Alpha-beta: deeper and deeper, with a table of known positions, quiet ends, null moves and less
//! for late moves.

use bots::{Budget, Choice, Meter, Skill, WIN, place_of};
use cozy_chess::{Board, Color, Move, Piece};

use super::evaluate::evaluate;
use super::order::{FIRST, Memory, WORTH, exchange, is_direct_check, is_quiet};
use crate::material::is_dead;
use crate::moves::victim;
use crate::state::position_key;

/// No line is longer.
const PLIES_MAX: usize = 100;
const INFINITY: i32 = WIN + 1;
/// Beyond this a value tells of a mate that was found.
const FOUND: i32 = WIN - 1_000;
/// R5.2: then a draw can be claimed.
const QUIET_MAX: u8 = 100;

/// What is known of a position.
#[derive(Clone, Copy)]
struct Known {
    key: u64,
    best: Option<Move>,
    value: i32,
    depth: i16,
    bound: Bound,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

pub(super) struct Search<'a> {
    meter: Meter<'a>,
    skill: &'a Skill,
    salt: u64,
    table: Vec<Option<Known>>,
    memory: Memory,
    /// The positions since the last one that cannot come again, up to the one being searched.
    line: Vec<u64>,
}

/// A node's place in the tree.
#[derive(Clone, Copy)]
struct Node {
    depth: i32,
    ply: usize,
    alpha: i32,
    beta: i32,
    /// Not twice in a row.
    may_pass: bool,
}

impl Node {
    /// One move on, as the other side sees it.
    fn next(self, depth: i32, alpha: i32, beta: i32) -> Node {
        Node { depth, ply: self.ply + 1, alpha: -beta, beta: -alpha, may_pass: true }
    }
}

impl<'a> Search<'a> {
    pub(super) fn new(
        budget: &Budget<'a>,
        skill: &'a Skill,
        salt: u64,
        repeats: &[u64],
    ) -> Search<'a> {
        Search {
            meter: budget.meter(512),
            skill,
            salt,
            table: vec![None; budget.table_size()],
            memory: Memory::new(PLIES_MAX + 1),
            line: repeats.to_vec(),
        }
    }

    /// The best of these moves, as far as the budget goes.
    pub(super) fn deepen(&mut self, board: &Board, mut moves: Vec<Move>) -> Option<Choice<Move>> {
        let mut best: Option<Choice<Move>> = None;
        for depth in 1..=i32::from(self.skill.depth).min(64) {
            let Some(found) = self.search_root(board, &moves, depth) else { break };
            moves.sort_by_key(|mv| *mv != found.action);
            let is_decided = found.value.abs() > FOUND && WIN - found.value.abs() <= depth;
            best = Some(found);
            if self.meter.is_over() || is_decided {
                break;
            }
        }
        best
    }

    fn search_root(&mut self, board: &Board, moves: &[Move], depth: i32) -> Option<Choice<Move>> {
        let mut best: Option<Choice<Move>> = None;
        let root = Node { depth, ply: 0, alpha: -INFINITY, beta: INFINITY, may_pass: false };
        for (index, mv) in moves.iter().enumerate() {
            let alpha = best.as_ref().map_or(-INFINITY, |best| best.value);
            let node = Node { alpha, ..root };
            // What is found in an unfinished round counts if it beats the best of the last one.
            let Some(value) = self.value_of(board, node, *mv, index, 0) else { break };
            if value > alpha {
                best = Some(Choice { action: *mv, value });
            }
        }
        best
    }

    /// What a move is worth, with a null window and less depth first, unless it is the first.
    fn value_of(
        &mut self,
        board: &Board,
        node: Node,
        mv: Move,
        index: usize,
        less: i32,
    ) -> Option<i32> {
        let mut after = board.clone();
        after.play_unchecked(mv);
        let depth = node.depth - 1 + i32::from(!after.checkers().is_empty());
        let Node { alpha, beta, .. } = node;
        self.line.push(position_key(&after));
        let mut seen = |depth: i32, alpha: i32, beta: i32| {
            self.search(&after, node.next(depth, alpha, beta)).map(|value| -value)
        };
        let value = if index == 0 {
            seen(depth, alpha, beta)
        } else {
            let less = less.clamp(0, depth.max(0));
            let mut value = seen(depth - less, alpha, alpha + 1);
            if less > 0 && value.is_some_and(|value| value > alpha) {
                value = seen(depth, alpha, alpha + 1);
            }
            if value.is_some_and(|value| alpha < value && value < beta) {
                value = seen(depth, alpha, beta);
            }
            value
        };
        self.line.pop();
        value
    }

    /// Has the last position of the line been there, or may a draw be claimed?
    fn is_drawn(&self, board: &Board) -> bool {
        let mut earlier = self.line.iter().rev();
        let key = earlier.next();
        let reach = usize::from(board.halfmove_clock());
        earlier.take(reach).skip(1).step_by(2).any(|other| Some(other) == key)
            || board.halfmove_clock() >= QUIET_MAX
            || is_dead(board)
    }

    fn judge(&self, board: &Board) -> i32 {
        evaluate(board) + self.skill.misjudgement(board.hash(), self.salt)
    }

    /// What a position is worth to the side to move; `None` once the budget is spent.
    fn search(&mut self, board: &Board, mut node: Node) -> Option<i32> {
        if !self.meter.spend() {
            return None;
        }
        if self.is_drawn(board) {
            return Some(0);
        }
        if node.depth <= 0 || node.ply >= PLIES_MAX {
            return self.search_captures(board, node.ply, node.alpha, node.beta);
        }
        let key = board.hash();
        let place = place_of(key, self.table.len());
        let known = self.table[place].filter(|known| known.key == key);
        if let Some(value) = known.and_then(|known| known.settles(node)) {
            return Some(value);
        }
        let is_check = !board.checkers().is_empty();
        let is_narrow = node.beta - node.alpha == 1;
        let judged = if is_check { -INFINITY } else { self.judge(board) };
        if is_narrow && !is_check && node.beta.abs() < FOUND {
            // So far ahead that the other side would have to work a miracle.
            if node.depth <= 6 && judged - 90 * node.depth >= node.beta {
                return Some(judged);
            }
            let passed = self.try_pass(board, node, judged)?;
            if passed >= node.beta {
                return Some(passed);
            }
        }
        // Without a move to begin with, a shallower search finds the table one next time.
        if known.is_none() && node.depth >= 5 {
            node.depth -= 1;
        }
        let floor = node.alpha;
        let (best, value) = self.search_moves(board, &mut node, known, judged, is_check)?;
        let bound = match value {
            _ if value >= node.beta => Bound::AtLeast,
            _ if value <= floor => Bound::AtMost,
            _ => Bound::Exact,
        };
        let depth = i16::try_from(node.depth).unwrap_or(i16::MAX);
        let value_here = from_here(value, node.ply);
        self.table[place] = Some(Known { key, best, value: value_here, depth, bound });
        Some(value)
    }

    /// If passing is good enough, a move is too; not where having to move may be the trouble.
    fn try_pass(&mut self, board: &Board, node: Node, judged: i32) -> Option<i32> {
        let men = board.pieces(Piece::Pawn) | board.pieces(Piece::King);
        let has_pieces = !(board.colors(board.side_to_move()) & !men).is_empty();
        if !node.may_pass || node.depth < 3 || judged < node.beta || !has_pieces {
            return Some(-INFINITY);
        }
        let Some(after) = board.null_move() else { return Some(-INFINITY) };
        let depth = node.depth - 3 - node.depth / 4 - ((judged - node.beta) / 200).min(3);
        self.line.push(position_key(&after));
        let next = Node { may_pass: false, ..node.next(depth, node.beta - 1, node.beta) };
        let value = self.search(&after, next);
        self.line.pop();
        // A mate that needs a pass is none.
        value.map(|value| (-value).min(FOUND))
    }

    fn search_moves(
        &mut self,
        board: &Board,
        node: &mut Node,
        known: Option<Known>,
        judged: i32,
        is_check: bool,
    ) -> Option<(Option<Move>, i32)> {
        let first = known.and_then(|known| known.best);
        let mut moves = self.listed(board, |mv, memory| memory.promise(board, node.ply, first, mv));
        let is_narrow = node.beta - node.alpha == 1;
        let mut best = (None, -INFINITY);
        let mut tried = Vec::new();
        for index in 0..moves.len() {
            let (promise, mv) = take_next(&mut moves, index);
            let is_quiet = is_quiet(board, mv);
            let order = i32::try_from(index).unwrap_or(i32::MAX);
            if best.1 > -FOUND && is_narrow && !is_check && promise < FIRST {
                let is_late = is_quiet && order > 4 + node.depth * node.depth;
                let is_hopeless =
                    is_quiet && node.depth <= 5 && judged + 110 * node.depth + 60 < node.alpha;
                let is_loss = !is_quiet && node.depth <= 4 && promise < 0;
                let is_passed_over = node.depth <= 6 && is_late || is_hopeless || is_loss;
                // A check may be the mate that makes up for everything.
                if is_passed_over && !is_direct_check(board, mv) {
                    continue;
                }
            }
            let less = if is_quiet && !is_check && node.depth >= 3 && index >= 3 {
                self.less(board, mv, node.depth, index, is_narrow)
            } else {
                0
            };
            let value = self.value_of(board, *node, mv, index, less)?;
            if value > best.1 {
                best = (Some(mv), value);
            }
            node.alpha = node.alpha.max(value);
            if node.alpha >= node.beta {
                if is_quiet {
                    self.memory.learn(board, node.ply, node.depth, mv, &tried);
                }
                break;
            }
            if is_quiet {
                tried.push(mv);
            }
        }
        if moves.is_empty() {
            let ply = i32::try_from(node.ply).unwrap_or_default();
            best.1 = if is_check { ply - WIN } else { 0 };
        }
        Some(best)
    }

    /// By how much less a late move is searched.
    fn less(&self, board: &Board, mv: Move, depth: i32, index: usize, is_narrow: bool) -> i32 {
        let late = i32::try_from((index + 1).ilog2()).unwrap_or_default();
        let deep = i32::try_from((depth + 1).ilog2()).unwrap_or_default();
        let history = self.memory.history(board, mv) / 6_000;
        (late * deep + 2) / 4 - i32::from(!is_narrow) - history
    }

    fn listed(&self, board: &Board, rank: impl Fn(Move, &Memory) -> i32) -> Vec<(i32, Move)> {
        let mut moves = Vec::with_capacity(48);
        board.generate_moves(|of_piece| {
            moves.extend(of_piece.into_iter().map(|mv| (rank(mv, &self.memory), mv)));
            false
        });
        moves
    }

    /// Captures alone, until it is quiet; out of check every move.
    fn search_captures(
        &mut self,
        board: &Board,
        ply: usize,
        mut alpha: i32,
        beta: i32,
    ) -> Option<i32> {
        let is_check = !board.checkers().is_empty();
        let mut best = -INFINITY;
        if !is_check || ply >= PLIES_MAX {
            best = self.judge(board);
            alpha = alpha.max(best);
            if alpha >= beta || ply >= PLIES_MAX {
                return Some(best);
            }
        }
        let mut moves = if is_check {
            self.listed(board, |mv, memory| memory.promise(board, ply, None, mv))
        } else {
            captures(board)
        };
        let is_mate = is_check && moves.is_empty();
        for index in 0..moves.len() {
            let (promise, mv) = take_next(&mut moves, index);
            // Not even with a pawn's worth on top would it reach the window, or it only loses.
            let is_futile = || best + promise / 16 + 150 < alpha || exchange(board, mv) < 0;
            if !is_check && mv.promotion.is_none() && is_futile() {
                continue;
            }
            if !self.meter.spend() {
                return None;
            }
            let mut after = board.clone();
            after.play_unchecked(mv);
            let value = -self.search_captures(&after, ply + 1, -beta, -alpha)?;
            best = best.max(value);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        Some(if is_mate { i32::try_from(ply).unwrap_or_default() - WIN } else { best })
    }
}

impl Known {
    /// What it says of a node, if that is enough.
    fn settles(&self, node: Node) -> Option<i32> {
        let value = from_root(self.value, node.ply);
        let is_enough = match self.bound {
            Bound::Exact => node.beta - node.alpha == 1 || node.depth <= 1,
            Bound::AtLeast => value >= node.beta,
            Bound::AtMost => value <= node.alpha,
        };
        (i32::from(self.depth) >= node.depth && is_enough).then_some(value)
    }
}

/// A mate is so many moves from the root; in the table, from the position.
fn from_here(value: i32, ply: usize) -> i32 {
    let ply = i32::try_from(ply).unwrap_or_default();
    if value.abs() > FOUND { value + value.signum() * ply } else { value }
}

fn from_root(value: i32, ply: usize) -> i32 {
    let ply = i32::try_from(ply).unwrap_or_default();
    if value.abs() > FOUND { value - value.signum() * ply } else { value }
}

/// Brings the most promising of the moves that are left to the front.
fn take_next(moves: &mut [(i32, Move)], index: usize) -> (i32, Move) {
    let best = (index..moves.len()).max_by_key(|at| moves[*at].0).unwrap_or(index);
    moves.swap(index, best);
    moves[index]
}

/// Captures and promotions to a queen, with what they take.
fn captures(board: &Board) -> Vec<(i32, Move)> {
    let color = board.side_to_move();
    let last_rank = match color {
        Color::White => cozy_chess::Rank::Eighth,
        Color::Black => cozy_chess::Rank::First,
    };
    let theirs = board.colors(!color);
    let mut moves = Vec::with_capacity(16);
    board.generate_moves(|mut of_piece| {
        let mut targets = theirs;
        if of_piece.piece == Piece::Pawn {
            // A pawn that changes its file takes something, in passing perhaps.
            targets |= last_rank.bitboard() | of_piece.from.file().adjacent();
        }
        of_piece.to &= targets;
        let is_wanted = |mv: &Move| matches!(mv.promotion, None | Some(Piece::Queen));
        moves.extend(of_piece.into_iter().filter(is_wanted).map(|mv| {
            let taken = victim(board, mv).map_or(0, |piece| WORTH[piece as usize]);
            (16 * taken - of_piece.piece as i32, mv)
        }));
        false
    });
    moves
}
