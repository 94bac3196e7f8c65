//! The machine: one connection at a time, when it is made and whether it is alive. What the server
//! says is in `hearing`, what the application wants in `wishing`, what is known of a match in
//! `followed`.

mod hearing;
mod wishing;

use std::collections::BTreeMap;

use domain::{MatchId, PlayerId};
use fastrand::Rng;
use protocol::ws::{ClientMessage, ServerMessage, Topic};

use crate::backoff::Backoff;
use crate::effect::{ActionState, Connection, Effect, News};
use crate::followed::{Followed, PENDING_MAX};
use crate::input::{Input, SocketId};

/// Matches that are followed at once: the one on the page, and a list of those that wait for a move.
pub const FOLLOWED_MAX: usize = 32;
/// Topics that are watched at once; the server allows no more.
pub const TOPICS_MAX: usize = 16;
/// Bytes of a message. The server closes after a longer one, and sending it again would never end.
pub const MESSAGE_BYTES_MAX: usize = 16_384;

/// Of the 300 messages that the server takes at once, what is said again after a break leaves a
/// third to the user.
const _: () = assert!(FOLLOWED_MAX * (1 + PENDING_MAX) + TOPICS_MAX <= 200);

/// From silence to a ping. With [`PONG_MS`] a dead connection is shown within 5 s; a ping every
/// 2.5 s is less than a hundredth of the messages that the server allows.
const QUIET_MS: u64 = 2_500;
/// From a ping to giving up: a bad mobile network's slowest answer.
const PONG_MS: u64 = 2_000;
/// From opening a socket to the welcome. A browser alone would wait for minutes.
const HANDSHAKE_MS: u64 = 5_000;
/// A connection that lasted this long was a good one. If it breaks earlier, something about it may
/// be wrong, and the tries go on slowing down.
const STEADY_MS: u64 = 10_000;

/// The close code of a session that is over.
const SESSION_ENDED: u16 = 4001;

/// One user's connection to the server; for another user make another link.
pub struct Link {
    /// Time never goes back in here.
    now_ms: u64,
    /// When the last wake-up was asked for.
    wake_ms: Option<u64>,
    rng: Rng,
    next_nonce: u64,
    phase: Phase,
    /// What the application believes.
    told: Connection,
    has_network: bool,
    sockets_opened: u64,
    backoff: Backoff,
    lost_ms: Option<u64>,
    user: Option<PlayerId>,
    matches: BTreeMap<MatchId, Followed>,
    topics: Vec<Topic>,
}

#[derive(Clone, Copy)]
enum Phase {
    /// Not wanted, or not possible, for the reason that is shown.
    Off(Connection),
    Waiting {
        next_try_ms: u64,
    },
    /// Until the welcome.
    Opening {
        socket: SocketId,
        since_ms: u64,
    },
    Online {
        socket: SocketId,
        since_ms: u64,
        heard_ms: u64,
        /// When a ping was sent, if nothing was heard since.
        pinged_ms: Option<u64>,
    },
}

impl Link {
    /// A link that is not connected. `seed` is of chance: from it come the moments of tries, and
    /// numbers for actions that no other tab or visit of the same player uses.
    pub fn new(seed: u64) -> Link {
        let mut rng = Rng::with_seed(seed);
        Link {
            now_ms: 0,
            wake_ms: None,
            // Above 0; and however long it counts on, JSON's readers are exact below 2^53.
            next_nonce: rng.u64(1..1 << 48),
            rng,
            phase: Phase::Off(Connection::Offline),
            told: Connection::Offline,
            has_network: true,
            sockets_opened: 0,
            backoff: Backoff::default(),
            lost_ms: None,
            user: None,
            matches: BTreeMap::new(),
            topics: Vec::new(),
        }
    }

