//! The Scrabble board in the browser: a view comes in, an action's text goes out. What a move brings,
//! and why it may not be made, is what the rules say.

mod about;
mod draft;
mod panels;
mod position;

pub use about::ABOUT;
use board_kit::{Cell, Grid, Stage, keep_in_tab, live, recall_in_tab, shown_while, words};
use leptos::prelude::*;
use serde_json::Value;

use crate::draft::{Asks, Draft, Held};
use crate::position::{Position, SIDE, SQUARES, name_of, title, value};

/// The longest rack that the rules allow.
const SLOTS: usize = 9;
/// The square in the middle.
const CENTRE: usize = SQUARES / 2;

/// What is seen, and the move in the making.
#[derive(Clone, Copy)]
struct Board {
    stage: Stage,
    position: Memo<Position>,
    draft: RwSignal<Draft>,
}

/// The draft of a seat, in its tab.
fn key(side: usize) -> String {
    format!("draft {side}")
}

impl Board {
    fn new(stage: Stage) -> Board {
        let position = Memo::new(move |_| Position::parse(&stage.view.get()));
        let draft = RwSignal::new(Draft::default());
        let board = Board { stage, position, draft };
        Effect::new(move |before: Option<usize>| {
            let side = stage.side.get();
            position.track();
            // Nothing is known yet: nothing fits.
            if stage.view.with(String::is_empty) {
                return usize::MAX;
            }
            // A reload, or the next player at the same screen.
            if before != Some(side) {
                let mut kept = Draft::read(&recall_in_tab(&key(side)).unwrap_or_default());
                kept.is_large = draft.with_untracked(|it| it.is_large);
                draft.set(kept);
            }
            board.change(Draft::fit);
            side
        });
        board
    }

    /// Changes the draft, and keeps it.
    fn change(self, change: impl FnOnce(&mut Draft, &Position)) {
        self.position.with_untracked(|position| self.draft.update(|it| change(it, position)));
        let text = self.draft.with_untracked(Draft::write);
        keep_in_tab(&key(self.stage.side.get_untracked()), &text);
    }

    /// Can anything be done, now or ahead? Who only looks has no draft.
    fn is_open(self) -> bool {
        self.stage.legal.with_untracked(|legal| !legal.is_empty())
    }

    fn may(self, action: &str) -> bool {
        self.stage.legal.with(|legal| legal.iter().any(|it| it == action))
    }

    fn act(self, action: &str) {
        self.change(|draft, _| draft.asks = Asks::Nothing);
        self.stage.act.run(action.to_owned());
    }

    /// What can be said of the draft, and its action unless it is refused.
    fn foresee(self) -> (String, Option<String>) {
        // The rules may come later than the board.
        self.stage.legal.track();
        let action = self.position.with(|position| self.draft.with(|it| it.action(position)));
        let action = match action {
            None => return (String::new(), None),
            Some(Err(why)) => return (why, None),
            Some(Ok(action)) => action,
        };
        match self.stage.foresee.run(action.clone()) {
            Some(Err(why)) => (why, None),
            Some(Ok(json)) => (told(&json), Some(action)),
            None => (String::new(), Some(action)),
        }
    }

    fn play(self) {
        if let Some(action) = untrack(|| self.foresee().1) {
            self.change(|draft, position| draft.send(position.turn));
            self.stage.act.run(action);
        }
    }

    /// Where something happens: at the own tiles, else at those laid last, else in the middle.
    fn focal_square(self) -> usize {
        let own = self.draft.with(Draft::first_square);
        own.or_else(|| self.position.with(|it| it.last_laid().first().copied())).unwrap_or(CENTRE)
    }

    fn cell(self, index: usize) -> Cell {
        self.position.with(|position| self.draft.with(|draft| cell(position, draft, index)))
    }

    fn content(self, index: usize) -> AnyView {
        let (class, sign, value) =
            self.position.with(|position| self.draft.with(|draft| face(position, draft, index)));
        view! { <span class=class data-sign=sign data-value=value></span> }.into_any()
    }
}

