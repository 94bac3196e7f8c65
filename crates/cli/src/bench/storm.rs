//! Many connections at once: all new, or all back after they broke.

use std::time::Duration;

use super::Options;
use super::company::Company;
use super::floor::{Floor, Pace};
use super::house::House;
use super::message::Message;
use super::report::Report;

/// So far the matches have come when the connections break; and so far the players remember them.
const PLIES: u32 = 12;
const KNOWN: u32 = 8;
/// So far they are played when all are back, which shows that all are.
const PLIES_AFTER: u32 = 20;

/// All new.
pub(super) fn connect(options: &Options, house: &House, report: &mut Report) -> anyhow::Result<()> {
    let tables = options.tables(2);
    let mut company = Company::invite(&options.game, house, tables)?;
    let Company { net, tokens, .. } = &mut company;
    let time = net.open_all(tokens, |_, _| {}, |_, message| *message == Message::Welcome)?;
    describe("connect", "until all were welcomed", tokens.len(), time, report);
    Ok(())
}

/// All back in their matches.
pub(super) fn reconnect(
    options: &Options,
    house: &House,
    report: &mut Report,
) -> anyhow::Result<()> {
    let mut company = Company::gather(&options.game, house, options.tables(2))?;
    let mut tables = company.tables(1, PLIES)?;
    let mut floor = Floor::new(&mut company.net, &mut tables);
    floor.join_all()?;
    let before = floor.play(Pace::AtOnce, None)?;
    let seats = usize::from(company.seats);
    let Company { net, tokens, .. } = &mut company;
    net.drop_all();
    let match_of = |socket: usize| tables[socket / seats].last_match();
    let time = net.open_all(
        tokens,
        |socket, say| {
            let id = match_of(socket);
            say.extend(format!(r#"{{"type":"join","match":"{id}","since":{KNOWN}}}"#).bytes());
        },
        |socket, message| match message {
            Message::Snapshot { match_id, ply: PLIES } => *match_id == match_of(socket).as_bytes(),
            _ => false,
        },
    )?;
    describe("reconnect", "until all had their matches again", tokens.len(), time, report);
    for table in &mut tables {
        table.continue_to(PLIES_AFTER);
    }
    let after = Floor::new(&mut company.net, &mut tables).play(Pace::AtOnce, None)?;
    report.count("moves", "moves before and after", before.moves + after.moves);
    for played in [before, after] {
        report.faults(played.faults, played.fault_count);
    }
    Ok(())
}

fn describe(key: &str, label: &str, count: usize, time: Duration, report: &mut Report) {
    report.count("connections", "connections", count as u64);
    report.figure(&format!("{key}_ms"), label, time.as_secs_f64() * 1e3, "ms");
}
