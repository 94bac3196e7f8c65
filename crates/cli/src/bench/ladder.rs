//! `parlor bench bots`: how much better each level is than the one below, by playing it out.
//!
//! A chore, not a test. Matches come in pairs with seats swapped and chance the same; a pair's result
//! follows from its number and the nodes alone, so a run can be broken off and taken up again.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use bots::{AnyBot, Duel, Duellist, Level, PairEnd, StartClock, Tally, elo};
use clap::Args;
use game_api::{AnyGame, excerpt};
use serde::{Deserialize, Serialize};
use server::uci::UciEngine;

use super::progress::Progress;

/// What is played, and how often.
#[derive(Args)]
pub(crate) struct Options {
    /// The game's key
    game: String,
    /// Only these, such as `8:7` or `8:greedy`: a level or `random`, `greedy`, `sampling`. Else each
    /// level against the one below, and in a game with secrets the highest against greedy and random
    #[arg(long, value_name = "FIRST:SECOND")]
    pairing: Vec<Pairing>,
    /// So many pairs of matches for each
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    pairs: u32,
    /// Begin with the pair of this number, for pairs that no earlier run has seen
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: u32,
    /// So many nodes for each decision, of which a level may use fewer
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    nodes: u64,
    /// Other nodes for the second of each pairing
    #[arg(long, value_name = "N")]
    second_nodes: Option<u64>,
    /// No decision takes longer than this; then the results depend on the machine
    #[arg(long, value_name = "MS")]
    ms: Option<u64>,
    /// A UCI engine, which is `uci` in pairings
    #[arg(long, value_name = "COMMAND")]
    uci: Option<String>,
    /// An option of that engine
    #[arg(long, value_name = "NAME=VALUE")]
    uci_option: Vec<Setting>,
    /// So many actions by lot open each match; else four, and none in a game with secrets
    #[arg(long, value_name = "N")]
    opening: Option<u32>,
    /// The match's options
    #[arg(long = "options", value_name = "JSON", default_value = "{}")]
    terms: String,
    /// Keep the results here, and go on from those that are there
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,
    /// Pairs that are played at a time; else one a core
    #[arg(long, value_name = "N")]
    threads: Option<NonZero<usize>>,
}

/// Two names of bots.
#[derive(Clone, Debug)]
struct Pairing {
    first: String,
    second: String,
}

impl FromStr for Pairing {
    type Err = String;

    fn from_str(text: &str) -> Result<Pairing, String> {
        let (first, second) = text.split_once(':').ok_or("say FIRST:SECOND, for example 8:7")?;
        Ok(Pairing { first: first.to_owned(), second: second.to_owned() })
    }
}

/// An option of an engine.
#[derive(Clone, Debug)]
struct Setting {
    name: String,
    value: String,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Setting, String> {
        let (name, value) = text.split_once('=').ok_or("say NAME=VALUE")?;
        Ok(Setting { name: name.to_owned(), value: value.to_owned() })
    }
}

/// What is kept of a run.
#[derive(Default, Serialize, Deserialize, PartialEq)]
struct Kept {
    /// What the results are of: a run with other settings does not go on from them.
    settings: String,
    /// By pairing: how often the first had 0 to 4 half points in a pair.
    tallies: BTreeMap<String, [u32; 5]>,
    /// By pairing, in a game that counts scores: what the first and the second scored in all.
    scores: BTreeMap<String, [i64; 2]>,
}

/// What is read of a game's last view.
#[derive(Deserialize)]
struct Scored {
    /// By seat.
    scores: [i64; 2],
}

/// What the first and the second scored in a pair of matches, if the game counts scores.
fn scores(end: &PairEnd) -> Option<[i64; 2]> {
    let read = |view: &[u8]| serde_json::from_slice(view).ok().map(|Scored { scores }| scores);
    let ([first, second], [second_back, first_back]) = (read(&end.views[0])?, read(&end.views[1])?);
    Some([first + first_back, second + second_back])
}

/// Plays all pairings, and prints a line for each.
pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let Some(game) = catalog::find(&options.game) else {
        bail!("there is no game {}", excerpt(&options.game));
    };
    ensure!(game.meta().seats.contains(&2), "a duel is between two seats");
    let opening = if game.meta().hidden_information { 0 } else { 4 };
    let opening = options.opening.unwrap_or(opening);
    let second_nodes = options.second_nodes.unwrap_or(options.nodes);
    let engine = options.engine()?;
    let start_clock = options.ms.map(|ms| {
        move || -> Box<dyn Fn() -> bool> {
            let end = Instant::now() + Duration::from_millis(ms);
            Box::new(move || Instant::now() >= end)
        }
    });
    let mut settings = format!(
        "{} {}, nodes {} and {second_nodes}, opening {opening}",
        options.game, options.terms, options.nodes
    );
    if options.from > 0 {
        write!(settings, ", from pair {}", options.from)?;
    }
    if let Some(ms) = options.ms {
        write!(settings, ", {ms} ms")?;
    }
    if let Some(engine) = &engine {
        write!(settings, ", {}", engine.name())?;
        for Setting { name, value } in &options.uci_option {
            write!(settings, " {name} {value}")?;
        }
    }
    let mut kept = Kept::load(options.resume.as_deref(), settings)?;
    let clock = start_clock.as_ref().map(|start| start as &StartClock);
    let duel = Duel { game, options: &options.terms, opening, clock };
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", kept.settings)?;
    for pairing in options.pairings(game) {
        let find = |name: &str, nodes: u64| {
            let own = || catalog::bot(&options.game, name);
            let bot = match &engine {
                Some(engine) if name == "uci" => Some((engine as &dyn AnyBot, Level::HIGHEST)),
                _ => own(),
            };
            let (bot, level) = bot.with_context(|| format!("there is no bot {}", excerpt(name)))?;
            anyhow::Ok(Duellist { bot, level, nodes })
        };
        let duellists =
            [find(&pairing.first, options.nodes)?, find(&pairing.second, second_nodes)?];
        let name = format!("{} against {}", pairing.first, pairing.second);
        let tally = play(options, &duel, duellists, &name, &mut kept)?;
        let (share, error) = (tally.share(), tally.error());
        writeln!(
            out,
            "{name:20} {:6} matches  {:5.1} % ± {:4.1}  Elo {:+5.0} ({:+.0} to {:+.0}){}",
            2 * tally.pairs(),
            100.0 * share,
            100.0 * error,
            elo(share),
            elo(share - error),
            elo(share + error),
            kept.scores.get(&name).map(|sums| averages(*sums, tally.pairs())).unwrap_or_default(),
        )?;
    }
    Ok(())
}

