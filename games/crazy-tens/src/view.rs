//! What one viewer may know: of a state, of a step, and of an action of its own beforehand.
//!
//! Everything here is built field by field for its viewer. A field that is not written cannot leave.

use game_api::{BadView, Context, GameRng, Seat, SeatSet, Step, Viewer};
use serde::{Deserialize, Serialize};

use crate::CrazyTens;
use crate::action::{Action, Violation};
use crate::card::{Card, CardSet, Suit};
use crate::dozenal::Dozenal;
use crate::limits::Limits;
use crate::round::{Because, Choice, Demand, Piles, Round};
use crate::scoring::{round_score, round_score_dozenal, score_value};
use crate::state::{Ended, LastRound, State};

/// What one viewer may know of a state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// Whose view it is.
    pub viewer: Viewer,
    /// The viewer's own cards; a spectator has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hand: Option<CardSet>,
    /// The card on top.
    pub top: Card,
    /// The suit that a ten asked for.
    pub forced_suit: Option<Suit>,
    /// How many cards each seat holds.
    pub hand_sizes: [u8; 2],
    /// How many cards are in the stock.
    pub stock: u8,
    /// How many cards lie under the top card.
    pub discards: u8,
    /// Those cards, the oldest first.
    pub played: Vec<Card>,
    /// R1.6: what everybody can tell of each hand.
    pub limits: [Limits; 2],
    /// Each seat's total.
    pub scores: [u16; 2],
    /// The same in dozenal.
    pub scores_dozenal: [Dozenal; 2],
    /// The total that ends the match.
    pub target: u16,
    /// The round's number, from 1.
    pub round: u8,
    /// Who started the round.
    pub starter: Seat,
    /// Whose turn it is.
    pub to_act: SeatSet,
    /// How the round before went.
    pub last_round: Option<RoundSummary>,
    /// Why the match is over.
    pub ended: Option<Ended>,
}

/// The end of a round, as everybody sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoundSummary {
    /// The round's number.
    pub round: u8,
    /// Who won it; nobody, if it was void.
    pub winner: Option<Seat>,
    /// What the loser was left with.
    pub loser_hand: Vec<ScoredCard>,
    /// What that is worth to the winner.
    pub points: u16,
    /// The same in dozenal.
    pub points_dozenal: Dozenal,
    /// The totals after the round.
    pub scores: [u16; 2],
    /// The same in dozenal.
    pub scores_dozenal: [Dozenal; 2],
}

/// A card and what it counts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoredCard {
    /// The card.
    pub card: Card,
    /// Its points.
    pub value: u8,
}

fn dozenal(scores: [u16; 2]) -> [Dozenal; 2] {
    scores.map(|score| Dozenal(i64::from(score)))
}

impl LastRound {
    fn summary(&self) -> RoundSummary {
        let scored = |card| ScoredCard { card, value: score_value(card) };
        RoundSummary {
            round: self.round,
            winner: self.winner,
            loser_hand: self.loser_hand.iter().map(scored).collect(),
            points: round_score(self.loser_hand),
            points_dozenal: round_score_dozenal(self.loser_hand),
            scores: self.scores,
            scores_dozenal: dozenal(self.scores),
        }
    }
}

/// What `viewer` may know of `state`.
pub(crate) fn view(state: &State, viewer: Viewer) -> View {
    let round = &state.round;
    View {
        viewer,
        hand: viewer.seat().and_then(|seat| round.hands.get(seat.index()).copied()),
        top: round.demand.top,
        forced_suit: round.demand.forced_suit,
        hand_sizes: round.hands.map(CardSet::len),
        stock: round.piles.stock_size(),
        discards: round.piles.discards_size(),
        played: round.piles.discards().collect(),
        limits: round.limits,
        scores: state.scores,
        scores_dozenal: dozenal(state.scores),
        target: state.options.target,
        round: state.round_number,
        starter: state.starter(),
        to_act: state.to_act(),
        last_round: state.last_round.as_ref().map(LastRound::summary),
        ended: state.ended,
    }
}

