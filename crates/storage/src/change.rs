//! What writes are made of.

use audit::AuditRecord;
use domain::{AuditId, LobbyId, MatchId, PlayerId, Role, SessionId};
use game_api::{Commitment, Entry, Seed};

use crate::{
    DeviceKey, Lobby, MatchResult, Pairing, Player, Rating, Score, SeatHolder, Session, WatchKey,
};

/// Changes that happen together, in this order, or not at all.
pub type Unit = Vec<Change>;

/// One change, and which error it can give beside `Unavailable`.
#[derive(Clone)]
pub enum Change {
    /// Adds a person. `Conflict(Player)`, `Conflict(Name)`, `Conflict(Device)`.
    CreatePlayer(NewPlayer),
    /// Changes what others see; `None` stays. `NotFound(Player)`, `Conflict(Name)`.
    UpdateProfile {
        /// Of whom.
        player: PlayerId,
        /// The new name.
        name: Option<String>,
        /// The new picture.
        avatar: Option<String>,
    },
    /// Changes nothing, but refuses the unit unless the player may take this name: no other's name
    /// looks like it, and none is reserved for another that does. `Conflict(Name)`.
    ClaimName {
        /// For whom.
        player: PlayerId,
        /// The name.
        name: String,
        /// When.
        now_ms: u64,
    },
    /// Gives somebody another name, and reserves the old one for them. The same name again is no
    /// change. `NotFound(Player)`, `Conflict(Name)` as for [`Change::ClaimName`]; `Conflict(Rename)`
    /// if the last rename was later than `last_until_ms`.
    Rename {
        /// Whom.
        player: PlayerId,
        /// The new name.
        name: String,
        /// When.
        now_ms: u64,
        /// The last rename must not have been later.
        last_until_ms: u64,
        /// How long the old name is reserved.
        reserved_until_ms: u64,
    },
    /// Lets somebody do more or less. `NotFound(Player)`.
    SetRole {
        /// Who.
        player: PlayerId,
        /// What they are now.
        role: Role,
    },
    /// Sets the password, the first or a new one. `NotFound(Player)`.
    StoreCredential {
        /// Whose.
        player: PlayerId,
        /// The password's hash.
        password_hash: String,
    },
    /// Cuts a guest from its device, since it has an account now. `NotFound(Player)`.
    ForgetDevice {
        /// Whose.
        player: PlayerId,
    },
    /// Changes nothing, but refuses the unit if the player is gone; a deletion at the same time
    /// comes before or after the whole unit. `NotFound(Player)`.
    HoldPlayer {
        /// Who.
        player: PlayerId,
    },
    /// Removes a person and all that is theirs alone: credential, statistics, ratings, lobbies,
    /// pairing. Their sessions are revoked, their seats are `Gone`. `NotFound(Player)`;
    /// `Conflict(Lobby)` if the lobby of another still names them: the same unit must take them out
    /// of it first.
    DeletePlayer {
        /// Who.
        player: PlayerId,
        /// When.
        now_ms: u64,
    },

    /// Refuses the unit unless this is a guest without a running match who has not been here since.
    /// `NotFound(Player)`, `Conflict(Player)`.
    RequireIdleGuest {
        /// Who.
        player: PlayerId,
        /// No session was opened, rotated or revoked, and no match ended, at this time or later.
        since_ms: u64,
    },

    /// Begins a login. `Conflict(Session)`.
    OpenSession(Session),
    /// Gives a session its next token. `NotFound(Session)`; `Conflict(Session)` if it is revoked or
    /// at another generation.
    RotateSession {
        /// Which.
        id: SessionId,
        /// The generation that it must have now; it gets the next.
        generation: u32,
        /// When the new token expires. The session is remembered until the last of its tokens has:
        /// a shorter lifetime must not bring an older one back to life.
        until_ms: u64,
        /// When.
        now_ms: u64,
    },
    /// Changes nothing, but refuses the unit if the login has ended; its end at the same time comes
    /// before or after the whole unit. `NotFound(Session)`; `Conflict(Session)` if it is revoked.
    HoldSession {
        /// Which.
        id: SessionId,
    },
    /// Ends a login for good. `NotFound(Session)`.
    RevokeSession {
        /// Which.
        id: SessionId,
        /// When.
        now_ms: u64,
    },
    /// Ends all logins of a person, but perhaps one.
    RevokeSessionsOf {
        /// Whose.
        player: PlayerId,
        /// The one that stays.
        except: Option<SessionId>,
        /// When.
        now_ms: u64,
    },

    /// Refuses the unit if one more would be too many, counting what the unit did before it. Units
    /// with a limit for the same player happen one after the other, also on several servers.
    /// `NotFound(Player)`, `Conflict(Limit)`.
    Limit {
        /// Whose.
        player: PlayerId,
        /// What is counted.
        of: Counted,
        /// How many there may be.
        most: u32,
    },

