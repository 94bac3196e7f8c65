//! The binary `parlor`: what a person types, handed to the crate that does it.

mod admin;
mod bench;
mod bot;
mod export;
mod games;
mod line;
mod serve;
mod shell;
mod verify;
mod words;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, anyhow};
use clap::{Parser, Subcommand};
use domain::MatchId;
use mimalloc::MiMalloc;
use server::Overrides;
use server::config::ConfigArgs;

/// A move allocates and frees a few dozen small pieces; this is where that is cheap.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// A game parlor that anyone can host.
#[derive(Parser)]
#[command(name = "parlor", version)]
struct Cli {
    /// Another list of words for the word game: a text file with blanks or line breaks between them,
    /// or a packed list
    #[arg(long = "words", env = "PARLOR_WORDS", value_name = "FILE", global = true)]
    word_list: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the house
    Serve {
        #[command(flatten)]
        config: ConfigArgs,
        #[command(flatten)]
        overrides: Overrides,
    },
    /// Look after a house, running or not
    Admin {
        #[command(flatten)]
        config: ConfigArgs,
        #[command(subcommand)]
        task: admin::Task,
    },
    /// Print the settings in effect, with secrets hidden
    Config(ConfigArgs),
    /// Play a game line by line: one command a line, one reply a line
    Shell {
        /// The game's key, as `parlor games` lists it
        game: String,
    },
    /// Play in a house, as an account, with an engine that speaks the shell's lines
    Bot(bot::BotArgs),
    /// List the games
    Games,
    /// Print a finished match of this house
    Export {
        #[command(flatten)]
        config: ConfigArgs,
        /// The match
        id: MatchId,
        /// `json`, the log that `parlor verify` reads, or one of the game's own: `pgn`
        #[arg(long, default_value = "json")]
        format: String,
    },
    /// Replay a match's log, and check its deal and its final state
    Verify {
        /// A file with a log, as the shell's `log` writes it
        file: PathBuf,
    },
    /// Ask the word list
    Words {
        #[command(subcommand)]
        question: words::Question,
    },
    /// Measure how fast a house is, or how well its bots play
    Bench {
        #[command(subcommand)]
        target: bench::Target,
    },
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match use_words(cli.word_list.as_deref()) {
        Ok(()) => run(cli.command),
        Err(error) => Err(error),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "parlor: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Names the house's own list of words to the catalogue, before it is asked for a game. A list of text
/// is called as its file is.
fn use_words(path: Option<&Path>) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(()) };
    let place = || format!("cannot use the words of {}", path.display());
    let bytes = std::fs::read(path).with_context(place)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let coded = |error: catalog::WordsError| anyhow!("{error} ({})", error.code());
    catalog::use_words(&name, &bytes).map_err(coded).with_context(place)
}

fn run(command: Command) -> anyhow::Result<()> {
    match command {
        Command::Serve { config, overrides } => serve::run(config, overrides),
        Command::Admin { config, task } => admin::run(config, task),
        Command::Config(config) => serve::print_config(config),
        Command::Shell { game } => shell::run(&game),
        Command::Bot(args) => bot::run(&args),
        Command::Games => games::list(),
        Command::Export { config, id, format } => export::run(config, id, &format),
        Command::Verify { file } => verify::run(&file),
        Command::Words { question } => words::run(&question),
        Command::Bench { target } => bench::run(&target),
    }
}

/// Whoever read our output has seen enough: no fault of ours.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