/// What one viewer may know of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Who acted.
    pub seat: Seat,
    /// What was done.
    #[serde(flatten)]
    pub deed: Deed,
    /// The round that ended with it.
    pub round_over: Option<RoundSummary>,
}

/// What was done, as far as the viewer may know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Deed {
    /// A card went on the pile, for all to see.
    Played {
        /// Which.
        card: Card,
        /// The suit chosen with it.
        suit: Option<Suit>,
    },
    /// A card was drawn.
    Drew {
        /// Which: only for who drew it.
        card: Option<Card>,
        /// The discards had to be shuffled first.
        reshuffled: bool,
    },
    /// Nothing could be played or drawn.
    Passed,
}

/// What `viewer` may know of `step`.
pub(crate) fn event(step: &Step<'_, CrazyTens>, viewer: Viewer) -> Event {
    let (before, after) = (step.before, step.after);
    let ends_round = after.last_round != before.last_round;
    let deed = match *step.action {
        Action::Play { card, suit } => Deed::Played { card, suit },
        Action::Draw => Deed::Drew {
            card: drawn_card(step).filter(|_| viewer.is(step.seat)),
            reshuffled: before.round.piles.stock_size() == 0,
        },
        Action::Pass => Deed::Passed,
    };
    let round_over = after.last_round.filter(|_| ends_round).map(|round| round.summary());
    Event { seat: step.seat, deed, round_over }
}

/// The card that a draw brought, unless the draw made the round void.
fn drawn_card(step: &Step<'_, CrazyTens>) -> Option<Card> {
    let hand = |state: &State| state.round.hands[step.seat.index()];
    let is_same_round = step.before.round_number == step.after.round_number;
    hand(step.after).minus(hand(step.before)).iter().next().filter(|_| is_same_round)
}

/// The step in a line, as `viewer` may read it.
pub(crate) fn notation(step: &Step<'_, CrazyTens>, viewer: Viewer) -> String {
    match *step.action {
        Action::Play { card, suit: None } => card.pretty(),
        Action::Play { card, suit: Some(suit) } => format!("{}→{}", card.pretty(), suit.symbol()),
        Action::Draw => match drawn_card(step).filter(|_| viewer.is(step.seat)) {
            Some(card) => format!("draw({})", card.pretty()),
            None => "draw".to_owned(),
        },
        Action::Pass => "pass".to_owned(),
    }
}

/// What a seat can foresee of its own action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preview {
    /// The rule that allows it.
    pub because: Because,
    /// Does it empty the hand?
    pub wins_round: bool,
}

/// What the viewer can foresee of `action`, or why it would be refused.
pub(crate) fn preview(
    context: &Context<'_, CrazyTens>,
    view: &View,
    action: Action,
) -> Result<Preview, Violation> {
    if view.to_act.is_empty() {
        return Err(Violation::GameOver);
    }
    // A spectator has no turn; any seat that is not to act stands for it in the message.
    let to_act = view.to_act.iter().next().unwrap_or(Seat::FIRST);
    let seat = context.viewer.seat().unwrap_or(to_act.after(1, 2));
    let hand = match view.hand {
        Some(hand) if seat == to_act => hand,
        _ => return Err(Violation::NotYourTurn { seat, to_act }),
    };
    let demand = Demand { top: view.top, forced_suit: view.forced_suit };
    let choice = Choice { hand, demand, has_draw: view.stock > 0 || view.discards > 0 };
    let because = choice.judge(action)?;
    let wins_round = matches!(action, Action::Play { .. }) && hand.len() == 1;
    Ok(Preview { because, wins_round })
}

