//! What one viewer may know of a state and of a step, and which actions that makes legal.
//!
//! Both are built field by field: what is not written here cannot leave.

use std::fmt;

use game_api::{BadView, Context, GameRng, Seat, SeatSet, Step, Viewer};
use serde::{Deserialize, Serialize};

use crate::state::deck;
use crate::{Action, Card, End, Pending, Place, Snare, State, Template, Violation};

/// What one viewer may know of a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// Whose view it is.
    pub viewer: Viewer,
    /// The own cards, sorted; `None` for a spectator.
    pub hand: Option<Vec<Card>>,
    /// The own snare; `None` for a spectator.
    pub own_snare: Option<Snare>,
    /// How many cards each seat holds.
    pub hand_sizes: Vec<usize>,
    /// How many cards the stock has.
    pub stock: usize,
    /// The cards on each place; the top card is the last.
    pub places: [Vec<Card>; 5],
    /// Each seat's points.
    pub scores: Vec<i32>,
    /// The seats whose snare has sprung. Of the others nobody knows (R5.3).
    pub sprung: SeatSet,
    /// How many turns have ended.
    pub turn: u32,
    /// Whose turn it is.
    pub active: Seat,
    /// The active seat's play, while it is voted on.
    pub pending: Option<Pending>,
    /// Who may act now.
    pub to_act: SeatSet,
    /// The seats that forfeited, in that order.
    pub out: Vec<Seat>,
    /// Why the match is over, if it is.
    pub end: Option<End>,
}

/// What a seat can foresee of its action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preview {
    /// What it would score if the play stands and no snare of another lies there.
    pub points: u8,
}

impl View {
    pub(crate) fn of(state: &State, viewer: Viewer) -> View {
        let own = viewer.seat().map(Seat::index);
        let mut hand = own.and_then(|own| state.hands.get(own)).cloned();
        if let Some(hand) = &mut hand {
            hand.sort_unstable();
        }
        View {
            viewer,
            hand,
            own_snare: own.and_then(|own| state.snares.get(own)).copied(),
            hand_sizes: state.hands.iter().map(Vec::len).collect(),
            stock: state.stock.len(),
            places: state.places.clone(),
            scores: state.scores.clone(),
            sprung: state.sprung(),
            turn: state.turn,
            active: state.active,
            pending: state.pending.clone(),
            to_act: state.to_act(),
            out: state.out.clone(),
            end: state.end,
        }
    }

    /// Refuses what is illegal for the viewer. All rules of legality are here: `apply`,
    /// `legal_actions` and `preview` ask the same view, so they agree.
    pub(crate) fn check(&self, action: Action) -> Result<(), Violation> {
        if self.end.is_some() {
            return Err(Violation::GameOver);
        }
        if !self.viewer.seat().is_some_and(|seat| self.to_act.contains(seat)) {
            return Err(Violation::NotYourTurn);
        }
        match (action, &self.pending) {
            (Action::Accept | Action::Object, Some(_)) => Ok(()),
            (Action::Accept | Action::Object, None) => Err(Violation::NoVoteOpen),
            (_, Some(_)) => Err(Violation::VoteOpen),
            (Action::Play { card, place, snare }, None) => {
                self.check_held(card)?;
                self.check_fits(card, place)?;
                match snare {
                    Some(_) if self.own_snare != Some(Snare::Held) => Err(Violation::SnareNotHeld),
                    Some(snare) if snare == place => Err(Violation::SnareUnderPlay { place }),
                    _ => Ok(()),
                }
            }
            (Action::Swap(card), None) => {
                self.check_held(card)?;
                if self.stock == 0 { Err(Violation::NothingToDraw) } else { Ok(()) }
            }
            (Action::Pass, None) if self.may_play_or_swap() => Err(Violation::MustNotPass),
            (Action::Pass, None) => Ok(()),
        }
    }

    fn own_hand(&self) -> &[Card] {
        self.hand.as_deref().unwrap_or_default()
    }

    fn check_held(&self, card: Card) -> Result<(), Violation> {
        if self.own_hand().contains(&card) { Ok(()) } else { Err(Violation::CardNotHeld { card }) }
    }

    /// R2.1, R2.2
    fn check_fits(&self, card: Card, place: Place) -> Result<(), Violation> {
        match self.places[place.index()].last() {
            Some(&top) if card != 1 && card <= top => {
                Err(Violation::PlaceBlocked { card, top, place })
            }
            _ => Ok(()),
        }
    }

    /// R2.6
    fn may_play_or_swap(&self) -> bool {
        let fits_anywhere =
            |card: &Card| Place::ALL.iter().any(|place| self.check_fits(*card, *place).is_ok());
        self.stock > 0 || self.own_hand().iter().any(fits_anywhere)
    }

