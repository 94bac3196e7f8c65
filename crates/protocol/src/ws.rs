//! What goes over the WebSocket: one JSON object a text frame, with its `type`.
//!
//! A view and an event are the game's own JSON and pass through as they are.

use std::borrow::Cow;

use domain::{LobbyId, MatchId};
use game_api::{Seat, Viewer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{ClockFace, Code, LobbySummary, MatchStarted, Secret, User};

/// Rises when a client of the version before could not go on.
pub const PROTOCOL_VERSION: u32 = 1;

/// What a client says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientMessage {
    /// Take part in a match, or watch it. Answered with a `snapshot`.
    Join {
        /// Which.
        #[serde(rename = "match")]
        match_id: MatchId,
        /// So many entries are known already.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<u32>,
        /// The secret of the match's watch link, for somebody who has it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<Secret>,
    },
    /// Hear no more of a match. Answered with `left`.
    Leave {
        /// Which.
        #[serde(rename = "match")]
        match_id: MatchId,
    },
    /// Act. Answered with `ack` or `refused`.
    Act {
        /// In which match.
        #[serde(rename = "match")]
        match_id: MatchId,
        /// So many entries were known when it was decided.
        ply: u32,
        /// The action's text.
        action: String,
        /// A number of the client's choice; the same one again is the same action.
        nonce: u64,
    },
    /// Ask what the own seat may do. Answered with `legal`.
    Legal {
        /// In which match.
        #[serde(rename = "match")]
        match_id: MatchId,
    },
    /// Give up.
    Resign {
        /// Which match.
        #[serde(rename = "match")]
        match_id: MatchId,
    },
    /// Claim the match, since somebody is gone.
    Claim {
        /// Which match.
        #[serde(rename = "match")]
        match_id: MatchId,
    },
    /// Offer something to the others.
    Offer {
        /// In which match.
        #[serde(rename = "match")]
        match_id: MatchId,
        /// What.
        kind: OfferKind,
    },
    /// Answer an offer; an own offer is taken back by a no. During a pause, a no to it ends it.
    Answer {
        /// In which match.
        #[serde(rename = "match")]
        match_id: MatchId,
        /// Which offer.
        kind: OfferKind,
        /// Yes or no.
        accept: bool,
    },
    /// Say something to all in the match.
    Chat {
        /// In which match.
        #[serde(rename = "match")]
        match_id: MatchId,
        /// What.
        text: String,
    },
    /// Be told of changes of lobbies. Answered with `lobbies` or `lobby`.
    Watch {
        /// `lobbies`, or `lobby:` and an id.
        topic: Topic,
    },
    /// No longer be told. Answered with `unwatched`.
    Unwatch {
        /// As it was named.
        topic: Topic,
    },
    /// Is anybody there? Answered with `pong`.
    Ping {},
}

/// What seats can agree on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OfferKind {
    /// Ends the match as a draw.
    Draw,
    /// Goes back to before the offering seat's last turn.
    Takeback,
    /// Ends the match without a result.
    Abort,
    /// Another match like this one, once it is over.
    Rematch,
    /// Stops the clock.
    Pause,
}

/// What can be watched. As text `lobbies`, or `lobby:` and an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topic {
    /// The first page of the public lobbies.
    Lobbies,
    /// One lobby.
    Lobby(LobbyId),
}

impl Serialize for Topic {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Topic::Lobbies => serializer.serialize_str("lobbies"),
            Topic::Lobby(id) => serializer.collect_str(&format_args!("lobby:{id}")),
        }
    }
}

impl<'de> Deserialize<'de> for Topic {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        let id = |text: &str| text.strip_prefix("lobby:")?.parse().ok();
        match &*text {
            "lobbies" => Ok(Topic::Lobbies),
            text => id(text).map(Topic::Lobby).ok_or_else(|| {
                serde::de::Error::custom("a topic is `lobbies`, or `lobby:` and an id")
            }),
        }
    }
}

