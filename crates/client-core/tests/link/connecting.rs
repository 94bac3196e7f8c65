//! Connecting, being alive, and coming back.

use client_core::{Connection, Effect, Input, Link, News};

use crate::script::check;

#[test]
fn the_welcome_makes_it_online() {
    check(
        "> connect
        open 1
        tell connecting
        > connect
        > @50 server snapshot m1 1
        > @100 server welcome
        tell welcome
        tell online
        > @200 server welcome
        > disconnect
        close 1
        tell offline
        > connect
        open 2
        tell connecting
        ",
    );
}

#[test]
fn every_close_but_the_end_of_the_session_is_followed_by_another_try() {
    for code in ["1000", "1001", "1002", "1006", "1009", "4002", "4003", "4004"] {
        check(&format!(
            "> connect
            open 1
            tell connecting
            > @100 server welcome
            tell welcome
            tell online
            > @700 closed {code}
            tell reconnecting since 700
            > wake
            open 2
            > closed {code}
            tell reconnecting since 700
            > wake
            open 3
            > server welcome
            tell welcome
            tell online
            "
        ));
    }
}

#[test]
fn a_session_that_ended_ends_it_for_good() {
    check(
        "> connect
        open 1
        tell connecting
        > @100 server welcome
        tell welcome
        tell online
        > @200 closed 4001
        tell loggedout
        > @9000 tick
        > online
        > follow m1
        > act m1 0 e4
        tell ConnectionFailed Act { match_id: MatchId(m1), ply: 0, action: \"e4\" }
        > connect
        open 2
        tell connecting
        ",
    );
}

#[test]
fn another_user_or_a_later_protocol_is_not_talked_to() {
    check(
        "> connect
        open 1
        tell connecting
        > server welcome
        tell welcome
        tell online
        > @100 closed 1006
        tell reconnecting since 100
        > follow m1
        > wake
        open 2
        > server welcome of another
        close 2
        tell loggedout
        ",
    );
    check(
        "> connect
        open 1
        tell connecting
        > server welcome of tomorrow
        close 1
        tell outdated
        > @9000 tick
        ",
    );
}

#[test]
fn what_an_earlier_socket_says_is_skipped() {
    check(
        "> connect
        open 1
        tell connecting
        > closed 1006
        tell reconnecting since 0
        > server welcome
        > wake
        open 2
        > on 1 closed 4001
        > on 1 server welcome
        > on 2 server welcome
        tell welcome
        tell online
        > on 1 closed 1006
        ",
    );
}

#[test]
fn silence_is_shown_within_five_seconds() {
    check(
        "> connect
        open 1
        tell connecting
        > @100 server welcome
        tell welcome
        tell online
        > @1000 server pong
        > @2600 tick
        > wake at
        at 3500
        send {\"type\":\"ping\"}
        > wake at
        at 5500
        close 1
        tell reconnecting since 5500
        ",
    );
}

#[test]
fn any_word_is_a_sign_of_life_and_a_late_tick_is_no_silence() {
    check(
        "> connect
        open 1
        tell connecting
        > @100 server welcome
        tell welcome
        tell online
        > @60000 tick
        send {\"type\":\"ping\"}
        > @61000 server says {\"type\":\"of_a_later_server\"}
        > @62500 tick
        > @63000 server says no JSON
        > @65499 tick
        > @65500 tick
        send {\"type\":\"ping\"}
        > @65600 server pong
        > @67500 tick
        ",
    );
}

#[test]
fn a_socket_that_never_says_welcome_is_given_up() {
    check(
        "> connect
        open 1
        tell connecting
        > @10 server pong
        > wake at
        at 5000
        close 1
        tell reconnecting since 5000
        > wake
        open 2
        ",
    );
}

#[test]
fn the_browsers_word_hurries_and_checks_but_never_stops_it() {
    check(
        "> offline
        > connect
        open 1
        > @100 closed 1006
        > wake
        open 2
        > @5000 online
        close 2
        open 3
        tell reconnecting since 100
        > @5100 closed 1006
        tell reconnecting since 100
        > @5101 online
        open 4
        tell reconnecting since 100
        > @5200 server welcome
        tell welcome
        tell online
        > @5300 offline
        send {\"type\":\"ping\"}
        > online
        > @5400 server pong
        > offline
        send {\"type\":\"ping\"}
        > @7399 tick
        > @7400 tick
        close 4
        tell offline
        > wake
        open 5
        > server welcome
        tell welcome
        tell online
        ",
    );
}

/// How long a link waits before each try, if every one fails; `lasting_ms` after a welcome.
fn waits(seed: u64, tries: usize, lasting_ms: Option<u64>) -> Vec<u64> {
    let welcome = r#"{"type":"welcome","protocol":1,"time_ms":0,
        "user":{"id":"0000000000001","name":"ada","role":"player"}}"#;
    let mut link = Link::new(seed);
    let mut now_ms = 0;
    let mut effects = link.handle(now_ms, Input::Connect);
    let mut waits = Vec::new();
    for _ in 0..tries {
        let opened = effects.iter().find_map(|effect| match effect {
            Effect::Open(socket) => Some(*socket),
            _ => None,
        });
        let socket = opened.unwrap();
        if let Some(lasting_ms) = lasting_ms {
            link.handle(now_ms, Input::Received { socket, text: welcome });
            now_ms += lasting_ms;
        }
        let told = link.handle(now_ms, Input::Closed { socket, code: 1006 });
        let next = told.iter().find_map(|effect| match effect {
            Effect::Tell(News::Connection(Connection::Reconnecting { next_try_ms, .. })) => {
                Some(*next_try_ms)
            }
            _ => None,
        });
        // At once, and it is shown so already.
        let next_ms = next.unwrap_or(now_ms);
        waits.push(next_ms - now_ms);
        now_ms = next_ms;
        effects = link.handle(now_ms, Input::Tick);
    }
    waits
}

#[test]
fn waits_double_up_to_four_seconds_with_full_jitter() {
    let all: Vec<Vec<u64>> = (0..300).map(|seed| waits(seed, 6, None)).collect();
    for (at, ceiling_ms) in [500, 1000, 2000, 4000, 4000, 4000].into_iter().enumerate() {
        let waits = all.iter().map(|waits| waits[at]);
        assert!(waits.clone().all(|wait| wait <= ceiling_ms), "try {at}");
        assert!(waits.clone().any(|wait| wait < ceiling_ms / 10), "try {at}");
        assert!(waits.clone().any(|wait| wait > ceiling_ms / 10 * 9), "try {at}");
    }
}

#[test]
fn only_a_connection_that_lasted_starts_the_waits_anew() {
    let longest =
        |lasting_ms| (0..100).flat_map(|seed| waits(seed, 6, Some(lasting_ms))).max().unwrap();
    assert!(longest(9_999) > 3_000);
    assert!(longest(10_000) <= 500);
}
