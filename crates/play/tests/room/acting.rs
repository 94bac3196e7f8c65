//! Actions: stored, answered, told, refused, and never done twice.

use crate::script::check;

#[test]
fn an_action_is_stored_then_acknowledged_then_told() {
    check(
        "chess: a b; fischer 60+5
        - a b x join
        > @10s a acts e2e4
        store 0 act e2e4 by 0
        a <- ack 1 at 1
        viewers <- event 1 e4 | 55s *60s
        wake at 70s
        > @11s b acts e7e5
        store 1 act e7e5 by 1
        b <- ack 2 at 2
        viewers <- event 2 e5 | *55s 64s
        wake at 66s
        ",
    );
}

#[test]
fn everybody_is_told_what_it_may_know() {
    check(
        "template: a b c
        - a b c x join
        > a acts play:3a+b
        store 0 act play:3a+b by 0
        a <- ack 1 at 1
        viewer 0 <- event 1 3a+b | window 30s
        viewer 1 <- event 1 3a | window 30s
        viewer 2 <- event 1 3a | window 30s
        viewer spectator <- event 1 3a | window 30s
        wake at 30s
        > b acts accept
        store 1 act accept by 1
        b <- ack 2 at 2
        viewer 0 <- event 2 accept | window 30s
        viewer 1 <- event 2 accept | window 30s
        viewer 2 <- event 2 accept | window 30s
        viewer spectator <- event 2 accept | window 30s
        > c acts accept
        store 2 act accept by 2
        c <- ack 3 at 3
        viewer 0 <- event 3 accept, stands for 0, drew 5
        viewer 1 <- event 3 accept, stands for 0
        viewer 2 <- event 3 accept, stands for 0
        viewer spectator <- event 3 accept, stands for 0
        > b acts swap:5
        store 3 act swap:5 by 1
        b <- ack 4 at 4
        viewer 0 <- event 4 swap
        viewer 1 <- event 4 swap 5 for 1
        viewer 2 <- event 4 swap
        viewer spectator <- event 4 swap
        ",
    );
}

#[test]
fn the_rules_refuse_with_their_own_codes() {
    check(
        "chess: a b
        - a b join
        > a acts e2e5
        a <- refused illegal_move at 0
        > a acts nonsense
        a <- refused invalid_action at 0
        > b acts e7e5
        b <- refused not_your_turn at 0
        > a acts e2e4
        store 0 act e2e4 by 0
        a <- ack 4 at 1
        viewers <- event 1 e4
        ",
    );
}

#[test]
fn who_only_watches_can_do_nothing() {
    check(
        "chess: a b
        - a b x join
        > x acts e2e4
        x <- refused not_seated at 0
        > x asks
        x <- refused not_seated at 0
        > x resigns
        x <- refused not_seated at 0
        > x claims
        x <- refused not_seated at 0
        > x offers draw
        x <- refused not_seated at 0
        > x accepts draw
        x <- refused not_seated at 0
        > x says hello
        x <- refused not_seated at 0
        > y acts e2e4
        y <- refused not_seated at 0
        ",
    );
}

#[test]
fn a_seat_can_ask_what_it_may_do() {
    check(
        "chess: a b
        - a b join
        > a asks
        a <- 20 legal at 0, b1a3 ..
        > b asks
        b <- 0 legal at 0
        - a resigns
        > a asks
        a <- 0 legal at 1
        ",
    );
}

#[test]
fn an_action_about_an_earlier_state_is_stale() {
    check(
        "santorini: a b
        - a b join
        - a acts place:b2,d4
        > b acts place:d2,b4 ply 0
        b <- refused stale_ply at 1
        > b acts place:d2,b4 ply 1
        store 1 act place:d2,b4 by 1
        b <- ack 3 at 2
        viewers <- event 2 place:d2,b4
        - a acts b2-c3
        > a acts +c4 ply 2
        a <- refused stale_ply at 3
        > a acts +c4 ply 3
        store 3 act +c4 by 0
        a <- ack 6 at 4
        viewers <- event 4 +c4
        > b acts b4-c4 ply 5
        b <- refused unknown_ply at 4
        ",
    );
}

