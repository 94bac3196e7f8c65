//! Every package we build on, also for tests, may be used under a licence we accept.
//!
//! Reads the SPDX expressions of `cargo metadata`; licence texts are not read.

use super::Problem;
use super::tree::Tree;

/// Permissive ones, and MPL-2.0, which asks only for changes to its own files: the browser tests speak
/// by such a crate, unchanged. The GPL family never enters.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let packages = tree.workspace.packages.values();
    packages
        .filter_map(|package| {
            let what = refusal(package.license.as_deref())?;
            let (name, version) = (&package.name, &package.version);
            Some(Problem::of_file("Cargo.lock", format!("{name} {version} {what}: replace it")))
        })
        .collect()
}

fn refusal(licence: Option<&str>) -> Option<String> {
    let Some(licence) = licence else {
        return Some("names no licence".to_owned());
    };
    match is_acceptable(licence) {
        Some(true) => None,
        Some(false) => Some(format!("is under `{licence}`, which no allowed licence satisfies")),
        None => Some(format!("has the unreadable licence `{licence}`")),
    }
}

/// Whether allowed licences satisfy the expression; `None` if it is malformed.
fn is_acceptable(expression: &str) -> Option<bool> {
    // Before SPDX expressions, `MIT/Apache-2.0` meant a choice.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words: Vec<&str> = spaced.split_whitespace().rev().collect();
    let value = any(&mut words)?;
    words.is_empty().then_some(value)
}

/// `all OR all …`; the words are a stack, the first one on top.
fn any(words: &mut Vec<&str>) -> Option<bool> {
    let mut value = all(words)?;
    while words.pop_if(|word| *word == "OR").is_some() {
        value |= all(words)?;
    }
    Some(value)
}

/// `one AND one …`, which binds tighter than `OR`.
fn all(words: &mut Vec<&str>) -> Option<bool> {
    let mut value = one(words)?;
    while words.pop_if(|word| *word == "AND").is_some() {
        value &= one(words)?;
    }
    Some(value)
}

/// `( any )`, `ID` or `ID WITH EXCEPTION`.
fn one(words: &mut Vec<&str>) -> Option<bool> {
    match words.pop()? {
        "(" => {
            let value = any(words)?;
            words.pop_if(|word| *word == ")").map(|_| value)
        }
        ")" | "OR" | "AND" | "WITH" => None,
        id if words.pop_if(|word| *word == "WITH").is_some() => {
            let exception = words.pop()?;
            Some(ALLOWED.contains(&format!("{id} WITH {exception}").as_str()))
        }
        id => Some(ALLOWED.contains(&id)),
    }
}

#[cfg(test)]
mod tests {
    use super::{ALLOWED, is_acceptable, refusal};
    use crate::tidy::assert_problems;
    use crate::tidy::tree::Tree;

    #[test]
    fn a_choice_needs_one_allowed_licence_and_a_sum_all() {
        let check = |expression, expected| {
            assert_eq!(is_acceptable(expression), expected, "{expression:?}");
        };
        check("MIT", Some(true));
        check("MIT OR Apache-2.0", Some(true));
        check("MIT/Apache-2.0", Some(true));
        check("GPL-3.0-only OR MIT", Some(true));
        check("GPL-3.0-only", Some(false));
        check("GPL-2.0-only WITH Classpath-exception-2.0", Some(false));
        check("MIT AND LGPL-3.0", Some(false));
        check("MIT OR Zlib AND GPL-3.0-only", Some(true));
        check("(MIT OR Zlib) AND GPL-3.0-only", Some(false));
        check("(MIT OR LGPL-3.0-only) AND Unicode-3.0", Some(true));
        check("Apache-2.0 WITH LLVM-exception OR GPL-3.0-only", Some(true));
        check("MIT WITH LLVM-exception", Some(false));
    }

    #[test]
    fn a_malformed_licence_is_refused() {
        for licence in ["", "MIT OR", "(MIT", "MIT Zlib", "OR MIT", "MIT)", "Apache-2.0 WITH"] {
            assert_eq!(is_acceptable(licence), None, "{licence:?}");
            assert!(refusal(Some(licence)).is_some(), "{licence:?}");
        }
    }

    #[test]
    fn every_package_is_looked_at() {
        let mut tree = Tree::sample(&["crates/play", "xtask"], &[]);
        assert_problems(&super::check(&tree), &[]);
        for package in tree.workspace.packages.values_mut() {
            package.license = None;
        }
        assert_problems(
            &super::check(&tree),
            &["Cargo.lock: play 0.1.0 names no", "Cargo.lock: xtask 0.1.0"],
        );
    }

    #[test]
    fn no_copyleft_is_allowed() {
        assert!(!ALLOWED.iter().any(|licence| licence.contains("GPL")));
    }
}
