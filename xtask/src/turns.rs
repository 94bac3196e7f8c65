//! `cargo xtask bench turns REV`: the load benchmarks of two builds by turns, and the ratios between them.
//!
//! The speed of a machine changes within minutes, so a single pair of runs tells little. Each pair runs
//! REV first and the present tree second; the ratio of a figure within a pair cancels most of the drift.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Map, Value};
use xshell::{Shell, cmd};

use crate::target_dir;

/// Fewer pairs say nothing about the spread.
const PAIRS_MIN: usize = 5;

/// A benchmark: its name, the flags of `parlor bench server`, and the figures that are compared.
struct Benchmark {
    name: &'static str,
    flags: &'static [&'static str],
    figures: &'static [&'static str],
}

const BENCHMARKS: [Benchmark; 5] = [
    Benchmark {
        name: "throughput",
        flags: &["--mode", "throughput", "--matches", "200"],
        figures: &["moves_per_s"],
    },
    Benchmark {
        name: "rate",
        flags: &["--mode", "rate", "--matches", "200", "--rate", "5000"],
        figures: &["latency_p50_ms", "latency_p99_ms"],
    },
    Benchmark {
        name: "idle",
        flags: &["--mode", "idle", "--connections", "10000"],
        figures: &["match_kib", "match_with_connections_kib"],
    },
    Benchmark {
        name: "create",
        flags: &["--mode", "create"],
        figures: &["pairing_p50_ms", "create_p50_ms"],
    },
    Benchmark {
        name: "connect",
        flags: &["--mode", "connect", "--connections", "1000"],
        figures: &["connect_ms"],
    },
];

/// What the command line asks for.
#[derive(Debug, PartialEq)]
struct Request {
    revision: String,
    pairs: usize,
    /// Names of benchmarks; all if there are none.
    only: Vec<String>,
    /// Further flags for `parlor bench server`, after the benchmark's own.
    flags: Vec<String>,
}

impl Request {
    fn parse(words: &[&str]) -> Result<Request> {
        let [revision, rest @ ..] = words else { bail!("name the revision to compare with") };
        let (rest, flags) = match rest.iter().position(|word| *word == "--") {
            Some(at) => (&rest[..at], &rest[at + 1..]),
            None => (rest, &[][..]),
        };
        let mut request = Request {
            revision: (*revision).to_owned(),
            pairs: PAIRS_MIN,
            only: Vec::new(),
            flags: flags.iter().map(|word| (*word).to_owned()).collect(),
        };
        let mut rest = rest.iter();
        while let Some(word) = rest.next() {
            if *word == "--pairs" {
                let count = rest.next().context("--pairs needs a number")?;
                request.pairs = count.parse().context("--pairs needs a number")?;
            } else if BENCHMARKS.iter().any(|benchmark| benchmark.name == *word) {
                request.only.push((*word).to_owned());
            } else {
                let names = BENCHMARKS.map(|benchmark| benchmark.name).join(", ");
                bail!("{word} is no benchmark; there are {names}");
            }
        }
        ensure!(request.pairs >= PAIRS_MIN, "at least {PAIRS_MIN} pairs");
        Ok(request)
    }
}

/// The ratios of a figure, one a pair.
#[derive(Debug, PartialEq)]
struct Spread {
    median: f64,
    least: f64,
    most: f64,
}

impl Spread {
    fn of(mut ratios: Vec<f64>) -> Option<Spread> {
        ratios.sort_by(f64::total_cmp);
        let middle = ratios.len() / 2;
        let upper = *ratios.get(middle)?;
        let median = if ratios.len() % 2 == 1 { upper } else { ratios[middle - 1].midpoint(upper) };
        Some(Spread { median, least: *ratios.first()?, most: *ratios.last()? })
    }
}

/// Builds both, runs them by turns, prints the ratios.
pub(crate) fn bench(sh: &Shell, root: &Path, words: &[&str]) -> Result<()> {
    let request = Request::parse(words)?;
    let target = target_dir(sh)?;
    let old =
        build(sh, &checkout(sh, root, &target, &request.revision)?, &target.join("turns/build"))?;
    let new = build(sh, root, &target)?;
    let is_wanted = |benchmark: &&Benchmark| {
        request.only.is_empty() || request.only.iter().any(|name| name == benchmark.name)
    };
    for benchmark in BENCHMARKS.iter().filter(is_wanted) {
        let mut ratios: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for pair in 1..=request.pairs {
            let before = run(sh, &old, &target, benchmark, &request.flags)?;
            let after = run(sh, &new, &target, benchmark, &request.flags)?;
            for (figure, before, after) in figures(benchmark, &before, &after)? {
                println!(
                    "{:10}  pair {pair}  {figure:24}  {before:>12}  {after:>12}",
                    benchmark.name
                );
                ratios.entry(figure).or_default().push(after / before);
            }
        }
        for (figure, ratios) in ratios {
            let spread = Spread::of(ratios).context("no pair ran")?;
            let Spread { median, least, most } = spread;
            println!(
                "{:10}  {figure:24}  ratio: median {median:.3}, least {least:.3}, most {most:.3}",
                benchmark.name
            );
        }
    }
    Ok(())
}

