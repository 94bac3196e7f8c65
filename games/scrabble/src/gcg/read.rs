//! Reading GCG: any text in, a match or an error out.

use std::str::FromStr;

use game_api::excerpt;

use super::{Deed, Gcg, GcgError, Line, Player};
use crate::square::read_place;
use crate::tile::{Counts, read_face};

/// Far more than any match has.
const LINES_MAX: usize = 10_000;
const SCORE_MAX: i32 = 1_000_000;

impl FromStr for Gcg {
    type Err = GcgError;

    fn from_str(text: &str) -> Result<Gcg, GcgError> {
        let mut gcg = Gcg::default();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim_start_matches('\u{feff}').trim();
            let refuse = |what: &str| GcgError { line: number, what: what.to_owned() };
            if number > LINES_MAX {
                return Err(refuse("there are too many lines"));
            }
            if let Some(pragma) = line.strip_prefix('#') {
                gcg.read_pragma(pragma).map_err(refuse)?;
            } else if let Some(event) = line.strip_prefix('>') {
                let read = gcg.read_event(event);
                gcg.lines.push(read.map_err(|what| refuse(&format!("{}: {what}", excerpt(line))))?);
            } else if !line.is_empty() {
                return Err(refuse("a line begins with # or >"));
            }
        }
        Ok(gcg)
    }
}

impl Gcg {
    fn read_pragma(&mut self, pragma: &str) -> Result<(), &'static str> {
        let (key, rest) = pragma.split_once(char::is_whitespace).unwrap_or((pragma, ""));
        let rest = rest.trim();
        if let Some(number) = key.strip_prefix("player") {
            let (nick, name) = rest.split_once(char::is_whitespace).unwrap_or((rest, rest));
            if number != (self.players.len() + 1).to_string() || self.players.len() == 4 {
                return Err("players are numbered 1 to 4, in order");
            }
            if nick.is_empty() || self.players.iter().any(|other| other.nick == nick) {
                return Err("a player needs a name of its own");
            }
            self.players.push(Player { nick: nick.to_owned(), name: name.trim().to_owned() });
        } else if key == "lexicon" {
            self.lexicon = Some(rest.to_owned());
        } else if key == "note" {
            self.notes.push(rest.to_owned());
        }
        Ok(())
    }

    fn read_event(&self, event: &str) -> Result<Line, &'static str> {
        let (nick, rest) = event.split_once(':').ok_or("a name ends in a colon")?;
        let player = self.players.iter().position(|player| player.nick == nick.trim());
        let player = player.ok_or("there is no such player")?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        let [deed @ .., score, total] = &words[..] else {
            return Err("it ends in a score and a total");
        };
        let (score, total) = (read_points(score)?, read_points(total)?);
        let (rack, deed) = match deed {
            [left] => (Counts::default(), read_deed(left)?),
            [rack, deed] => (read_tiles(rack)?, read_deed(deed)?),
            [rack, place, word] => (read_tiles(rack)?, read_play(place, word)?),
            _ => return Err("it has too many words, or too few"),
        };
        Ok(Line { player, rack, deed, score, total })
    }
}

fn read_deed(text: &str) -> Result<Deed, &'static str> {
    match text {
        "-" => return Ok(Deed::Pass),
        "--" => return Ok(Deed::Withdrawn),
        "(challenge)" => return Ok(Deed::Challenge),
        "(time)" => return Ok(Deed::Time),
        _ => {}
    }
    if let Some(tiles) = text.strip_prefix('-') {
        return read_tiles(tiles).map(Deed::Exchange);
    }
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    inner.ok_or("there is no such deed").and_then(read_tiles).map(Deed::Left)
}

/// Letters that lie already are dots, or letters in brackets.
fn read_play(place: &str, word: &str) -> Result<Deed, &'static str> {
    let (start, direction) =
        read_place(&place.to_ascii_uppercase()).ok_or("there is no such square")?;
    let mut tiles = Vec::new();
    let mut is_bracketed = false;
    for letter in word.bytes() {
        match (letter, read_face(letter)) {
            (b'(', _) if !is_bracketed => is_bracketed = true,
            (b')', _) if is_bracketed => is_bracketed = false,
            (b'.', _) => tiles.push(None),
            (_, Some(face)) => tiles.push(Some(face).filter(|_| !is_bracketed)),
            _ => return Err("a word is written in letters, dots and brackets"),
        }
    }
    if is_bracketed || !(1..=15).contains(&tiles.len()) {
        return Err("a word has 1 to 15 letters");
    }
    Ok(Deed::Play { start, direction, tiles })
}

fn read_tiles(text: &str) -> Result<Counts, &'static str> {
    text.parse().map_err(|_| "tiles are written A to Z and ? for a blank")
}

fn read_points(text: &str) -> Result<i32, &'static str> {
    let is_fit = |number: &i32| (-SCORE_MAX..=SCORE_MAX).contains(number);
    text.parse().ok().filter(is_fit).ok_or("points are whole numbers")
}
