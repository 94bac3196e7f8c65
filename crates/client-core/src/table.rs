//! A match as one screen knows it: what the server has said of it, folded together.

use domain::MatchId;
use game_api::{Seat, Viewer};
use protocol::ClockFace;
use protocol::ws::{
    Event, Legal, Missed, Offer, OfferState, Outcome, SeatInfo, ServerMessage, Snapshot, Status,
};
use serde::Deserialize;

/// So many lines of talk are shown.
const CHAT_MAX: usize = 200;

/// A match as one viewer knows it.
#[derive(Clone, Debug)]
pub struct Table {
    /// Which.
    pub match_id: MatchId,
    /// The game's key.
    pub game: String,
    /// So many entries have happened.
    pub ply: u32,
    /// As whom one looks at it.
    pub viewer: Viewer,
    /// The game's view, as JSON.
    pub view: String,
    /// Who sits where.
    pub seats: Vec<SeatInfo>,
    /// How many watch.
    pub spectators: u32,
    /// The clock, when it was heard of.
    pub clock: ClockFace,
    /// When that was, by this screen's time.
    pub heard_at_ms: u64,
    /// Where it stands.
    pub status: Status,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// What waits for answers.
    pub offers: Vec<Offer>,
    /// What was said.
    pub chat: Vec<Said>,
    /// What has happened, as far as it was heard.
    pub steps: Vec<Step>,
    /// What the own seat may do now; `None` until the server has said so.
    pub legal: Option<Vec<String>>,
    /// The match that a rematch became.
    pub next: Option<MatchId>,
    /// The steps have gaps: the whole story is to be read.
    pub is_story_due: bool,
}

/// What a screen wants of a match's log.
#[derive(Clone, Debug, Deserialize)]
pub struct Story {
    /// In order.
    pub entries: Vec<StoryLine>,
}

/// An entry, as far as a screen wants it.
#[derive(Clone, Debug, Deserialize)]
pub struct StoryLine {
    /// Its number, from 0.
    pub ply: u32,
    /// Of an action, the step in a line.
    pub notation: Option<String>,
    /// Of a takeback, the ply that it went back to.
    pub to_ply: Option<u32>,
}

/// A line of talk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// By whom.
    pub seat: Seat,
    /// What.
    pub text: String,
}

/// A step in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// So many entries had happened after it.
    pub ply: u32,
    /// The game's notation.
    pub notation: String,
}

impl Table {
    /// The match that a snapshot shows for the first time.
    pub fn new(snapshot: &Snapshot<'_>, now_ms: u64) -> Table {
        let mut table = Table {
            match_id: snapshot.match_id,
            game: snapshot.game.to_string(),
            ply: 0,
            viewer: snapshot.viewer,
            view: String::new(),
            seats: Vec::new(),
            spectators: 0,
            clock: snapshot.clock.clone(),
            heard_at_ms: now_ms,
            status: snapshot.status,
            outcome: None,
            offers: Vec::new(),
            chat: Vec::new(),
            steps: Vec::new(),
            legal: None,
            next: None,
            is_story_due: false,
        };
        table.show(snapshot, now_ms);
        table
    }

    /// Takes in what the server says of this match; false if it says nothing of it.
    pub fn hear(&mut self, message: &ServerMessage<'_>, now_ms: u64) -> bool {
        match message {
            ServerMessage::Snapshot(it) if it.match_id == self.match_id => self.show(it, now_ms),
            ServerMessage::Event(it) if it.match_id == self.match_id => self.step(it, now_ms),
            ServerMessage::Legal(it) if it.match_id == self.match_id => self.allow(it),
            ServerMessage::Offer(it) if it.match_id == self.match_id => self.offer(*it),
            ServerMessage::Presence(it) if it.match_id == self.match_id => {
                for (seat, present) in self.seats.iter_mut().zip(&it.present) {
                    seat.present = *present;
                }
                self.spectators = it.spectators;
            }
            ServerMessage::Over(it) if it.match_id == self.match_id => {
                self.status = Status::Over;
                self.outcome = Some(it.outcome.clone().into_owned());
                self.clock.running = game_api::SeatSet::default();
            }
            ServerMessage::Rematch(it) if it.match_id == self.match_id => self.next = Some(it.next),
            ServerMessage::Chat(it) if it.match_id == self.match_id => {
                self.say(it.line.seat, &it.line.text);
            }
            _ => return false,
        }
        true
    }

