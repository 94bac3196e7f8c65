//! M12: what becomes of an action on its way from the board to the server.

use client_core::{Ahead, Due, Request, Sight, Table, Wish, sentence_case};
use domain::MatchId;
use leptos::prelude::*;
use leptos::task::spawn_local;
use protocol::ws::Status;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::api;
use crate::boards;
use crate::realtime::Realtime;
use crate::rules::Rules;

/// What a page of a match shares.
#[derive(Clone)]
pub(super) struct Here {
    pub(super) match_id: MatchId,
    pub(super) realtime: Realtime,
    /// What went wrong, in words.
    pub(super) trouble: RwSignal<Option<String>>,
    /// Who watched may do so no more.
    pub(super) is_shut: RwSignal<bool>,
}

impl Here {
    pub(super) fn ask(&self, request: Request) {
        self.trouble.set(None);
        self.realtime.wish(Wish::Ask { match_id: self.match_id, request });
    }

    fn act(&self, ply: u32, action: String) {
        self.trouble.set(None);
        self.realtime.wish(Wish::Act { match_id: self.match_id, ply, action });
    }
}

/// What this page wants to know of a match beside what it is told.
#[derive(Deserialize)]
struct Terms {
    options: Box<RawValue>,
    /// A server of an earlier release does not say it.
    is_public: Option<bool>,
}

/// What the own seat can do: now, or ahead of its turn.
#[derive(Clone, Default, PartialEq)]
pub(super) struct Turn {
    pub(super) is_own: bool,
    pub(super) actions: Vec<String>,
}

/// M12: asks the rules before anything is sent, and lets wait what is entered ahead.
#[derive(Clone, Copy)]
pub(super) struct Controller {
    table: RwSignal<Option<Table>>,
    /// The match's options, as JSON.
    options: RwSignal<Option<String>>,
    /// Is it known that only the players see it, and who has a watch link?
    pub(super) is_private: RwSignal<bool>,
    rules: Rules,
    pub(super) ahead: RwSignal<Ahead>,
    pub(super) turn: Memo<Turn>,
    here: StoredValue<Here>,
}

impl Controller {
    pub(super) fn new(table: RwSignal<Option<Table>>, here: &Here) -> Controller {
        let rules = expect_context::<Rules>();
        rules.open();
        let options = RwSignal::new(None);
        let is_private = RwSignal::new(false);
        let address = format!("matches/{}", here.match_id);
        let trouble = here.trouble;
        spawn_local(async move {
            match api::get::<Terms>(&address).await {
                Ok(terms) => {
                    is_private.try_set(terms.is_public == Some(false));
                    let json = terms.options.get();
                    rules.take_words(json).await;
                    options.try_set(Some(json.to_owned()));
                }
                // Without the options the board knows no legal action.
                Err(failure) => {
                    trouble.try_set(Some(sentence_case(&failure.sentence())));
                }
            }
        });
        let ahead = RwSignal::new(Ahead::default());
        let turn = Memo::new(move |_| turn(table, options, rules, ahead).unwrap_or_default());
        let here = StoredValue::new(here.clone());
        let controller = Controller { table, options, is_private, rules, ahead, turn, here };
        controller.send_what_waits();
        controller.ask_the_server_without_rules();
        controller
    }

    /// What the own seat sees while it is to act, if all the others are bots: then a bot may be asked.
    pub(super) fn advisable(self) -> Option<Sight> {
        let is_own = self.turn.with(|turn| turn.is_own);
        let options = self.options.get()?;
        self.table.with(|table| {
            let table = table.as_ref().filter(|table| is_own && is_against_bots(table))?;
            sight(table, options)
        })
    }

    fn sight(self) -> Option<Sight> {
        self.table.with_untracked(|table| sight(table.as_ref()?, self.options.get_untracked()?))
    }

    pub(super) fn foresee(self, action: String) -> Option<Result<String, String>> {
        untrack(|| self.rules.preview(self.sight()?, action))
    }

    fn judge(self, action: &str) -> Result<(), String> {
        self.foresee(action.to_owned()).map_or(Ok(()), |foreseen| foreseen.map(drop))
    }

