//! A move that is still in the making: tiles on the board that only this tab knows of.

use crate::position::{EMPTY, Position, SIDE, SQUARES, column_of, name_of, square_of};

/// What people have in hand.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Held {
    #[default]
    Nothing,
    /// A place of the rack.
    Slot(usize),
    /// A tile that was put on a square.
    Tile(usize),
    /// A kind of special.
    Special(String),
}

/// What they are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Asks {
    #[default]
    Nothing,
    /// Which letter the blank of a slot is on a square.
    Letter { slot: usize, square: usize },
    /// Which tiles to exchange.
    Exchange,
    /// Whether they mean to pass.
    Pass,
}

/// A tile that was put on a square.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Tile {
    pub(crate) square: usize,
    /// As it is written: a blank in lower case.
    letter: u8,
    slot: usize,
}

/// The move so far, and what people are about.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Draft {
    /// The rack as its owner has arranged it.
    order: Vec<u8>,
    tiles: Vec<Tile>,
    specials: Vec<(usize, String)>,
    pub(crate) held: Held,
    pub(crate) asks: Asks,
    /// The slots whose tiles are to be exchanged.
    pub(crate) marked: Vec<usize>,
    /// Does typing run down?
    pub(crate) is_down: bool,
    pub(crate) is_large: bool,
    cursor: Option<usize>,
    /// The turn in which it was sent.
    sent: Option<u64>,
}

fn before(square: usize, is_down: bool) -> Option<usize> {
    if is_down {
        square.checked_sub(SIDE)
    } else {
        square.checked_sub(1).filter(|_| !square.is_multiple_of(SIDE))
    }
}

fn after(square: usize, is_down: bool) -> Option<usize> {
    if is_down {
        Some(square + SIDE).filter(|it| *it < SQUARES)
    } else {
        Some(square + 1).filter(|it| !it.is_multiple_of(SIDE))
    }
}

/// The tile that a letter is written with.
fn tile_of(letter: u8) -> u8 {
    if letter.is_ascii_lowercase() { b'?' } else { letter }
}

impl Draft {
    /// What of it can still be meant on this board, with this rack.
    pub(crate) fn fit(&mut self, position: &Position) {
        let is_done =
            self.sent.is_some_and(|turn| turn != position.turn || position.pending.is_some());
        if is_done {
            self.recall();
        }
        let mut new = position.rack.clone();
        let mut order = Vec::with_capacity(new.len());
        for tile in &self.order {
            if let Some(at) = new.iter().position(|it| it == tile) {
                order.push(new.remove(at));
            }
        }
        order.append(&mut new);
        self.order = order;
        for tile in std::mem::take(&mut self.tiles) {
            let slot = self.slot_of(tile_of(tile.letter));
            if let Some(slot) = slot.filter(|_| position.letter(tile.square).is_none()) {
                self.tiles.push(Tile { slot, ..tile });
            }
        }
        self.specials.retain(|(at, kind)| {
            position.letter(*at).is_none() && position.stock.iter().any(|(it, _)| it == kind)
        });
        self.held = Held::Nothing;
        self.asks = Asks::Nothing;
        self.marked.clear();
    }

    /// A slot that holds this tile.
    fn slot_of(&self, tile: u8) -> Option<usize> {
        (0..self.order.len()).find(|slot| self.in_slot(*slot) == Some(tile))
    }

    /// The tile in a slot.
    pub(crate) fn in_slot(&self, slot: usize) -> Option<u8> {
        let is_laid = self.tiles.iter().any(|tile| tile.slot == slot);
        self.order.get(slot).copied().filter(|_| !is_laid)
    }

    /// The letter that was put on a square.
    pub(crate) fn on(&self, square: usize) -> Option<u8> {
        self.tiles.iter().find(|tile| tile.square == square).map(|tile| tile.letter)
    }

    /// The special that was put on a square.
    pub(crate) fn special_on(&self, square: usize) -> Option<&str> {
        self.specials.iter().find(|(at, _)| *at == square).map(|(_, kind)| kind.as_str())
    }

    /// Where the first tile was put.
    pub(crate) fn first_square(&self) -> Option<usize> {
        self.tiles.first().map(|tile| tile.square)
    }

    /// Is anything put anywhere?
    pub(crate) fn is_begun(&self) -> bool {
        !self.tiles.is_empty() || !self.specials.is_empty()
    }

    fn letter(&self, position: &Position, square: usize) -> Option<u8> {
        position.letter(square).or_else(|| self.on(square))
    }

