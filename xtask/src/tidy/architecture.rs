//! `ARCHITECTURE.md` names exactly the crates that exist.
//!
//! The form: in each table whose first column is headed `crate`, the first cell of a row is the crate's
//! folder as inline code, nothing else: ``| `crates/game-api` | … |``. Other tables are free.

use std::collections::BTreeSet;

use super::tree::Tree;
use super::{Problem, markdown};

const PATH: &str = "ARCHITECTURE.md";

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let text = tree.text(PATH).unwrap_or_default();
    let members = tree.workspace.members.iter();
    let folders: BTreeSet<&str> = members.map(|member| member.folder.as_str()).collect();
    let mut tables = markdown::tables(text);
    tables.retain(|table| table.header.cells[0] == "crate");
    let mut named = BTreeSet::new();
    let mut problems = Vec::new();
    for row in tables.iter().flat_map(|table| &table.rows) {
        let codes = markdown::codes(row.cells[0]).unwrap_or_default();
        let what = match codes[..] {
            [folder] if !folders.contains(folder) => {
                format!("`{folder}` is no crate of the workspace: remove the row")
            }
            [folder] if !named.insert(folder) => {
                format!("`{folder}` has a row already: remove one")
            }
            [_] => continue,
            _ => "the first cell is not one folder in backticks: write it so".to_owned(),
        };
        problems.push(Problem::at(PATH, row.line, what));
    }
    problems.extend(folders.difference(&named).map(|folder| {
        let what = format!("`{folder}` is missing: add a row to the table headed `crate`");
        Problem::of_file(PATH, what)
    }));
    problems
}

#[cfg(test)]
mod tests {
    use crate::tidy::assert_problems;
    use crate::tidy::tree::Tree;

    #[track_caller]
    fn check(rows: &str, expected: &[&str]) {
        let text = format!("| part | of |\n|-|-|\n| `any` | |\n\n| crate | rule |\n|-|-|\n{rows}");
        let tree = Tree::sample(&["crates/play", "xtask"], &[("ARCHITECTURE.md", &text)]);
        assert_problems(&super::check(&tree), expected);
    }

    #[test]
    fn the_map_names_each_crate_once_and_no_other() {
        check("| `crates/play` | no I/O |\n| `xtask` | |", &[]);
        check("| `xtask` | |", &["ARCHITECTURE.md: `crates/play` is missing"]);
        check(
            "| `crates/play` | |\n| `xtask` | |\n| `crates/gone` | |\n| `xtask` | |\n| xtask | |",
            &[
                "ARCHITECTURE.md:9: `crates/gone` is no crate",
                "ARCHITECTURE.md:10: `xtask` has a row already",
                "ARCHITECTURE.md:11: the first cell is not one folder",
            ],
        );
    }
}