/// What a server says. Read it with [`ServerMessage::parse`].
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerMessage<'a> {
    /// The first message of a connection.
    Welcome(Welcome),
    /// How a match stands for this viewer.
    Snapshot(Snapshot<'a>),
    /// An action, as this viewer may know it.
    Event(Event<'a>),
    /// The action is stored.
    Ack(Ack),
    /// The request changed nothing.
    Refused(Refused<'a>),
    /// What the own seat may do.
    Legal(Legal<'a>),
    /// An offer was made, answered, or has lapsed.
    Offer(Offer),
    /// Who is there.
    Presence(Presence),
    /// The match is over.
    Over(Over<'a>),
    /// The match that a rematch became.
    Rematch(Rematch),
    /// Somebody said something.
    Chat(Chat<'a>),
    /// The match is left.
    Left(Left),
    /// The list of public lobbies.
    Lobbies(Lobbies),
    /// A lobby, or that it is gone.
    Lobby(LobbyNews),
    /// The topic is no longer watched.
    Unwatched(Unwatched),
    /// The pairing queue has found a match.
    Paired(MatchStarted),
    /// Yes.
    Pong {},
    /// Something is wrong that belongs to no match.
    Error(WsError<'a>),
}

/// The first message of a connection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// [`PROTOCOL_VERSION`].
    pub protocol: u32,
    /// Who is connected.
    pub user: User,
    /// The server's time in milliseconds since 1970.
    pub time_ms: u64,
}

/// How a match stands for one viewer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Snapshot<'a> {
    /// Which match.
    #[serde(rename = "match")]
    pub match_id: MatchId,
    /// The game's key.
    pub game: Cow<'a, str>,
    /// So many entries have happened.
    pub ply: u32,
    /// Whose view this is.
    pub viewer: Viewer,
    /// The view.
    #[serde(borrow)]
    pub view: &'a RawValue,
    /// The events since the ply that the client named, if they are still at hand.
    #[serde(default, skip_serializing_if = "Vec::is_empty", borrow)]
    pub events: Vec<Missed<'a>>,
    /// Who sits where.
    pub seats: Vec<SeatInfo>,
    /// How many watch.
    pub spectators: u32,
    /// The clock.
    pub clock: ClockFace,
    /// Where it stands.
    pub status: Status,
    /// How it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The offers that wait for answers.
    pub offers: Vec<Offer>,
    /// What was said lately.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chat: Vec<ChatLine<'a>>,
    /// What was published of the deal.
    pub commitment: Cow<'a, str>,
}

/// An event that a client has missed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Missed<'a> {
    /// So many entries had happened after it.
    pub ply: u32,
    /// The event.
    #[serde(borrow)]
    pub event: &'a RawValue,
    /// The step in a line.
    pub notation: Cow<'a, str>,
}

/// An action, as one viewer may know it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Event<'a> {
    /// In which match.
    #[serde(rename = "match")]
    pub match_id: MatchId,
    /// So many entries have happened.
    pub ply: u32,
    /// The event.
    #[serde(borrow)]
    pub event: &'a RawValue,
    /// The view after it.
    #[serde(borrow)]
    pub view: &'a RawValue,
    /// The step in a line.
    pub notation: Cow<'a, str>,
    /// The clock.
    pub clock: ClockFace,
}

/// The action is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ack {
    /// In which match.
    #[serde(rename = "match")]
    pub match_id: MatchId,
    /// The client's number.
    pub nonce: u64,
    /// So many entries had happened after it.
    pub ply: u32,
}

/// The request changed nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused<'a> {
    /// In which match.
    #[serde(rename = "match")]
    pub match_id: MatchId,
    /// The client's number, if the request had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nonce: Option<u64>,
    /// Why, for a program.
    pub code: Cow<'a, str>,
    /// Why, for people.
    pub message: Cow<'a, str>,
    /// So many entries have happened; left out if the match is not at hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ply: Option<u32>,
}

/// What a seat may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Legal<'a> {
    /// In which match.
    #[serde(rename = "match")]
    pub match_id: MatchId,
    /// So many entries have happened.
    pub ply: u32,
    /// Are these all?
    pub complete: bool,
    /// The actions' texts.
    pub actions: Vec<Cow<'a, str>>,
}

/// An offer, as it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    /// In which match.
    #[serde(rename = "match")]
    pub match_id: MatchId,
    /// What.
    pub kind: OfferKind,
    /// Who offers it.
    pub seat: Seat,
    /// How it stands.
    pub state: OfferState,
}

/// How an offer stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OfferState {
    /// It waits for answers.
    Open,
    /// All have said yes.
    Accepted,
    /// Somebody has said no.
    Declined,
    /// It was taken back, or the match went on without it.
    Withdrawn,
}

/// Who is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Presence {
    /// In which match.
    #[serde(rename = "match")]
    pub match_id: MatchId,
    /// For each seat, whether somebody is connected.
    pub present: Vec<bool>,
    /// How many watch.
    pub spectators: u32,
}