/// What a preview says, in words.
fn told(json: &str) -> String {
    let preview: Value = serde_json::from_str(json).unwrap_or_default();
    let words = preview["words"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let words: Vec<&str> = words.collect();
    format!("{}: {} points", words.join(", "), preview["score"])
}

/// A letter as it is told.
fn letter_words(letter: u8) -> String {
    let capital = char::from(letter.to_ascii_uppercase());
    match (letter, value(letter)) {
        (b'?', _) => "blank".to_owned(),
        (_, 0) => format!("blank as {capital}"),
        (_, 1) => format!("{capital}, 1 point"),
        (_, points) => format!("{capital}, {points} points"),
    }
}

fn cell(position: &Position, draft: &Draft, index: usize) -> Cell {
    let slot = index.checked_sub(SQUARES);
    let mut label = match slot {
        Some(slot) => format!("Rack {}", slot + 1),
        None => name_of(index),
    };
    let (own, there) = match slot {
        Some(slot) => (draft.in_slot(slot), None),
        None => (draft.on(index), position.letter(index)),
    };
    let special = if slot.is_some() { None } else { draft.special_on(index) };
    let laid = position.laid.iter().filter(|(at, _)| *at == index);
    let laid: Vec<&str> = laid.map(|(_, kind)| kind.as_str()).collect();
    let premium = position.premium(index);
    let is_picked = match draft.held {
        Held::Slot(at) => slot == Some(at),
        Held::Tile(at) => at == index,
        _ => false,
    };
    let is_marked = slot.is_some_and(|slot| draft.marked.contains(&slot));
    let is_last = slot.is_none() && position.last_laid().contains(&index);
    let is_cleared = slot.is_none() && position.last_cleared().contains(&index);
    let fired = if slot.is_none() { position.fired_on(index) } else { Vec::new() };
    let letter = there.or(own).map(letter_words);
    let parts = [
        premium.map(|(_, words)| words.to_owned()),
        Some(letter.unwrap_or_else(|| "empty".to_owned())),
        (own.is_some() && slot.is_none()).then(|| "not played yet".to_owned()),
        special.map(|kind| format!("{kind}, not played yet")),
        (!laid.is_empty()).then(|| format!("your {}", laid.join(" and "))),
        is_last.then(|| "last move".to_owned()),
        is_cleared.then(|| "cleared".to_owned()),
        (!fired.is_empty()).then(|| format!("{} fired", fired.join(" and "))),
        is_marked.then(|| "to exchange".to_owned()),
    ];
    for part in parts.into_iter().flatten() {
        label += ", ";
        label += &part;
    }
    let marks = [
        (is_picked, "picked"),
        (own.is_some(), "movable"),
        (is_last, "last"),
        (is_cleared, "cleared"),
        (!fired.is_empty(), "fired"),
        (is_marked, "marked"),
    ];
    // A class does not begin with a digit.
    let mut class = premium.map(|(short, _)| format!("on{short}")).unwrap_or_default();
    for (_, mark) in marks.into_iter().filter(|(is, _)| *is) {
        class += " ";
        class += mark;
    }
    Cell { label, class, is_picked, is_movable: own.is_some() }
}

/// How a cell is drawn: class, sign, and what it counts.
fn face(position: &Position, draft: &Draft, index: usize) -> (&'static str, String, String) {
    let slot = index.checked_sub(SQUARES);
    let own = slot.map_or_else(|| draft.on(index), |slot| draft.in_slot(slot));
    let there = if slot.is_some() { None } else { position.letter(index) };
    if let Some(letter) = there.or(own) {
        let points = Some(value(letter)).filter(|it| *it > 0).map(|it| it.to_string());
        let sign = char::from(letter.to_ascii_uppercase());
        let sign = if letter == b'?' { String::new() } else { sign.to_string() };
        let class = match (own, points.is_some()) {
            (Some(_), true) => "tile own",
            (Some(_), false) => "tile own blank",
            (None, true) => "tile",
            (None, false) => "tile blank",
        };
        return (class, sign, points.unwrap_or_default());
    }
    let laid = || position.laid.iter().find(|(at, _)| *at == index).map(|(_, kind)| kind.as_str());
    if slot.is_some() {
        return ("", String::new(), String::new());
    }
    match draft.special_on(index).or_else(laid) {
        Some(kind) => ("special", title(kind), String::new()),
        None => {
            ("premium", position.premium(index).map_or("", |it| it.0).to_owned(), String::new())
        }
    }
}

/// The board, the rack, and all that stands around them.
pub fn board(stage: Stage) -> AnyView {
    let board = Board::new(stage);
    let Board { draft, position, .. } = board;
    let cell = Callback::new(move |index| board.cell(index));
    let content = Callback::new(move |index| board.content(index));
    let pick = Callback::new(move |index| {
        if board.is_open() {
            board.change(|draft, position| draft.pick(position, index));
        }
    });
    let let_go = Callback::new(move |()| board.change(|draft, _| draft.held = Held::Nothing));
    let keys = Callback::new(move |(at, key): (usize, String)| {
        let mut next = None;
        if board.is_open() {
            board.change(|draft, position| next = draft.press(position, at, &key));
        }
        next
    });
    let window = NodeRef::<leptos::html::Div>::new();
    let class = move || {
        let (is_down, is_large) = draft.with(|it| (it.is_down, it.is_large));
        let way = if is_down { "scrabble down" } else { "scrabble" };
        if is_large { format!("{way} large") } else { way.to_owned() }
    };
    let is_acting = Signal::derive(move || !stage.legal.with(Vec::is_empty));
    let has_shop =
        Signal::derive(move || position.with(|it| !it.prices.is_empty() && !it.rack.is_empty()));
    let told = move || position.with(|it| it.told(|seat| stage.name(seat))).join(" ");
    view! {
        <div class=class>
            <div class="desk">
                {live(move || panels::players(board))}
                <p class="asked" role="status">{words(told)}</p>
                {live(move || panels::window(board))}
                <div class="table-top" node_ref=window>
                    <Grid label="Scrabble board and rack" columns=SIDE rows=SIDE tail=SLOTS cell content pick let_go keys/>
                </div>
                <div class="under">
                    <p class="foreseen" role="status">{words(move || board.foresee().0)}</p>
                    {panels::zoom(board, window)}
                </div>
                {shown_while(is_acting, move || panels::buttons(board))}
            </div>
            <div class="beside">
                {shown_while(has_shop, move || panels::shop(board))}
                {panels::unseen(board)}
            </div>
        </div>
    }
    .into_any()
}
