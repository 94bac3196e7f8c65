//! What a match costs while nobody acts: the server's resident memory, first of matches that share a
//! few connections, then of matches with a connection for every seat.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use super::Options;
use super::company::Company;
use super::floor::{Floor, Pace};
use super::house::House;
use super::message::Message;
use super::process;
use super::report::Report;

/// A match in the middle.
const PLIES: u32 = 50;
/// Matches that share their connections; a connection holds 256.
const SHARED: usize = 200;
/// Until what was freed is given back, as far as it will be; a shorter run waits less.
const SETTLE_MAX: Duration = Duration::from_secs(3);

pub(super) fn run(options: &Options, house: &House, report: &mut Report) -> anyhow::Result<()> {
    let pid = house.pid().context("the memory of a server that runs elsewhere is not known")?;
    let tables = options.tables(2);
    let seated = Company::invite(&options.game, house, tables)?;
    // As many matches, rounded up to whole groups.
    let groups = tables.div_ceil(SHARED);
    let rounds = tables.div_ceil(groups);
    let sharing = Company::gather(&options.game, house, groups)?;
    let empty = memory(pid)?;
    report.count("matches", "matches", tables as u64);
    report.figure("before_mib", "memory before", empty / 1024.0, "MiB");

    let settle = options.time().min(SETTLE_MAX);
    let sharing = play(sharing, rounds, report)?;
    sleep(settle);
    let alone = memory(pid)?;
    report.figure("alone_mib", "with the matches alone", alone / 1024.0, "MiB");
    let count = f64::from(u32::try_from(groups * rounds)?);
    report.figure("match_kib", "a match alone", (alone - empty) / count, "KiB");

    let mut seated = seated;
    let Company { net, tokens, .. } = &mut seated;
    net.open_all(tokens, |_, _| {}, |_, message| *message == Message::Welcome)?;
    let mut seated = play(seated, 1, report)?;
    sleep(settle);
    let connected = memory(pid)?;
    report.count("connections", "connections", seated.tokens.len() as u64);
    report.figure("connected_mib", "with as many more, connected", connected / 1024.0, "MiB");
    let count = f64::from(u32::try_from(tables)?);
    let each = (connected - alone) / count;
    report.figure("match_with_connections_kib", "a match with its connections", each, "KiB");

    // They are held: each still answers.
    let begin = Instant::now();
    let sockets = seated.tokens.len();
    for socket in 0..sockets {
        seated.net.send(socket, br#"{"type":"ping"}"#)?;
    }
    super::floor::await_each(&mut seated.net, sockets, |message| *message == Message::Pong)?;
    let time = begin.elapsed().as_secs_f64() * 1e3;
    report.figure("pong_ms", "until all connections had answered a ping", time, "ms");

    seated.net.drop_all();
    sleep(settle);
    let left = memory(pid)?;
    report.figure("left_mib", "after these connections closed", left / 1024.0, "MiB");
    report.figure("match_left_kib", "a match after that", (left - alone) / count, "KiB");
    drop(sharing);
    Ok(())
}

fn play<'h>(
    mut company: Company<'h>,
    rounds: usize,
    report: &mut Report,
) -> anyhow::Result<Company<'h>> {
    let mut tables = company.tables(rounds, PLIES)?;
    let mut floor = Floor::new(&mut company.net, &mut tables);
    floor.join_all()?;
    let played = floor.play(Pace::AtOnce, None)?;
    report.faults(played.faults, played.fault_count);
    Ok(company)
}

/// In KiB.
fn memory(pid: u32) -> anyhow::Result<f64> {
    process::memory_kib(pid).map(f64::from).context("the system does not tell of memory")
}
