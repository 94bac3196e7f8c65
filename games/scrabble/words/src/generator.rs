//! All plays, or the best one.

use crate::key::{Key, play_of};
use crate::lexicon::Lexicon;
use crate::lines::lines_of;
use crate::play::{Play, Position};
use crate::search::{Search, Sink};

/// Every play that the list, the rack and the board allow, each once, best first: the higher score,
/// then the earlier start, across before down, and the earlier word. What was in `out` is dropped.
pub fn all_plays(lexicon: &Lexicon, position: &Position<'_>, out: &mut Vec<Play>) {
    out.clear();
    if let Some(List(keys)) = find::<List<u64>>(lexicon, position) {
        put_in_order(keys, position, out);
    } else if let Some(List(keys)) = find::<List<u128>>(lexicon, position) {
        put_in_order(keys, position, out);
    }
}

/// The first of [`all_plays`], without listing them.
pub fn best_play(lexicon: &Lexicon, position: &Position<'_>) -> Option<Play> {
    if let Some(Best(key)) = find::<Best<u64>>(lexicon, position) {
        return (key < Key::LAST).then(|| play_of(key, position));
    }
    let Best(key) = find::<Best<u128>>(lexicon, position)?;
    (key < Key::LAST).then(|| play_of(key, position))
}

fn put_in_order<K: Key>(mut keys: Vec<K>, position: &Position<'_>, out: &mut Vec<Play>) {
    keys.sort_unstable();
    out.extend(keys.into_iter().map(|key| play_of(key, position)));
}

/// `None` if keys of this width have no room for the plays.
fn find<S: Sink + Default>(lexicon: &Lexicon, position: &Position<'_>) -> Option<S> {
    let is_narrow = S::Key::LAID_MAX < crate::SIDE;
    let tiles = position.rack.iter().fold(0, |sum, count| sum + usize::from(*count));
    if is_narrow && tiles > S::Key::LAID_MAX {
        return None;
    }
    let lines = lines_of(&lexicon.automaton, position);
    let mut search = Search::new(&lexicon.automaton, &lines, position, S::default());
    search.run();
    (!is_narrow || search.scores <= S::Key::SCORE_MAX).then_some(search.sink)
}

#[derive(Default)]
struct List<K>(Vec<K>);

impl<K: Key> Sink for List<K> {
    type Key = K;
    const ALL: bool = true;

    #[inline]
    fn put(&mut self, key: K) {
        self.0.push(key);
    }
}

struct Best<K>(K);

impl<K: Key> Default for Best<K> {
    fn default() -> Self {
        Self(K::LAST)
    }
}

impl<K: Key> Sink for Best<K> {
    type Key = K;
    const ALL: bool = false;

    #[inline]
    fn put(&mut self, key: K) {
        self.0 = self.0.min(key);
    }
}
