//! Who sits in a seat of a match.

use crate::PlayerId;

/// Who sits in a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeatHolder {
    /// A person.
    Player(PlayerId),
    /// A bot, by its name among those of the game: `1` to `8` is a level.
    Bot(String),
    /// Somebody whose account is gone.
    Gone,
}

/// What people read where a bot sits. No person can be called so.
pub fn bot_name(bot: &str) -> String {
    if bot.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("Bot, level {bot}")
    } else {
        format!("Bot, {bot}")
    }
}