    /// Takes an input and lists what is to be done, in order. `now_ms` counts from anywhere.
    pub fn handle<'a>(&mut self, now_ms: u64, input: Input<'a>) -> Vec<Effect<'a>> {
        self.now_ms = self.now_ms.max(now_ms);
        let mut effects = Vec::new();
        match input {
            Input::Connect => self.connect(&mut effects),
            Input::Disconnect => self.end(Connection::Offline, &mut effects),
            Input::Received { socket, text } if self.socket() == Some(socket) => {
                self.hear(text, &mut effects);
            }
            Input::Closed { socket, code } if self.socket() == Some(socket) => match code {
                SESSION_ENDED => self.phase = Phase::Off(Connection::LoggedOut),
                _ => self.wait(),
            },
            Input::Received { .. } | Input::Closed { .. } => {}
            Input::Network { is_up } => self.notice_network(is_up, &mut effects),
            Input::Tick => self.tick(&mut effects),
            Input::Wish(wish) => {
                if let Err(why) = self.fulfil(&wish, &mut effects) {
                    effects.push(Effect::Tell(News::Failed { wish, why }));
                }
            }
        }
        self.tell_connection(&mut effects);
        self.ask_to_wake(&mut effects);
        effects
    }

    fn connect(&mut self, effects: &mut Vec<Effect<'_>>) {
        match self.phase {
            Phase::Off(_) => {
                self.lost_ms = None;
                self.backoff = Backoff::default();
                self.open(effects);
            }
            Phase::Waiting { .. } => self.open(effects),
            Phase::Opening { .. } | Phase::Online { .. } => {}
        }
    }

    fn open(&mut self, effects: &mut Vec<Effect<'_>>) {
        self.close(effects);
        self.sockets_opened += 1;
        let socket = SocketId(self.sockets_opened);
        self.phase = Phase::Opening { socket, since_ms: self.now_ms };
        effects.push(Effect::Open(socket));
    }

    fn close(&self, effects: &mut Vec<Effect<'_>>) {
        effects.extend(self.socket().map(Effect::Close));
    }

    fn end(&mut self, shown: Connection, effects: &mut Vec<Effect<'_>>) {
        self.close(effects);
        self.phase = Phase::Off(shown);
    }

    fn wait(&mut self) {
        if let Phase::Online { since_ms, .. } = self.phase
            && since_ms + STEADY_MS <= self.now_ms
        {
            self.backoff = Backoff::default();
        }
        self.lost_ms.get_or_insert(self.now_ms);
        let next_try_ms = self.now_ms + self.backoff.next_ms(&mut self.rng);
        self.phase = Phase::Waiting { next_try_ms };
    }

    fn socket(&self) -> Option<SocketId> {
        match self.phase {
            Phase::Opening { socket, .. } | Phase::Online { socket, .. } => Some(socket),
            Phase::Off(_) | Phase::Waiting { .. } => None,
        }
    }

    fn is_online(&self) -> bool {
        matches!(self.phase, Phase::Online { .. })
    }

    fn notice_network(&mut self, is_up: bool, effects: &mut Vec<Effect<'_>>) {
        self.has_network = is_up;
        match self.phase {
            // Another network can have left the old connection without an end.
            Phase::Online { .. } => self.ping(effects),
            Phase::Waiting { .. } | Phase::Opening { .. } if is_up => {
                self.backoff = Backoff::default();
                self.open(effects);
            }
            _ => {}
        }
    }

    fn ping(&mut self, effects: &mut Vec<Effect<'_>>) {
        if let Phase::Online { pinged_ms: pinged_ms @ None, .. } = &mut self.phase {
            *pinged_ms = Some(self.now_ms);
            effects.push(say(&ClientMessage::Ping {}));
        }
    }

    fn tick(&mut self, effects: &mut Vec<Effect<'_>>) {
        self.wake_ms = None;
        let is_due = self.phase_due_ms().is_some_and(|due_ms| due_ms <= self.now_ms);
        match self.phase {
            Phase::Waiting { .. } if is_due => self.open(effects),
            Phase::Online { pinged_ms: None, .. } if is_due => self.ping(effects),
            Phase::Opening { .. } | Phase::Online { .. } if is_due => {
                self.close(effects);
                self.wait();
            }
            _ => {}
        }
        if self.is_online() {
            for (match_id, followed) in &mut self.matches {
                if followed.retry_ms.is_some_and(|retry_ms| retry_ms <= self.now_ms) {
                    effects.push(say(&followed.join(*match_id)));
                    effects.extend(followed.resend().map(Effect::Send));
                }
            }
        }
    }

    fn phase_due_ms(&self) -> Option<u64> {
        match self.phase {
            Phase::Off(_) => None,
            Phase::Waiting { next_try_ms } => Some(next_try_ms),
            Phase::Opening { since_ms, .. } => Some(since_ms + HANDSHAKE_MS),
            Phase::Online { pinged_ms: Some(pinged_ms), .. } => Some(pinged_ms + PONG_MS),
            Phase::Online { heard_ms, .. } => Some(heard_ms + QUIET_MS),
        }
    }

    /// Asks for a wake-up, unless one comes earlier: every message puts the next one off, and each
    /// would be a new timer.
    fn ask_to_wake(&mut self, effects: &mut Vec<Effect<'_>>) {
        let retries = self.matches.values().filter(|_| self.is_online());
        let due_ms = self.phase_due_ms().into_iter().chain(retries.filter_map(|it| it.retry_ms));
        if let Some(due_ms) = due_ms.min()
            && self.wake_ms.is_none_or(|wake_ms| due_ms < wake_ms)
        {
            self.wake_ms = Some(due_ms);
            effects.push(Effect::WakeAt(due_ms));
        }
    }

    fn tell_connection(&mut self, effects: &mut Vec<Effect<'_>>) {
        let shown = match self.phase {
            Phase::Off(shown) => shown,
            Phase::Online { .. } => Connection::Online,
            _ if !self.has_network => Connection::Offline,
            Phase::Waiting { next_try_ms } | Phase::Opening { since_ms: next_try_ms, .. } => {
                self.lost_ms.map_or(Connection::Connecting, |since_ms| Connection::Reconnecting {
                    since_ms,
                    next_try_ms,
                })
            }
        };
        if self.told != shown {
            self.told = shown;
            effects.push(Effect::Tell(News::Connection(shown)));
        }
    }
}

fn write(message: &ClientMessage) -> String {
    // Plain structs with text keys have a JSON.
    serde_json::to_string(message).unwrap_or_default()
}

fn say(message: &ClientMessage) -> Effect<'static> {
    Effect::Send(write(message))
}

fn tell(message: ServerMessage<'_>) -> Effect<'_> {
    Effect::Tell(News::Message(message))
}

fn tell_action(match_id: MatchId, nonce: u64, state: ActionState<'_>) -> Effect<'_> {
    Effect::Tell(News::Action { match_id, nonce, state })
}
