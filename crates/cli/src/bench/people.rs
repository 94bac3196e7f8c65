//! Who plays: guests, and the matches that they make by lobbies.

use std::net::SocketAddr;

use anyhow::Context as _;
use serde_json::{Value, json};

use super::http::{Http, in_parallel};
use super::progress::Progress;

/// Makes guests; gives their tokens.
pub(super) fn guests(address: SocketAddr, count: usize) -> anyhow::Result<Vec<String>> {
    let run = getrandom::u64()?;
    let progress = Progress::new("guests", count);
    in_parallel(address, count, &progress, |http, index| {
        let device = format!("bench-{run:016x}-{index:08}");
        let guest = http.post("guest", "", Some(&json!({ "device_id": device })))?;
        text(&guest, "token")
    })
}

/// Opens a lobby; gives its id.
pub(super) fn open_lobby(http: &mut Http, host: &str, game: &str) -> anyhow::Result<String> {
    let lobby = http.post("lobbies", host, Some(&json!({ "terms": { "game": game } })))?;
    text(&lobby, "id")
}

/// Takes a seat in a lobby.
pub(super) fn join_lobby(http: &mut Http, lobby: &str, who: &str) -> anyhow::Result<()> {
    http.post(&format!("lobbies/{lobby}/join"), who, None).map(drop)
}

/// Starts a lobby's match; gives its id.
pub(super) fn start_lobby(http: &mut Http, lobby: &str, host: &str) -> anyhow::Result<String> {
    text(&http.post(&format!("lobbies/{lobby}/start"), host, None)?, "match")
}

/// Asks to be paired; gives the match if somebody was waiting.
pub(super) fn wish(http: &mut Http, who: &str, game: &str) -> anyhow::Result<Option<String>> {
    let answer = http.post("pairing", who, Some(&json!({ "game": game })))?;
    Ok(answer["match"].as_str().map(str::to_owned))
}

/// Makes a match of these players, the first being the host.
pub(super) fn make_match(
    http: &mut Http,
    players: &[String],
    game: &str,
) -> anyhow::Result<String> {
    let (host, others) = players.split_first().context("a match of nobody")?;
    let lobby = open_lobby(http, host, game)?;
    for other in others {
        join_lobby(http, &lobby, other)?;
    }
    start_lobby(http, &lobby, host)
}

/// For each group of players this many matches. Those that are played at the same time are made at
/// the same time, as it is where people play.
pub(super) fn make_matches(
    address: SocketAddr,
    tokens: &[String],
    seats: usize,
    game: &str,
    rounds: usize,
) -> anyhow::Result<Vec<Vec<String>>> {
    let groups = tokens.len() / seats;
    let progress = Progress::new("matches", groups * rounds);
    let mut made = vec![Vec::with_capacity(rounds); groups];
    for _ in 0..rounds {
        let round = in_parallel(address, groups, &progress, |http, group| {
            make_match(http, &tokens[group * seats..(group + 1) * seats], game)
        })?;
        made.iter_mut().zip(round).for_each(|(matches, match_id)| matches.push(match_id));
    }
    Ok(made)
}

/// Makes so many matches that bots of the highest level play alone; nobody has more than two.
pub(super) fn make_shows(address: SocketAddr, game: &str, count: usize) -> anyhow::Result<()> {
    if count == 0 {
        return Ok(());
    }
    let tokens = guests(address, count.div_ceil(2))?;
    let bots = json!({ "bots": [{ "level": 8 }, { "level": 8 }] });
    let body = json!({ "terms": { "game": game }, "opponents": bots });
    let progress = Progress::new("matches of bots", count);
    let made = in_parallel(address, count, &progress, |http, index| {
        http.post("matches", &tokens[index / 2], Some(&body)).map(drop)
    });
    made.map(drop)
}

fn text(value: &Value, key: &str) -> anyhow::Result<String> {
    let text = value[key].as_str().with_context(|| format!("an answer without `{key}`"))?;
    Ok(text.to_owned())
}
