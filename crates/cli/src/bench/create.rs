//! Making a match and seating its players, in both ways that people have: a lobby is opened, joined
//! and started; or all ask to be paired. Then every player joins the match over a socket that was
//! open before, until each has its snapshot.
//!
//! One match after another, so that what is measured is how long one takes.

use std::ops::Range;
use std::time::{Duration, Instant};

use anyhow::Context as _;

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
    lobby: Vec<Duration>,
    pairing: Vec<Duration>,
}

/// The players of a table, each with a connection for requests, as a browser would have.
struct Group<'c> {
    https: &'c mut [Http],
    tokens: &'c [String],
    game: &'static str,
}

impl Group<'_> {
    fn by_lobby(&mut self, times: &mut Times) -> anyhow::Result<String> {
        let begin = Instant::now();
        let lobby = people::open_lobby(&mut self.https[0], &self.tokens[0], self.game)?;
        let opened = Instant::now();
        for (http, token) in self.https.iter_mut().zip(self.tokens).skip(1) {
            people::join_lobby(http, &lobby, token)?;
        }
        let filled = Instant::now();
        let match_id = people::start_lobby(&mut self.https[0], &lobby, &self.tokens[0])?;
        times.open.push(opened - begin);
        times.fill.push(filled - opened);
        times.start.push(filled.elapsed());
        Ok(match_id)
    }

    fn by_pairing(&mut self) -> anyhow::Result<String> {
        let mut paired = None;
        for (http, token) in self.https.iter_mut().zip(self.tokens) {
            paired = people::wish(http, token, self.game)?;
        }
        paired.context("nobody was paired")
    }
}

pub(super) fn run(options: &Options, house: &House, report: &mut Report) -> anyhow::Result<()> {
    let mut company = Company::gather(&options.game, house, TABLES)?;
    let seats = usize::from(company.seats);
    let https: Result<Vec<Http>, _> =
        company.tokens.iter().map(|_| Http::open_restless(house.address)).collect();
    let mut https = https?;
    let mut times = Times::default();
    let _awake = house.keep_awake()?;
    let progress = Progress::new("matches", options.matches as usize);
    for number in 0..WARM_UP + options.matches {
        if number == WARM_UP {
            times = Times::default();
        }
        let first = number as usize % TABLES * seats;
        let sockets = first..first + seats;
        let game = company.game.meta().id;
        let mut group = Group {
            https: &mut https[sockets.clone()],
            tokens: &company.tokens[sockets.clone()],
            game,
        };
        let begin = Instant::now();
        let match_id = group.by_lobby(&mut times)?;
        let made = Instant::now();
        join(&mut company, sockets.clone(), &match_id)?;
        times.seat.push(made.elapsed());
        times.lobby.push(begin.elapsed());
        leave(&mut company, sockets.clone(), &match_id)?;

        let mut group = Group {
            https: &mut https[sockets.clone()],
            tokens: &company.tokens[sockets.clone()],
            game,
        };
        let begin = Instant::now();
        let match_id = group.by_pairing()?;
        join(&mut company, sockets.clone(), &match_id)?;
        times.pairing.push(begin.elapsed());
        leave(&mut company, sockets, &match_id)?;
        progress.step();
    }
    report.count("matches", "matches made in each way", options.matches.into());
    report.times("pairing", "a match by pairing, all seated", times.pairing);
    report.times("create", "a match by a lobby, all seated", times.lobby);
    report.times("lobby_open", "- the lobby opened", times.open);
    report.times("lobby_fill", "- the lobby joined", times.fill);
    report.times("lobby_start", "- the match started", times.start);
    report.times("seat", "- all joined by socket", times.seat);
    Ok(())
}

fn join(company: &mut Company<'_>, sockets: Range<usize>, match_id: &str) -> anyhow::Result<()> {
    let seats = sockets.len();
    let join = format!(r#"{{"type":"join","match":"{match_id}"}}"#);
    for socket in sockets {
        company.net.send(socket, join.as_bytes())?;
    }
    let is_it = |message: &Message<'_>| matches!(message, Message::Snapshot { match_id: id, ply: 0 } if *id == match_id.as_bytes());
    await_each(&mut company.net, seats, is_it)
}

/// A connection holds 256 matches, and a player's next one needs this one no more.
fn leave(company: &mut Company<'_>, sockets: Range<usize>, match_id: &str) -> anyhow::Result<()> {
    let seats = sockets.len();
    let leave = format!(r#"{{"type":"leave","match":"{match_id}"}}"#);
    for socket in sockets {
        company.net.send(socket, leave.as_bytes())?;
    }
    await_each(&mut company.net, seats, |message| matches!(message, Message::Left))
}
