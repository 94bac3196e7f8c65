//! Which words a level knows: always the same ones.

use bots::quick_hash;
use scrabble_words::Letter;

use crate::Rules;
use crate::action::Placement;
use crate::board::Board;
use crate::play::words_formed;

/// So many of a hundred words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Vocabulary(pub(super) u8);

impl Vocabulary {
    const ALL: u8 = 100;

    pub(super) fn is_whole(self) -> bool {
        self.0 >= Vocabulary::ALL
    }

    fn has(self, rules: Rules<'_>, word: &[Letter]) -> bool {
        let is_known = self.is_whole() || quick_hash(&word) % 100 < u64::from(self.0);
        is_known && rules.lexicon.contains(word)
    }

    /// Is every word that this forms known?
    pub(super) fn knows(self, rules: Rules<'_>, board: &Board, placement: &Placement) -> bool {
        let (after, runs) = words_formed(board, placement);
        runs.iter().all(|run| self.has(rules, &after.word(*run)))
    }

    /// How many of a hundred moves with a word that is not known are challenged: the more one knows,
    /// the likelier is what one does not know to be wrong.
    pub(super) fn doubt_percent(self) -> usize {
        usize::from(self.0) * usize::from(self.0) / usize::from(Vocabulary::ALL)
    }
}
