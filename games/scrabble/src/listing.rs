//! Lists of legal actions, and actions by chance: a move can come with specials in more ways than a
//! list could usefully hold.

use std::cmp::Reverse;

use game_api::{Completeness, GameRng};
use scrabble_words::{Direction, Face, all_plays};

use crate::PLAYS_LISTED;
use crate::action::{Action, Placement, Play, Spot};
use crate::board::Board;
use crate::options::{Laying, Options, OwnSpecials, Scoring};
use crate::play::words_formed;
use crate::score::Tally;
use crate::sight::{Phase, Sight};
use crate::square::{Square, SquareSet};
use crate::tile::{Counts, Tile, read_face};

/// The legal actions: of plays the best without specials, of exchanges those of a single tile.
pub(crate) fn list(sight: &Sight<'_>, out: &mut Vec<Action>) -> Completeness {
    match sight.phase {
        Phase::Over | Phase::Waiting => Completeness::Complete,
        Phase::Window => {
            out.extend([Action::Accept, Action::Challenge]);
            Completeness::Complete
        }
        Phase::Turn => {
            let plays = plays(sight).into_iter().take(PLAYS_LISTED);
            out.extend(plays.map(|(placement, _)| without_specials(placement)));
            let offers = sight.options.specials.iter();
            let buys = offers.map(|offer| Action::Buy(offer.kind.clone()));
            let singles =
                sight.rack.kinds().map(|tile| Action::Exchange([tile].into_iter().collect()));
            out.extend(buys.chain(singles).filter(|action| sight.check(action).is_ok()));
            out.push(Action::Pass);
            Completeness::Partial
        }
    }
}

fn without_specials(placement: Placement) -> Action {
    Action::Play(Play { placement, specials: Vec::new() })
}

/// Every play without specials, with what it scores if it hits none; the best first.
pub(crate) fn plays(sight: &Sight<'_>) -> Vec<(Placement, i32)> {
    if sight.phase != Phase::Turn {
        return Vec::new();
    }
    let mut found = Vec::new();
    all_plays(sight.lexicon, &sight.position(), &mut found);
    let mut plays: Vec<(Placement, i32)> = found
        .into_iter()
        .filter_map(|play| {
            let start = Square::from_index(play.start)?;
            let word: Vec<Face> = Vec::from(&play.word[..]);
            Some((Placement { start, direction: play.direction, word }, play.score))
        })
        .collect();
    if sight.options.own_specials == OwnSpecials::Block && !sight.own_laid.is_empty() {
        let is_free = |(square, _)| sight.is_vacant(square);
        plays.retain(|(placement, _)| placement.laid(sight.board).all(is_free));
    }
    if sight.options.scoring == Scoring::Squares {
        for (placement, score) in &mut plays {
            *score = plain_score(sight.options, sight.board, sight.premiums_used, placement);
        }
        plays.sort_by_key(|(_, score)| Reverse(*score));
    }
    plays
}

/// What a legal play scores if it hits no special.
pub(crate) fn plain_score(
    options: &Options,
    board: &Board,
    mut premiums_used: SquareSet,
    placement: &Placement,
) -> i32 {
    let (after, runs) = words_formed(board, placement);
    let laid: Vec<Square> = placement.laid(board).map(|(square, _)| square).collect();
    let bonus = if laid.len() == usize::from(options.rack) { options.bonus } else { 0 };
    let laid = laid.into_iter().collect();
    let tally = Tally { board: &after, runs: &runs, laid, left: &after };
    tally.move_score(options, &mut premiums_used) + bonus
}

/// A legal action by chance: mostly a play, now and then one with specials, an exchange of several
/// tiles or, where words can be challenged, a word that is none.
pub(crate) fn sample(sight: &Sight<'_>, rng: &mut GameRng) -> Option<Action> {
    match sight.phase {
        Phase::Over | Phase::Waiting => return None,
        Phase::Window => {
            return Some(if rng.below(4) == 0 { Action::Challenge } else { Action::Accept });
        }
        Phase::Turn => {}
    }
    let is_legal = |action: &Action| sight.check(action).is_ok();
    let wished = match rng.below(16) {
        0 => Some(Action::Pass),
        1 => sample_exchange(sight, rng),
        2..=4 => sample_purchase(sight, rng),
        5 | 6 => sample_bluff(sight, rng),
        _ => None,
    };
    let played = || sample_play(sight, rng).filter(is_legal);
    wished
        .filter(is_legal)
        .or_else(played)
        .or_else(|| sample_exchange(sight, rng).filter(is_legal))
        .or(Some(Action::Pass))
}

