//! A room with its log and its members' screens: does all that the room wants done, and checks what
//! must hold whatever happens. It says nothing of what should happen in which case.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use domain::{MatchId, SeatHolder};
use game_api::{AnyGame, Entry, Erased, MAX_SEATS, Seat, SeatSet, Seed, Viewer};
use play::room::{Append, Effect, Input, MemberId, Room, SeatOwner, Setup, To};
use protocol::ClockSetting;
use protocol::ws::ServerMessage;

static TEMPLATE: LazyLock<Erased<template::Template>> =
    LazyLock::new(|| Erased::new(template::Template));

/// The terms of a match.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    /// The game's key.
    pub(crate) game: String,
    pub(crate) options: String,
    pub(crate) seed: u64,
    /// Who sits where.
    pub(crate) seats: Vec<SeatHolder>,
    pub(crate) clock: ClockSetting,
    pub(crate) spectator_delay_ms: u64,
    pub(crate) is_public: bool,
}

impl Terms {
    pub(crate) fn setup(&self) -> Setup {
        let game: &dyn AnyGame = match self.game.as_str() {
            "template" => &*TEMPLATE,
            id => catalog::find(id).unwrap(),
        };
        let seats = u8::try_from(self.seats.len()).unwrap();
        let owner = |holder: &SeatHolder| SeatOwner { holder: holder.clone(), name: None };
        Setup {
            id: MatchId::from_number(1).unwrap(),
            contest: game.start(&self.options, seats, Seed::from_number(self.seed)).unwrap(),
            seats: self.seats.iter().map(owner).collect(),
            clock: self.clock,
            spectator_delay_ms: self.spectator_delay_ms,
            is_rated: false,
            is_public: self.is_public,
            epoch: 1,
            created_ms: 0,
        }
    }
}

/// Somebody who follows the match.
#[derive(Clone, Default)]
pub(crate) struct Screen {
    /// As whom; nobody in particular with several seats.
    viewer: Option<Viewer>,
    pub(crate) is_seated: bool,
    seats: SeatSet,
    /// The last view that came.
    view: String,
}

/// A room, its log, and who follows it.
pub(crate) struct Table {
    pub(crate) terms: Terms,
    pub(crate) room: Room,
    /// The room was made anew from the log.
    pub(crate) is_from_log: bool,
    pub(crate) log: Vec<Entry>,
    pub(crate) now_ms: u64,
    pub(crate) screens: BTreeMap<MemberId, Screen>,
}

/// What was done for a room, and if it was a letter, who got it.
pub(crate) struct Deed {
    pub(crate) effect: Effect,
    pub(crate) told: Vec<MemberId>,
}

impl Deed {
    /// The letter that a member got.
    fn letter_to(&self, member: MemberId) -> Option<&str> {
        match &self.effect {
            Effect::Send { letter, .. } if self.told.contains(&member) => {
                Some(std::str::from_utf8(letter).unwrap())
            }
            _ => None,
        }
    }
}

impl Table {
    pub(crate) fn open(terms: Terms) -> Table {
        let room = Room::open(terms.setup());
        let (log, screens) = (Vec::new(), BTreeMap::new());
        Table { terms, room, is_from_log: false, log, now_ms: 0, screens }
    }

    pub(crate) fn restored(&self) -> Room {
        Room::restore(self.terms.setup(), &self.log).unwrap()
    }

    /// The house stops and comes back now; everybody's connection is gone.
    pub(crate) fn restart(&mut self) -> Vec<Deed> {
        self.screens.clear();
        self.room = self.restored();
        self.is_from_log = true;
        let entry = self.room.resume(self.now_ms);
        let append = entry.map(|entry| Effect::Append(Append { entry, ending: None }));
        let wake = self.room.wake_at().map(Effect::WakeAt);
        self.carry_out(append.into_iter().chain(wake).collect())
    }

    /// Hands an input to the room and does what it wants.
    pub(crate) fn handle(&mut self, input: Input) -> Vec<Deed> {
        if let Input::Join { member, player, .. } = &input {
            let holder = SeatHolder::Player(*player);
            let seats: SeatSet = (Seat::all(MAX_SEATS).zip(&self.terms.seats))
                .filter(|(_, it)| **it == holder)
                .map(|(seat, _)| seat)
                .collect();
            let screen = Screen { is_seated: !seats.is_empty(), seats, ..Screen::default() };
            self.screens.entry(*member).or_insert(screen);
        }
        let asker = asker(&input);
        let mut effects = Vec::new();
        self.room.handle(self.now_ms, input, &mut effects);
        let is_stored = effects.iter().any(|effect| matches!(effect, Effect::Append(_)));
        let deeds = self.carry_out(effects);
        let followers: Vec<MemberId> = self.screens.keys().copied().collect();
        self.screens.retain(|member, _| self.room.members().any(|it| it == *member));
        for gone in followers.iter().filter(|member| !self.screens.contains_key(member)) {
            let is_told = deeds.iter().any(|deed| deed.told.contains(gone));
            assert!(is_told, "{gone:?} is not let in and does not know it");
        }
        if let Some((member, nonce)) = asker {
            let letters: Vec<&str> =
                deeds.iter().filter_map(|deed| deed.letter_to(member)).collect();
            assert!(is_stored || !letters.is_empty(), "{member:?} is not answered");
            if nonce.is_some() {
                let answers = letters.iter().filter(|letter| answered_nonce(letter) == nonce);
                assert_eq!(answers.count(), 1, "an action has one answer: {letters:?}");
            }
        }
        deeds
    }

