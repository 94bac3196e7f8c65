//! Making a match and seating its players: a lobby is opened, joined and started, then every player
//! joins the match over a socket that was open before, until each has its snapshot.
//!
//! One match after another, so that what is measured is how long one takes.

use std::time::{Duration, Instant};

use super::Options;
use super::company::Company;
use super::floor::await_each;
use super::house::House;
use super::http::Http;
use super::message::Message;
use super::people;
use super::progress::Progress;
use super::report::Report;

/// Groups of players, who take turns.
const TABLES: usize = 16;
/// Before anything counts.
const WARM_UP: u32 = 20;

#[derive(Default)]
struct Times {
    open: Vec<Duration>,
    fill: Vec<Duration>,
    start: Vec<Duration>,
    seat: Vec<Duration>,
    whole: Vec<Duration>,
}

pub(super) fn run(options: &Options, house: &House, report: &mut Report) -> anyhow::Result<()> {
    let mut company = Company::gather(&options.game, house, TABLES)?;
    let seats = usize::from(company.seats);
    let game = company.game.meta().id;
    // Each player has a connection for requests, as a browser would.
    let https: Result<Vec<Http>, _> =
        company.tokens.iter().map(|_| Http::open(house.address)).collect();
    let mut https = https?;
    let mut times = Times::default();
    let progress = Progress::new("matches", options.matches as usize);
    for number in 0..WARM_UP + options.matches {
        if number == WARM_UP {
            times = Times::default();
        }
        let host = number as usize % TABLES * seats;
        let others = host + 1..host + seats;
        let begin = Instant::now();
        let lobby = people::open_lobby(&mut https[host], &company.tokens[host], game)?;
        let opened = Instant::now();
        for other in others.clone() {
            people::join_lobby(&mut https[other], &lobby, &company.tokens[other])?;
        }
        let filled = Instant::now();
        let match_id = people::start_lobby(&mut https[host], &lobby, &company.tokens[host])?;
        let started = Instant::now();
        let join = format!(r#"{{"type":"join","match":"{match_id}"}}"#);
        for socket in host..host + seats {
            company.net.send(socket, join.as_bytes())?;
        }
        await_each(
            &mut company.net,
            seats,
            |message| matches!(message, Message::Snapshot { match_id: id, ply: 0 } if *id == match_id.as_bytes()),
        )?;
        let seated = Instant::now();
        times.open.push(opened - begin);
        times.fill.push(filled - opened);
        times.start.push(started - filled);
        times.seat.push(seated - started);
        times.whole.push(seated - begin);
        progress.step();
        // A connection holds 256 matches, and a player's next one needs this one no more.
        let leave = format!(r#"{{"type":"leave","match":"{match_id}"}}"#);
        for socket in host..host + seats {
            company.net.send(socket, leave.as_bytes())?;
        }
        await_each(&mut company.net, seats, |message| matches!(message, Message::Left))?;
    }
    report.count("matches", "matches made", options.matches.into());
    report.times("create", "a match, all seated", times.whole);
    report.times("lobby_open", "- the lobby opened", times.open);
    report.times("lobby_fill", "- the lobby joined", times.fill);
    report.times("lobby_start", "- the match started", times.start);
    report.times("seat", "- all joined by socket", times.seat);
    Ok(())
}