    /// The seat that the viewer plays, if any.
    pub fn own_seat(&self) -> Option<Seat> {
        match self.viewer {
            Viewer::Seat(seat) => Some(seat),
            Viewer::Spectator => None,
        }
    }

    /// Are all seats the viewer's? Nobody sits twice but on one screen.
    pub fn is_hot_seat(&self) -> bool {
        let mut names = self.seats.iter().map(|seat| &seat.name);
        let first = names.next().filter(|name| name.is_some() && self.own_seat().is_some());
        first.is_some_and(|first| self.seats.len() > 1 && names.all(|name| name == first))
    }

    /// Who may act: every game's view says so.
    pub fn to_act(&self) -> Vec<Seat> {
        #[derive(Deserialize)]
        struct View {
            to_act: Vec<Seat>,
        }
        let is_over = self.status == Status::Over;
        let view = serde_json::from_str::<View>(&self.view).ok().filter(|_| !is_over);
        view.map(|view| view.to_act).unwrap_or_default()
    }

    /// What a seat has left now, in milliseconds: of its time, or of a window for its reaction.
    pub fn remaining_ms(&self, seat: Seat, now_ms: u64) -> Option<u64> {
        let window = self.window_left_ms(now_ms).filter(|_| self.to_act().contains(&seat));
        if window.is_some() {
            return window;
        }
        let passed = now_ms.saturating_sub(self.heard_at_ms);
        let left = *self.clock.remaining_ms.get(seat.index())?;
        let passed = if self.clock.running.contains(seat) { passed } else { 0 };
        Some(left.saturating_sub(passed))
    }

    /// What is left of a window for reactions, in milliseconds.
    pub fn window_left_ms(&self, now_ms: u64) -> Option<u64> {
        let is_paused = self.status == Status::Paused;
        let passed = if is_paused { 0 } else { now_ms.saturating_sub(self.heard_at_ms) };
        self.clock.window_ms.map(|left| left.saturating_sub(passed))
    }

    /// Does anybody's time run?
    pub fn is_timed(&self) -> bool {
        let has_window = self.clock.window_ms.is_some() && self.status != Status::Paused;
        has_window || !self.clock.running.is_empty()
    }

    /// Takes in what happened before this screen looked on, or between what it heard.
    pub fn tell(&mut self, story: &Story) {
        let told = u32::try_from(story.entries.len()).unwrap_or(u32::MAX);
        let newer = self.steps.iter().filter(|step| step.ply > told).cloned();
        let newer: Vec<Step> = newer.collect();
        let mut steps: Vec<Step> = Vec::with_capacity(story.entries.len());
        for entry in &story.entries {
            if let Some(to_ply) = entry.to_ply {
                steps.retain(|step| step.ply <= to_ply);
            }
            if let Some(notation) = &entry.notation {
                steps.push(Step { ply: entry.ply + 1, notation: notation.clone() });
            }
        }
        steps.extend(newer);
        self.steps = steps;
        self.is_story_due = false;
    }

    /// Takes in a snapshot of this match.
    pub fn show(&mut self, snapshot: &Snapshot<'_>, now_ms: u64) {
        // Something happened that no event tells: a takeback, or more than was at hand.
        let missed = u32::try_from(snapshot.events.len()).unwrap_or(u32::MAX);
        if snapshot.ply != self.ply.saturating_add(missed) {
            self.is_story_due = true;
        }
        for Missed { ply, notation, .. } in &snapshot.events {
            self.steps.push(Step { ply: *ply, notation: notation.to_string() });
        }
        self.viewer = snapshot.viewer;
        snapshot.view.get().clone_into(&mut self.view);
        self.seats.clone_from(&snapshot.seats);
        self.spectators = snapshot.spectators;
        self.status = snapshot.status;
        self.outcome.clone_from(&snapshot.outcome);
        self.offers.clone_from(&snapshot.offers);
        if !snapshot.chat.is_empty() {
            self.chat.clear();
            for line in &snapshot.chat {
                self.say(line.seat, &line.text);
            }
        }
        self.reach(snapshot.ply, &snapshot.clock, now_ms);
    }

