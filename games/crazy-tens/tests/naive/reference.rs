//! The rules of Crazy Tens once more, slowly: cards are texts ("7S", "10H", "AC"), suits letters.
//! It exists to be compared with the real rules. It owns no chance: deals and reshuffles are handed
//! in and checked. It does not know who sends an action: it is always the seat to act.

use std::collections::BTreeSet;

const SUITS: [char; 4] = ['C', 'D', 'H', 'S'];
const RANKS: [&str; 13] = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];

pub(crate) type Verdict = Option<usize>; // the seat that won the match, or None for a tie

/// 52 cards: ranks A, 2–10, J, Q, K in four suits.
pub(crate) fn full_deck() -> Vec<String> {
    SUITS.iter().flat_map(|suit| RANKS.iter().map(move |rank| format!("{rank}{suit}"))).collect()
}

fn rank(card: &str) -> &str {
    &card[..card.len() - 1]
}

// A = 1. M17: face cards are worth 10, rank 10 is worth 10, the others their rank.
fn value(card: &str) -> u32 {
    match rank(card) {
        "A" => 1,
        "J" | "Q" | "K" => 10,
        number => number.parse().expect("a rank is A, 2-10, J, Q or K"),
    }
}

fn sorted(texts: &[String]) -> Vec<String> {
    let mut copy = texts.to_vec();
    copy.sort();
    copy
}

fn require(holds: bool, code: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(code) }
}

// The card and suit of a play, None for draw and pass. Refuses for the text alone, left to right.
fn read(action: &str) -> Result<Option<(String, Option<char>)>, &'static str> {
    if action == "draw" || action == "pass" {
        return Ok(None);
    }
    let play = action.strip_prefix("play:").ok_or("invalid_action")?;
    let (card, letter) = play.split_once(':').map_or((play, None), |(c, l)| (c, Some(l)));
    require(full_deck().contains(&card.to_string()), "invalid_card")?;
    let chosen = SUITS.into_iter().find(|suit| letter == Some(&suit.to_string()));
    require(letter.is_none() || chosen.is_some(), "invalid_suit_choice")?;
    Ok(Some((card.to_string(), chosen)))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NaiveRound {
    pub(crate) hands: [Vec<String>; 2],
    pub(crate) stock: Vec<String>,    // last = next to draw
    pub(crate) discards: Vec<String>, // under the top card, in the order they were laid
    pub(crate) top: String,
    pub(crate) forced: Option<char>,
    pub(crate) to_act: usize,
    pub(crate) actions: u32, // accepted in this round
    pub(crate) tells: [Tells; 2],
}

/// What is certain of a hand: of the set at place n it holds at most n cards.
pub(crate) type Tells = [BTreeSet<String>; 3];

// R1.6: none of these is in the hand, so adding them to any set changes no number.
fn rule_out(tells: &mut Tells, cards: &[String]) {
    for set in tells {
        set.extend(cards.iter().cloned());
    }
}

impl NaiveRound {
    /// M16 isPlayable for the seat to act; a card that is not in its hand is not playable.
    pub(crate) fn is_playable(&self, card: &str) -> bool {
        self.hands[self.to_act].contains(&card.to_string()) && self.is_wanted(card)
    }

    // The same for a card in any hand.
    fn is_wanted(&self, card: &str) -> bool {
        let is_face = |card: &str| ["J", "Q", "K"].contains(&rank(card));
        if rank(card) == "10" {
            // If card is a wildcard (rank 10), then true.
            true
        } else if let Some(suit) = self.forced {
            // Else if forcedSuit is not None, then true iff card.suit equals forcedSuit.
            card.ends_with(suit)
        } else {
            // Else true iff at least one is satisfied: match suit, match rank, dozenal-sum (card
            // and top are not face cards and card.rank + top.rank = 12).
            card.chars().last() == self.top.chars().last()
                || rank(card) == rank(&self.top)
                || (!is_face(card) && !is_face(&self.top) && value(card) + value(&self.top) == 12)
        }
    }

    // mustDraw: true iff playables is empty.
    fn must_draw(&self) -> bool {
        !self.hands[self.to_act].iter().any(|card| self.is_playable(card))
    }

    // A 10 needs a chosen suit, unless it is the player's last card.
    fn needs_suit(&self, card: &str) -> bool {
        rank(card) == "10" && self.hands[self.to_act].len() > 1
    }

    /// All legal actions of the seat to act as texts, in byte order; none once the round is over.
    pub(crate) fn legal(&self) -> Vec<String> {
        let mut actions = Vec::new();
        for card in self.hands[self.to_act].iter().filter(|card| self.is_playable(card)) {
            let ends = if self.needs_suit(card) { ":C :D :H :S" } else { "" };
            actions.extend(ends.split(' ').map(|end| format!("play:{card}{end}")));
        }
        // Draw only when nothing is playable. No card to draw either: pass (and only then).
        if self.must_draw() {
            let may_draw = !self.stock.is_empty() || !self.discards.is_empty();
            actions.push(if may_draw { "draw" } else { "pass" }.to_string());
        }
        if self.is_over() { Vec::new() } else { sorted(&actions) }
    }

