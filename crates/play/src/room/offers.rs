//! Offers that wait for the consent of all others.

use game_api::{Seat, SeatSet};
use protocol::ws::{OfferKind, OfferState};

use super::Refusal;

#[derive(Default)]
pub(super) struct Offers {
    /// At most one of a kind.
    open: Vec<Open>,
    /// What was declined at which ply, so that nobody is asked again and again.
    declined: Vec<(OfferKind, Seat, u32)>,
}

struct Open {
    kind: OfferKind,
    seat: Seat,
    /// Who has not answered yet.
    missing: SeatSet,
}

/// How an offer stands after somebody spoke.
#[derive(Clone, Copy)]
pub(super) struct Answered {
    /// Whose offer it is.
    pub(super) seat: Seat,
    pub(super) state: OfferState,
}

impl Offers {
    /// Opens an offer of whoever holds the seats `held`, `seat` among them; if another has made
    /// the same, this is a yes to it.
    pub(super) fn open(
        &mut self,
        kind: OfferKind,
        seat: Seat,
        held: SeatSet,
        needed: SeatSet,
        ply: u32,
    ) -> Result<Answered, Refusal> {
        if let Some(offer) = self.open.iter().find(|offer| offer.kind == kind) {
            if held.contains(offer.seat) {
                return Ok(Answered { seat: offer.seat, state: OfferState::Open });
            }
            return self.answer(kind, held, true, ply);
        }
        self.declined.retain(|(_, _, at)| *at == ply);
        if self.declined.contains(&(kind, seat, ply)) {
            return Err(Refusal::OfferDeclined);
        }
        if needed.is_empty() {
            return Ok(Answered { seat, state: OfferState::Accepted });
        }
        self.open.push(Open { kind, seat, missing: needed });
        Ok(Answered { seat, state: OfferState::Open })
    }

    /// Takes the answer of whoever holds the seats `held`.
    pub(super) fn answer(
        &mut self,
        kind: OfferKind,
        held: SeatSet,
        accept: bool,
        ply: u32,
    ) -> Result<Answered, Refusal> {
        let at = self.open.iter().position(|offer| offer.kind == kind).ok_or(Refusal::NoOffer)?;
        let offer = &mut self.open[at];
        let by = offer.seat;
        let state = match (accept, held.contains(by)) {
            (true, true) => return Err(Refusal::NoOffer),
            (false, true) => OfferState::Withdrawn,
            (false, false) => OfferState::Declined,
            (true, false) => {
                offer.missing = held.iter().fold(offer.missing, SeatSet::without);
                if offer.missing.is_empty() { OfferState::Accepted } else { OfferState::Open }
            }
        };
        if state != OfferState::Open {
            self.open.swap_remove(at);
        }
        if state == OfferState::Declined {
            self.declined.push((kind, by, ply));
        }
        Ok(Answered { seat: by, state })
    }

    /// Whether an offer of this kind waits for the answer of this seat.
    pub(super) fn is_missing(&self, kind: OfferKind, seat: Seat) -> bool {
        self.open.iter().any(|offer| offer.kind == kind && offer.missing.contains(seat))
    }

    /// Drops the offers that `by` was asked about and has not answered, since it acted instead;
    /// and its own to take back a turn that is no longer its last.
    pub(super) fn lapse(&mut self, by: Seat) -> Vec<(OfferKind, Seat)> {
        let is_past = |offer: &mut Open| {
            offer.missing.contains(by) || (offer.kind, offer.seat) == (OfferKind::Takeback, by)
        };
        let lapsed = self.open.extract_if(.., is_past);
        lapsed.map(|offer| (offer.kind, offer.seat)).collect()
    }

    /// Drops all.
    pub(super) fn clear(&mut self) -> Vec<(OfferKind, Seat)> {
        self.open.drain(..).map(|offer| (offer.kind, offer.seat)).collect()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (OfferKind, Seat)> {
        self.open.iter().map(|offer| (offer.kind, offer.seat))
    }
}
