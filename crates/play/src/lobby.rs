//! A lobby: an open offer to play, who has joined it, and what each of them may do with it (M3).
//!
//! Knows no store: a change raises the version, and the caller stores the parts before it tells
//! anybody. How many lobbies there are, and who may ask, is the caller's.

use domain::{LobbyId, PlayerId};
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
        let body = Body { terms, members: vec![host], kicked: Vec::new() };
        Lobby { id, is_public, created_ms: now_ms, version: 1, body, is_closed: false }
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

    /// Closes the lobby for its match: who sits where, the host in the first seat.
    pub fn start(&mut self, by: PlayerId) -> Result<Vec<PlayerId>, LobbyError> {
        self.check_open()?;
        self.check_host(by)?;
        if !self.is_full() {
            let (joined, seats) = (self.body.members.len(), self.body.terms.seats());
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
        self.body.members.len() >= usize::from(self.body.terms.seats())
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
        let players: Vec<String> =
            self.body.members.iter().map(|member| member.name.clone()).collect();
        LobbySummary {
            id: self.id,
            host: players[0].clone(),
            terms: self.body.terms.to_message(),
            seats: self.body.terms.seats(),
            players,
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
        if body.members.len() > usize::from(body.terms.seats()) {
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
mod tests {
    use domain::{LobbyId, PlayerId};
    use game_api::Erased;

    use super::{KICKED_MAX, Left, Lobby, LobbyError, LobbyParts, Member};
    use crate::Terms;

    fn player(number: i64) -> PlayerId {
        PlayerId::from_number(number).unwrap()
    }

    /// Of three seats, by player 0.
    fn lobby() -> Lobby {
        let terms = serde_json::from_str(r#"{"game": "template", "seats": 3}"#).unwrap();
        let terms = Terms::parse(terms, &Erased::new(template::Template)).unwrap();
        let host = Member { player: player(0), name: "p0".to_owned() };
        Lobby::create(LobbyId::random(7), host, terms, true, 1_000)
    }

    /// Does a line of steps such as `1 joins` or `0 kicks 1`; what came of the last one, and the
    /// members and version after it.
    #[track_caller]
    fn check(steps: &str, expected: &str, members: &[i64], version: u32) {
        let mut lobby = lobby();
        let mut last = String::new();
        for step in steps.split(", ") {
            let words: Vec<&str> = step.split(' ').collect();
            let who = player(words[0].parse().unwrap());
            let answer = match words[1] {
                "joins" => lobby.join(who, &format!("p{}", words[0])).map(|is| format!("{is}")),
                "leaves" => lobby.leave(who).map(|left| format!("{left:?}")),
                "kicks" => {
                    lobby.kick(who, player(words[2].parse().unwrap())).map(|()| "out".into())
                }
                _ => lobby.start(who).map(|seats| format!("{} seats", seats.len())),
            };
            last = answer.unwrap_or_else(|error| error.code().to_owned());
        }
        assert_eq!(last, expected, "{steps}");
        let found: Vec<i64> = lobby.members().iter().map(|it| it.player.number()).collect();
        assert_eq!((found.as_slice(), lobby.version), (members, version), "{steps}");
    }

    #[test]
    fn joining_takes_the_next_seat_until_all_are_taken() {
        check("1 joins", "true", &[0, 1], 2);
        check("2 joins, 1 joins", "true", &[0, 2, 1], 3);
        check("2 joins, 1 joins, 3 joins", "lobby_full", &[0, 2, 1], 3);
    }

    #[test]
    fn joining_twice_changes_nothing() {
        check("0 joins", "false", &[0], 1);
        check("1 joins, 1 joins", "false", &[0, 1], 2);
        check("1 joins, 2 joins, 1 joins", "false", &[0, 1, 2], 3);
    }

    #[test]
    fn leaving_frees_a_seat_and_the_hosts_leaving_closes_the_lobby() {
        check("1 joins, 1 leaves", "Seat", &[0], 3);
        check("1 leaves", "not_in_lobby", &[0], 1);
        check("1 joins, 0 leaves", "Closed", &[0, 1], 2);
        check("1 joins, 0 leaves, 2 joins", "lobby_closed", &[0, 1], 2);
        check("1 joins, 0 leaves, 0 leaves", "lobby_closed", &[0, 1], 2);
    }

    #[test]
    fn only_the_host_kicks_and_never_the_host() {
        check("1 joins, 0 kicks 1", "out", &[0], 3);
        check("1 joins, 2 joins, 1 kicks 2", "not_lobby_host", &[0, 1, 2], 3);
        check("1 joins, 1 kicks 0", "not_lobby_host", &[0, 1], 2);
        check("9 kicks 0", "not_lobby_host", &[0], 1);
        check("0 kicks 0", "cannot_kick_host", &[0], 1);
        check("0 kicks 1", "not_in_lobby", &[0], 1);
    }

    #[test]
    fn who_was_kicked_cannot_come_back() {
        check("1 joins, 0 kicks 1, 1 joins", "kicked", &[0], 3);
        check("1 joins, 0 kicks 1, 2 joins", "true", &[0, 2], 4);
    }

    #[test]
    fn the_first_who_was_kicked_is_forgotten_when_there_are_too_many() {
        let mut lobby = lobby();
        for number in 1..=i64::try_from(KICKED_MAX).unwrap() + 1 {
            lobby.join(player(number), "somebody").unwrap();
            lobby.kick(player(0), player(number)).unwrap();
        }
        assert_eq!(lobby.join(player(2), "p2"), Err(LobbyError::Kicked));
        assert_eq!(lobby.join(player(1), "p1"), Ok(true));
    }

    #[test]
    fn the_host_starts_when_all_seats_are_taken() {
        check("0 starts", "lobby_not_ready", &[0], 1);
        check("1 joins, 2 joins, 1 starts", "not_lobby_host", &[0, 1, 2], 3);
        check("1 joins, 2 joins, 9 starts", "not_lobby_host", &[0, 1, 2], 3);
        check("1 joins, 2 joins, 0 starts", "3 seats", &[0, 1, 2], 3);
        check("1 joins, 2 joins, 0 starts, 0 starts", "lobby_closed", &[0, 1, 2], 3);
        check("1 joins, 2 joins, 0 starts, 1 leaves", "lobby_closed", &[0, 1, 2], 3);
    }

    #[test]
    fn the_host_sits_first_and_the_others_as_they_came() {
        let mut lobby = lobby();
        lobby.join(player(5), "p5").unwrap();
        lobby.join(player(3), "p3").unwrap();
        assert_eq!(lobby.start(player(0)), Ok(vec![player(0), player(5), player(3)]));
    }

    #[test]
    fn a_lobby_survives_its_row() {
        let mut lobby = lobby();
        lobby.join(player(1), "Zoë \"Z\"").unwrap();
        lobby.join(player(2), "p2").unwrap();
        lobby.kick(player(0), player(2)).unwrap();
        let parts = lobby.to_parts();
        assert_eq!((parts.host, parts.version, parts.is_public), (player(0), 4, true));
        assert_eq!(Lobby::from_parts(&parts), Ok(lobby));
    }

    #[test]
    fn a_row_that_no_lobby_wrote_is_an_error() {
        let good = || lobby().to_parts();
        let member = r#"{"player":"0000000000000","name":"p0"}"#;
        for (old, new) in [
            ("{", ""),
            ("members", "member"),
            (member, ""),
            (member, &[member; 2].join(",")),
            (member, &[member; 4].join(",")),
            ("0000000000000", "0000000000001"),
            ("0000000000000", "nobody"),
        ] {
            let body = good().body.replacen(old, new, 1);
            assert_ne!(body, good().body);
            let read = Lobby::from_parts(&LobbyParts { body: body.clone(), ..good() });
            assert_eq!(read.map_err(|error| error.code()), Err("internal"), "{body}");
        }
    }

    #[test]
    fn the_summary_names_everybody_in_the_order_of_seats() {
        let mut lobby = lobby();
        lobby.join(player(1), "p1").unwrap();
        let summary = lobby.summary();
        assert_eq!((summary.host.as_str(), summary.seats, summary.public), ("p0", 3, true));
        assert_eq!(summary.players, ["p0", "p1"]);
        assert_eq!((summary.created_at_ms, summary.terms.seats), (1_000, Some(3)));
        assert_eq!(lobby.member_named("p1"), Some(player(1)));
        assert_eq!(lobby.member_named("p2"), None);
        assert_eq!(lobby.leave(player(1)), Ok(Left::Seat));
    }
}