/// A seat and who sits there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeatInfo {
    /// The name, unless the account is gone; a bot's is like `Bot, level 5`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The bot that sits there: its level from `1` to `8`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bot: Option<String>,
    /// Whether somebody is connected; always for a bot.
    pub present: bool,
}

/// Where a match stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It is being played.
    Running,
    /// All agreed to stop the clock.
    Paused,
    /// It has an outcome, or was aborted.
    Over,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Outcome {
    /// A place for each seat, 1 being the best; empty if the match was aborted.
    pub places: Vec<u8>,
    /// The reason's key.
    pub reason: String,
}

/// The match is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Over<'a> {
    /// Which.
    #[serde(rename = "match")]
    pub match_id: MatchId,
    /// How.
    pub outcome: Cow<'a, Outcome>,
}

/// The match that a rematch became.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rematch {
    /// The match that is over.
    #[serde(rename = "match")]
    pub match_id: MatchId,
    /// The new one.
    pub next: MatchId,
}

/// Something that somebody said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chat<'a> {
    /// In which match.
    #[serde(rename = "match")]
    pub match_id: MatchId,
    /// The line.
    #[serde(flatten)]
    pub line: ChatLine<'a>,
}

/// A line of a chat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChatLine<'a> {
    /// Who.
    pub seat: Seat,
    /// What.
    pub text: Cow<'a, str>,
    /// When, in milliseconds since 1970.
    pub at_ms: u64,
}

/// The match is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Left {
    /// Which.
    #[serde(rename = "match")]
    pub match_id: MatchId,
}

/// The list of public lobbies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lobbies {
    /// The latest first.
    pub lobbies: Vec<LobbySummary>,
    /// Where the next page of `GET lobbies` begins, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u32>,
}

/// A lobby, or that it is gone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LobbyNews {
    /// Which.
    pub id: LobbyId,
    /// As it is now; left out once it is closed or its match has started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lobby: Option<LobbySummary>,
    /// The match that it became.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    pub match_id: Option<MatchId>,
}

/// The topic is no longer watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unwatched {
    /// Which.
    pub topic: Topic,
}

/// Something is wrong that belongs to no match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WsError<'a> {
    /// Why, for a program.
    pub code: Code,
    /// Why, for people.
    pub message: Cow<'a, str>,
}

impl<'a> ServerMessage<'a> {
    /// Reads a message; fields that are not known are skipped.
    pub fn parse(text: &'a str) -> serde_json::Result<ServerMessage<'a>> {
        #[derive(Deserialize)]
        struct Head<'a> {
            #[serde(rename = "type", borrow)]
            kind: Cow<'a, str>,
        }
        let read = serde_json::from_str::<Head<'_>>(text)?;
        Ok(match &*read.kind {
            "welcome" => ServerMessage::Welcome(serde_json::from_str(text)?),
            "snapshot" => ServerMessage::Snapshot(serde_json::from_str(text)?),
            "event" => ServerMessage::Event(serde_json::from_str(text)?),
            "ack" => ServerMessage::Ack(serde_json::from_str(text)?),
            "refused" => ServerMessage::Refused(serde_json::from_str(text)?),
            "legal" => ServerMessage::Legal(serde_json::from_str(text)?),
            "offer" => ServerMessage::Offer(serde_json::from_str(text)?),
            "presence" => ServerMessage::Presence(serde_json::from_str(text)?),
            "over" => ServerMessage::Over(serde_json::from_str(text)?),
            "rematch" => ServerMessage::Rematch(serde_json::from_str(text)?),
            "chat" => ServerMessage::Chat(serde_json::from_str(text)?),
            "left" => ServerMessage::Left(serde_json::from_str(text)?),
            "lobbies" => ServerMessage::Lobbies(serde_json::from_str(text)?),
            "lobby" => ServerMessage::Lobby(serde_json::from_str(text)?),
            "unwatched" => ServerMessage::Unwatched(serde_json::from_str(text)?),
            "paired" => ServerMessage::Paired(serde_json::from_str(text)?),
            "pong" => ServerMessage::Pong {},
            "error" => ServerMessage::Error(serde_json::from_str(text)?),
            kind => {
                let unknown = format!("there is no message `{kind}`");
                return Err(serde::de::Error::custom(unknown));
            }
        })
    }
}
