//! Matches and topics: what is told, what is old, and what is asked for again.

use crate::script::{check, check_online};

#[test]
fn what_is_followed_and_watched_before_a_connection_is_asked_for_after_it() {
    check(
        "> follow m2
        > follow m1
        > follow m3
        > unfollow m3
        > watch lobbies
        > watch l1
        > watch l2
        > unwatch l2
        > connect
        open 1
        tell connecting
        > server welcome
        tell welcome
        send {\"type\":\"join\",\"match\":\"m1\"}
        send {\"type\":\"join\",\"match\":\"m2\"}
        send {\"type\":\"watch\",\"topic\":\"lobbies\"}
        send {\"type\":\"watch\",\"topic\":\"lobby:l1\"}
        tell online
        ",
    );
}

#[test]
fn a_watch_link_is_shown_at_every_join() {
    check(
        "> follow m1 by s3cret
        > connect
        open 1
        tell connecting
        > server welcome
        tell welcome
        send {\"type\":\"join\",\"match\":\"m1\",\"key\":\"s3cret\"}
        tell online
        > server snapshot m1 3
        tell snapshot m1 3
        > @100 closed 1006
        tell reconnecting since 100
        > wake
        open 2
        > server welcome
        tell welcome
        send {\"type\":\"join\",\"match\":\"m1\",\"since\":3,\"key\":\"s3cret\"}
        tell online
        ",
    );
}

#[test]
fn after_a_break_it_joins_since_what_is_known_and_tells_what_was_missed_once() {
    check_online(
        "> server event m1 4
        tell event m1 4
        > watch lobbies
        send {\"type\":\"watch\",\"topic\":\"lobbies\"}
        > @100 closed 1006
        tell reconnecting since 100
        > wake
        open 2
        > server welcome
        tell welcome
        send {\"type\":\"join\",\"match\":\"m1\",\"since\":4}
        send {\"type\":\"watch\",\"topic\":\"lobbies\"}
        tell online
        > server snapshot m1 6 missed 4 5 6
        tell snapshot m1 6 missed 5 missed 6
        > server event m1 7
        tell event m1 7
        ",
    );
}

#[test]
fn old_news_is_told_to_nobody_and_the_same_ply_can_have_news() {
    check_online(
        "> server event m1 3
        > server event m1 2
        > server snapshot m1 2
        > server snapshot m1 3
        tell snapshot m1 3
        > server snapshot m1 5
        tell snapshot m1 5
        > server event m1 4
        > server event m1 6
        tell event m1 6
        ",
    );
}

#[test]
fn a_gap_is_asked_about_once() {
    check_online(
        "> server event m1 5
        send {\"type\":\"join\",\"match\":\"m1\",\"since\":3}
        > server event m1 6
        > server event m1 4
        tell event m1 4
        > server snapshot m1 6 missed 4 5 6
        tell snapshot m1 6 missed 5 missed 6
        > server event m1 8
        send {\"type\":\"join\",\"match\":\"m1\",\"since\":6}
        ",
    );
}

#[test]
fn only_what_is_followed_or_watched_is_told_of() {
    check_online(
        "> server chat m1
        tell chat m1
        > server legal m1
        tell legal m1 0
        > server offer m1
        tell offer m1
        > server presence m1
        tell presence m1
        > server over m1
        tell over m1
        > server rematch m1 m2
        tell rematch m1
        > server refused m1 chat_too_fast
        tell refused m1 0 chat_too_fast
        > server paired m2
        tell paired m2
        > server error
        tell error bad_request
        > server lobbies
        > server lobby l1
        > watch lobbies
        send {\"type\":\"watch\",\"topic\":\"lobbies\"}
        > watch l1
        send {\"type\":\"watch\",\"topic\":\"lobby:l1\"}
        > server lobbies
        tell lobbies
        > server lobby l1
        tell lobby l1
        > unwatch l1
        send {\"type\":\"unwatch\",\"topic\":\"lobby:l1\"}
        > server lobby l1
        > server unwatched l1
        > unfollow m1
        send {\"type\":\"leave\",\"match\":\"m1\"}
        > unfollow m1
        > server chat m1
        > server legal m1
        > server offer m1
        > server presence m1
        > server over m1
        > server rematch m1 m2
        > server refused m1 chat_too_fast
        > server snapshot m1 4
        > server event m1 5
        > server left m1
        ",
    );
}

#[test]
fn following_again_shows_it_again_and_after_leaving_nothing_is_known() {
    check_online(
        "> follow m1
        send {\"type\":\"join\",\"match\":\"m1\",\"since\":3}
        > server snapshot m1 3
        tell snapshot m1 3
        > unfollow m1
        send {\"type\":\"leave\",\"match\":\"m1\"}
        > follow m1
        send {\"type\":\"join\",\"match\":\"m1\"}
        > server event m1 4
        > server left m1
        > server snapshot m1 4
        tell snapshot m1 4
        ",
    );
}

#[test]
fn a_match_out_of_reach_is_joined_again_after_a_while() {
    for code in ["busy", "unavailable", "not_joined"] {
        check_online(&format!(
            "> server refused m1 {code}
            tell refused m1 0 {code}
            > server refused m1 {code}
            tell refused m1 0 {code}
            > follow m1
            > wake
            send {{\"type\":\"join\",\"match\":\"m1\",\"since\":3}}
            > server snapshot m1 4
            tell snapshot m1 4
            "
        ));
    }
}

#[test]
fn a_match_that_cannot_be_had_is_given_up() {
    for code in ["match_not_found", "rules_changed", "frozen", "room_full", "too_many_matches"] {
        check_online(&format!(
            "> act m1 3 e4
            send {{\"type\":\"act\",\"match\":\"m1\",\"ply\":3,\"action\":\"e4\",\"nonce\":#1}}
            tell m1 #1 sent
            > server refused m1 {code}
            tell m1 #1 refused {code}
            tell refused m1 0 {code}
            > server refused m1 #1 {code}
            > closed 1006
            tell reconnecting since 0
            > wake
            open 2
            > server welcome
            tell welcome
            tell online
            "
        ));
    }
}
