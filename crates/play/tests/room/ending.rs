//! How seats drop out: they give up, are gone, or their time is up.

use crate::script::check;

#[test]
fn of_two_seats_one_resigns_and_the_other_has_won() {
    check(
        "chess: a b; fischer 60+5
        - a b x join
        > @5s b resigns
        store 0 forfeit resigned by 1, the end: resigned 1-2
        viewer 0 <- snapshot 1 for 0, resigned 1-2 | 55s 60s
        viewer 1 <- snapshot 1 for 1, resigned 1-2 | 55s 60s
        viewer spectator <- snapshot 1 for spectator, resigned 1-2 | 55s 60s
        all <- over, resigned 1-2
        > tick
        ",
    );
}

#[test]
fn of_more_seats_the_others_play_on() {
    check(
        "template: a b c
        - a b c join
        > b resigns
        store 0 forfeit resigned by 1
        viewer 0 <- snapshot 1 for 0
        viewer 1 <- snapshot 1 for 1
        viewer 2 <- snapshot 1 for 2
        > b resigns
        b <- refused already_out at 1
        > a acts play:3a
        store 1 act play:3a by 0
        a <- ack 1 at 2
        viewer 0 <- event 2 3a | window 30s
        viewer 1 <- event 2 3a | window 30s
        viewer 2 <- event 2 3a | window 30s
        wake at 30s
        > c acts accept
        store 2 act accept by 2
        c <- ack 2 at 3
        viewer 0 <- event 3 accept, stands for 0, drew 5
        viewer 1 <- event 3 accept, stands for 0
        viewer 2 <- event 3 accept, stands for 0
        > c resigns
        store 3 forfeit resigned by 2, the end: resigned 1-3-2
        viewer 0 <- snapshot 4 for 0, resigned 1-3-2
        viewer 1 <- snapshot 4 for 1, resigned 1-3-2
        viewer 2 <- snapshot 4 for 2, resigned 1-3-2
        all <- over, resigned 1-3-2
        ",
    );
}

#[test]
fn a_seat_that_is_gone_for_too_long_may_be_claimed() {
    check(
        "chess: a b
        - a b join
        > b claims
        b <- refused nobody_gone at 0
        - @100s a leaves
        > @399.999s b claims
        b <- refused nobody_gone at 0
        > @400s b claims
        store 0 forfeit abandoned by 0, the end: abandoned 2-1
        viewer 1 <- snapshot 1 for 1, abandoned 2-1
        all <- over, abandoned 2-1
        ",
    );
}

#[test]
fn a_seat_that_never_came_may_be_claimed() {
    check(
        "template: a b c
        - a c join
        > @299s a claims
        a <- refused nobody_gone at 0
        > @300s a claims
        store 0 forfeit abandoned by 1
        viewer 0 <- snapshot 1 for 0
        viewer 2 <- snapshot 1 for 2
        > a claims
        a <- refused nobody_gone at 1
        ",
    );
}

#[test]
fn the_grace_depends_on_the_clock() {
    check(
        "chess: a b; fischer 300+0
        - b join
        > @74s b claims
        b <- refused nobody_gone at 0
        > @75s b claims
        store 0 forfeit abandoned by 0, the end: abandoned 2-1
        viewer 1 <- snapshot 1 for 1, abandoned 2-1 | 225s 300s
        all <- over, abandoned 2-1
        ",
    );
    check(
        "chess: a b; fischer 60+600
        - b join
        > @29s b claims
        b <- refused nobody_gone at 0
        > @30s b claims
        store 0 forfeit abandoned by 0, the end: abandoned 2-1
        viewer 1 <- snapshot 1 for 1, abandoned 2-1 | 30s 60s
        all <- over, abandoned 2-1
        ",
    );
    check(
        "chess: a b; delay 10800+5
        - b join
        > @119s b claims
        b <- refused nobody_gone at 0
        > @120s b claims
        store 0 forfeit abandoned by 0, the end: abandoned 2-1
        viewer 1 <- snapshot 1 for 1, abandoned 2-1 | 10685s 10800s
        all <- over, abandoned 2-1
        ",
    );
    check(
        "chess: a b; move 120
        - b join
        > @59s b claims
        b <- refused nobody_gone at 0
        > @60s b claims
        store 0 forfeit abandoned by 0, the end: abandoned 2-1
        viewer 1 <- snapshot 1 for 1, abandoned 2-1 | 60s 120s
        all <- over, abandoned 2-1
        ",
    );
    check(
        "chess: a b; days 3
        - b join
        > @259199s b claims
        b <- refused nobody_gone at 0
        ",
    );
}

