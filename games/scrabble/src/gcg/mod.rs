//! Matches of the preset `classic` in GCG, the text format of Scrabble players: written, read, and
//! played again.
//!
//! It has no word for specials: a match with them is written as far as it goes, with a note.

mod read;
mod write;

use game_api::{Record, Seat, Step};
use scrabble_words::{Direction, Face, Lexicon};

use crate::action::{Action, Placement, Play};
use crate::board::Board;
use crate::end::Reason;
use crate::listing::plain_score;
use crate::options::{Challenge, Options};
use crate::sight::{Phase, Sight};
use crate::square::{Square, SquareSet};
use crate::state::State;
use crate::tile::Counts;
use crate::{Scrabble, play};

/// A match in GCG.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gcg {
    /// Who plays, by seat.
    pub players: Vec<Player>,
    /// The name of the list of words.
    pub lexicon: Option<String>,
    /// What somebody wrote beside it.
    pub notes: Vec<String>,
    /// What happened.
    pub lines: Vec<Line>,
}

/// A player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// The name before each line: one word.
    pub nick: String,
    /// The full name.
    pub name: String,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Whose, as a place in the list of players.
    pub player: usize,
    /// The tiles before it.
    pub rack: Counts,
    /// What it says.
    pub deed: Deed,
    /// What it scores.
    pub score: i32,
    /// The player's points after it.
    pub total: i32,
}

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deed {
    /// `8G WO.D`: the tiles laid; none where a letter lies already.
    Play {
        /// The first square.
        start: Square,
        /// Which way it runs.
        direction: Direction,
        /// The letters.
        tiles: Vec<Option<Face>>,
    },
    /// `-`
    Pass,
    /// `-ABC`
    Exchange(Counts),
    /// `--`: the play before was challenged and is taken back.
    Withdrawn,
    /// `(challenge)`: points for or against it.
    Challenge,
    /// `(time)`: points lost by the clock.
    Time,
    /// `(ABC)`: tiles left at the end, the own or the others'.
    Left(Counts),
}

/// Why a text is no match in GCG.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct GcgError {
    /// The line, from 1; of a match that is played again the number of its entry.
    pub line: usize,
    /// What is wrong with it.
    pub what: String,
}

impl Gcg {
    /// A whole match.
    pub fn of_record(record: &Record<'_, Scrabble>) -> Gcg {
        let first = record.first;
        let mut gcg = Gcg {
            players: players(first.seats, &record.around.players),
            lexicon: first.options.words.as_ref().map(|id| id.name.clone()),
            ..Gcg::default()
        };
        if !first.options.specials.is_empty() {
            gcg.notes.push("played with specials, for which this format has no word".to_owned());
        }
        for recorded in record.line {
            gcg.add(&recorded.step());
        }
        if let Some(last) = record.line.last() {
            gcg.finish(last.step().after);
        }
        gcg
    }

    fn add(&mut self, step: &Step<'_, Scrabble>) {
        let Step { before, seat, action, after } = *step;
        let rack = before.racks[seat.index()];
        // At the end the tiles that are left are counted too; here the challenge alone is meant.
        let scores = after.ended.as_ref().map_or(&after.scores, |ended| &ended.unadjusted);
        let charged = scores[seat.index()] - before.scores[seat.index()];
        let (deed, score) = match action {
            Action::Play(play) => {
                let Placement { start, direction, .. } = play.placement;
                let tiles = play.placement.squares().map(|(square, face)| {
                    Some(face).filter(|_| square.is_some_and(|it| !before.board.has_letter(it)))
                });
                let deed = Deed::Play { start, direction, tiles: tiles.collect() };
                let (options, used) = (&before.options, before.premiums_used);
                let plain = plain_score(options, &before.board, used, &play.placement);
                let settled = after.last_move().filter(|_| after.pending.is_none());
                (deed, settled.map_or(plain, |last| last.score))
            }
            Action::Exchange(tiles) => (Deed::Exchange(*tiles), 0),
            Action::Pass => (Deed::Pass, 0),
            Action::Challenge if after.last_move().is_some_and(|last| last.stands) => {
                (Deed::Challenge, charged)
            }
            Action::Challenge => return self.withdraw(after, before.active),
            Action::Buy(_) | Action::Accept => return,
        };
        if deed != Deed::Challenge || score != 0 {
            let total = before.scores[seat.index()] + score;
            self.lines.push(Line { player: seat.index(), rack, deed, score, total });
        }
    }

