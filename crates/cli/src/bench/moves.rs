//! Matches in play: how many moves a second, and how long one takes at a fixed rate.

use std::time::{Duration, Instant};

use super::company::Company;
use super::floor::{Floor, Pace, Played};
use super::house::House;
use super::report::Report;
use super::{Options, check, people, process};

/// A connection holds 256 matches; one is the first, which tells how many will be needed.
const ROUNDS_MAX: f64 = 250.0;
const ROUNDS_MIN: f64 = 2.0;
/// More matches than the first promises, lest a table has nothing to play at the end of the run.
const RESERVE: f64 = 1.4;

/// As many rounds as this many moves take.
fn rounds(options: &Options, company: &Company<'_>, moves: f64) -> usize {
    let shortest = company.scripts.iter().map(|script| script.len()).min().unwrap_or(1);
    let rounds = moves / (f64::from(shortest) * f64::from(options.matches));
    #[expect(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "in 2..=250")]
    let rounds = rounds.ceil().clamp(ROUNDS_MIN, ROUNDS_MAX) as usize;
    rounds
}

/// A seat acts as soon as it sees the state.
pub(super) fn throughput(
    options: &Options,
    house: &House,
    report: &mut Report,
) -> anyhow::Result<()> {
    let mut company = Company::gather(&options.game, house, options.matches as usize)?;
    company.net.never_rest()?;
    // One match a table, to warm up and to see how many a run needs.
    let mut first = company.tables(1, u32::MAX)?;
    let mut floor = Floor::new(&mut company.net, &mut first);
    floor.join_all()?;
    let warm_up = floor.play(Pace::AtOnce, None)?;
    let rate = warm_up.rate();
    report.faults(warm_up.faults, warm_up.fault_count);
    let rounds = rounds(options, &company, rate * RESERVE * options.time().as_secs_f64());
    run(options, company, rounds, Pace::AtOnce, report)
}

/// Moves on a schedule.
pub(super) fn rate(options: &Options, house: &House, report: &mut Report) -> anyhow::Result<()> {
    let company = Company::gather(&options.game, house, options.matches as usize)?;
    let rate = f64::from(options.rate);
    let rounds = rounds(options, &company, rate * RESERVE * options.time().as_secs_f64());
    report.figure("rate", "moves due a second", rate, "");
    run(options, company, rounds, Pace::PerSecond(rate), report)
}

fn run(
    options: &Options,
    mut company: Company<'_>,
    rounds: usize,
    pace: Pace,
    report: &mut Report,
) -> anyhow::Result<()> {
    let mut tables = company.tables(rounds, u32::MAX)?;
    let mut floor = Floor::new(&mut company.net, &mut tables);
    floor.join_all()?;
    people::make_shows(company.house.address, &options.game, options.bot_matches as usize)?;
    let share = Share::begin(company.house);
    let played = floor.play(pace, Some(options.time()))?;
    share.report(company.house, pace, report);
    describe(options, rounds, played, report);
    check::end_states(&mut company, &tables, report)
}

fn describe(options: &Options, rounds: usize, played: Played, report: &mut Report) {
    report.count("matches", "matches at a time", options.matches.into());
    report.count("bot_matches", "matches of bots beside them", options.bot_matches.into());
    report.count("rounds", "matches a table made ready", rounds as u64);
    report.figure("seconds", "time", played.time.as_secs_f64(), "s");
    report.count("moves", "moves stored, acknowledged and seen by all", played.moves);
    report.figure("moves_per_s", "moves a second", played.rate(), "");
    report.times("latency", "a move", played.latencies);
    if played.is_cut_short {
        report.word("cut_short", "cut short", "a table had played all its matches");
    }
    report.faults(played.faults, played.fault_count);
}

/// How busy both sides are.
struct Share {
    begin: Instant,
    server: Option<Duration>,
    client: Option<Duration>,
}

impl Share {
    fn begin(house: &House) -> Share {
        Share {
            begin: Instant::now(),
            server: house.pid().and_then(process::cpu_time),
            client: process::cpu_time(std::process::id()),
        }
    }

    fn report(&self, house: &House, pace: Pace, report: &mut Report) {
        let now = Share::begin(house);
        let time = self.begin.elapsed().as_secs_f64();
        let client = match pace {
            Pace::AtOnce => "client's time on its core",
            Pace::PerSecond(_) => "client's time on its core, spinning included",
        };
        let sides = [
            ("server", "server's time on its core", self.server, now.server),
            ("client", client, self.client, now.client),
        ];
        for (name, label, before, after) in sides {
            if let (Some(before), Some(after)) = (before, after) {
                let share = 100.0 * (after.saturating_sub(before)).as_secs_f64() / time;
                report.figure(&format!("{name}_cpu_percent"), label, share, "%");
            }
        }
    }
}
