//! A slow generator of whole Santorini turns, one function a sentence of the rules, to check the
//! real one against. It owns the list of legal turns and their results; it deliberately has no
//! placement of workers, no single-action interface, no reasons for refusals and no speed.
//!
//! A turn is grown as a `Draft`. A draft that cannot be completed grows into no turn at all, which
//! is how a step without a way to complete the turn becomes illegal.

/// `(row, column)`, both from 0: `a1` is `(0, 0)`, `c1` is `(0, 2)`.
type Cell = (usize, usize);

/// A position between two turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NaiveState {
    /// Blocks on `[row][column]`, 0 to 3; a dome is not counted.
    pub(crate) levels: [[u8; 5]; 5],
    /// Domes on `[row][column]`.
    pub(crate) domes: [[bool; 5]; 5],
    /// `[seat][worker]` is that worker's `(row, column)`.
    pub(crate) workers: [[Cell; 2]; 2],
    /// The god of each seat, lower case; "" is a mortal.
    pub(crate) gods: [&'static str; 2],
    /// The seat whose turn it is.
    pub(crate) to_move: usize,
    /// The seat to move may not move up in this turn.
    pub(crate) no_climb: bool,
}

/// A turn that has begun: what was said so far and what it has led to.
#[derive(Clone)]
struct Draft {
    actions: Vec<String>,
    /// The position so far, still with the seat that is playing the turn as `to_move`.
    state: NaiveState,
    /// A worker of the player has moved up in this turn.
    climbed: bool,
    won: bool,
}

/// All complete legal turns: the actions, the position for the next player, and whether it won.
pub(crate) fn turns(state: &NaiveState) -> Vec<(Vec<String>, NaiveState, bool)> {
    let start = Draft { actions: Vec::new(), state: state.clone(), climbed: false, won: false };
    let complete = match own_god(state) {
        "artemis" => artemis_turns(&start),
        "hermes" => hermes_turns(&start),
        "prometheus" => prometheus_turns(&start),
        _ => ordinary_turns(&start),
    };
    complete.into_iter().map(hand_over).collect()
}

/// The number of sequences of `depth` whole turns. A win ends the match, and so does a player who
/// has no turn: each is one leaf at whatever depth.
pub(crate) fn perft(state: &NaiveState, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let turns = turns(state);
    if turns.is_empty() {
        return 1;
    }
    turns.iter().map(|(_, next, won)| if *won { 1 } else { perft(next, depth - 1) }).sum()
}

/// After a turn the other seat plays; Athena's climb forbids it to move up.
fn hand_over(draft: Draft) -> (Vec<String>, NaiveState, bool) {
    let mut next = draft.state;
    next.no_climb = own_god(&next) == "athena" && draft.climbed;
    next.to_move = 1 - next.to_move;
    (draft.actions, next, draft.won)
}

// --- Whole turns ---

/// Move a worker, then build with it. A winning move ends the turn.
fn ordinary_turns(start: &Draft) -> Vec<Draft> {
    let mut complete = Vec::new();
    for worker in 0..2 {
        for moved in moves(start, worker) {
            complete.extend(if moved.won { vec![moved] } else { build_phase(&moved, worker) });
        }
    }
    complete
}

/// Artemis moves, may move the same worker again but not to where the turn began, and builds.
fn artemis_turns(start: &Draft) -> Vec<Draft> {
    let mut complete = Vec::new();
    for worker in 0..2 {
        let origin = own_worker(&start.state, worker);
        for moved in moves(start, worker) {
            if moved.won {
                complete.push(moved);
                continue;
            }
            let mut moved_twice = Vec::new();
            for again in moves(&moved, worker) {
                if own_worker(&again.state, worker) == origin {
                    continue;
                }
                moved_twice.extend(if again.won {
                    vec![again]
                } else {
                    build_phase(&again, worker)
                });
            }
            complete.extend(or_skip(moved_twice, &moved, |draft| build_phase(draft, worker)));
        }
    }
    complete
}

/// Prometheus plays an ordinary turn, or builds first and then moves that worker, not up, and
/// builds with it again.
fn prometheus_turns(start: &Draft) -> Vec<Draft> {
    let mut complete = ordinary_turns(start);
    for worker in 0..2 {
        let place = own_worker(&start.state, worker);
        for site in build_sites(&start.state, &[place]) {
            let mut built = say(start, format!("{}+{}", name(place), name(site)));
            raise(&mut built.state, site);
            built.state.no_climb = true;
            for moved in moves(&built, worker) {
                complete.extend(build_phase(&moved, worker));
            }
        }
    }
    complete
}

