//! A match on this screen alone: the rules run beside the page, and no server is needed.

use board_kit::{Stage, hear, live, shown_while, words};
use client_core::{Advice, DrawOffer, Question, Scene, Sight};
use game_api::{Seat, Viewer};
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::GameInfo;

use super::offers::ask_again;
use super::partner::{Against, choose_partner, hint, let_bots_play};
use super::replay::Moments;
use super::{HandOver, board, dead_end, ending, games, sentence_of};
use crate::api;
use crate::browser::{keep, random, recall};
use crate::realtime::now_ms;
use crate::rules::Rules;

/// Where the match of a game is kept.
fn key(game: &str) -> String {
    format!("practice-{game}")
}

/// Begins a match on this screen; the one before is forgotten.
pub(crate) fn begin(
    rules: Rules,
    game: &str,
    options: String,
    seats: u8,
) -> Option<Result<String, String>> {
    let seed = format!("{:016x}{:016x}{:016x}{:016x}", random(), random(), random(), random());
    let begun = rules.log(&Question::Begin { game: game.to_owned(), options, seats, seed });
    if let Some(Ok(log)) = &begun {
        keep(&key(game), log);
    }
    begun
}

/// The page of such a match: the one that was left, or a new one.
#[component]
pub(crate) fn Practice(game: String) -> impl IntoView {
    let rules = expect_context::<Rules>();
    rules.open();
    let all = api::fetch(games());
    let log = RwSignal::new(None::<String>);
    // What the rules need beside themselves comes first.
    let is_ready = RwSignal::new(false);
    let trouble = RwSignal::new(None::<String>);
    let info = {
        let game = game.clone();
        move || {
            let games = all.get()?;
            Some(games.ok()?.into_iter().find(|it| it.id == game))
        }
    };
    let begin_anew = {
        let (game, info) = (game.clone(), info.clone());
        Callback::new(move |()| {
            let Some(Some(info)) = untrack(&info) else { return };
            let options = info.presets.first().map(|it| it.options.clone()).unwrap_or_default();
            let options = serde_json::to_string(&options).unwrap_or_default();
            match untrack(|| begin(rules, &game, options, info.seats_min)) {
                Some(Ok(new)) => log.set(Some(new)),
                Some(Err(why)) => trouble.set(Some(why)),
                None => {}
            }
        })
    };
    let kept = recall(&key(&game));
    let is_known = info.clone();
    Effect::new(move || {
        let Some(Some(info)) = is_known() else { return };
        let options = info.presets.first().map(|it| serde_json::to_string(&it.options));
        let needed = kept.clone().or(options.and_then(Result::ok)).unwrap_or_default();
        let kept = kept.clone();
        spawn_local(async move {
            rules.take_words(&needed).await;
            log.try_set(kept);
            is_ready.try_set(true);
        });
    });
    Effect::new(move || {
        if is_ready.get() && log.with(Option::is_none) && rules.are_here() {
            begin_anew.run(());
        }
    });
    let is_begun = Memo::new(move |_| log.with(Option::is_some) && rules.are_here());
    let go_on = Callback::new(move |next: String| {
        keep(&key(&game), &next);
        log.set(Some(next));
    });
    live(move || match (is_begun.get(), info()) {
        (true, Some(Some(info))) => desk(&info, log, go_on, begin_anew),
        (_, Some(None)) => dead_end(
            "There is no such game",
            "This house does not have it; perhaps the link has lost a letter.".to_owned(),
        ),
        _ if rules.are_missing() => dead_end(
            "The rules could not be fetched",
            "Open this page once with a connection; then it works without.".to_owned(),
        ),
        _ => match trouble.get() {
            Some(text) => dead_end("This match cannot begin", text),
            None => view! { <p role="status" class="notice">"One moment…"</p> }.into_any(),
        },
    })
}

