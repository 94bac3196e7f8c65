//! The list as an acyclic automaton with as few nodes as possible, in one array of 32-bit cells.
//!
//! A node is a run of cells: the letters that lead on, the letters that end a word, and the place of
//! the next node for each letter that leads on, in order. So a letter's arc is found by counting bits,
//! and a letter that only ends words has none.

use std::collections::HashMap;

use crate::{Letter, SIDE};

/// A set of letters: bit 1 for A to bit 26 for Z.
pub(crate) type Letters = u32;

/// Every letter.
pub(crate) const ALL: Letters = 0x07FF_FFFE;

/// The node of no letters, at which nothing goes on.
pub(crate) const NOWHERE: u32 = 0;

/// The letters of a set, in order.
#[inline]
pub(crate) fn letters_of(mut set: Letters) -> impl Iterator<Item = Letter> {
    std::iter::from_fn(move || {
        let letter = set.trailing_zeros().to_le_bytes()[0];
        let is_there = set != 0;
        set &= set.wrapping_sub(1);
        is_there.then_some(letter)
    })
}

/// The nodes, with the one of no letters first and the root last.
#[derive(Clone, Debug)]
pub(crate) struct Automaton {
    cells: Box<[u32]>,
    root: u32,
    /// The letters that stand before a letter in some word; with a second letter behind it, at its
    /// index, else at 0.
    before: Box<[[Letters; 32]; 32]>,
}

/// One node as the generator sees it.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    /// Letters behind which a word goes on.
    pub(crate) on: Letters,
    /// Letters that end a word.
    pub(crate) ends: Letters,
    arcs: &'a [u32],
}

impl Node<'_> {
    /// The place of the node behind a letter; `NOWHERE` if no word goes on there.
    #[inline]
    pub(crate) fn next(&self, letter: Letter) -> u32 {
        if self.on >> letter & 1 == 0 { NOWHERE } else { self.next_of_those(letter) }
    }

    /// The same for a letter that is known to lead on.
    #[inline]
    pub(crate) fn next_of_those(&self, letter: Letter) -> u32 {
        let rank = (self.on & ((1 << letter) - 1)).count_ones();
        self.arcs.get(rank as usize).copied().unwrap_or(NOWHERE)
    }
}

impl Automaton {
    /// Where every word begins.
    pub(crate) fn root(&self) -> u32 {
        self.root
    }

    /// The node at a place that another node or [`Automaton::root`] named.
    #[inline]
    pub(crate) fn node(&self, place: u32) -> Node<'_> {
        match self.cells.get(place as usize..) {
            Some([on, ends, arcs @ ..]) => Node { on: *on, ends: *ends, arcs },
            _ => Node { on: 0, ends: 0, arcs: &[] },
        }
    }

    /// The places of all nodes but the one of no letters, in the order of the array: the root last.
    pub(crate) fn places(&self) -> impl Iterator<Item = u32> {
        let mut place = 2;
        std::iter::from_fn(move || {
            let on = self.cells.get(place as usize)?;
            let here = place;
            place += 2 + on.count_ones();
            Some(here)
        })
    }

    /// The letters that some word may have before these. Looks at two of them, so there may be
    /// letters among them that no word has there.
    pub(crate) fn letters_before(&self, run: &[Letter]) -> Letters {
        match *run {
            [] => ALL,
            [only] => self.before[usize::from(only & 31)][0],
            [first, second, ..] => self.before[usize::from(first & 31)][usize::from(second & 31)],
        }
    }

    /// Bytes in memory.
    pub(crate) fn size(&self) -> usize {
        size_of_val(&*self.cells) + size_of_val(&*self.before)
    }

    fn find_letters_before(&mut self) {
        let mut before = Box::new([[0; 32]; 32]);
        for place in self.places() {
            let node = self.node(place);
            for (letter, &next) in letters_of(node.on).zip(node.arcs) {
                let next = self.node(next);
                for first in letters_of(next.on | next.ends) {
                    before[usize::from(first)][0] |= 1 << letter;
                }
                for (first, &last) in letters_of(next.on).zip(next.arcs) {
                    let last = self.node(last);
                    for second in letters_of(last.on | last.ends) {
                        before[usize::from(first)][usize::from(second)] |= 1 << letter;
                    }
                }
            }
        }
        self.before = before;
    }

    /// From words in order, each once.
    pub(crate) fn from_sorted<'a>(words: impl Iterator<Item = &'a [Letter]>) -> Self {
        let mut builder = Builder::default();
        for word in words {
            builder.add(word);
        }
        builder.finish()
    }
}

/// Writes nodes behind each other, each after those that it leads to.
pub(crate) struct Cells {
    cells: Vec<u32>,
}

impl Default for Cells {
    fn default() -> Self {
        Self { cells: vec![0, 0] }
    }
}

impl Cells {
    /// With room for so many cells.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        let mut cells = Vec::with_capacity(capacity + 2);
        cells.extend([0, 0]);
        Self { cells }
    }

    /// Writes a node and says where. The arcs are as many as letters lead on.
    pub(crate) fn push(&mut self, on: Letters, ends: Letters, arcs: &[u32]) -> u32 {
        let place = u32::try_from(self.cells.len()).unwrap_or(NOWHERE);
        self.cells.extend([on, ends]);
        self.cells.extend(arcs);
        place
    }

    /// The automaton whose root was written last.
    pub(crate) fn finish(self, root: u32) -> Automaton {
        let before = Box::default();
        let mut automaton = Automaton { cells: self.cells.into_boxed_slice(), root, before };
        automaton.find_letters_before();
        automaton
    }
}

/// A node that may still grow: only those along the last word are.
#[derive(Clone, Default)]
struct Open {
    on: Letters,
    ends: Letters,
    arcs: Vec<u32>,
}

#[derive(Default)]
struct Builder {
    cells: Cells,
    /// Nodes by what they are, so that equal ones are written once.
    written: HashMap<(Letters, Letters, Vec<u32>), u32>,
    /// The node before each letter of the last word.
    open: Vec<Open>,
    last: Vec<Letter>,
}

impl Builder {
    fn add(&mut self, word: &[Letter]) {
        let shared = self.last.iter().zip(word).take_while(|(a, b)| a == b).count();
        self.close(shared);
        self.open.resize_with(word.len().min(SIDE), Open::default);
        if let (Some(open), Some(letter)) = (self.open.last_mut(), word.last()) {
            open.ends |= 1 << letter;
        }
        self.last.clear();
        self.last.extend(word);
    }

    /// Writes the nodes behind the first `keep` letters of the last word.
    fn close(&mut self, keep: usize) {
        while self.open.len() > keep + 1 {
            let Some(closed) = self.open.pop() else { return };
            let place = self.write(closed);
            let letter = self.last[self.open.len() - 1];
            if let Some(before) = self.open.last_mut() {
                before.on |= 1 << letter;
                before.arcs.push(place);
            }
        }
    }

    fn write(&mut self, node: Open) -> u32 {
        let cells = &mut self.cells;
        let Open { on, ends, arcs } = node;
        *self.written.entry((on, ends, arcs)).or_insert_with_key(|key| cells.push(on, ends, &key.2))
    }

    fn finish(mut self) -> Automaton {
        self.close(0);
        let root = self.open.pop();
        let place = root.map_or(NOWHERE, |root| self.write(root));
        self.cells.finish(place)
    }
}
