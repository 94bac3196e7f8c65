//! The staged checks of a move, in the order of the document that names them.
//!
//! Each refuses with a code of its own. Nothing here changes anything.

use scrabble_words::{Direction, Face};

use crate::action::{Placement, Play};
use crate::board::{Board, Run};
use crate::options::{Laying, OwnSpecials, WordCheck};
use crate::sight::Sight;
use crate::square::{Square, crossing};
use crate::tile::{face_char, tile_char, tile_of};
use crate::violation::Violation;

/// A move that is looked at.
struct Submission<'a> {
    sight: &'a Sight<'a>,
    play: &'a Play,
}

type Check = fn(&Submission<'_>) -> Result<(), Violation>;

/// R3.2: the order of document 000.
const STAGED: [Check; 5] =
    [check_star, check_valid_word, check_match_board, check_join, check_cross_words];

/// R3.3: the order of document 002: where things go is asked at once, words at the end.
const AT_END: [Check; 5] =
    [check_match_board, check_star, check_join, check_valid_word, check_cross_words];

/// R3: refuses a move that is not legal, at the first check that it fails.
pub(crate) fn validate(sight: &Sight<'_>, play: &Play) -> Result<(), Violation> {
    let checks = match sight.options.word_check {
        WordCheck::Staged => STAGED,
        WordCheck::AtEnd => AT_END,
    };
    checks.iter().try_for_each(|check| check(&Submission { sight, play }))
}

/// R4.1: does no letter lie on the board? Then the rule of the first move applies.
fn is_first_move(it: &Submission<'_>) -> bool {
    it.sight.board.is_empty()
}

/// R4.1
fn check_star(it: &Submission<'_>) -> Result<(), Violation> {
    let placement = &it.play.placement;
    if !is_first_move(it) {
        return Ok(());
    }
    if placement.word.len() < 2 {
        return Err(Violation::FirstWordTooShort { word: text(placement) });
    }
    let centre = Square::CENTRE;
    if placement.squares().any(|(square, _)| square == Some(centre)) {
        return Ok(());
    }
    Err(Violation::StarNotCovered { centre, word: text(placement) })
}

/// R3.4: the word as it is written.
fn check_valid_word(it: &Submission<'_>) -> Result<(), Violation> {
    let placement = &it.play.placement;
    let letters: Vec<_> = placement.word.iter().map(|face| face & 31).collect();
    if it.sight.options.challenge.is_some() || it.sight.lexicon.contains(&letters) {
        return Ok(());
    }
    Err(Violation::InvalidWord { word: text(placement) })
}

/// R3.5: on the board, written in full, over nothing else, with own tiles; then the specials.
fn check_match_board(it: &Submission<'_>) -> Result<(), Violation> {
    let Submission { sight, play } = it;
    let placement = &play.placement;
    let (start, direction) = (placement.start, placement.direction);
    let mut rack = sight.rack;
    let mut laid = Vec::new();
    for (square, face) in placement.squares() {
        let Some(square) = square else {
            return Err(Violation::OutOfBounds { square: start, word: text(placement) });
        };
        let there = sight.board.face(square);
        if there == face {
            continue;
        }
        if there != 0 {
            let (there, written) = (face_char(there), face_char(face));
            return Err(Violation::Overlap { square, there, written });
        }
        if !sight.is_vacant(square) {
            return Err(Violation::NotVacant { square });
        }
        if !rack.take(tile_of(face)) {
            return Err(Violation::TileNotHeld { tile: tile_char(tile_of(face)) });
        }
        laid.push((square, face));
    }
    let beyond = [start.before(direction), start.onward(direction, placement.word.len())];
    if let Some(square) = beyond.into_iter().flatten().find(|it| sight.board.has_letter(*it)) {
        return Err(Violation::WordIncomplete { square });
    }
    match laid[..] {
        [] => return Err(Violation::NothingLaid { word: text(placement) }),
        [only] => check_direction(sight.board, placement, only)?,
        _ => {}
    }
    check_specials(it)
}

/// R2.3: a single tile is written in the direction of its longer word, else across.
fn check_direction(
    board: &Board,
    placement: &Placement,
    (square, face): (Square, Face),
) -> Result<(), Violation> {
    let mut after = *board;
    after.set(square, face);
    let own = placement.word.len();
    let other = after.run_through(square, crossing(placement.direction)).length;
    if other > own || other == own && placement.direction == Direction::Down {
        return Err(Violation::WrongDirection { square });
    }
    Ok(())
}

/// R6.3
fn check_specials(it: &Submission<'_>) -> Result<(), Violation> {
    let Submission { sight, play } = it;
    let (options, specials) = (sight.options, &play.specials);
    let placement = &play.placement;
    for (index, spot) in specials.iter().enumerate() {
        let square = spot.square;
        let Some(offer) = options.offer(&spot.kind) else {
            return Err(Violation::UnknownSpecial { kind: spot.kind.clone() });
        };
        let earlier = specials[..index].iter().filter(|other| other.kind == spot.kind).count();
        if earlier >= usize::from(sight.stock[offer]) {
            return Err(Violation::SpecialNotHeld { kind: spot.kind.clone() });
        }
        let is_covered = placement.squares().any(|(covered, _)| covered == Some(square));
        if is_covered || sight.board.has_letter(square) {
            return Err(Violation::SpecialOnLetter { square });
        }
        if options.own_specials == OwnSpecials::Block && sight.own_laid.contains(square) {
            return Err(Violation::NotVacant { square });
        }
        if options.laying == Laying::AnyInLine
            && !square.is_in_line(placement.start, placement.direction)
        {
            return Err(Violation::SpecialOffLine { square });
        }
    }
    if options.laying == Laying::OneAnywhere && specials.len() > 1 {
        return Err(Violation::TooManySpecials { count: specials.len() });
    }
    Ok(())
}

/// R4.2
fn check_join(it: &Submission<'_>) -> Result<(), Violation> {
    let (board, placement) = (it.sight.board, &it.play.placement);
    let touches = |square: Square| square.neighbours().any(|next| board.has_letter(next));
    if is_first_move(it) || placement.laid(board).any(|(square, _)| touches(square)) {
        return Ok(());
    }
    Err(Violation::NotJoined { word: text(placement) })
}

/// R3.6: the words that cross the written one, by the same list.
fn check_cross_words(it: &Submission<'_>) -> Result<(), Violation> {
    if it.sight.options.challenge.is_some() {
        return Ok(());
    }
    let (after, runs) = words_formed(it.sight.board, &it.play.placement);
    match runs.into_iter().find(|run| !it.sight.lexicon.contains(&after.word(*run))) {
        Some(run) => Err(Violation::InvalidWord { word: after.word_text(run) }),
        None => Ok(()),
    }
}

/// R5.1: the board with the letters of a legal move, and the words of two letters or more that it
/// forms, the written one first.
pub(crate) fn words_formed(board: &Board, placement: &Placement) -> (Board, Vec<Run>) {
    let mut after = *board;
    for (square, face) in placement.laid(board) {
        after.set(square, face);
    }
    let Placement { start, direction, word } = placement;
    let main = Run { start: *start, direction: *direction, length: word.len() };
    let crosses =
        placement.laid(board).map(|(square, _)| after.run_through(square, crossing(*direction)));
    let runs = [main].into_iter().chain(crosses).filter(|run| run.length > 1).collect();
    (after, runs)
}

fn text(placement: &Placement) -> String {
    placement.word.iter().map(|face| face_char(*face)).collect()
}
