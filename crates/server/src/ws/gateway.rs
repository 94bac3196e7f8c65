//! M2: what comes over a socket, from the first message to the last, and who may send it.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use domain::MatchId;
use play::room::Input;
use protocol::ws::{
    ClientMessage, Left, OfferKind, PROTOCOL_VERSION, Refused, ServerMessage, Topic, Welcome,
    WsError,
};
use protocol::{Code, Secret};
use rustix::net::{Shutdown, shutdown};
use serde::Deserialize;
use storage::{Access, WatchKey};
use tokio::time::timeout;

use super::connection::{CloseReason, Connection};
use super::frame::{self, Decoder, Incoming};
use crate::app::App;
use crate::bus::Bus as _;
use crate::http::{Cost, Purse};
use crate::links;

/// Somebody who plays by correspondence has dozens of matches, hardly hundreds.
pub const MATCHES_MAX: usize = 256;
/// The list, and a lobby a tab.
pub const TOPICS_MAX: usize = 16;
/// How long the other side may take to read a goodbye and to answer it.
const GOODBYE: Duration = Duration::from_secs(2);

/// How many messages a connection may send, in thousandths: so many come with each millisecond.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Credits {
    left: u64,
    burst: u64,
    per_ms: u64,
    at_ms: u64,
}

/// What a message costs.
const MESSAGE: u64 = 1000;

impl Credits {
    fn new(burst: u32, per_s: u32, now_ms: u64) -> Credits {
        let burst = u64::from(burst) * MESSAGE;
        Credits { left: burst, burst, per_ms: u64::from(per_s), at_ms: now_ms }
    }

    /// Counts what has come by this time.
    fn gain(&mut self, now_ms: u64) {
        let gained = now_ms.saturating_sub(self.at_ms).saturating_mul(self.per_ms);
        self.left = self.left.saturating_add(gained).min(self.burst);
        self.at_ms = self.at_ms.max(now_ms);
    }

    fn spend(&mut self, messages: u64) -> bool {
        let cost = messages.saturating_mul(MESSAGE);
        let is_enough = cost <= self.left;
        self.left = self.left.saturating_sub(cost);
        is_enough
    }
}

/// A connection at work.
struct Gateway {
    app: Arc<App>,
    connection: Arc<Connection>,
    joined: Vec<MatchId>,
    /// Those of them that a watch link opened.
    linked: Vec<MatchId>,
    watched: Vec<Topic>,
    credits: Credits,
    purse: Purse,
}

/// Serves a connection until it ends; `purse` is whose quotas its messages use up.
pub(crate) async fn serve(
    app: Arc<App>,
    connection: Arc<Connection>,
    purse: Purse,
    early: Vec<u8>,
) {
    let limits = &app.config.sockets;
    let now_ms = app.house.time.now_ms();
    let credits = Credits::new(limits.burst.get(), limits.messages_per_s.get(), now_ms);
    let bus = app.bus.clone();
    bus.connect(connection.clone());
    let mut gateway = Gateway {
        app: app.clone(),
        connection: connection.clone(),
        joined: Vec::new(),
        linked: Vec::new(),
        watched: Vec::new(),
        credits,
        purse,
    };
    let mut decoder = Decoder::for_server();
    let closed = gateway.talk(&mut decoder, early).await;
    let member = connection.id();
    for match_id in std::mem::take(&mut gateway.linked) {
        app.links.leave(match_id, member);
    }
    for match_id in std::mem::take(&mut gateway.joined) {
        // The rooms are closing themselves.
        let _ = bus.ask(match_id, Input::Leave { member }).await;
    }
    app.topics.forget(connection.id());
    bus.disconnect(connection.id());
    if let Some(reason) = closed {
        connection.say_goodbye(reason.code(), reason.text());
    }
    if connection.closing().is_some() {
        // Closing at once could cut off what is still on its way.
        let _ = timeout(GOODBYE, drained(&connection, decoder, closed)).await;
    }
}

/// The message that comes most, by itself: to find out which of all messages it is, serde would keep
/// its fields until it has seen the type.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Act<'a> {
    r#type: &'a str,
    r#match: MatchId,
    ply: u32,
    action: String,
    nonce: u64,
}