/// A state that looks like `view`, with the unseen cards dealt by `rng`.
pub(crate) fn determinize(
    context: &Context<'_, CrazyTens>,
    view: &View,
    rng: &mut GameRng,
) -> Result<State, BadView> {
    let demand = Demand { top: view.top, forced_suit: view.forced_suit };
    let own = view.hand.unwrap_or_default();
    let table: CardSet = view.played.iter().copied().chain([view.top]).collect();
    let mut unseen: Vec<Card> = CardSet::DECK.minus(own).minus(table).iter().collect();
    rng.shuffle(&mut unseen);
    let (hands, mut rest) = deal_hidden_hands(view, own, &unseen)?;
    // What no place could hold stands first.
    rng.shuffle(&mut rest);
    if matches!(view.ended, Some(Ended::Forfeit { seat, .. }) if seat.index() >= hands.len()) {
        return Err(BadView("a seat gave up that is not there"));
    }
    let stock = rest.get(..usize::from(view.stock)).ok_or(BadView("more cards than a deck"))?;
    let piles = Piles::of(stock, &view.played).ok_or(BadView("more cards than a deck"))?;
    let to_act = view.to_act.iter().next().unwrap_or(Seat::FIRST);
    let round = Round { hands, piles, demand, to_act, limits: view.limits };
    let mut state = State::begin(*context.options, view.scores, round, rng.split());
    state.round_number = view.round.max(1);
    state.ended = view.ended;
    state.last_round = view.last_round.as_ref().map(|summary| LastRound {
        round: summary.round,
        winner: summary.winner,
        loser_hand: summary.loser_hand.iter().map(|scored| scored.card).collect(),
        scores: summary.scores,
    });
    // Whatever else a view could claim falsely shows here.
    if context.viewer == view.viewer && self::view(&state, context.viewer) == *view {
        Ok(state)
    } else {
        Err(BadView("its fields contradict each other"))
    }
}

/// The hands, with cards of `unseen` where the viewer sees none, and what is left.
fn deal_hidden_hands(
    view: &View,
    own: CardSet,
    unseen: &[Card],
) -> Result<([CardSet; 2], Vec<Card>), BadView> {
    let mut places = Vec::new();
    for seat in Seat::all(2).filter(|seat| !view.viewer.is(*seat)) {
        let size = view.hand_sizes[seat.index()];
        places.extend(view.limits[seat.index()].places(size).map(|fitting| (seat, fitting)));
    }
    let mut holders = vec![None; unseen.len()];
    for place in 0..places.len() {
        let mut tried = CardSet::EMPTY;
        if !find_card(place, &places, unseen, &mut holders, &mut tried) {
            return Err(BadView("no cards are left for a hand"));
        }
    }
    let mut hands = [CardSet::EMPTY; 2];
    if let Some(seat) = view.viewer.seat().filter(|seat| seat.index() < hands.len()) {
        hands[seat.index()] = own;
    }
    let mut rest = Vec::new();
    for (card, holder) in unseen.iter().zip(holders) {
        match holder.and_then(|place: usize| places.get(place)) {
            Some((seat, _)) => hands[seat.index()] = hands[seat.index()].with(*card),
            None => rest.push(*card),
        }
    }
    Ok((hands, rest))
}

/// Gives a place the first free card that it can hold. Within one hand that is enough, since each
/// place can hold whatever those before it can; but two hands may be in each other's way, and then
/// a place that has a card looks for another.
fn find_card(
    place: usize,
    places: &[(Seat, CardSet)],
    unseen: &[Card],
    holders: &mut [Option<usize>],
    tried: &mut CardSet,
) -> bool {
    let fits = |at: &usize| places[place].1.contains(unseen[*at]);
    if let Some(free) = (0..unseen.len()).filter(fits).find(|at| holders[*at].is_none()) {
        holders[free] = Some(place);
        return true;
    }
    for at in (0..unseen.len()).filter(fits) {
        let Some(holder) = holders[at].filter(|_| !tried.contains(unseen[at])) else { continue };
        *tried = tried.with(unseen[at]);
        if find_card(holder, places, unseen, holders, tried) {
            holders[at] = Some(place);
            return true;
        }
    }
    false
}