/// Such a match, as it stands.
#[derive(Clone, Copy)]
pub(super) struct Desk {
    pub(super) rules: Rules,
    pub(super) log: RwSignal<Option<String>>,
    pub(super) against: RwSignal<Against>,
    /// As whoever is to act sees it.
    pub(super) turn: Memo<Option<Scene>>,
    /// As it is shown.
    scene: Memo<Option<Scene>>,
    /// Whose side is shown: that of people, of those who are to act if there are several.
    pub(super) seat: Memo<Seat>,
    names: Memo<Vec<String>>,
    pub(super) trouble: RwSignal<Option<String>>,
    draw: RwSignal<DrawOffer>,
    go_on: Callback<String>,
}

/// Whose view of a match it is.
pub(super) fn seat_of(scene: &Scene) -> Seat {
    scene.viewer.seat().unwrap_or(Seat::FIRST)
}

impl Desk {
    fn new(
        against: RwSignal<Against>,
        log: RwSignal<Option<String>>,
        go_on: Callback<String>,
    ) -> Desk {
        let rules = expect_context::<Rules>();
        let trouble = RwSignal::new(None::<String>);
        let seen_by = move |viewer: Option<Viewer>| {
            let question = Question::Scene { log: log.get()?, ply: u32::MAX, viewer };
            rules.scene(&question)?.inspect_err(|why| trouble.set(Some(why.clone()))).ok()
        };
        let turn = Memo::new(move |_| seen_by(None));
        let seat = Memo::new(move |_| {
            let to_act = turn.with(|turn| turn.as_ref().map_or(Seat::FIRST, seat_of));
            against.get().own().unwrap_or(to_act)
        });
        let scene = Memo::new(move |_| seen_by(Some(Viewer::Seat(seat.get()))));
        let names = Memo::new(move |_| {
            let seats = turn.with(|turn| turn.as_ref().map_or(2, |it| it.seats));
            Seat::all(seats).map(|seat| against.get().name(seat)).collect::<Vec<_>>()
        });
        let draw = RwSignal::new(DrawOffer::default());
        // Neither another bot nor an earlier moment, or another match, has said anything yet.
        Effect::new(move |before: Option<(Against, u32)>| {
            let now = (against.get(), turn.with(|turn| turn.as_ref().map_or(0, |it| it.ply)));
            if before.is_some_and(|before| before.0 != now.0 || before.1 >= now.1) {
                draw.set(DrawOffer::default());
            }
            now
        });
        Desk { rules, log, against, turn, scene, seat, names, trouble, draw, go_on }
    }

    pub(super) fn text(self) -> String {
        self.log.get_untracked().unwrap_or_default()
    }

    /// Goes on as the rules say, or tells why not. Did it?
    fn change(self, question: &Question) -> bool {
        match untrack(|| self.rules.log(question)) {
            Some(Ok(next)) => {
                self.trouble.set(None);
                self.go_on.run(next);
                return true;
            }
            Some(Err(why)) => self.trouble.set(Some(why)),
            None => {}
        }
        false
    }

    fn act(self, action: String) {
        self.draw.update(DrawOffer::go_on);
        self.act_as(self.seat.get_untracked(), action);
    }

    pub(super) fn act_as(self, seat: Seat, action: String) {
        self.change(&Question::Play { log: self.text(), seat, action, at_ms: now_ms() });
    }

    fn offer_draw(self) {
        let Some(Scene { seats, to_act, .. }) = self.turn.get_untracked() else { return };
        let against = self.against.get_untracked();
        let bots = Seat::all(seats).filter(|seat| against.plays(*seat)).collect();
        self.draw_if_taken(|offer| offer.make(bots, to_act));
    }

    /// Ends the match if that settles an offer of a draw. Did it?
    fn draw_if_taken(self, answer: impl FnOnce(&mut DrawOffer) -> Option<bool>) -> bool {
        let is_taken = self.draw.try_update(answer).flatten() == Some(true);
        is_taken && self.change(&Question::AgreeDraw { log: self.text(), at_ms: now_ms() })
    }

