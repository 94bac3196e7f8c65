//! What can be measured: by `parlor bench bots` how well bots play (`ladder`), and by `parlor bench
//! server`, the load tool, how fast a server is. That starts or names a server, lets many clients
//! play, checks every receipt and says how fast it went.
//!
//! There the server is measured alone: the client is one thread on a core of its own that knows no rules
//! and reads no more of a message than it must. How busy both were is in the report.

mod check;
mod company;
mod create;
mod floor;
mod house;
pub(crate) mod http;
mod idle;
mod ladder;
mod message;
mod moves;
mod net;
mod people;
mod process;
mod progress;
mod report;
mod script;
mod storm;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;
use clap::{Args, Subcommand, ValueEnum};

use self::house::House;
use self::report::Report;

/// What can be measured.
#[derive(Subcommand)]
pub(crate) enum Target {
    /// Load a server with matches, and check everything that it says
    ///
    /// Only games without secrets, since the matches are planned beforehand. Many connections need
    /// many open files on both sides: see `ulimit -n`.
    Server(Options),
    /// Let the levels of a game's bots play each other
    ///
    /// With budgets in nodes, so that the results are the same on every machine.
    Bots(ladder::Options),
}

/// How a server is loaded.
#[derive(Args)]
pub(crate) struct Options {
    /// Load the server that runs here, with `limits.quotas = "off"` and higher `limits` and `sockets`; else one is started
    #[arg(long, value_name = "ADDRESS", conflicts_with = "database")]
    target: Option<SocketAddr>,
    /// What to measure
    #[arg(long, value_enum, default_value_t = Mode::Throughput)]
    mode: Mode,
    /// The game's key; one without secrets
    #[arg(long, default_value = "santorini")]
    game: String,
    /// So many matches at a time
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    matches: u32,
    /// For so long
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=3600))]
    seconds: u32,
    /// So many moves a second, in mode `rate`
    #[arg(long, value_name = "R", default_value_t = 5000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    rate: u32,
    /// So many connections, in modes `idle`, `connect` and `reconnect`; else one for each seat of
    /// `--matches`
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    connections: Option<u32>,
    /// So many matches of the strongest bots beside those of people, in modes `throughput` and
    /// `rate`; a server that runs already must allow them
    #[arg(long, value_name = "N", default_value_t = 0)]
    bot_matches: u32,
    /// Write the figures as JSON too
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The started server's database; else SQLite in a folder of its own
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// Leave it to the system on which cores server and client run
    #[arg(long)]
    no_pin: bool,
}

/// What to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// Moves a second: a seat acts as soon as it sees the state
    Throughput,
    /// How long a move takes at a fixed rate, from when it was due until all have seen it
    Rate,
    /// Memory of matches of 50 actions, alone and with their connections
    Idle,
    /// How long it takes to make a match and seat its players, one match after another
    Create,
    /// How long it takes until many connections are welcomed
    Connect,
    /// How long it takes until many connections that broke at once are back in their matches
    Reconnect,
}

/// Measures and reports.
pub(crate) fn run(target: &Target) -> anyhow::Result<()> {
    match target {
        Target::Server(options) => load(options),
        Target::Bots(options) => ladder::run(options),
    }
}

/// Loads a server.
fn load(options: &Options) -> anyhow::Result<()> {
    process::allow_many_files();
    let house = House::open(options)?;
    let mut report = Report::default();
    report.word("mode", "mode", &format!("{:?}", options.mode).to_lowercase());
    report.word("game", "game", &options.game);
    report.word(
        "pinned",
        "server and client on a core each",
        if house.is_pinned { "yes" } else { "no" },
    );
    match options.mode {
        Mode::Throughput => moves::throughput(options, &house, &mut report)?,
        Mode::Rate => moves::rate(options, &house, &mut report)?,
        Mode::Idle => idle::run(options, &house, &mut report)?,
        Mode::Create => create::run(options, &house, &mut report)?,
        Mode::Connect => storm::connect(options, &house, &mut report)?,
        Mode::Reconnect => storm::reconnect(options, &house, &mut report)?,
    }
    report.print()?;
    if let Some(path) = &options.json {
        report.write(path)?;
    }
    ensure!(report.fault_count() == 0, "the server did not do what it promised");
    Ok(())
}

impl Options {
    fn time(&self) -> Duration {
        Duration::from_secs(self.seconds.into())
    }

    /// So many tables, if there are as many connections as asked for.
    fn tables(&self, seats: u8) -> usize {
        let matches = self.matches as usize;
        self.connections.map_or(matches, |count| count as usize / usize::from(seats)).max(1)
    }
}
