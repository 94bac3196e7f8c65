//! Whole recorded matches as readable text: what every viewer saw, ply by ply.
//!
//! A file starts with `match seats=2 seed=2a options={}`; its lines `> SEAT ACTION` are the match,
//! everything else is derived and compared. With `UPDATE_PLAYTHROUGHS` set the files are written
//! anew, and a file that holds only its first line gets a random match.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use game_api::{Game, GameRng, Match, Seat, Seed, Viewer};
use serde_json::Value;

const UPDATE: &str = "UPDATE_PLAYTHROUGHS";

/// Compares every file of a game's playthrough folder with what the rules say today.
pub fn check_playthroughs<G: Game>(game: &Arc<G>, folder: &Path) -> Result<(), String> {
    let files =
        std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut count = 0;
    for file in files {
        let path = file.map_err(|error| error.to_string())?.path();
        let place = path.display().to_string();
        let recorded =
            std::fs::read_to_string(&path).map_err(|error| format!("{place}: {error}"))?;
        let today = play(game, &recorded).map_err(|error| format!("{place}: {error}"))?;
        count += 1;
        if recorded == today {
            continue;
        }
        if std::env::var_os(UPDATE).is_some() {
            std::fs::write(&path, today).map_err(|error| format!("{place}: {error}"))?;
            continue;
        }
        let mut lines = (1..).zip(recorded.lines().zip(today.lines()));
        let (line, (was, is)) = lines
            .find(|(_, (was, is))| was != is)
            .unwrap_or((recorded.lines().count(), ("the end", "something else")));
        return Err(format!(
            "{place}:{line}: recorded\n  {was}\nbut now it is\n  {is}\nIf that is meant, set \
             {UPDATE}=1, look at the difference, and raise rules_version if old logs replay differently"
        ));
    }
    if count == 0 { Err(format!("no recorded match in {}", folder.display())) } else { Ok(()) }
}

/// Plays the actions of a recording and writes down all that is seen on the way.
fn play<G: Game>(game: &Arc<G>, recorded: &str) -> Result<String, String> {
    let head = recorded.lines().next().unwrap_or_default();
    let (seats, seed, options) = read_head::<G>(head)?;
    let mut actions = recorded.lines().filter_map(|line| line.strip_prefix("> ")).peekable();
    let is_new = actions.peek().is_none();
    let mut chooser = fastrand::Rng::with_seed(17);
    let mut sampler = GameRng::new(&seed);
    let mut contest =
        Match::start(game.clone(), options, seats, seed).map_err(|error| error.to_string())?;
    let mut text = format!("{head}\n");
    let mut shown = vec![Value::Null; usize::from(seats) + 1];
    show_views(&contest, &mut shown, &mut text)?;
    loop {
        let (seat, action) = match actions.next() {
            Some(line) => read_action_line(line)?,
            None if is_new && !contest.to_act().is_empty() => {
                choose(&contest, &mut chooser, &mut sampler)
            }
            None => break,
        };
        let played =
            contest.act(seat, &action).map_err(|refusal| format!("{action}: {refusal}"))?;
        let step = played.step(contest.state());
        let _ = write!(text, "\n> {seat} {action}\n");
        let told = Viewer::all(seats).map(|viewer| {
            let event = serde_json::to_string(&contest.game().event(&step, viewer));
            let notation = contest.game().notation(&step, viewer);
            (viewer, format!("{notation}: {}", event.unwrap_or_default()))
        });
        write_groups(&mut text, told.collect(), "read");
        show_views(&contest, &mut shown, &mut text)?;
    }
    let outcome = serde_json::to_string(&contest.outcome()).unwrap_or_default();
    let _ = write!(text, "\noutcome {outcome}\nstate hash {}\n", contest.state_hash());
    Ok(text)
}

/// The fields of each viewer's view that are not as they were.
fn show_views<G: Game>(
    contest: &Match<G>,
    shown: &mut [Value],
    text: &mut String,
) -> Result<(), String> {
    let mut changes: BTreeMap<String, Vec<(Viewer, String)>> = BTreeMap::new();
    for (viewer, shown) in Viewer::all(contest.seats()).zip(shown) {
        let view = contest.game().view(contest.state(), viewer);
        let view = serde_json::to_value(&view).map_err(|error| error.to_string())?;
        for (field, value) in view.as_object().into_iter().flatten() {
            if shown.get(field) != Some(value) {
                let seen = (viewer, format!("{field}: {value}"));
                changes.entry(field.clone()).or_default().push(seen);
            }
        }
        for field in shown.as_object().into_iter().flatten().map(|(field, _)| field) {
            if view.get(field).is_none() {
                let gone = (viewer, format!("{field} no more"));
                changes.entry(field.clone()).or_default().push(gone);
            }
        }
        *shown = view;
    }
    for seen in changes.into_values() {
        write_groups(text, seen, "see");
    }
    Ok(())
}

/// A line for each different thing, with all who see or read it.
fn write_groups(text: &mut String, mut rest: Vec<(Viewer, String)>, verb: &str) {
    while let Some((_, what)) = rest.first().cloned() {
        let group = rest.extract_if(.., |(_, other)| *other == what);
        let who: Vec<String> = group.map(|(viewer, _)| viewer.to_string()).collect();
        let s = if who.len() == 1 { "s" } else { "" };
        let _ = writeln!(text, "{} {verb}{s} {what}", who.join(" "));
    }
}

pub(crate) fn read_head<G: Game>(head: &str) -> Result<(u8, Seed, G::Options), String> {
    let bad = || format!("the first line is `match seats=N seed=HEX options={{…}}`, not {head:?}");
    let mut words = head.split(' ');
    let mut word =
        |prefix: &str| words.next().and_then(|word| word.strip_prefix(prefix)).ok_or_else(bad);
    word("match")?;
    let seats = word("seats=")?.parse().map_err(|_| bad())?;
    let seed = word("seed=")?.parse().map_err(|_| bad())?;
    let options = serde_json::from_str(word("options=")?).map_err(|error| error.to_string())?;
    Ok((seats, seed, options))
}

pub(crate) fn read_action_line(line: &str) -> Result<(Seat, String), String> {
    let bad = || format!("an action's line is `> SEAT ACTION`, not {line:?}");
    let (seat, action) = line.split_once(' ').ok_or_else(bad)?;
    let viewer: Viewer = seat.parse().map_err(|()| bad())?;
    Ok((viewer.seat().ok_or_else(bad)?, action.to_owned()))
}

fn choose<G: Game>(
    contest: &Match<G>,
    chooser: &mut fastrand::Rng,
    sampler: &mut GameRng,
) -> (Seat, String) {
    let to_act: Vec<Seat> = contest.to_act().iter().collect();
    let seat = to_act[chooser.usize(..to_act.len())];
    if let Some(action) = contest.game().sample(contest.state(), seat, sampler) {
        return (seat, action.to_string());
    }
    let mut actions = Vec::new();
    contest.game().legal_actions(contest.state(), seat, &mut actions);
    (seat, actions[chooser.usize(..actions.len())].to_string())
}