#[test]
fn nobody_claims_a_bot_or_in_a_pause() {
    check(
        "chess: a *
        - a join
        > @9000s a claims
        a <- refused nobody_gone at 0
        ",
    );
    check(
        "chess: a b; fischer 600+0
        - a b join
        - a offers pause
        - b accepts pause
        - a leaves
        > @900s b claims
        b <- refused paused at 1
        - b declines pause
        > @901s b claims
        b <- refused nobody_gone at 2
        > @1020s b claims
        store 2 forfeit abandoned by 0, the end: abandoned 2-1
        viewer 1 <- snapshot 3 for 1, abandoned 2-1 | 480s 600s
        all <- over, abandoned 2-1
        ",
    );
}

#[test]
fn a_deleted_account_gives_up_its_seat() {
    check(
        "chess: a b
        - a b join
        > a departs
        store 0 forfeit resigned by 0, the end: resigned 2-1
        viewer 0 <- snapshot 1 for 0, resigned 2-1
        viewer 1 <- snapshot 1 for 1, resigned 2-1
        all <- over, resigned 2-1
        > b departs
        ",
    );
    check(
        "template: a b c
        - a b c join
        > a departs
        store 0 forfeit resigned by 0
        viewer 0 <- snapshot 1 for 0
        viewer 1 <- snapshot 1 for 1
        viewer 2 <- snapshot 1 for 2
        > a departs
        > x departs
        ",
    );
}

#[test]
fn whoever_plays_alone_leaves_no_result() {
    check(
        "chess: a a
        - a join
        > a departs
        store 0 abort, the end: aborted
        a <- snapshot 1 for 0, aborted
        all <- over, aborted
        ",
    );
}

#[test]
fn a_departure_is_not_lost_although_a_time_is_up() {
    check(
        "template: a b c; fischer 60+5
        - a b c join
        > @60s b departs
        store 0 forfeit resigned by 1
        viewer 0 <- snapshot 1 for 0 | *0ns 60s 60s
        viewer 1 <- snapshot 1 for 1 | *0ns 60s 60s
        viewer 2 <- snapshot 1 for 2 | *0ns 60s 60s
        > tick
        store 1 forfeit time by 0, the end: time 2-3-1
        viewer 0 <- snapshot 2 for 0, time 2-3-1 | 0ns 60s 60s
        viewer 1 <- snapshot 2 for 1, time 2-3-1 | 0ns 60s 60s
        viewer 2 <- snapshot 2 for 2, time 2-3-1 | 0ns 60s 60s
        all <- over, time 2-3-1
        ",
    );
}

#[test]
fn whose_time_is_up_has_lost() {
    check(
        "chess: a b; fischer 60+5
        - a b x join
        - @10s a acts e2e4
        > @69.999s tick
        wake at 70s
        > @70s tick
        store 1 forfeit time by 1, the end: time 1-2
        viewer 0 <- snapshot 2 for 0, time 1-2 | 55s 0ns
        viewer 1 <- snapshot 2 for 1, time 1-2 | 55s 0ns
        viewer spectator <- snapshot 2 for spectator, time 1-2 | 55s 0ns
        all <- over, time 1-2
        ",
    );
}

#[test]
fn what_comes_too_late_is_refused_and_the_time_out_is_stored() {
    check(
        "chess: a b; fischer 60+5
        - a b join
        > @60s a acts e2e4
        store 0 forfeit time by 0, the end: time 2-1
        viewer 0 <- snapshot 1 for 0, time 2-1 | 0ns 60s
        viewer 1 <- snapshot 1 for 1, time 2-1 | 0ns 60s
        all <- over, time 2-1
        a <- refused time_is_up at 1
        ",
    );
    for late in ["resigns", "claims", "offers draw", "accepts draw"] {
        check(&format!(
            "chess: a b; move 60
            - a b join
            > @61s a {late}
            store 0 forfeit time by 0, the end: time 2-1
            viewer 0 <- snapshot 1 for 0, time 2-1 | 0ns 60s
            viewer 1 <- snapshot 1 for 1, time 2-1 | 0ns 60s
            all <- over, time 2-1
            a <- refused time_is_up at 1
            "
        ));
    }
    check(
        "chess: a b; move 60
        - b join
        > @61s a joins
        store 0 forfeit time by 0, the end: time 2-1
        viewer 1 <- snapshot 1 for 1, time 2-1 | 0ns 60s
        all <- over, time 2-1
        admit a as 0
        note that seat 0 came
        a <- snapshot 1 for 0, time 2-1 | 0ns 60s
        all <- here are 0 1 and 0 who watch
        > b says too late
        all <- 1 says too late
        ",
    );
}

