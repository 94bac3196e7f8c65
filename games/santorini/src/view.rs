//! What is seen of a state and of a step: all of it, since nothing is secret.

use game_api::{BadView, Seat, SeatSet, Step};
use serde::{Deserialize, Serialize};

use crate::Santorini;
use crate::action::Action;
use crate::board::{Board, LEVEL_MAX};
use crate::cell::{Cell, SIZE};
use crate::gods::GodId;
use crate::state::{Ended, Phase, State, TurnSoFar};

/// A state, as everybody sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Rows 1 to 5, columns a to e: the level, 4 for a complete tower, `a b c` for a dome on level
    /// 0, 1 or 2.
    pub levels: [String; 5],
    /// Each seat's workers, row by row.
    pub workers: [Vec<Cell>; 2],
    /// Whose turn it is.
    pub to_act: SeatSet,
    /// What is asked of it.
    pub phase: Phase,
    /// Each seat's god.
    pub gods: [GodId; 2],
    /// What was done in this turn.
    pub turn_so_far: TurnSoFar,
    /// The seat to act may not move up this turn.
    pub no_climb: bool,
    /// The action before.
    pub last: Option<Last>,
    /// How the match ended.
    pub ended: Option<Ended>,
}

/// An action and whose it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Last {
    /// Who acted.
    pub seat: Seat,
    /// The action's text.
    pub action: String,
}

/// The letter or digit of a tower.
pub(crate) fn tower_letter(board: &Board, cell: Cell) -> char {
    let letters = if board.has_dome(cell) { ['a', 'b', 'c', '4'] } else { ['0', '1', '2', '3'] };
    letters[usize::from(board.level(cell))]
}

/// Builds the tower that a letter or digit stands for.
pub(crate) fn read_tower(board: &mut Board, cell: Cell, letter: char) -> Option<()> {
    let (level, has_dome) = match letter {
        '0'..='3' => (letter as u8 - b'0', false),
        'a'..='c' => (letter as u8 - b'a', true),
        '4' => (LEVEL_MAX, true),
        _ => return None,
    };
    for _ in 0..level {
        board.build(cell);
    }
    if has_dome {
        board.dome(cell);
    }
    Some(())
}

/// Reads five rows of five towers.
pub(crate) fn read_levels<'a>(rows: impl Iterator<Item = &'a str>) -> Option<Board> {
    let mut board = Board::EMPTY;
    let mut row = 0;
    for text in rows {
        let mut column = 0;
        for letter in text.chars() {
            read_tower(&mut board, Cell::new(column, row)?, letter)?;
            column += 1;
        }
        if column != SIZE {
            return None;
        }
        row += 1;
    }
    (row == SIZE).then_some(board)
}

pub(crate) fn view(state: &State) -> View {
    let board = &state.board;
    let letter = |column: u8, row: u8| Cell::new(column, row).map(|cell| tower_letter(board, cell));
    let row = |row: u8| (0..SIZE).filter_map(|column| letter(column, row)).collect();
    let workers = |seat| board.workers(seat).iter().collect();
    View {
        levels: [0, 1, 2, 3, 4].map(row),
        workers: [workers(Seat::FIRST), workers(Seat::FIRST.after(1, 2))],
        to_act: state.to_act(),
        phase: state.phase,
        gods: state.gods,
        turn_so_far: state.so_far,
        no_climb: state.no_climb,
        last: state.last.map(|(seat, action)| Last { seat, action: action.to_string() }),
        ended: state.ended,
    }
}

/// The state that a view shows; the turns before it are not counted. Its gods are the view's, since
/// a position may have other gods than the options.
pub(crate) fn state(view: &View) -> Result<State, BadView> {
    let mut board =
        read_levels(view.levels.iter().map(String::as_str)).ok_or(BadView("no such towers"))?;
    for (seat, workers) in Seat::all(2).zip(&view.workers) {
        if workers.len() > 2 || workers.iter().any(|cell| !board.free().contains(*cell)) {
            return Err(BadView("no such workers"));
        }
        for cell in workers {
            board.put_worker(seat, *cell);
        }
    }
    let read_last = |last: &Last| Some((last.seat, last.action.parse::<Action>().ok()?));
    let last = view.last.as_ref().map(|last| read_last(last).ok_or(BadView("no such action")));
    let to_act = match (view.to_act.iter().next(), view.ended) {
        (Some(seat), _) => seat,
        // Whoever could act next no longer matters.
        (None, Some(ended)) => ended.winner,
        (None, None) => return Err(BadView("nobody is to act, but it is not over")),
    };
    let seats = [Some(to_act), view.ended.map(|ended| ended.winner)];
    if seats.into_iter().flatten().any(|seat| seat.index() > 1) {
        return Err(BadView("no such seat"));
    }
    let state = State {
        board,
        gods: view.gods,
        to_act,
        phase: view.phase,
        so_far: view.turn_so_far,
        no_climb: view.no_climb,
        turn: 0,
        last: last.transpose()?,
        ended: view.ended,
    };
    if self::view(&state) == *view {
        Ok(state)
    } else {
        Err(BadView("its fields contradict each other"))
    }
}

/// A step, as everybody sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Who acted.
    pub seat: Seat,
    /// The action's text.
    pub action: String,
    /// The opponent's worker that had to give way.
    pub displaced: Option<Displaced>,
    /// How the match ended with it.
    pub ended: Option<Ended>,
}

/// A worker that was moved by its opponent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Displaced {
    /// Where it stood.
    pub from: Cell,
    /// Where it stands now.
    pub to: Cell,
}

pub(crate) fn event(step: &Step<'_, Santorini>) -> Event {
    let theirs = |state: &State| state.board.workers(step.seat.after(1, 2));
    let gone = (theirs(step.before) & !theirs(step.after)).iter().next();
    let come = (theirs(step.after) & !theirs(step.before)).iter().next();
    let displaced = gone.zip(come).map(|(from, to)| Displaced { from, to });
    let action = step.action.to_string();
    Event { seat: step.seat, action, displaced, ended: step.after.ended }
}

/// What a seat can foresee of its action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preview {
    /// How the match would end with it.
    pub ended: Option<Ended>,
    /// What would be asked next.
    pub next: Phase,
}