#[test]
fn all_who_are_asked_at_once_may_answer_what_they_saw() {
    check(
        "template: a b c d
        - a b c d join
        - a acts play:3a
        > c acts accept ply 1
        store 1 act accept by 2
        c <- ack 2 at 2
        viewer 0 <- event 2 accept | window 30s
        viewer 1 <- event 2 accept | window 30s
        viewer 2 <- event 2 accept | window 30s
        viewer 3 <- event 2 accept | window 30s
        > b acts object ply 1
        store 2 act object by 1
        b <- ack 3 at 3
        viewer 0 <- event 3 object | window 30s
        viewer 1 <- event 3 object | window 30s
        viewer 2 <- event 3 object | window 30s
        viewer 3 <- event 3 object | window 30s
        > c acts accept ply 1
        c <- refused not_your_turn at 3
        > d acts object ply 3
        store 3 act object by 3
        d <- ack 5 at 4
        viewer 0 <- event 4 object, falls
        viewer 1 <- event 4 object, falls
        viewer 2 <- event 4 object, falls
        viewer 3 <- event 4 object, falls
        ",
    );
}

#[test]
fn a_repeated_action_gets_the_same_answer_and_happens_once() {
    check(
        "chess: a b
        - a a2 b join
        > a acts e2e4 ply 0 nonce 7
        store 0 act e2e4 by 0
        a <- ack 7 at 1
        viewers <- event 1 e4
        > a acts e2e4 ply 0 nonce 7
        a <- ack 7 at 1
        - b acts e7e5 nonce 7
        > b acts e7e5 ply 1 nonce 7
        b <- ack 7 at 2
        > a2 acts e2e4 ply 0 nonce 7
        a2 <- ack 7 at 1
        - restart
        - a b join
        > a acts e2e4 ply 0 nonce 7
        a <- ack 7 at 1
        > b acts e7e5 ply 1 nonce 7
        b <- ack 7 at 2
        ",
    );
}

#[test]
fn one_player_in_all_seats_can_repeat_too() {
    check(
        "chess: a a
        - a join
        - a acts e2e4 ply 0 nonce 7
        > a acts e2e4 ply 0 nonce 7
        a <- ack 7 at 1
        - a acts e7e5 ply 1 nonce 8
        > a acts e2e4 ply 0 nonce 7
        a <- ack 7 at 1
        ",
    );
}

#[test]
fn who_gave_one_of_several_seats_up_speaks_for_the_others() {
    check(
        "template: b a a
        - a b join
        - a resigns
        > a resigns
        store 1 forfeit resigned by 2, the end: resigned 1-3-2
        viewer 0 <- snapshot 2 for 0, resigned 1-3-2
        a <- snapshot 2 for 1, resigned 1-3-2
        all <- over, resigned 1-3-2
        ",
    );
}

#[test]
fn a_repetition_is_answered_although_a_time_was_up_meanwhile() {
    check(
        "chess: a b; fischer 60+5
        - a b join
        - a acts e2e4 ply 0 nonce 7
        > @70s a acts e2e4 ply 0 nonce 7
        store 1 forfeit time by 1, the end: time 1-2
        viewer 0 <- snapshot 2 for 0, time 1-2 | 65s 0ns
        viewer 1 <- snapshot 2 for 1, time 1-2 | 65s 0ns
        all <- over, time 1-2
        a <- ack 7 at 1
        ",
    );
}

#[test]
fn a_repetition_too_old_to_be_remembered_is_stale() {
    let files =
        ('a'..='h').map(|file| format!("- a acts {file}2{file}3\n- b acts {file}7{file}6\n"));
    let sixteen: String = files.collect();
    check(&format!(
        "chess: a b
        - a b join
        {sixteen}
        > a acts a2a3 ply 0 nonce 1
        a <- ack 1 at 1
        - a acts a3a4
        - b acts a6a5
        > a acts a2a3 ply 0 nonce 1
        a <- refused stale_ply at 18
        > b acts a7a6 ply 1 nonce 2
        b <- refused not_your_turn at 18
        "
    ));
}

#[test]
fn a_nonce_of_zero_is_refused() {
    check(
        "chess: a b
        - a b join
        > a acts e2e4 nonce 0
        a <- refused bad_nonce at 0
        > a acts e2e4
        store 0 act e2e4 by 0
        a <- ack 2 at 1
        viewers <- event 1 e4
        ",
    );
}

#[test]
fn after_the_end_nothing_can_be_done() {
    check(
        "chess: a b
        - a b join
        - a resigns
        > a acts e2e4
        a <- refused game_over at 1
        > b resigns
        b <- refused game_over at 1
        > b claims
        b <- refused game_over at 1
        > b offers draw
        b <- refused game_over at 1
        > b offers takeback
        b <- refused game_over at 1
        > b offers abort
        b <- refused game_over at 1
        > b offers pause
        b <- refused game_over at 1
        > b accepts draw
        b <- refused no_offer at 1
        ",
    );
}