    /// A bot has decided; it takes a draw instead, if it was offered one and stands no better.
    pub(super) fn decide(self, seat: Seat, advice: Advice) {
        if !self.draw_if_taken(|offer| offer.decide(seat, advice.standing)) {
            self.act_as(seat, advice.action);
        }
    }

    /// Back to one's own turn: what a bot did since is taken back too.
    fn undo(self) {
        let own = self.against.get_untracked().own();
        let is_own = |log: &str| {
            let question = Question::Scene { log: log.to_owned(), ply: u32::MAX, viewer: None };
            let scene = untrack(|| self.rules.scene(&question)).and_then(Result::ok);
            own.is_none() || scene.is_none_or(|it| Some(seat_of(&it)) == own)
        };
        let mut log = self.text();
        let mut is_begun = false;
        loop {
            match untrack(|| self.rules.log(&Question::Undo { log: log.clone() })) {
                Some(Ok(before)) => log = before,
                Some(Err(why)) if !is_begun => return self.trouble.set(Some(why)),
                _ => break,
            }
            is_begun = true;
            if is_own(&log) {
                break;
            }
        }
        self.trouble.set(None);
        self.go_on.run(log);
    }

    fn give_up(self) {
        let seat = self.seat.get_untracked();
        self.change(&Question::GiveUp { log: self.text(), seat, at_ms: now_ms() });
    }

    fn foresee(self, action: String) -> Option<Result<String, String>> {
        let sight = sight_of(self.scene.get_untracked()?);
        untrack(|| self.rules.preview(sight, action))
    }

    fn part(self, part: fn(&Scene) -> String) -> Memo<String> {
        let scene = self.scene;
        Memo::new(move |_| scene.with(|scene| scene.as_ref().map(part).unwrap_or_default()))
    }

    fn stage(self) -> Stage {
        Stage {
            view: self.part(|scene| scene.view.clone()).into(),
            legal: Signal::derive(move || {
                let legal = self.scene.with(|scene| scene.as_ref().map(|it| it.legal.clone()));
                legal.unwrap_or_default()
            }),
            side: Signal::derive(move || self.seat.get().index()),
            names: self.names.into(),
            is_ahead: Signal::stored(false),
            reaction_time: Signal::stored(None),
            foresee: Callback::new(move |action| self.foresee(action)),
            act: Callback::new(move |action| self.act(action)),
            say: Callback::new(move |text| self.trouble.set(Some(text))),
        }
    }
}

/// A match as the seat that a scene is for sees it.
pub(super) fn sight_of(scene: Scene) -> Sight {
    let seat = seat_of(&scene);
    let Scene { game, options, seats, view, .. } = scene;
    Sight { game, options, seats, seat, view }
}

/// A button that offers a draw, and what is said to it.
fn draw_offer(desk: Desk) -> AnyView {
    let is_open = Signal::derive(move || desk.draw.with(DrawOffer::is_open));
    let said = move || desk.draw.with(DrawOffer::sentence).to_owned();
    view! {
        <section class="offers" aria-label="Draw">
            <button class="quiet" disabled=is_open on:click=hear(move |_| desk.offer_draw())>"Offer a draw"</button>
            <p class="hint" role="status">{words(said)}</p>
        </section>
    }
    .into_any()
}

