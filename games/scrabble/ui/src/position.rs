//! What the board needs of a view.

use scrabble::{LETTER_TIMES, VALUES, WORD_TIMES};
use serde_json::Value;

/// Squares in a row, and rows.
pub(crate) const SIDE: usize = 15;
/// All squares.
pub(crate) const SQUARES: usize = SIDE * SIDE;
/// A square without a letter.
pub(crate) const EMPTY: u8 = b'.';

/// The table as one viewer sees it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Position {
    /// A letter a square, a blank in lower case.
    pub(crate) board: Vec<u8>,
    /// The own tiles.
    pub(crate) rack: Vec<u8>,
    /// In the order of their turns, then those that are out.
    pub(crate) players: Vec<Player>,
    pub(crate) is_backward: bool,
    pub(crate) turn: u64,
    /// Own specials on the board.
    pub(crate) laid: Vec<(usize, String)>,
    /// Own specials that can be laid, and how many of each kind.
    pub(crate) stock: Vec<(String, u64)>,
    /// Those that were bought in this turn.
    pub(crate) bought: Vec<(String, u64)>,
    /// What can be bought, and for how much.
    pub(crate) prices: Vec<(String, u64)>,
    /// For the bag or each inventory: how many it holds, and what this viewer does not see.
    pub(crate) pools: Vec<(u64, Vec<(String, u64)>)>,
    /// A move in its challenge window.
    pub(crate) pending: Option<Move>,
    /// The premiums that count no more.
    used: Vec<usize>,
    /// The last turn.
    last: Value,
}

/// A player, as all see them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Player {
    pub(crate) seat: usize,
    pub(crate) score: i64,
    pub(crate) tiles: u64,
    pub(crate) skips: u64,
    pub(crate) is_out: bool,
}

