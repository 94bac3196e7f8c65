//! What was stored of one match, followed entry by entry, and what anybody may be told by it.
//!
//! It judges by the log alone: it knows no room and no house.

use std::collections::BTreeMap;

use domain::{MatchId, PlayerId, SeatHolder};
use game_api::{
    Agreement, AnyMatch, Entry, EntryKind, Forfeit, Seat, SeatSet, StateHash, Telling, Viewer,
};
use play::Settings;
use play::room::{Room, SeatOwner, Setup};
use protocol::ws::{Ack, Event, Legal, Over, Refused, ServerMessage, Snapshot, Status};
use protocol::{ClockFace, ClockSetting};
use storage::MatchRow;

use crate::tally::Tally;
use crate::{games, violated};

/// A room remembers the numbers of so many actions; whoever repeats an older one is told that it
/// is stale.
const NONCES_KEPT: usize = 16;

pub(crate) struct Ledger {
    row: MatchRow,
    settings: Settings,
    contest: Box<dyn AnyMatch>,
    entries: Vec<Entry>,
    /// How the match stood after so many entries.
    moments: Vec<Moment>,
    /// Which entry a player's action became.
    actions: BTreeMap<(PlayerId, u64), u32>,
    acked: BTreeMap<(PlayerId, u64), u32>,
    /// What was told of the clock last, after so many absences.
    faces: BTreeMap<usize, (u32, ClockFace)>,
    pub(crate) has_takeback: bool,
}

/// An event and its line.
type Told = (Vec<u8>, Vec<u8>);

struct Moment {
    state_hash: StateHash,
    is_over: bool,
    is_paused: bool,
    /// By viewer: what it sees.
    views: Vec<Vec<u8>>,
    /// By viewer: what it was told of the action that led here.
    events: Vec<Told>,
}

/// Whom a letter reaches.
pub(crate) struct Receiver {
    pub(crate) player: PlayerId,
    /// As whom; nobody if it has several seats, or is no member.
    pub(crate) viewer: Option<Viewer>,
    /// The time of the house.
    pub(crate) now_ms: u64,
}

impl Ledger {
    pub(crate) fn new(row: MatchRow) -> Ledger {
        let settings = match serde_json::from_str(&row.settings) {
            Ok(settings) => settings,
            Err(error) => violated("stored settings can be read", error),
        };
        let contest = games::deal(&row);
        let mut ledger = Ledger {
            row,
            settings,
            contest,
            entries: Vec::new(),
            moments: Vec::new(),
            actions: BTreeMap::new(),
            acked: BTreeMap::new(),
            faces: BTreeMap::new(),
            has_takeback: false,
        };
        ledger.moments.push(ledger.moment(Vec::new(), false));
        ledger
    }

    pub(crate) fn row(&self) -> &MatchRow {
        &self.row
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.settings
    }

