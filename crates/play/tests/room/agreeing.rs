//! Offers: made, answered, withdrawn, lapsed, and what follows when all agree.

use crate::script::check;

#[test]
fn a_draw_needs_the_consent_of_the_other() {
    check(
        "chess: a b
        - a b x join
        > a offers draw
        all <- draw by 0 open
        > x joins
        admit x as spectator
        x <- snapshot 0 for spectator, draw offered by 0
        > a offers draw
        all <- draw by 0 open
        > a accepts draw
        a <- refused no_offer at 0
        > b accepts draw
        store 0 agree draw, the end: agreed 1-1
        viewer 0 <- snapshot 1 for 0, agreed 1-1
        viewer 1 <- snapshot 1 for 1, agreed 1-1
        viewer spectator <- snapshot 1 for spectator, agreed 1-1
        all <- over, agreed 1-1
        all <- draw by 0 accepted
        ",
    );
}

#[test]
fn an_offer_needs_the_consent_of_all_others() {
    check(
        "template: a b c d
        - a b c d join
        > b offers draw
        all <- draw by 1 open
        > a accepts draw
        all <- draw by 1 open
        > a accepts draw
        all <- draw by 1 open
        > d accepts draw
        all <- draw by 1 open
        > c accepts draw
        store 0 agree draw, the end: agreed 1-1-1-1
        viewer 0 <- snapshot 1 for 0, agreed 1-1-1-1
        viewer 1 <- snapshot 1 for 1, agreed 1-1-1-1
        viewer 2 <- snapshot 1 for 2, agreed 1-1-1-1
        viewer 3 <- snapshot 1 for 3, agreed 1-1-1-1
        all <- over, agreed 1-1-1-1
        all <- draw by 1 accepted
        ",
    );
}

#[test]
fn the_same_offer_by_another_is_a_yes() {
    check(
        "chess: a b
        - a b join
        - b offers draw
        > a offers draw
        store 0 agree draw, the end: agreed 1-1
        viewer 0 <- snapshot 1 for 0, agreed 1-1
        viewer 1 <- snapshot 1 for 1, agreed 1-1
        all <- over, agreed 1-1
        all <- draw by 1 accepted
        ",
    );
}

#[test]
fn what_was_declined_is_not_asked_again_before_the_next_action() {
    check(
        "chess: a b
        - a b join
        - a offers draw
        > b declines draw
        all <- draw by 0 declined
        > a offers draw
        a <- refused offer_declined at 0
        > b accepts draw
        b <- refused no_offer at 0
        > b offers draw
        all <- draw by 1 open
        - a declines draw
        - a acts e2e4
        > a offers draw
        all <- draw by 0 open
        ",
    );
}

#[test]
fn an_own_offer_can_be_withdrawn() {
    check(
        "chess: a b
        - a b join
        - a offers abort
        > a declines abort
        all <- abort by 0 withdrawn
        > b accepts abort
        b <- refused no_offer at 0
        > a declines abort
        a <- refused no_offer at 0
        > a offers abort
        all <- abort by 0 open
        ",
    );
}

#[test]
fn an_offer_lapses_when_who_was_asked_acts_instead() {
    check(
        "chess: a b
        - a b join
        - a offers draw
        > a acts e2e4
        store 0 act e2e4 by 0
        a <- ack 1 at 1
        viewers <- event 1 e4
        > b acts e7e5
        store 1 act e7e5 by 1
        b <- ack 2 at 2
        viewers <- event 2 e5
        all <- draw by 0 withdrawn
        > b accepts draw
        b <- refused no_offer at 2
        ",
    );
}

#[test]
fn there_is_no_draw_where_the_game_knows_none() {
    check(
        "santorini: a b
        - a b join
        > a offers draw
        a <- refused no_draw at 0
        ",
    );
    check(
        "crazy-tens: a b
        - a b join
        > a offers draw
        a <- refused no_draw at 0
        ",
    );
}

#[test]
fn nobody_asks_a_bot() {
    check(
        "chess: a *
        - a join
        > a offers abort
        store 0 abort, the end: aborted
        viewer 0 <- snapshot 1 for 0, aborted
        all <- over, aborted
        all <- abort by 0 accepted
        ",
    );
}

#[test]
fn an_abort_leaves_no_places() {
    check(
        "chess: a b
        - a b join
        - a offers abort
        > b accepts abort
        store 0 abort, the end: aborted
        viewer 0 <- snapshot 1 for 0, aborted
        viewer 1 <- snapshot 1 for 1, aborted
        all <- over, aborted
        all <- abort by 0 accepted
        ",
    );
}

