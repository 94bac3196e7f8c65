//! Which crate may know which: one table, held against `cargo metadata`.
//!
//! Judges declared dependencies, so that a feature or a target hides none; what a pure crate reaches
//! is found by [`purity`].

use super::tree::Tree;
use super::workspace::{Dependency, Kind, Member, Workspace};
use super::{Problem, purity};

struct Row {
    /// A package's name, or with a `/` a folder, in which `*` is any one name.
    crates: &'static str,
    /// The workspace's crates it may use.
    uses: &'static [&'static str],
    /// Those it may use in tests and examples beyond these.
    dev: &'static [&'static str],
    /// The foreign crates it may use outside tests; `ANY` if its row does not care.
    foreign: Option<&'static [&'static str]>,
    /// Whether it does without I/O, async and SQL, also through others.
    is_pure: bool,
}

const ANY: Option<&[&str]> = None;
const SERVER: &[&str] = &[
    "audit",
    "bots",
    "catalog",
    "domain",
    "game-api",
    "identity",
    "play",
    "protocol",
    "storage",
    "storage-postgres",
    "storage-sqlite",
];
const LEAVES: Option<&[&str]> = Some(&["cozy-chess", "serde", "serde_json", "thiserror"]);
const WORDS: Option<&[&str]> = Some(&["sha2", "thiserror"]);

// Only `catalog` names a game; the testkit tries itself on the template, and the simulator plays it.
// Word lists are no game: a chore makes one, and a command asks it.
#[rustfmt::skip]
const LAYERS: &[Row] = &[
    Row { crates: "game-api",     uses: &[],                      dev: &[],                 foreign: ANY,    is_pure: true },
    Row { crates: "game-testkit", uses: &["game-api"],            dev: &["games/template"], foreign: ANY,    is_pure: true },
    Row { crates: "bots",         uses: &["game-api"],            dev: &["games/template"], foreign: ANY,    is_pure: true },
    Row { crates: "games/*",      uses: &["bots", "game-api", "games/*/words"], dev: &["game-testkit"], foreign: LEAVES, is_pure: true },
    Row { crates: "games/*/words", uses: &[],                     dev: &[],                 foreign: WORDS,  is_pure: true },
    Row { crates: "catalog",      uses: &["bots", "game-api", "games/*"], dev: &["game-testkit"],   foreign: ANY,    is_pure: true },
    Row { crates: "domain",       uses: &[],                      dev: &[],                 foreign: ANY,    is_pure: true },
    Row { crates: "audit",        uses: &["domain"],              dev: &[],                 foreign: ANY,    is_pure: true },
    Row { crates: "storage",      uses: &["audit", "domain", "game-api"], dev: &["storage"], foreign: ANY,   is_pure: true },
    Row { crates: "storage-postgres", uses: &["audit", "domain", "game-api", "storage"], dev: &["pg-cluster", "storage-postgres"], foreign: ANY, is_pure: false },
    Row { crates: "pg-cluster",   uses: &[],                      dev: &[],                 foreign: ANY,    is_pure: false },
    Row { crates: "storage-sqlite", uses: &["audit", "domain", "game-api", "storage"], dev: &[], foreign: ANY, is_pure: false },
    Row { crates: "identity",     uses: &["domain", "audit", "storage"], dev: &[],          foreign: ANY,    is_pure: false },
    Row { crates: "protocol",     uses: &["domain", "game-api"],  dev: &[],                 foreign: ANY,    is_pure: true },
    Row { crates: "play",         uses: &["domain", "game-api", "protocol"], dev: &["catalog", "games/template"], foreign: ANY, is_pure: true },
    Row { crates: "simulator",    uses: &["catalog", "domain", "game-api", "games/template", "play", "protocol", "storage"], dev: &[], foreign: ANY, is_pure: true },
    Row { crates: "client-core",  uses: &["domain", "game-api", "protocol"], dev: &[],     foreign: ANY,    is_pure: true },
    Row { crates: "rulebook",     uses: &["bots", "catalog", "client-core", "game-api", "protocol"], dev: &[], foreign: ANY, is_pure: true },
    Row { crates: "board-kit",    uses: &["client-core"],         dev: &[],                 foreign: ANY,    is_pure: false },
    Row { crates: "games/*/ui",   uses: &["board-kit", "games/*"], dev: &[],                foreign: ANY,    is_pure: false },
    Row { crates: "client",       uses: &["board-kit", "games/*/ui", "client-core", "domain", "game-api", "protocol"], dev: &[], foreign: ANY, is_pure: false },
    Row { crates: "server",       uses: SERVER,                   dev: &["games/*", "pg-cluster"], foreign: ANY, is_pure: false },
    Row { crates: "cli",          uses: &["audit", "bots", "catalog", "domain", "game-api", "games/*/words", "server", "storage"], dev: &["pg-cluster", "protocol", "storage-postgres", "storage-sqlite"], foreign: ANY, is_pure: false },
    Row { crates: "browser-tests", uses: &["pg-cluster"],         dev: &["domain", "storage", "storage-sqlite"], foreign: ANY, is_pure: false },
    Row { crates: "xtask",        uses: &["games/*/words", "pg-cluster"], dev: &[],         foreign: ANY,    is_pure: false },
];

