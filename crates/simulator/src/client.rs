//! A client: somebody who plays or watches one match, with bad manners and over a bad line. It
//! believes only what it is told.

use domain::{MatchId, PlayerId};
use play::room::Letter;
use protocol::ws::{ClientMessage, OfferKind, OfferState, ServerMessage};

use crate::ground::Ground;
use crate::violated;
use crate::wire::Wire;

/// A request without an answer is made again after this time.
const PATIENCE_MS: u64 = 2_000;
/// Actions that are remembered, to be sent again for no good reason.
const SENT_MAX: usize = 4;
const KINDS: [OfferKind; 5] =
    [OfferKind::Draw, OfferKind::Takeback, OfferKind::Abort, OfferKind::Rematch, OfferKind::Pause];

pub(crate) struct Client {
    id: usize,
    pub(crate) player: PlayerId,
    pub(crate) match_id: MatchId,
    is_seated: bool,
    wire: Option<u64>,
    wires: u64,
    /// Which house it goes to.
    house: usize,
    /// How long it needs for a letter.
    pace_ms: u64,
    /// Ply and view: what it knows of the match.
    known: Option<(u32, Vec<u8>)>,
    /// The ply of what it was told last on this connection; nothing before it is let in.
    told: Option<u32>,
    joined_ms: u64,
    /// Whether it has left and not asked to come back: what it is told then is of an earlier request.
    has_left: bool,
    /// The action that waits for its answer.
    pending: Option<ClientMessage>,
    sent: Vec<ClientMessage>,
    offers: Vec<OfferKind>,
    next: Option<MatchId>,
}

impl Client {
    pub(crate) fn new(
        id: usize,
        player: PlayerId,
        match_id: MatchId,
        is_seated: bool,
        ground: &mut Ground,
    ) -> Client {
        Client {
            id,
            player,
            match_id,
            is_seated,
            wire: None,
            wires: 0,
            house: ground.rng.usize(..),
            pace_ms: if ground.chance(5) { 3_000 } else { ground.rng.u64(1..40) },
            known: None,
            told: None,
            joined_ms: 0,
            has_left: false,
            pending: None,
            sent: Vec::new(),
            offers: Vec::new(),
            next: None,
        }
    }

    /// Reads a letter.
    pub(crate) fn read(&mut self, ground: &mut Ground, wire: u64, letter: &Letter) {
        let text = String::from_utf8_lossy(letter);
        let Ok(message) = ServerMessage::parse(&text) else {
            return;
        };
        if self.wire != Some(wire) {
            return;
        }
        match message {
            ServerMessage::Snapshot(it) if it.match_id == self.match_id && !self.has_left => {
                self.told = Some(it.ply);
                self.known = Some((it.ply, it.view.get().as_bytes().to_vec()));
                self.offers = it.offers.iter().map(|offer| offer.kind).collect();
            }
            ServerMessage::Event(it) if it.match_id == self.match_id => {
                // It has left, or was told to come again.
                let Some(told) = self.told else {
                    return;
                };
                if it.ply != told + 1 {
                    let what = format!("{}: ply {} after {told}", it.match_id, it.ply);
                    violated("no client misses an event", what);
                }
                self.told = Some(it.ply);
                self.known = Some((it.ply, it.view.get().as_bytes().to_vec()));
            }
            ServerMessage::Ack(ack) => self.settle(ack.nonce),
            ServerMessage::Refused(it) if it.match_id == self.match_id => {
                let is_moot = matches!(
                    &*it.code,
                    "busy" | "unavailable" | "not_joined" | "not_seated" | "match_not_found"
                );
                if let (Some(nonce), false) = (it.nonce, is_moot) {
                    self.settle(nonce);
                }
                if it.ply.is_none() {
                    self.told = None;
                }
                if it.code == "busy" && ground.chance(60) {
                    self.house = self.house.wrapping_add(1);
                    ground.cut(wire);
                }
            }
            ServerMessage::Legal(it) if it.match_id == self.match_id => {
                let is_free = self.pending.is_none() && !ground.is_calm;
                if let Some(action) = ground.rng.choice(&it.actions).filter(|_| is_free) {
                    self.act(ground, wire, it.ply, action.to_string());
                }
            }
            ServerMessage::Offer(it) if it.match_id == self.match_id => {
                self.offers.retain(|kind| *kind != it.kind);
                if it.state == OfferState::Open {
                    self.offers.push(it.kind);
                }
            }
            ServerMessage::Left(it) if it.match_id == self.match_id => {
                self.has_left = true;
                self.told = None;
            }
            ServerMessage::Rematch(it) if it.match_id == self.match_id => self.next = Some(it.next),
            _ => {}
        }
    }

    fn settle(&mut self, nonce: u64) {
        if matches!(&self.pending, Some(ClientMessage::Act { nonce: own, .. }) if *own == nonce) {
            self.pending = None;
        }
    }

    fn act(&mut self, ground: &mut Ground, wire: u64, ply: u32, action: String) {
        let nonce = ground.rng.u64(1..);
        let message = ClientMessage::Act { match_id: self.match_id, ply, action, nonce };
        self.pending = Some(message.clone());
        if self.sent.len() == SENT_MAX {
            self.sent.remove(0);
        }
        self.sent.push(message.clone());
        ground.say(wire, message);
    }

