//! A match from its start to its end: what a move and a claim do, and what ends it.

use std::sync::Arc;

use cozy_chess::{Board, Color, Move, Piece};
use game_api::{Forfeit, Outcome, Seat, SeatSet};
use serde::{Deserialize, Serialize};

use crate::action::{Action, Claim, Uci, Violation};
use crate::fen::{self, FenError, HALF_MOVES_MAX};
use crate::material::{is_dead, may_mate};
use crate::moves::{Manner, color_index, legal_en_passant, victim};
use crate::san::{Effect, San, piece_letter};

/// R5.2: fifty moves by each side.
const HALF_MOVES_CLAIMABLE: u8 = 100;
/// R6.2
const REPEATS_MAX: usize = 5;

/// Where a match began.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Start {
    /// The position.
    pub fen: String,
    /// Is it Chess960?
    pub chess960: bool,
}

/// The last move, as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Last {
    /// As the action was.
    pub uci: Uci,
    /// As people read it.
    pub san: San,
}

/// Why the match is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Ended {
    /// R4.2: the side to move is mated.
    Checkmate,
    /// R4.3: the side to move has no move.
    Stalemate,
    /// R6.1: nobody can mate any more.
    Material,
    /// R6.2: the position was there five times.
    Fivefold,
    /// R6.3: seventy-five moves by each side without a pawn's move or a capture.
    SeventyFive,
    /// R5: a player claimed the draw.
    Claimed {
        /// Which.
        claim: Claim,
    },
    /// R7.1: the players agreed.
    Agreed,
    /// R7: a seat gave up.
    Forfeit {
        /// Which.
        seat: Seat,
        /// Why.
        cause: Forfeit,
        /// R7.2: a draw all the same, since the other side could not mate.
        drawn: bool,
    },
}

/// What a side has taken: pawns, knights, bishops, rooks and queens.
pub(crate) type Taken = [u8; 5];

/// Everything there is to know of a match at one moment; nothing of it is hidden.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct State {
    pub(crate) board: Board,
    /// Since the last pawn's move or capture; the crate's own count stops at 100.
    pub(crate) half_moves: u8,
    /// The positions since then, this one the last: no older one can come again, so there are never
    /// more than 151.
    pub(crate) repeats: Vec<u64>,
    pub(crate) start: Arc<Start>,
    pub(crate) manner: Manner,
    pub(crate) plies: u32,
    pub(crate) taken: [Taken; 2],
    pub(crate) last: Option<Last>,
    pub(crate) ended: Option<Ended>,
}

/// What tells positions apart (R5.4): the men, the side to move, the castling rights, and a pawn that
/// can be taken in passing.
pub(crate) fn position_key(board: &Board) -> u64 {
    // The crate marks every double step, also where nobody could take.
    if board.en_passant().is_some() && legal_en_passant(board).is_some() {
        board.hash()
    } else {
        board.hash_without_ep()
    }
}

impl State {
    /// The state at a position, over at once if the position is.
    pub(crate) fn begin(fen: &str, manner: Manner) -> Result<State, FenError> {
        let (board, half_moves) = fen::read(fen, manner.is_chess960)?;
        let repeats = vec![position_key(&board)];
        let fen = fen::write(&board, half_moves, manner.is_chess960);
        let start = Arc::new(Start { fen, chess960: manner.is_chess960 });
        let mut state = State {
            board,
            half_moves,
            repeats,
            start,
            manner,
            plies: 0,
            taken: [[0; 5]; 2],
            last: None,
            ended: None,
        };
        state.ended = state.judge(state.has_move());
        Ok(state)
    }

    /// As if the other side had passed; not while it is in check, since then it cannot.
    pub(crate) fn supposing_turn(&self, seat: Seat) -> Option<State> {
        let board = self.board.null_move().filter(|_| self.ended.is_none())?;
        let repeats = vec![position_key(&board)];
        let state = State { board, repeats, ..self.clone() };
        (state.mover() == seat && state.has_move()).then_some(state)
    }

    /// The position.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The position as FEN.
    pub fn fen(&self) -> String {
        fen::write(&self.board, self.half_moves, self.manner.is_chess960)
    }

    /// Where the match began.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// The last move.
    pub fn last(&self) -> Option<Last> {
        self.last
    }

    /// Why it is over, if it is.
    pub fn ended(&self) -> Option<Ended> {
        self.ended
    }

    /// R4.1: is the side to move in check?
    pub fn is_check(&self) -> bool {
        !self.board.checkers().is_empty()
    }

    fn has_move(&self) -> bool {
        self.board.generate_moves(|_| true)
    }