const SQL: [&str; 3] = ["libsqlite3-sys", "rusqlite", "sqlx"];

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    check_table(LAYERS, &tree.workspace)
}

fn check_table(table: &[Row], workspace: &Workspace) -> Vec<Problem> {
    let mut problems = Vec::new();
    for member in &workspace.members {
        let path = member.path("Cargo.toml");
        let row = table.iter().find(|row| is_match(row.crates, member));
        if row.is_none() {
            let what = "stands in no layer: add a row to LAYERS";
            problems.push(Problem::of_file(&path, what));
        }
        for dependency in &member.package.dependencies {
            let by_row = || refusal(row?, dependency, workspace);
            if let Some(what) = sql_refusal(member, dependency).or_else(by_row) {
                let line = line_of(&member.manifest, &dependency.name);
                let path = path.clone();
                problems.push(Problem { path, line, what });
            }
        }
        if row.is_some_and(|row| row.is_pure) {
            let ways = purity::ways_to_impure(workspace, &member.package.id);
            problems.extend(ways.iter().map(|way| {
                let what = format!("is pure, but reaches {}: cut this chain", way.join(" -> "));
                Problem::of_file(&path, what)
            }));
        }
    }
    for row in table.iter().filter(|row| !row.crates.contains('*')) {
        if !workspace.members.iter().any(|it| is_match(row.crates, it)) {
            let what = format!("has no crate `{}`: remove its row from LAYERS", row.crates);
            problems.push(Problem::of_file("Cargo.toml", what));
        }
    }
    problems
}

fn is_match(pattern: &str, member: &Member) -> bool {
    if !pattern.contains('/') {
        return pattern == member.package.name;
    }
    let (wanted, found) = (pattern.split('/'), member.folder.split('/'));
    wanted.clone().count() == found.clone().count()
        && wanted.zip(found).all(|(wanted, found)| wanted == "*" || wanted == found)
}

fn sql_refusal(member: &Member, on: &Dependency) -> Option<String> {
    let name = on.name.as_str();
    let is_fine = !SQL.contains(&name) || member.package.name.starts_with("storage-");
    (!is_fine).then(|| format!("may not use `{name}`: only `storage-*` know SQL"))
}

