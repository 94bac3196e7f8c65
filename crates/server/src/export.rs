//! A finished match as a file: its log, or a format of its game's own.

use std::time::{Duration, UNIX_EPOCH};

use domain::MatchId;
use game_api::{Circumstances, Pace};
use play::room::Room;
use protocol::{ClockSetting, Code};
use storage::{MatchResult, MatchRow, MatchStatus};

use crate::actors::{self, Unloadable};
use crate::app::App;
use crate::http::Refusal;

/// The format that every game has.
pub(crate) const LOG: &str = "json";
const LOG_MEDIA_TYPE: &str = "application/json";

/// A match as a file.
#[derive(Clone, Debug)]
pub struct Exported {
    /// What the file is called.
    pub name: String,
    /// What HTTP calls its kind.
    pub media_type: &'static str,
    /// What is in it.
    pub text: String,
}

const DAY_S: u32 = 86_400;

impl App {
    /// Writes a finished match in a format: `json`, or one of its game's own.
    pub async fn export(&self, id: MatchId, format: &str) -> Result<Exported, Refusal> {
        let (row, result) = self.find_match(id).await?;
        let result = result.ok_or(Code::MatchRunning)?;
        let entries = self.store.entries(id, 0).await?;
        let name = format!("{}-{id}.{format}", row.game);
        let corrupt = |error| Refusal::from(Code::Internal).because(error);
        if format == LOG {
            let log = actors::log(&row, entries, &result).map_err(corrupt)?;
            let text = serde_json::to_string(&log).map_err(corrupt)?;
            return Ok(Exported { name, media_type: LOG_MEDIA_TYPE, text });
        }
        let game = (self.house.games)(&row.game).ok_or(Code::RulesChanged)?;
        let format = game.formats().iter().find(|known| known.key == format);
        let format = format.ok_or(Code::NoSuchFormat)?;
        let setup = actors::setup(&self.house, &row, row.epoch).await?;
        let mut around = Circumstances {
            site: self.config.public_url.as_ref().map(ToString::to_string),
            date: date(row.created_ms),
            is_rated: actors::settings(&row.settings).is_rated,
            players: setup.seats.iter().map(|seat| seat.name.clone()).collect(),
            pace: pace(setup.clock),
            clocks_ms: Vec::new(),
        };
        let written = self.replay(move || {
            if setup.clock != ClockSetting::None {
                around.clocks_ms = Room::clocks_ms(setup, &entries)?;
            }
            let log = actors::log(&row, entries, &result);
            let log = log.map_err(|_| Unloadable::Corrupt("options"))?;
            game.export(&log, &around, format).map_err(|_| Unloadable::Corrupt("log"))
        });
        let text = written.await??;
        Ok(Exported { name, media_type: format.media_type, text })
    }

    /// A match, and how it ended if it did.
    pub(crate) async fn find_match(
        &self,
        id: MatchId,
    ) -> Result<(MatchRow, Option<MatchResult>), Refusal> {
        let row = self.store.find_match(id).await?.ok_or(Code::MatchNotFound)?;
        let result = match row.status {
            MatchStatus::Running => None,
            MatchStatus::Over => {
                let result = self.store.find_result(id).await?;
                let missing = || Refusal::from(Code::Internal).because("a match without a result");
                Some(result.ok_or_else(missing)?)
            }
        };
        Ok((row, result))
    }
}

fn date(at_ms: u64) -> String {
    let time = humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_millis(at_ms));
    time.to_string().chars().take_while(|letter| *letter != 'T').collect()
}

fn pace(clock: ClockSetting) -> Pace {
    match clock {
        ClockSetting::None => Pace::Untimed,
        ClockSetting::PerMove { seconds } => Pace::PerTurn { seconds },
        ClockSetting::Days { days } => Pace::PerTurn { seconds: days * DAY_S },
        ClockSetting::Fischer { initial_s, increment_s } => {
            Pace::Stock { seconds: initial_s, increment_s }
        }
        ClockSetting::Delay { initial_s, .. } => Pace::Stock { seconds: initial_s, increment_s: 0 },
    }
}
