//! What may be known of a state, of a step, and of an action beforehand. Nothing is hidden in chess,
//! so all viewers see the same, and a view names none of them.

use std::fmt;
use std::sync::Arc;

use cozy_chess::{Board, Color, Piece};
use game_api::{BadView, Context, Seat, SeatSet, Step};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use crate::Chess;
use crate::action::{Action, Claim, Uci, Violation};
use crate::fen;
use crate::moves::{Manner, color_index, victim};
use crate::san::{San, piece_letter};
use crate::state::{Ended, Last, Start, State, Taken};

/// What everybody may know of a state. The moves are told by the events, one each, so that the
/// thousandth view is no longer than the first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct View {
    /// The position.
    pub fen: String,
    /// Where the match began.
    pub start: Start,
    /// Whose turn it is.
    pub to_act: SeatSet,
    /// Is the side to move in check?
    pub check: bool,
    /// The last move.
    pub last: Option<Last>,
    /// The keys of the positions since the last pawn's move or capture, this one the last.
    pub repeats: Vec<Key>,
    /// Half-moves since the last pawn's move or capture.
    pub half_moves: u8,
    /// The claims that would be granted now.
    pub claims: Vec<Action>,
    /// What each seat has taken, the strongest first: `qbp`.
    pub captured: [String; 2],
    /// Why the match is over.
    pub ended: Option<Ended>,
}

/// A position's key: equal keys, equal positions (R5.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(pub u64);

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Not by `format!`: a view can have 151 of these.
        let mut digits = [0; 16];
        for (at, digit) in digits.iter_mut().rev().enumerate() {
            *digit = b"0123456789abcdef"[(self.0 >> (4 * at) & 15) as usize];
        }
        serializer.serialize_str(std::str::from_utf8(&digits).unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let number = u64::from_str_radix(&text, 16).ok();
        number
            .filter(|number| format!("{number:016x}") == text)
            .map(Key)
            .ok_or_else(|| D::Error::custom("a key is 16 hexadecimal digits"))
    }
}

/// What everybody may know of `state`.
pub(crate) fn view(state: &State) -> View {
    View {
        fen: state.fen(),
        start: Start::clone(&state.start),
        to_act: state.to_act(),
        check: state.is_check(),
        last: state.last,
        repeats: state.repeats.iter().map(|key| Key(*key)).collect(),
        half_moves: state.half_moves,
        claims: state.claims(),
        captured: [state.captured(Color::White), state.captured(Color::Black)],
        ended: state.ended,
    }
}

/// What everybody may know of a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Who acted.
    pub seat: Seat,
    /// What was done.
    #[serde(flatten)]
    pub deed: Deed,
    /// Why the match is over with it.
    pub ended: Option<Ended>,
}

/// What was done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Deed {
    /// A move was made.
    Moved {
        /// As the action was.
        uci: Uci,
        /// As people read it.
        san: San,
        /// The letter of what it took.
        capture: Option<char>,
        /// Does it give check?
        check: bool,
        /// Is that mate?
        mate: bool,
    },
    /// A draw was claimed, and granted.
    Claimed {
        /// Which.
        claim: Claim,
        /// The move that would have brought it about.
        intended: Option<Last>,
    },
}

/// What everybody may know of `step`.
pub(crate) fn event(step: &Step<'_, Chess>) -> Event {
    let deed = match *step.action {
        Action::Move(uci) => Deed::Moved {
            uci,
            san: step.after.last.map_or_else(San::default, |last| last.san),
            capture: captured_letter(step.before, uci),
            check: step.after.is_check(),
            mate: step.after.ended == Some(Ended::Checkmate),
        },
        Action::Claim { claim, intended } => {
            Deed::Claimed { claim, intended: intended.and_then(|uci| foresee(step.before, uci)) }
        }
    };
    Event { seat: step.seat, deed, ended: step.after.ended }
}

fn captured_letter(before: &State, uci: Uci) -> Option<char> {
    let mv = before.check_move(uci).ok()?;
    victim(&before.board, mv).map(|piece| char::from(piece_letter(piece)))
}

