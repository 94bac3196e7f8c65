//! Who sits where if bots play too: which there are, who takes the other seats, and how many matches
//! with them somebody may have.

use bots::Level;
use domain::{MatchId, PlayerId, SeatHolder, bot_name};
use play::Terms;
use play::room::SeatOwner;
use protocol::{BotSeat, Code};
use storage::{MatchStatus, StorageError};
use tokio::sync::Mutex;

use crate::app::App;
use crate::http::Refusal;

/// Nobody watches more at once.
const SHOWS_PER_PLAYER_MAX: usize = 2;

/// The matches that bots play alone, by who wanted to watch them. Forgotten at a restart, which only
/// lets somebody have some more.
#[derive(Default)]
pub(crate) struct Shows(Mutex<Vec<(PlayerId, MatchId)>>);

/// A bot in a seat.
pub(crate) fn bot(level: u8) -> SeatOwner {
    let bot = level.to_string();
    SeatOwner { name: Some(bot_name(&bot)), holder: SeatHolder::Bot(bot) }
}

/// Whether the game has a bot of this level.
pub(crate) fn check_level(app: &App, game: &str, level: u8) -> Result<(), Refusal> {
    if Level::try_from(level).is_err() {
        return Err(Refusal::new(Code::InvalidLevel, format!("there is no level {level}")));
    }
    match app.house.bots.find(game, &level.to_string()) {
        Some(_) => Ok(()),
        None => Err(Code::NoBots.into()),
    }
}

/// Bots where they are wanted, or anywhere, and this person in the other seats.
pub(crate) fn seats(
    app: &App,
    terms: &Terms,
    bots: &[BotSeat],
    person: &SeatOwner,
) -> Result<Vec<SeatOwner>, Refusal> {
    let mut seats: Vec<Option<SeatOwner>> = vec![None; usize::from(terms.seats())];
    let no_such = |detail: String| Refusal::new(Code::NoSuchSeat, detail);
    let (placed, anywhere): (Vec<BotSeat>, Vec<BotSeat>) =
        bots.iter().partition(|bot| bot.seat.is_some());
    for BotSeat { seat, level } in placed.into_iter().chain(anywhere) {
        check_level(app, terms.game(), level)?;
        let free = seats.iter().enumerate().filter(|(_, owner)| owner.is_none());
        let free: Vec<usize> = free.map(|(at, _)| at).collect();
        let at = if let Some(seat) = seat {
            free.iter().copied().find(|at| *at == usize::from(seat))
        } else {
            let chance = getrandom::u32();
            let chance = chance.map_err(|error| Refusal::from(Code::Internal).because(error))?;
            usize::try_from(chance).unwrap_or(0).checked_rem(free.len()).map(|at| free[at])
        };
        let at = at.ok_or_else(|| match seat {
            Some(seat) => no_such(format!("no bot can sit in seat {seat}")),
            None => no_such("there are more bots than seats".to_owned()),
        })?;
        seats[at] = Some(self::bot(level));
    }
    Ok(seats.into_iter().map(|owner| owner.unwrap_or_else(|| person.clone())).collect())
}

impl Shows {
    /// Begins a match that bots play alone, if there are not too many.
    pub(crate) async fn begin(
        &self,
        app: &App,
        player: PlayerId,
        begin: impl Future<Output = Result<MatchId, Refusal>>,
    ) -> Result<MatchId, Refusal> {
        let mut shows = self.0.lock().await;
        let mut running = Vec::with_capacity(shows.len() + 1);
        for show in shows.iter() {
            if is_running(app, show.1).await? {
                running.push(*show);
            }
        }
        *shows = running;
        let own = shows.iter().filter(|(other, _)| *other == player).count();
        if own >= SHOWS_PER_PLAYER_MAX && app.config.limits.quotas.is_on() {
            let detail = format!("{own} matches of bots alone are under way for you");
            return Err(Refusal::new(Code::TooManyBots, detail));
        }
        if shows.len() >= usize::from(app.config.bots.shows) {
            return Err(Code::Busy.into());
        }
        let id = begin.await?;
        shows.push((player, id));
        Ok(id)
    }
}

async fn is_running(app: &App, id: MatchId) -> Result<bool, StorageError> {
    let row = app.store.find_match(id).await?;
    Ok(row.is_some_and(|row| row.status == MatchStatus::Running))
}