#[test]
fn all_offers_end_with_the_match() {
    check(
        "chess: a b
        - a b join
        - a acts e2e4
        - a offers takeback
        - a offers draw
        > a resigns
        store 1 forfeit resigned by 0, the end: resigned 2-1
        all <- takeback by 0 withdrawn
        all <- draw by 0 withdrawn
        viewer 0 <- snapshot 2 for 0, resigned 2-1
        viewer 1 <- snapshot 2 for 1, resigned 2-1
        all <- over, resigned 2-1
        > b accepts takeback
        b <- refused no_offer at 2
        > b joins
        admit b as 1
        b <- snapshot 2 for 1, resigned 2-1
        ",
    );
    check(
        "chess: a b
        - a b join
        - a acts f2f3
        - b acts e7e5
        - a acts g2g4
        - b offers takeback
        - b offers abort
        > b acts d8h4
        store 3 act d8h4 by 1, the end: checkmate 2-1
        b <- ack 4 at 4
        viewers <- event 4 Qh4#
        all <- takeback by 1 withdrawn
        all <- abort by 1 withdrawn
        all <- over, checkmate 2-1
        > a accepts takeback
        a <- refused no_offer at 4
        ",
    );
}

#[test]
fn all_offers_end_when_somebody_gives_up() {
    check(
        "template: a b c
        - a b c join
        - a offers draw
        > b resigns
        store 0 forfeit resigned by 1
        all <- draw by 0 withdrawn
        viewer 0 <- snapshot 1 for 0
        viewer 1 <- snapshot 1 for 1
        viewer 2 <- snapshot 1 for 2
        > c accepts draw
        c <- refused no_offer at 1
        > a offers draw
        all <- draw by 0 open
        > b declines draw
        b <- refused already_out at 1
        > b offers abort
        b <- refused already_out at 1
        > b claims
        b <- refused already_out at 1
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

#[test]
fn a_takeback_goes_before_the_own_last_turn() {
    check(
        "santorini: a b; fischer 60+5
        - a b x join
        > a offers takeback
        a <- refused nothing_to_take_back at 0
        - @1s a acts place:b2,d4
        - @2s b acts place:d2,b4
        - @3s a acts b2-c3
        - @4s a acts +c4
        - @5s b acts b4-a4
        - @6s a offers takeback
        > @10s b accepts takeback
        store 5 takeback 2 by 0
        all <- takeback by 0 accepted
        reload
        viewer 0 <- snapshot 6 for 0 | *62s 58s
        viewer 1 <- snapshot 6 for 1 | *62s 58s
        viewer spectator <- snapshot 6 for spectator | *62s 58s
        wake at 72s
        > a acts b2-c2 ply 5
        a <- refused stale_ply at 6
        > a acts b2-c2
        store 6 act b2-c2 by 0
        a <- ack 7 at 7
        viewers <- event 7 b2-c2 | *62s 58s
        ",
    );
}

#[test]
fn half_a_turn_is_taken_back_too() {
    check(
        "santorini: a b
        - a b join
        - a acts place:b2,d4
        - b acts place:d2,b4
        - a acts b2-c3
        - a offers takeback
        > b accepts takeback
        store 3 takeback 2 by 0
        all <- takeback by 0 accepted
        reload
        viewer 0 <- snapshot 4 for 0
        viewer 1 <- snapshot 4 for 1
        - b offers takeback
        > a accepts takeback
        store 4 takeback 1 by 1
        all <- takeback by 1 accepted
        reload
        viewer 0 <- snapshot 5 for 0
        viewer 1 <- snapshot 5 for 1
        ",
    );
}

#[test]
fn a_takeback_of_one_turn_is_none_of_the_next() {
    check(
        "chess: a b
        - a b join
        - a acts e2e4
        - b acts e7e5
        - a offers takeback
        > a acts d2d4
        store 2 act d2d4 by 0
        a <- ack 3 at 3
        viewers <- event 3 d4
        all <- takeback by 0 withdrawn
        > b accepts takeback
        b <- refused no_offer at 3
        ",
    );
}

#[test]
fn nothing_that_was_revealed_is_taken_back() {
    check(
        "template: a b
        - a b join
        - a acts play:3a
        > b offers takeback
        b <- refused nothing_to_take_back at 1
        - a offers takeback
        > b accepts takeback
        store 1 takeback 0 by 0
        all <- takeback by 0 accepted
        reload
        viewer 0 <- snapshot 2 for 0
        viewer 1 <- snapshot 2 for 1
        - a acts play:3a
        - b acts accept
        > a offers takeback
        a <- refused already_revealed at 4
        > b offers takeback
        b <- refused already_revealed at 4
        ",
    );
    check(
        "template: a b c
        - a b c join
        - a acts play:3a
        - b acts object
        - b offers takeback
        - a accepts takeback
        - c acts object
        > b acts swap:5
        store 3 act swap:5 by 1
        b <- ack 4 at 4
        viewer 0 <- event 4 swap
        viewer 1 <- event 4 swap 5 for 5
        viewer 2 <- event 4 swap
        > b offers takeback
        b <- refused already_revealed at 4
        > a offers takeback
        a <- refused already_revealed at 4
        ",
    );
}

#[test]
fn a_takeback_that_all_want_may_have_become_impossible() {
    check(
        "template: a b c
        - a b c join
        - a acts play:3a
        - b acts accept
        - b offers takeback
        - c accepts takeback
        - c acts accept
        > a accepts takeback
        all <- takeback by 1 withdrawn
        a <- refused already_revealed at 3
        ",
    );
}

#[test]
fn who_plays_alone_takes_back_the_last_turn_at_once() {
    check(
        "chess: a a
        - a join
        - a acts e2e4
        > a offers takeback
        store 1 takeback 0 by 1
        all <- takeback by 1 accepted
        reload
        a <- snapshot 2 for 0
        > a offers takeback
        a <- refused nothing_to_take_back at 2
        ",
    );
}

#[test]
fn a_takeback_earns_no_time() {
    check(
        "chess: a b; fischer 60+5
        - a b join
        > @10s a acts e2e4
        store 0 act e2e4 by 0
        a <- ack 1 at 1
        viewers <- event 1 e4 | 55s *60s
        wake at 70s
        - @30s a offers takeback
        > @40s b accepts takeback
        store 1 takeback 0 by 0
        all <- takeback by 0 accepted
        reload
        viewer 0 <- snapshot 2 for 0 | *50s 30s
        viewer 1 <- snapshot 2 for 1 | *50s 30s
        wake at 90s
        > @45s a acts d2d4
        store 2 act d2d4 by 0
        a <- ack 2 at 3
        viewers <- event 3 d4 | 50s *30s
        wake at 75s
        ",
    );
}

#[test]
fn in_a_pause_time_stands_and_nobody_acts() {
    check(
        "chess: a b; fischer 60+5
        - a b join
        - @10s a offers pause
        > @20s b accepts pause
        store 0 pause
        viewer 0 <- snapshot 1 for 0, paused | 40s 60s
        viewer 1 <- snapshot 1 for 1, paused | 40s 60s
        all <- pause by 0 accepted
        > @500s tick
        > a acts e2e4
        a <- refused paused at 1
        > a offers pause
        a <- refused paused at 1
        > b accepts pause
        b <- refused no_offer at 1
        > @600s b declines pause
        store 1 resume by 1
        viewer 0 <- snapshot 2 for 0 | *40s 60s
        viewer 1 <- snapshot 2 for 1 | *40s 60s
        wake at 640s
        > @610s a acts e2e4
        store 2 act e2e4 by 0
        a <- ack 2 at 3
        viewers <- event 3 e4 | 35s *60s
        wake at 670s
        ",
    );
}

#[test]
fn a_window_stands_in_a_pause() {
    check(
        "template: a b; move 60
        - a b join
        - a acts play:3a
        - @10s a offers pause
        > @20s b accepts pause
        store 1 pause
        viewer 0 <- snapshot 2 for 0, paused | 60s 60s window 10s
        viewer 1 <- snapshot 2 for 1, paused | 60s 60s window 10s
        all <- pause by 0 accepted
        > @100s a declines pause
        store 2 resume by 0
        viewer 0 <- snapshot 3 for 0 | 60s 60s window 10s
        viewer 1 <- snapshot 3 for 1 | 60s 60s window 10s
        wake at 110s
        > @110s tick
        store 3 act accept by 1
        viewer 0 <- event 4 accept, stands for 0, drew 5 | 60s *60s
        viewer 1 <- event 4 accept, stands for 0 | 60s *60s
        wake at 170s
        ",
    );
}

#[test]
fn nobody_pauses_what_has_no_clock() {
    check(
        "chess: a b
        - a b join
        > a offers pause
        a <- refused no_clock at 0
        ",
    );
}

#[test]
fn a_match_can_end_during_a_pause() {
    check(
        "chess: a b; fischer 60+5
        - a b join
        - a offers pause
        - @20s b accepts pause
        > @30s b resigns
        store 1 forfeit resigned by 1, the end: resigned 1-2
        viewer 0 <- snapshot 2 for 0, resigned 1-2 | 40s 60s
        viewer 1 <- snapshot 2 for 1, resigned 1-2 | 40s 60s
        all <- over, resigned 1-2
        ",
    );
}

#[test]
fn a_rematch_is_agreed_on_by_all_once_the_match_is_over() {
    check(
        "chess: a b; fischer 60+5
        - a b x join
        > a offers rematch
        a <- refused not_over at 0
        - a resigns
        > b offers rematch
        all <- rematch by 1 open
        > a declines rematch
        all <- rematch by 1 declined
        > a offers rematch
        all <- rematch by 0 open
        > b accepts rematch
        make a rematch
        all <- rematch by 0 accepted
        > rematch failed
        all <- rematch by 0 withdrawn
        > a offers rematch
        all <- rematch by 0 open
        > b accepts rematch
        make a rematch
        all <- rematch by 0 accepted
        > rematch made
        all <- rematch
        > a offers rematch
        all <- rematch by 0 accepted
        all <- rematch
        ",
    );
}

#[test]
fn the_rematch_of_a_private_match_is_told_to_its_players_alone() {
    check(
        "chess: a b; is private
        - a b x join
        - a resigns
        - a offers rematch
        - b offers rematch
        > rematch made
        seats <- rematch
        > a offers rematch
        all <- rematch by 0 accepted
        seats <- rematch
        ",
    );
}

#[test]
fn nobody_plays_again_with_who_is_gone() {
    check(
        "chess: a -
        - a join
        - a resigns
        > a offers rematch
        all <- rematch by 0 open
        ",
    );
}
