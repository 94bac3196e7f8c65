//! The module that a browser loads: what it exports is the library's. A program, and no library of the
//! kind `cdylib` too: for a library of two kinds all that it depends on is compiled in two ways.

use rulebook as _;

fn main() {}
