//! What one Rust file holds, parsed once: items, tests, functions, macros.
//!
//! Sees the text as written: what a macro expands to is unknown, except that `#[test] fn name` inside
//! a macro call (`proptest!`) counts as a test, and so does a case of a suite, `pub async fn name` in a
//! file below `contract/`.

use std::collections::BTreeSet;

use super::tree::Tree;
use super::{Problem, reader};

#[derive(Default)]
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) lines: usize,
    pub(crate) functions: Vec<Function>,
    pub(crate) tests: Vec<Test>,
    /// `name` of each item of a module; `Owner::name` with its module, type, enum or trait as owner.
    pub(crate) items: BTreeSet<String>,
    /// The names of the macros called.
    pub(crate) calls: BTreeSet<String>,
    /// The names of the `macro_rules!` that write tests.
    pub(crate) test_macros: BTreeSet<String>,
}

pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) lines: usize,
}

pub(crate) struct Test {
    pub(crate) name: String,
    pub(crate) line: usize,
}

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    tree.unparsed.clone()
}

impl Source {
    pub(crate) fn parse(path: &str, text: &str) -> Result<Self, Problem> {
        let file = syn::parse_file(text).map_err(|error| {
            let line = error.span().start().line;
            Problem::at(path, line, format!("is no Rust: {error}"))
        })?;
        let source = Self { path: path.to_owned(), lines: text.lines().count(), ..Self::default() };
        Ok(reader::read(source, &file))
    }
}

#[cfg(test)]
mod tests {
    use super::{Function, Source, Test};
    use crate::tidy::assert_problems;
    use crate::tidy::tree::Tree;

    const SAMPLE: &str = "//! Sample.
pub(crate) const LIMIT: u8 = 3;
pub(crate) enum Suit { Spades }
pub(crate) trait Game { type State; fn apply(&self) { fn hidden() {} } }
impl<T> Game for Round<T> { fn apply(&self) {
} }
mod inner { pub fn free() { assert!(true) } }
macro_rules! laws { () => { #[test] fn law() {} } }
macro_rules! list { () => { [1] } }
#[tokio::test]
async fn plain() {}
#[cfg(test)]
fn no_test() {}
proptest! { #[test] #[ignore] fn random(x in 0..3) {} fn helper() {} }
";

    #[track_caller]
    fn check(list: impl Fn(&Source) -> Vec<String>, expected: &str) {
        let source = Source::parse("src/cards/mod.rs", SAMPLE).unwrap_or_default();
        assert_eq!(list(&source).join(" "), expected);
    }

    #[test]
    fn items_are_indexed_by_name_and_owner() {
        let is_owned = |item: &String| item.contains("::");
        check(
            |it| it.items.iter().filter(|it| !is_owned(it)).cloned().collect(),
            "Game LIMIT Suit free laws list no_test plain",
        );
        check(
            |it| it.items.iter().filter(|it| is_owned(it)).cloned().collect(),
            "Game::State Game::apply Round::apply Suit::Spades cards::Game cards::LIMIT cards::Suit \
             cards::laws cards::list cards::no_test cards::plain inner::free",
        );
    }

    #[test]
    fn tests_are_found_in_the_open_and_in_macros() {
        let show = |test: &Test| format!("{}:{}", test.name, test.line);
        check(|it| it.tests.iter().map(show).collect(), "plain:11 random:14");
        check(|it| it.test_macros.iter().cloned().collect(), "laws");
        check(|it| it.calls.iter().cloned().collect(), "assert proptest");
    }

    #[test]
    fn a_public_async_function_below_contract_is_a_test() {
        let text = "pub async fn case() {} pub fn other() {} async fn helper() {}";
        for (path, expected) in [("src/contract/a.rs", vec!["case"]), ("src/a.rs", vec![])] {
            let source = Source::parse(path, text).unwrap_or_default();
            let names: Vec<&str> = source.tests.iter().map(|test| test.name.as_str()).collect();
            assert_eq!(names, expected, "{path}");
        }
    }

    #[test]
    fn functions_are_measured_from_signature_to_brace() {
        let show = |function: &Function| format!("{}:{}", function.name, function.lines);
        check(
            |it| it.functions.iter().map(show).collect(),
            "apply:1 hidden:1 apply:2 free:1 plain:1 no_test:1",
        );
    }

    #[test]
    fn what_does_not_parse_is_a_problem() {
        let tree = Tree::sample(&[], &[("a.rs", "//! A.\nfn (")]);
        assert_problems(&super::check(&tree), &["a.rs:2: is no Rust"]);
    }
}
