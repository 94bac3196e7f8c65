//! What the page asks the rules that run beside it, and what they answer. Both cross as JSON.

use game_api::{Seat, SeatSet, Viewer};
use protocol::ws::Outcome;
use serde::{Deserialize, Serialize};

/// A match as the player of one seat sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sight {
    /// The game's key.
    pub game: String,
    /// The match's options, as JSON.
    pub options: String,
    /// How many seats it has.
    pub seats: u8,
    /// Whose view it is.
    pub seat: Seat,
    /// The view, as JSON.
    pub view: String,
}

/// A question to the rules. A log is the text that `parlor verify` reads.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Question {
    /// What may be done?
    Legal {
        /// By whom.
        sight: Sight,
    },
    /// What might be done next, when it is the seat's turn and these actions have happened?
    Ahead {
        /// By whom.
        sight: Sight,
        /// Entered already.
        ahead: Vec<String>,
    },
    /// What would come of an action, or why may it not be done?
    Preview {
        /// By whom.
        sight: Sight,
        /// The action's text.
        action: String,
    },
    /// A new match that no server knows.
    Begin {
        /// The game's key.
        game: String,
        /// Its options, as JSON.
        options: String,
        /// How many play.
        seats: u8,
        /// The secret behind the deal: 64 hexadecimal digits.
        seed: String,
    },
    /// An action in such a match.
    Play {
        /// The match so far.
        log: String,
        /// Who acts.
        seat: Seat,
        /// What.
        action: String,
        /// When, in milliseconds since 1970.
        at_ms: u64,
    },
    /// A seat gives up such a match.
    GiveUp {
        /// The match so far.
        log: String,
        /// Who.
        seat: Seat,
        /// When, in milliseconds since 1970.
        at_ms: u64,
    },
    /// All agree on a draw in such a match.
    AgreeDraw {
        /// The match so far.
        log: String,
        /// When, in milliseconds since 1970.
        at_ms: u64,
    },
    /// Such a match without its last entry.
    Undo {
        /// The match so far.
        log: String,
    },
    /// A match as it was at some moment.
    Scene {
        /// All of it.
        log: String,
        /// After so many entries; all of them if there are fewer.
        ply: u32,
        /// For whom; nobody means the seat that is to act, or the first.
        viewer: Option<Viewer>,
    },
    /// What would a bot do? It thinks for as long as it may, so ask it where nobody waits.
    Advise {
        /// By whom.
        sight: Sight,
        /// Its level, 1 to 8.
        level: u8,
        /// So long it may think.
        think_ms: u32,
        /// Where it is free to choose, this decides.
        chance: u64,
    },
    /// How did a match stand at some moment, and what would a bot have done?
    Judge {
        /// All of it.
        log: String,
        /// After so many entries.
        ply: u32,
        /// And after this action of whoever was to act then, whatever was done.
        instead: Option<String>,
        /// So long a bot may think.
        think_ms: u32,
    },
    /// Does a match's log keep all that it claims?
    Verify {
        /// The log.
        log: String,
        /// What was published at its start.
        commitment: String,
    },
}

/// What the rules say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// Actions.
    Actions {
        /// Are these all?
        complete: bool,
        /// Their texts.
        actions: Vec<String>,
    },
    /// What would come of it, as JSON.
    Preview {
        /// The game's preview.
        preview: String,
    },
    /// A match's log.
    Log {
        /// Its text.
        log: String,
    },
    /// A moment of a match.
    Scene(Scene),
    /// What a bot would do.
    Advice(Advice),
    /// How a match stood.
    Judged(Judgement),
    /// The log keeps all that it claims.
    Verified {
        /// The fingerprint of its last state.
        state_hash: String,
    },
    /// The list of words was taken.
    Words {
        /// What it is called.
        name: String,
    },
    /// No.
    Refused {
        /// The stable key.
        code: String,
        /// Why, in words.
        message: String,
    },
}

/// A moment of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scene {
    /// The game's key.
    pub game: String,
    /// The match's options, as JSON.
    pub options: String,
    /// After so many entries.
    pub ply: u32,
    /// So many there are in all.
    pub plies: u32,
    /// How many seats.
    pub seats: u8,
    /// Whose view it is.
    pub viewer: Viewer,
    /// The view, as JSON.
    pub view: String,
    /// Who may act.
    pub to_act: SeatSet,
    /// What the viewer may do.
    pub legal: Vec<String>,
    /// How it ended, if it has by then.
    pub outcome: Option<Outcome>,
    /// The step before each ply up to here, in a line, as whoever acted reads it.
    pub notations: Vec<String>,
    /// May the last entry be undone without showing anybody what was hidden?
    pub may_undo: bool,
}

/// What a bot would do, and what it thinks of the match then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    /// Whose action it is.
    pub seat: Seat,
    /// What to do.
    pub action: String,
    /// The same as it would be written down.
    pub notation: String,
    /// How that seat stands: −100 is lost, 0 even, 100 won.
    pub standing: i32,
}

/// How a match stood at some moment, and what was done then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// What a bot would have done.
    pub advice: Advice,
    /// What that seat did next, if it did something that was not taken back.
    pub played: Option<String>,
    /// Was there nothing else to do?
    pub is_forced: bool,
}

/// The hash of the list of words that a match is played with, if it is: by its options, or a log with
/// them, as JSON.
pub fn words_of(json: &str) -> Option<&str> {
    let (_, words) = json.split_once(r#""words":{"#)?;
    let (words, _) = words.split_once('}')?;
    let (_, hash) = words.split_once(r#""hash":""#)?;
    let (hash, _) = hash.split_once('"')?;
    // It becomes part of an address.
    hash.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(hash)
}

#[cfg(test)]
mod tests {
    use super::words_of;

    #[test]
    fn a_match_of_words_names_its_list() {
        for (json, hash) in [
            (r#"{"words":{"name":"few","hash":"0a1b"},"rack":7}"#, Some("0a1b")),
            (r#"{"game":"g","options":{"words":{"hash":"ff","name":"x"}}}"#, Some("ff")),
            (r#"{"words":null}"#, None),
            (r#"{"words":{"name":"few"},"other":{"hash":"0a"}}"#, None),
            (r#"{"words":{"hash":"../x"}}"#, None),
            (r#"{"target":50}"#, None),
        ] {
            assert_eq!(words_of(json), hash, "{json}");
        }
    }
}
