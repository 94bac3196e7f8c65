//! `docs/contracts.md` ties each operation of the source documents to code and to a test that exist.
//!
//! The form: every table is headed `| operation | item | test | note |`, and in a row
//! - *operation* is not empty;
//! - *item* is one or more paths in backticks, with commas between. The first segment is a crate of
//!   the workspace. One more names an item anywhere in its `src/` (`game_api::Seat`); of two or more
//!   the last two count: an item and its type, enum, trait or module (`game_api::Match::act`);
//! - *test* is one or more names of `#[test]` functions, or cases of a contract suite, likewise, anywhere
//!   in the workspace, or
//!   `crate_name::test_name`. `name!` stands for the tests which that macro of ours writes, called in
//!   a crate of the row's items (`name!`) or in the named one (`crate_name::name!`). Or it is the words
//!   `by type`: no test can fail, and the note says why.

use super::Problem;
use super::markdown::{self, Row};
use super::source::Source;
use super::tree::Tree;

const PATH: &str = "docs/contracts.md";
const HEADER: [&str; 4] = ["operation", "item", "test", "note"];

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let tables = markdown::tables(tree.text(PATH).unwrap_or_default());
    if tables.is_empty() {
        let what = "has no table: write one row an operation";
        return vec![Problem::of_file(PATH, what)];
    }
    let mut problems = Vec::new();
    for table in tables {
        if table.header.cells != HEADER {
            let what = format!("head the table `| {} |`", HEADER.join(" | "));
            problems.push(Problem::at(PATH, table.header.line, what));
            continue;
        }
        for row in table.rows {
            let refusals = refusals(tree, &row).into_iter();
            problems.extend(refusals.map(|what| Problem::at(PATH, row.line, what)));
        }
    }
    problems
}

fn refusals(tree: &Tree, row: &Row) -> Vec<String> {
    let [operation, item, test, note] = row.cells[..] else {
        return vec![format!("the row has {} cells: write four", row.cells.len())];
    };
    let mut refusals = Vec::new();
    if operation.is_empty() {
        refusals.push("the row names no operation: name it".to_owned());
    }
    let items = markdown::codes(item).unwrap_or_default();
    if items.is_empty() {
        refusals.push("the item is unreadable: write paths in backticks, with commas".to_owned());
    }
    refusals.extend(items.iter().filter_map(|path| item_refusal(tree, path)));

    let tests = markdown::codes(test).unwrap_or_default();
    if test == "by type" && note.is_empty() {
        refusals.push("`by type` has no reason: say it in the note".to_owned());
    }
    if test != "by type" && tests.is_empty() {
        refusals.push("the test is unreadable: write names in backticks, or by type".to_owned());
    }
    let libs: Vec<&str> = items.iter().map(|path| first_segment(path)).collect();
    refusals.extend(tests.iter().filter_map(|name| test_refusal(tree, &libs, name)));
    refusals
}

fn first_segment(path: &str) -> &str {
    path.split_once("::").map_or(path, |(first, _)| first)
}

fn item_refusal(tree: &Tree, path: &str) -> Option<String> {
    let lib = first_segment(path);
    let Some(member) = tree.workspace.member(lib) else {
        return Some(format!("`{path}`: there is no crate `{lib}`: name one that exists"));
    };
    let inner: Vec<&str> = path.split("::").skip(1).collect();
    let key = inner[inner.len().saturating_sub(2)..].join("::");
    let src = member.path("src");
    let mut sources = tree.sources_under(&src);
    let is_found = sources.any(|source| source.items.contains(&key));
    (!is_found).then(|| format!("`{path}`: there is no `{key}` in {src}: name what exists"))
}

