//! Everything the checks look at, read once: the workspace, the text files and the parsed sources.
//!
//! Files are those git tracks or would track, so generated and ignored ones are left alone.

use std::fs;
use std::path::Path;

use anyhow::Result;
use xshell::{Shell, cmd};

use super::Problem;
use super::source::Source;
use super::workspace::Workspace;

pub(crate) struct Text {
    /// Relative to the root, with `/` on every platform.
    pub(crate) path: String,
    pub(crate) content: String,
}

pub(crate) struct Tree {
    pub(crate) workspace: Workspace,
    pub(crate) texts: Vec<Text>,
    pub(crate) sources: Vec<Source>,
    pub(crate) unparsed: Vec<Problem>,
}

impl Tree {
    pub(crate) fn load(root: &Path) -> Result<Self> {
        let shell = Shell::new()?;
        shell.change_dir(root);
        let workspace = Workspace::load(&shell)?;
        let list = cmd!(shell, "git ls-files -z --cached --others --exclude-standard").read()?;
        let texts = list.split_terminator('\0').filter_map(|path| read_text(root, path)).collect();
        Ok(Self::new(workspace, texts))
    }

    pub(crate) fn new(workspace: Workspace, texts: Vec<Text>) -> Self {
        let mut tree = Self { workspace, texts, sources: Vec::new(), unparsed: Vec::new() };
        for text in &tree.texts {
            if has_extension(&text.path, "rs") {
                match Source::parse(&text.path, &text.content) {
                    Ok(source) => tree.sources.push(source),
                    Err(problem) => tree.unparsed.push(problem),
                }
            }
        }
        tree
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.texts.iter().find(|text| text.path == path).map(|text| text.content.as_str())
    }

    pub(crate) fn sources_under<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a Source> {
        self.sources.iter().filter(move |source| is_under(&source.path, folder))
    }
}

pub(crate) fn has_extension(path: &str, wanted: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == wanted)
}

pub(crate) fn is_under(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// `None` for what is no text, and for what git still lists but is deleted.
fn read_text(root: &Path, path: &str) -> Option<Text> {
    let content = String::from_utf8(fs::read(root.join(path)).ok()?).ok()?;
    (!content.contains('\0')).then(|| Text { path: path.to_owned(), content })
}

#[cfg(test)]
impl Tree {
    /// A tree of crates, named by their folders, and files.
    pub(crate) fn sample(folders: &[&str], files: &[(&str, &str)]) -> Self {
        let text = |(path, content): &(&str, &str)| Text {
            path: (*path).to_owned(),
            content: (*content).to_owned(),
        };
        Self::new(Workspace::sample(folders), files.iter().map(text).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::is_under;

    #[test]
    fn a_folder_holds_only_what_lies_below_it() {
        let check = |path, folder, expected| assert_eq!(is_under(path, folder), expected, "{path}");
        check("games/chess/src/lib.rs", "games/chess", true);
        check("games/chess-ui/src/lib.rs", "games/chess", false);
        check("src/lib.rs", "", true);
    }
}
