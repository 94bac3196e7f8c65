//! What must not be written down: unfinished work, and names of the machine it was written on.
//!
//! Every needle is put together here from parts, so that this file does not find itself.

use super::Problem;
use super::tree::{Text, Tree, has_extension};

const UNFINISHED_WORDS: [&str; 3] = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("X", "XX")];
const UNFINISHED_CALLS: [&str; 2] = [concat!("to", "do!("), concat!("unimple", "mented!(")];
const MACHINE_PATHS: [&str; 3] =
    [concat!("/", "work/"), concat!("/", "root/"), concat!("/", "home/")];
const REGISTRY_HOSTS: [&str; 5] = [
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("registry.", "npmjs.org"),
    concat!("pypi", ".org"),
    concat!("files.", "pythonhosted.org"),
];
/// How a manifest, cargo's settings or a lock file say where packages come from.
const REGISTRY_SETTINGS: [&str; 5] = [
    concat!("registry+", "http"),
    concat!("sparse+", "http"),
    concat!("[sou", "rce."),
    concat!("[regis", "tries"),
    concat!("replace", "-with"),
];
/// Cargo writes it into every lock file, whatever mirror it used.
const PUBLIC_INDEX: &str = concat!("registry+", "https://github.com/rust-lang/crates.io-index");

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    tree.texts.iter().flat_map(check_text).collect()
}

fn check_text(text: &Text) -> Vec<Problem> {
    let mut problems = Vec::new();
    let is_rust = has_extension(&text.path, "rs");
    let is_cargo = has_extension(&text.path, "toml") || has_extension(&text.path, "lock");
    if is_rust && !text.content.starts_with("//!") {
        let what = "does not open with `//!`: say what it owns and what it leaves to others";
        problems.push(Problem::at(&text.path, 1, what));
    }
    for (index, line) in text.content.lines().enumerate() {
        let mut add = |found: Option<&str>, what: &str| {
            let problem = |found| Problem::at(&text.path, index + 1, format!("`{found}` {what}"));
            problems.extend(found.map(problem));
        };
        if is_rust {
            let what = "is unfinished work: finish it or open an issue";
            add(find(line, &UNFINISHED_WORDS, is_word), what);
            add(find(line, &UNFINISHED_CALLS, anywhere), what);
        }
        let what = "is a path of one machine: take it from the environment";
        add(find(line, &MACHINE_PATHS, is_absolute), what);
        let what = "is a registry's host: leave it to the machine's settings";
        add(find(line, &REGISTRY_HOSTS, anywhere), what);
        if is_cargo {
            let line = line.replace(PUBLIC_INDEX, "");
            let what = "chooses a registry: leave it to the machine's settings";
            add(find(&line, &REGISTRY_SETTINGS, anywhere), what);
        }
    }
    problems
}

/// The first needle that stands in the line with fitting text before and behind it.
fn find<'a>(line: &str, needles: &[&'a str], fits: fn(&str, &str) -> bool) -> Option<&'a str> {
    needles.iter().copied().find(|needle| {
        line.match_indices(needle).any(|(at, _)| fits(&line[..at], &line[at + needle.len()..]))
    })
}

fn anywhere(_before: &str, _behind: &str) -> bool {
    true
}

fn is_word(before: &str, behind: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    !before.ends_with(is_letter) && !behind.starts_with(is_letter)
}

/// Not so in `docs/PATH`, `./PATH`, `{folder}/PATH` or an address.
fn is_absolute(before: &str, _behind: &str) -> bool {
    !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '}' | ')'))
}

#[cfg(test)]
mod tests {
    use super::{MACHINE_PATHS, PUBLIC_INDEX, REGISTRY_HOSTS, REGISTRY_SETTINGS};
    use super::{UNFINISHED_CALLS, UNFINISHED_WORDS};
    use crate::tidy::assert_problems;
    use crate::tidy::tree::Tree;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        assert_problems(&super::check(&Tree::sample(&[], &[(path, text)])), expected);
    }

    #[test]
    fn a_source_opens_with_its_purpose() {
        check("tests/rules.rs", "//! Tests.", &[]);
        check("tests/rules.rs", "// Tests.", &["tests/rules.rs:1: does not open"]);
        check("tests/rules.rs", "", &["tests/rules.rs:1: does not open"]);
        check("README.md", "# Parlor", &[]);
    }

    #[test]
    fn unfinished_work_is_found_in_sources() {
        for mark in [&UNFINISHED_WORDS[..], &UNFINISHED_CALLS].concat() {
            for text in [format!("//! A.\n// {mark}"), format!("//! A.\n{mark}\"x\")")] {
                check("a.rs", &text, &[&format!("a.rs:2: `{mark}`")]);
                check("a.md", &text, &[]);
            }
        }
        check("a.rs", &format!("//! Not {}I.", UNFINISHED_WORDS[2]), &[]);
        let call = UNFINISHED_CALLS[0];
        check("a.rs", &format!("//! A.\n{call}x)"), &["a.rs:2: "]);
    }

    #[test]
    fn a_path_of_one_machine_is_found_anywhere() {
        for path in MACHINE_PATHS {
            check("a.md", &format!("see {path}x"), &[&format!("a.md:1: `{path}`")]);
            check("a.md", &format!("see file://{path}x"), &["a.md:1: "]);
            check("a.md", &format!("see docs{path}x, .{path}x, https://parlor.example{path}"), &[]);
        }
    }

    #[test]
    fn a_registry_is_named_nowhere() {
        for host in REGISTRY_HOSTS {
            check("a.yml", &format!("url: https://{host}/"), &[&format!("a.yml:1: `{host}`")]);
        }
        for setting in REGISTRY_SETTINGS {
            check(".cargo/config.toml", setting, &[".cargo/config.toml:1: "]);
            check("a.rs", &format!("//! {setting}"), &[]);
        }
        check("Cargo.lock", &format!("source = \"{PUBLIC_INDEX}\""), &[]);
        check("Cargo.lock", &PUBLIC_INDEX.replace("github.com", "mirror"), &["Cargo.lock:1: "]);
    }
}
