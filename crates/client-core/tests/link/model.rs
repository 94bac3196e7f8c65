//! A small likeness of the server: matches as logs that anybody may add to. An action is stored
//! once a number, and is stale if anything has happened since it was decided. It knows no
//! connection breaks; now and then it forgets to tell somebody, or has no time.

use std::collections::{BTreeMap, BTreeSet};

use domain::{MatchId, PlayerId};
use fastrand::Rng;
use protocol::ws::ClientMessage;
use serde_json::{Value, json};

/// How many of the latest events a match has at hand.
const RECENT_MAX: usize = 4;

#[derive(Default)]
pub(crate) struct Server {
    pub(crate) matches: BTreeMap<MatchId, Contest>,
    /// Of each connection: the matches that it has joined.
    joined: BTreeMap<u64, BTreeSet<MatchId>>,
    pub(crate) repeated_acks: u32,
    pub(crate) untold: u32,
    pub(crate) unjudged: u32,
}

#[derive(Default)]
pub(crate) struct Contest {
    pub(crate) log: Vec<Entry>,
}

pub(crate) struct Entry {
    /// Nobody's if it is no action.
    pub(crate) action: Option<String>,
    nonce: u64,
}

impl Contest {
    pub(crate) fn ply(&self) -> u32 {
        u32::try_from(self.log.len()).unwrap()
    }

    /// All that ever happened.
    pub(crate) fn view(&self) -> Value {
        let actions = self.log.iter().map(|entry| entry.action.as_deref().unwrap_or("-"));
        json!(actions.collect::<Vec<_>>())
    }
}

/// To which connection, and what.
pub(crate) type Letter = (u64, String);

impl Server {
    pub(crate) fn connect(&mut self, connection: u64) -> Letter {
        self.joined.insert(connection, BTreeSet::new());
        let id = PlayerId::from_number(1).unwrap();
        let user = json!({ "id": id, "name": "ada", "role": "player" });
        let welcome = json!({ "type": "welcome", "protocol": 1, "user": user, "time_ms": 0 });
        (connection, welcome.to_string())
    }

    pub(crate) fn disconnect(&mut self, connection: u64) {
        self.joined.remove(&connection);
    }

    pub(crate) fn hear(
        &mut self,
        connection: u64,
        text: &str,
        faults: Option<&mut Rng>,
    ) -> Vec<Letter> {
        let Some(joined) = self.joined.get_mut(&connection) else {
            return Vec::new();
        };
        match serde_json::from_str(text).unwrap() {
            ClientMessage::Join { match_id, since, .. } => {
                if self.is_busy(faults) {
                    return vec![(connection, refused(match_id, None, "busy", None))];
                }
                self.joined.get_mut(&connection).unwrap().insert(match_id);
                vec![(connection, self.snapshot(match_id, since))]
            }
            ClientMessage::Leave { match_id } => {
                joined.remove(&match_id);
                let left = json!({ "type": "left", "match": match_id });
                vec![(connection, left.to_string())]
            }
            ClientMessage::Ping {} => vec![(connection, json!({ "type": "pong" }).to_string())],
            ClientMessage::Act { match_id, ply, action, nonce } => {
                if !joined.contains(&match_id) {
                    return vec![(connection, refused(match_id, Some(nonce), "not_joined", None))];
                }
                self.act(connection, match_id, ply, action, nonce, faults)
            }
            other => panic!("nobody says this here: {other:?}"),
        }
    }

    fn is_busy(&mut self, faults: Option<&mut Rng>) -> bool {
        let is_busy = faults.is_some_and(|rng| rng.u32(..20) == 0);
        self.unjudged += u32::from(is_busy);
        is_busy
    }