    fn step(&mut self, event: &Event<'_>, now_ms: u64) {
        event.view.get().clone_into(&mut self.view);
        // Whoever plays all seats looks as the one that is to act, at the end as the first.
        if self.is_hot_seat() {
            self.viewer = Viewer::Seat(self.to_act().first().copied().unwrap_or(Seat::FIRST));
        }
        self.steps.push(Step { ply: event.ply, notation: event.notation.to_string() });
        self.reach(event.ply, &event.clock, now_ms);
    }

    fn reach(&mut self, ply: u32, clock: &ClockFace, now_ms: u64) {
        self.ply = ply;
        self.clock = clock.clone();
        self.heard_at_ms = now_ms;
        self.legal = None;
    }

    fn allow(&mut self, legal: &Legal<'_>) {
        if legal.ply == self.ply {
            self.legal = Some(legal.actions.iter().map(ToString::to_string).collect());
        }
    }

    fn offer(&mut self, offer: Offer) {
        self.offers.retain(|it| it.kind != offer.kind);
        if offer.state == OfferState::Open {
            self.offers.push(offer);
        }
    }

    fn say(&mut self, seat: Seat, text: &str) {
        if self.chat.len() == CHAT_MAX {
            self.chat.remove(0);
        }
        self.chat.push(Said { seat, text: text.to_owned() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SNAPSHOT: &str = r#"{"type":"snapshot","match":"06gt3xp9r0002","game":"chess","ply":0,
        "viewer":0,"view":{"turn":0},"seats":[{"name":"ada","present":true},
        {"name":"bob","present":false}],"spectators":0,
        "clock":{"remaining_ms":[300000,300000],"running":[0]},"status":"running","offers":[],
        "commitment":"3f"}"#;

    fn table() -> Table {
        match ServerMessage::parse(SNAPSHOT) {
            Ok(ServerMessage::Snapshot(snapshot)) => Table::new(&snapshot, 1000),
            other => panic!("{other:?}"),
        }
    }

    #[track_caller]
    fn hear(table: &mut Table, text: &str, now_ms: u64) {
        assert!(table.hear(&ServerMessage::parse(text).unwrap(), now_ms), "{text}");
    }

    const EVENT: &str = r#"{"type":"event","match":"06gt3xp9r0002","ply":1,"event":{},
        "view":{"turn":1},"notation":"e4","clock":{"remaining_ms":[299000,300000],"running":[1]}}"#;

    #[test]
    fn an_event_moves_it_on_and_forgets_what_was_allowed_before() {
        let mut table = table();
        let legal = r#"{"type":"legal","match":"06gt3xp9r0002","ply":0,"complete":true,
            "actions":["e2e4"]}"#;
        hear(&mut table, legal, 1000);
        assert_eq!(table.legal.as_deref(), Some(["e2e4".to_owned()].as_slice()));
        hear(&mut table, EVENT, 2000);
        assert_eq!((table.ply, &*table.view, table.legal.as_ref()), (1, r#"{"turn":1}"#, None));
        assert_eq!(table.steps, [Step { ply: 1, notation: "e4".to_owned() }]);
        // An answer that was on its way is about another state.
        hear(&mut table, legal, 2000);
        assert_eq!(table.legal, None);
    }

    #[test]
    fn a_window_for_reactions_goes_down_for_those_who_may_react() {
        let mut table = table();
        let event = r#"{"type":"event","match":"06gt3xp9r0002","ply":1,"event":{},
            "view":{"to_act":[1]},"notation":"8H:WORD","clock":{"remaining_ms":[],"running":[],
            "window_ms":30000}}"#;
        hear(&mut table, event, 2000);
        let [first, second] = [0, 1].map(|number| Seat::new(number).unwrap());
        assert!(table.is_timed());
        assert_eq!(table.window_left_ms(5000), Some(27_000));
        assert_eq!(table.remaining_ms(first, 5000), None);
        assert_eq!(table.remaining_ms(second, 5000), Some(27_000));
        assert_eq!(table.remaining_ms(second, 1_000_000), Some(0));
    }

    #[test]
    fn in_a_pause_all_time_stands() {
        let mut table = table();
        let paused = SNAPSHOT
            .replace("\"running\":[0]", "\"running\":[],\"window_ms\":30000")
            .replace("\"status\":\"running\"", "\"status\":\"paused\"");
        hear(&mut table, &paused, 2000);
        assert!(!table.is_timed());
        assert_eq!(table.window_left_ms(5000), Some(30_000));
        assert_eq!(table.remaining_ms(Seat::FIRST, 5000), Some(300_000));
    }

    #[test]
    fn only_the_running_clock_goes_down() {
        let mut table = table();
        hear(&mut table, EVENT, 2000);
        let [first, second] = [0, 1].map(|number| Seat::new(number).unwrap());
        assert_eq!(table.remaining_ms(first, 5000), Some(299_000));
        assert_eq!(table.remaining_ms(second, 5000), Some(297_000));
        assert_eq!(table.remaining_ms(second, 1_000_000), Some(0));
        let over = r#"{"type":"over","match":"06gt3xp9r0002",
            "outcome":{"places":[2,1],"reason":"resigned"}}"#;
        hear(&mut table, over, 6000);
        assert_eq!((table.status, table.remaining_ms(second, 7000)), (Status::Over, Some(300_000)));
    }