    pub(crate) fn plies(&self) -> u32 {
        u32::try_from(self.entries.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.contest.to_act().is_empty()
    }

    /// The places at the end; none while it runs or if it was aborted.
    pub(crate) fn places(&self) -> Vec<u8> {
        self.contest.outcome().filter(|_| self.is_over()).map_or_else(Vec::new, |it| it.places)
    }

    pub(crate) fn state_hash(&self) -> StateHash {
        self.contest.state_hash()
    }

    pub(crate) fn players(&self) -> Vec<PlayerId> {
        self.row.seats.iter().filter_map(player).collect()
    }

    /// What a room of this match is made of.
    pub(crate) fn setup(&self, epoch: u32) -> Setup {
        setup(&self.row, &self.settings, epoch)
    }

    /// Follows an entry that was stored while the match was in this epoch.
    pub(crate) fn absorb(&mut self, entry: Entry, epoch: u32, tally: &mut Tally) {
        let place = format!("{} entry {}: {}", self.row.id, entry.ply, entry.kind);
        if entry.ply != self.plies() {
            violated("plies are consecutive", format!("{place} after {}", self.plies()));
        }
        if let Some(last) = self.entries.last()
            && (last.at_ms > entry.at_ms || last.epoch > entry.epoch)
        {
            violated("time and epoch never go back in a log", &place);
        }
        if entry.epoch != epoch {
            violated("only the owner stores", format!("{place} in epoch {epoch}"));
        }
        if let (Some(player), true) = (self.player_of(entry.seat), entry.nonce != 0)
            && let Some(first) = self.actions.insert((player, entry.nonce), entry.ply)
        {
            violated("no entry is doubled", format!("{place} was entry {first}"));
        }
        let events = match self.follow(&entry, tally) {
            Ok(events) => events,
            Err(refused) => violated("the log replays", format!("{place}: {refused}")),
        };
        let is_paused = match entry.kind {
            EntryKind::Pause => true,
            EntryKind::Act(_) | EntryKind::Takeback(_) => self.last().is_paused,
            _ => false,
        };
        self.entries.push(entry);
        self.moments.push(self.moment(events, is_paused));
        tally.entries += 1;
        tally.ended += u64::from(self.is_over());
    }

    fn follow(&mut self, entry: &Entry, tally: &mut Tally) -> Result<Vec<Told>, game_api::Refused> {
        let seat = entry.seat.unwrap_or(Seat::FIRST);
        match &entry.kind {
            EntryKind::Act(text) => {
                let mut telling = Telling::to(Viewer::all(self.contest.seats()));
                self.contest.act(seat, text, &mut telling)?;
                let told = telling.told().map(|it| (it.event.to_vec(), it.notation.to_vec()));
                return Ok(told.collect());
            }
            EntryKind::Forfeit(cause) => {
                tally.time_outs += u64::from(*cause == Forfeit::Time);
                self.contest.forfeit(seat, *cause)?;
            }
            EntryKind::Agree(Agreement::Draw) => self.contest.agree_draw()?,
            EntryKind::Abort => self.contest.abort()?,
            EntryKind::Pause => {
                tally.pauses += 1;
                self.contest.mark_time()?;
            }
            EntryKind::Resume => self.contest.mark_time()?,
            EntryKind::Takeback(to_ply) => {
                tally.takebacks += 1;
                self.has_takeback = true;
                self.contest.takeback(&self.entries, *to_ply)?;
            }
        }
        Ok(Vec::new())
    }

    fn moment(&self, events: Vec<Told>, is_paused: bool) -> Moment {
        let views = Viewer::all(self.contest.seats());
        Moment {
            state_hash: self.contest.state_hash(),
            is_over: self.is_over(),
            is_paused: is_paused && !self.is_over(),
            views: views.map(|viewer| self.contest.view(viewer).unwrap_or_default()).collect(),
            events,
        }
    }

    fn last(&self) -> &Moment {
        &self.moments[self.entries.len()]
    }

    fn player_of(&self, seat: Option<Seat>) -> Option<PlayerId> {
        seat.and_then(|seat| player(&self.row.seats[seat.index()]))
    }

    fn index(&self, viewer: Viewer) -> usize {
        viewer.seat().map_or(self.row.seats.len(), Seat::index)
    }

    fn seats_of(&self, player: PlayerId) -> SeatSet {
        let holder = SeatHolder::Player(player);
        let seats = Seat::all(self.contest.seats());
        seats.filter(|seat| self.row.seats[seat.index()] == holder).collect()
    }

    /// Holds a room's memory against the log; `is_owner` if no other house can have added to it.
    pub(crate) fn check_memory(&self, room: &Room, is_owner: bool) {
        let place = || format!("{} has {} of {} entries", self.row.id, room.ply(), self.plies());
        if room.ply() > self.plies() || is_owner && room.ply() != self.plies() {
            violated("memory is what is stored", place());
        }
        let moment = &self.moments[room.ply() as usize];
        if moment.state_hash != room.contest().state_hash() {
            violated("memory is what is stored", format!("{}, another state", place()));
        }
    }

    /// Replays the log and compares all that a room knows by it.
    pub(crate) fn check_replay(&self, room: &Room, epoch: u32, now_ms: u64) {
        let replayed = match Room::restore(self.setup(epoch), &self.entries) {
            Ok(replayed) => replayed,
            Err(error) => violated("the log replays", error),
        };
        let id = self.row.id;
        for viewer in Viewer::all(self.contest.seats()) {
            let seen = |room: &Room| room.contest().view(viewer).unwrap_or_default();
            if seen(room) != seen(&replayed) || seen(room) != self.last().views[self.index(viewer)]
            {
                violated("replay equals memory", format!("{id}: the view of {viewer}"));
            }
        }
        let (face, again) = (room.clock().face(now_ms), replayed.clock().face(now_ms));
        if face != again {
            violated("replay equals memory", format!("{id}: clock {face:?}, replayed {again:?}"));
        }
        if room.has_takeback() != replayed.has_takeback() {
            violated("replay equals memory", format!("{id}: whether something was taken back"));
        }
    }

    /// Judges a letter by what is stored now.
    pub(crate) fn check_letter(
        &mut self,
        message: &ServerMessage<'_>,
        to: &Receiver,
        tally: &mut Tally,
    ) {
        match message {
            ServerMessage::Snapshot(snapshot) => self.check_snapshot(snapshot, to),
            ServerMessage::Event(event) => self.check_event(event, to),
            ServerMessage::Ack(ack) => self.check_ack(*ack, to, tally),
            ServerMessage::Refused(refused) => {
                tally.refusals += 1;
                self.check_refused(refused, to);
            }
            ServerMessage::Legal(legal) => self.check_legal(legal, to),
            ServerMessage::Over(over) => self.check_over(over),
            _ => {}
        }
    }

    fn check_ply(&self, ply: u32, what: &str) {
        if ply > self.plies() {
            let (id, plies) = (self.row.id, self.plies());
            let what = format!("{id}: {what} of ply {ply}, {plies} are stored");
            violated("nothing is told before it is stored", what);
        }
    }

    fn check_snapshot(&mut self, snapshot: &Snapshot<'_>, to: &Receiver) {
        let id = self.row.id;
        self.check_ply(snapshot.ply, "a snapshot");
        let own = self.seats_of(to.player);
        let is_own = match snapshot.viewer {
            Viewer::Seat(seat) => own.contains(seat),
            Viewer::Spectator => own.is_empty(),
        };
        if !is_own {
            let what = format!("{id}: {:?} sees as {}", to.player, snapshot.viewer);
            violated("a view is its viewer's", what);
        }
        let moment = &self.moments[snapshot.ply as usize];
        let at = self.index(snapshot.viewer);
        if snapshot.view.get().as_bytes() != moment.views[at] {
            let what = format!("{id}: a snapshot of ply {} for {}", snapshot.ply, snapshot.viewer);
            violated("a client's view is the stored one", what);
        }
        for missed in &snapshot.events {
            let told = self.moments[missed.ply as usize].events.get(at);
            let is_told = told.is_some_and(|(event, notation)| {
                (event.as_slice(), notation.as_slice())
                    == (missed.event.get().as_bytes(), missed.notation.as_bytes())
            });
            if !is_told {
                let what = format!("{id}: what {} missed at ply {}", snapshot.viewer, missed.ply);
                violated("a client's view is the stored one", what);
            }
        }
        let status = match moment {
            Moment { is_over: true, .. } => Status::Over,
            Moment { is_paused: true, .. } => Status::Paused,
            _ => Status::Running,
        };
        if snapshot.status != status {
            let what = format!("{id}: {:?} at ply {}", snapshot.status, snapshot.ply);
            violated("a client's view is the stored one", what);
        }
        if own.is_empty() && self.settings.spectator_delay_s > 0 {
            self.check_delay(snapshot.ply, to.now_ms);
        } else {
            self.check_face(snapshot.ply, &snapshot.clock);
        }
    }

    /// Spectators of a match with a delay learn nothing early.
    fn check_delay(&self, ply: u32, now_ms: u64) {
        let Some(entry) = (ply as usize).checked_sub(1).map(|at| &self.entries[at]) else {
            return;
        };
        // A room's time is that of its house, or that of the log where this is ahead.
        let now_ms = self.entries.last().map_or(now_ms, |last| now_ms.max(last.at_ms));
        let due_ms = entry.at_ms + u64::from(self.settings.spectator_delay_s) * 1000;
        if now_ms < due_ms && !self.is_over() {
            let what = format!("{}: ply {ply} at {now_ms}, due at {due_ms}", self.row.id);
            violated("spectators are told late", what);
        }
    }

    fn check_event(&mut self, event: &Event<'_>, to: &Receiver) {
        let id = self.row.id;
        self.check_ply(event.ply, "an event");
        let moment = &self.moments[event.ply as usize];
        let own = self.seats_of(to.player);
        let told = (event.event.get(), event.view.get(), event.notation.as_bytes());
        let is_told = |viewer: Viewer| {
            let at = self.index(viewer);
            let (Some((event, notation)), view) = (moment.events.get(at), &moment.views[at]) else {
                return false;
            };
            (told.0.as_bytes(), told.1.as_bytes(), told.2)
                == (event.as_slice(), view.as_slice(), notation.as_slice())
        };
        let is_fine = match to.viewer {
            Some(viewer) => {
                let is_own = viewer.seat().map_or(own.is_empty(), |seat| own.contains(seat));
                is_own && is_told(viewer)
            }
            None => own.iter().any(|seat| is_told(Viewer::Seat(seat))),
        };
        if !is_fine {
            let what = format!("{id}: an event of ply {} for {:?}", event.ply, to.viewer);
            violated("a client's view is the stored one", what);
        }
        if own.is_empty() && self.settings.spectator_delay_s > 0 {
            violated("spectators are told late", format!("{id}: an event of ply {}", event.ply));
        }
        self.check_face(event.ply, &event.clock);
    }

    fn check_ack(&mut self, ack: Ack, to: &Receiver, tally: &mut Tally) {
        self.check_ply(ack.ply, "an ack");
        tally.acks += 1;
        let key = (to.player, ack.nonce);
        let stored = self.actions.get(&key).map(|ply| ply + 1);
        if stored != Some(ack.ply) {
            let what = format!("{}: {ack:?}, stored as {stored:?}", self.row.id);
            violated("an acknowledged action is in the log, once", what);
        }
        tally.repeated_acks += u64::from(self.acked.insert(key, ack.ply).is_some());
    }

    fn check_refused(&self, refused: &Refused<'_>, to: &Receiver) {
        if let Some(ply) = refused.ply {
            self.check_ply(ply, "a refusal");
        }
        // Without a ply it is the house that speaks, and does not know.
        let (Some(nonce), Some(ply)) = (refused.nonce, refused.ply) else {
            return;
        };
        let Some(stored) = self.actions.get(&(to.player, nonce)) else {
            return;
        };
        // Of what the next owner has stored, the one before knows nothing.
        if ply <= *stored {
            return;
        }
        let after = self.entries[*stored as usize..].iter().filter(|entry| entry.nonce != 0);
        // Who is no member is not known to be the one who acted.
        if after.count() <= NONCES_KEPT && refused.code != "not_seated" {
            let (id, code) = (self.row.id, &refused.code);
            let what = format!("{id}: {code} for {nonce}, which is entry {stored}");
            violated("what is refused has changed nothing", what);
        }
    }

    fn check_legal(&self, legal: &Legal<'_>, to: &Receiver) {
        self.check_ply(legal.ply, "a list of actions");
        if legal.ply == self.plies() && !legal.actions.is_empty() {
            let own = self.seats_of(to.player);
            let mut acting = own.iter().filter(|seat| self.contest.to_act().contains(*seat));
            if acting.next().is_none() {
                let what = format!("{}: actions for {:?}", self.row.id, to.player);
                violated("a view is its viewer's", what);
            }
        }
    }

    fn check_over(&self, over: &Over<'_>) {
        if !self.is_over() || over.outcome.places != self.places() {
            let what = format!("{}: it is over, {:?}", self.row.id, over.outcome.places);
            violated("nothing is told before it is stored", what);
        }
    }

    /// While somebody is there all the time what is left falls, but for increments and new turns.
    fn check_face(&mut self, ply: u32, face: &ClockFace) {
        let entries = self.entries.iter().take(ply as usize);
        let absences = entries.filter(|entry| matches!(entry.kind, EntryKind::Resume)).count();
        let before = self.faces.insert(absences, (ply, face.clone()));
        let Some((ply_before, before)) = before else {
            return;
        };
        let since = self.entries.get(ply_before as usize..ply as usize).unwrap_or_default();
        let amounts = before.remaining_ms.iter().zip(&face.remaining_ms);
        for (seat, (before_ms, now_ms)) in Seat::all(self.contest.seats()).zip(amounts) {
            let is_own = |entry: &&Entry| {
                entry.seat == Some(seat) && matches!(entry.kind, EntryKind::Act(_))
            };
            let actions = u64::try_from(since.iter().filter(is_own).count()).unwrap_or(0);
            let most_ms = match self.settings.clock {
                ClockSetting::Fischer { increment_s, .. } => {
                    before_ms + actions * u64::from(increment_s) * 1000
                }
                ClockSetting::PerMove { seconds } if ply > ply_before => u64::from(seconds) * 1000,
                ClockSetting::Days { days } if ply > ply_before => u64::from(days) * 86_400_000,
                _ => *before_ms,
            };
            if *now_ms > most_ms {
                let what = format!(
                    "{}: seat {seat} had {before_ms} ms at ply {ply_before}, has {now_ms} at {ply}",
                    self.row.id
                );
                violated("clocks never go up", what);
            }
        }
        if ply == ply_before && face.window_ms > before.window_ms {
            violated("clocks never go up", format!("{}: the window of ply {ply}", self.row.id));
        }
    }

    /// At the end of a run: what was acknowledged is there, and the store has what was followed.
    pub(crate) fn check_log(&self, stored: &[Entry]) {
        if stored != self.entries {
            violated("no entry is lost", format!("{} has changed", self.row.id));
        }
        for ((player, nonce), ply) in &self.acked {
            let at = stored.get(*ply as usize - 1);
            if at.is_none_or(|entry| entry.nonce != *nonce) {
                violated("no entry is lost", format!("{player:?} {nonce} at {ply}"));
            }
        }
    }

    /// Whether somebody who knows this much knows all, as far as it may.
    pub(crate) fn is_up_to_date(&self, player: PlayerId, ply: u32, view: &[u8]) -> bool {
        let own = self.seats_of(player);
        let sees = |viewer: Viewer| view == self.last().views[self.index(viewer)];
        let is_seen = own.iter().any(|seat| sees(Viewer::Seat(seat)))
            || own.is_empty() && sees(Viewer::Spectator);
        ply == self.plies() && is_seen
    }

    pub(crate) fn id(&self) -> MatchId {
        self.row.id
    }
}

pub(crate) fn setup(row: &MatchRow, settings: &Settings, epoch: u32) -> Setup {
    let owner = |holder: &SeatHolder| SeatOwner { holder: holder.clone(), name: None };
    Setup {
        id: row.id,
        contest: games::deal(row),
        seats: row.seats.iter().map(owner).collect(),
        clock: settings.clock,
        spectator_delay_ms: u64::from(settings.spectator_delay_s) * 1000,
        is_rated: settings.is_rated,
        is_public: row.is_public,
        epoch,
        created_ms: row.created_ms,
    }
}

fn player(holder: &SeatHolder) -> Option<PlayerId> {
    match holder {
        SeatHolder::Player(player) => Some(*player),
        SeatHolder::Bot(_) | SeatHolder::Gone => None,
    }
}