    /// Does something. `up` are the houses that can be reached, with their lives.
    pub(crate) fn think(&mut self, ground: &mut Ground, up: &[(usize, u32)]) {
        let open = self.wire.filter(|wire| ground.wires.get(wire).is_some_and(|it| it.is_open));
        let Some(wire) = open else {
            return self.connect(ground, up);
        };
        // Perhaps somebody else answers.
        let is_ignored = self.told.is_none() || self.pending.is_some();
        if is_ignored && ground.fault(60) {
            self.house = self.house.wrapping_add(1);
            return ground.cut(wire);
        }
        if self.told.is_none() {
            if self.joined_ms + PATIENCE_MS < ground.now_ms {
                self.join(ground, wire);
            }
            return;
        }
        if let Some(next) = self.next.filter(|_| self.pending.is_none() && ground.chance(30)) {
            self.move_on(ground, wire, next);
        } else if ground.is_calm {
            if let Some(message) = self.pending.clone() {
                ground.say(wire, message);
            }
        } else {
            self.behave(ground, wire);
        }
    }

    fn connect(&mut self, ground: &mut Ground, up: &[(usize, u32)]) {
        self.wire = None;
        self.told = None;
        if up.is_empty() {
            return;
        }
        if ground.fault(100) {
            self.house = self.house.wrapping_add(1);
        }
        let (house, life) = up[self.house % up.len()];
        self.wires += 1;
        ground.tally.connections += 1;
        let number = (self.id as u64) << 32 | self.wires;
        let wire = Wire {
            client: self.id,
            player: self.player,
            house,
            life,
            is_open: true,
            outbox: std::collections::VecDeque::new(),
            pace_ms: if ground.is_calm { 5 } else { self.pace_ms },
            is_read_due: false,
            joined: Vec::new(),
        };
        ground.wires.insert(number, wire);
        self.wire = Some(number);
        self.join(ground, number);
        if let Some(message) = self.pending.clone() {
            ground.say(number, message);
        }
    }

    fn join(&mut self, ground: &mut Ground, wire: u64) {
        self.joined_ms = ground.now_ms;
        self.has_left = false;
        let known = self.known.as_ref().map(|known| known.0);
        let since = if ground.fault(50) { Some(ground.rng.u32(0..200)) } else { known };
        ground.say(wire, ClientMessage::Join { match_id: self.match_id, since, key: None });
    }

    /// To the next match, on the same line.
    fn move_on(&mut self, ground: &mut Ground, wire: u64, next: MatchId) {
        ground.say(wire, ClientMessage::Leave { match_id: self.match_id });
        self.match_id = next;
        (self.next, self.known, self.told) = (None, None, None);
        self.sent.clear();
        self.offers.clear();
        self.join(ground, wire);
    }

    fn behave(&mut self, ground: &mut Ground, wire: u64) {
        let match_id = self.match_id;
        let ply = self.known.as_ref().map_or(0, |known| known.0);
        let roll = ground.rng.u32(0..1000);
        let message = match roll {
            // Whoever watches has no business with most of it, and tries now and then.
            0..900 if !self.is_seated && !ground.chance(10) => return,
            0..550 => match &self.pending {
                None => ClientMessage::Legal { match_id },
                Some(message) if ground.rng.bool() => message.clone(),
                Some(_) => return,
            },
            550..590 => {
                let texts = ["", "e2e4", "pass", "play:10H:S", "\u{0}", "accept", "b2-c3", "draw"];
                let action = texts[ground.rng.usize(0..texts.len())].to_owned();
                let nonce = if ground.chance(10) { 0 } else { ground.rng.u64(1..) };
                let ply = ply.saturating_add(ground.rng.u32(0..3)).saturating_sub(1);
                ClientMessage::Act { match_id, ply, action, nonce }
            }
            590..640 if !self.sent.is_empty() => {
                self.sent[ground.rng.usize(0..self.sent.len())].clone()
            }
            640..680 => {
                let kind = KINDS[ground.rng.usize(0..KINDS.len())];
                // An end by agreement is no rare thing among these, so it is asked for seldom.
                let is_end = matches!(kind, OfferKind::Draw | OfferKind::Abort);
                if is_end && !ground.chance(10) {
                    return;
                }
                ClientMessage::Offer { match_id, kind }
            }
            680..800 => {
                let kind = match self.offers.first() {
                    Some(kind) => *kind,
                    None if ground.chance(20) => OfferKind::Pause,
                    None => return,
                };
                let accept = ground.chance(if self.offers.is_empty() { 20 } else { 70 });
                ClientMessage::Answer { match_id, kind, accept }
            }
            800..803 => ClientMessage::Resign { match_id },
            803..820 => ClientMessage::Claim { match_id },
            820..850 => {
                let text = if ground.chance(10) { "\n" } else { "good luck" }.to_owned();
                ClientMessage::Chat { match_id, text }
            }
            900..920 => ClientMessage::Leave { match_id },
            920..950 => {
                // It may have left before.
                return self.join(ground, wire);
            }
            950..985 => return ground.cut(wire),
            _ => return,
        };
        ground.say(wire, message);
    }

    /// What is missing until it knows all that it may; nothing at the end of a run.
    pub(crate) fn missing(&self, ground: &Ground) -> Option<String> {
        let ledger = ground.ledgers.get(&self.match_id)?;
        let who = format!("client {} of {}", self.id, self.match_id);
        if self.pending.is_some() {
            return Some(format!("{who} has no answer to its action"));
        }
        let Some((ply, view)) = &self.known else {
            return Some(format!("{who} knows nothing"));
        };
        if self.told.is_none() || !ledger.is_up_to_date(self.player, *ply, view) {
            return Some(format!("{who} knows {ply} of {} plies", ledger.plies()));
        }
        None
    }
}
