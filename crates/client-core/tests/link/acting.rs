//! Actions: sent once or again, and answered once.

use crate::script::check_online;

#[test]
fn an_action_is_sent_and_stored_or_refused_once() {
    check_online(
        "> act m1 3 e4
        send {\"type\":\"act\",\"match\":\"m1\",\"ply\":3,\"action\":\"e4\",\"nonce\":#1}
        tell m1 #1 sent
        > server ack m1 #1 4
        tell m1 #1 stored
        > server ack m1 #1 4
        > server refused m1 #1 stale_ply
        > server event m1 4
        tell event m1 4
        > act m1 4 d4
        send {\"type\":\"act\",\"match\":\"m1\",\"ply\":4,\"action\":\"d4\",\"nonce\":#2}
        tell m1 #2 sent
        > server refused m1 #2 not_your_turn
        tell m1 #2 refused not_your_turn
        > server ack m1 #2 5
        ",
    );
}

#[test]
fn what_has_no_answer_is_sent_again_in_order_and_what_has_one_is_not() {
    check_online(
        "> act m1 3 a
        send {\"type\":\"act\",\"match\":\"m1\",\"ply\":3,\"action\":\"a\",\"nonce\":#1}
        tell m1 #1 sent
        > act m1 3 b
        send {\"type\":\"act\",\"match\":\"m1\",\"ply\":3,\"action\":\"b\",\"nonce\":#2}
        tell m1 #2 sent
        > act m1 3 c
        send {\"type\":\"act\",\"match\":\"m1\",\"ply\":3,\"action\":\"c\",\"nonce\":#3}
        tell m1 #3 sent
        > act m1 3 d
        send {\"type\":\"act\",\"match\":\"m1\",\"ply\":3,\"action\":\"d\",\"nonce\":#4}
        tell m1 #4 sent
        > server ack m1 #1 4
        tell m1 #1 stored
        > server event m1 4
        tell event m1 4
        > server refused m1 #3 illegal_move
        tell m1 #3 refused illegal_move
        > @100 closed 1006
        tell reconnecting since 100
        > wake
        open 2
        > server welcome
        tell welcome
        send {\"type\":\"join\",\"match\":\"m1\",\"since\":4}
        send {\"type\":\"act\",\"match\":\"m1\",\"ply\":3,\"action\":\"b\",\"nonce\":#2}
        send {\"type\":\"act\",\"match\":\"m1\",\"ply\":3,\"action\":\"d\",\"nonce\":#4}
        tell online
        > server snapshot m1 7 missed 5 6 7
        tell snapshot m1 7 missed 5 missed 6 missed 7
        > server ack m1 #2 5
        tell m1 #2 stored
        > disconnect
        close 2
        tell offline
        > connect
        open 3
        tell connecting
        > server welcome
        tell welcome
        send {\"type\":\"join\",\"match\":\"m1\",\"since\":7}
        send {\"type\":\"act\",\"match\":\"m1\",\"ply\":3,\"action\":\"d\",\"nonce\":#4}
        tell online
        ",
    );
}

#[test]
fn what_was_never_sent_comes_back_and_is_not_sent_later() {
    check_online(
        "> @100 closed 1006
        tell reconnecting since 100
        > act m1 3 e4
        tell ConnectionFailed Act { match_id: MatchId(m1), ply: 3, action: \"e4\" }
        > m1 chat hello
        tell ConnectionFailed Ask { match_id: MatchId(m1), request: Chat(\"hello\") }
        > wake
        open 2
        > act m1 3 e4
        tell ConnectionFailed Act { match_id: MatchId(m1), ply: 3, action: \"e4\" }
        > server welcome
        tell welcome
        send {\"type\":\"join\",\"match\":\"m1\",\"since\":3}
        tell online
        > act m2 0 e4
        tell NotFollowed Act { match_id: MatchId(m2), ply: 0, action: \"e4\" }
        > m2 resign
        tell NotFollowed Ask { match_id: MatchId(m2), request: Resign }
        ",
    );
}

#[test]
fn other_requests_are_sent_once() {
    check_online(
        "> m1 legal
        send {\"type\":\"legal\",\"match\":\"m1\"}
        > m1 resign
        send {\"type\":\"resign\",\"match\":\"m1\"}
        > m1 claim
        send {\"type\":\"claim\",\"match\":\"m1\"}
        > m1 offer draw
        send {\"type\":\"offer\",\"match\":\"m1\",\"kind\":\"draw\"}
        > m1 accept takeback
        send {\"type\":\"answer\",\"match\":\"m1\",\"kind\":\"takeback\",\"accept\":true}
        > m1 decline pause
        send {\"type\":\"answer\",\"match\":\"m1\",\"kind\":\"pause\",\"accept\":false}
        > m1 chat hello
        send {\"type\":\"chat\",\"match\":\"m1\",\"text\":\"hello\"}
        > @100 closed 1006
        tell reconnecting since 100
        > wake
        open 2
        > server welcome
        tell welcome
        send {\"type\":\"join\",\"match\":\"m1\",\"since\":3}
        tell online
        ",
    );
}

#[test]
fn an_action_that_nobody_judged_is_sent_again_and_not_overtaken() {
    for code in ["busy", "unavailable", "not_joined"] {
        check_online(&format!(
            "> act m1 3 a
            send {{\"type\":\"act\",\"match\":\"m1\",\"ply\":3,\"action\":\"a\",\"nonce\":#1}}
            tell m1 #1 sent
            > server refused m1 #1 {code}
            > act m1 3 b
            tell ConnectionFailed Act {{ match_id: MatchId(m1), ply: 3, action: \"b\" }}
            > server snapshot m1 3
            tell snapshot m1 3
            > wake
            send {{\"type\":\"join\",\"match\":\"m1\",\"since\":3}}
            send {{\"type\":\"act\",\"match\":\"m1\",\"ply\":3,\"action\":\"a\",\"nonce\":#1}}
            > server refused m1 {code}
            tell refused m1 0 {code}
            > server refused m1 #1 not_seated
            > wake
            send {{\"type\":\"join\",\"match\":\"m1\",\"since\":3}}
            send {{\"type\":\"act\",\"match\":\"m1\",\"ply\":3,\"action\":\"a\",\"nonce\":#1}}
            > server snapshot m1 4 missed 4
            tell snapshot m1 4 missed 4
            > server ack m1 #1 4
            tell m1 #1 stored
            > act m1 4 b
            send {{\"type\":\"act\",\"match\":\"m1\",\"ply\":4,\"action\":\"b\",\"nonce\":#2}}
            tell m1 #2 sent
            > server refused m1 #2 not_seated
            tell m1 #2 refused not_seated
            "
        ));
    }
}

#[test]
fn asking_about_a_gap_does_not_forget_an_action_that_nobody_judged() {
    check_online(
        "> act m1 3 a
        send {\"type\":\"act\",\"match\":\"m1\",\"ply\":3,\"action\":\"a\",\"nonce\":#1}
        tell m1 #1 sent
        > server refused m1 #1 unavailable
        > server snapshot m1 3
        tell snapshot m1 3
        > server event m1 5
        send {\"type\":\"join\",\"match\":\"m1\",\"since\":3}
        > server snapshot m1 5
        tell snapshot m1 5
        > wake
        send {\"type\":\"join\",\"match\":\"m1\",\"since\":5}
        send {\"type\":\"act\",\"match\":\"m1\",\"ply\":3,\"action\":\"a\",\"nonce\":#1}
        ",
    );
}

#[test]
fn an_action_that_broke_the_server_is_not_sent_again() {
    check_online(
        "> act m1 3 e4
        send {\"type\":\"act\",\"match\":\"m1\",\"ply\":3,\"action\":\"e4\",\"nonce\":#1}
        tell m1 #1 sent
        > server refused m1 #1 internal
        tell m1 #1 refused internal
        ",
    );
}

#[test]
fn a_spectators_action_is_refused_also_if_it_came_before_the_snapshot() {
    check_online(
        "> follow m1
        send {\"type\":\"join\",\"match\":\"m1\",\"since\":3}
        > act m1 3 e4
        send {\"type\":\"act\",\"match\":\"m1\",\"ply\":3,\"action\":\"e4\",\"nonce\":#1}
        tell m1 #1 sent
        > server refused m1 #1 not_seated
        > server snapshot m1 3
        tell snapshot m1 3
        > wake
        send {\"type\":\"join\",\"match\":\"m1\",\"since\":3}
        send {\"type\":\"act\",\"match\":\"m1\",\"ply\":3,\"action\":\"e4\",\"nonce\":#1}
        > server snapshot m1 3
        tell snapshot m1 3
        > server refused m1 #1 not_seated
        tell m1 #1 refused not_seated
        ",
    );
}

#[test]
fn after_leaving_a_match_its_actions_are_forgotten() {
    check_online(
        "> act m1 3 e4
        send {\"type\":\"act\",\"match\":\"m1\",\"ply\":3,\"action\":\"e4\",\"nonce\":#1}
        tell m1 #1 sent
        > unfollow m1
        send {\"type\":\"leave\",\"match\":\"m1\"}
        > server ack m1 #1 4
        > follow m1
        send {\"type\":\"join\",\"match\":\"m1\"}
        > @100 closed 1006
        tell reconnecting since 100
        > wake
        open 2
        > server welcome
        tell welcome
        send {\"type\":\"join\",\"match\":\"m1\"}
        tell online
        ",
    );
}