    fn trouble(self, text: Option<String>) {
        self.here.with_value(|here| here.trouble.set(text));
    }

    fn game(self) -> String {
        self.table.with(|table| table.as_ref().map(|table| table.game.clone()).unwrap_or_default())
    }

    fn ply(self) -> u32 {
        self.table.with(|table| table.as_ref().map_or(0, |table| table.ply))
    }

    /// Does an action, or lets it wait; refused ones are not sent.
    pub(super) fn act(self, action: String) {
        self.trouble(None);
        let Turn { is_own, actions } = self.turn.get_untracked();
        if is_own || !actions.contains(&action) {
            match self.judge(&action) {
                Ok(()) => self.send(action),
                Err(why) => self.trouble(Some(why)),
            }
        } else if self.ahead.try_update(|ahead| ahead.enter(action)) != Some(true) {
            self.trouble(Some("So much cannot be entered ahead.".to_owned()));
        }
    }

    fn send(self, action: String) {
        let ply = untrack(|| self.ply());
        self.here.with_value(|here| here.act(ply, action));
    }

    /// When the own turn comes, the first that waits is sent, once a ply.
    fn send_what_waits(self) {
        let sent_at = StoredValue::new(None::<u32>);
        Effect::new(move || {
            let (is_own, ply) = (self.turn.with(|turn| turn.is_own), self.ply());
            if !is_own || sent_at.get_value() == Some(ply) {
                return;
            }
            match self.ahead.try_update(|ahead| ahead.due(|action| self.judge(action))) {
                Some(Due::Send(action)) => {
                    sent_at.set_value(Some(ply));
                    self.send(action);
                }
                Some(Due::Dropped { action, why }) => {
                    let action = boards::say(&self.game(), &action);
                    self.trouble(Some(format!("Not played, although entered: {action}. {why}")));
                }
                Some(Due::Nothing) | None => {}
            }
        });
    }

    fn ask_the_server_without_rules(self) {
        Effect::new(move || {
            let is_wanted = self.rules.are_missing()
                && self.table.with(|table| table.as_ref().is_some_and(is_playing));
            self.ply();
            if is_wanted {
                self.here.with_value(|here| {
                    let match_id = here.match_id;
                    here.realtime.wish(Wish::Ask { match_id, request: Request::Legal });
                });
            }
        });
    }
}

pub(super) fn is_playing(table: &Table) -> bool {
    table.status == Status::Running && table.own_seat().is_some()
}

/// Does the viewer have a seat in a match that is not over? It may be paused.
pub(super) fn is_in_play(table: &Table) -> bool {
    table.status != Status::Over && table.own_seat().is_some()
}

/// Does one person play, and are all the others bots?
pub(super) fn is_against_bots(table: &Table) -> bool {
    let bots = table.seats.iter().filter(|seat| seat.bot.is_some()).count();
    bots > 0 && bots + 1 == table.seats.len()
}

fn sight(table: &Table, options: String) -> Option<Sight> {
    Some(Sight {
        game: table.game.clone(),
        options,
        seats: u8::try_from(table.seats.len()).ok()?,
        seat: table.own_seat()?,
        view: table.view.clone(),
    })
}

fn turn(
    table: RwSignal<Option<Table>>,
    options: RwSignal<Option<String>>,
    rules: Rules,
    ahead: RwSignal<Ahead>,
) -> Option<Turn> {
    table.with(|table| {
        let table = table.as_ref().filter(|table| is_playing(table))?;
        if !rules.are_here() {
            let actions = table.legal.clone()?;
            return Some(Turn { is_own: !actions.is_empty(), actions });
        }
        let sight = sight(table, options.get()?)?;
        let actions = rules.legal(sight.clone())?;
        if !actions.is_empty() {
            return Some(Turn { is_own: true, actions });
        }
        let entered = ahead.with(|ahead| ahead.actions().to_vec());
        Some(Turn { is_own: false, actions: rules.ahead(sight, entered)? })
    })
}
