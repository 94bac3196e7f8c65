//! Every crate takes its licence and its lints from the workspace.

use super::Problem;
use super::tree::Tree;
use super::workspace::Member;

const LICENCE: &str = "MIT OR Apache-2.0";

pub(crate) fn check(tree: &Tree) -> Vec<Problem> {
    tree.workspace.members.iter().flat_map(check_member).collect()
}

fn check_member(member: &Member) -> Vec<Problem> {
    let path = member.path("Cargo.toml");
    let mut problems = Vec::new();
    if member.package.license.as_deref() != Some(LICENCE) {
        let what = format!("is not under `{LICENCE}`: write `license.workspace = true`");
        problems.push(Problem::of_file(&path, what));
    }
    if !has_workspace_lints(&member.manifest) {
        let what = "does without the workspace's lints: write `lints.workspace = true`";
        problems.push(Problem::of_file(&path, what));
    }
    problems
}

/// Metadata does not tell of lints, so this reads the manifest, in either spelling.
fn has_workspace_lints(manifest: &str) -> bool {
    let mut section = String::new();
    manifest.lines().any(|line| {
        let line: String = line.chars().take_while(|&c| c != '#').filter(|c| *c != ' ').collect();
        if line.starts_with('[') {
            section.clone_from(&line);
        }
        matches!((&*section, &*line), ("", "lints.workspace=true") | ("[lints]", "workspace=true"))
    })
}

#[cfg(test)]
mod tests {
    use super::has_workspace_lints;
    use crate::tidy::assert_problems;
    use crate::tidy::tree::Tree;

    #[test]
    fn licence_and_lints_are_the_workspaces() {
        let mut tree = Tree::sample(&["crates/play", "xtask"], &[]);
        assert_problems(&super::check(&tree), &[]);
        tree.workspace.members[0].package.license = Some("MIT".to_owned());
        tree.workspace.members[1].manifest.clear();
        assert_problems(
            &super::check(&tree),
            &[
                "crates/play/Cargo.toml: is not under",
                "xtask/Cargo.toml: does without the workspace's lints",
            ],
        );
    }

    #[test]
    fn lints_are_taken_in_either_spelling() {
        let check = |manifest, expected| assert_eq!(has_workspace_lints(manifest), expected);
        check("lints.workspace=true", true);
        check("[lints]\nworkspace = true # all", true);
        check("[package]\nlints.workspace = true", false);
        check("[lints.rust]\nworkspace = true", false);
        check("# lints.workspace = true", false);
    }
}
