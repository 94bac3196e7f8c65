//! What a run is told: its seed, and what is broken on purpose.

/// What decides a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Decides everything else.
    pub seed: u64,
    /// What a house or the store does wrong; nothing in an honest run.
    pub sabotage: Option<Sabotage>,
}

impl Plan {
    /// A run in which only the faults happen that a house must bear.
    pub const fn honest(seed: u64) -> Plan {
        Plan { seed, sabotage: None }
    }
}

/// A mistake that the checks must find.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sabotage {
    /// A house tells before the store has answered.
    TellBeforeStore,
    /// A house forgets which actions it has answered, when it reads a match again.
    ForgetNonces,
    /// The store takes entries of an owner who was replaced.
    AcceptZombies,
    /// A house reads a match and lets the time begin anew.
    GiveTimeBack,
    /// A house goes on as if an entry that was not stored had been.
    IgnoreFailure,
    /// A house goes on in its epoch although an entry of it may still be stored.
    NoFence,
    /// A house believes what it read before it became the owner.
    ReadBeforeLease,
    /// A house books a result apart from the entry that ends the match.
    BookApart,
    /// A house forgets what waited, when it reads a match again.
    ForgetQueue,
    /// A house tells everybody what is one viewer's.
    TellAll,
    /// A house does not tell spectators.
    SkipSpectators,
    /// The store loses the entry that it answers.
    LoseEntry,
}