/// Somebody's word.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Move {
    pub(crate) seat: usize,
    pub(crate) word: String,
    /// All its letters, with their squares.
    pub(crate) letters: Vec<(usize, u8)>,
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn index(value: &Value) -> usize {
    value.as_u64().and_then(|it| usize::try_from(it).ok()).unwrap_or_default()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn counts(value: &Value) -> Vec<(String, u64)> {
    let all = value.as_object().into_iter().flatten();
    all.map(|(key, count)| (key.clone(), count.as_u64().unwrap_or_default())).collect()
}

fn squares(value: &Value) -> Vec<usize> {
    list(value).iter().filter_map(|it| square_of(text(it))).collect()
}

impl Position {
    /// Of a view's JSON; a bare board if it is none of Scrabble.
    pub(crate) fn parse(view: &str) -> Position {
        let view: Value = serde_json::from_str(view).unwrap_or_default();
        let mut board: Vec<u8> =
            list(&view["board"]).iter().flat_map(|it| text(it).bytes()).collect();
        board.resize(SQUARES, EMPTY);
        let inside = list(&view["order"]).iter().map(|seat| Player::parse(&view, seat, false));
        let out = list(&view["out"]).iter().map(|seat| Player::parse(&view, seat, true));
        let players = inside.chain(out).collect();
        let own = &view["specials"];
        let laid =
            |it: &Value| Some((square_of(text(&it["square"]))?, text(&it["kind"]).to_owned()));
        let price = |it: &Value| (text(&it["kind"]).to_owned(), it["price"].as_u64().unwrap_or(0));
        let sizes = list(&view["pools"]).iter().map(|it| it.as_u64().unwrap_or_default());
        Position {
            rack: text(&view["rack"]).bytes().collect(),
            players,
            is_backward: view["direction"] == "backward",
            turn: view["turn"].as_u64().unwrap_or_default(),
            laid: list(&own["laid"]).iter().filter_map(laid).collect(),
            stock: counts(&own["stock"]),
            bought: counts(&own["bought"]),
            prices: list(&view["prices"]).iter().map(price).collect(),
            pools: sizes.zip(list(&view["unseen"]).iter().map(counts)).collect(),
            pending: Move::parse(&view["pending"]),
            used: squares(&view["premiums_used"]),
            last: view["last"].clone(),
            board,
        }
    }

    /// Does a letter lie here, or one that waits for answers?
    pub(crate) fn letter(&self, square: usize) -> Option<u8> {
        let mut waiting = self.pending.iter().flat_map(|it| &it.letters);
        let waiting = || waiting.find(|(at, _)| *at == square).map(|(_, letter)| *letter);
        Some(self.board[square]).filter(|it| *it != EMPTY).or_else(waiting)
    }

    /// What is printed on a square, short and in words, as long as it counts.
    pub(crate) fn premium(&self, square: usize) -> Option<(&'static str, &'static str)> {
        if self.used.contains(&square) { None } else { premium(square) }
    }

    /// The squares that the last turn, or the move that waits, has put letters on.
    pub(crate) fn last_laid(&self) -> Vec<usize> {
        match &self.pending {
            Some(it) => {
                it.letters.iter().map(|it| it.0).filter(|at| self.board[*at] == EMPTY).collect()
            }
            None => squares(&self.last["laid"]),
        }
    }

    /// The squares that a special of the last turn has emptied.
    pub(crate) fn last_cleared(&self) -> Vec<usize> {
        squares(&self.last["cleared"])
    }

    /// What fired on a square in the last turn.
    pub(crate) fn fired_on(&self, square: usize) -> Vec<&str> {
        let fired = list(&self.last["fired"]).iter();
        let here = fired.filter(|it| square_of(text(&it["square"])) == Some(square));
        here.map(|it| text(&it["kind"])).collect()
    }

    /// What happened in the last turn, a sentence each.
    pub(crate) fn told(&self, name: impl Fn(usize) -> String) -> Vec<String> {
        let last = &self.last;
        let who = name(index(&last["seat"]));
        let (place, word) = text(&last["play"]).split_once(':').unwrap_or_default();
        let first = match text(&last["type"]) {
            "played" if last["stands"] == false => {
                format!("{word} by {who} was challenged and fell: the letters went back.")
            }
            "played" => format!("{who} laid {word} at {place} for {}.", points(&last["score"])),
            "exchanged" => {
                format!("{who} exchanged {}.", tiles(last["count"].as_u64().unwrap_or(0)))
            }
            "passed" => format!("{who} passed."),
            _ => return Vec::new(),
        };
        let fired = |it: &Value| {
            let kind = text(&it["kind"]);
            let (square, owner) = (text(&it["square"]), name(index(&it["owner"])));
            format!("{} of {owner} on {square}: {}", title(kind), effect_of(kind))
        };
        std::iter::once(first).chain(list(&last["fired"]).iter().map(fired)).collect()
    }
}

impl Player {
    fn parse(view: &Value, seat: &Value, is_out: bool) -> Player {
        let seat = index(seat);
        Player {
            seat,
            score: view["scores"][seat].as_i64().unwrap_or_default(),
            tiles: view["rack_sizes"][seat].as_u64().unwrap_or_default(),
            skips: view["skips"][seat].as_u64().unwrap_or_default(),
            is_out,
        }
    }
}

impl Move {
    fn parse(value: &Value) -> Option<Move> {
        let (place, word) = text(&value["play"]).split_once(':')?;
        let (row, column) = place.split_at_checked(place.len().checked_sub(1)?)?;
        let across = square_of(&format!("{column}{row}"));
        let is_down = across.is_none();
        let start = across.or_else(|| square_of(place))?;
        let step = if is_down { SIDE } else { 1 };
        let letters = word.bytes().enumerate().map(|(by, it)| (start + by * step, it));
        Some(Move {
            seat: index(&value["seat"]),
            word: word.to_ascii_uppercase(),
            letters: letters.filter(|(at, _)| *at < SQUARES).collect(),
        })
    }
}

fn points(score: &Value) -> String {
    match score.as_i64().unwrap_or_default() {
        1 => "1 point".to_owned(),
        score => format!("{score} points"),
    }
}

/// So many tiles.
pub(crate) fn tiles(count: u64) -> String {
    if count == 1 { "1 tile".to_owned() } else { format!("{count} tiles") }
}

/// The name of a kind, as people read it.
pub(crate) fn title(kind: &str) -> String {
    let mut title = kind.to_owned();
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    title
}

/// What a kind of special does.
pub(crate) fn effect_of(kind: &str) -> &'static str {
    match kind {
        "negative" => "the move’s score counts negatively.",
        "boom" => "the tiles around it leave the match.",
        "reverse" => "play runs the other way round.",
        "exchange" => "owner and player swap their points.",
        "skip" => "the player loses the next turn.",
        "snatch" => "the owner gets the move’s score.",
        _ => "see the rules.",
    }
}

/// `H8`: the column's letter, the row's number.
pub(crate) fn name_of(square: usize) -> String {
    format!("{}{}", column_of(square), square / SIDE + 1)
}

/// The letter of a square's column.
pub(crate) fn column_of(square: usize) -> char {
    (b'A'..=b'O').nth(square % SIDE).map_or('?', char::from)
}

