//! Every numbered rule of a game has a test that carries its number, and every such test a rule.
//!
//! The form of `games/NAME/RULES.md`, and no other:
//! - `## R3 Playing` (or deeper) heads a group; it needs a test only if there is no `R3.…`;
//! - `**R3.2** A ten is always playable.`, at the start of a line or of a `- ` list entry, states a
//!   rule and needs a test.
//!
//! The tests of `R3.2` are the `#[test]` functions in the game's `src/` and `tests/` whose names start
//! with `r3_2_`. The words behind must not start with a number, which would be read as `R3.2.1`.

use std::collections::BTreeSet;

use super::tree::Tree;
use super::workspace::Member;
use super::{Problem, markdown};

struct Rule<'a> {
    number: &'a str,
    line: usize,
    is_heading: bool,
}

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    let members = tree.workspace.members.iter();
    let games = members.filter(|member| member.is_game());
    games.flat_map(|game| check_game(tree, game)).collect()
}

fn check_game(tree: &Tree, game: &Member) -> Vec<Problem> {
    let path = game.path("RULES.md");
    let Some(text) = tree.text(&path) else {
        let what = "is missing: write the rules that players read";
        return vec![Problem::of_file(&path, what)];
    };
    let mut problems = Vec::new();
    let rules = read(&path, text, &mut problems);
    let mut tested = BTreeSet::new();
    let (src, tests) = (game.path("src"), game.path("tests"));
    for source in tree.sources_under(&src).chain(tree.sources_under(&tests)) {
        for test in &source.tests {
            let Some(number) = number_of(&test.name) else {
                continue;
            };
            if !rules.iter().any(|rule| rule.number == number) {
                let what = format!("tests R{number}, which {path} does not have: rename it");
                let what = format!("`{}` {what}", test.name);
                problems.push(Problem::at(&source.path, test.line, what));
            }
            tested.insert(number);
        }
    }
    for Rule { number, line, is_heading } in &rules {
        let is_group = *is_heading && rules.iter().any(|rule| is_below(rule.number, number));
        if !is_group && !tested.contains(*number) {
            let name = number.replace('.', "_");
            let what = format!("R{number} has no test: write `fn r{name}_…` with `#[test]`");
            problems.push(Problem::at(&path, *line, what));
        }
    }
    problems
}

fn read<'a>(path: &str, text: &'a str, problems: &mut Vec<Problem>) -> Vec<Rule<'a>> {
    let mut rules: Vec<Rule> = Vec::new();
    for (line, content) in markdown::lines(text).filter(|(_, content)| has_number(content)) {
        let Some(rule) = parse(line, content) else {
            let what = "a rule is written `- **R3.2** …`, a group `## R3 Title`: write it so";
            problems.push(Problem::at(path, line, what));
            continue;
        };
        if let Some(first) = rules.iter().find(|first| first.number == rule.number) {
            let what = format!("R{} is also on line {}: renumber one", rule.number, first.line);
            problems.push(Problem::at(path, line, what));
        } else {
            rules.push(rule);
        }
    }
    rules
}

fn is_below(number: &str, group: &str) -> bool {
    number.strip_prefix(group).is_some_and(|rest| rest.starts_with('.'))
}

/// Whether a line is meant as a numbered rule, in whatever form.
fn has_number(line: &str) -> bool {
    let bare = line.trim_start_matches(['#', '-', '*', '+', '_', '>', ' ']);
    bare.strip_prefix('R').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn parse(line: usize, content: &str) -> Option<Rule<'_>> {
    let is_heading = content.starts_with("##");
    let (number, words) = if is_heading {
        let title = content.trim_start_matches('#').strip_prefix(" R")?;
        title.split_once(' ')?
    } else {
        let entry = content.strip_prefix("- ").unwrap_or(content);
        entry.strip_prefix("**R")?.split_once("** ")?
    };
    let is_rule = number.split('.').all(is_digits) && !words.trim().is_empty();
    is_rule.then_some(Rule { number, line, is_heading })
}

/// `3.2` of `r3_2_a_ten_is_always_playable`; `None` if the name carries no number or no words.
fn number_of(test: &str) -> Option<String> {
    let parts: Vec<&str> = test.strip_prefix('r')?.split('_').collect();
    let digits = parts.iter().take_while(|part| is_digits(part)).count();
    (0 < digits && digits < parts.len()).then(|| parts[..digits].join("."))
}

fn is_digits(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use crate::tidy::assert_problems;
    use crate::tidy::tree::Tree;

    #[track_caller]
    fn check(rules: &str, tests: &[&str], expected: &[&str]) {
        let write = |name: &&str| format!("#[test] fn {name}() {{}}\n");
        let tests = tests.iter().map(write).collect::<Vec<_>>().concat();
        let files = [("games/go/RULES.md", rules), ("games/go/tests/rules.rs", &tests)];
        let tree = Tree::sample(&["games/go"], &files);
        assert_problems(&super::check(&tree), expected);
    }

    #[test]
    fn every_rule_has_a_test() {
        let rules =
            "# Go\n## R1 Seats\n## R2 Play\n- **R2.1** Black begins.\n**R2.12** White next.";
        check(rules, &["r1_two", "r2_1_black_begins", "r2_12_white_next"], &[]);
        check(
            rules,
            &["r2_12_white_next", "r2_1"],
            &["games/go/RULES.md:2: R1 has no test", "games/go/RULES.md:4: R2.1 has no test"],
        );
    }

    #[test]
    fn a_stated_rule_needs_a_test_even_above_finer_ones() {
        check(
            "- **R1.1** Pass.\n  - **R1.1.1** Twice ends.",
            &["r1_1_1_two_passes_end"],
            &["games/go/RULES.md:1: R1.1 has no test: write `fn r1_1_…`"],
        );
    }

    #[test]
    fn every_numbered_test_has_a_rule() {
        check("", &["reads", "r_and_b", "rule_1"], &[]);
        check("", &["r9_9_gone"], &["games/go/tests/rules.rs:1: `r9_9_gone` tests R9.9"]);
    }

    #[test]
    fn a_number_stands_once() {
        check("**R1** A.\n## R1 B", &["r1_a"], &["games/go/RULES.md:2: R1 is also on line 1"]);
    }

    #[test]
    fn a_rule_has_one_form() {
        for line in ["R1 A.", "- R1 A.", "* **R1** A.", "**R1.** A.", "**R1**", "# R1 A", "## R1"] {
            check(line, &[], &["games/go/RULES.md:1: a rule is written"]);
        }
        check("See R1.\n```\nR1 A.\n```", &[], &[]);
    }

    #[test]
    fn a_game_has_rules() {
        let tree = Tree::sample(&["games/go", "games/go/ui"], &[]);
        assert_problems(&super::check(&tree), &["games/go/RULES.md: is missing"]);
    }
}
