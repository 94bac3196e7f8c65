//! What the application wants: what of it is sent, kept for later, or comes back.

use domain::MatchId;
use protocol::Secret;
use protocol::ws::{ClientMessage, Topic};

use super::{FOLLOWED_MAX, Link, MESSAGE_BYTES_MAX, TOPICS_MAX, say, tell_action, write};
use crate::effect::{ActionState, Effect, Failure};
use crate::input::{Request, Wish};

impl Link {
    pub(super) fn fulfil(
        &mut self,
        wish: &Wish,
        effects: &mut Vec<Effect<'_>>,
    ) -> Result<(), Failure> {
        match *wish {
            Wish::Follow(match_id) => self.follow(match_id, None, effects),
            Wish::FollowBy { match_id, ref key } => {
                self.follow(match_id, Some(key.clone()), effects)
            }
            Wish::Unfollow(match_id) => {
                if self.matches.remove(&match_id).is_some() && self.is_online() {
                    effects.push(say(&ClientMessage::Leave { match_id }));
                }
                Ok(())
            }
            Wish::Watch(topic) => self.watch(topic, effects),
            Wish::Unwatch(topic) => {
                let before = self.topics.len();
                self.topics.retain(|watched| *watched != topic);
                if self.topics.len() < before && self.is_online() {
                    effects.push(say(&ClientMessage::Unwatch { topic }));
                }
                Ok(())
            }
            Wish::Act { match_id, ply, ref action } => self.act(match_id, ply, action, effects),
            Wish::Ask { match_id, ref request } => self.ask(match_id, request, effects),
        }
    }

    fn follow(
        &mut self,
        match_id: MatchId,
        key: Option<Secret>,
        effects: &mut Vec<Effect<'_>>,
    ) -> Result<(), Failure> {
        if self.matches.len() == FOLLOWED_MAX && !self.matches.contains_key(&match_id) {
            return Err(Failure::TooManyMatches);
        }
        let is_online = self.is_online();
        let followed = self.matches.entry(match_id).or_default();
        followed.key = key;
        if is_online && followed.retry_ms.is_none() {
            effects.push(say(&followed.join(match_id)));
        }
        Ok(())
    }

    fn watch(&mut self, topic: Topic, effects: &mut Vec<Effect<'_>>) -> Result<(), Failure> {
        if !self.topics.contains(&topic) {
            if self.topics.len() == TOPICS_MAX {
                return Err(Failure::TooManyTopics);
            }
            self.topics.push(topic);
        }
        if self.is_online() {
            effects.push(say(&ClientMessage::Watch { topic }));
        }
        Ok(())
    }

    fn act(
        &mut self,
        match_id: MatchId,
        ply: u32,
        action: &str,
        effects: &mut Vec<Effect<'_>>,
    ) -> Result<(), Failure> {
        let is_online = self.is_online();
        let followed = self.matches.get_mut(&match_id).ok_or(Failure::NotFollowed)?;
        // While an earlier action waits to be sent again, a later one must not overtake it.
        if !is_online || followed.retry_ms.is_some() {
            return Err(Failure::ConnectionFailed);
        }
        if !followed.may_take_action() {
            return Err(Failure::TooManyActions);
        }
        let nonce = self.next_nonce;
        let text = write(&ClientMessage::Act { match_id, ply, action: action.to_owned(), nonce });
        check_length(&text)?;
        self.next_nonce += 1;
        followed.remember(nonce, text.clone());
        effects.push(Effect::Send(text));
        effects.push(tell_action(match_id, nonce, ActionState::Sent));
        Ok(())
    }

    fn ask(
        &mut self,
        match_id: MatchId,
        request: &Request,
        effects: &mut Vec<Effect<'_>>,
    ) -> Result<(), Failure> {
        if !self.matches.contains_key(&match_id) {
            return Err(Failure::NotFollowed);
        }
        if !self.is_online() {
            return Err(Failure::ConnectionFailed);
        }
        let text = write(&request.message(match_id));
        check_length(&text)?;
        effects.push(Effect::Send(text));
        Ok(())
    }
}

fn check_length(text: &str) -> Result<(), Failure> {
    if text.len() > MESSAGE_BYTES_MAX { Err(Failure::TooLong) } else { Ok(()) }
}