    /// # Errors
    /// The stable code of the refusal; the round is then unchanged.
    /// # Panics
    /// If the draw reshuffles and `reshuffled`, the new stock, is no permutation of the discards.
    pub(crate) fn apply(
        &mut self,
        action: &str,
        reshuffled: &[String],
    ) -> Result<(), &'static str> {
        let play = read(action)?;
        require(!self.is_over(), "illegal_move")?;
        let may_draw = !self.stock.is_empty() || !self.discards.is_empty();
        if let Some((card, chosen)) = play {
            // InvalidCard if card is not in the player's hand. Require isPlayable = true.
            require(self.hands[self.to_act].contains(&card), "invalid_card")?;
            require(self.is_playable(&card), "illegal_move")?;
            // InvalidSuitChoice: none on a 10, or one on another card or on a last 10.
            require(self.needs_suit(&card) == chosen.is_some(), "invalid_suit_choice")?;
            // Remove card from the hand and push it onto discardPile; set topCard := card.
            self.hands[self.to_act].retain(|held| *held != card);
            let tells = &mut self.tells[self.to_act];
            for most in 0..2 {
                // At most one more of a set, and this was one: now at most so many.
                if tells[most + 1].contains(&card) {
                    let now = tells[most + 1].clone();
                    tells[most] = now;
                }
            }
            self.discards.push(std::mem::replace(&mut self.top, card));
            // Wildcard: forcedSuit := chosenSuit, else None. Advance currentTurn to the other.
            self.forced = chosen;
            self.to_act = 1 - self.to_act;
        } else if action == "draw" {
            // Draw only when mustDraw, else IllegalMove. EmptyDeck is for an impossible draw.
            require(self.must_draw(), "illegal_move")?;
            require(may_draw, "empty_deck")?;
            // A draw that finds the stock empty first shuffles the discards under the top card in.
            if self.stock.is_empty() {
                assert_eq!(sorted(reshuffled), sorted(&self.discards), "not these discards");
                self.tells.iter_mut().for_each(|tells| rule_out(tells, &self.discards));
                self.stock = reshuffled.to_vec();
                self.discards.clear();
            }
            self.tell_nothing_wanted();
            // The new card can be any: of each set there may be one more.
            self.tells[self.to_act].rotate_right(1);
            self.tells[self.to_act][0].clear();
            // One card a draw; the turn stays.
            self.hands[self.to_act].extend(self.stock.pop());
        } else {
            // Nothing playable, nothing to draw: the action is pass (and only then).
            require(self.must_draw() && !may_draw, "illegal_move")?;
            self.tell_nothing_wanted();
            self.to_act = 1 - self.to_act;
        }
        self.actions += 1;
        Ok(())
    }

    fn tell_nothing_wanted(&mut self) {
        let wanted: Vec<String> =
            full_deck().into_iter().filter(|card| self.is_wanted(card)).collect();
        rule_out(&mut self.tells[self.to_act], &wanted);
    }

    pub(crate) fn is_over(&self) -> bool {
        self.winner().is_some()
    }

    pub(crate) fn winner(&self) -> Option<usize> {
        self.hands.iter().position(Vec::is_empty)
    }

    /// M17: the sum of the remaining cards in the loser's hand; 0 while nobody has lost.
    pub(crate) fn loser_points(&self) -> u32 {
        self.winner().map_or(0, |winner| self.hands[1 - winner].iter().map(|c| value(c)).sum())
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NaiveMatch {
    pub(crate) round: NaiveRound,
    pub(crate) scores: [u32; 2],
    pub(crate) round_number: u32, // from 1
    pub(crate) target: u32,
    pub(crate) host_always_starts: bool,
    pub(crate) over: Option<Verdict>,
}

impl NaiveMatch {
    /// `next_deal` is asked only if a round ends and the match goes on; the last round stays.
    /// # Errors
    /// # Panics
    /// As [`NaiveRound::apply`] does; also if a needed `next_deal` is missing or not a fresh deal.
    pub(crate) fn apply(
        &mut self,
        action: &str,
        reshuffled: &[String],
        next_deal: Option<NaiveRound>,
    ) -> Result<(), &'static str> {
        read(action)?;
        require(self.over.is_none(), "game_over")?;
        self.round.apply(action, reshuffled)?;
        if let Some(winner) = self.round.winner() {
            // Round score: the loser's hand by M17 to the round's winner.
            self.scores[winner] += self.round.loser_points();
        } else if self.round.actions < 2000 {
            // A round of 2,000 actions is void: it ends, and nobody scores.
            return Ok(());
        }
        // The game ends when a total reaches the target. After 100 rounds the higher total wins,
        // equal totals tie.
        let [host, guest] = self.scores;
        if host >= self.target || guest >= self.target || self.round_number == 100 {
            self.over = Some((host != guest).then_some(usize::from(guest > host)));
            return Ok(());
        }
        // A fresh deck each round, 5 each, one card turned up; the other 41 are the stock.
        let next = next_deal.expect("the match goes on and needs a next deal");
        let cards = [next.hands.concat(), next.stock.clone(), vec![next.top.clone()]].concat();
        assert_eq!(sorted(&cards), sorted(&full_deck()), "not one deck");
        assert_eq!(next.hands.each_ref().map(Vec::len), [5, 5], "hands");
        assert_eq!((next.discards.len(), next.forced, next.actions), (0, None, 0), "not fresh");
        assert_eq!(next.tells, <[Tells; 2]>::default(), "nothing is known of a new hand");
        // Seat 0 starts round 1, and the start alternates by round; or the host always starts.
        self.round_number += 1;
        let is_guests = self.round_number.is_multiple_of(2) && !self.host_always_starts;
        self.round = NaiveRound { to_act: usize::from(is_guests), ..next };
        Ok(())
    }
}
