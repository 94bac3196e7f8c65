//! Reading games: any text gives games or an error with its line and column, never a panic, and
//! takes time in proportion to its length.

use cozy_chess::util::parse_san_move;
use cozy_chess::{Board, Move};

use super::{Pgn, PgnMove, PgnResult, options_of};
use crate::{San, State};

/// Where a text is no PGN, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {fault}")]
pub struct PgnError {
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// Why.
    pub fault: PgnFault,
}

/// Why a text is no PGN.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum PgnFault {
    #[error("a tag is written [Name \"value\"]")]
    Tag,
    #[error("the start is no position: {0}")]
    Start(String),
    #[error("a comment is not closed")]
    OpenComment,
    #[error("a variation is not closed")]
    OpenVariation,
    #[error("a variation is closed that was not opened")]
    ClosedVariation,
    #[error("an annotation is $0 to $255")]
    Nag,
    #[error("{0:?} does not belong here")]
    Letter(char),
    #[error("{0} is no legal move here")]
    Move(String),
    #[error("the game has no result: 1-0, 0-1, 1/2-1/2 or *")]
    NoResult,
}

/// A place in the text.
#[derive(Clone, Copy)]
struct Place {
    line: u32,
    column: u32,
}

impl Place {
    fn fail<T>(self, fault: PgnFault) -> Result<T, PgnError> {
        Err(PgnError { line: self.line, column: self.column, fault })
    }
}

struct Reader<'t> {
    rest: std::iter::Peekable<std::str::Chars<'t>>,
    at: Place,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest.peek().copied()
    }

    fn next(&mut self) -> Option<char> {
        let letter = self.rest.next()?;
        if letter == '\n' {
            self.at = Place { line: self.at.line.saturating_add(1), column: 1 };
        } else {
            self.at.column = self.at.column.saturating_add(1);
        }
        Some(letter)
    }

    fn take_while(&mut self, is_wanted: impl Fn(char) -> bool) -> String {
        let mut text = String::new();
        while let Some(letter) = self.peek().filter(|letter| is_wanted(*letter)) {
            text.push(letter);
            self.next();
        }
        text
    }

    fn skip_blanks(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            // A line that starts with a per cent sign is for other programs.
            if self.peek() != Some('%') || self.at.column != 1 {
                return;
            }
            self.take_while(|letter| letter != '\n');
        }
    }
}

/// Reads all games.
pub(super) fn read(text: &str) -> Result<Vec<Pgn>, PgnError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader { rest: text.chars().peekable(), at: Place { line: 1, column: 1 } };
    let mut games = Vec::new();
    loop {
        reader.skip_blanks();
        if reader.peek().is_none() {
            return Ok(games);
        }
        games.push(read_game(&mut reader)?);
    }
}

fn read_game(reader: &mut Reader<'_>) -> Result<Pgn, PgnError> {
    let (tags, start_at) = read_tags(reader)?;
    let options = options_of(&tags);
    let fen = options.fen.as_deref().unwrap_or(super::STANDARD_START);
    let start = match options.begin_at(fen) {
        Ok(start) => start,
        Err(error) => return start_at.fail(PgnFault::Start(error.to_string())),
    };
    let first = (start.board().fullmove_number(), start.board().side_to_move());
    let (comment, moves, result) = (None, Vec::new(), PgnResult::Unknown);
    let mut line = Line { state: start, pgn: Pgn { tags, comment, moves, result, first } };
    loop {
        reader.skip_blanks();
        let at = reader.at;
        let Some(letter) = reader.peek() else { return at.fail(PgnFault::NoResult) };
        match letter {
            '{' | ';' => {
                let comment = read_comment(reader)?;
                line.add_comment(&comment);
            }
            '(' => skip_variation(reader)?,
            ')' => return at.fail(PgnFault::ClosedVariation),
            '$' => line.add_nag(read_nag(reader)?),
            '!' | '?' => {
                let glyph = reader.take_while(|letter| matches!(letter, '!' | '?'));
                line.add_nag(nag_of(&glyph));
            }
            '.' => drop(reader.next()),
            _ if is_word(letter) => {
                let word = reader.take_while(is_word);
                if let Some(result) = PgnResult::read(&word) {
                    line.pgn.result = result;
                    return Ok(line.pgn);
                }
                line.add_word(&word, at)?;
            }
            _ => return at.fail(PgnFault::Letter(letter)),
        }
    }
}

/// The main line as far as it was read.
struct Line {
    state: State,
    pgn: Pgn,
}

impl Line {
    /// A move's number, or a move.
    fn add_word(&mut self, word: &str, at: Place) -> Result<(), PgnError> {
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(());
        }
        let played = read_san(self.state.board(), word).map(|mv| {
            let uci = self.state.manner.write(self.state.board(), mv);
            (uci, self.state.play_on(uci))
        });
        let Some((uci, Some(after))) = played else {
            return at.fail(PgnFault::Move(game_api::excerpt(word)));
        };
        let san = after.last().map_or_else(San::default, |last| last.san);
        self.state = after;
        let (nags, clock_s, comment) = (Vec::new(), None, None);
        self.pgn.moves.push(PgnMove { uci, san, nags, clock_s, comment });
        Ok(())
    }

    fn add_nag(&mut self, nag: u8) {
        if let Some(mv) = self.pgn.moves.last_mut() {
            mv.nags.push(nag);
        }
    }

    fn add_comment(&mut self, text: &str) {
        let (clock_s, text) = take_clock(text);
        let place = match self.pgn.moves.last_mut() {
            Some(mv) => {
                mv.clock_s = clock_s.or(mv.clock_s);
                &mut mv.comment
            }
            None => &mut self.pgn.comment,
        };
        let words = text.split_whitespace();
        let words = place.iter().flat_map(|old| old.split_whitespace()).chain(words);
        let all = words.collect::<Vec<_>>().join(" ").replace(['{', '}'], "|");
        *place = Some(all).filter(|all| !all.is_empty());
    }
}

