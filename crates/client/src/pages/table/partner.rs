//! Whom one plays against on one screen: nobody, or bots that think beside the page. And what a bot
//! would do in one's own place.

use std::iter;
use std::time::Duration;

use board_kit::{hear, live, shown_while, words};
use client_core::{Question, Sight};
use game_api::Seat;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::GameInfo;

use super::practice::{Desk, seat_of, sight_of};
use crate::boards;
use crate::browser::{keep, random, recall};
use crate::pages::terms::{level_choices, level_remark, seat_choices, select};
use crate::thinker::{self, LEVELS, think};

/// So long a bot thinks at most.
const THINK_MS: u32 = 800;
/// People like to see what happened before the answer comes.
const PAUSE: Duration = Duration::from_millis(350);

/// Bots of a level at all seats but one; at level 0 there are none, and one plays all sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Against {
    level: u8,
    own: Seat,
}

fn key(game: &str) -> String {
    format!("against-{game}")
}

impl Against {
    /// Oneself at all seats.
    pub(crate) fn nobody() -> Against {
        Against { level: 0, own: Seat::FIRST }
    }

    /// Bots of a level, and this seat for oneself.
    pub(crate) fn bots(level: u8, own: Seat) -> Against {
        Against { level, own }
    }

    /// As it was chosen last for a game.
    pub(super) fn recall(game: &str) -> Against {
        let kept = recall(&key(game)).unwrap_or_default();
        let mut numbers = kept.split(' ').map(|it| it.parse::<u8>().unwrap_or_default());
        let level = numbers.next().unwrap_or_default().min(LEVELS);
        let own = numbers.next().and_then(Seat::new).unwrap_or(Seat::FIRST);
        Against { level, own }
    }

    pub(crate) fn keep(self, game: &str) {
        keep(&key(game), &format!("{} {}", self.level, self.own.index()));
    }

    /// The same in a match of so many seats.
    pub(super) fn among(self, seats: u8) -> Against {
        let own = Seat::all(seats).find(|seat| *seat == self.own).unwrap_or(Seat::FIRST);
        Against { own, ..self }
    }

    /// One's own seat, if the others are bots'.
    pub(super) fn own(self) -> Option<Seat> {
        (self.level > 0).then_some(self.own)
    }

    /// Is a bot at this seat?
    pub(super) fn plays(self, seat: Seat) -> bool {
        self.own().is_some_and(|own| own != seat)
    }

    /// What the player of a seat is called.
    pub(super) fn name(self, seat: Seat) -> String {
        let number = seat.index() + 1;
        match self.own() {
            None => format!("Player {number}"),
            Some(own) if own == seat => format!("Player {number} (you)"),
            Some(_) => format!("Player {number} (bot, level {})", self.level),
        }
    }
}

/// Whom to play against, and where to sit.
pub(super) fn choose_partner(info: &GameInfo, seats: u8, against: RwSignal<Against>) -> AnyView {
    let game = StoredValue::new(info.id.clone());
    let change = move |change: &dyn Fn(&mut Against)| {
        against.update(change);
        game.with_value(|game| against.get_untracked().keep(game));
    };
    let nobody = ("0".to_owned(), "Nobody: you play all sides".to_owned());
    let bot = |(level, words): (String, String)| (level, format!("Bot · {words}"));
    let levels = level_choices(&info.bots).into_iter().map(bot);
    let bots = info.bots.clone();
    let level = Memo::new(move |_| against.get().level);
    let now = against.get_untracked();
    let set_level = move |text: String| change(&|it| it.level = text.parse().unwrap_or_default());
    let set_own = move |text: String| {
        let own = text.parse().ok().and_then(Seat::new).unwrap_or(Seat::FIRST);
        change(&|it| it.own = own);
    };
    // Whoever plays all sides is nobody in particular.
    let own = move || {
        let now = against.get_untracked().own.index().to_string();
        select("You are", seat_choices(seats).collect(), &now, set_own)
    };
    view! {
        <section class="partner" aria-label="Opponent">
            {select("Against", iter::once(nobody).chain(levels).collect(), &now.level.to_string(), set_level)}
            {live(move || level_remark(&bots, level.get()))}
            {shown_while(Signal::derive(move || level.get() > 0), own)}
        </section>
    }
    .into_any()
}

/// A bot acts whenever it is its turn.
pub(super) fn let_bots_play(desk: Desk) {
    let has_words = StoredValue::new(false);
    Effect::new(move || {
        let against = desk.against.get();
        let (Some(log), Some(turn)) = (desk.log.get(), desk.turn.get()) else { return };
        let seat = seat_of(&turn);
        if turn.outcome.is_some() || !against.plays(seat) {
            return;
        }
        spawn_local(async move {
            if !has_words.try_get_value().unwrap_or(true) {
                thinker::give_words(&log).await;
                has_words.try_set_value(true);
            }
            let advice = think(&advise(sight_of(turn), against.level)).await;
            if advice.is_none() {
                // The next thread has no list yet.
                has_words.try_set_value(false);
            }
            let answer = move || {
                // A match that went on, or was left, wants no answer.
                let is_same = desk.log.try_get_untracked().flatten() == Some(log)
                    && desk.against.try_get_untracked() == Some(against);
                match advice {
                    Some(Ok(advice)) if is_same => desk.decide(seat, advice),
                    Some(Err(why)) if is_same => desk.trouble.set(Some(why)),
                    None if is_same => desk.trouble.set(Some(NO_BOT.to_owned())),
                    _ => {}
                }
            };
            set_timeout(answer, PAUSE);
        });
    });
}

const NO_BOT: &str = "The bot could not be started. Load the page again, or play both sides.";

/// A button that shows what a bot would do. `sight` is what the own seat sees while it is to act.
pub(super) fn hint(sight: Signal<Option<Sight>>) -> AnyView {
    let shown = RwSignal::new(String::new());
    let is_asked = RwSignal::new(false);
    // What was advised is about the state before.
    Effect::new(move || {
        sight.track();
        shown.set(String::new());
    });
    let may_ask = Signal::derive(move || sight.with(Option::is_some) && !is_asked.get());
    let show = hear(move |_| {
        let Some(seen) = sight.get_untracked() else { return };
        let game = seen.game.clone();
        is_asked.set(true);
        spawn_local(async move {
            thinker::give_words(&seen.options).await;
            let advice = think(&advise(seen.clone(), LEVELS)).await;
            is_asked.try_set(false);
            if sight.try_get_untracked().flatten() == Some(seen) {
                shown.try_set(match advice {
                    Some(Ok(advice)) => {
                        format!("A bot’s choice: {}.", boards::say(&game, &advice.notation))
                    }
                    Some(Err(why)) => why,
                    None => NO_BOT.to_owned(),
                });
            }
        });
    });
    view! {
        <section class="offers" aria-label="Hint">
            <button class="quiet" disabled=Signal::derive(move || !may_ask.get()) on:click=show>"Show me a good move"</button>
            <p class="hint" role="status">{words(move || shown.get())}</p>
        </section>
    }
    .into_any()
}

fn advise(sight: Sight, level: u8) -> Question {
    Question::Advise { sight, level, think_ms: THINK_MS, chance: random() }
}