    /// Puts a slot's tile on a square; a blank asks for its letter first.
    fn put(&mut self, slot: usize, square: usize) {
        match self.in_slot(slot) {
            Some(b'?') => self.asks = Asks::Letter { slot, square },
            Some(letter) => self.tiles.push(Tile { square, letter, slot }),
            None => {}
        }
        self.held = Held::Nothing;
    }

    /// The blank that was asked about is this letter.
    pub(crate) fn name_blank(&mut self, letter: u8) {
        if let Asks::Letter { slot, square } = self.asks {
            self.tiles.push(Tile { square, letter: letter.to_ascii_lowercase(), slot });
        }
        self.asks = Asks::Nothing;
    }

    /// A square or a place of the rack was picked.
    pub(crate) fn pick(&mut self, position: &Position, cell: usize) {
        let held = std::mem::take(&mut self.held);
        if let Some(slot) = cell.checked_sub(SQUARES) {
            self.pick_slot(&held, slot);
        } else if self.on(cell).is_some() {
            match held {
                // Picked twice: taken back.
                Held::Tile(square) if square == cell => self.take_back(cell),
                _ => self.held = Held::Tile(cell),
            }
        } else if position.letter(cell).is_none() {
            self.pick_vacant(held, cell);
        }
    }

    fn pick_slot(&mut self, held: &Held, slot: usize) {
        match *held {
            Held::Tile(square) => self.take_back(square),
            Held::Slot(before) if before == slot => {}
            _ if self.in_slot(slot).is_none() => {}
            _ if self.asks == Asks::Exchange => match self.marked.iter().position(|it| *it == slot)
            {
                Some(at) => {
                    self.marked.remove(at);
                }
                None => self.marked.push(slot),
            },
            _ => self.held = Held::Slot(slot),
        }
    }

    fn pick_vacant(&mut self, held: Held, square: usize) {
        match held {
            Held::Slot(slot) => self.put(slot, square),
            Held::Tile(from) => {
                for tile in self.tiles.iter_mut().filter(|tile| tile.square == from) {
                    tile.square = square;
                }
            }
            Held::Special(kind) => {
                self.specials.retain(|(at, _)| *at != square);
                self.specials.push((square, kind));
            }
            Held::Nothing if self.special_on(square).is_some() => {
                self.specials.retain(|(at, _)| *at != square);
            }
            Held::Nothing => {
                self.is_down ^= self.cursor == Some(square);
                self.cursor = Some(square);
            }
        }
    }

    fn take_back(&mut self, square: usize) {
        self.tiles.retain(|tile| tile.square != square);
    }

    /// Takes everything back.
    pub(crate) fn recall(&mut self) {
        self.tiles.clear();
        self.specials.clear();
        self.held = Held::Nothing;
        self.sent = None;
    }

    /// A key was pressed on a square; gives where to go on.
    pub(crate) fn press(&mut self, position: &Position, at: usize, key: &str) -> Option<usize> {
        if key == "Backspace" {
            return self.tiles.pop().map(|tile| tile.square);
        }
        let &[letter] = key.as_bytes() else { return None };
        if !letter.is_ascii_alphabetic() || at >= SQUARES {
            return None;
        }
        let square = self.vacant_from(position, Some(at))?;
        let capital = letter.to_ascii_uppercase();
        // A blank where there is no such tile, or where a capital asks for it.
        let plain = self.slot_of(capital).filter(|_| letter.is_ascii_lowercase());
        let found = plain.map(|slot| (slot, capital));
        let blank = || self.slot_of(b'?').map(|slot| (slot, capital.to_ascii_lowercase()));
        let (slot, letter) =
            found.or_else(blank).or_else(|| Some((self.slot_of(capital)?, capital)))?;
        self.tiles.push(Tile { square, letter, slot });
        self.held = Held::Nothing;
        self.vacant_from(position, after(square, self.is_down)).or(Some(square))
    }

    fn vacant_from(&self, position: &Position, mut at: Option<usize>) -> Option<usize> {
        while let Some(square) = at {
            if self.letter(position, square).is_none() {
                break;
            }
            at = after(square, self.is_down);
        }
        at
    }