    #[test]
    fn after_a_takeback_the_story_says_what_is_still_so() {
        let mut table = table();
        hear(&mut table, EVENT, 2000);
        assert!(!table.is_story_due);
        let back = SNAPSHOT.replace("\"ply\":0", "\"ply\":2");
        hear(&mut table, &back, 3000);
        assert!(table.is_story_due && table.ply == 2 && table.view == r#"{"turn":0}"#);
        let again = EVENT.replace("\"ply\":1", "\"ply\":3").replace("e4", "d4");
        hear(&mut table, &again, 4000);
        let story = r#"{"viewer":0,"entries":[
            {"ply":0,"seat":0,"at_ms":1,"kind":"act","notation":"e4"},
            {"ply":1,"at_ms":2,"kind":"takeback","to_ply":0}]}"#;
        table.tell(&serde_json::from_str(story).unwrap());
        let d4 = Step { ply: 3, notation: "d4".to_owned() };
        assert_eq!((table.steps.as_slice(), table.is_story_due), ([d4].as_slice(), false));
    }

    #[test]
    fn whoever_plays_all_seats_looks_as_the_one_to_act() {
        let snapshot = SNAPSHOT.replace("bob", "ada");
        let Ok(ServerMessage::Snapshot(snapshot)) = ServerMessage::parse(&snapshot) else {
            panic!("no snapshot");
        };
        let mut alone = Table::new(&snapshot, 0);
        let event = EVENT.replace(r#"{"turn":1}"#, r#"{"to_act":[1]}"#);
        hear(&mut alone, &event, 0);
        assert_eq!((alone.is_hot_seat(), alone.own_seat()), (true, Seat::new(1)));
        let mut two = table();
        hear(&mut two, &event, 0);
        assert_eq!((two.is_hot_seat(), two.own_seat()), (false, Seat::new(0)));
        assert_eq!(two.to_act(), [Seat::new(1).unwrap()]);
    }

    #[test]
    fn an_offer_is_open_until_it_is_answered() {
        let mut table = table();
        let offer = |state: &str| {
            format!(
                r#"{{"type":"offer","match":"06gt3xp9r0002","kind":"draw","seat":1,"state":"{state}"}}"#
            )
        };
        hear(&mut table, &offer("open"), 0);
        hear(&mut table, &offer("open"), 0);
        assert_eq!(table.offers.len(), 1);
        hear(&mut table, &offer("declined"), 0);
        assert_eq!(table.offers, []);
    }

    #[test]
    fn presence_and_talk_are_shown_and_another_match_is_not() {
        let mut table = table();
        let presence = r#"{"type":"presence","match":"06gt3xp9r0002","present":[true,true],
            "spectators":3}"#;
        hear(&mut table, presence, 0);
        assert!(table.seats[1].present && table.spectators == 3);
        for number in 0..=CHAT_MAX {
            let line = format!(
                r#"{{"type":"chat","match":"06gt3xp9r0002","seat":1,"text":"{number}","at_ms":1}}"#
            );
            hear(&mut table, &line, 0);
        }
        assert_eq!((table.chat.len(), &*table.chat[0].text), (CHAT_MAX, "1"));
        let other = presence.replace("0002", "0003");
        assert!(!table.hear(&ServerMessage::parse(&other).unwrap(), 0));
    }
}
