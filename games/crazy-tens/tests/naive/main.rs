//! The fast rules against a slow version written apart from them, from the documents and the order
//! in which refusals are checked.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod reference;

use crazy_tens::{Card, CardSet, CrazyTens, Limits, Options, Starter, State, Suit};
use game_api::{Game, Seat, Seed, Viewer, Violation};
use reference::{NaiveMatch, NaiveRound, full_deck};

fn naive_round(state: &State) -> NaiveRound {
    let text = |card: &Card| card.to_string();
    NaiveRound {
        hands: state.round.hands.map(|hand| hand.iter().map(|card| card.to_string()).collect()),
        stock: state.round.piles.stock().iter().map(text).collect(),
        discards: state.round.piles.discards().map(|card| card.to_string()).collect(),
        top: state.round.demand.top.to_string(),
        forced: state.round.demand.forced_suit.and_then(|suit| suit.letter().chars().next()),
        to_act: state.round.to_act.index(),
        actions: 0,
        tells: state.round.limits.map(|Limits { none, one, two }| {
            [none, none.or(one), none.or(one).or(two)]
                .map(|cards| cards.iter().map(|card| card.to_string()).collect())
        }),
    }
}

fn naive_match(state: &State, options: Options) -> NaiveMatch {
    let view = CrazyTens.view(state, Viewer::Spectator);
    NaiveMatch {
        round: naive_round(state),
        scores: view.scores.map(u32::from),
        round_number: u32::from(view.round),
        target: u32::from(options.target),
        host_always_starts: options.starter == Starter::Host,
        over: None,
    }
}

/// Every text that can be an action.
fn all_actions() -> Vec<String> {
    let suits = Suit::ALL.map(|suit| format!(":{}", suit.letter()));
    let ends: Vec<String> = suits.into_iter().chain([String::new()]).collect();
    let plays = full_deck().into_iter().flat_map(|card| {
        ends.iter().map(move |end| format!("play:{card}{end}")).collect::<Vec<_>>()
    });
    plays.chain(["draw".to_owned(), "pass".to_owned()]).collect()
}

/// The hands in one order, so that they can be compared.
fn sorted(mut round: NaiveRound) -> NaiveRound {
    round.hands.iter_mut().for_each(|hand| hand.sort());
    round
}

/// Plays on at random, both ways at once, until the match or the patience ends; returns how many
/// passes and reshuffles there were.
fn compare(
    mut state: State,
    options: Options,
    chooser: &mut fastrand::Rng,
    plies: u32,
) -> [u32; 2] {
    let mut naive = naive_match(&state, options);
    let universe = all_actions();
    let mut seen = [0; 2];
    for ply in 0..plies {
        let Some(seat) = CrazyTens.to_act(&state).iter().next() else { break };
        let mut legal = Vec::new();
        CrazyTens.legal_actions(&state, seat, &mut legal);
        let mut texts: Vec<String> = legal.iter().map(ToString::to_string).collect();
        let chosen = texts[chooser.usize(..texts.len())].clone();
        texts.sort();
        assert_eq!(texts, naive.round.legal(), "ply {ply}");
        if ply % 16 == 0 {
            for text in &universe {
                let code = |violation: crazy_tens::Violation| violation.code();
                let fast = CrazyTens.apply(&state, seat, &text.parse().unwrap()).err().map(code);
                // Reshuffles and deals are not compared here, only what is refused and why.
                let slow = naive.round.clone().apply(text, &naive.round.discards).err();
                assert_eq!(fast, slow, "ply {ply}, {text}");
            }
        }
        let after = CrazyTens.apply(&state, seat, &chosen.parse().unwrap()).unwrap();
        seen[0] += u32::from(chosen == "pass");
        let mut reshuffled = Vec::new();
        if chosen == "draw" && naive.round.stock.is_empty() {
            seen[1] += 1;
            let drawn = after.round.hands[seat.index()].minus(state.round.hands[seat.index()]);
            reshuffled = naive_round(&after).stock;
            reshuffled.extend(drawn.iter().map(|card| card.to_string()));
        }
        naive.apply(&chosen, &reshuffled, Some(naive_round(&after))).unwrap();
        check_same(&after, &naive, ply);
        state = after;
    }
    seen
}

#[track_caller]
fn check_same(state: &State, naive: &NaiveMatch, ply: u32) {
    let view = CrazyTens.view(state, Viewer::Spectator);
    assert_eq!(view.scores.map(u32::from), naive.scores, "ply {ply}");
    assert_eq!(u32::from(view.round), naive.round_number, "ply {ply}");
    let expected = NaiveRound { actions: 0, ..naive.round.clone() };
    assert_eq!(sorted(naive_round(state)), sorted(expected), "ply {ply}");
    for (hand, tells) in naive.round.hands.iter().zip(&naive.round.tells) {
        for (most, set) in tells.iter().enumerate() {
            let held = hand.iter().filter(|card| set.contains(*card)).count();
            assert!(held <= most, "ply {ply}: {held} of {set:?}");
        }
    }
    let places = naive.over.map(|winner| match winner {
        None => vec![1, 1],
        Some(0) => vec![1, 2],
        Some(_) => vec![2, 1],
    });
    assert_eq!(CrazyTens.outcome(state).map(|outcome| outcome.places), places, "ply {ply}");
}

#[test]
fn whole_matches_are_played_alike() {
    let mut chooser = fastrand::Rng::with_seed(1);
    let mut reshuffles = 0;
    for seed in 0..60 {
        let starter = if seed % 2 == 0 { Starter::Alternate } else { Starter::Host };
        let options = Options { starter, ..Options::default() };
        let state = CrazyTens.setup(&options, 2, &Seed::from_number(seed)).unwrap();
        reshuffles += compare(state, options, &mut chooser, u32::MAX)[1];
    }
    assert!(reshuffles > 5, "only {reshuffles} reshuffles");
}

#[test]
fn cramped_positions_are_played_alike() {
    let mut chooser = fastrand::Rng::with_seed(2);
    let mut passes = 0;
    for _ in 0..300 {
        let text = cramped_position(&mut chooser);
        let options = Options::default();
        let (_, state) = CrazyTens.position(&options, &text, &Seed::from_number(3)).unwrap();
        passes += compare(state, options, &mut chooser, 40)[0];
    }
    assert!(passes > 20, "only {passes} passes");
}

/// The whole deck, most of it in one hand, so that passing comes up.
fn cramped_position(chooser: &mut fastrand::Rng) -> String {
    let mut deck: Vec<Card> = CardSet::DECK.iter().collect();
    chooser.shuffle(&mut deck);
    let cut = chooser.usize(1..8);
    let stock = chooser.usize(..3);
    let join = |cards: &[Card]| match cards {
        [] => "-".to_owned(),
        _ => cards.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
    };
    let (top, rest) = (deck[0], &deck[1..]);
    let (stock, hands) = rest.split_at(stock);
    let forced = if top.is_ten() { ":S" } else { "" };
    let seat = Seat::FIRST.after(chooser.u8(..2), 2);
    format!(
        "{top}{forced} {} {} {} - 0,0 {seat}",
        join(&hands[..cut]),
        join(&hands[cut..]),
        join(stock)
    )
}