    fn act(
        &mut self,
        connection: u64,
        match_id: MatchId,
        ply: u32,
        action: String,
        nonce: u64,
        mut faults: Option<&mut Rng>,
    ) -> Vec<Letter> {
        let no = |code, ply| vec![(connection, refused(match_id, Some(nonce), code, ply))];
        if self.is_busy(faults.as_deref_mut()) {
            return no("busy", None);
        }
        let contest = self.matches.entry(match_id).or_default();
        let now = contest.ply();
        if let Some(at) = contest.log.iter().position(|entry| entry.nonce == nonce) {
            assert_eq!(contest.log[at].action.as_ref(), Some(&action), "a number used twice");
            self.repeated_acks += 1;
            return vec![(connection, ack(match_id, nonce, at + 1))];
        }
        if ply != now {
            return no(if ply < now { "stale_ply" } else { "unknown_ply" }, Some(now));
        }
        if action.ends_with("bad") {
            return no("illegal_move", Some(now));
        }
        // The store's answer is lost: nobody knows, the room is made anew and all are shown it.
        let is_unsure = self.is_busy(faults.as_deref_mut());
        if is_unsure && faults.as_deref_mut().is_some_and(Rng::bool) {
            return self.show_unsure(connection, match_id, nonce);
        }
        self.matches.entry(match_id).or_default().log.push(Entry { action: Some(action), nonce });
        if is_unsure {
            return self.show_unsure(connection, match_id, nonce);
        }
        let mut letters = vec![(connection, ack(match_id, nonce, now as usize + 1))];
        letters.extend(self.tell_event(match_id, faults));
        letters
    }

    fn show_unsure(&self, connection: u64, match_id: MatchId, nonce: u64) -> Vec<Letter> {
        let mut letters = vec![(connection, refused(match_id, Some(nonce), "unavailable", None))];
        letters.extend(self.show_all(match_id));
        letters
    }

    /// Somebody else does something, or something happens that is no action.
    pub(crate) fn happen(
        &mut self,
        match_id: MatchId,
        action: Option<String>,
        faults: Option<&mut Rng>,
    ) -> Vec<Letter> {
        let is_action = action.is_some();
        self.matches.entry(match_id).or_default().log.push(Entry { action, nonce: 0 });
        if is_action { self.tell_event(match_id, faults) } else { self.show_all(match_id) }
    }

    fn members(&self, match_id: MatchId) -> impl Iterator<Item = u64> {
        let joined = self.joined.iter().filter(move |(_, joined)| joined.contains(&match_id));
        joined.map(|(connection, _)| *connection)
    }

    fn tell_event(&mut self, match_id: MatchId, mut faults: Option<&mut Rng>) -> Vec<Letter> {
        let contest = &self.matches[&match_id];
        let event = json!({
            "type": "event", "match": match_id, "ply": contest.ply(), "event": {},
            "view": contest.view(), "notation": "",
            "clock": { "remaining_ms": [], "running": [] },
        });
        let event = event.to_string();
        let mut members: Vec<u64> = self.members(match_id).collect();
        let before = members.len();
        members.retain(|_| faults.as_deref_mut().is_none_or(|rng| rng.u32(..30) > 0));
        self.untold += u32::try_from(before - members.len()).unwrap();
        members.into_iter().map(|member| (member, event.clone())).collect()
    }

    fn show_all(&self, match_id: MatchId) -> Vec<Letter> {
        let snapshot = self.snapshot(match_id, None);
        self.members(match_id).map(|member| (member, snapshot.clone())).collect()
    }

    fn snapshot(&self, match_id: MatchId, since: Option<u32>) -> String {
        let none = Contest::default();
        let contest = self.matches.get(&match_id).unwrap_or(&none);
        let missed = contest.log.iter().zip(1..).skip(since.map_or(usize::MAX, |it| it as usize));
        let missed: Vec<(&Entry, u32)> = missed.collect();
        let is_at_hand =
            missed.len() <= RECENT_MAX && missed.iter().all(|(entry, _)| entry.action.is_some());
        let events = missed.iter().filter(|_| is_at_hand);
        let events = events.map(|(_, ply)| json!({ "ply": ply, "event": {}, "notation": "" }));
        let snapshot = json!({
            "type": "snapshot", "match": match_id, "ply": contest.ply(), "game": "chess",
            "viewer": 0, "view": contest.view(), "events": events.collect::<Vec<_>>(), "seats": [],
            "spectators": 0, "clock": { "remaining_ms": [], "running": [] }, "status": "running",
            "offers": [], "commitment": "",
        });
        snapshot.to_string()
    }
}

fn ack(match_id: MatchId, nonce: u64, ply: usize) -> String {
    json!({ "type": "ack", "match": match_id, "nonce": nonce, "ply": ply }).to_string()
}

fn refused(match_id: MatchId, nonce: Option<u64>, code: &str, ply: Option<u32>) -> String {
    json!({
        "type": "refused", "match": match_id, "nonce": nonce, "code": code, "message": "no",
        "ply": ply,
    })
    .to_string()
}
