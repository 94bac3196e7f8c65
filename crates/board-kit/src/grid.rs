//! A grid of cells: arrows move the focus, Enter or a click picks, a drag picks twice, Escape lets go.

use leptos::ev::{KeyboardEvent, MouseEvent, PointerEvent, pointerdown};
use leptos::prelude::*;
use web_sys::wasm_bindgen::JsCast as _;
use web_sys::{Element, HtmlElement};

/// How far a pointer goes, in pixels, before it drags: less is a shaky click.
const DRAG_FROM_PX: f64 = 6.0;

/// A cell as it is to be shown.
#[derive(Clone, PartialEq)]
pub struct Cell {
    /// All that there is to know of it, for whoever cannot see it.
    pub label: String,
    /// Classes for its look.
    pub class: String,
    /// Is it picked?
    pub is_picked: bool,
    /// Can something be dragged from here?
    pub is_movable: bool,
}

/// A press that has begun on a cell and not ended yet.
#[derive(Clone, Copy, PartialEq)]
struct Press {
    pointer: i32,
    from: usize,
    begin: (f64, f64),
    moved: (f64, f64),
    /// The content of the cell follows the pointer.
    is_drag: bool,
}

impl Press {
    fn is_far(self) -> bool {
        self.is_drag && self.moved.0.hypot(self.moved.1) > DRAG_FROM_PX
    }
}

/// What a pointer does to the cells. Only one press at a time picks or drags: of the primary mouse button,
/// of a single touch, or of the tip of a pen. Every other button or touch cancels it.
#[derive(Clone, Copy)]
struct Pointer {
    press: RwSignal<Option<Press>>,
    cell: Callback<usize, Cell>,
    pick: Callback<usize>,
    let_go: Callback<()>,
}

impl Pointer {
    /// Begins a press and gives its cell.
    fn down(self, event: &PointerEvent) -> Option<usize> {
        self.cancel();
        // On macOS a click with the control key is a right click.
        let is_primary = event.is_primary() && event.button() == 0 && !event.ctrl_key();
        let from = index_of(event.target().and_then(|it| it.dyn_into().ok()))?;
        if !is_primary {
            return None;
        }
        let is_drag = self.cell.run(from).is_movable;
        if is_drag {
            event.prevent_default();
        }
        let (pointer, begin) = (event.pointer_id(), place(event));
        self.press.set(Some(Press { pointer, from, begin, moved: (0.0, 0.0), is_drag }));
        Some(from)
    }

    /// The press of this event's pointer.
    fn press_of(self, event: &PointerEvent) -> Option<Press> {
        self.press.get_untracked().filter(|press| press.pointer == event.pointer_id())
    }

    fn go(self, event: &PointerEvent) {
        let Some(mut press) = self.press_of(event) else { return };
        // The browser reports further mouse buttons as moves, and a release outside the window as a move
        // when the pointer returns.
        if event.buttons() != 1 {
            return self.cancel();
        }
        if !press.is_drag {
            return;
        }
        let (x, y) = place(event);
        press.moved = (x - press.begin.0, y - press.begin.1);
        if press.is_far() && !self.cell.run(press.from).is_picked {
            self.pick.run(press.from);
        }
        self.press.set(Some(press));
    }

    fn up(self, event: &PointerEvent) {
        let Some(press) = self.press_of(event) else { return };
        self.press.set(None);
        let (x, y) = place(event);
        #[expect(clippy::cast_possible_truncation, reason = "no screen has so many pixels")]
        let element = document().element_from_point(x as f32, y as f32);
        let Some(at) = index_of(element) else { return };
        // Dragged and brought back: nothing is meant by it.
        if !(press.is_far() && press.from == at) {
            self.pick.run(at);
        }
    }

    /// The content of the cell follows the pointer no further; a release on another cell still picks it.
    fn leave(self, event: &PointerEvent) {
        if let Some(press) = self.press_of(event) {
            self.press.set(Some(Press { is_drag: false, ..press }));
        }
    }

    /// A second finger beside the grid, for example to zoom.
    fn other_down(self, event: &PointerEvent) {
        let press = self.press.get_untracked();
        if press.is_some_and(|press| press.pointer != event.pointer_id()) {
            self.cancel();
        }
    }

    /// Ends the press without a pick, and clears the pick of a drag.
    fn cancel(self) {
        let Some(press) = self.press.get_untracked() else { return };
        self.press.set(None);
        if press.is_far() {
            self.let_go.run(());
        }
    }

    /// How far the content of a cell is dragged along, in one direction.
    fn shift(self, index: usize, axis: fn((f64, f64)) -> f64) -> Option<String> {
        let press = self.press.get().filter(|press| press.from == index && press.is_far())?;
        Some(format!("{}px", axis(press.moved)))
    }
}

fn place(event: &PointerEvent) -> (f64, f64) {
    (f64::from(event.client_x()), f64::from(event.client_y()))
}

