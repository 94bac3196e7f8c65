//! The door of a house: what clients say becomes inputs, and what rooms say goes to whoever is to
//! hear it. A likeness of `server::ws::gateway` and of the server's bus.

use domain::MatchId;
use game_api::Viewer;
use play::room::{Input, Letter, To};
use protocol::Code;
use protocol::ws::{ClientMessage, Left, Refused, ServerMessage};

use crate::ground::{Ask, AskKind, Ground, Sent};
use crate::house::House;
use crate::plan::Sabotage;
use crate::violated;
use crate::wire::member;

/// A connection that hears of a match.
#[derive(Clone, Copy)]
pub(crate) struct Follower {
    pub(crate) wire: u64,
    pub(crate) viewer: Option<Viewer>,
}

impl Follower {
    fn hears(&self, to: To) -> bool {
        match to {
            To::Member(to) => member(self.wire) == to,
            To::Viewer(viewer) => self.viewer == Some(viewer),
            To::Viewers => self.viewer.is_some(),
            To::Seats => self.viewer != Some(Viewer::Spectator),
            To::All => true,
        }
    }
}

impl House {
    /// A message of a client has come.
    pub(crate) fn hear(&mut self, ground: &mut Ground, wire: u64, message: ClientMessage) {
        let member = member(wire);
        let Some(line) = ground.wires.get_mut(&wire).filter(|line| line.is_open) else {
            return;
        };
        let player = line.player;
        let (match_id, kind, input) = match message {
            ClientMessage::Join { match_id, since, key: _ } => {
                if !line.joined.contains(&match_id) {
                    line.joined.push(match_id);
                }
                (match_id, AskKind::Join, Input::Join { member, player, since })
            }
            ClientMessage::Leave { match_id } => {
                line.joined.retain(|joined| *joined != match_id);
                self.take(ground, match_id, Input::Leave { member }, None);
                let left = ServerMessage::Left(Left { match_id });
                let letter = serde_json::to_vec(&left).unwrap_or_default();
                return self.tell(ground, match_id, To::Member(member), &letter, None);
            }
            ClientMessage::Act { match_id, ply, action, nonce } => {
                (match_id, AskKind::Act(nonce), Input::Act { member, ply, action, nonce })
            }
            ClientMessage::Legal { match_id } => {
                (match_id, AskKind::Legal, Input::Legal { member })
            }
            ClientMessage::Resign { match_id } => {
                (match_id, AskKind::GiveUp, Input::Resign { member })
            }
            ClientMessage::Claim { match_id } => {
                (match_id, AskKind::GiveUp, Input::Claim { member })
            }
            ClientMessage::Offer { match_id, kind } => {
                (match_id, AskKind::Offer, Input::Offer { member, kind })
            }
            ClientMessage::Answer { match_id, kind, accept } => {
                (match_id, AskKind::Offer, Input::Answer { member, kind, accept })
            }
            ClientMessage::Chat { match_id, text } => {
                (match_id, AskKind::Chat, Input::Chat { member, text })
            }
            ClientMessage::Watch { .. }
            | ClientMessage::Unwatch { .. }
            | ClientMessage::Ping {} => return,
        };
        let is_joined = line.joined.contains(&match_id);
        let ask = Some(ground.ask(wire, kind));
        if is_joined {
            self.take(ground, match_id, input, ask);
        } else {
            self.answer(ground, match_id, ask, Code::NotJoined);
        }
    }

    /// A connection is gone.
    pub(crate) fn lose(&mut self, ground: &mut Ground, wire: u64) {
        let joined = ground.wires.remove(&wire).map(|wire| wire.joined);
        for match_id in joined.unwrap_or_default() {
            self.take(ground, match_id, Input::Leave { member: member(wire) }, None);
        }
    }

    /// Tells a client that what it asked for was not done, and why.
    pub(crate) fn answer(
        &self,
        ground: &mut Ground,
        match_id: MatchId,
        ask: Option<Ask>,
        code: Code,
    ) {
        let Some(ask) = ask else {
            return;
        };
        let nonce = match ask.kind {
            AskKind::Act(nonce) => Some(nonce),
            _ => None,
        };
        self.tell_code(ground, match_id, (ask.wire, nonce), code, Some(ask));
    }

    pub(crate) fn tell_code(
        &self,
        ground: &mut Ground,
        match_id: MatchId,
        (wire, nonce): (u64, Option<u64>),
        code: Code,
        ask: Option<Ask>,
    ) {
        let (code, message) = (code.as_str().into(), code.title().into());
        let refused = Refused { match_id, nonce, code, message, ply: None };
        let letter = serde_json::to_vec(&ServerMessage::Refused(refused)).unwrap_or_default();
        self.tell(ground, match_id, To::Member(member(wire)), &letter, ask);
    }

    pub(crate) fn tell(
        &self,
        ground: &mut Ground,
        match_id: MatchId,
        to: To,
        letter: &Letter,
        ask: Option<Ask>,
    ) {
        let text = String::from_utf8_lossy(letter);
        let message = match ServerMessage::parse(&text) {
            Ok(message) => message,
            Err(error) => violated("a letter is a message", format!("{error}: {text}")),
        };
        let followers = self.followers.get(&match_id).map_or(&[][..], Vec::as_slice);
        let tells_all =
            ground.is_sabotaged(Sabotage::TellAll) && matches!(to, To::Viewer(Viewer::Seat(_)));
        let hears = |follower: &&Follower| tells_all || follower.hears(to);
        let mut receivers: Vec<Follower> = followers.iter().filter(hears).copied().collect();
        // Whoever was not let in gets its answer all the same.
        if let (To::Member(member), true) = (to, receivers.is_empty()) {
            receivers.push(Follower { wire: member.0, viewer: None });
        }
        if ground.is_sabotaged(Sabotage::SkipSpectators) && !matches!(to, To::Member(_)) {
            receivers.retain(|receiver| receiver.viewer != Some(Viewer::Spectator));
        }
        let now_ms = self.now_ms(ground);
        for Follower { wire, viewer } in receivers {
            let sent = Sent { wire, viewer, now_ms };
            ground.check_letter(match_id, &message, &sent, ask);
            ground.deliver(wire, letter);
        }
    }
}
