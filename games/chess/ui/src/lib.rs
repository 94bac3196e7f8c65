//! The chess board in the browser: a view comes in, an action's text goes out. What may be moved is
//! what the list of legal actions says.
#![expect(unreachable_pub, reason = "the component macro makes its properties public")]

mod about;
mod pieces;
mod position;

pub use about::ABOUT;
use board_kit::{Cell, Grid, Picking, Settings, Stage, Way, chooser, hear};
use leptos::prelude::*;

use crate::pieces::Drawing;
use crate::position::{Piece, Position, Square};

/// What is seen and what is picked; what a choice is left of is a promotion.
#[derive(Clone, Copy)]
struct Board {
    stage: Stage,
    position: Memo<Position>,
    picking: Picking,
    is_flipped: RwSignal<bool>,
}

impl Board {
    fn new(stage: Stage) -> Board {
        Board {
            stage,
            position: Memo::new(move |_| Position::parse(&stage.view.get()).unwrap_or_default()),
            picking: Picking::new(stage, ways_of, attempt),
            is_flipped: RwSignal::new(false),
        }
    }

    fn is_black_below(self) -> bool {
        (self.stage.side.get() == 1) != self.is_flipped.get()
    }

    fn square(self, index: usize) -> Square {
        Square::new(if self.is_black_below() { 63 - index } else { index })
    }

    fn cell(self, square: Square) -> Cell {
        let position = self.position.get();
        let piece = position.at(square);
        let index = square.index();
        let is_target = self.picking.is_begun() && self.picking.is_next(index);
        let is_picked = self.picking.is_picked(index);
        let is_movable = self.picking.is_start(index);
        let king = Piece { is_white: position.is_white_to_move, kind: 'k' };
        let is_in_check = position.is_check && piece == Some(king);
        let is_last = position.last.contains(&square);
        let marks = [
            (square.is_dark(), "dark"),
            (is_picked, "picked"),
            (is_target, "target"),
            (is_target && piece.is_some(), "capture"),
            (is_last, "last"),
            (is_in_check, "check"),
            (is_movable, "movable"),
        ];
        let class: Vec<&str> = marks.iter().filter(|(is, _)| *is).map(|(_, it)| *it).collect();
        let name = square.name();
        let words = [
            Some(&*name),
            piece.map(Piece::name),
            is_in_check.then_some("in check"),
            is_target.then(|| self.stage.words("can be moved to")),
            is_last.then_some("last move"),
        ];
        let words: Vec<&str> = words.into_iter().flatten().collect();
        Cell { label: words.join(", "), class: class.join(" "), is_picked, is_movable }
    }

    /// Picks a square. Whoever begins with a piece of the other side is told whose turn it is.
    fn pick(self, square: Square) {
        if untrack(|| !self.picking.is_begun() && self.is_of_other(square)) {
            let is_white = self.position.with_untracked(|position| position.is_white_to_move);
            let side = if is_white { "white" } else { "black" };
            self.stage.say.run(format!("It is {side}’s turn."));
        }
        self.picking.pick(square.index());
    }

    /// Does a piece of the other side stand there, while this side plays? Who only watches has none.
    fn is_of_other(self, square: Square) -> bool {
        let plays = self.stage.legal.with(|legal| !legal.is_empty());
        let piece = self.position.with(|position| position.at(square));
        plays && piece.is_some_and(|piece| piece.is_white != (self.stage.side.get() == 0))
    }

    /// The choice of what a pawn becomes.
    fn chooser(self) -> AnyView {
        let is_white = self.position.with(|position| position.is_white_to_move);
        let button = move |action: String| {
            let piece = Piece { is_white, kind: action.chars().last().unwrap_or('q') };
            let choose = hear(move |_| self.picking.act(action.clone()));
            view! { <button aria-label=piece.name() on:click=choose><Drawing piece/></button> }
        };
        let choices = self.picking.choice();
        if choices.is_empty() {
            return ().into_any();
        }
        chooser("Promote to", choices.into_iter().map(button).collect_view().into_any())
    }

    /// The draws that can be claimed without a move.
    fn claims(self) -> impl IntoView {
        let button = |(action, text): (&'static str, &'static str)| {
            let is_due = self.stage.legal.with(|legal| legal.iter().any(|it| it == action));
            is_due.then(|| {
                view! { <button on:click=move |_| self.picking.act(action.to_owned())>{text}</button> }
            })
        };
        [
            ("claim:threefold", "Claim a draw: the same position for the third time"),
            ("claim:fifty", "Claim a draw: fifty moves without a capture or a pawn’s move"),
        ]
        .map(button)
    }
}

/// The board, the pieces that were taken, and the claims that may be made.
#[component]
pub fn ChessBoard(
    /// The match.
    stage: Stage,
) -> impl IntoView {
    let board = Board::new(stage);
    let cell = Callback::new(move |index| board.cell(board.square(index)));
    let settings = Settings::here();
    let content = Callback::new(move |index| {
        let square = board.square(index);
        let piece = board.position.with(|position| position.at(square));
        view! {
            {settings.draw_coordinates(&square.name(), index, 8)}
            {piece.map(|piece| view! { <Drawing piece/> })}
        }
        .into_any()
    });
    let pick = Callback::new(move |index| board.pick(board.square(index)));
    let let_go = Callback::new(move |()| board.picking.let_go());
    let flip = move |_| board.is_flipped.update(|it| *it = !*it);
    view! {
        <div class="chess">
            {move || taken(&board.position.get(), board.is_black_below())}
            <Grid label="Chess board" columns=8 rows=8 cell content pick let_go/>
            <div class="board-actions">
                {move || taken(&board.position.get(), !board.is_black_below())}
                <button class="quiet" on:click=flip>"Turn the board"</button>
            </div>
            {move || board.chooser()}
            {move || board.claims()}
        </div>
    }
}

/// A move is said by its two squares; a claim by none.
fn ways_of(action: &str) -> Vec<Way> {
    let square = |part: Option<&str>| part.and_then(Square::parse).map(Square::index);
    let cells = square(action.get(..2)).zip(square(action.get(2..4)));
    let way = |(from, to)| Way { cells: vec![from, to], action: action.to_owned() };
    cells.map(way).into_iter().collect()
}

/// Two squares are a move, even one that no piece makes.
fn attempt(cells: &[usize]) -> Option<String> {
    let [from, to] = *cells else { return None };
    Some(format!("{}{}", Square::new(from).name(), Square::new(to).name()))
}

/// What one side has taken, in a row.
fn taken(position: &Position, by_white: bool) -> impl IntoView + use<> {
    let pieces = position.taken[usize::from(!by_white)].clone();
    let side = if by_white { "white" } else { "black" };
    let label = format!("Taken by {side}: {}", pieces.len());
    view! {
        <p class="taken" role="img" aria-label=label>
            {pieces.into_iter().map(|piece| view! { <Drawing piece/> }).collect_view()}
        </p>
    }
}