/// Reads what [`name_of`] writes.
pub(crate) fn square_of(name: &str) -> Option<usize> {
    let column = usize::from(name.bytes().next()?.wrapping_sub(b'A'));
    let row: usize = name.get(1..)?.parse().ok()?;
    (column < SIDE && (1..=SIDE).contains(&row)).then(|| (row - 1) * SIDE + column)
}

fn premium(square: usize) -> Option<(&'static str, &'static str)> {
    match (*LETTER_TIMES.get(square)?, WORD_TIMES[square]) {
        (2, _) => Some(("2L", "double letter")),
        (3, _) => Some(("3L", "triple letter")),
        (_, 2) => Some(("2W", "double word")),
        (_, 3) => Some(("3W", "triple word")),
        _ => None,
    }
}

/// What a tile counts; a blank, however it is written, nothing.
pub(crate) fn value(tile: u8) -> u8 {
    if tile.is_ascii_uppercase() { VALUES[usize::from(tile - b'A') + 1] } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VIEW: &str = r#"{"viewer":0,"board":["CAt............"],"rack":"AE?","rack_sizes":[3,7],
        "unseen":[{"?":1,"B":2}],"pools":[5],"scores":[10,-4],"order":[1,0],"out":[],"skips":[0,1],
        "direction":"backward","turn":7,"premiums_used":["H8"],"prices":[{"kind":"boom","price":20}],
        "specials":{"laid":[{"kind":"boom","square":"C3"}],"stock":{"skip":2},"bought":{}},
        "pending":{"seat":1,"play":"1A:CAtS","accepted":[],"specials":[]},
        "last":{"type":"played","seat":1,"play":"A1:CAT","laid":["A1"],"stands":true,"score":1,
          "earner":1,"fired":[{"kind":"boom","square":"A1","owner":0}],"cleared":["B2"]}}"#;

    #[test]
    fn a_view_is_read() {
        let it = Position::parse(VIEW);
        assert_eq!(it.letter(0), Some(b'C'));
        assert_eq!(it.letter(3), Some(b'S'), "it waits");
        assert_eq!((it.letter(4), it.board[3]), (None, EMPTY));
        assert_eq!(it.last_laid(), [3]);
        assert_eq!(it.last_cleared(), [16]);
        assert_eq!((it.fired_on(0), it.fired_on(1)), (vec!["boom"], vec![]));
        assert_eq!(it.players[0].seat, 1);
        assert_eq!((it.players[0].score, it.players[0].skips), (-4, 1));
        assert_eq!(it.laid, [(32, "boom".to_owned())]);
        assert_eq!(it.pools, [(5, vec![("?".to_owned(), 1), ("B".to_owned(), 2)])]);
        assert!(it.is_backward && it.turn == 7);
        assert_eq!((it.premium(112), it.premium(0).map(|it| it.0)), (None, Some("3W")));
        assert_eq!(Position::parse("").board.len(), SQUARES);
    }

    #[test]
    fn the_last_turn_is_told() {
        let told = |last: &str| {
            let view = format!(r#"{{"last":{last}}}"#);
            Position::parse(&view).told(|seat| ["Ada", "Bo"][seat].to_owned()).join(" ")
        };
        assert_eq!(told(r#"{"type":"passed","seat":1}"#), "Bo passed.");
        assert_eq!(told(r#"{"type":"exchanged","seat":0,"count":1}"#), "Ada exchanged 1 tile.");
        let fell = r#"{"type":"played","seat":0,"play":"8H:XQ","stands":false,"score":0}"#;
        assert!(told(fell).starts_with("XQ by Ada was challenged"));
        let boom = Position::parse(VIEW).told(|seat| ["Ada", "Bo"][seat].to_owned());
        assert_eq!(boom[0], "Bo laid CAT at A1 for 1 point.");
        assert_eq!(boom[1], "Boom of Ada on A1: the tiles around it leave the match.");
        assert_eq!(told("null"), "");
    }

    #[test]
    fn squares_have_names() {
        for (square, name) in [(0, "A1"), (112, "H8"), (224, "O15")] {
            assert_eq!((name_of(square).as_str(), square_of(name)), (name, Some(square)));
        }
        for odd in ["", "P1", "A0", "A16", "é1", "A"] {
            assert_eq!(square_of(odd), None, "{odd}");
        }
        assert_eq!(premium(112).map(|it| it.0), Some("2W"));
        assert_eq!([value(b'Q'), value(b'q'), value(b'?')], [10, 0, 0]);
    }
}