    /// The play of the last line is taken back.
    fn withdraw(&mut self, after: &State, seat: Seat) {
        let score = self.lines.last().map_or(0, |line| -line.score);
        let (player, rack) = (seat.index(), after.racks[seat.index()]);
        let total = self.lines.last().map_or(0, |line| line.total) + score;
        self.lines.push(Line { player, rack, deed: Deed::Withdrawn, score, total });
    }

    /// The tiles that are left at the end.
    fn finish(&mut self, state: &State) {
        let Some(ended) = &state.ended else { return };
        if matches!(ended.reason, Reason::Forfeit(_)) {
            return;
        }
        let mut others = Counts::default();
        for seat in state.players() {
            let index = seat.index();
            let (rack, total) = (state.racks[index], state.scores[index]);
            others = others.with(&rack);
            if !rack.is_empty() {
                let score = total - ended.unadjusted[index];
                self.lines.push(Line { player: index, rack, deed: Deed::Left(rack), score, total });
            }
        }
        if ended.reason == Reason::WentOut {
            let player = state.active.index();
            let total = state.scores[player];
            let score = total - ended.unadjusted[player];
            let deed = Deed::Left(others);
            self.lines.push(Line { player, rack: Counts::default(), deed, score, total });
        }
    }

    /// Plays the lines by the classic rules: every play must be legal and score what its line says.
    /// Words are looked up unless one was taken back. Returns the board and the points.
    pub fn replay(&self, lexicon: &Lexicon) -> Result<(Board, Vec<i32>), GcgError> {
        let mut options = Options::classic();
        let is_withdrawn = |line: &Line| line.deed == Deed::Withdrawn;
        options.challenge = self.lines.iter().any(is_withdrawn).then(Challenge::default);
        let mut board = Board::default();
        let mut before = board;
        let mut scores = vec![0; self.players.len()];
        for (number, line) in (1..).zip(&self.lines) {
            let refuse = |what: String| GcgError { line: number, what };
            match &line.deed {
                Deed::Play { start, direction, tiles } => {
                    let placement = whole_word(&board, *start, *direction, tiles)
                        .ok_or_else(|| refuse("the word runs off the board".to_owned()))?;
                    let sight = classic_sight(lexicon, &options, &board, line.rack);
                    let used = SquareSet::default();
                    let score = plain_score(&options, &board, used, &placement);
                    let played = Play { placement, specials: Vec::new() };
                    play::validate(&sight, &played).map_err(|it| refuse(it.to_string()))?;
                    if score != line.score {
                        let what = format!("{} scores {score}", played.placement);
                        return Err(refuse(what));
                    }
                    before = board;
                    board = play::words_formed(&board, &played.placement).0;
                }
                Deed::Withdrawn => board = before,
                _ => {}
            }
            let score = scores.get_mut(line.player);
            let score = score.ok_or_else(|| refuse("there is no such player".to_owned()))?;
            *score += line.score;
            if *score != line.total {
                return Err(refuse(format!("the total is {score}")));
            }
        }
        Ok((board, scores))
    }
}

fn classic_sight<'a>(
    lexicon: &'a Lexicon,
    options: &'a Options,
    board: &'a Board,
    rack: Counts,
) -> Sight<'a> {
    Sight {
        lexicon,
        options,
        board,
        phase: Phase::Turn,
        rack,
        pool: 0,
        points: 0,
        stock: Vec::new().into(),
        own_laid: SquareSet::default(),
        premiums_used: SquareSet::default(),
    }
}

/// With the letters that lie on the board already.
fn whole_word(
    board: &Board,
    start: Square,
    direction: Direction,
    tiles: &[Option<Face>],
) -> Option<Placement> {
    let face = |(by, tile): (usize, &Option<Face>)| {
        let square = start.onward(direction, by)?;
        Some(tile.unwrap_or_else(|| board.face(square)))
    };
    let word: Vec<Face> = tiles.iter().enumerate().map(face).collect::<Option<_>>()?;
    // A gap that is no letter is no word either.
    word.iter().all(|face| *face != 0).then_some(Placement { start, direction, word })
}

/// Each with a name of one word of its own.
fn players(seats: u8, names: &[Option<String>]) -> Vec<Player> {
    let mut players: Vec<Player> = Vec::new();
    for seat in Seat::all(seats) {
        let name = names.get(seat.index()).cloned().flatten();
        let name = name.unwrap_or_else(|| format!("Seat {seat}"));
        let is_fit = |letter: &char| letter.is_alphanumeric() || "-_".contains(*letter);
        let mut nick: String = name.chars().filter(is_fit).collect();
        if nick.is_empty() || players.iter().any(|other| other.nick == nick) {
            nick = format!("{nick}_{seat}");
        }
        players.push(Player { nick, name });
    }
    players
}
