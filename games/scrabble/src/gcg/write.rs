//! Writing GCG.

use std::fmt;

use super::{Deed, Gcg, Line};
use crate::square::write_place;
use crate::tile::face_char;

impl fmt::Display for Gcg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("#character-encoding UTF-8\n")?;
        for (number, player) in (1..).zip(&self.players) {
            writeln!(f, "#player{number} {} {}", player.nick, one_line(&player.name))?;
        }
        if let Some(lexicon) = &self.lexicon {
            writeln!(f, "#lexicon {}", one_line(lexicon))?;
        }
        for note in &self.notes {
            writeln!(f, "#note {}", one_line(note))?;
        }
        for line in &self.lines {
            let nick = self.players.get(line.player).map_or("?", |player| &player.nick);
            writeln!(f, ">{nick}: {line}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Line { rack, deed, score, total, .. } = self;
        if !rack.is_empty() {
            write!(f, "{rack} ")?;
        }
        write!(f, "{deed} {score:+} {total}")
    }
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Deed::Play { start, direction, tiles } => {
                write_place(f, *start, *direction)?;
                f.write_str(" ")?;
                tiles.iter().try_for_each(|tile| write!(f, "{}", face_char(tile.unwrap_or(0))))
            }
            Deed::Pass => f.write_str("-"),
            Deed::Exchange(tiles) => write!(f, "-{tiles}"),
            Deed::Withdrawn => f.write_str("--"),
            Deed::Challenge => f.write_str("(challenge)"),
            Deed::Time => f.write_str("(time)"),
            Deed::Left(tiles) => write!(f, "({tiles})"),
        }
    }
}

fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