#[test]
fn of_more_seats_one_is_late_and_the_others_play_on() {
    check(
        "template: a b c; move 60
        - a b c join
        > @60s tick
        store 0 forfeit time by 0
        viewer 0 <- snapshot 1 for 0 | 60s *60s 60s
        viewer 1 <- snapshot 1 for 1 | 60s *60s 60s
        viewer 2 <- snapshot 1 for 2 | 60s *60s 60s
        wake at 120s
        > @120s b acts swap:5
        store 1 forfeit time by 1, the end: time 3-2-1
        viewer 0 <- snapshot 2 for 0, time 3-2-1 | 60s 0ns 60s
        viewer 1 <- snapshot 2 for 1, time 3-2-1 | 60s 0ns 60s
        viewer 2 <- snapshot 2 for 2, time 3-2-1 | 60s 0ns 60s
        all <- over, time 3-2-1
        b <- refused time_is_up at 2
        > c acts swap:2
        c <- refused game_over at 2
        ",
    );
}

#[test]
fn who_lets_a_window_pass_is_acted_for_one_after_the_other() {
    check(
        "template: a b c; fischer 60+5
        - a b c join
        > @5s a acts play:3a
        store 0 act play:3a by 0
        a <- ack 1 at 1
        viewer 0 <- event 1 3a | 60s 60s 60s window 30s
        viewer 1 <- event 1 3a | 60s 60s 60s window 30s
        viewer 2 <- event 1 3a | 60s 60s 60s window 30s
        wake at 35s
        > @20s tick
        wake at 35s
        > @35s tick
        store 1 act accept by 1
        viewer 0 <- event 2 accept | 60s 60s 60s window 0ns
        viewer 1 <- event 2 accept | 60s 60s 60s window 0ns
        viewer 2 <- event 2 accept | 60s 60s 60s window 0ns
        wake at 35s
        > tick
        store 2 act accept by 2
        viewer 0 <- event 3 accept, stands for 0, drew 5 | 60s *60s 60s
        viewer 1 <- event 3 accept, stands for 0 | 60s *60s 60s
        viewer 2 <- event 3 accept, stands for 0 | 60s *60s 60s
        wake at 95s
        ",
    );
    check(
        "template: a b c
        - a b c join
        - @5s a acts play:3a
        > @40s b acts object
        store 1 act accept by 1
        viewer 0 <- event 2 accept | window 0ns
        viewer 1 <- event 2 accept | window 0ns
        viewer 2 <- event 2 accept | window 0ns
        b <- refused time_is_up at 2
        wake at 40s
        > tick
        store 2 act accept by 2
        viewer 0 <- event 3 accept, stands for 0, drew 5
        viewer 1 <- event 3 accept, stands for 0
        viewer 2 <- event 3 accept, stands for 0
        ",
    );
}

#[test]
fn the_end_by_the_rules_is_told_after_the_last_event() {
    check(
        "chess: a b; fischer 60+5
        - a b join
        - a acts f2f3
        - b acts e7e5
        - a acts g2g4
        > b acts d8h4
        store 3 act d8h4 by 1, the end: checkmate 2-1
        b <- ack 4 at 4
        viewers <- event 4 Qh4# | 70s 70s
        all <- over, checkmate 2-1
        ",
    );
}

#[test]
fn time_that_goes_back_is_time_that_stands() {
    check(
        "chess: a b; fischer 60+5
        - a b join
        - @20s a asks
        > @5s a joins
        admit a as 0
        a <- snapshot 0 for 0 | *40s 60s
        ",
    );
}