/// Serde would read a message from an array too, by the order of its fields.
fn read(text: &str) -> Result<ClientMessage, String> {
    if text.starts_with(r#"{"type":"act","#)
        && let Ok(Act { r#type: "act", r#match: match_id, ply, action, nonce }) =
            serde_json::from_str(text)
    {
        return Ok(ClientMessage::Act { match_id, ply, action, nonce });
    }
    if text.trim_ascii_start().starts_with('[') {
        return Err("a message is an object".to_owned());
    }
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// What an input costs its player; reading costs no more than its message.
fn cost(input: &Input) -> Option<Cost> {
    match input {
        Input::Act { .. } | Input::Resign { .. } | Input::Claim { .. } => Some(Cost::Act),
        Input::Offer { kind: OfferKind::Rematch, .. } => Some(Cost::Match),
        Input::Offer { .. } | Input::Answer { .. } => Some(Cost::Offer),
        Input::Chat { .. } => Some(Cost::Chat),
        _ => None,
    }
}

/// Writes what waits, and reads on until the other side has sent its close frame too; then the server
/// closes first (RFC 6455, 7.1.1). `closed` is why the server closes, if the other side has not.
async fn drained(connection: &Connection, mut decoder: Decoder, closed: Option<CloseReason>) {
    let stream = connection.stream();
    let mut is_answered = closed.is_none();
    // What follows a violation cannot be read, so the end of the stream must do as the answer.
    let mut is_broken = matches!(closed, Some(CloseReason::Violation(_)));
    while let Ok(is_waiting) = connection.flush() {
        while let Ok(Some(message)) = decoder.next_message() {
            is_answered |= matches!(message, Incoming::Close(_));
        }
        if is_answered && !is_waiting {
            return;
        }
        if is_broken && !is_waiting {
            is_broken = false;
            let _ = shutdown(stream, Shutdown::Write);
        }
        tokio::select! {
            ready = stream.writable(), if is_waiting => if ready.is_err() { return },
            ready = stream.readable() => {
                match ready.and_then(|()| decoder.fill(|buffer| connection.read(buffer))) {
                    Ok(Some(0)) | Err(_) => return,
                    Ok(_) => {}
                }
            }
        }
    }
}

impl Gateway {
    /// Gives why the server closes; nothing if the client did, or the line broke.
    async fn talk(&mut self, decoder: &mut Decoder, early: Vec<u8>) -> Option<CloseReason> {
        // What is rare stands apart, so that it takes no room in the task of an idle socket.
        Box::pin(self.welcome()).await?;
        decoder.fill(|buffer| buffer.extend_from_slice(&early));
        drop(early);
        let connection = self.connection.clone();
        let mut is_waiting = false;
        loop {
            loop {
                match decoder.next_message() {
                    Ok(None) => {
                        // Parts of a message cost too, or there could be parts without end.
                        if !self.credits.spend(decoder.take_parts()) {
                            return Some(CloseReason::Flood);
                        }
                        break;
                    }
                    Err(violation) => return Some(CloseReason::Violation(violation.close_code())),
                    Ok(Some(Incoming::Close(close))) => {
                        let code = close.map_or(1000, |close| close.code);
                        connection.say_goodbye(code, "");
                        return None;
                    }
                    Ok(Some(Incoming::Pong(_))) => {
                        if !self.credits.spend(1) {
                            return Some(CloseReason::Flood);
                        }
                    }
                    Ok(Some(Incoming::Ping(payload))) => {
                        let mut pong = Vec::with_capacity(payload.len() + 2);
                        frame::pong(&mut pong, payload);
                        connection.send(&pong);
                        if !self.credits.spend(1) {
                            return Some(CloseReason::Flood);
                        }
                    }
                    Ok(Some(Incoming::Text(text))) => {
                        let message = read(text);
                        if !self.credits.spend(1) {
                            return Some(CloseReason::Flood);
                        }
                        match message {
                            Ok(message) => self.hear(message).await,
                            Err(error) => self.complain(Code::BadRequest, error),
                        }
                    }
                }
            }
            tokio::select! {
                biased;
                () = connection.stirred() => {
                    if let Some(reason) = connection.closing() {
                        return Some(reason);
                    }
                    is_waiting = connection.flush().ok()?;
                }
                ready = connection.stream().readable() => {
                    ready.ok()?;
                    match decoder.fill(|buffer| connection.read(buffer)).ok()? {
                        Some(0) => return None,
                        Some(_) => {
                            let now_ms = self.app.house.time.now_ms();
                            connection.heard(now_ms);
                            self.credits.gain(now_ms);
                        }
                        None => {}
                    }
                }
                ready = connection.stream().writable(), if is_waiting => {
                    ready.ok()?;
                    is_waiting = connection.flush().ok()?;
                }
            }
        }
    }

    async fn welcome(&self) -> Option<()> {
        let claims = self.connection.claims();
        let user = self.app.describe_user(claims).await.ok()?;
        self.say(&ServerMessage::Welcome(Welcome {
            protocol: PROTOCOL_VERSION,
            user,
            time_ms: self.app.house.time.now_ms(),
        }));
        Some(())
    }

    async fn hear(&mut self, message: ClientMessage) {
        let member = self.connection.id();
        let (match_id, input) = match message {
            ClientMessage::Ping {} => return self.say(&ServerMessage::Pong {}),
            ClientMessage::Watch { topic } => {
                if !self.watched.contains(&topic) {
                    if self.watched.len() == TOPICS_MAX {
                        let code = Code::TooManyTopics;
                        return self.complain(code, code.title().to_owned());
                    }
                    self.watched.push(topic);
                }
                let watching = self.app.topics.watch(&self.app, topic, &self.connection);
                return match Box::pin(watching).await {
                    Ok(()) => {}
                    Err(code) => self.complain(code, code.title().to_owned()),
                };
            }
            ClientMessage::Unwatch { topic } => {
                self.watched.retain(|watched| *watched != topic);
                self.app.topics.unwatch(topic, member);
                let unwatched = protocol::ws::Unwatched { topic };
                return self.say(&ServerMessage::Unwatched(unwatched));
            }
            ClientMessage::Join { match_id, since, key } => {
                return Box::pin(self.join(match_id, since, key.as_ref())).await;
            }
            ClientMessage::Leave { match_id } => {
                return Box::pin(self.leave(match_id)).await;
            }
            ClientMessage::Act { match_id, ply, action, nonce } => {
                (match_id, Input::Act { member, ply, action, nonce })
            }
            ClientMessage::Legal { match_id } => (match_id, Input::Legal { member }),
            ClientMessage::Resign { match_id } => (match_id, Input::Resign { member }),
            ClientMessage::Claim { match_id } => (match_id, Input::Claim { member }),
            ClientMessage::Offer { match_id, kind } => (match_id, Input::Offer { member, kind }),
            ClientMessage::Answer { match_id, kind, accept } => {
                (match_id, Input::Answer { member, kind, accept })
            }
            ClientMessage::Chat { match_id, text } => (match_id, Input::Chat { member, text }),
        };
        let nonce = match input {
            Input::Act { nonce, .. } => Some(nonce),
            _ => None,
        };
        if !self.has_joined(match_id) {
            let code = Box::pin(self.find_access(match_id, None)).await;
            return self.refuse(match_id, nonce, code.err().unwrap_or(Code::NotJoined));
        }
        if let Some(cost) = cost(&input)
            && self.app.limits.spend(cost, self.purse).is_err()
        {
            return self.refuse(match_id, nonce, Code::RateLimited);
        }
        if self.app.bus.ask(match_id, input).await.is_err() {
            self.connection.close(CloseReason::GoingAway);
        }
    }

    /// As whom this person may see a match. Without a right to it, it is like one that does not exist:
    /// neither a room nor the match's row is asked.
    async fn find_access(&self, match_id: MatchId, key: Option<WatchKey>) -> Result<Access, Code> {
        let player = Some(self.connection.player());
        match self.app.store.find_access(match_id, player, key).await {
            Ok(access) => access.ok_or_else(|| self.app.miss(self.purse).code()),
            Err(error) => {
                tracing::warn!(%error, %match_id, "nobody knows who may see a match");
                Err(Code::Unavailable)
            }
        }
    }

    async fn join(&mut self, match_id: MatchId, since: Option<u32>, key: Option<&Secret>) {
        let key = key.map(|key| links::key_of(key.expose().as_bytes()));
        let access = match self.find_access(match_id, key).await {
            Ok(access) => access,
            Err(code) => return self.refuse(match_id, None, code),
        };
        if !self.has_joined(match_id) {
            if self.joined.len() == MATCHES_MAX {
                return self.refuse(match_id, None, Code::TooManyMatches);
            }
            self.joined.push(match_id);
        }
        let member = self.connection.id();
        let input = Input::Join { member, player: self.connection.player(), since };
        let asked = match key {
            Some(key) if access == Access::Link => {
                if !self.linked.contains(&match_id) {
                    self.linked.push(match_id);
                }
                links::join(&self.app, match_id, key, member, input).await
            }
            _ => {
                self.forget_link(match_id);
                self.app.bus.ask(match_id, input).await
            }
        };
        if asked.is_err() {
            self.connection.close(CloseReason::GoingAway);
        }
    }

    async fn leave(&mut self, match_id: MatchId) {
        if !self.has_joined(match_id)
            && let Err(code) = self.find_access(match_id, None).await
        {
            return self.refuse(match_id, None, code);
        }
        self.joined.retain(|joined| *joined != match_id);
        self.forget_link(match_id);
        let member = self.connection.id();
        // The rooms are closing themselves.
        let _ = self.app.bus.ask(match_id, Input::Leave { member }).await;
        self.say(&ServerMessage::Left(Left { match_id }));
    }

    /// Whether this connection follows a match. Who was sent away since the link was taken back does
    /// not.
    fn has_joined(&mut self, match_id: MatchId) -> bool {
        if self.linked.contains(&match_id) && !self.app.links.holds(match_id, self.connection.id())
        {
            self.linked.retain(|linked| *linked != match_id);
            self.joined.retain(|joined| *joined != match_id);
        }
        self.joined.contains(&match_id)
    }

    fn forget_link(&mut self, match_id: MatchId) {
        if self.linked.contains(&match_id) {
            self.linked.retain(|linked| *linked != match_id);
            self.app.links.leave(match_id, self.connection.id());
        }
    }

    fn refuse(&self, match_id: MatchId, nonce: Option<u64>, code: Code) {
        self.say(&ServerMessage::Refused(Refused {
            match_id,
            nonce,
            code: Cow::Borrowed(code.as_str()),
            message: Cow::Borrowed(code.title()),
            ply: None,
        }));
    }

    fn complain(&self, code: Code, message: String) {
        self.say(&ServerMessage::Error(WsError { code, message: Cow::Owned(message) }));
    }

    fn say(&self, message: &ServerMessage<'_>) {
        self.connection.say(message);
    }
}