/// A work tree of the revision under the target folder, kept from run to run.
fn checkout(sh: &Shell, root: &Path, target: &Path, revision: &str) -> Result<PathBuf> {
    let commit = format!("{revision}^{{commit}}");
    let commit = cmd!(sh, "git rev-parse --verify {commit}").quiet().read()?;
    let tree = target.join("turns/tree");
    if tree.join(".git").exists() {
        cmd!(sh, "git -C {tree} checkout --quiet --force --detach {commit}").run()?;
    } else {
        // A tree whose folder was removed by hand is still registered.
        cmd!(sh, "git -C {root} worktree prune").quiet().run()?;
        cmd!(sh, "git -C {root} worktree add --quiet --force --detach {tree} {commit}").run()?;
    }
    Ok(tree)
}

/// Builds the program as it is packaged; each source keeps a target folder of its own.
fn build(sh: &Shell, source: &Path, target: &Path) -> Result<PathBuf> {
    let _source = sh.push_dir(source);
    let build = cmd!(sh, "cargo build --release --locked --package cli --target-dir {target}");
    build.env_remove("PARLOR_CLIENT").run()?;
    Ok(target.join("release/parlor"))
}

/// Runs a benchmark once; gives its report.
fn run(
    sh: &Shell,
    parlor: &Path,
    target: &Path,
    benchmark: &Benchmark,
    more: &[String],
) -> Result<Map<String, Value>> {
    let report = target.join("turns/report.json");
    let flags = benchmark.flags;
    let bench = cmd!(sh, "{parlor} bench server {flags...} {more...} --json {report}");
    bench.quiet().ignore_stdout().run()?;
    let text = fs::read_to_string(&report)?;
    serde_json::from_str(&text).context("the report is no JSON object")
}

/// Each figure of a benchmark in both reports.
fn figures<'a>(
    benchmark: &'a Benchmark,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
) -> Result<Vec<(&'a str, f64, f64)>> {
    let read = |report: &Map<String, Value>, figure: &str| {
        let value = report.get(figure).and_then(Value::as_f64).filter(|value| *value > 0.0);
        value.with_context(|| format!("{}: the report has no {figure}", benchmark.name))
    };
    let pair = |figure: &&'a str| Ok((*figure, read(before, figure)?, read(after, figure)?));
    benchmark.figures.iter().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, Value, json};

    use super::{BENCHMARKS, Request, Spread, figures};

    #[test]
    fn the_median_of_an_even_number_lies_between_the_middle_two() {
        let check = |ratios: &[f64], expected: Option<[f64; 3]>| {
            let expected = expected.map(|[median, least, most]| Spread { median, least, most });
            assert_eq!(Spread::of(ratios.to_vec()), expected, "{ratios:?}");
        };
        check(&[], None);
        check(&[2.0], Some([2.0, 2.0, 2.0]));
        check(&[3.0, 1.0, 2.0], Some([2.0, 1.0, 3.0]));
        check(&[4.0, 1.0, 3.0, 2.0], Some([2.5, 1.0, 4.0]));
    }

    #[test]
    fn a_request_names_a_revision_pairs_and_benchmarks() {
        let request = Request::parse(&["a67e3eb", "rate", "--pairs", "7", "--", "--seconds", "3"]);
        let expected = Request {
            revision: "a67e3eb".to_owned(),
            pairs: 7,
            only: vec!["rate".to_owned()],
            flags: vec!["--seconds".to_owned(), "3".to_owned()],
        };
        assert_eq!(request.unwrap(), expected);
        for words in [&[][..], &["HEAD", "speed"], &["HEAD", "--pairs"], &["HEAD", "--pairs", "4"]]
        {
            assert!(Request::parse(words).is_err(), "{words:?}");
        }
    }

    #[test]
    fn a_figure_is_read_from_both_reports_or_missed() {
        let report = |value: Value| -> Map<String, Value> {
            let words = ["moves_per_s", "mode"].map(str::to_owned);
            words.into_iter().zip([value, json!("throughput")]).collect()
        };
        let found = figures(&BENCHMARKS[0], &report(json!(50000)), &report(json!(60000.5)));
        assert_eq!(found.unwrap(), [("moves_per_s", 50000.0, 60000.5)]);
        for odd in [json!(null), json!("fast"), json!(0)] {
            assert!(figures(&BENCHMARKS[0], &report(json!(1)), &report(odd)).is_err());
        }
    }
}