/// Letters of moves, numbers and results.
fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric()
        || matches!(letter, '+' | '#' | '=' | '-' | '/' | ':' | '*' | '_')
}

fn read_tags(reader: &mut Reader<'_>) -> Result<(Vec<(String, String)>, Place), PgnError> {
    let mut tags: Vec<(String, String)> = Vec::new();
    let mut fen_at = reader.at;
    loop {
        reader.skip_blanks();
        if reader.peek() != Some('[') {
            return Ok((tags, fen_at));
        }
        let at = reader.at;
        reader.next();
        reader.skip_blanks();
        let name = reader.take_while(|letter| letter.is_ascii_alphanumeric() || letter == '_');
        reader.skip_blanks();
        let Some(value) = read_value(reader).filter(|_| !name.is_empty()) else {
            return at.fail(PgnFault::Tag);
        };
        reader.skip_blanks();
        if reader.next() != Some(']') {
            return at.fail(PgnFault::Tag);
        }
        if name == "FEN" {
            fen_at = at;
        }
        // Of a tag that is there twice the first counts.
        if tags.iter().all(|(other, _)| *other != name) {
            tags.push((name, value));
        }
    }
}

/// A tag's value with its quotes, all on one line.
fn read_value(reader: &mut Reader<'_>) -> Option<String> {
    if reader.next() != Some('"') {
        return None;
    }
    let mut value = String::new();
    loop {
        match reader.next()? {
            '"' => return Some(value),
            '\n' => return None,
            '\\' => match reader.next()? {
                letter @ ('"' | '\\') => value.push(letter),
                '\n' => return None,
                letter => value.extend(['\\', letter]),
            },
            letter if letter.is_control() => value.push(' '),
            letter => value.push(letter),
        }
    }
}

fn read_comment(reader: &mut Reader<'_>) -> Result<String, PgnError> {
    let at = reader.at;
    if reader.next() == Some(';') {
        return Ok(reader.take_while(|letter| letter != '\n'));
    }
    let comment = reader.take_while(|letter| letter != '}');
    if reader.next().is_none() { at.fail(PgnFault::OpenComment) } else { Ok(comment) }
}

/// Passes over a variation and all within it.
fn skip_variation(reader: &mut Reader<'_>) -> Result<(), PgnError> {
    let at = reader.at;
    let mut depth = 0_u32;
    loop {
        match reader.peek() {
            Some('{' | ';') => drop(read_comment(reader)?),
            Some(letter) => {
                reader.next();
                match letter {
                    '(' => depth = depth.saturating_add(1),
                    ')' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if depth == 0 {
                    return Ok(());
                }
            }
            None => return at.fail(PgnFault::OpenVariation),
        }
    }
}

fn read_nag(reader: &mut Reader<'_>) -> Result<u8, PgnError> {
    let at = reader.at;
    reader.next();
    let digits = reader.take_while(|letter| letter.is_ascii_digit());
    digits.parse().or_else(|_| at.fail(PgnFault::Nag))
}

/// The number of a glyph that is written behind a move; what is none means nothing.
fn nag_of(glyph: &str) -> u8 {
    match glyph {
        "!" => 1,
        "?" => 2,
        "!!" => 3,
        "??" => 4,
        "!?" => 5,
        "?!" => 6,
        _ => 0,
    }
}

/// Takes `[%clk 1:02:03]` out of a comment.
fn take_clock(text: &str) -> (Option<u32>, String) {
    let found = text.find("[%clk").and_then(|from| {
        let to = from + text.get(from..)?.find(']')?;
        let clock = text.get(from + "[%clk".len()..to)?.trim();
        // Tenths of a second are dropped.
        let whole = clock.split('.').next()?;
        let mut parts = whole.split(':').map(|part| part.parse::<u32>().ok());
        let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
        let sum = hours.checked_mul(3_600)?.checked_add(minutes.checked_mul(60)?)?;
        Some((sum.checked_add(seconds)?, format!("{} {}", text.get(..from)?, text.get(to + 1..)?)))
    });
    match found {
        Some((seconds, rest)) => (Some(seconds), rest),
        None => (None, text.to_owned()),
    }
}

/// The legal move that a text means.
fn read_san(board: &Board, word: &str) -> Option<Move> {
    let is_castling = word.starts_with(['O', '0']);
    let text = if is_castling { word.replace('0', "O") } else { word.to_owned() };
    let text = text.trim_end_matches(['+', '#']);
    let mv = parse_san_move(board, text).ok()?;
    // The crate would read `Kh1` as castling if the rook stands there.
    let takes_own = board.colors(board.side_to_move()).has(mv.to);
    (takes_own == is_castling).then_some(mv)
}
