//! Coming, going and coming back.

use crate::script::check;

#[test]
fn a_seat_and_a_spectator_get_their_own_snapshots_and_the_others_hear_of_the_seat() {
    check(
        "chess: a b; fischer 60+5
        > a joins
        admit a as 0
        note that seat 0 came
        a <- snapshot 0 for 0 | *60s 60s
        all <- here are 0 and 0 who watch
        wake at 60s
        > x joins
        admit x as spectator
        note that a spectator came
        x <- snapshot 0 for spectator | *60s 60s
        > b joins
        admit b as 1
        note that seat 1 came
        b <- snapshot 0 for 1 | *60s 60s
        all <- here are 0 1 and 1 who watch
        > y joins
        admit y as spectator
        y <- snapshot 0 for spectator | *60s 60s
        ",
    );
}

#[test]
fn coming_again_is_no_error_and_news_to_nobody() {
    check(
        "chess: a b
        - a b x join
        > a joins
        admit a as 0
        a <- snapshot 0 for 0
        > x joins
        admit x as spectator
        x <- snapshot 0 for spectator
        > a2 joins
        admit a2 as 0
        a2 <- snapshot 0 for 0
        ",
    );
}

#[test]
fn a_seat_is_there_as_long_as_one_of_its_connections_is() {
    check(
        "chess: a b
        - a a2 b x join
        > a leaves
        dismiss a
        > a leaves
        > a2 leaves
        dismiss a2
        all <- here are 1 and 1 who watch
        > a joins
        admit a as 0
        a <- snapshot 0 for 0
        all <- here are 0 1 and 1 who watch
        > x leaves
        dismiss x
        ",
    );
}

#[test]
fn one_player_in_all_seats_looks_as_whoever_is_to_act() {
    check(
        "chess: a a
        > a joins
        admit a to several seats
        note that seat 0 came
        note that seat 1 came
        a <- snapshot 0 for 0
        all <- here are 0 1 and 0 who watch
        > a acts e2e4
        store 0 act e2e4 by 0
        a <- ack 1 at 1
        a <- event 1 e4
        viewers <- event 1 e4
        > a acts e7e5
        store 1 act e7e5 by 1
        a <- ack 2 at 2
        a <- event 2 e5
        viewers <- event 2 e5
        > a2 joins since 1
        admit a2 to several seats
        a2 <- snapshot 2 for 0, missed 2 e5
        > a acts a1a8
        a <- refused illegal_move at 2
        > a resigns
        store 2 forfeit resigned by 0, the end: resigned 2-1
        a <- snapshot 3 for 0, resigned 2-1
        a2 <- snapshot 3 for 0, resigned 2-1
        all <- over, resigned 2-1
        > a leaves
        dismiss a
        ",
    );
}

#[test]
fn one_player_in_all_seats_votes_for_each() {
    check(
        "template: a a a
        - a join
        > a acts play:3a+b
        store 0 act play:3a+b by 0
        a <- ack 1 at 1
        a <- event 1 3a | window 30s
        viewer 0 <- event 1 3a+b | window 30s
        viewer 1 <- event 1 3a | window 30s
        viewer 2 <- event 1 3a | window 30s
        wake at 30s
        > a acts object ply 1
        store 1 act object by 1
        a <- ack 2 at 2
        a <- event 2 object | window 30s
        viewer 0 <- event 2 object | window 30s
        viewer 1 <- event 2 object | window 30s
        viewer 2 <- event 2 object | window 30s
        > a acts accept ply 1
        store 2 act accept by 2
        a <- ack 3 at 3
        a <- event 3 accept, stands for 0
        viewer 0 <- event 3 accept, stands for 0, drew 5
        viewer 1 <- event 3 accept, stands for 0
        viewer 2 <- event 3 accept, stands for 0
        ",
    );
}

#[test]
fn a_bot_is_always_there() {
    check(
        "chess: a *
        > a joins
        admit a as 0
        note that seat 0 came
        a <- snapshot 0 for 0
        all <- here are 0 1 and 0 who watch
        > a leaves
        dismiss a
        all <- here are 1 and 0 who watch
        ",
    );
}

#[test]
fn who_returns_gets_what_it_missed_as_it_may_know_it() {
    check(
        "template: a b c
        - a b c x join
        - a acts play:3a+b
        - b acts accept
        > a joins since 0
        admit a as 0
        a <- snapshot 2 for 0, missed 1 3a+b, missed 2 accept | window 30s
        > b joins since 0
        admit b as 1
        b <- snapshot 2 for 1, missed 1 3a, missed 2 accept | window 30s
        > x joins since 1
        admit x as spectator
        x <- snapshot 2 for spectator, missed 2 accept | window 30s
        > c joins since 2
        admit c as 2
        c <- snapshot 2 for 2 | window 30s
        ",
    );
}

#[test]
fn who_names_what_never_was_gets_a_plain_snapshot() {
    check(
        "chess: a b
        - a b join
        - a acts e2e4
        > b joins since 2
        admit b as 1
        b <- snapshot 1 for 1
        > b joins since 4294967295
        admit b as 1
        b <- snapshot 1 for 1
        > b joins since 1
        admit b as 1
        b <- snapshot 1 for 1
        > b joins
        admit b as 1
        b <- snapshot 1 for 1
        ",
    );
}

#[test]
fn an_entry_that_is_no_action_is_no_event_so_who_missed_it_gets_a_plain_snapshot() {
    check(
        "chess: a b; fischer 60+5
        - a b join
        - a acts e2e4
        - a offers pause
        - b accepts pause
        > a joins since 0
        admit a as 0
        a <- snapshot 2 for 0, paused | 65s 60s
        - a declines pause
        > a joins since 0
        admit a as 0
        a <- snapshot 3 for 0 | 65s *60s
        - b acts e7e5
        > a joins since 1
        admit a as 0
        a <- snapshot 4 for 0 | *65s 65s
        > a joins since 3
        admit a as 0
        a <- snapshot 4 for 0, missed 4 e5 | *65s 65s
        - a offers takeback
        - b accepts takeback
        > a joins since 3
        admit a as 0
        a <- snapshot 5 for 0 | *60s 60s
        - a acts d2d4
        > a joins since 4
        admit a as 0
        a <- snapshot 6 for 0 | 65s *60s
        > a joins since 5
        admit a as 0
        a <- snapshot 6 for 0, missed 6 d4 | 65s *60s
        ",
    );
}

#[test]
fn who_was_away_for_long_gets_a_plain_snapshot() {
    let wave = |white: u8, black: u8| -> String {
        let step = |file| {
            let (to_white, to_black) = (white + 1, black - 1);
            format!(
                "- a acts {file}{white}{file}{to_white}\n- b acts {file}{black}{file}{to_black}\n"
            )
        };
        ('a'..='h').map(step).collect()
    };
    let (first, second) = (wave(2, 7), wave(3, 6));
    check(&format!(
        "chess: a b
        - a b join
        {first}
        {second}
        > a joins since 0
        admit a as 0
        a <- snapshot 32 for 0
        > a joins since 30
        admit a as 0
        a <- snapshot 32 for 0, missed 31 h4, missed 32 h5
        "
    ));
}