/// Hermes steps to another level and builds with that worker; or he glides with none, one or both
/// workers and builds with either.
fn hermes_turns(start: &Draft) -> Vec<Draft> {
    let mut complete = build_with_either(&say(start, "skip".to_owned()));
    for worker in 0..2 {
        for stepped in moves(start, worker) {
            let from = own_worker(&start.state, worker);
            let to = own_worker(&stepped.state, worker);
            if level(&start.state, from) == level(&start.state, to) {
                continue;
            }
            complete.extend(if stepped.won {
                vec![stepped]
            } else {
                build_phase(&stepped, worker)
            });
        }
        for glided in glides(start, worker) {
            let other = glides(&glided, 1 - worker);
            let both = other.iter().flat_map(build_with_either).collect();
            complete.extend(or_skip(both, &glided, build_with_either));
        }
    }
    complete
}

/// An optional action: `taken` holds the complete turns in which it is done. If there are any, the
/// player may say `skip` instead; if there are none, the turn goes straight on.
fn or_skip(taken: Vec<Draft>, before: &Draft, go_on: impl Fn(&Draft) -> Vec<Draft>) -> Vec<Draft> {
    if taken.is_empty() {
        return go_on(before);
    }
    let declined = go_on(&say(before, "skip".to_owned()));
    taken.into_iter().chain(declined).collect()
}

// --- Moving ---

/// Every single move of one worker of the player.
fn moves(draft: &Draft, worker: usize) -> Vec<Draft> {
    let state = &draft.state;
    let from = own_worker(state, worker);
    let mut moved = Vec::new();
    for to in all_cells() {
        if !is_adjacent(from, to) || !may_climb(state, from, to) {
            continue;
        }
        if let Some(next) = enter(state, worker, to) {
            let mut after = say(draft, format!("{}-{}", name(from), name(to)));
            after.state = next;
            after.climbed |= level(state, to) > level(state, from);
            after.won = is_winning(state, from, to);
            moved.push(after);
        }
    }
    moved
}

/// Up at most one level, and not at all under a ban; down any number.
fn may_climb(state: &NaiveState, from: Cell, to: Cell) -> bool {
    let climb_max = i32::from(!state.no_climb);
    level(state, to) - level(state, from) <= climb_max
}

/// The position after a worker has gone to `to`, unless a dome or a worker keeps it out. Apollo
/// and the Minotaur are not kept out by an opponent.
fn enter(state: &NaiveState, worker: usize, to: Cell) -> Option<NaiveState> {
    if has_dome(state, to) {
        return None;
    }
    let from = own_worker(state, worker);
    let opponent = 1 - state.to_move;
    let mut next = state.clone();
    if has_worker(state, to) {
        let victim = (0..2).find(|&victim| state.workers[opponent][victim] == to)?;
        next.workers[opponent][victim] = match own_god(state) {
            "apollo" => from,
            "minotaur" => straight_behind(from, to).filter(|&cell| is_free(state, cell))?,
            _ => return None,
        };
    }
    next.workers[state.to_move][worker] = to;
    Some(next)
}

/// The cell that follows `to` in the direction from `from`, if it is on the board.
fn straight_behind(from: Cell, to: Cell) -> Option<Cell> {
    all_cells()
        .into_iter()
        .find(|cell| cell.0 + from.0 == to.0 + to.0 && cell.1 + from.1 == to.1 + to.1)
}

/// Up from level 2 to level 3 wins; for Pan, down two or more levels too.
fn is_winning(state: &NaiveState, from: Cell, to: Cell) -> bool {
    let (before, after) = (level(state, from), level(state, to));
    (before == 2 && after == 3) || (own_god(state) == "pan" && before - after >= 2)
}

/// Hermes moves a worker to any other cell that it reaches over free cells of its own level.
fn glides(draft: &Draft, worker: usize) -> Vec<Draft> {
    let from = own_worker(&draft.state, worker);
    let mut glided = Vec::new();
    for to in reachable_on_level(&draft.state, from) {
        let mut after = say(draft, format!("{}-{}", name(from), name(to)));
        after.state.workers[draft.state.to_move][worker] = to;
        glided.push(after);
    }
    glided
}

/// The free cells of the same level that are joined to `from` through others of the kind.
fn reachable_on_level(state: &NaiveState, from: Cell) -> Vec<Cell> {
    let mut reached = vec![from];
    loop {
        let next = all_cells().into_iter().find(|&cell| {
            !reached.contains(&cell)
                && is_free(state, cell)
                && level(state, cell) == level(state, from)
                && reached.iter().any(|&near| is_adjacent(near, cell))
        });
        match next {
            Some(cell) => reached.push(cell),
            None => break,
        }
    }
    reached.into_iter().filter(|&cell| cell != from).collect()
}