fn refusal(row: &Row, on: &Dependency, workspace: &Workspace) -> Option<String> {
    let name = on.name.as_str();
    let is_dev = on.kind == Some(Kind::Dev);
    let mut members = workspace.members.iter().filter(|_| on.path.is_some());
    if let Some(own) = members.find(|member| member.package.name == name) {
        let may_use = |patterns: &[&str]| patterns.iter().any(|pattern| is_match(pattern, own));
        let is_fine = may_use(row.uses) || is_dev && may_use(row.dev);
        return (!is_fine).then(|| format!("may not use `{name}`: its row in LAYERS lacks it"));
    }
    let may_use = |allowed: &[&str]| allowed.contains(&name);
    let is_fine = is_dev || row.foreign.is_none_or(may_use);
    (!is_fine).then(|| format!("may not use `{name}`: no foreign crate of its row in LAYERS"))
}

fn line_of(manifest: &str, dependency: &str) -> Option<usize> {
    let is_it = |line: &str| {
        line.strip_prefix(dependency).is_some_and(|rest| rest.starts_with([' ', '.', '=']))
    };
    manifest.lines().position(is_it).map(|index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::{ANY, LAYERS, Row, check_table};
    use crate::tidy::assert_problems;
    use crate::tidy::workspace::{Dependency, Kind, Workspace};

    /// A crate for each row, and the game `go`, with edges such as `go serde`, `cli dev go`.
    fn workspace(edges: &[&str]) -> Workspace {
        let named = LAYERS.iter().filter(|row| !row.crates.contains('*'));
        let mut folders: Vec<&str> = named.map(|row| row.crates).collect();
        folders.push("games/go");
        let mut workspace = Workspace::sample(&folders);
        for edge in edges {
            let (from, on) = edge.split_once(' ').unwrap_or_default();
            let (kind, name) = match on.split_once(' ') {
                Some(("dev", name)) => (Some(Kind::Dev), name),
                Some((_, name)) => (Some(Kind::Build), name),
                None => (None, on),
            };
            let path = folders.iter().find(|it| it.ends_with(name)).map(Into::into);
            let dependency = Dependency { name: name.to_owned(), kind, path };
            let mut members = workspace.members.iter_mut();
            if let Some(member) = members.find(|it| it.package.name == from) {
                member.package.dependencies.push(dependency);
            }
            if kind.is_none() {
                workspace.normal.insert(from.to_owned(), vec![name.to_owned()]);
            }
        }
        workspace
    }

    #[track_caller]
    fn check(edges: &[&str], expected: &[&str]) {
        assert_problems(&check_table(LAYERS, &workspace(edges)), expected);
    }

    #[test]
    fn the_table_is_kept() {
        check(&["go game-api", "go serde", "catalog go"], &[]);
        check(&["go dev game-testkit", "go dev proptest"], &[]);
        check(&["cli go"], &["cli/Cargo.toml: may not use `go`"]);
        check(&["cli dev go"], &["cli/Cargo.toml: may not use `go`"]);
        check(&["game-api catalog"], &["game-api/Cargo.toml: may not use"]);
        check(&["go game-testkit"], &["games/go/Cargo.toml: may not use"]);
        check(&["go build rand"], &["games/go/Cargo.toml: may not use"]);
        check(&["cli rusqlite"], &["cli/Cargo.toml: may not use"]);
    }

    #[test]
    fn only_a_pure_crate_keeps_away_from_async() {
        check(&["cli tokio", "game-api dev tokio"], &[]);
        check(
            &["game-api bytes", "bytes tokio"],
            &["game-api/Cargo.toml: is pure, but reaches game-api -> bytes -> tokio"],
        );
    }

    #[test]
    fn rows_and_crates_match() {
        let row = |crates| Row { crates, uses: &[], dev: &[], foreign: ANY, is_pure: false };
        let check = |crates: &[&'static str], folders: &[&str], expected: &[&str]| {
            let table: Vec<Row> = crates.iter().copied().map(row).collect();
            assert_problems(&check_table(&table, &Workspace::sample(folders)), expected);
        };
        check(&["games/*", "games/*/ui"], &["games/go"], &[]);
        check(&["games/*"], &["games/go/ui"], &["games/go/ui/Cargo.toml: stands in no layer"]);
        check(&["play"], &[], &["Cargo.toml: has no crate `play`"]);
    }
}
