//! A lobby: an open offer to play, who has joined it, and what each of them may do with it (M3).
//!
//! Knows no store: a change raises the version, and the caller stores the parts before it tells
//! anybody. How many lobbies there are, and who may ask, is the caller's.

use domain::{LobbyId, PlayerId, bot_name};
use protocol::LobbySummary;
use serde::{Deserialize, Serialize};

use crate::Terms;

/// Enough to offer a few games at once, too few to fill the public list alone. The caller counts.
pub const LOBBIES_PER_HOST_MAX: usize = 3;

/// Keeps a lobby's row small; whoever sends more people out has given the link to the wrong ones
/// and needs a new lobby. Beyond it, the first who was sent out is forgotten.
pub const KICKED_MAX: usize = 32;

/// An open offer to play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lobby {
    id: LobbyId,
    is_public: bool,
    created_ms: u64,
    version: u32,
    body: Body,
    is_closed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Body {
    terms: Terms,
    /// In the order of their seats; the host is the first, and always there.
    members: Vec<Member>,
    kicked: Vec<PlayerId>,
    /// The levels of the bots, in the seats after the members.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    bots: Vec<u8>,
}

/// Somebody who has joined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Who.
    pub player: PlayerId,
    /// What the others read.
    pub name: String,
}

/// A lobby as it is stored, a field a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LobbyParts {
    /// Which.
    pub id: LobbyId,
    /// Who made it.
    pub host: PlayerId,
    /// Whether it is in the list, or known only by its link.
    pub is_public: bool,
    /// All else, as JSON.
    pub body: String,
    /// When it was made.
    pub created_ms: u64,
    /// How often it was changed; a new one is 1.
    pub version: u32,
}

/// What somebody's leaving did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// A seat is free again.
    Seat,
    /// It was the host: there is no lobby any more.
    Closed,
}

/// Why a lobby refuses.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LobbyError {
    /// All seats are taken.
    #[error("all {seats} seats of this lobby are taken")]
    Full {
        /// How many it has.
        seats: u8,
    },
    /// There is none with this id; said by whoever looks it up.
    #[error("there is no such lobby")]
    NotFound,
    /// The host alone may do this.
    #[error("only the host of a lobby may do this")]
    NotHost,
    /// Seats are free.
    #[error("{joined} of {seats} have joined")]
    NotReady {
        /// How many are there.
        joined: usize,
        /// How many must be.
        seats: u8,
    },
    /// The one in question has not joined.
    #[error("this player is not in the lobby")]
    NotMember,
    /// It has started or was closed a moment ago.
    #[error("this lobby is closed")]
    Closed,
    /// The host leaves instead.
    #[error("a host cannot be sent out, but can leave")]
    CannotKickHost,
    /// The host has sent this player out.
    #[error("the host has sent you out of this lobby")]
    Kicked,
    /// The host has [`LOBBIES_PER_HOST_MAX`]; said by whoever counts them.
    #[error("nobody has more than {LOBBIES_PER_HOST_MAX} lobbies at a time")]
    TooMany,
    /// A stored body that no lobby has written.
    #[error("a stored lobby cannot be read: {0}")]
    Corrupt(String),
}

impl LobbyError {
    /// The stable key.
    pub const fn code(&self) -> &'static str {
        match self {
            LobbyError::Full { .. } => "lobby_full",
            LobbyError::NotFound => "lobby_not_found",
            LobbyError::NotHost => "not_lobby_host",
            LobbyError::NotReady { .. } => "lobby_not_ready",
            LobbyError::NotMember => "not_in_lobby",
            LobbyError::Closed => "lobby_closed",
            LobbyError::CannotKickHost => "cannot_kick_host",
            LobbyError::Kicked => "kicked",
            LobbyError::TooMany => "too_many_lobbies",
            LobbyError::Corrupt(_) => "internal",
        }
    }
}

impl Lobby {
    /// Opens one, with its host in the first seat.
    pub fn create(id: LobbyId, host: Member, terms: Terms, is_public: bool, now_ms: u64) -> Lobby {
        let body = Body { terms, members: vec![host], kicked: Vec::new(), bots: Vec::new() };
        Lobby { id, is_public, created_ms: now_ms, version: 1, body, is_closed: false }
    }

    /// With bots of these levels from the beginning.
    pub fn with_bots(mut self, levels: Vec<u8>) -> Result<Lobby, LobbyError> {
        self.body.bots = levels;
        let seats = self.body.terms.seats();
        if self.taken() > usize::from(seats) { Err(LobbyError::Full { seats }) } else { Ok(self) }
    }

    /// Takes a seat; false if the player has one already, and nothing has changed.
    pub fn join(&mut self, player: PlayerId, name: &str) -> Result<bool, LobbyError> {
        self.check_open()?;
        if self.is_member(player) {
            return Ok(false);
        }
        if self.body.kicked.contains(&player) {
            return Err(LobbyError::Kicked);
        }
        if self.is_full() {
            return Err(LobbyError::Full { seats: self.body.terms.seats() });
        }
        self.body.members.push(Member { player, name: name.to_owned() });
        self.version += 1;
        Ok(true)
    }

    /// Lets a bot of this level take a seat. What levels there are is the caller's to know.
    pub fn add_bot(&mut self, by: PlayerId, level: u8) -> Result<(), LobbyError> {
        self.check_open()?;
        self.check_host(by)?;
        if self.is_full() {
            return Err(LobbyError::Full { seats: self.body.terms.seats() });
        }
        self.body.bots.push(level);
        self.version += 1;
        Ok(())
    }