/// Rows of cells, numbered row by row from the top left.
#[component]
pub fn Grid(
    /// What it is.
    label: &'static str,
    /// How many cells a row has.
    columns: usize,
    /// How many rows there are.
    rows: usize,
    /// A cell as it is now.
    cell: Callback<usize, Cell>,
    /// What is drawn in a cell.
    content: Callback<usize, AnyView>,
    /// A cell was picked.
    pick: Callback<usize>,
    /// Nothing is to be picked any more.
    let_go: Callback<()>,
    /// How many cells a row below the others has, where pieces wait.
    #[prop(optional)]
    tail: usize,
    /// Takes a key that moves nothing, and the cell that it was pressed on; gives the next cell.
    #[prop(optional)]
    keys: Option<Callback<(usize, String), Option<usize>>>,
) -> impl IntoView {
    let focus = RwSignal::new(0_usize);
    let grid = NodeRef::<leptos::html::Div>::new();
    let pointer = Pointer { press: RwSignal::new(None), cell, pick, let_go };
    let other_down = window_event_listener(pointerdown, move |event| pointer.other_down(&event));
    on_cleanup(move || other_down.remove());

    let on_key = move |event: KeyboardEvent| {
        let (key, at) = (event.key(), focus.get_untracked());
        match key.as_str() {
            "Enter" | " " => pick.run(at),
            "Escape" => return let_go.run(()),
            _ if event.ctrl_key() || event.alt_key() || event.meta_key() => return,
            key => {
                let typed = || keys?.run((at, key.to_owned()));
                let cells = columns * rows + tail;
                let Some(next) = step(key, at, columns, cells).or_else(typed) else { return };
                focus.set(next);
                if let Some(cell) = cell_element(grid, next) {
                    // A cell is always focusable.
                    let _ = cell.focus();
                }
            }
        }
        event.prevent_default();
    };
    // A click without a pointer comes from a screen reader or a voice.
    let on_click = move |event: MouseEvent| {
        let at = index_of(event.target().and_then(|it| it.dyn_into().ok()));
        if let (0, Some(at)) = (event.detail(), at) {
            pick.run(at);
        }
    };
    let draw_cell = move |index: usize| {
        let it = Memo::new(move |_| cell.run(index));
        let class = move || {
            let dragging = pointer.shift(index, |it| it.0).map_or("", |_| "dragging");
            it.with(|it| format!("cell {} {dragging}", it.class))
        };
        view! {
            <div
                role="gridcell"
                class=class
                data-cell=index.to_string()
                tabindex=move || if focus.get() == index { "0" } else { "-1" }
                aria-label=move || it.with(|it| it.label.clone())
                aria-selected=move || it.with(|it| it.is_picked).to_string()
            >
                <div
                    class="content"
                    style:--drag-x=move || pointer.shift(index, |it| it.0)
                    style:--drag-y=move || pointer.shift(index, |it| it.1)
                >
                    {move || content.run(index)}
                </div>
            </div>
        }
    };
    let draw_row = move |row: usize| {
        let length = if row < rows { columns } else { tail };
        let cells = (row * columns..row * columns + length).map(draw_cell).collect_view();
        view! { <div role="row">{cells}</div> }
    };
    let drawn = rows + usize::from(tail > 0);
    let on_down = move |event: PointerEvent| {
        if let Some(at) = pointer.down(&event) {
            focus.set(at);
        }
    };
    view! {
        <div
            node_ref=grid
            role="grid"
            class="grid"
            aria-label=label
            style:--columns=columns.to_string()
            on:keydown=on_key
            on:pointerdown=on_down
            on:pointermove=move |event| pointer.go(&event)
            on:pointerup=move |event| pointer.up(&event)
            on:pointercancel=move |_| pointer.cancel()
            on:pointerleave=move |event| pointer.leave(&event)
            on:click=on_click
        >
            {(0..drawn).map(draw_row).collect_view()}
        </div>
    }
}

/// Where a key leads from a cell. The last row may be shorter than the others.
fn step(key: &str, at: usize, columns: usize, cells: usize) -> Option<usize> {
    let first = at - at % columns;
    let last = (first + columns).min(cells) - 1;
    Some(match key {
        "ArrowLeft" if at > first => at - 1,
        "ArrowRight" if at < last => at + 1,
        "ArrowUp" if at >= columns => at - columns,
        "ArrowDown" if first + columns < cells => (at + columns).min(cells - 1),
        "Home" => first,
        "End" => last,
        _ => return None,
    })
}

fn cell_element(grid: NodeRef<leptos::html::Div>, index: usize) -> Option<HtmlElement> {
    let selector = format!("[data-cell=\"{index}\"]");
    grid.get_untracked()?.query_selector(&selector).ok()??.dyn_into().ok()
}

/// Scrolls the window that a grid is seen through, so that this cell is in its middle.
pub fn show_cell(window: NodeRef<leptos::html::Div>, index: usize) {
    // The page may be gone by now.
    let Some(seen) = window.try_get_untracked().flatten() else { return };
    if let Some(cell) = cell_element(window, index) {
        let to_middle = |start: i32, size: i32, whole: i32| start + (size - whole) / 2;
        let (width, height) = (seen.client_width(), seen.client_height());
        seen.set_scroll_left(to_middle(cell.offset_left(), cell.offset_width(), width));
        seen.set_scroll_top(to_middle(cell.offset_top(), cell.offset_height(), height));
    }
}

/// The number of the cell that an element lies in.
fn index_of(element: Option<Element>) -> Option<usize> {
    let cell = element?.closest("[data-cell]").ok()??;
    cell.get_attribute("data-cell")?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::step;

    #[test]
    fn arrows_stay_on_the_grid_and_reach_a_shorter_last_row() {
        for (key, at, next) in [
            ("ArrowRight", 0, Some(1)),
            ("ArrowRight", 2, None),
            ("ArrowLeft", 3, None),
            ("ArrowUp", 1, None),
            ("ArrowUp", 7, Some(4)),
            ("ArrowDown", 5, Some(7)),
            ("ArrowDown", 6, None),
            ("ArrowRight", 7, None),
            ("Home", 5, Some(3)),
            ("End", 6, Some(7)),
            ("x", 6, None),
        ] {
            // Two rows of three, then one of two.
            assert_eq!(step(key, at, 3, 8), next, "{key} at {at}");
        }
    }
}
