//! The Santorini board in the browser: a view comes in, an action's text goes out. What may be done is
//! what the list of legal actions says.

mod about;
mod position;

pub use about::ABOUT;
use board_kit::{Cell, Grid, Picking, Settings, Stage, Way};
use leptos::prelude::*;

use crate::about::say;
use crate::position::{Position, SIZE, index_of, name_of};

/// What is seen and what is picked.
#[derive(Clone, Copy)]
struct Board {
    stage: Stage,
    position: Memo<Position>,
    picking: Picking,
}

impl Board {
    fn new(stage: Stage) -> Board {
        let position = Memo::new(move |_| Position::parse(&stage.view.get()).unwrap_or_default());
        let attempt =
            move |cells: &[usize]| position.with_untracked(|it| attempt(&it.phase, cells));
        Board { stage, position, picking: Picking::new(stage, ways_of, attempt) }
    }

    fn cell(self, index: usize) -> Cell {
        let is_target = self.picking.is_next(index);
        let is_picked = self.picking.is_picked(index);
        self.position.with(|position| {
            let worker = position.worker(index);
            let is_last = position.last.contains(&index);
            let marks = [
                (is_picked, "picked"),
                (is_target, "target"),
                (is_last, "last"),
                (is_target && !self.picking.is_begun() && worker.is_some(), "movable"),
            ];
            let class: Vec<&str> = marks.iter().filter(|(is, _)| *is).map(|(_, it)| *it).collect();
            let (name, tower) = (name_of(index), position.tower(index).words());
            let worker = worker.map(|seat| format!("worker of {}", self.stage.name(seat)));
            let words = [
                Some(&*name),
                Some(tower),
                worker.as_deref(),
                is_target.then(|| self.stage.words("can be picked")),
                is_last.then_some("last action"),
            ];
            let words: Vec<&str> = words.into_iter().flatten().collect();
            Cell {
                label: words.join(", "),
                is_movable: class.contains(&"movable"),
                class: class.join(" "),
                is_picked,
            }
        })
    }

    fn content(self, index: usize) -> AnyView {
        self.position.with(|position| {
            let tower = position.tower(index);
            let worker = position.worker(index).map(|seat| {
                let class = if seat == 0 { "worker first" } else { "worker second" };
                view! {
                    <svg class=class viewBox="0 0 24 24" aria-hidden="true">
                        <path d="M12 2.500a4.200 4.200 0 0 1 2.500 7.600c2.700 1 4.300 3.300 4.500 6.900l1.500 4.500h-17L5 17c.2-3.600 1.800-5.900 4.500-6.900A4.200 4.200 0 0 1 12 2.500z"/>
                        {(seat == 1).then(|| view! { <circle cx="12" cy="16" r="2.600"/> })}
                    </svg>
                }
            });
            let digit = (tower.level > 0).then_some(tower.level);
            view! {
                <div class=format!("tower level-{}", tower.level)>
                    {(1..=tower.level).map(|level| view! { <div class=format!("storey storey-{level}")></div> }).collect_view()}
                    {tower.has_dome.then(|| view! { <div class="dome"></div> })}
                    {worker}
                    <span class="height">{digit}</span>
                </div>
            }
            .into_any()
        })
    }

    /// One of several actions on the same cell, and what may be left out.
    fn choices(self) -> impl IntoView {
        let skip = self.stage.legal.with(|legal| legal.iter().find(|it| *it == "skip").cloned());
        let button = move |action: String| {
            let text = say(&action);
            view! { <button on:click=move |_| self.picking.act(action.clone())>{text}</button> }
        };
        self.picking.choice().into_iter().chain(skip).map(button).collect_view()
    }
}

/// The ways to say an action by cells; none for one that has no cell.
fn ways_of(action: &str) -> Vec<Way> {
    let way =
        |cells: Option<Vec<usize>>| cells.map(|cells| Way { cells, action: action.to_owned() });
    let pair = |first: &str, second: &str| Some(vec![index_of(first)?, index_of(second)?]);
    let found = if let Some((first, second)) =
        action.strip_prefix("place:").and_then(|cells| cells.split_once(','))
    {
        // Either may be picked first.
        [way(pair(first, second)), way(pair(second, first))]
    } else if let Some(cell) = action.strip_prefix(['+', '^']) {
        [way(index_of(cell).map(|cell| vec![cell])), None]
    } else {
        let parts = action.split_once(['-', '+']);
        [way(parts.and_then(|(worker, cell)| pair(worker, cell))), None]
    };
    found.into_iter().flatten().collect()
}

/// What cells were meant to say, in a phase of the turn, although it is not legal.
fn attempt(phase: &str, cells: &[usize]) -> Option<String> {
    match (phase, cells) {
        ("build", [cell]) => Some(format!("+{}", name_of(*cell))),
        ("move", [from, to]) => Some(format!("{}-{}", name_of(*from), name_of(*to))),
        _ => None,
    }
}

/// The board, what the turn asks for, and the gods.
#[component]
pub fn SantoriniBoard(
    /// The match.
    stage: Stage,
) -> impl IntoView {
    let board = Board::new(stage);
    let cell = Callback::new(move |index| board.cell(index));
    let settings = Settings::here();
    let content = Callback::new(move |index| {
        let coordinates = settings.draw_coordinates(&name_of(index), index, SIZE);
        view! { {board.content(index)} {coordinates} }.into_any()
    });
    let pick = Callback::new(move |index| board.picking.pick(index));
    let let_go = Callback::new(move |()| board.picking.let_go());
    let asked = move || {
        if stage.legal.with(Vec::is_empty) || stage.is_ahead.get() {
            return "";
        }
        match board.position.with(|position| position.phase.clone()).as_str() {
            "place" => "Put your two workers on the board: pick two cells.",
            "move" => "Pick a worker, then where it goes.",
            "build" => "Pick where to build.",
            _ => "Your turn.",
        }
    };
    view! {
        <div class="santorini">
            <p class="asked" role="status">{asked}</p>
            <Grid label="Santorini board" columns=SIZE rows=SIZE cell content pick let_go/>
            <div class="board-actions">{move || board.choices()}</div>
            {move || gods(stage, &board.position.get())}
        </div>
    }
}

fn gods(stage: Stage, position: &Position) -> impl IntoView + use<> {
    let line = |(seat, god): (usize, String)| {
        let power = power_of(&god)?;
        Some(
            view! { <li><span>{stage.name(seat)} " plays " <b>{god}</b> ":"</span> " " {power}</li> },
        )
    };
    let gods = position.gods.clone().into_iter().enumerate();
    view! { <ul class="gods">{gods.filter_map(line).collect_view()}</ul> }
}

/// What a god may do that others may not.
fn power_of(god: &str) -> Option<&'static str> {
    Some(match god {
        "apollo" => "may step onto an opponent’s worker, who is put where he came from.",
        "artemis" => "may move a second time, but not back to where the turn began.",
        "athena" => "after she moves up, opponents may not move up in their next turn.",
        "atlas" => "may build a dome on any level.",
        "demeter" => "may build a second time, on another cell.",
        "hephaestus" => "may build a second block on the same cell, but no dome.",
        "hermes" => "while staying level his workers may go any way, and then either builds.",
        "minotaur" => {
            "may step onto an opponent’s worker and push it straight back to a free cell."
        }
        "pan" => "also wins by moving down two levels or more.",
        "prometheus" => "may build before moving too, if he does not move up.",
        _ => return None,
    })
}
