//! The shell's notation of a position:
//! `BOARD RACK[,RACK…] SCORE[,SCORE…] SEAT [POOL[,POOL…]]`.
//!
//! The board is fifteen rows joined by `/`, `.` for an empty square and lower case for a blank. An
//! empty rack or pool is `-`. Without pools, what is left of the full set is in them. No specials lie.

use game_api::{Game, Seat, Seed, SetupError, excerpt};
use scrabble_words::{Direction, Lexicon};

use crate::Scrabble;
use crate::board::{Board, Run};
use crate::options::{Options, Scoring};
use crate::square::{Square, SquareSet, is_premium};
use crate::state::State;
use crate::tile::{Counts, tile_char, tile_of};

const FORM: &str = "it reads BOARD RACK[,RACK…] SCORE[,SCORE…] SEAT [POOL[,POOL…]]";
/// More than any match brings, and far from what a number holds.
const SCORE_MAX: i32 = 1_000_000;

pub(crate) fn read(
    lexicon: &Lexicon,
    options: &Options,
    text: &str,
    seed: &Seed,
) -> Result<(u8, State), SetupError> {
    let fields: Vec<&str> = text.split_whitespace().collect();
    let (board, racks, scores, seat, pools) = match fields[..] {
        [board, racks, scores, seat] => (board, racks, scores, seat, None),
        [board, racks, scores, seat, pools] => (board, racks, scores, seat, Some(pools)),
        _ => return Err(refuse(FORM)),
    };
    let board = Board::from_rows(board.split('/')).map_err(|error| refuse(&error.to_string()))?;
    let racks = read_heaps(racks)?;
    let seats = u8::try_from(racks.len()).unwrap_or(u8::MAX);
    let allowed = Scrabble::META.seats;
    if !allowed.contains(&seats) {
        return Err(SetupError::InvalidPlayers { got: seats, allowed });
    }
    let largest = usize::from(options.rack);
    if let Some(rack) = racks.iter().find(|rack| rack.total() > largest) {
        return Err(refuse(&format!("the rack {rack} has more than {largest} tiles")));
    }
    let mut state = State::empty(options.clone(), seats, seed);
    state.board = board;
    state.scores = read_scores(scores, racks.len())?;
    state.active = read_seat(seat, seats)?;
    let heaps = fill_pools(&state, &racks, pools)?;
    for (pool, heap) in state.pools.iter_mut().zip(heaps) {
        pool.extend(heap.tiles());
        state.rng.shuffle(pool);
    }
    state.racks = racks;
    let is_stranded = |seat: Seat| {
        state.racks[seat.index()].is_empty() && state.pools[state.pool_of(seat)].is_empty()
    };
    if Seat::all(seats).any(is_stranded) {
        return Err(refuse("a seat has no tile left: the match would be over"));
    }
    if options.scoring == Scoring::Squares {
        let squares = board.letters().map(|(square, _)| square);
        state.premiums_used = squares.filter(|square| is_premium(*square)).collect();
    }
    if options.specials.is_empty() {
        check_classic(lexicon, options, &board)?;
    }
    Ok((seats, state))
}

fn read_heaps(text: &str) -> Result<Vec<Counts>, SetupError> {
    let read = |heap: &str| match heap {
        "-" => Ok(Counts::default()),
        "" => Err(refuse("an empty rack or pool is written -")),
        _ => heap.parse().map_err(|error| refuse(&format!("{}: {error}", excerpt(heap)))),
    };
    text.split(',').map(read).collect()
}

fn read_scores(text: &str, count: usize) -> Result<Vec<i32>, SetupError> {
    let is_fit = |score: &i32| (-SCORE_MAX..=SCORE_MAX).contains(score);
    let read = |score: &str| score.parse().ok().filter(is_fit);
    let scores: Option<Vec<i32>> = text.split(',').map(read).collect();
    let bad = || refuse("the scores are whole numbers up to a million, one a seat");
    scores.filter(|scores| scores.len() == count).ok_or_else(bad)
}

