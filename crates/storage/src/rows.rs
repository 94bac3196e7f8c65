//! What reads give back.

use std::fmt;

use domain::{LobbyId, MatchId, PlayerId, Role, SeatHolder, SessionId};
use game_api::{Commitment, Seed, StateHash};

/// A person: an account or a guest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Player {
    /// Who.
    pub id: PlayerId,
    /// What others call them; unique without case.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// The key of their picture.
    pub avatar: String,
    /// Since when they are here.
    pub created_ms: u64,
}

/// A hash of what a guest's device calls itself, which is a guest's only key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DeviceKey(pub [u8; 32]);

impl fmt::Debug for DeviceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DeviceKey(..)")
    }
}

/// A hash of the secret in a match's watch link.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct WatchKey(pub [u8; 32]);

impl fmt::Debug for WatchKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WatchKey(..)")
    }
}

/// As whom somebody may look at a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// As somebody who sits in it or began it.
    Own,
    /// As anybody, since it is public.
    Public,
    /// As somebody who has its watch link.
    Link,
}

/// Which of somebody's matches are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// All, as their owner sees them.
    All,
    /// The public ones, as others see them.
    Public,
}

/// What a login is checked against.
#[derive(Clone, PartialEq, Eq)]
pub struct Credential {
    /// Whose.
    pub player: Player,
    /// The password's hash, with the parameters that made it.
    pub password_hash: String,
}

impl fmt::Debug for Credential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential").field("player", &self.player.id).finish_non_exhaustive()
    }
}

/// A login. Its tokens are numbered; only the one with the current generation is good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// Which.
    pub id: SessionId,
    /// Whose.
    pub player: PlayerId,
    /// The number of its newest token, from 0.
    pub generation: u32,
    /// When it began.
    pub created_ms: u64,
    /// When the last of its tokens expires; after that the row is of no use.
    pub until_ms: u64,
    /// When it was opened, rotated or revoked last.
    pub changed_ms: u64,
    /// Whether it was ended before its time.
    pub is_revoked: bool,
    /// What the login came from, such as `Firefox on Linux`; `None` for a session of an older server.
    pub browser: Option<String>,
}

/// A person with what they have played.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Who.
    pub player: Player,
    /// By game, in the games' order of keys.
    pub statistics: Vec<GameStatistics>,
    /// By game and speed, in the order of these keys.
    pub ratings: Vec<Rating>,
}

/// How somebody has done at a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GameStatistics {
    /// The game's key.
    pub game: String,
    /// Matches won.
    pub won: u32,
    /// Matches drawn.
    pub drawn: u32,
    /// Matches lost.
    pub lost: u32,
    /// Of those won, the public ones.
    pub public_won: u32,
    /// Of those drawn, the public ones.
    pub public_drawn: u32,
    /// Of those lost, the public ones.
    pub public_lost: u32,
}

/// How one match went for one person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Alone in first place.
    Won,
    /// In first place with others.
    Drawn,
    /// Behind somebody.
    Lost,
}

/// How strong somebody is thought to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Rating {
    /// Who.
    pub player: PlayerId,
    /// At which game.
    pub game: String,
    /// At which speed.
    pub speed: String,
    /// The estimate.
    pub rating: f64,
    /// Its uncertainty.
    pub deviation: f64,
    /// How erratic it is.
    pub volatility: f64,
    /// How often it was changed; the first one stored is 1.
    pub version: u32,
}

/// Where a match stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchStatus {
    /// It is being played.
    Running,
    /// It has an outcome, or was aborted.
    Over,
}

/// A match without its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchRow {
    /// Which.
    pub id: MatchId,
    /// The game's key.
    pub game: String,
    /// The rules it is played by.
    pub rules_version: u32,
    /// The options' canonical JSON.
    pub options: String,
    /// Set up from this text instead of dealt.
    pub from_position: Option<String>,
    /// The secret behind the deal.
    pub seed: Seed,
    /// What was published of it.
    pub commitment: Commitment,
    /// How it is played: clock, who may watch, whether it is rated. JSON that the rooms write.
    pub settings: String,
    /// Who sits where.
    pub seats: Vec<SeatHolder>,
    /// Whether anybody may watch it.
    pub is_public: bool,
    /// When it was made.
    pub created_ms: u64,
    /// Where it stands.
    pub status: MatchStatus,
    /// The server that runs its room.
    pub owner: Option<String>,
    /// Counts the owners; entries of an earlier one are refused.
    pub epoch: u32,
    /// Until when the owner may be believed alive.
    pub lease_until_ms: u64,
}

/// How a match ended, kept so that history stays readable without replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchResult {
    /// Which match.
    pub match_id: MatchId,
    /// When.
    pub ended_ms: u64,
    /// The outcome's reason key, or why it was aborted.
    pub reason: String,
    /// A place a seat, 1 for the best; none if it was aborted.
    pub places: Vec<u8>,
    /// What each viewer saw last: JSON that the rooms write.
    pub final_views: String,
    /// The steps in a line each: JSON that the rooms write.
    pub notations: String,
    /// The fingerprint of the last state.
    pub state_hash: StateHash,
}

/// A finished match in somebody's history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchSummary {
    /// Which.
    pub id: MatchId,
    /// The game's key.
    pub game: String,
    /// When it was made.
    pub created_ms: u64,
    /// When it ended.
    pub ended_ms: u64,
    /// Why it ended.
    pub reason: String,
    /// Who sat where and how they did.
    pub seats: Vec<SeatSummary>,
}

/// A running match in the list. It has no seed: what all may read needs no secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicMatch {
    /// Which.
    pub id: MatchId,
    /// The game's key.
    pub game: String,
    /// As in [`MatchRow`].
    pub settings: String,
    /// When it was made.
    pub created_ms: u64,
    /// Who sits where; nobody has a place yet.
    pub seats: Vec<SeatSummary>,
}

/// A seat of a match that is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatSummary {
    /// Who sits or sat there.
    pub holder: SeatHolder,
    /// The person's name today.
    pub name: Option<String>,
    /// The place, if the match has an outcome.
    pub place: Option<u8>,
}

/// How a body names a player: as the JSON text of the id.
pub fn player_in_body(player: PlayerId) -> String {
    format!("\"{player}\"")
}

/// An open offer to play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lobby {
    /// Which.
    pub id: LobbyId,
    /// Who made it.
    pub host: PlayerId,
    /// Whether it is in the list, or known only by its link.
    pub is_public: bool,
    /// Game, options, clock and who has joined: JSON that the lobby writes.
    pub body: String,
    /// When it was made.
    pub created_ms: u64,
    /// When it was changed last.
    pub touched_ms: u64,
    /// How often it was changed; a new one is 1.
    pub version: u32,
}

/// Somebody's wish to be paired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// Who.
    pub player: PlayerId,
    /// With whom it can be matched: those of the same pool.
    pub pool: String,
    /// What else the pairing needs to know: JSON that it writes.
    pub body: String,
    /// Since when.
    pub since_ms: u64,
    /// When it was asked for last.
    pub asked_ms: u64,
}

/// The rows that [`Store::ids`](crate::Store::ids) lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listed {
    /// Accounts and guests.
    Players,
    /// Matches, running or over.
    Matches,
    /// Lobbies, public or not.
    Lobbies,
}
