//! `cargo xtask tidy`: what neither the compiler nor clippy can know about this repository.
//!
//! Owns the list of checks and the report. Each check is a pure function from the [`Tree`], which is
//! read once, to its problems; none of them stops another.

mod architecture;
mod contracts;
mod hygiene;
mod layers;
mod length;
mod licences;
mod manifests;
mod markdown;
mod purity;
mod reader;
mod rules;
mod source;
mod tree;
mod workspace;

use std::fmt;
use std::path::Path;

use anyhow::{Result, ensure};
use tree::Tree;

type Check = fn(&Tree) -> Vec<Problem>;

const CHECKS: &[Check] = &[
    source::check,
    layers::check,
    manifests::check,
    licences::check,
    architecture::check,
    rules::check,
    contracts::check,
    hygiene::check,
];

/// Something to repair, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Problem {
    path: String,
    line: Option<usize>,
    what: String,
}

impl Problem {
    fn at(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: Some(line), what: what.into() }
    }

    fn of_file(path: &str, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: None, what: what.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, what } = self;
        match line {
            Some(line) => write!(f, "{path}:{line}: {what}"),
            None => write!(f, "{path}: {what}"),
        }
    }
}

/// Runs every check and prints every problem; the listing of long code is no failure.
pub(crate) fn run(root: &Path) -> Result<()> {
    let tree = Tree::load(root)?;
    for long in length::listing(&tree) {
        println!("{long}");
    }
    let problems: Vec<Problem> = CHECKS.iter().flat_map(|check| check(&tree)).collect();
    for problem in &problems {
        println!("{problem}");
    }
    ensure!(problems.is_empty(), "tidy: problems found: {}", problems.len());
    println!("tidy: {} text files, no problem", tree.texts.len());
    Ok(())
}

/// The one assertion of the checks' tests: as many problems as expected, each with its beginning.
#[cfg(test)]
#[track_caller]
fn assert_problems(problems: &[Problem], expected: &[&str]) {
    let shown: Vec<String> = problems.iter().map(Problem::to_string).collect();
    let is_expected = shown.len() == expected.len()
        && shown.iter().zip(expected).all(|(shown, start)| shown.starts_with(start));
    assert!(is_expected, "expected {expected:#?}, found {shown:#?}");
}
