//! A lobby: an open offer to play, who has joined it, and what each of them may do with it (M3).
//!
//! Knows no store: a change raises the version, and the caller stores the parts before it tells
//! anybody. How many lobbies there are, and who may ask, is the caller's.

use domain::{LobbyId, PlayerId, bot_name};
use protocol::{BotSeat, LobbySummary};
use serde::{Deserialize, Serialize};

use crate::Terms;

/// Enough to offer a few games at once, too few to fill the public list alone. The caller counts.
pub const LOBBIES_PER_HOST_MAX: u32 = 3;

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
    /// As they came; the host is the first, and always there.
    members: Vec<Member>,
    kicked: Vec<PlayerId>,
    /// Where the host sits. The others take the free seats in order.
    #[serde(default)]
    host_seat: u8,
    /// The levels of the bots.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    bots: Vec<u8>,
    /// Where they sit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    bot_seats: Vec<u8>,
}

/// Somebody who has joined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Who.
    pub player: PlayerId,
    /// What the others read.
    pub name: String,
}

/// Who takes a seat of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sitter<'a> {
    /// A person.
    Member(&'a Member),
    /// A bot of this level.
    Bot(u8),
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
    /// It is taken, or there is none.
    #[error("seat {seat} is not free")]
    NoSuchSeat {
        /// Which, from 0.
        seat: u8,
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
            LobbyError::NoSuchSeat { .. } => "no_such_seat",
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
        let body = Body {
            terms,
            members: vec![host],
            kicked: Vec::new(),
            host_seat: 0,
            bots: Vec::new(),
            bot_seats: Vec::new(),
        };
        Lobby { id, is_public, created_ms: now_ms, version: 1, body, is_closed: false }
    }

    /// With the host in a certain seat, or the first that no bot wants, and bots from the beginning.
    pub fn with_seats(mut self, host: Option<u8>, bots: &[BotSeat]) -> Result<Lobby, LobbyError> {
        let seats = self.body.terms.seats();
        let (placed, others): (Vec<BotSeat>, Vec<BotSeat>) =
            bots.iter().partition(|bot| bot.seat.is_some());
        let is_left = |seat: &u8| placed.iter().all(|bot| bot.seat != Some(*seat));
        self.body.host_seat = host.or_else(|| (0..seats).find(is_left)).unwrap_or_default();
        if self.body.host_seat >= seats {
            return Err(LobbyError::NoSuchSeat { seat: self.body.host_seat });
        }
        placed.into_iter().chain(others).try_for_each(|bot| self.put_bot(bot))?;
        Ok(self)
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

    /// Lets a bot take a seat, the last free one if none is named. What levels there are is the
    /// caller's to know.
    pub fn add_bot(&mut self, by: PlayerId, bot: BotSeat) -> Result<(), LobbyError> {
        self.check_open()?;
        self.check_host(by)?;
        self.put_bot(bot)?;
        self.version += 1;
        Ok(())
    }

    /// Sends out the last bot of this name, or the one in this seat; false if there is none.
    pub fn kick_bot(
        &mut self,
        by: PlayerId,
        name: &str,
        seat: Option<u8>,
    ) -> Result<bool, LobbyError> {
        self.check_open()?;
        self.check_host(by)?;
        let Body { bots, bot_seats, .. } = &self.body;
        let is_meant = |at: &usize| {
            bot_name(&bots[*at].to_string()) == name && seat.is_none_or(|it| it == bot_seats[*at])
        };
        let Some(at) = (0..bots.len()).rfind(is_meant) else {
            return Ok(false);
        };
        self.body.bots.remove(at);
        self.body.bot_seats.remove(at);
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

    /// Removes every trace of a player whose account is gone; false if there is none. A host's
    /// lobby is deleted instead.
    pub fn forget(&mut self, player: PlayerId) -> bool {
        if self.is_host(player) {
            return false;
        }
        let Body { members, kicked, .. } = &mut self.body;
        let before = members.len() + kicked.len();
        members.retain(|member| member.player != player);
        kicked.retain(|it| *it != player);
        let is_changed = members.len() + kicked.len() < before;
        self.version += u32::from(is_changed);
        is_changed
    }

    /// Closes the lobby for its match.
    pub fn start(&mut self, by: PlayerId) -> Result<(), LobbyError> {
        self.check_open()?;
        self.check_host(by)?;
        if !self.is_full() {
            let (joined, seats) = (self.taken(), self.body.terms.seats());
            return Err(LobbyError::NotReady { joined, seats });
        }
        self.is_closed = true;
        Ok(())
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

    /// Who sits in each seat, if it is taken.
    pub fn order(&self) -> Vec<Option<Sitter<'_>>> {
        let Body { terms, members, host_seat, bots, bot_seats, .. } = &self.body;
        let mut order = vec![None; usize::from(terms.seats())];
        for (seat, level) in bot_seats.iter().zip(bots) {
            order[usize::from(*seat)] = Some(Sitter::Bot(*level));
        }
        order[usize::from(*host_seat)] = members.first().map(Sitter::Member);
        let mut others = members.iter().skip(1);
        for free in order.iter_mut().filter(|sitter| sitter.is_none()) {
            *free = others.next().map(Sitter::Member);
        }
        order
    }

    /// Whether bots play too.
    pub fn has_bots(&self) -> bool {
        !self.body.bots.is_empty()
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
        let name = |sitter: Sitter<'_>| match sitter {
            Sitter::Member(member) => member.name.clone(),
            Sitter::Bot(level) => bot_name(&level.to_string()),
        };
        let people = self.body.members.iter().map(Sitter::Member);
        let bots = self.body.bots.iter().copied().map(Sitter::Bot);
        let players: Vec<String> = people.chain(bots).map(name).collect();
        LobbySummary {
            id: self.id,
            host: players[0].clone(),
            terms: self.body.terms.to_message(),
            seats: self.body.terms.seats(),
            players,
            order: self.order().into_iter().map(|sitter| sitter.map(name)).collect(),
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
        let mut body: Body =
            serde_json::from_str(&parts.body).map_err(|error| corrupt(&error.to_string()))?;
        if body.members.first().map(|member| member.player) != Some(parts.host) {
            return Err(corrupt("the host is not the first member"));
        }
        let seats = body.terms.seats();
        if body.members.len() + body.bots.len() > usize::from(seats) {
            return Err(corrupt("more members than seats"));
        }
        // A server of the version before, which knows no seats of bots, has them in the last ones.
        if body.bot_seats.len() != body.bots.len() {
            body.bot_seats = (0..seats).skip(usize::from(seats) - body.bots.len()).collect();
            body.host_seat = 0;
        }
        let mut taken = [&[body.host_seat], &body.bot_seats[..]].concat();
        taken.sort_unstable();
        if taken.last() >= Some(&seats) || taken.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(corrupt("a seat that there is not, or is taken twice"));
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

    fn put_bot(&mut self, BotSeat { seat, level }: BotSeat) -> Result<(), LobbyError> {
        let order = self.order();
        let mut free = (0..).zip(&order).filter(|(_, it)| it.is_none()).map(|(seat, _)| seat);
        let seat = match seat {
            None => free.last().ok_or(LobbyError::Full { seats: self.body.terms.seats() })?,
            Some(seat) if free.any(|it| it == seat) => seat,
            Some(seat) => return Err(LobbyError::NoSuchSeat { seat }),
        };
        self.body.bots.push(level);
        self.body.bot_seats.push(seat);
        Ok(())
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