fn desk(
    info: &GameInfo,
    log: RwSignal<Option<String>>,
    go_on: Callback<String>,
    begin_anew: Callback<()>,
) -> AnyView {
    let against = RwSignal::new(Against::recall(&info.id));
    let desk = Desk::new(against, log, go_on);
    // A new match may have fewer seats than the one before, in which one sat further on.
    Effect::new(move || {
        let seats = desk.turn.with(|turn| turn.as_ref().map(|it| it.seats));
        let (now, fitting) = (against.get(), seats.map(|seats| against.get().among(seats)));
        if let Some(fitting) = fitting.filter(|it| *it != now) {
            against.set(fitting);
        }
    });
    let Desk { turn, scene, seat, names, trouble, .. } = desk;
    let_bots_play(desk);
    let stage = desk.stage();
    let outcome = Memo::new(move |_| {
        scene.with(|scene| Some(sentence_of(scene.as_ref()?.outcome.as_ref()?, &names.get())))
    });
    let is_over = Memo::new(move |_| outcome.with(Option::is_some));
    let may_undo = Memo::new(move |_| scene.with(|it| it.as_ref().is_some_and(|it| it.may_undo)));
    let has_secrets = info.hidden_information;
    let shown = RwSignal::new(None::<Seat>);
    let is_covered = Memo::new(move |_| {
        let is_shared = has_secrets && against.get().own().is_none();
        is_shared && !is_over.get() && shown.get() != Some(seat.get())
    });
    let to_act = Memo::new(move |_| turn.with(|turn| turn.as_ref().map_or(Seat::FIRST, seat_of)));
    let name = Signal::derive(move || {
        names.with(|names| names.get(to_act.get().index()).cloned().unwrap_or_default())
    });
    let taken = Callback::new(move |()| shown.set(Some(seat.get_untracked())));
    let is_sure = RwSignal::new(false);
    let give_up = move || {
        let give_up = hear(move |_| {
            if is_sure.get_untracked() {
                desk.give_up();
            }
            is_sure.update(|it| *it = !*it);
        });
        view! { <button class="quiet" on:click=give_up>{words(move || ask_again(is_sure))}</button> }
            .into_any()
    };
    let game = desk.part(|scene| scene.game.clone());
    let hand_over = move || view! { <HandOver name taken/> }.into_any();
    let moments =
        move || view! { <Moments log=desk.text() names=names.get_untracked()/> }.into_any();
    let is_on = Signal::derive(move || !is_over.get());
    let has_draw = info.draw_by_agreement;
    let may_offer =
        Signal::derive(move || has_draw && is_on.get() && against.get().own().is_some());
    let undo = hear(move |_| desk.undo());
    let anew = hear(move |_| {
        shown.set(None);
        begin_anew.run(());
    });
    let what_now = move || {
        let is_bot = against.get().plays(to_act.get());
        match (is_over.get(), is_bot) {
            (true, _) => "",
            (_, true) => "thinking…",
            _ => "to move",
        }
        .to_owned()
    };
    let sight = Signal::derive(move || {
        scene.get().filter(|_| to_act.get() == seat.get() && !is_over.get()).map(sight_of)
    });
    let hint = move || hint(sight);
    let seats = untrack(|| turn.with(|turn| turn.as_ref().map_or(info.seats_min, |it| it.seats)));
    view! {
        <h1 class="page-title">{info.name.clone()} ", on this screen"</h1>
        <div class="match">
            <section class="board" aria-label="Board">
                <div class="strip to-act">
                    <span class="who">{words(move || name.get())}</span>
                    <span class="hint">{words(what_now)}</span>
                </div>
                <div class="stage" inert=is_covered>{board(game, stage)}</div>
                {shown_while(is_covered.into(), hand_over)}
                <p class="error" role="alert">{words(move || trouble.get().unwrap_or_default())}</p>
            </section>
            <div class="ending" role="status">{ending(outcome)}</div>
            <aside class="side">
                <section class="offers" aria-label="This match">
                    <button class="quiet" disabled=Signal::derive(move || !may_undo.get()) on:click=undo>"Take back"</button>
                    {shown_while(is_on, give_up)}
                    <button class:primary=is_over on:click=anew>"A new match"</button>
                </section>
                {shown_while(may_offer, move || draw_offer(desk))}
                {shown_while(is_on, hint)}
                {choose_partner(info, seats, against)}
                <p class="hint">"This match is kept in this browser alone; no server knows of it."</p>
            </aside>
        </div>
        {shown_while(is_over.into(), moments)}
    }
    .into_any()
}
