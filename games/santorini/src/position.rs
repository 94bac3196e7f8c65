//! The shell's notation of a position at the start of a turn:
//! `00000/00000/00000/00000/00000 b3,d3 c2,c4 0 [god,god]`.
//!
//! Rows 1 to 5 of towers, the workers of seat 0 and of seat 1, the seat to move, and the gods if
//! they are not those of the options; `athena!` has barred climbing for the seat to move.

use game_api::{Seat, SetupError, excerpt};

use crate::cell::Cell;
use crate::gods::GodId;
use crate::state::{Options, Phase, State};
use crate::view::read_levels;

pub(crate) fn read(options: Options, text: &str) -> Result<State, SetupError> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let (levels, workers, seat, gods) = match fields[..] {
        [levels, first, second, seat] => (levels, [first, second], seat, None),
        [levels, first, second, seat, gods] => (levels, [first, second], seat, Some(gods)),
        _ => return Err(refuse("it has four fields, or five: TOWERS WORKERS WORKERS SEAT [GODS]")),
    };
    let mut state = State::new(options, 2)?;
    state.phase = Phase::Move;
    state.to_act = match seat {
        "0" => Seat::FIRST,
        "1" => Seat::FIRST.after(1, 2),
        _ => return Err(refuse("the seat to move is 0 or 1")),
    };
    state.board = read_levels(levels.split('/'))
        .ok_or_else(|| refuse("the towers are five rows of five of 0 1 2 3 4 a b c"))?;
    for (seat, workers) in Seat::all(2).zip(workers) {
        for cell in read_workers(workers)? {
            if !state.board.free().contains(cell) {
                return Err(refuse(&format!("no worker can stand on {cell}")));
            }
            state.board.put_worker(seat, cell);
        }
    }
    if let Some(gods) = gods {
        read_gods(&mut state, gods)?;
    }
    state.check_stuck();
    Ok(state)
}

fn read_workers(text: &str) -> Result<[Cell; 2], SetupError> {
    let bad = || refuse(&format!("{} are no two workers, such as b3,d3", excerpt(text)));
    let (first, second) = text.split_once(',').ok_or_else(bad)?;
    Ok([first.parse().map_err(|_| bad())?, second.parse().map_err(|_| bad())?])
}

fn read_gods(state: &mut State, text: &str) -> Result<(), SetupError> {
    let bad = || refuse(&format!("{} are no two gods, such as apollo,mortal", excerpt(text)));
    let (first, second) = text.split_once(',').ok_or_else(bad)?;
    for (seat, name) in Seat::all(2).zip([first, second]) {
        let bars = name.strip_suffix('!');
        let god = GodId::find(bars.unwrap_or(name)).ok_or_else(bad)?;
        if bars.is_some() {
            if !god.god().bars_climbing || seat == state.to_act {
                return Err(refuse("only the opponent's athena can have barred climbing"));
            }
            state.no_climb = true;
        }
        state.gods[seat.index()] = god;
    }
    Ok(())
}

fn refuse(reason: &str) -> SetupError {
    SetupError::InvalidPosition(reason.to_owned())
}
