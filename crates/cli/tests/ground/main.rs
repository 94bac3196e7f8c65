//! The ground: recorded transcripts, logs and databases of an earlier build. Every build must repeat
//! the transcripts, replay the logs and open the databases.

#![expect(clippy::unwrap_used, reason = "tests")]

mod databases;
mod logs;
mod placeholders;
mod server;
mod socket;
mod transcript;

macro_rules! transcripts {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                transcript::check(stringify!($name));
            }
        )*
    };
}

// One test a file in `transcripts/`.
transcripts! {
    accounts
    agreeing
    alone
    audit
    challenges
    chess
    clocks
    coming_back
    crazy_tens
    lobbies
    pairing
    santorini
    scrabble_classic
    scrabble_contract_a
    scrabble_contract_b
    strangers
    system
}