fn read_seat(text: &str, seats: u8) -> Result<Seat, SetupError> {
    let found = Seat::all(seats).find(|seat| seat.to_string() == text);
    found.ok_or_else(|| refuse(&format!("{} is not the number of a seat", excerpt(text))))
}

/// The pools, given or what is left; nothing may be there more often than it exists.
fn fill_pools(
    state: &State,
    racks: &[Counts],
    given: Option<&str>,
) -> Result<Vec<Counts>, SetupError> {
    let set = Counts::full(state.options.blanks);
    let count = state.pools.len();
    let mut left = vec![set; count];
    for (index, rack) in racks.iter().enumerate() {
        let pool = if count > 1 { index } else { 0 };
        left[pool] = take_all(left[pool], rack)?;
    }
    // Of several inventories they come in turn, as far as each has them.
    for (turn, (_, face)) in state.board.letters().enumerate() {
        let tile = tile_of(face);
        let mut owners = (0..count).map(|by| (turn + by) % count);
        let owner = owners.find(|owner| left[*owner].of(tile) > 0).ok_or_else(|| too_many(tile))?;
        let _ = left[owner].take(tile);
    }
    let Some(given) = given else { return Ok(left) };
    let given = read_heaps(given)?;
    if given.len() != count {
        return Err(refuse(&format!("{count} pools are asked for")));
    }
    // Of several inventories nobody knows whose letters lie on the board: all together may not
    // hold more than there is.
    let sum = |heaps: &[Counts]| {
        heaps.iter().fold([0_u32; 27], |mut sum, heap| {
            sum.iter_mut().zip(heap.0).for_each(|(sum, count)| *sum += u32::from(count));
            sum
        })
    };
    let (wanted, there) = (sum(&given), sum(&left));
    match (0..27).find(|tile| wanted[usize::from(*tile)] > there[usize::from(*tile)]) {
        Some(tile) => Err(too_many(tile)),
        None => Ok(given),
    }
}

fn take_all(mut heap: Counts, wanted: &Counts) -> Result<Counts, SetupError> {
    for tile in wanted.tiles() {
        if !heap.take(tile) {
            return Err(too_many(tile));
        }
    }
    Ok(heap)
}

fn too_many(tile: u8) -> SetupError {
    refuse(&format!("there are not so many {}", tile_char(tile)))
}

/// Without specials nothing ever leaves the board: all letters hang together and cover the centre,
/// and all words are in the list, unless a challenge that nobody made could have let them through.
fn check_classic(lexicon: &Lexicon, options: &Options, board: &Board) -> Result<(), SetupError> {
    if board.is_empty() {
        return Ok(());
    }
    if !board.has_letter(Square::CENTRE) {
        return Err(refuse("H8 is empty"));
    }
    let mut joined = SquareSet::default();
    let mut next = vec![Square::CENTRE];
    while let Some(square) = next.pop() {
        if joined.insert(square) {
            next.extend(square.neighbours().filter(|near| board.has_letter(*near)));
        }
    }
    if let Some((square, _)) = board.letters().find(|(square, _)| !joined.contains(*square)) {
        return Err(refuse(&format!("the letter on {square} is joined to nothing")));
    }
    if options.challenge.is_some() {
        return Ok(());
    }
    let is_wrong = |run: &Run| run.length > 1 && !lexicon.contains(&board.word(*run));
    for direction in [Direction::Across, Direction::Down] {
        let mut runs = board.letters().map(|(square, _)| board.run_through(square, direction));
        if let Some(run) = runs.find(is_wrong) {
            return Err(refuse(&format!("{} is not in the list of words", board.word_text(run))));
        }
    }
    // A single letter is no first word.
    if joined.iter().count() < 2 { Err(refuse("a single letter is no word")) } else { Ok(()) }
}

fn refuse(reason: &str) -> SetupError {
    SetupError::InvalidPosition(reason.to_owned())
}