/// How an intended move would be written.
fn foresee(before: &State, uci: Uci) -> Option<Last> {
    before.apply(before.mover(), Action::Move(uci)).ok()?.last
}

/// The notation of the step.
impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Deed::Moved { san, .. } => san.fmt(f),
            Deed::Claimed { claim, intended: None } => write!(f, "claim {}", claim.key()),
            Deed::Claimed { claim, intended: Some(last) } => {
                write!(f, "claim {} with {}", claim.key(), last.san)
            }
        }
    }
}

/// What a seat can foresee of its action.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preview {
    /// As people will read it.
    pub san: String,
    /// The letter of what it would take.
    pub capture: Option<char>,
    /// Does it give check?
    pub check: bool,
    /// Why the match would be over with it.
    pub ends: Option<Ended>,
}

/// What the viewer can foresee of `action`, or why it would be refused.
pub(crate) fn preview(
    context: &Context<'_, Chess>,
    view: &View,
    action: Action,
) -> Result<Preview, Violation> {
    // A spectator has no turn; whoever is not to act stands for it.
    let Some(to_act) = view.to_act.iter().next() else { return Err(Violation::GameOver) };
    let seat = context.viewer.seat().unwrap_or(to_act.after(1, 2));
    if seat != to_act {
        return Err(Violation::NotYourTurn { seat, to_act });
    }
    let before = read(context, view).map_err(|BadView(reason)| Violation::InvalidView(reason))?;
    let after = before.apply(seat, action)?;
    let event = event(&Step { before: &before, seat, action: &action, after: &after });
    let (capture, check) = match event.deed {
        Deed::Moved { capture, check, .. } => (capture, check),
        Deed::Claimed { .. } => (None, false),
    };
    Ok(Preview { san: event.deed.to_string(), capture, check, ends: event.ended })
}

/// The state that looks like `view`: there is only one.
pub(crate) fn determinize(context: &Context<'_, Chess>, view: &View) -> Result<State, BadView> {
    let mut state = read(context, view)?;
    let (first, _) = fen::read(&view.start.fen, view.start.chess960)
        .map_err(|_| BadView("the start is no FEN"))?;
    // The first half-move of a match is ply 0, whoever makes it.
    let count = |board: &Board| {
        2 * u32::from(board.fullmove_number()) + u32::from(board.side_to_move() == Color::Black)
    };
    let plies = count(&state.board).checked_sub(count(&first));
    state.plies = plies.ok_or(BadView("the position is from before the start"))?;
    // Whatever else a view could claim falsely shows here.
    if self::view(&state) == *view {
        Ok(state)
    } else {
        Err(BadView("its fields contradict each other"))
    }
}

/// All of the state but the number of its ply, which the rules do not ask for.
fn read(context: &Context<'_, Chess>, view: &View) -> Result<State, BadView> {
    let is_chess960 = view.start.chess960;
    let manner = Manner { is_chess960, is_auto_queen: context.options.auto_queen };
    let (board, half_moves) =
        fen::read(&view.fen, is_chess960).map_err(|_| BadView("the position is no FEN"))?;
    if view.repeats.is_empty() || view.repeats.len() > usize::from(half_moves) + 1 {
        return Err(BadView("not a key for each half-move"));
    }
    let mut taken = [Taken::default(); 2];
    for (color, letters) in Color::ALL.into_iter().zip(&view.captured) {
        for letter in letters.bytes() {
            let piece = Piece::ALL.into_iter().find(|piece| piece_letter(*piece) == letter);
            let count = piece.and_then(|piece| taken[color_index(color)].get_mut(piece as usize));
            let count = count.ok_or(BadView("no such piece can be taken"))?;
            *count = count.checked_add(1).ok_or(BadView("too many pieces were taken"))?;
        }
    }
    if matches!(view.ended, Some(Ended::Forfeit { seat, .. }) if seat.index() >= 2) {
        return Err(BadView("a seat gave up that is not there"));
    }
    Ok(State {
        board,
        half_moves,
        repeats: view.repeats.iter().map(|key| key.0).collect(),
        start: Arc::new(view.start.clone()),
        manner,
        plies: 0,
        taken,
        last: view.last,
        ended: view.ended,
    })
}
