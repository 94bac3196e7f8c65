//! The module that a browser loads: what it exports is the library's. A program, since what a program alone
//! depends on is compiled for it alone, and not once more for linkers that know nothing of the whole.

use rulebook as _;

fn main() {}
