//! The end of a run held against the rules: what the server has kept is what was played, and leads
//! to the state that it claims.

use std::collections::HashMap;

use anyhow::Context as _;
use game_api::{EntryKind, MatchLog};
use serde_json::value::RawValue;

use super::company::Company;
use super::floor::{Table, await_each};
use super::http::{Http, in_parallel};
use super::message::Message;
use super::progress::Progress;
use super::report::Report;
use super::script::Script;

/// So many faults are told of; the others are counted.
const FAULTS_TOLD: usize = 20;

/// Ends all matches, reads their logs and replays them.
pub(super) fn end_states(
    company: &mut Company<'_>,
    tables: &[Table],
    report: &mut Report,
) -> anyhow::Result<()> {
    let seats = usize::from(company.seats);
    let mut resigned = 0;
    for (number, table) in tables.iter().enumerate() {
        for (round, _) in table.played().filter(|(round, done)| *done < round.script.len()) {
            let resign = format!(r#"{{"type":"resign","match":"{}"}}"#, round.match_id);
            company.net.send(number * seats, resign.as_bytes())?;
            // Every seat hears of it.
            resigned += seats;
        }
    }
    await_each(&mut company.net, resigned, |message| matches!(message, Message::Over { .. }))?;
    let matches: Vec<(usize, &str, &Script, u32)> = tables
        .iter()
        .enumerate()
        .flat_map(|(number, table)| {
            table.played().map(move |(round, done)| {
                (number * seats, round.match_id.as_str(), &*round.script, done)
            })
        })
        .collect();
    let progress = Progress::new("logs", matches.len());
    let found = in_parallel(company.house.address, matches.len(), &progress, |http, index| {
        let (player, match_id, script, done) = matches[index];
        check(http, &company.tokens[player], match_id, script, done)
    })?;
    let faults: Vec<String> = found
        .iter()
        .zip(&matches)
        .filter_map(|(found, (_, match_id, ..))| {
            found.as_ref().err().map(|fault| format!("match {match_id}: {fault}"))
        })
        .collect();
    let wrong = faults.len();
    report.count("end_states_verified", "end states verified", (found.len() - wrong) as u64);
    report.faults(faults.into_iter().take(FAULTS_TOLD).collect(), wrong as u64);
    Ok(())
}

/// The outer error ends the run, the inner one is a fault of the server.
fn check(
    http: &mut Http,
    token: &str,
    match_id: &str,
    script: &Script,
    done: u32,
) -> anyhow::Result<Result<(), String>> {
    let answer = http.ask("GET", &format!("matches/{match_id}/log"), token, None)?;
    if answer.status != 200 {
        return Ok(Err(format!("its log was answered with {}", answer.status)));
    }
    let log = read_log(&answer.body).with_context(|| format!("the log of {match_id}"))?;
    if let Err(error) = catalog::replay(&log) {
        return Ok(Err(error.to_string()));
    }
    let kept = log.entries.iter().filter_map(|entry| match &entry.kind {
        EntryKind::Act(action) => Some((entry.seat, action)),
        _ => None,
    });
    let sent = script.steps[..done as usize].iter().map(|(seat, action)| (Some(*seat), action));
    let is_kept = kept.eq(sent);
    Ok(is_kept.then_some(()).ok_or_else(|| "what is kept is not what was played".to_owned()))
}

/// The log, wherever in the answer it stands.
fn read_log(body: &str) -> anyhow::Result<MatchLog> {
    if let Ok(log) = serde_json::from_str(body) {
        return Ok(log);
    }
    let parts: HashMap<String, Box<RawValue>> = serde_json::from_str(body)?;
    let log = parts.get("log").context("it has no `log`")?;
    Ok(serde_json::from_str(log.get())?)
}