    /// Mixes the rack, by a number between 0 and 1.
    pub(crate) fn shuffle(&mut self, mut chance: f64) {
        let mut mixed: Vec<usize> = (0..self.order.len()).collect();
        for left in (1..mixed.len()).rev() {
            chance = (chance * 997.0).fract();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_precision_loss,
                clippy::cast_sign_loss,
                reason = "a rack is short"
            )]
            let other = (chance * (left + 1) as f64) as usize;
            mixed.swap(left, other);
        }
        self.order = mixed.iter().map(|slot| self.order[*slot]).collect();
        for tile in &mut self.tiles {
            tile.slot = mixed.iter().position(|slot| *slot == tile.slot).unwrap_or_default();
        }
        self.held = Held::Nothing;
        self.marked.clear();
    }

    /// A word through a square, with its first square.
    fn word(&self, position: &Position, square: usize, is_down: bool) -> (usize, Vec<u8>) {
        let mut start = square;
        while let Some(it) =
            before(start, is_down).filter(|it| self.letter(position, *it).is_some())
        {
            start = it;
        }
        let line = std::iter::successors(Some(start), |it| after(*it, is_down));
        (start, line.map_while(|it| self.letter(position, it)).collect())
    }

    /// The action that it says, or why it says none; nothing if nothing is put anywhere.
    pub(crate) fn action(&self, position: &Position) -> Option<Result<String, String>> {
        let mut squares: Vec<usize> = self.tiles.iter().map(|tile| tile.square).collect();
        squares.sort_unstable();
        let (Some(&first), Some(&last)) = (squares.first(), squares.last()) else {
            let alone = || Err("A special goes with a word.".to_owned());
            return self.is_begun().then(alone);
        };
        let (across, down) = (self.word(position, first, false), self.word(position, first, true));
        let is_down = match squares.len() {
            1 => down.1.len() > across.1.len(),
            _ => first % SIDE == last % SIDE,
        };
        let is_in_line = |it: &usize| {
            if is_down { it % SIDE == first % SIDE } else { it / SIDE == first / SIDE }
        };
        if !squares.iter().all(is_in_line) {
            return Some(Err("The tiles do not lie in one line.".to_owned()));
        }
        let (start, word) = if is_down { down } else { across };
        let end = start + (word.len() - 1) * if is_down { SIDE } else { 1 };
        if end < last {
            let gap = end + if is_down { SIDE } else { 1 };
            return Some(Err(format!("There is a gap at {}.", name_of(gap))));
        }
        let place = if is_down {
            name_of(start)
        } else {
            format!("{}{}", start / SIDE + 1, column_of(start))
        };
        let mut specials = self.specials.clone();
        specials.sort();
        let specials = specials.iter().map(|(at, kind)| format!("+{kind}@{}", name_of(*at)));
        let word = String::from_utf8_lossy(&word);
        Some(Ok(format!("{place}:{word}{}", specials.collect::<String>())))
    }

    /// The action that exchanges what is marked.
    pub(crate) fn exchange(&self) -> String {
        let mut tiles: Vec<u8> =
            self.marked.iter().filter_map(|slot| self.in_slot(*slot)).collect();
        // The blank comes last.
        tiles.sort_unstable_by_key(|tile| (*tile == b'?', *tile));
        format!("exchange:{}", String::from_utf8_lossy(&tiles))
    }

    /// It was sent in this turn.
    pub(crate) fn send(&mut self, turn: u64) {
        self.sent = Some(turn);
    }

    /// As it is kept: the rack, then what lies where.
    pub(crate) fn write(&self) -> String {
        let tile = |tile: &Tile| format!("{}@{}", char::from(tile.letter), name_of(tile.square));
        let special = |(at, kind): &(usize, String)| format!("{kind}@{}", name_of(*at));
        let order = String::from_utf8_lossy(&self.order).into_owned();
        let laid = self.tiles.iter().map(tile).chain(self.specials.iter().map(special));
        std::iter::once(order).chain(laid).collect::<Vec<_>>().join(" ")
    }

    /// Reads what was kept; whatever cannot be meant goes with the next [`Draft::fit`].
    pub(crate) fn read(text: &str) -> Draft {
        let mut words = text.split(' ');
        let order = words.next().unwrap_or_default().bytes().filter(|it| *it != EMPTY).collect();
        let mut draft = Draft { order, ..Draft::default() };
        for (what, at) in words.filter_map(|it| it.split_once('@')) {
            match (square_of(at), what.as_bytes()) {
                (Some(square), &[letter]) => {
                    draft.tiles.push(Tile { square, letter, slot: usize::MAX });
                }
                (Some(square), _) => draft.specials.push((square, what.to_owned())),
                _ => {}
            }
        }
        draft
    }
}

#[cfg(test)]
mod tests;