// --- Building ---

/// What the player may do with the worker that has moved, to the end of the turn.
fn build_phase(moved: &Draft, worker: usize) -> Vec<Draft> {
    let near = [own_worker(&moved.state, worker)];
    match own_god(&moved.state) {
        "atlas" => [builds(moved, &near), low_domes(moved, near[0])].concat(),
        "demeter" => demeter_builds(moved, near[0]),
        "hephaestus" => hephaestus_builds(moved, near[0]),
        _ => builds(moved, &near),
    }
}

/// One ordinary build next to one of the places.
fn builds(draft: &Draft, near: &[Cell]) -> Vec<Draft> {
    build_sites(&draft.state, near).into_iter().map(|site| build(draft, site)).collect()
}

fn build(draft: &Draft, site: Cell) -> Draft {
    let mut built = say(draft, format!("+{}", name(site)));
    raise(&mut built.state, site);
    built
}

/// Hermes builds with either worker, wherever they have glided.
fn build_with_either(draft: &Draft) -> Vec<Draft> {
    builds(draft, &[own_worker(&draft.state, 0), own_worker(&draft.state, 1)])
}

/// Atlas may put a dome on levels 0 to 2 (on level 3 every player's build is a dome).
fn low_domes(draft: &Draft, place: Cell) -> Vec<Draft> {
    let mut domed = Vec::new();
    for site in build_sites(&draft.state, &[place]) {
        if level(&draft.state, site) <= 2 {
            let mut after = say(draft, format!("^{}", name(site)));
            after.state.domes[site.0][site.1] = true;
            domed.push(after);
        }
    }
    domed
}

/// Demeter may build a second time, on another cell.
fn demeter_builds(draft: &Draft, place: Cell) -> Vec<Draft> {
    let mut complete = Vec::new();
    for first in build_sites(&draft.state, &[place]) {
        let once = build(draft, first);
        let mut twice = Vec::new();
        for second in build_sites(&once.state, &[place]) {
            if second != first {
                twice.push(build(&once, second));
            }
        }
        complete.extend(or_skip(twice, &once, |draft| vec![draft.clone()]));
    }
    complete
}

/// Hephaestus may put a second block on the same cell, never a dome.
fn hephaestus_builds(draft: &Draft, place: Cell) -> Vec<Draft> {
    let mut complete = Vec::new();
    for site in build_sites(&draft.state, &[place]) {
        let once = build(draft, site);
        let mut twice = Vec::new();
        if !has_dome(&once.state, site) && level(&once.state, site) <= 2 {
            twice.push(build(&once, site));
        }
        complete.extend(or_skip(twice, &once, |draft| vec![draft.clone()]));
    }
    complete
}

/// The cells free of workers and domes that adjoin at least one of the places.
fn build_sites(state: &NaiveState, near: &[Cell]) -> Vec<Cell> {
    let mut sites = all_cells();
    sites
        .retain(|&cell| is_free(state, cell) && near.iter().any(|&place| is_adjacent(place, cell)));
    sites
}

/// A block on levels 0 to 2, a dome on level 3.
fn raise(state: &mut NaiveState, (row, column): Cell) {
    if state.levels[row][column] == 3 {
        state.domes[row][column] = true;
    } else {
        state.levels[row][column] += 1;
    }
}

// --- The board ---

fn all_cells() -> Vec<Cell> {
    (0..5).flat_map(|row| (0..5).map(move |column| (row, column))).collect()
}

fn is_adjacent(one: Cell, other: Cell) -> bool {
    one != other && one.0.abs_diff(other.0) <= 1 && one.1.abs_diff(other.1) <= 1
}

fn level(state: &NaiveState, (row, column): Cell) -> i32 {
    i32::from(state.levels[row][column])
}

fn has_dome(state: &NaiveState, (row, column): Cell) -> bool {
    state.domes[row][column]
}

fn has_worker(state: &NaiveState, cell: Cell) -> bool {
    state.workers.iter().flatten().any(|&place| place == cell)
}

fn is_free(state: &NaiveState, cell: Cell) -> bool {
    !has_worker(state, cell) && !has_dome(state, cell)
}

fn own_god(state: &NaiveState) -> &'static str {
    state.gods[state.to_move]
}

fn own_worker(state: &NaiveState, worker: usize) -> Cell {
    state.workers[state.to_move][worker]
}

/// Column letter, row digit.
fn name((row, column): Cell) -> String {
    format!("{}{}", ["a", "b", "c", "d", "e"][column], row + 1)
}

/// The same draft with one more action said.
fn say(draft: &Draft, action: String) -> Draft {
    let mut next = draft.clone();
    next.actions.push(action);
    next
}
