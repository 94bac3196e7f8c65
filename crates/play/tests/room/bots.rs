//! Seats that bots play.

use crate::script::check;

#[test]
fn a_bot_is_asked_once_for_each_decision_and_acts_as_anybody() {
    check(
        "chess: a *; fischer 60+1
        - a join
        > @2s a acts e2e4
        store 0 act e2e4 by 0
        a <- ack 1 at 1
        viewers <- event 1 e4 | 59s *60s
        wake at 62s
        ask bot random for 1 at 1, 60s left
        > @3s tick
        wake at 62s
        > bot 1 chooses e7e5
        store 1 act e7e5 by 1
        viewers <- event 2 e5 | *59s 60s
        > @4s bot 1 chooses e7e5 ply 1
        > bot 0 chooses d2d4
        > bot 1 chooses d7d5
        ",
    );
}

#[test]
fn a_bot_that_begins_is_asked_when_the_room_is_first_looked_at() {
    check(
        "chess: * a
        > tick
        ask bot random for 0 at 0
        > a joins
        admit a as 1
        note that seat 1 came
        a <- snapshot 0 for 1
        all <- here are 0 1 and 0 who watch
        > bot 0 chooses e2e4
        store 0 act e2e4 by 0
        viewers <- event 1 e4
        ",
    );
}

#[test]
fn bots_play_each_other_and_anybody_may_watch() {
    check(
        "chess: * *
        - x join
        > bot 0 chooses e2e4
        store 0 act e2e4 by 0
        viewers <- event 1 e4
        ask bot random for 1 at 1
        > bot 1 chooses e7e5
        store 1 act e7e5 by 1
        viewers <- event 2 e5
        ask bot random for 0 at 2
        > x offers draw
        x <- refused not_seated at 2
        ",
    );
}

#[test]
fn a_turn_of_several_actions_is_asked_for_one_by_one() {
    check(
        "template: a * *
        - a join
        > a acts play:3a+b
        store 0 act play:3a+b by 0
        a <- ack 1 at 1
        viewer 0 <- event 1 3a+b | window 30s
        viewer 1 <- event 1 3a | window 30s
        viewer 2 <- event 1 3a | window 30s
        wake at 30s
        ask bot random for 1 at 1, 30s left
        ask bot random for 2 at 1, 30s left
        > bot 2 chooses accept ply 1
        store 1 act accept by 2
        viewer 0 <- event 2 accept | window 30s
        viewer 1 <- event 2 accept | window 30s
        viewer 2 <- event 2 accept | window 30s
        > bot 1 chooses accept ply 1
        store 2 act accept by 1
        viewer 0 <- event 3 accept, stands for 0, drew 5
        viewer 1 <- event 3 accept, stands for 0
        viewer 2 <- event 3 accept, stands for 0
        ask bot random for 1 at 3
        ",
    );
}

#[test]
fn a_room_from_its_log_asks_again() {
    check(
        "chess: a *
        - a join
        - a acts e2e4
        > @9s restart
        > tick
        ask bot random for 1 at 1
        > bot 1 chooses e7e5
        store 1 act e7e5 by 1
        viewers <- event 2 e5
        ",
    );
}

#[test]
fn a_bot_that_fails_or_breaks_the_rules_does_something_that_is_allowed() {
    check(
        "chess: * a
        - a join
        > bot 0 fails
        store 0 act b1a3 by 0
        viewers <- event 1 Na3
        ",
    );
    check(
        "chess: * a
        - a join
        > bot 0 chooses e2e5
        store 0 act b1a3 by 0
        viewers <- event 1 Na3
        ",
    );
}

#[test]
fn a_bots_time_runs_out_like_anybodys() {
    check(
        "chess: a *; fischer 60+1
        - a join
        - a acts e2e4
        > @60s bot 1 chooses e7e5
        store 1 forfeit time by 1, the end: time 1-2
        viewer 0 <- snapshot 2 for 0, time 1-2 | 61s 0ns
        all <- over, time 1-2
        ",
    );
}

#[test]
fn a_takeback_goes_back_to_the_own_last_turn_without_asking() {
    check(
        "chess: a *
        - a join
        - a acts e2e4
        - bot 1 chooses e7e5
        > a offers takeback
        store 2 takeback 0 by 0
        all <- takeback by 0 accepted
        reload
        viewer 0 <- snapshot 3 for 0
        - a acts d2d4
        > a offers takeback
        store 4 takeback 3 by 0
        all <- takeback by 0 accepted
        reload
        viewer 0 <- snapshot 5 for 0
        > bot 1 chooses d7d5 ply 4
        ",
    );
}

#[test]
fn a_pause_is_granted_and_the_bot_asked_again_after_it() {
    check(
        "chess: a *; fischer 60+1
        - a join
        - a acts e2e4
        > a offers pause
        store 1 pause
        viewer 0 <- snapshot 2 for 0, paused | 61s 60s
        all <- pause by 0 accepted
        > bot 1 chooses e7e5 ply 1
        > @9s a declines pause
        store 2 resume by 0
        viewer 0 <- snapshot 3 for 0 | 61s *60s
        wake at 69s
        ask bot random for 1 at 3, 60s left
        ",
    );
}

#[test]
fn a_rematch_is_granted() {
    check(
        "chess: a *
        - a join
        - a resigns
        > a offers rematch
        make a rematch
        all <- rematch by 0 accepted
        ",
    );
}

#[test]
fn a_bot_takes_a_draw_if_the_match_is_worth_no_more_to_it() {
    check(
        "chess: a *
        - a join
        - a acts e2e4
        - bot 1 chooses e7e5 worth 0
        > a offers draw
        store 2 agree draw, the end: agreed 1-1
        viewer 0 <- snapshot 3 for 0, agreed 1-1
        all <- over, agreed 1-1
        all <- draw by 0 accepted
        ",
    );
    check(
        "chess: a *
        - a join
        - a acts e2e4
        - bot 1 chooses e7e5 worth 1
        > a offers draw
        all <- draw by 0 declined
        > a offers draw
        a <- refused offer_declined at 2
        ",
    );
}

#[test]
fn a_bot_that_has_yet_to_decide_answers_a_draw_with_its_decision() {
    check(
        "chess: a *
        - a join
        > a offers draw
        all <- draw by 0 open
        - a acts e2e4
        > bot 1 chooses e7e5 worth -5
        store 1 agree draw, the end: agreed 1-1
        viewer 0 <- snapshot 2 for 0, agreed 1-1
        all <- over, agreed 1-1
        all <- draw by 0 accepted
        ",
    );
    check(
        "chess: a *
        - a join
        - a acts e2e4
        - a offers draw
        > bot 1 chooses e7e5 worth 5
        store 1 act e7e5 by 1
        viewers <- event 2 e5
        all <- draw by 0 declined
        ",
    );
}

#[test]
fn whose_account_is_deleted_leaves_a_bot_nothing_to_win() {
    check(
        "chess: a *
        > a departs
        store 0 abort, the end: aborted
        all <- over, aborted
        ",
    );
}
