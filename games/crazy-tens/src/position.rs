//! The shell's notation of a position: `TOP[:SUIT] HAND0 HAND1 STOCK DISCARDS SCORE0,SCORE1 SEAT`.
//!
//! Lists are joined by `,`, an empty one is `-`. The stock's next card stands first, the discards'
//! oldest card first. It need not name all 52 cards: the others are out of the round.

use game_api::{GameRng, Seat, Seed, SetupError};

use crate::card::{Card, CardSet, Suit};
use crate::limits::Limits;
use crate::round::{Demand, Piles, Round};
use crate::state::{Options, State};

pub(crate) fn read(options: Options, text: &str, seed: &Seed) -> Result<State, SetupError> {
    options.check()?;
    let fields: Vec<&str> = text.split_whitespace().collect();
    let [top, hand_0, hand_1, stock, discards, scores, seat] = fields[..] else {
        return Err(refuse("it has seven fields: TOP[:SUIT] HAND HAND STOCK DISCARDS SCORES SEAT"));
    };
    let demand = read_demand(top)?;
    let hands = [read_cards(hand_0)?, read_cards(hand_1)?];
    let (stock, discards) = (read_cards(stock)?, read_cards(discards)?);
    let lists = [&hands[0], &hands[1], &stock, &discards];
    let all: CardSet = lists.into_iter().flatten().copied().chain([demand.top]).collect();
    if usize::from(all.len()) != 1 + lists.iter().map(|list| list.len()).sum::<usize>() {
        return Err(refuse("a card is there twice"));
    }
    if hands.iter().any(Vec::is_empty) {
        return Err(refuse("an empty hand: the round would be over"));
    }
    let piles = Piles::of(&stock, &discards).ok_or_else(|| refuse("too many cards"))?;
    let to_act = match seat {
        "0" => Seat::FIRST,
        "1" => Seat::FIRST.after(1, 2),
        _ => return Err(refuse("the seat to act is 0 or 1")),
    };
    let hands = hands.map(|hand| hand.into_iter().collect());
    let round = Round { hands, piles, demand, to_act, limits: [Limits::default(); 2] };
    Ok(State::begin(options, read_scores(scores, options.target)?, round, GameRng::new(seed)))
}

fn read_demand(text: &str) -> Result<Demand, SetupError> {
    let (card, suit) = text.split_once(':').map_or((text, None), |(card, suit)| (card, Some(suit)));
    let top = read_card(card)?;
    let forced_suit = match suit {
        None => None,
        Some(_) if !top.is_ten() => return Err(refuse("only a ten asks for a suit")),
        Some(letter) => {
            Some(Suit::from_letter(letter).ok_or_else(|| refuse("a suit is C, D, H or S"))?)
        }
    };
    Ok(Demand { top, forced_suit })
}

fn read_cards(text: &str) -> Result<Vec<Card>, SetupError> {
    if text == "-" { Ok(Vec::new()) } else { text.split(',').map(read_card).collect() }
}

fn read_card(text: &str) -> Result<Card, SetupError> {
    text.parse().map_err(|violation| refuse(&format!("{violation}")))
}

fn read_scores(text: &str, target: u16) -> Result<[u16; 2], SetupError> {
    let scores: Option<Vec<u16>> = text.split(',').map(|score| score.parse().ok()).collect();
    match scores.as_deref() {
        Some(&[first, second]) if first < target && second < target => Ok([first, second]),
        _ => Err(refuse("the scores are two whole numbers below the target")),
    }
}

fn refuse(reason: &str) -> SetupError {
    SetupError::InvalidPosition(reason.to_owned())
}
