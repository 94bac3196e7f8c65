//! What the server says: which of it is news, and what it asks for. It does not know when a
//! connection is made.

use protocol::ws::{
    Chat, ClientMessage, Legal, LobbyNews, Offer, Over, PROTOCOL_VERSION, Presence, Refused,
    Rematch, ServerMessage, Topic, Welcome,
};

use super::{Link, Phase, say, tell, tell_action};
use crate::effect::{ActionState, Connection, Effect};
use crate::followed::{Followed, Step};
use crate::input::SocketId;

/// The match is out of reach for now. An action refused so was not judged, and may even be stored.
const OUT_OF_REACH: [&str; 4] = ["busy", "unavailable", "not_joined", "rate_limited"];
/// The match cannot be had; asking again gives the same answer.
const NOT_TO_BE_HAD: [&str; 5] =
    ["match_not_found", "rules_changed", "frozen", "room_full", "too_many_matches"];

impl Link {
    pub(super) fn hear<'a>(&mut self, text: &'a str, effects: &mut Vec<Effect<'a>>) {
        let message = ServerMessage::parse(text);
        match (&mut self.phase, message) {
            (Phase::Opening { socket, .. }, Ok(ServerMessage::Welcome(welcome))) => {
                let socket = *socket;
                self.take_welcome(socket, welcome, effects);
            }
            (Phase::Online { heard_ms, pinged_ms, .. }, message) => {
                *heard_ms = self.now_ms;
                *pinged_ms = None;
                // A later server may say things that are not known here.
                if let Ok(message) = message {
                    self.take_message(message, effects);
                }
            }
            _ => {}
        }
    }

    fn take_welcome(&mut self, socket: SocketId, welcome: Welcome, effects: &mut Vec<Effect<'_>>) {
        if welcome.protocol != PROTOCOL_VERSION {
            return self.end(Connection::Outdated, effects);
        }
        // Another tab has logged in as somebody else, who must not act for the first.
        if *self.user.get_or_insert(welcome.user.id) != welcome.user.id {
            return self.end(Connection::LoggedOut, effects);
        }
        self.lost_ms = None;
        let now_ms = self.now_ms;
        self.phase = Phase::Online { socket, since_ms: now_ms, heard_ms: now_ms, pinged_ms: None };
        effects.push(tell(ServerMessage::Welcome(welcome)));
        for (match_id, followed) in &mut self.matches {
            effects.push(say(&followed.join(*match_id)));
            effects.extend(followed.resend().map(Effect::Send));
        }
        let watches = self.topics.iter().map(|topic| ClientMessage::Watch { topic: *topic });
        effects.extend(watches.map(|watch| say(&watch)));
    }

    fn take_message<'a>(&mut self, message: ServerMessage<'a>, effects: &mut Vec<Effect<'a>>) {
        match message {
            ServerMessage::Snapshot(mut snapshot) => {
                let followed = self.matches.get_mut(&snapshot.match_id);
                if followed.is_some_and(|it| it.take_snapshot(&mut snapshot)) {
                    effects.push(tell(ServerMessage::Snapshot(snapshot)));
                }
            }
            ServerMessage::Event(event) => {
                let Some(followed) = self.matches.get_mut(&event.match_id) else {
                    return;
                };
                match followed.take_event(event.ply) {
                    Step::Next => effects.push(tell(ServerMessage::Event(event))),
                    Step::Skip => {}
                    Step::Gap => effects.push(say(&followed.join(event.match_id))),
                }
            }
            ServerMessage::Ack(ack) => {
                let followed = self.matches.get_mut(&ack.match_id);
                if followed.is_some_and(|it| it.settle(ack.nonce)) {
                    effects.push(tell_action(ack.match_id, ack.nonce, ActionState::Stored));
                }
            }
            ServerMessage::Refused(refused) => self.take_refusal(refused, effects),
            ServerMessage::Legal(Legal { match_id, .. })
            | ServerMessage::Offer(Offer { match_id, .. })
            | ServerMessage::Presence(Presence { match_id, .. })
            | ServerMessage::Over(Over { match_id, .. })
            | ServerMessage::Rematch(Rematch { match_id, .. })
            | ServerMessage::Chat(Chat { match_id, .. })
                if !self.matches.contains_key(&match_id) => {}
            ServerMessage::Lobbies(_) if !self.topics.contains(&Topic::Lobbies) => {}
            ServerMessage::Lobby(LobbyNews { id, .. })
                if !self.topics.contains(&Topic::Lobby(id)) => {}
            ServerMessage::Welcome(_)
            | ServerMessage::Left(_)
            | ServerMessage::Unwatched(_)
            | ServerMessage::Pong {} => {}
            news => effects.push(tell(news)),
        }
    }

    fn take_refusal<'a>(&mut self, refused: Refused<'a>, effects: &mut Vec<Effect<'a>>) {
        let Refused { match_id, nonce, ref code, ref message, .. } = refused;
        let Some(followed) = self.matches.get_mut(&match_id) else {
            return;
        };
        let state = || ActionState::Refused { code: code.clone(), message: message.clone() };
        // Whoever's join has failed has no seat yet.
        let is_early = code == "not_seated" && !followed.is_joined;
        if is_early || OUT_OF_REACH.contains(&&**code) {
            followed.is_joined = false;
            if followed.retry_ms.is_none() {
                let delay_ms = followed.backoff.next_ms(&mut self.rng);
                followed.retry_ms = Some(self.now_ms + delay_ms);
            }
        } else if NOT_TO_BE_HAD.contains(&&**code) {
            let given_up = self.matches.remove(&match_id).into_iter();
            let unanswered = given_up.flat_map(Followed::into_nonces);
            effects.extend(unanswered.map(|nonce| tell_action(match_id, nonce, state())));
            effects.push(tell(ServerMessage::Refused(refused)));
            return;
        } else if let Some(nonce) = nonce.filter(|nonce| followed.settle(*nonce)) {
            effects.push(tell_action(match_id, nonce, state()));
        }
        if nonce.is_none() {
            effects.push(tell(ServerMessage::Refused(refused)));
        }
    }
}
