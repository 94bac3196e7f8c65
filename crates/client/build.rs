//! Has the linker leave its notes in the client, by which `cargo xtask client` cuts it into parts.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Other linkers, as those of the tests, know no such flag.
    if env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        println!("cargo::rustc-link-arg-bins=--emit-relocs");
    }
}