    /// What ends the match by itself.
    fn judge(&self, has_move: bool) -> Option<Ended> {
        if !has_move {
            Some(if self.is_check() { Ended::Checkmate } else { Ended::Stalemate })
        } else if is_dead(&self.board) {
            Some(Ended::Material)
        } else if self.times_there() >= REPEATS_MAX {
            Some(Ended::Fivefold)
        } else if self.half_moves >= HALF_MOVES_MAX {
            Some(Ended::SeventyFive)
        } else {
            None
        }
    }

    fn count(&self, key: u64) -> usize {
        self.repeats.iter().filter(|other| **other == key).count()
    }

    fn times_there(&self) -> usize {
        self.repeats.last().map_or(0, |key| self.count(*key))
    }

    /// The seat whose turn it is or would be; White is seat 0.
    pub(crate) fn mover(&self) -> Seat {
        seat_of(self.board.side_to_move())
    }

    pub(crate) fn to_act(&self) -> SeatSet {
        if self.ended.is_some() { SeatSet::default() } else { SeatSet::only(self.mover()) }
    }

    /// The state after an action, or why there is none.
    pub fn apply(&self, seat: Seat, action: Action) -> Result<State, Violation> {
        self.check_turn(seat)?;
        match action {
            Action::Move(uci) => Ok(self.after(self.check_move(uci)?, uci)),
            Action::Claim { claim, intended } => {
                self.check_claim(claim, intended)?;
                Ok(State { ended: Some(Ended::Claimed { claim }), ..self.clone() })
            }
        }
    }

    /// The state after a move, also where the match would be over: a game on record may go on.
    pub(crate) fn play_on(&self, uci: Uci) -> Option<State> {
        self.check_move(uci).ok().map(|mv| self.after(mv, uci))
    }

    fn check_turn(&self, seat: Seat) -> Result<(), Violation> {
        let to_act = self.mover();
        if self.ended.is_some() {
            Err(Violation::GameOver)
        } else if seat != to_act {
            Err(Violation::NotYourTurn { seat, to_act })
        } else {
            Ok(())
        }
    }

    /// The crate's form of a move, if it is legal.
    pub(crate) fn check_move(&self, uci: Uci) -> Result<Move, Violation> {
        self.manner.read(&self.board, uci).map_err(|reason| Violation::IllegalMove { uci, reason })
    }

    fn after(&self, mv: Move, uci: Uci) -> State {
        let color = self.board.side_to_move();
        let captured = victim(&self.board, mv);
        let is_lasting = self.is_lasting(mv);
        let mut board = self.board.clone();
        board.play_unchecked(mv);
        let kept = if is_lasting { &[][..] } else { &self.repeats };
        let mut repeats = Vec::with_capacity(kept.len() + 1);
        repeats.extend_from_slice(kept);
        repeats.push(position_key(&board));
        let mut taken = self.taken;
        if let Some(count) =
            captured.and_then(|piece| taken[color_index(color)].get_mut(piece as usize))
        {
            *count += 1;
        }
        let mut after = State {
            board,
            half_moves: if is_lasting { 0 } else { self.half_moves.saturating_add(1) },
            repeats,
            start: self.start.clone(),
            manner: self.manner,
            plies: self.plies + 1,
            taken,
            last: None,
            ended: None,
        };
        after.ended = after.judge(after.has_move());
        let effect = Effect {
            is_capture: captured.is_some(),
            is_check: after.is_check(),
            is_mate: after.ended == Some(Ended::Checkmate),
        };
        after.last = Some(Last { uci, san: San::of(&self.board, mv, effect) });
        after
    }

    /// A pawn's move or a capture: nothing before it can come again.
    fn is_lasting(&self, mv: Move) -> bool {
        self.board.pieces(Piece::Pawn).has(mv.from) || victim(&self.board, mv).is_some()
    }

    /// R5: refuses a claim that is not due.
    fn check_claim(&self, claim: Claim, intended: Option<Uci>) -> Result<(), Violation> {
        let intended = intended.map(|uci| self.check_move(uci)).transpose()?;
        match claim {
            Claim::Threefold => {
                let times = intended.map_or(self.times_there(), |mv| self.times_after(mv));
                let times = u8::try_from(times).unwrap_or(u8::MAX);
                if times >= 3 { Ok(()) } else { Err(Violation::NotThreefold { times }) }
            }
            Claim::Fifty => {
                let half_moves = match intended {
                    None => self.half_moves,
                    Some(mv) if self.is_lasting(mv) => 0,
                    Some(_) => self.half_moves.saturating_add(1),
                };
                let is_due = half_moves >= HALF_MOVES_CLAIMABLE;
                if is_due { Ok(()) } else { Err(Violation::NotFifty { half_moves }) }
            }
        }
    }

