//! What happened in a run: shows that it was worth something.

use std::fmt;
use std::ops::AddAssign;

macro_rules! tally {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Counts of what happened.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Tally {
            $($(#[$doc])* pub $name: u64,)*
        }

        impl AddAssign for Tally {
            fn add_assign(&mut self, other: Tally) {
                $(self.$name += other.$name;)*
            }
        }

        impl fmt::Display for Tally {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                $(write!(f, "{} {}  ", self.$name, stringify!($name))?;)*
                Ok(())
            }
        }
    };
}

tally! {
    /// Events of the world.
    steps,
    /// Connections that were made.
    connections,
    /// Inputs that reached a house.
    inputs,
    /// Letters that were checked.
    letters,
    /// Entries that were stored.
    entries,
    /// Acknowledgements of actions.
    acks,
    /// Acknowledgements that were given again.
    repeated_acks,
    /// Refusals.
    refusals,
    /// Matches that were made.
    matches,
    /// Matches that ended.
    ended,
    /// Moves that were taken back.
    takebacks,
    /// Pauses.
    pauses,
    /// Seats that lost by the clock.
    time_outs,
    /// Rooms of running matches that were let go of.
    evictions,
    /// Rooms that were read from the store.
    loads,
    /// Rooms that were compared with a replay of the log.
    replays,
    /// Houses that crashed.
    crashes,
    /// Houses that stood still.
    stalls,
    /// Clocks that were set.
    clock_jumps,
    /// Appends that were answered as failed although they were stored, or were stored later.
    lost_answers,
    /// Units that were stored twice by a retry.
    repeats,
    /// Appends that were refused since the match had another owner.
    fenced,
    /// Decisions of bots that were asked for.
    bot_decisions,
    /// Readers that were too slow.
    slow_readers,
}
