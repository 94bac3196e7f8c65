//! Bounds: what is beyond one comes back, and nothing is sent.

use std::collections::BTreeSet;

use client_core::{
    ActionState, Effect, FOLLOWED_MAX, Failure, Input, Link, MESSAGE_BYTES_MAX, News, PENDING_MAX,
    Request, SocketId, TOPICS_MAX, Wish,
};
use domain::{LobbyId, MatchId};
use protocol::ws::Topic;

const WELCOME: &str = r#"{"type":"welcome","protocol":1,"time_ms":0,
    "user":{"id":"0000000000001","name":"ada","role":"player"}}"#;

fn match_id(number: usize) -> MatchId {
    MatchId::from_number(i64::try_from(number).unwrap()).unwrap()
}

fn act(action: &str) -> Wish {
    Wish::Act { match_id: match_id(0), ply: 0, action: action.to_owned() }
}

fn connect(link: &mut Link) -> SocketId {
    let effects = link.handle(0, Input::Connect);
    let Effect::Open(socket) = effects[0] else { panic!("{effects:?}") };
    link.handle(0, Input::Received { socket, text: WELCOME });
    socket
}

fn online(seed: u64) -> Link {
    let mut link = Link::new(seed);
    connect(&mut link);
    link.handle(0, Input::Wish(Wish::Follow(match_id(0))));
    link
}

#[track_caller]
fn check(link: &mut Link, wish: Wish, expected: Option<Failure>) {
    let asked = wish.clone();
    let effects = link.handle(0, Input::Wish(wish));
    let failed = effects.iter().find_map(|effect| match effect {
        Effect::Tell(News::Failed { wish, why }) => {
            assert_eq!(*wish, asked);
            Some(*why)
        }
        _ => None,
    });
    assert_eq!(failed, expected);
    assert!(failed.is_none() || effects.len() == 1, "{effects:?}");
}

#[test]
fn matches_topics_and_actions_are_counted() {
    let mut link = online(1);
    for number in 1..FOLLOWED_MAX {
        check(&mut link, Wish::Follow(match_id(number)), None);
    }
    check(&mut link, Wish::Follow(match_id(1)), None);
    check(&mut link, Wish::Follow(match_id(99)), Some(Failure::TooManyMatches));
    check(&mut link, Wish::Unfollow(match_id(1)), None);
    check(&mut link, Wish::Follow(match_id(99)), None);

    let topic =
        |number: usize| Topic::Lobby(LobbyId::from_number(i64::try_from(number).unwrap()).unwrap());
    for number in 0..TOPICS_MAX {
        check(&mut link, Wish::Watch(topic(number)), None);
    }
    check(&mut link, Wish::Watch(topic(0)), None);
    check(&mut link, Wish::Watch(Topic::Lobbies), Some(Failure::TooManyTopics));
    check(&mut link, Wish::Unwatch(topic(0)), None);
    check(&mut link, Wish::Watch(Topic::Lobbies), None);

    for _ in 0..PENDING_MAX {
        check(&mut link, act("e4"), None);
    }
    check(&mut link, act("e4"), Some(Failure::TooManyActions));
}

#[test]
fn a_message_that_the_server_would_close_for_is_not_sent() {
    let mut link = online(1);
    let longest = |link: &mut Link| {
        let effects = link.handle(0, Input::Wish(act("")));
        let Effect::Send(text) = &effects[0] else { panic!("{effects:?}") };
        MESSAGE_BYTES_MAX - text.len()
    };
    let longest = longest(&mut link);
    check(&mut link, act(&"x".repeat(longest)), None);
    check(&mut link, act(&"x".repeat(longest + 1)), Some(Failure::TooLong));
    // Two bytes each, once they are escaped.
    check(&mut link, act(&"\"".repeat(longest / 2 + 1)), Some(Failure::TooLong));
    let chat =
        |length| Wish::Ask { match_id: match_id(0), request: Request::Chat("x".repeat(length)) };
    check(&mut link, chat(300), None);
    check(&mut link, chat(MESSAGE_BYTES_MAX), Some(Failure::TooLong));
}

#[test]
fn a_full_link_says_little_enough_at_once() {
    let mut link = Link::new(1);
    let socket = connect(&mut link);
    for number in 0..FOLLOWED_MAX {
        check(&mut link, Wish::Follow(match_id(number)), None);
        for _ in 0..PENDING_MAX {
            let act = Wish::Act { match_id: match_id(number), ply: 0, action: String::new() };
            check(&mut link, act, None);
        }
    }
    link.handle(0, Input::Closed { socket, code: 1006 });
    let effects = link.handle(0, Input::Connect);
    let Effect::Open(socket) = effects[0] else { panic!("{effects:?}") };
    let effects = link.handle(0, Input::Received { socket, text: WELCOME });
    let sent = effects.iter().filter(|effect| matches!(effect, Effect::Send(_))).count();
    assert_eq!(sent, FOLLOWED_MAX * (1 + PENDING_MAX));
}

#[test]
fn numbers_of_actions_are_above_zero_exact_in_json_and_of_chance() {
    let mut seen = BTreeSet::new();
    for seed in 0..1000 {
        let mut link = online(seed);
        let mut last = 0;
        for _ in 0..PENDING_MAX {
            for effect in link.handle(0, Input::Wish(act("e4"))) {
                if let Effect::Tell(News::Action { nonce, state: ActionState::Sent, .. }) = effect {
                    assert!(nonce > last && nonce < 1 << 53);
                    assert!(seen.insert(nonce), "two tabs gave the same number");
                    last = nonce;
                }
            }
        }
    }
    assert_eq!(seen.len(), 1000 * PENDING_MAX);
}