    /// How often the position after a legal move will have been there.
    fn times_after(&self, mv: Move) -> usize {
        if self.is_lasting(mv) {
            return 1;
        }
        let mut board = self.board.clone();
        board.play_unchecked(mv);
        1 + self.count(position_key(&board))
    }

    /// Has any position with the other side to move been there twice? Else no move makes it three.
    fn has_pair_of_others(&self) -> bool {
        // The same position takes at least four half-moves to come back.
        if self.repeats.len() < 8 {
            return false;
        }
        let mut others: Vec<u64> = self.repeats.iter().rev().skip(1).step_by(2).copied().collect();
        others.sort_unstable();
        others.array_windows().any(|[key, next]| key == next)
    }

    /// The legal moves, in the crate's form and order.
    pub(crate) fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::with_capacity(64);
        self.board.generate_moves(|of_piece| {
            moves.extend(of_piece.into_iter().filter(|mv| self.manner.has_allowed_promotion(*mv)));
            false
        });
        moves
    }

    /// The legal moves of the side to move as they are written: by square, then the strongest
    /// promotion first.
    pub fn legal_moves(&self) -> Vec<Uci> {
        let mut moves: Vec<Uci> =
            self.moves().into_iter().map(|mv| self.manner.write(&self.board, mv)).collect();
        let key = |uci: &Uci| {
            let Uci(Move { from, to, promotion }) = *uci;
            (from as u8, to as u8, promotion.map(|piece| Piece::King as u8 - piece as u8))
        };
        moves.sort_unstable_by_key(key);
        moves
    }

    /// The claims that are due (R5), those of the position as it stands first.
    pub fn claims(&self) -> Vec<Action> {
        let mut claims = Vec::new();
        let may_repeat = self.times_there() >= 3 || self.has_pair_of_others();
        let may_be_fifty = self.half_moves.saturating_add(1) >= HALF_MOVES_CLAIMABLE;
        if self.ended.is_some() || !(may_repeat || may_be_fifty) {
            return claims;
        }
        let moves = self.legal_moves();
        let intentions = [None].into_iter().chain(moves.into_iter().map(Some));
        for intended in intentions {
            for claim in Claim::ALL {
                if self.check_claim(claim, intended).is_ok() {
                    claims.push(Action::Claim { claim, intended });
                }
            }
        }
        claims
    }

    pub(crate) fn outcome(&self) -> Option<Outcome> {
        let loser = |seat: Seat| if seat == Seat::FIRST { vec![2, 1] } else { vec![1, 2] };
        let (places, reason) = match self.ended? {
            Ended::Checkmate => (loser(self.mover()), "checkmate"),
            Ended::Stalemate => (vec![1, 1], "stalemate"),
            Ended::Material => (vec![1, 1], "material"),
            Ended::Fivefold => (vec![1, 1], "fivefold"),
            Ended::SeventyFive => (vec![1, 1], "seventy_five"),
            Ended::Claimed { claim } => (vec![1, 1], claim.key()),
            Ended::Agreed => (vec![1, 1], "agreed"),
            Ended::Forfeit { drawn: true, .. } => (vec![1, 1], "cannot_mate"),
            Ended::Forfeit { seat, cause, .. } => (loser(seat), cause.key()),
        };
        Some(Outcome { places, reason })
    }

    pub(crate) fn after_forfeit(&self, seat: Seat, cause: Forfeit) -> State {
        // R7.2: resigning is a decision, and loses always.
        let other = if seat == Seat::FIRST { Color::Black } else { Color::White };
        let drawn = cause != Forfeit::Resigned && !may_mate(&self.board, other);
        let ended = self.ended.or(Some(Ended::Forfeit { seat, cause, drawn }));
        State { ended, ..self.clone() }
    }

    pub(crate) fn after_agreement(&self) -> State {
        State { ended: self.ended.or(Some(Ended::Agreed)), ..self.clone() }
    }

    /// The letters of what a seat has taken, the strongest first.
    pub(crate) fn captured(&self, color: Color) -> String {
        let taken = self.taken[color_index(color)];
        let pieces = Piece::ALL.into_iter().zip(taken).rev();
        pieces
            .flat_map(|(piece, count)| {
                std::iter::repeat_n(char::from(piece_letter(piece)), usize::from(count))
            })
            .collect()
    }
}

pub(crate) fn seat_of(color: Color) -> Seat {
    match color {
        Color::White => Seat::FIRST,
        Color::Black => Seat::FIRST.after(1, 2),
    }
}
