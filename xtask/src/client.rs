//! Builds the browser client into the folder `client` of the target folder, which the binary embeds.
//! How the compiled programs become that folder's files is the program `bundle`.

use std::path::{Path, PathBuf};

use anyhow::Result;
use xshell::{Shell, cmd};

use crate::target_dir;
use crate::wasm::WasmToolchain;

/// The client, and the rules that it fetches later.
pub(crate) const PROGRAMS: [&str; 8] =
    ["--package", "client", "--package", "rulebook", "--bin", "client", "--bin", "rulebook"];

/// The package and the feature of the program `bundle`.
pub(crate) const BUNDLE: [&str; 4] = ["--package", "xtask", "--features", "bundle"];

/// Builds the client and gives the folder that it is in.
pub(crate) fn build(sh: &Shell, root: &Path) -> Result<PathBuf> {
    let target_dir = target_dir(sh)?;
    WasmToolchain::find(sh, &target_dir)?.build(sh, &PROGRAMS)?;
    bundle(sh, root, &target_dir)?;
    Ok(target_dir.join("client"))
}

/// Makes the files of the client from its compiled programs.
pub(crate) fn bundle(sh: &Shell, root: &Path, target_dir: &Path) -> Result<()> {
    Ok(cmd!(sh, "cargo run {BUNDLE...} --bin bundle --locked -- {root} {target_dir}").run()?)
}