    /// Sends out the last bot of this name; false if there is none.
    pub fn kick_bot(&mut self, by: PlayerId, name: &str) -> Result<bool, LobbyError> {
        self.check_open()?;
        self.check_host(by)?;
        let at = self.body.bots.iter().rposition(|level| bot_name(&level.to_string()) == name);
        let Some(at) = at else {
            return Ok(false);
        };
        self.body.bots.remove(at);
        self.version += 1;
        Ok(true)
    }

    /// Gives a seat up; the host's leaving closes the lobby.
    pub fn leave(&mut self, player: PlayerId) -> Result<Left, LobbyError> {
        self.check_open()?;
        if self.is_host(player) {
            self.is_closed = true;
            return Ok(Left::Closed);
        }
        self.remove(player)?;
        Ok(Left::Seat)
    }

    /// Sends somebody out, who cannot come back.
    pub fn kick(&mut self, by: PlayerId, whom: PlayerId) -> Result<(), LobbyError> {
        self.check_open()?;
        self.check_host(by)?;
        if self.is_host(whom) {
            return Err(LobbyError::CannotKickHost);
        }
        self.remove(whom)?;
        if self.body.kicked.len() == KICKED_MAX {
            self.body.kicked.remove(0);
        }
        self.body.kicked.push(whom);
        Ok(())
    }

    /// Closes the lobby for its match: who sits where, the host in the first seat, bots in the last.
    pub fn start(&mut self, by: PlayerId) -> Result<Vec<PlayerId>, LobbyError> {
        self.check_open()?;
        self.check_host(by)?;
        if !self.is_full() {
            let (joined, seats) = (self.taken(), self.body.terms.seats());
            return Err(LobbyError::NotReady { joined, seats });
        }
        self.is_closed = true;
        Ok(self.body.members.iter().map(|member| member.player).collect())
    }

    /// Which.
    pub fn id(&self) -> LobbyId {
        self.id
    }

    /// Who made it.
    pub fn host(&self) -> PlayerId {
        // A lobby is made with a host, read only with one, and loses the host only by closing.
        self.body.members[0].player
    }

    /// Who has joined, the host first.
    pub fn members(&self) -> &[Member] {
        &self.body.members
    }

    /// The levels of the bots, which sit in the last seats.
    pub fn bots(&self) -> &[u8] {
        &self.body.bots
    }

    /// What is to be played.
    pub fn terms(&self) -> &Terms {
        &self.body.terms
    }

    /// Whether it is in the list, or known only by its link.
    pub fn is_public(&self) -> bool {
        self.is_public
    }

    /// Whether it can start.
    pub fn is_full(&self) -> bool {
        self.taken() >= usize::from(self.body.terms.seats())
    }

    fn taken(&self) -> usize {
        self.body.members.len() + self.body.bots.len()
    }

    /// Whether this player has joined.
    pub fn is_member(&self, player: PlayerId) -> bool {
        self.body.members.iter().any(|member| member.player == player)
    }

    /// The member of this name.
    pub fn member_named(&self, name: &str) -> Option<PlayerId> {
        self.body.members.iter().find(|member| member.name == name).map(|member| member.player)
    }

    /// As people are shown it.
    pub fn summary(&self) -> LobbySummary {
        let people = self.body.members.iter().map(|member| member.name.clone());
        let bots = self.body.bots.iter().map(|level| bot_name(&level.to_string()));
        let players: Vec<String> = people.chain(bots).collect();
        LobbySummary {
            id: self.id,
            host: players[0].clone(),
            terms: self.body.terms.to_message(),
            seats: self.body.terms.seats(),
            players,
            bots: self.body.bots.clone(),
            public: self.is_public,
            created_at_ms: self.created_ms,
        }
    }

    /// As it is stored.
    pub fn to_parts(&self) -> LobbyParts {
        LobbyParts {
            id: self.id,
            host: self.host(),
            is_public: self.is_public,
            // Texts, numbers and lists always have a JSON.
            body: serde_json::to_string(&self.body).unwrap_or_default(),
            created_ms: self.created_ms,
            version: self.version,
        }
    }

    /// Reads it back.
    pub fn from_parts(parts: &LobbyParts) -> Result<Lobby, LobbyError> {
        let corrupt = |reason: &str| LobbyError::Corrupt(format!("{}: {reason}", parts.id));
        let body: Body =
            serde_json::from_str(&parts.body).map_err(|error| corrupt(&error.to_string()))?;
        if body.members.first().map(|member| member.player) != Some(parts.host) {
            return Err(corrupt("the host is not in the first seat"));
        }
        if body.members.len() + body.bots.len() > usize::from(body.terms.seats()) {
            return Err(corrupt("more members than seats"));
        }
        let mut players: Vec<PlayerId> = body.members.iter().map(|member| member.player).collect();
        players.sort_unstable();
        players.dedup();
        if players.len() < body.members.len() {
            return Err(corrupt("somebody sits twice"));
        }
        Ok(Lobby {
            id: parts.id,
            is_public: parts.is_public,
            created_ms: parts.created_ms,
            version: parts.version,
            body,
            is_closed: false,
        })
    }

    fn is_host(&self, player: PlayerId) -> bool {
        self.host() == player
    }

    fn check_open(&self) -> Result<(), LobbyError> {
        if self.is_closed { Err(LobbyError::Closed) } else { Ok(()) }
    }

    fn check_host(&self, player: PlayerId) -> Result<(), LobbyError> {
        if self.is_host(player) { Ok(()) } else { Err(LobbyError::NotHost) }
    }

    fn remove(&mut self, player: PlayerId) -> Result<(), LobbyError> {
        let members = &mut self.body.members;
        let seat = members.iter().position(|member| member.player == player);
        members.remove(seat.ok_or(LobbyError::NotMember)?);
        self.version += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
