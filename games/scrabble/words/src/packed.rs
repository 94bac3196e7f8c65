//! The automaton as bytes: small enough to embed, read in one pass.
//!
//! Behind a mark and a checksum stand the name, the number of words, their hash and the number of
//! nodes; then the nodes, each after those that it leads to. A letter is a byte: the letter, whether
//! it ends a word, whether a word goes on behind it, whether it is the node's last. If one goes on,
//! the node there follows as the number of nodes back to it.

use sha2::{Digest as _, Sha256};

use crate::SIDE;
use crate::automaton::{Automaton, Cells, Letters, letters_of};
use crate::lexicon::{Lexicon, LexiconError};

const MARK: &[u8; 8] = b"parlor-1";
const CHECKSUM_LEN: usize = 32;

const LETTER: u8 = 0b0001_1111;
const ENDS: u8 = 0b0010_0000;
const ON: u8 = 0b0100_0000;
const LAST: u8 = 0b1000_0000;

pub(crate) fn pack(lexicon: &Lexicon) -> Vec<u8> {
    let mut body = Vec::new();
    let name = lexicon.name();
    let name = &name[..name.floor_char_boundary(u8::MAX.into())];
    body.push(u8::try_from(name.len()).unwrap_or(u8::MAX));
    body.extend(name.as_bytes());
    write_number(&mut body, lexicon.len());
    body.extend(lexicon.hash());
    let nodes: Vec<u32> = lexicon.automaton.places().collect();
    write_number(&mut body, nodes.len());
    for (index, &place) in nodes.iter().enumerate() {
        let node = lexicon.automaton.node(place);
        let letters = node.on | node.ends;
        for letter in letters_of(letters) {
            let flag = |set: bool, flag: u8| if set { flag } else { 0 };
            let ends = flag(node.ends >> letter & 1 == 1, ENDS);
            let on = flag(node.on >> letter & 1 == 1, ON);
            body.push(letter | ends | on | flag(letters >> letter == 1, LAST));
            if on != 0 {
                // Places rise, so this finds each.
                let to = nodes.partition_point(|&it| it < node.next(letter));
                write_number(&mut body, index - to);
            }
        }
    }
    let checksum = Sha256::digest(&body);
    [&MARK[..], &checksum[..], &body[..]].concat()
}

pub(crate) fn unpack(bytes: &[u8]) -> Result<Lexicon, LexiconError> {
    let rest = bytes.strip_prefix(MARK).ok_or(LexiconError::Foreign)?;
    let (checksum, body) = rest.split_at_checked(CHECKSUM_LEN).ok_or(LexiconError::Damaged)?;
    if Sha256::digest(body)[..] != *checksum {
        return Err(LexiconError::Damaged);
    }
    let mut reader = Reader { bytes: body };
    read(&mut reader).ok_or(LexiconError::Damaged)
}

/// `None` for what no packing writes: a checksum shows accidents, not intent.
fn read(reader: &mut Reader<'_>) -> Option<Lexicon> {
    let name_len = reader.byte()?;
    let name = str::from_utf8(reader.take(usize::from(name_len))?).ok()?.to_owned();
    let len = reader.number()?;
    let hash = reader.take(32)?.try_into().ok()?;
    let count = reader.number()?;
    // A node is a byte or more, so this bounds the memory that a header can ask for.
    if count > reader.bytes.len() {
        return None;
    }
    let mut nodes = Nodes::with_capacity(count, reader.bytes.len());
    for _ in 0..count {
        nodes.read(reader)?;
    }
    let (automaton, words) = nodes.finish();
    let has_letters_alone = automaton.node(automaton.root()).ends != 0;
    let is_whole = reader.bytes.is_empty() && words == len as u64 && !has_letters_alone;
    is_whole.then_some(Lexicon { name, hash, len, automaton })
}

/// What is known of a node that has been read.
#[derive(Clone, Copy, Default)]
struct Known {
    place: u32,
    /// Letters of the longest word from here.
    depth: u8,
    /// Words from here, or more than could be counted.
    words: u64,
}

struct Nodes {
    cells: Cells,
    known: Vec<Known>,
}

impl Nodes {
    fn with_capacity(count: usize, bytes: usize) -> Self {
        // A node takes two cells, and an arc, of two bytes or more, one.
        let cells = Cells::with_capacity(2 * count + bytes / 2);
        Self { cells, known: Vec::with_capacity(count) }
    }

    fn read(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        let (mut on, mut ends): (Letters, Letters) = (0, 0);
        let mut arcs = [0; 26];
        let mut arc_count = 0;
        let mut node = Known { depth: 1, ..Known::default() };
        let mut before = 0;
        loop {
            let byte = reader.byte()?;
            let letter = byte & LETTER;
            if !(before + 1..=26).contains(&letter) || byte & (ENDS | ON) == 0 {
                return None;
            }
            before = letter;
            if byte & ENDS != 0 {
                ends |= 1 << letter;
                node.words = node.words.saturating_add(1);
            }
            if byte & ON != 0 {
                on |= 1 << letter;
                let back = reader.number()?;
                let to = self.known.get(self.known.len().checked_sub(back)?)?;
                arcs[arc_count] = to.place;
                arc_count += 1;
                node.depth = node.depth.max(to.depth + 1);
                node.words = node.words.saturating_add(to.words);
            }
            if byte & LAST != 0 {
                break;
            }
        }
        node.place = self.cells.push(on, ends, &arcs[..arc_count]);
        self.known.push(node);
        (usize::from(node.depth) <= SIDE).then_some(())
    }

    /// The automaton, and how many words it has.
    fn finish(self) -> (Automaton, u64) {
        let root = self.known.last().copied().unwrap_or_default();
        (self.cells.finish(root.place), root.words)
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn byte(&mut self) -> Option<u8> {
        self.bytes.split_off_first().copied()
    }

    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        self.bytes.split_off(..len)
    }

    /// Seven bits a byte, the lowest first; all but the last have the highest bit.
    fn number(&mut self) -> Option<usize> {
        let mut number = 0;
        for shift in (0..28).step_by(7) {
            let byte = self.byte()?;
            number |= usize::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

fn write_number(to: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        to.push(u8::try_from(number & 0x7F).unwrap_or(0) | 0x80);
        number >>= 7;
    }
    to.push(u8::try_from(number).unwrap_or(0));
}
