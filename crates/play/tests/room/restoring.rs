//! The house was away: rooms from their logs.

use crate::script::check;

#[test]
fn the_time_that_the_house_was_away_is_charged_to_nobody() {
    check(
        "chess: a b; fischer 60+5
        - a b join
        - @10s a acts e2e4
        > @1000s restart
        store 1 resume
        wake at 1060s
        > b joins since 1
        admit b as 1
        note that seat 1 came
        b <- snapshot 2 for 1 | 55s *60s
        all <- here are 1 and 0 who watch
        > @1010s b acts e7e5
        store 2 act e7e5 by 1
        b <- ack 2 at 3
        viewers <- event 3 e5 | *55s 55s
        wake at 1065s
        ",
    );
}

#[test]
fn where_no_time_ran_nothing_is_stored() {
    check(
        "chess: a b
        - a b join
        - a acts e2e4
        > @1000s restart
        ",
    );
    check(
        "chess: a b; fischer 60+5
        - a b join
        - a offers pause
        - b accepts pause
        > @1000s restart
        > a joins
        admit a as 0
        note that seat 0 came
        a <- snapshot 1 for 0, paused | 60s 60s
        all <- here are 0 and 0 who watch
        > a acts e2e4
        a <- refused paused at 1
        > a declines pause
        store 1 resume by 0
        viewer 0 <- snapshot 2 for 0 | *60s 60s
        wake at 1060s
        ",
    );
    check(
        "chess: a b; fischer 60+5
        - a b join
        - a resigns
        > @1000s restart
        > b joins
        admit b as 1
        note that seat 1 came
        b <- snapshot 1 for 1, resigned 2-1 | 60s 60s
        all <- here are 1 and 0 who watch
        ",
    );
}

#[test]
fn a_window_goes_on() {
    check(
        "template: a b c
        - a b c join
        - @10s a acts play:3a
        - @20s b acts accept
        > @1000s restart
        store 2 resume
        wake at 1020s
        > @1029s tick
        store 3 act accept by 2
        viewer 0 <- event 4 accept, stands for 0, drew 5
        viewer 1 <- event 4 accept, stands for 0
        viewer 2 <- event 4 accept, stands for 0
        > @1030s tick
        ",
    );
}

#[test]
fn everybody_has_as_long_to_return_as_who_leaves_now() {
    check(
        "chess: a b
        - a b join
        - @1000s restart
        - b join
        > @1299s b claims
        b <- refused nobody_gone at 0
        > @1300s b claims
        store 0 forfeit abandoned by 0, the end: abandoned 2-1
        viewer 1 <- snapshot 1 for 1, abandoned 2-1
        all <- over, abandoned 2-1
        ",
    );
}

#[test]
fn who_gave_up_stays_out() {
    check(
        "template: a b c
        - a b c join
        - b resigns
        - restart
        - a b c join
        > b resigns
        b <- refused already_out at 1
        > a offers draw
        all <- draw by 0 open
        > c accepts draw
        store 1 agree draw, the end: agreed 1-3-1
        viewer 0 <- snapshot 2 for 0, agreed 1-3-1
        viewer 1 <- snapshot 2 for 1, agreed 1-3-1
        viewer 2 <- snapshot 2 for 2, agreed 1-3-1
        all <- over, agreed 1-3-1
        all <- draw by 0 accepted
        ",
    );
}