    /// A state that looks like this to the viewer. Unseen cards and snares are guessed as if nothing
    /// were remembered of earlier turns, since a view is not a history.
    pub(crate) fn determinize(
        &self,
        context: &Context<'_, Template>,
        rng: &mut GameRng,
    ) -> Result<State, BadView> {
        let seats = context.seats;
        let count = usize::from(seats);
        if [self.hand_sizes.len(), self.scores.len()] != [count; 2] || self.active.index() >= count
        {
            return Err(BadView("the seats do not fit"));
        }
        let mut unseen = self.unseen_cards()?;
        rng.shuffle(&mut unseen);
        let mut deal = |count: usize| {
            let rest = unseen.len().checked_sub(count).ok_or(BadView("too many cards"))?;
            Ok(unseen.split_off(rest))
        };
        let is_own = |seat| context.viewer.is(seat);
        let mut hand_of = |seat: Seat| {
            let size = self.hand_sizes[seat.index()];
            if is_own(seat) { Ok(self.own_hand().to_vec()) } else { deal(size) }
        };
        let snare_of = |seat| match rng.below(Place::ALL.len() + 1) {
            _ if is_own(seat) => self.own_snare.ok_or(BadView("the own snare is missing")),
            _ if self.sprung.contains(seat) => Ok(Snare::Sprung),
            0 => Ok(Snare::Held),
            place => Ok(Snare::Laid(Place::ALL[place - 1])),
        };
        let state = State {
            seats,
            turns_max: context.options.turns_max,
            hands: Seat::all(seats).map(&mut hand_of).collect::<Result<_, _>>()?,
            snares: Seat::all(seats).map(snare_of).collect::<Result<_, _>>()?,
            stock: deal(self.stock)?,
            places: self.places.clone(),
            scores: self.scores.clone(),
            turn: self.turn,
            active: self.active,
            pending: self.pending.clone(),
            out: self.out.clone(),
            end: self.end,
        };
        if unseen.is_empty() && View::of(&state, context.viewer) == *self {
            Ok(state)
        } else {
            Err(BadView("its parts contradict each other"))
        }
    }

    /// The deck without the cards that this view shows.
    fn unseen_cards(&self) -> Result<Vec<Card>, BadView> {
        let mut unseen = deck();
        let pending = self.pending.iter().map(|play| &play.card);
        for seen in self.own_hand().iter().chain(self.places.iter().flatten()).chain(pending) {
            let index = unseen.iter().position(|card| card == seen);
            unseen.swap_remove(index.ok_or(BadView("a card that the deck has not"))?);
        }
        Ok(unseen)
    }
}

/// What one viewer may know of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(missing_docs, reason = "only what is not for all eyes needs a word")]
pub enum Event {
    Played {
        seat: Seat,
        card: Card,
        place: Place,
        /// Where the own snare went with it; for others it is as if there were none.
        snare: Option<Place>,
    },
    Swapped {
        seat: Seat,
        /// The card that went under the stock, if it is the viewer's.
        gave: Option<Card>,
        /// The card that came from the stock, if it is the viewer's.
        drew: Option<Card>,
    },
    Passed {
        seat: Seat,
    },
    Voted {
        seat: Seat,
        objects: bool,
        /// What became of the play, if this was the last vote.
        verdict: Option<Verdict>,
    },
}

/// What became of a play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// Who scored the card's rank; `None` if the play fell.
    pub earner: Option<Seat>,
    /// Whose snares sprang.
    pub sprung: SeatSet,
    /// The card that the player drew, if that is the viewer.
    pub drew: Option<Card>,
}

impl Event {
    pub(crate) fn of(step: &Step<'_, Template>, viewer: Viewer) -> Event {
        let seat = step.seat;
        let is_own = viewer.is(seat);
        match *step.action {
            Action::Play { card, place, snare } => {
                Event::Played { seat, card, place, snare: snare.filter(|_| is_own) }
            }
            Action::Swap(card) => {
                let drawn = step.before.stock.last().copied();
                let (gave, drew) = if is_own { (Some(card), drawn) } else { (None, None) };
                Event::Swapped { seat, gave, drew }
            }
            Action::Pass => Event::Passed { seat },
            Action::Accept | Action::Object => {
                let is_settled = step.after.pending.is_none();
                let verdict = is_settled.then(|| Verdict::of(step.before, step.after, viewer));
                Event::Voted { seat, objects: *step.action == Action::Object, verdict }
            }
        }
    }
}

impl Verdict {
    fn of(before: &State, after: &State, viewer: Viewer) -> Verdict {
        let has_gained = |seat: &Seat| before.scores[seat.index()] < after.scores[seat.index()];
        let has_drawn = after.stock.len() < before.stock.len();
        Verdict {
            earner: Seat::all(after.seats).find(has_gained),
            sprung: after.sprung().iter().filter(|seat| !before.sprung().contains(*seat)).collect(),
            drew: before.stock.last().copied().filter(|_| has_drawn && viewer.is(before.active)),
        }
    }
}

/// The notation of the step, as the event's viewer may read it.
impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Event::Played { card, place, snare: None, .. } => write!(f, "{card}{place}"),
            Event::Played { card, place, snare: Some(snare), .. } => {
                write!(f, "{card}{place}+{snare}")
            }
            Event::Swapped { gave: Some(gave), drew: Some(drew), .. } => {
                write!(f, "swap {gave} for {drew}")
            }
            Event::Swapped { .. } => f.write_str("swap"),
            Event::Passed { .. } => f.write_str("pass"),
            Event::Voted { objects, verdict, .. } => {
                f.write_str(if *objects { "object" } else { "accept" })?;
                verdict.iter().try_for_each(|verdict| verdict.fmt(f))
            }
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.earner {
            Some(earner) => write!(f, ", stands for {earner}")?,
            None => f.write_str(", falls")?,
        }
        if !self.sprung.is_empty() {
            write!(f, ", springs {}", self.sprung)?;
        }
        self.drew.iter().try_for_each(|card| write!(f, ", drew {card}"))
    }
}
