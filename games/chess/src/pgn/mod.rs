//! Portable game notation: games as text, in and out.
//!
//! Reading takes what is found in the wild (comments, annotations, variations, odd spacing) and
//! checks every move of the main line; it keeps comments and annotations, and passes over
//! variations. Writing is in the standard's export format. What has been written once is read and
//! written again to the letter.

mod read;
mod write;

use cozy_chess::Color;
use game_api::{Outcome, Pace, Record, Step};

use crate::{Action, Chess, Options, San, State, Uci, Variant};

pub use read::{PgnError, PgnFault};

/// One game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pgn {
    /// Names and values, in their order.
    pub tags: Vec<(String, String)>,
    /// What is said before the first move.
    pub comment: Option<String>,
    /// The main line.
    pub moves: Vec<PgnMove>,
    /// How it ended.
    pub result: PgnResult,
    /// The number of the first move, and whose it is.
    first: (u16, Color),
}

/// One move of the main line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PgnMove {
    /// As an action of the match.
    pub uci: Uci,
    /// As PGN writes it.
    pub san: San,
    /// The numeric annotations: 1 is `!`, 2 is `?`.
    pub nags: Vec<u8>,
    /// The mover's clock after the move, in seconds.
    pub clock_s: Option<u32>,
    /// What is said after it.
    pub comment: Option<String>,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PgnResult {
    /// `1-0`
    White,
    /// `0-1`
    Black,
    /// `1/2-1/2`
    Draw,
    /// `*`
    #[default]
    Unknown,
}

impl PgnResult {
    /// As it is written.
    pub const fn key(self) -> &'static str {
        match self {
            PgnResult::White => "1-0",
            PgnResult::Black => "0-1",
            PgnResult::Draw => "1/2-1/2",
            PgnResult::Unknown => "*",
        }
    }

    fn read(text: &str) -> Option<PgnResult> {
        let all = [PgnResult::White, PgnResult::Black, PgnResult::Draw, PgnResult::Unknown];
        all.into_iter().find(|result| result.key() == text)
    }
}

impl From<&Outcome> for PgnResult {
    fn from(outcome: &Outcome) -> Self {
        match outcome.places[..] {
            [1, 2] => PgnResult::White,
            [2, 1] => PgnResult::Black,
            _ => PgnResult::Draw,
        }
    }
}

impl Pgn {
    /// Reads all games of a text.
    pub fn parse(text: &str) -> Result<Vec<Pgn>, PgnError> {
        read::read(text)
    }

    /// Reads all games of a file: UTF-8, or else Latin-1, as old files are.
    pub fn parse_bytes(bytes: &[u8]) -> Result<Vec<Pgn>, PgnError> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Pgn::parse(text),
            Err(_) => Pgn::parse(&bytes.iter().copied().map(char::from).collect::<String>()),
        }
    }

    /// A game that begins where `state` does, with no move yet.
    pub fn begin(state: &State) -> Pgn {
        let start = state.start();
        let options = Options {
            variant: if start.chess960 { Variant::Chess960 } else { Variant::Standard },
            ..Options::default()
        };
        let mut pgn = Pgn {
            tags: Vec::new(),
            comment: None,
            moves: Vec::new(),
            result: PgnResult::Unknown,
            first: (1, Color::White),
        };
        if let Ok(first) = options.begin_at(&start.fen) {
            pgn.first = (first.board().fullmove_number(), first.board().side_to_move());
        }
        if start.chess960 {
            pgn.set_tag("Variant", "Chess960");
        }
        if start.chess960 || start.fen != STANDARD_START {
            pgn.set_tag("SetUp", "1");
            pgn.set_tag("FEN", &start.fen);
        }
        pgn
    }

    /// A whole match.
    pub fn of_record(record: &Record<'_, Chess>) -> Pgn {
        let mut pgn = Pgn::begin(record.first);
        let around = record.around;
        pgn.set_tag("Event", if around.is_rated { "Rated match" } else { "Casual match" });
        pgn.set_tag("Site", around.site.as_deref().unwrap_or("?"));
        pgn.set_tag("Date", &around.date.replace('-', "."));
        for (color, name) in ["White", "Black"].into_iter().zip(&around.players) {
            pgn.set_tag(color, name.as_deref().unwrap_or("?"));
        }
        let control = match around.pace {
            Pace::Untimed => "-".to_owned(),
            Pace::Stock { seconds, increment_s: 0 } => seconds.to_string(),
            Pace::Stock { seconds, increment_s } => format!("{seconds}+{increment_s}"),
            Pace::PerTurn { seconds } => format!("1/{seconds}"),
        };
        pgn.set_tag("TimeControl", &control);
        for recorded in record.line {
            let clock_s = recorded.clock_ms().map(|ms| u32::try_from(ms / 1000));
            pgn.add(&recorded.step(), clock_s.and_then(Result::ok));
        }
        if let Some(outcome) = &record.outcome {
            pgn.finish(outcome);
        }
        pgn
    }

    /// Adds a step of the match, with the mover's clock after it. Claims have no notation and are
    /// left to the result.
    pub fn add(&mut self, step: &Step<'_, Chess>, clock_s: Option<u32>) {
        if let (Action::Move(uci), Some(last)) = (*step.action, step.after.last()) {
            let san = last.san;
            self.moves.push(PgnMove { uci, san, nags: Vec::new(), clock_s, comment: None });
        }
    }

    /// Sets how it ended.
    pub fn finish(&mut self, outcome: &Outcome) {
        self.result = PgnResult::from(outcome);
        let termination = match outcome.reason {
            "time" | "cannot_mate" => "time forfeit",
            "abandoned" => "abandoned",
            _ => "normal",
        };
        self.set_tag("Termination", termination);
    }

    /// A tag's value.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// Sets a tag, in the place it has or as the last.
    pub fn set_tag(&mut self, name: &str, value: &str) {
        match self.tags.iter_mut().find(|(other, _)| other == name) {
            Some((_, old)) => value.clone_into(old),
            None => self.tags.push((name.to_owned(), value.to_owned())),
        }
    }

    /// The options of a match that starts as this game did.
    pub fn options(&self) -> Options {
        options_of(&self.tags)
    }
}

const STANDARD_START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn options_of(tags: &[(String, String)]) -> Options {
    let tag = |name| tags.iter().find(|(other, _)| other == name).map(|(_, value)| value);
    let is_chess960 = tag("Variant").is_some_and(|variant| {
        let plain: String = variant.chars().filter(char::is_ascii_alphanumeric).collect();
        let plain = plain.to_ascii_lowercase();
        ["chess960", "fischerandom", "fischerrandom", "960"].contains(&plain.as_str())
    });
    Options {
        variant: if is_chess960 { Variant::Chess960 } else { Variant::Standard },
        fen: tag("FEN").cloned(),
        ..Options::default()
    }
}
