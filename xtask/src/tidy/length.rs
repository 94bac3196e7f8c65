//! Lists files and functions that are long enough to need a reason. A listing, not a check: quotas
//! make worse code.

use super::Problem;
use super::tree::Tree;

const FILE_LINES: usize = 500;
const FUNCTION_LINES: usize = 70;

pub(crate) fn listing(tree: &Tree) -> Vec<Problem> {
    let mut long = Vec::new();
    for source in &tree.sources {
        if source.lines > FILE_LINES {
            long.push(Problem::of_file(&source.path, format!("long: {} lines", source.lines)));
        }
        let functions = source.functions.iter().filter(|it| it.lines > FUNCTION_LINES);
        long.extend(functions.map(|it| {
            Problem::at(&source.path, it.line, format!("long: `{}`, {} lines", it.name, it.lines))
        }));
    }
    long
}

#[cfg(test)]
mod tests {
    use crate::tidy::assert_problems;
    use crate::tidy::tree::Tree;

    #[track_caller]
    fn check(function_lines: usize, file_lines: usize, expected: &[&str]) {
        let body = "\n".repeat(function_lines - 1);
        let rest = "\n".repeat(file_lines - function_lines);
        let text = format!("//! Sample.\nfn play() {{{body}}}{rest}");
        let tree = Tree::sample(&[], &[("src/lib.rs", &text)]);
        assert_problems(&super::listing(&tree), expected);
    }

    #[test]
    fn only_what_is_over_the_bound_is_listed() {
        check(70, 500, &[]);
        check(71, 500, &["src/lib.rs:2: long: `play`, 71 lines"]);
        check(70, 501, &["src/lib.rs: long: 501 lines"]);
    }
}
