//! A word list: which words there are, in order, and what they hash to.

use std::iter;

use sha2::{Digest as _, Sha256};

use crate::automaton::{Automaton, NOWHERE};
use crate::packed;
use crate::{Letter, SIDE, Word};

/// How much of a bad word an error repeats.
const QUOTED_MAX: usize = 40;

/// A word list, immutable. Share it by `Arc`.
#[derive(Clone, Debug)]
pub struct Lexicon {
    pub(crate) name: String,
    pub(crate) hash: [u8; 32],
    pub(crate) len: usize,
    pub(crate) automaton: Automaton,
}

/// Why there is no list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LexiconError {
    /// A word has fewer than two letters or more than fifteen.
    #[error("`{word}` has {letters} letters; a word has 2 to 15")]
    Length {
        /// The word.
        word: String,
        /// How many it has.
        letters: usize,
    },
    /// A word has a character other than A to Z and a to z.
    #[error("`{word}` has a `{odd}`; a word has the letters A to Z alone")]
    Character {
        /// The word.
        word: String,
        /// The first such character.
        odd: char,
    },
    /// The bytes were never a packed list of this version, nor text if that would do.
    #[error("these bytes are no word list")]
    Foreign,
    /// The bytes are not as they were packed.
    #[error("this packed word list is damaged")]
    Damaged,
}

impl LexiconError {
    /// A stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Length { .. } => "word_length",
            Self::Character { .. } => "word_character",
            Self::Foreign => "lexicon_foreign",
            Self::Damaged => "lexicon_damaged",
        }
    }
}

impl Lexicon {
    /// From words in any order and case; the same word twice is one.
    pub fn from_words<'a>(
        name: &str,
        words: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, LexiconError> {
        let mut read = words.into_iter().map(read_word).collect::<Result<Vec<Word>, _>>()?;
        read.sort_unstable();
        read.dedup();
        let mut hash = Sha256::new();
        for word in &read {
            hash.update(format!("{word}\n").to_ascii_lowercase());
        }
        Ok(Self {
            name: name.to_owned(),
            hash: hash.finalize().into(),
            len: read.len(),
            automaton: Automaton::from_sorted(read.iter().map(|word| &**word)),
        })
    }

    /// From a file: a packed list, which has a name of its own, or words with blanks or line breaks
    /// between them, which get this one.
    pub fn from_file(name: &str, bytes: &[u8]) -> Result<Self, LexiconError> {
        match (Self::from_bytes(bytes), str::from_utf8(bytes)) {
            (Err(LexiconError::Foreign), Ok(text)) => {
                Self::from_words(name, text.split_whitespace())
            }
            (packed, _) => packed,
        }
    }

    /// From what [`Lexicon::to_bytes`] gave. Any other bytes are an error.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, LexiconError> {
        packed::unpack(bytes)
    }

    /// The packed form. Of a name only the first 255 bytes are kept.
    pub fn to_bytes(&self) -> Vec<u8> {
        packed::pack(self)
    }

    /// What the list is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// SHA-256 of the words in order, small letters, each followed by a line feed.
    pub fn hash(&self) -> [u8; 32] {
        self.hash
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Whether this is a word.
    pub fn contains(&self, word: &[Letter]) -> bool {
        let Some((last, first)) = word.split_last() else { return false };
        let mut place = self.automaton.root();
        for &letter in first {
            if letter > 26 {
                return false;
            }
            place = self.automaton.node(place).next(letter);
        }
        *last <= 26 && self.automaton.node(place).ends >> last & 1 == 1
    }

    /// The words, in order.
    pub fn words(&self) -> impl Iterator<Item = Word> {
        let mut way = vec![(self.automaton.root(), 0)];
        let mut word = Word::EMPTY;
        let mut is_fresh = false;
        iter::from_fn(move || {
            loop {
                let &mut (place, ref mut letter) = way.last_mut()?;
                let node = self.automaton.node(place);
                let next = if is_fresh { node.next(*letter) } else { NOWHERE };
                is_fresh = false;
                if next != NOWHERE {
                    way.push((next, 0));
                    continue;
                }
                if *letter > 0 {
                    word.pop();
                }
                *letter += 1;
                if *letter > 26 {
                    way.pop();
                    continue;
                }
                word.push(*letter);
                is_fresh = true;
                if node.ends >> *letter & 1 == 1 {
                    return Some(word);
                }
            }
        })
    }

    /// Bytes that the automaton takes in memory.
    pub fn memory_bytes(&self) -> usize {
        self.automaton.size()
    }
}

fn read_word(text: &str) -> Result<Word, LexiconError> {
    let quoted = || text.chars().take(QUOTED_MAX).collect();
    if let Some(odd) = text.chars().find(|c| !c.is_ascii_alphabetic()) {
        return Err(LexiconError::Character { word: quoted(), odd });
    }
    if !(2..=SIDE).contains(&text.len()) {
        return Err(LexiconError::Length { word: quoted(), letters: text.len() });
    }
    let mut word = Word::EMPTY;
    for byte in text.bytes() {
        word.push(byte.to_ascii_uppercase() - b'A' + 1);
    }
    Ok(word)
}
