//! `cargo xtask new-game NAME`: a folder for a new game, made from the template game, that already
//! passes its tests.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use xshell::{Shell, cmd};

use crate::{target_dir, tidy};

/// In the catalogue, new games go before this line.
const CATALOG_MARK: &str = "        // New games go here, one line each.\n";

/// Makes the folder and says which line is left to write.
pub(crate) fn make(sh: &Shell, root: &Path, name: &str) -> Result<()> {
    let line = copy_template(sh, root, name)?;
    println!("games/{name} is ready: cargo test --package {name}");
    println!("To offer it, add this line to crates/catalog/src/lib.rs:");
    println!("{line}");
    println!("Then write its RULES.md, a test for each rule, and the rules.");
    Ok(())
}

/// Makes a game in a copy of the workspace, adds its line, and runs its tests and tidy there.
pub(crate) fn try_out(sh: &Shell, root: &Path) -> Result<()> {
    let scratch = target_dir(sh)?.join("new-game");
    let copy = scratch.join("workspace");
    // Not the workspace's own: cargo would take the copy's crates for the crates they copy.
    let target_dir = scratch.join("target");
    sh.remove_path(&copy)?;
    let files = cmd!(sh, "git ls-files --cached --others --exclude-standard").quiet().read()?;
    for file in files.lines().filter(|file| root.join(file).is_file()) {
        let to = copy.join(file);
        sh.create_dir(to.parent().context("a file has no folder")?)?;
        sh.copy_file(root.join(file), to)?;
    }
    let line = copy_template(sh, &copy, "sea-battle-2")?;
    let catalog = copy.join("crates/catalog/src/lib.rs");
    let source = sh.read_file(&catalog)?;
    ensure!(source.contains(CATALOG_MARK), "the catalogue lacks its line for new games");
    sh.write_file(&catalog, source.replace(CATALOG_MARK, &format!("{line}\n{CATALOG_MARK}")))?;
    let _dir = sh.push_dir(&copy);
    // Tidy asks git which files there are.
    cmd!(sh, "git init --quiet").quiet().run()?;
    cmd!(sh, "cargo fmt --all --check").run()?;
    let flags = ["--quiet", "--offline"];
    cmd!(sh, "cargo test {flags...} --target-dir {target_dir} --package sea-battle-2").run()?;
    // That the line fits is enough: to run the catalogue's tests would build all games once more.
    cmd!(sh, "cargo check {flags...} --target-dir {target_dir} --package catalog --tests").run()?;
    tidy::run(&copy)
}

/// Copies the template under its new name; returns the catalogue's line.
fn copy_template(sh: &Shell, root: &Path, name: &str) -> Result<String> {
    let names = Names::new(name)?;
    let (from, to) = (root.join("games/template"), root.join("games").join(name));
    ensure!(!to.exists(), "games/{name} is there already");
    let manifest = sh.read_file(root.join("Cargo.toml"))?;
    let is_taken = manifest.lines().any(|line| line.starts_with(&format!("{name} = ")));
    ensure!(!is_taken, "the workspace uses a crate {name} already");
    for path in files_below(sh, &from)? {
        let text = names.rename(&path, &sh.read_file(&path)?);
        sh.write_file(to.join(path.strip_prefix(&from)?), text)?;
    }
    insert_before(
        sh,
        &root.join("Cargo.toml"),
        "template = { path",
        &format!("{name} = {{ path = \"games/{name}\" }}"),
    )?;
    insert_before(
        sh,
        &root.join("crates/catalog/Cargo.toml"),
        "game-api.workspace",
        &format!("{name}.workspace = true"),
    )?;
    insert_before(
        sh,
        &root.join("ARCHITECTURE.md"),
        "| `games/template`",
        &format!(
            "| `games/{name}` | the rules of {} | depends on `game-api` and the foreign crates that `xtask/src/tidy/layers.rs` allows to games |",
            names.title
        ),
    )?;
    let _dir = sh.push_dir(root);
    cmd!(sh, "cargo fmt --package {name}").quiet().run()?;
    Ok(format!("        Box::new(Erased::new({}::{})),", names.snake, names.pascal))
}

/// A game's name in the four forms that code and people use.
struct Names {
    kebab: String,
    snake: String,
    pascal: String,
    title: String,
}

impl Names {
    fn new(name: &str) -> Result<Names> {
        let words: Vec<&str> = name.split('-').collect();
        let is_word = |word: &&str| {
            !word.is_empty() && word.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9'))
        };
        ensure!(
            words.iter().all(is_word) && name.starts_with(|first: char| first.is_ascii_lowercase()),
            "a game's name is lower-case words joined by dashes, such as sea-battle"
        );
        // A second renaming of the same word would go wrong.
        ensure!(!name.contains("template"), "a new game is no template");
        let snake = words.join("_");
        let taken = ["test", "core", "std", "alloc", "proc_macro"];
        ensure!(
            !taken.contains(&snake.as_str()) && syn::parse_str::<syn::Ident>(&snake).is_ok(),
            "Rust means something else by {name}"
        );
        let capital = |word: &&str| word[..1].to_uppercase() + &word[1..];
        let capitals: Vec<String> = words.iter().map(capital).collect();
        Ok(Names {
            kebab: name.to_owned(),
            snake,
            pascal: capitals.concat(),
            title: capitals.join(" "),
        })
    }

    /// In code a bare name is an identifier; in quotes, comments and other files it is for readers.
    fn rename(&self, path: &Path, text: &str) -> String {
        let Names { kebab, snake, pascal, title } = self;
        if path.extension().is_some_and(|extension| extension == "rs") {
            text.replace("\"template\"", &format!("\"{kebab}\""))
                .replace("\"Template\"", &format!("\"{title}\""))
                .replace("//! Template:", &format!("//! {title}:"))
                .replace("template", snake)
                .replace("Template", pascal)
        } else {
            text.replace("template", kebab).replace("Template", title)
        }
    }
}

fn files_below(sh: &Shell, folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in sh.read_dir(folder)? {
        if path.is_dir() {
            files.extend(files_below(sh, &path)?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

fn insert_before(sh: &Shell, file: &Path, start: &str, line: &str) -> Result<()> {
    let text = sh.read_file(file)?;
    let at = text
        .find(&format!("\n{start}"))
        .with_context(|| format!("{}: no line starts with {start}", file.display()))?;
    sh.write_file(file, format!("{}\n{line}{}", &text[..at], &text[at..]))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_four_forms() {
        let names = Names::new("sea-battle-2").unwrap();
        let renamed = names.rename(
            Path::new("lib.rs"),
            "use template::Template; //! Template: x\nid: \"template\", name: \"Template\"",
        );
        assert_eq!(
            renamed,
            "use sea_battle_2::SeaBattle2; //! Sea Battle 2: x\nid: \"sea-battle-2\", name: \"Sea Battle 2\""
        );
        assert_eq!(names.rename(Path::new("RULES.md"), "# Template"), "# Sea Battle 2");
    }

    #[test]
    fn odd_names_are_refused() {
        for odd in [
            "",
            "-",
            "Sea",
            "sea_battle",
            "sea-",
            "2sea",
            "../x",
            "template",
            "core",
            "loop",
            "my-template",
            "é",
        ] {
            assert!(Names::new(odd).is_err(), "{odd:?}");
        }
    }
}
