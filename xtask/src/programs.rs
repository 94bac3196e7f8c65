//! Test programs: building them, and running those that are built, two at a time.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use xshell::{Shell, cmd};

/// All that is built outside a browser, always together: cargo gives the same crates other features, and
/// builds them once more, where other packages are asked for. The application is looked at by clippy, not
/// built twice; the chores are built already, by themselves.
pub(crate) const NATIVE: [&str; 5] = ["--workspace", "--exclude", "client", "--exclude", "xtask"];

/// As many programs run at once: while the tests of one wait, those of the other work.
const LANES: usize = 2;

/// Names of programs that take long, and so start first.
const SLOW: [&str; 9] = [
    "api",
    "seeds",
    "bot",
    "serve",
    "proxies",
    "shared_database",
    "conformance",
    "contract",
    "bites",
];

/// A program that cargo has built.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Program {
    /// Its package and target.
    pub(crate) name: String,
    /// The target alone.
    pub(crate) target: String,
    pub(crate) path: PathBuf,
    /// Its package, in which cargo runs it.
    pub(crate) folder: PathBuf,
    pub(crate) is_test: bool,
}

/// A variable of a program's environment.
pub(crate) type Variable = (&'static str, OsString);

/// How a program is to run.
pub(crate) struct Run {
    pub(crate) program: Program,
    /// Shown beside the name.
    pub(crate) remark: &'static str,
    pub(crate) words: Vec<String>,
    pub(crate) env: Vec<Variable>,
}

/// Runs cargo with `words` and `NATIVE`, and gives the programs that it built or found built.
pub(crate) fn build(sh: &Shell, command: &str, words: &[&str]) -> Result<Vec<Program>> {
    let format = "--message-format=json-render-diagnostics";
    let built = cmd!(sh, "cargo {command} {NATIVE...} --locked {format} {words...}").read()?;
    let built = built.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    Ok(built.filter_map(|message| read(&message)).collect())
}

/// A program of a message of cargo's.
fn read(message: &Value) -> Option<Program> {
    let path = PathBuf::from(message["executable"].as_str()?);
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?.to_owned();
    let target = message["target"]["name"].as_str()?.to_owned();
    let package = folder.file_name()?.to_str()?.to_owned();
    let name = if package == target { package } else { format!("{package} {target}") };
    let is_test = message["profile"]["test"] == true;
    Some(Program { name, target, path, folder, is_test })
}

/// The program of a target.
pub(crate) fn find<'a>(programs: &'a [Program], target: &str) -> Result<&'a Program> {
    let found = programs.iter().find(|program| program.target == target);
    found.with_context(|| format!("there is no program {target}"))
}

/// Runs programs, several at a time, and prints what became of each. After a failure nothing more starts.
pub(crate) fn run_all(mut runs: Vec<Run>) -> Result<()> {
    let rank = |run: &Run| SLOW.iter().position(|it| *it == run.program.target);
    runs.sort_by_key(|run| rank(run).unwrap_or(SLOW.len()));
    let count = runs.len();
    let queue = Mutex::new(VecDeque::from(runs));
    let failed = Mutex::new(Vec::new());
    let (next, done) = (|| lock(&queue).pop_front(), Mutex::new(0));
    thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                while lock(&failed).is_empty() {
                    let Some(run) = next() else { break };
                    let begin = Instant::now();
                    let result = run_one(&run);
                    let seconds = begin.elapsed().as_secs_f64();
                    let mut done = lock(&done);
                    *done += 1;
                    let what = format!("[{done}/{count}] {}{}", run.program.name, run.remark);
                    match result {
                        Ok(passed) => println!("{what}: {passed} in {seconds:.1} s"),
                        Err(output) => {
                            println!("{output}\n{what} FAILED in {seconds:.1} s");
                            lock(&failed).push(run.program.name);
                        }
                    }
                }
            });
        }
    });
    let failed = lock(&failed).join(", ");
    ensure!(failed.is_empty(), "tests of {failed} failed");
    Ok(())
}

/// How many tests passed, or the output if one did not.
fn run_one(run: &Run) -> Result<String, String> {
    let Program { path, folder, .. } = &run.program;
    let mut command = Command::new(path);
    command.args(&run.words).current_dir(folder).env("CARGO_MANIFEST_DIR", folder);
    command.envs(run.env.iter().map(|(name, value)| (name, value)));
    let output = command.output().map_err(|error| format!("{}: {error}", path.display()))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = text(&output.stdout);
    if !output.status.success() {
        return Err(format!("{said}{}{}", text(&output.stderr), output.status));
    }
    Ok(passed(&said).unwrap_or("no tests").to_owned())
}

/// The count in the last line of a test program, such as `34 passed`.
fn passed(output: &str) -> Option<&str> {
    let (_, summary) = output.rsplit_once("test result: ok. ")?;
    summary.split(';').next()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the suite has built, for `cargo xtask test --again`.
#[derive(Serialize, Deserialize)]
pub(crate) struct Built {
    /// The test programs that need no browser.
    pub(crate) native: Vec<Program>,
    /// The tests in the browser.
    pub(crate) browser: Program,
    /// A copy of the server with the client in it.
    pub(crate) parlor: PathBuf,
}

impl Built {
    pub(crate) fn keep(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder)?;
        Ok(fs::write(folder.join("built.json"), serde_json::to_string_pretty(self)?)?)
    }

    pub(crate) fn recall(folder: &Path) -> Result<Built> {
        let text = fs::read_to_string(folder.join("built.json"));
        let text = text.context("nothing is built yet: run `cargo xtask test` first")?;
        Ok(serde_json::from_str(&text)?)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{passed, read};

    #[test]
    fn a_program_is_read_from_a_message_of_cargo() {
        let message = json!({
            "reason": "compiler-artifact", "manifest_path": "/w/games/chess/Cargo.toml",
            "target": {"name": "rules"}, "profile": {"test": true},
            "executable": "/w/target/debug/deps/rules-1",
        });
        let program = read(&message).unwrap();
        assert_eq!((&*program.name, &*program.target), ("chess rules", "rules"));
        assert_eq!(program.folder.to_str(), Some("/w/games/chess"));
        assert!(program.is_test);
        assert_eq!(read(&json!({"reason": "build-finished", "success": true})), None);
        assert_eq!(read(&json!({"executable": null, "target": {"name": "chess"}})), None);
    }

    #[test]
    fn what_passed_is_the_last_count() {
        let output = "test a ... ok\n\ntest result: ok. 34 passed; 0 failed; 0 ignored\n";
        assert_eq!(passed(output), Some("34 passed"));
        assert_eq!(passed("killed"), None);
    }
}