    /// Adds a match, in its first epoch. `Conflict(Match)`; `NotFound(Player)` for its seats and for
    /// who began it.
    CreateMatch(NewMatch),
    /// Makes a server the owner, in the next epoch. `NotFound(Match)`; `Conflict(Match)` if it is
    /// over or at another epoch.
    TakeLease {
        /// Of which match.
        match_id: MatchId,
        /// Who takes it.
        owner: String,
        /// The epoch that it must have now.
        epoch: u32,
        /// Until when.
        until_ms: u64,
    },
    /// Keeps a lease. Errors as for [`Change::TakeLease`].
    RenewLease {
        /// Of which match.
        match_id: MatchId,
        /// The epoch that it must have.
        epoch: u32,
        /// Until when.
        until_ms: u64,
    },
    /// Adds an entry to a running match. If the same entry, by epoch and nonce, is at its place
    /// already, then this unit was stored before: all of it is answered `Ok` and nothing is done
    /// again. `NotFound(Match)`; `Conflict(Match)` if it is over or of another epoch;
    /// `Conflict(Entry)` if the place holds another entry or is not the next.
    Append {
        /// To which match.
        match_id: MatchId,
        /// The entry, with its place, epoch and nonce.
        entry: Entry,
    },
    /// Gives a match the one watch link that opens it from now on, or none. `NotFound(Match)`.
    SetWatchKey {
        /// Which match.
        match_id: MatchId,
        /// The hash of the link's secret.
        key: Option<WatchKey>,
    },
    /// Ends a running match. `NotFound(Match)`, `Conflict(Match)`.
    EndMatch(MatchResult),
    /// Removes a match that is over, with its entries and its result. `NotFound(Match)`;
    /// `Conflict(Match)` if it is running or an account has a seat in it.
    DeleteMatch {
        /// Which.
        match_id: MatchId,
    },
    /// Counts a finished match. Of somebody who is gone nothing is kept, and that is no error.
    CountResult {
        /// For whom.
        player: PlayerId,
        /// At which game.
        game: String,
        /// How it went.
        score: Score,
        /// Whether the match was public.
        is_public: bool,
    },
    /// Stores a rating whose version is one more than the stored one's. `Conflict(Rating)`; of
    /// somebody who is gone nothing is kept, and that is no error.
    SetRating(Rating),

    /// Stores a lobby whose version is one more than the stored one's; version 1 is a new one.
    /// `NotFound(Lobby)`, `Conflict(Lobby)`, `NotFound(Player)` for its host.
    PutLobby(Lobby),
    /// Removes a lobby. `NotFound(Lobby)`.
    DeleteLobby {
        /// Which.
        id: LobbyId,
    },
    /// Asks to be paired; a new wish replaces the old. `NotFound(Player)`.
    PutPairing(Pairing),
    /// Takes a wish back, or fulfils it. `NotFound(Pairing)`.
    DeletePairing {
        /// Whose.
        player: PlayerId,
    },

    /// Sets a value of the house. `Conflict(HouseValue)` unless the value until now is `before`.
    SetHouseValue {
        /// Its name.
        name: String,
        /// The value until now; `None` if there is none.
        before: Option<String>,
        /// The new value.
        value: String,
    },
    /// Writes an audit record. `Conflict(AuditRecord)`.
    Audit(AuditRecord),
    /// Removes fields of a record's payload and marks it. `NotFound(AuditRecord)`.
    RedactAudit {
        /// Which.
        id: AuditId,
        /// The fields, as [`audit::redact`] reads them.
        fields: Vec<String>,
    },
}

/// What a [`Change::Limit`] counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// The lobbies that a player is the host of.
    Lobbies,
    /// The running matches that a player has a seat in.
    RunningMatches,
}

/// A person to be added.
#[derive(Clone, Debug)]
pub struct NewPlayer {
    /// Who.
    pub player: Player,
    /// A guest's device.
    pub device: Option<DeviceKey>,
}

/// A match to be added.
#[derive(Clone, Debug)]
pub struct NewMatch {
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
    /// What is published of it.
    pub commitment: Commitment,
    /// JSON that the rooms write.
    pub settings: String,
    /// Who sits where.
    pub seats: Vec<SeatHolder>,
    /// Whether anybody may watch it.
    pub is_public: bool,
    /// Who began it without a seat in it, and may watch it all the same.
    pub founder: Option<PlayerId>,
    /// When it is made.
    pub created_ms: u64,
    /// The server that runs its room.
    pub owner: Option<String>,
    /// Until when the owner may be believed alive.
    pub lease_until_ms: u64,
}