/// What both scored in a match on average, and by how much the first had more.
#[expect(clippy::cast_precision_loss, reason = "a run has millions of points, not 2^52")]
fn averages([first, second]: [i64; 2], pairs: u32) -> String {
    let matches = f64::from(2 * pairs.max(1));
    let (first, second) = (first as f64 / matches, second as f64 / matches);
    format!("  score {first:.1} to {second:.1} ({:+.1} %)", 100.0 * (first / second - 1.0))
}

impl Options {
    fn pairings(&self, game: &dyn AnyGame) -> Vec<Pairing> {
        if !self.pairing.is_empty() {
            return self.pairing.clone();
        }
        let pairing = |first: Level, second: String| Pairing { first: first.to_string(), second };
        let steps = Level::all().zip(Level::all().skip(1));
        let ladder = steps.map(|(low, high)| pairing(high, low.to_string()));
        let measures: &[&str] =
            if game.meta().hidden_information { &["greedy", "random"] } else { &[] };
        let others = measures.iter().map(|name| pairing(Level::HIGHEST, (*name).to_owned()));
        ladder.chain(others).collect()
    }

    fn engine(&self) -> anyhow::Result<Option<UciEngine>> {
        let Some(command) = &self.uci else { return Ok(None) };
        ensure!(self.game == catalog::UCI_GAME, "UCI engines play {}", catalog::UCI_GAME);
        let settings = self.uci_option.iter().map(|it| (&*it.name, &*it.value));
        Ok(Some(UciEngine::open(command, &settings.collect::<Vec<_>>())?))
    }

    fn threads(&self) -> usize {
        let cores = || thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        self.threads.unwrap_or_else(cores).get()
    }
}

/// Plays what is missing of a pairing.
fn play(
    options: &Options,
    duel: &Duel<'_>,
    duellists: [Duellist<'_>; 2],
    name: &str,
    kept: &mut Kept,
) -> anyhow::Result<Tally> {
    let mut tally = Tally(kept.tallies.get(name).copied().unwrap_or_default());
    let progress = Progress::new(name.to_owned(), options.pairs as usize);
    (0..tally.pairs().min(options.pairs)).for_each(|_| progress.step());
    let missing: Vec<u32> = (tally.pairs()..options.pairs).collect();
    let from = u64::from(options.from);
    // A chunk is kept as a whole, so that what is kept are always the first pairs.
    for chunk in missing.chunks(options.threads()) {
        let results = thread::scope(|scope| {
            let start = |number: &u32| {
                let number = from + u64::from(*number);
                scope.spawn(move || duel.play_pair(duellists, number))
            };
            let running: Vec<_> = chunk.iter().map(start).collect();
            running.into_iter().map(thread::ScopedJoinHandle::join).collect::<Vec<_>>()
        });
        for result in results {
            let Ok(result) = result else { bail!("{name}: a bot panicked") };
            let end = result.with_context(|| format!("{name}: a bot acted illegally"))?;
            tally.0[end.half_points] += 1;
            if let Some([first, second]) = scores(&end) {
                let sums = kept.scores.entry(name.to_owned()).or_default();
                *sums = [sums[0] + first, sums[1] + second];
            }
            progress.step();
        }
        kept.tallies.insert(name.to_owned(), tally.0);
        kept.store(options.resume.as_deref())?;
    }
    Ok(tally)
}

impl Kept {
    fn load(path: Option<&Path>, settings: String) -> anyhow::Result<Kept> {
        let Some(path) = path.filter(|path| path.exists()) else {
            return Ok(Kept { settings, ..Kept::default() });
        };
        let kept: Kept = serde_json::from_slice(&std::fs::read(path)?)
            .with_context(|| format!("{} holds no results", path.display()))?;
        let is_same = kept.settings == settings;
        ensure!(is_same, "{} is of another run: {}", path.display(), kept.settings);
        Ok(kept)
    }

    fn store(&self, path: Option<&Path>) -> anyhow::Result<()> {
        if let Some(path) = path {
            // Renamed when whole, so that a broken-off run spoils nothing.
            let part = path.with_extension("part");
            std::fs::write(&part, serde_json::to_vec_pretty(self)?)?;
            std::fs::rename(part, path)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_summed_for_each_duellist_wherever_it_sat() {
        let end = |there: &str, back: &str| PairEnd {
            half_points: 2,
            views: [there.as_bytes().to_vec(), back.as_bytes().to_vec()],
        };
        let counted = end(r#"{"scores":[10,7],"bag":0}"#, r#"{"scores":[5,20]}"#);
        assert_eq!(scores(&counted), Some([30, 12]));
        assert_eq!(scores(&end(r#"{"board":""}"#, r#"{"board":""}"#)), None);
        assert_eq!(averages([30, 12], 1), "  score 15.0 to 6.0 (+150.0 %)");
    }
}
