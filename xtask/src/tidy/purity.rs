//! Which chain of dependencies leads a crate to I/O, async or SQL.
//!
//! Follows normal dependencies as resolved for the whole workspace, so a feature that any crate
//! switches on counts for all. Which crates must be pure is said in `layers`.

use std::collections::{BTreeSet, VecDeque};

use super::workspace::Workspace;

const IMPURE: [&str; 10] = [
    "async-std",
    "axum",
    "hyper",
    "libsqlite3-sys",
    "mio",
    "reqwest",
    "rusqlite",
    "sqlx",
    "tokio",
    "tower",
];

/// The shortest chains of names by normal dependencies; none goes on behind an impure crate.
pub(crate) fn ways_to_impure<'a>(workspace: &'a Workspace, id: &'a str) -> Vec<Vec<&'a str>> {
    let name_of = |id: &'a str| workspace.packages.get(id).map_or(id, |package| &package.name);
    let mut seen = BTreeSet::from([id]);
    let mut queue = VecDeque::from([(id, vec![name_of(id)])]);
    let mut found = Vec::new();
    while let Some((id, way)) = queue.pop_front() {
        for next in workspace.normal.get(id).into_iter().flatten() {
            if !seen.insert(next) {
                continue;
            }
            let longer = [way.as_slice(), &[name_of(next)]].concat();
            if IMPURE.contains(&name_of(next)) {
                found.push(longer);
            } else {
                queue.push_back((next, longer));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::ways_to_impure;
    use crate::tidy::workspace::Workspace;

    #[track_caller]
    fn check(edges: &[(&str, &str)], expected: &[&str]) {
        let mut workspace = Workspace::default();
        for (from, to) in edges {
            let known = workspace.normal.entry((*from).to_owned()).or_default();
            known.push((*to).to_owned());
        }
        let ways = ways_to_impure(&workspace, "play");
        let shown: Vec<String> = ways.iter().map(|way| way.join(" ")).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn the_shortest_chain_is_shown_and_ends_at_the_impure_crate() {
        check(&[("play", "serde"), ("cli", "tokio")], &[]);
        check(
            &[("play", "a"), ("a", "b"), ("b", "tokio"), ("play", "b"), ("tokio", "mio")],
            &["play b tokio"],
        );
        check(&[("play", "sqlx"), ("play", "axum")], &["play sqlx", "play axum"]);
        check(&[("play", "a"), ("a", "play")], &[]);
    }
}