/// `libs` are the crates of the row's items.
fn test_refusal(tree: &Tree, libs: &[&str], path: &str) -> Option<String> {
    let (lib, name) = match path.split_once("::") {
        Some((lib, name)) => (Some(lib), name),
        None => (None, path),
    };
    let is_in = |source: &Source, libs: &[&str]| {
        let owner = tree.workspace.owner(&source.path);
        owner.is_some_and(|owner| libs.contains(&owner.lib.as_str()))
    };
    let mut sources = tree.sources.iter();
    let is_found = if let Some(name) = name.strip_suffix('!') {
        let libs = lib.as_ref().map_or(libs, std::slice::from_ref);
        sources.clone().any(|source| source.test_macros.contains(name))
            && sources.any(|source| source.calls.contains(name) && is_in(source, libs))
    } else {
        sources.any(|source| {
            source.tests.iter().any(|test| test.name == name)
                && lib.is_none_or(|lib| is_in(source, &[lib]))
        })
    };
    let is_missing = !is_found;
    is_missing.then(|| match name.strip_suffix('!') {
        Some(_) => format!("`{path}` writes no test there: call it, or name another"),
        None => format!("there is no test `{path}`: name one that exists"),
    })
}

#[cfg(test)]
mod tests {
    use crate::tidy::assert_problems;
    use crate::tidy::tree::Tree;

    const FILES: [(&str, &str); 4] = [
        ("crates/kit/src/lib.rs", "macro_rules! laws { () => { #[test] fn law() {} } }"),
        ("games/go-moku/src/lib.rs", "pub struct Board; impl Board { pub fn put() {} }"),
        ("games/go-moku/src/line.rs", "pub fn five() {}"),
        ("games/go-moku/tests/rules.rs", "#[test] fn five_win() {} kit::laws!(); list!();"),
    ];

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let files = [&FILES[..], &[("docs/contracts.md", text)]].concat();
        let tree = Tree::sample(&["crates/kit", "games/go-moku"], &files);
        assert_problems(&super::check(&tree), expected);
    }

    /// An empty text stands for: no problem.
    #[track_caller]
    fn check_row(row: &str, expected: &str) {
        let text = format!("| operation | item | test | note |\n|-|-|-|-|\n{row}");
        let start = format!("docs/contracts.md:3: {expected}");
        let expected: &[&str] = if expected.is_empty() { &[] } else { &[&start] };
        check(&text, expected);
    }

    #[track_caller]
    fn check_item(item: &str, expected: &str) {
        check_row(&format!("| put | {item} | `five_win` | |"), expected);
    }

    #[track_caller]
    fn check_test(item: &str, test: &str, expected: &str) {
        check_row(&format!("| put | {item} | {test} | |"), expected);
    }

    #[test]
    fn an_item_is_found_by_its_last_two_segments() {
        check_item("`go_moku::Board`, `go_moku::Board::put`", "");
        check_item("`go_moku::five`, `go_moku::line::five`", "");
        check_item("`go_moku::Board::five`", "`go_moku::Board::five`: there is no");
        check_item("`go_moku::put`", "`go_moku::put`: there is no `put` in games/");
        check_item("`go_moku`", "`go_moku`: there is no ``");
        check_item("`chess::five`", "`chess::five`: there is no crate `chess`");
        check_item("five", "the item is unreadable");
    }

    #[test]
    fn a_test_is_a_function_or_a_macro_that_writes_some() {
        check_test("`go_moku::five`", "`go_moku::five_win`, `laws!`", "");
        check_test("`kit::laws`", "`go_moku::laws!`", "");
        check_test("`kit::laws`", "`laws!`", "`laws!` writes no test there");
        check_test("`go_moku::five`", "`list!`", "`list!` writes no test");
        check_test("`go_moku::five`", "`kit::five_win`", "there is no test `kit::");
        check_test("`go_moku::five`", "", "the test is unreadable");
    }

    #[test]
    fn a_row_is_complete() {
        check_row("| new | `go_moku::Board` | by type | It exists. |", "");
        check_row("| new | `go_moku::Board` | by type | |", "`by type` has no");
        check_row("| | `go_moku::Board` | `five_win` | |", "the row names no");
        check_row("| new | `go_moku::Board` | by type |", "the row has 3 cells");
    }

    #[test]
    fn every_table_has_the_header() {
        check("| operation |\n|-|", &["docs/contracts.md:1: head the table"]);
        check("None yet.", &["docs/contracts.md: has no table"]);
    }
}
