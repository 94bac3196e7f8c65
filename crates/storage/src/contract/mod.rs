//! The suite that every backend passes. A case gets a fresh, empty store.
//!
//! A backend's test file is [`contract_tests!`](crate::contract_tests) with the path of an async
//! function that makes a store, and what must live as long as it.

#![expect(missing_docs, reason = "the cases are tests, and their names are sentences")]
#![expect(clippy::missing_panics_doc, clippy::unwrap_used, reason = "the cases are tests")]

mod audits;
mod house;
mod lobbies;
mod matches;
mod names;
mod players;
mod purges;
mod sample;
mod sessions;

pub use audits::*;
pub use house::*;
pub use lobbies::*;
pub use matches::*;
pub use names::*;
pub use players::*;
pub use purges::*;
pub use sessions::*;

/// Writes one test a case: `contract_tests!(#[ignore = "why"] make_store)`. `make_store` is an async
/// function that gives a pair: the store, in something that derefs to a [`Store`](crate::Store), and
/// a guard that is dropped after the test.
#[macro_export]
macro_rules! contract_tests {
    ($(#[$attribute:meta])* $make:path) => {
        $crate::contract_tests! {
            @each [$(#[$attribute])*] $make =>
            a_created_player_is_found_by_id_and_by_name_without_case
            a_name_is_taken_whatever_its_case
            a_player_id_and_a_device_are_taken_once
            of_many_who_want_one_name_exactly_one_gets_it
            a_profile_is_updated_and_a_taken_name_is_not
            a_name_that_looks_like_anothers_cannot_be_claimed
            of_many_who_claim_names_that_look_alike_one_gets_one
            a_rename_reserves_the_old_name_and_waits_for_the_next
            a_credential_is_stored_replaced_and_found_by_name
            a_guest_is_found_by_device_until_it_is_forgotten
            a_role_can_be_changed
            a_deleted_player_leaves_nothing_but_anonymous_seats
            a_player_is_deleted_only_with_the_name_in_lobbies_of_others
            changes_of_an_absent_player_are_refused
            a_unit_happens_whole_or_not_at_all
            a_unit_sees_its_own_earlier_changes
            a_session_is_rotated_only_from_its_generation
            of_many_rotations_of_one_generation_exactly_one_succeeds
            a_revoked_session_stays_revoked
            all_sessions_of_a_player_end_but_one
            open_sessions_are_listed_the_latest_first
            a_unit_that_holds_a_session_is_refused_after_its_end
            changed_sessions_are_what_a_cache_must_know
            expired_sessions_are_purged_in_steps
            a_match_is_kept_as_it_was_made
            a_match_needs_its_players
            entries_come_back_in_order_from_any_ply
            every_kind_of_entry_survives
            a_repeated_append_is_answered_and_not_done_again
            a_repeated_end_is_answered_and_not_booked_again
            an_entry_in_anothers_place_is_a_conflict
            an_entry_of_an_old_epoch_is_a_conflict
            an_append_to_an_absent_or_finished_match_is_refused
            one_units_conflict_does_not_touch_the_others
            a_lease_is_taken_only_from_the_epoch_that_was_seen
            running_matches_come_in_the_order_in_which_they_began
            matches_without_a_lease_are_found
            public_matches_are_listed_while_they_run_the_latest_first
            an_ended_match_has_its_result_and_its_books
            history_comes_by_page_the_latest_first
            others_see_the_public_part_of_a_history_by_whole_pages
            a_match_is_seen_by_its_people_and_by_its_link_unless_it_is_public
            results_of_who_is_gone_are_not_kept_and_no_error
            a_rating_is_stored_only_over_the_version_that_was_read
            a_lobby_is_changed_only_over_the_version_that_was_read
            public_lobbies_are_listed_the_latest_first
            lobbies_that_nobody_touched_are_found
            of_many_lobbies_at_once_as_many_open_as_are_allowed
            a_wish_to_be_paired_is_replaced_and_taken_once
            wishes_that_nobody_repeats_are_purged
            of_many_matches_at_once_as_many_begin_as_are_allowed
            idle_guests_are_found_and_nobody_else
            only_a_finished_match_without_an_account_is_removed
            records_are_queried_by_each_field_and_by_page
            old_records_are_purged_and_counted
            redaction_removes_the_values_and_marks_the_record
            redactions_at_once_lose_none
            a_value_of_the_house_is_set_only_over_the_one_that_was_read
            of_many_who_set_a_value_first_exactly_one_succeeds
            everything_is_listed_by_page
            the_store_answers_a_ping
        }
    };
    (@each $attributes:tt $make:path => $($case:ident)*) => {
        $($crate::contract_tests!(@one $attributes $make, $case);)*
    };
    (@one [$(#[$attribute:meta])*] $make:path, $case:ident) => {
        $(#[$attribute])*
        #[tokio::test]
        async fn $case() {
            let (store, _guard) = $make().await;
            $crate::contract::$case(&*store).await;
        }
    };
}

pub async fn the_store_answers_a_ping(store: &dyn crate::Store) {
    assert_eq!(store.ping().await, Ok(()));
}
