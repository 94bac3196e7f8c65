//! The client, as people use it. A test a sentence; a file a part of the product.

mod accounts;
mod agreements;
mod ahead;
mod boards;
mod bots;
mod dead_ends;
mod keyboard;
mod late;
mod lessons;
mod lobbies;
mod long_texts;
mod looks;
mod matches;
mod offline;
mod pointer;
mod profiles;
mod recovery;
mod replays;
mod scores;
mod scrabble;
mod secrecy;
mod twins;
mod watch_links;