    fn carry_out(&mut self, effects: Vec<Effect>) -> Vec<Deed> {
        let is_append = |effect: &Effect| matches!(effect, Effect::Append(_));
        let appends = effects.iter().filter(|effect| is_append(effect)).count();
        assert!(appends <= 1, "one input stores at most one entry");
        let reload = effects.iter().position(|effect| matches!(effect, Effect::Reload));
        assert!(reload.is_none_or(|at| at + 1 == effects.len()), "the old room goes on");
        let mut is_before = appends == 1;
        let mut deeds = Vec::new();
        for effect in effects {
            let mut told = Vec::new();
            let mut more = Vec::new();
            match &effect {
                Effect::Append(append) => {
                    is_before = false;
                    assert_eq!(append.entry.ply as usize, self.log.len(), "no gap in the log");
                    assert!(append.entry.at_ms <= self.now_ms, "nothing is of tomorrow");
                    self.log.push(append.entry.clone());
                }
                Effect::Send { to, letter } => {
                    assert!(!is_before, "told before it is stored");
                    told = self.deliver(*to, std::str::from_utf8(letter).unwrap());
                }
                Effect::Reload => {
                    let fresh = self.restored();
                    self.is_from_log = true;
                    let earlier = std::mem::replace(&mut self.room, fresh);
                    self.room.adopt(&earlier, &mut more);
                }
                Effect::Admit { member, viewer } => {
                    self.screens.entry(*member).or_default().viewer = *viewer;
                }
                Effect::Dismiss { member } => drop(self.screens.remove(member)),
                Effect::WakeAt(at_ms) => assert_eq!(self.room.wake_at(), Some(*at_ms)),
                Effect::Note(_) | Effect::Rematch { .. } => {}
                Effect::AskBot(question) => {
                    assert!(!is_before, "asked before it is stored");
                    let viewer = Viewer::Seat(question.seat);
                    let view = self.room.contest().view(viewer).unwrap();
                    assert_eq!(question.view, view, "a bot sees what its seat sees");
                }
            }
            deeds.push(Deed { effect, told });
            deeds.extend(self.carry_out(more));
        }
        deeds
    }

    fn deliver(&mut self, to: To, letter: &str) -> Vec<MemberId> {
        let view = match ServerMessage::parse(letter).unwrap() {
            ServerMessage::Snapshot(snapshot) => Some(snapshot.view.get().to_owned()),
            ServerMessage::Event(event) => Some(event.view.get().to_owned()),
            _ => None,
        };
        let mut told = Vec::new();
        for (member, screen) in &mut self.screens {
            let is_told = match to {
                To::Member(id) => id == *member,
                To::Viewer(viewer) => screen.viewer == Some(viewer),
                To::Viewers => screen.viewer.is_some(),
                To::Seats => screen.is_seated,
                To::All => true,
            };
            if is_told {
                told.push(*member);
                screen.view = view.clone().unwrap_or_else(|| std::mem::take(&mut screen.view));
            }
        }
        // Somebody who is not let in is told so.
        if let To::Member(member) = to
            && told.is_empty()
        {
            told.push(member);
        }
        told
    }

    /// Everybody who sees at once sees what the match shows to whoever they are.
    pub(crate) fn check_screens(&self) {
        for (member, screen) in &self.screens {
            let is_late = self.terms.spectator_delay_ms > 0 && !self.room.is_over();
            if is_late && !screen.is_seated {
                continue;
            }
            let to_act = self.room.contest().to_act();
            let acting = screen.seats.iter().find(|seat| to_act.contains(*seat));
            let several = acting.or(screen.seats.iter().next()).map(Viewer::Seat);
            let viewer = screen.viewer.or(several).unwrap();
            let view = String::from_utf8(self.room.contest().view(viewer).unwrap()).unwrap();
            assert_eq!(screen.view, view, "what {member:?} sees as {viewer}");
        }
    }
}

/// Who waits for an answer, and by which number it is known.
fn asker(input: &Input) -> Option<(MemberId, Option<u64>)> {
    match *input {
        Input::Act { member, nonce, .. } => Some((member, Some(nonce))),
        Input::Join { member, .. }
        | Input::Legal { member }
        | Input::Resign { member }
        | Input::Claim { member }
        | Input::Offer { member, .. }
        | Input::Answer { member, .. }
        | Input::Chat { member, .. } => Some((member, None)),
        Input::Leave { .. }
        | Input::Expel { .. }
        | Input::Depart { .. }
        | Input::BotChose { .. }
        | Input::RematchMade { .. }
        | Input::RematchFailed { .. }
        | Input::Tick => None,
    }
}

fn answered_nonce(letter: &str) -> Option<u64> {
    match ServerMessage::parse(letter).unwrap() {
        ServerMessage::Ack(ack) => Some(ack.nonce),
        ServerMessage::Refused(refused) => refused.nonce,
        _ => None,
    }
}