fn sample_exchange(sight: &Sight<'_>, rng: &mut GameRng) -> Option<Action> {
    let mut tiles: Vec<Tile> = sight.rack.tiles().collect();
    if tiles.is_empty() {
        return None;
    }
    rng.shuffle(&mut tiles);
    tiles.truncate(1 + rng.below(tiles.len()));
    Some(Action::Exchange(tiles.into_iter().collect::<Counts>()))
}

fn sample_purchase(sight: &Sight<'_>, rng: &mut GameRng) -> Option<Action> {
    let offers = &sight.options.specials;
    (!offers.is_empty()).then(|| Action::Buy(offers[rng.below(offers.len())].kind.clone()))
}

fn sample_play(sight: &Sight<'_>, rng: &mut GameRng) -> Option<Action> {
    let plays = plays(sight);
    if plays.is_empty() {
        return None;
    }
    // Good ones more often: a match of small words takes long.
    let among = if rng.below(2) == 0 { plays.len().min(8) } else { plays.len() };
    let (placement, _) = plays.into_iter().nth(rng.below(among))?;
    let bare = Play { placement, specials: Vec::new() };
    let dressed = sample_specials(sight, bare.clone(), rng);
    let is_legal = sight.check(&Action::Play(dressed.clone())).is_ok();
    Some(Action::Play(if is_legal { dressed } else { bare }))
}

/// Puts own specials beside the play, where the next letters are likely to come.
fn sample_specials(sight: &Sight<'_>, mut play: Play, rng: &mut GameRng) -> Play {
    let (after, _) = words_formed(sight.board, &play.placement);
    let touches = |square: &Square| square.neighbours().any(|next| after.has_letter(next));
    let mut squares: Vec<Square> =
        Square::all().filter(|square| !after.has_letter(*square) && touches(square)).collect();
    let Placement { start, direction, .. } = play.placement;
    let mut most = 1;
    if sight.options.laying == Laying::AnyInLine {
        squares.retain(|square| square.is_in_line(start, direction) && sight.is_vacant(*square));
        most = 2;
    }
    rng.shuffle(&mut squares);
    let held = sight.options.specials.iter().zip(sight.stock.iter()).filter(|(_, held)| **held > 0);
    let mut kinds: Vec<&str> = held.map(|(offer, _)| offer.kind.as_str()).collect();
    rng.shuffle(&mut kinds);
    let spots = kinds.into_iter().zip(squares).take(most);
    play.specials = spots.map(|(kind, square)| Spot { kind: kind.to_owned(), square }).collect();
    play.specials.sort_by_key(|spot| spot.square);
    play
}

/// Any tiles anywhere: legal only where words can be challenged, and seldom even there.
fn sample_bluff(sight: &Sight<'_>, rng: &mut GameRng) -> Option<Action> {
    sight.options.challenge?;
    let direction = [Direction::Across, Direction::Down][rng.below(2)];
    let start = Square::from_index(rng.below(225)).filter(|_| !sight.board.is_empty());
    let mut tiles: Vec<Tile> = sight.rack.tiles().collect();
    rng.shuffle(&mut tiles);
    tiles.truncate(1 + rng.below(3));
    let mut word = Vec::new();
    let start = start.unwrap_or(Square::CENTRE);
    let mut next = Some(start);
    while let Some(square) = next {
        let there = sight.board.face(square);
        match (there, tiles.pop()) {
            (0, None) => break,
            (0, Some(0)) => word.push(read_face(b'e')?),
            (0, Some(tile)) => word.push(tile),
            (there, kept) => {
                word.push(there);
                tiles.extend(kept);
            }
        }
        next = start.onward(direction, word.len());
    }
    let placement = Placement { start, direction, word };
    Some(Action::Play(Play { placement, specials: Vec::new() }))
}
