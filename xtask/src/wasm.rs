//! Owns how WebAssembly is compiled and run on this machine: finding or fetching a compiler for
//! `wasm32-unknown-unknown`, building with it, and running a `main` outside a browser.
//! Which crates are built, and the bindings and files of the browser client, belong to the callers.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};
use xshell::{Shell, cmd};

use crate::debian::{self, has_program};

const TARGET: &str = "wasm32-unknown-unknown";
/// Leptos then gives all views one type, where else it makes code for each. Other crates know no such
/// flag; it stands here so that everything is built with the same ones, and std only once.
const ERASED_VIEWS: &str = "--cfg erase_components";
/// Where std is built too, a panic stops at once: its words, and the code that makes them, are a tenth
/// of the client.
const NO_LAST_WORDS: &str = "-Z unstable-options -C panic=immediate-abort";

/// How wasm is compiled on this machine: found once, then used for every build.
pub(crate) struct WasmToolchain {
    target_dir: PathBuf,
    compiler: Compiler,
}

impl WasmToolchain {
    /// Finds a compiler, fetching what is missing into `target_dir`, in this order: the target is
    /// installed; rustup may add it; Debian's compiler, which builds std itself.
    pub(crate) fn find(sh: &Shell, target_dir: &Path) -> Result<Self> {
        // Cargo refuses a std whose path has a `..` in it.
        let target_dir = sh.create_dir(target_dir)?.canonicalize()?;
        let compiler = if is_target_installed(sh)? || is_target_added(sh) {
            Compiler::Installed
        } else {
            Compiler::find_debian(sh, &target_dir)?
        };
        Ok(Self { target_dir, compiler })
    }

    /// Runs `cargo build` with `args` in the profile `wasm`; what it makes lands in
    /// `wasm32-unknown-unknown/wasm` of the target folder.
    pub(crate) fn build(&self, sh: &Shell, args: &[&str]) -> Result<()> {
        let target_dir = &self.target_dir;
        let mut cargo = cmd!(
            sh,
            "cargo build --locked --profile wasm --target {TARGET} --target-dir {target_dir} {args...}"
        );
        // Flags from outside are meant for this machine's processor and linker; besides, with
        // every change of them std is built again.
        for flags in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_RUSTFLAGS"] {
            cargo = cargo.env_remove(flags);
        }
        let mut flags = ERASED_VIEWS.to_owned();
        if let Compiler::Debian { rustc, linker } = &self.compiler {
            cargo = cargo
                .args(["-Z", "build-std=std,panic_abort"])
                .args(["-Z", "build-std-features=optimize_for_size"])
                .env("RUSTC_BOOTSTRAP", "1")
                .env("RUSTC", rustc)
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
            flags = format!("{flags} {NO_LAST_WORDS}");
        }
        Ok(cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", flags).run()?)
    }
}

/// Runs the `main` of a program built for `wasm32-unknown-unknown` in Node, which is installed on
/// Debian if it is missing.
///
/// Such a program has no stderr. One that wants to say why it fails leaves the text in its memory,
/// between `"\u{2}main: "` and `"\u{3}"`.
pub(crate) fn run_main(sh: &Shell, wasm: &Path) -> Result<()> {
    if !has_program(sh, "node") {
        debian::install(sh, &["nodejs"])
            .context("Node.js is missing: install it so that `node` is on the PATH")?;
    }
    let output = cmd!(sh, "node - {wasm}").stdin(RUN_MAIN).ignore_status().output()?;
    if !output.status.success() {
        bail!("{}: {}", wasm.display(), String::from_utf8_lossy(&output.stderr).trim_end());
    }
    Ok(())
}

const RUN_MAIN: &str = r#"
const wasm = require("node:fs").readFileSync(process.argv[2]);
const { main, memory } = new WebAssembly.Instance(new WebAssembly.Module(wasm), {}).exports;
let failure = null;
try {
    const code = main(0, 0);
    if (code !== 0) failure = `main returned exit code ${code}`;
} catch (trap) {
    failure = trap.stack;
}
if (failure !== null) {
    const bytes = Buffer.from(memory.buffer);
    const mark = "\u0002main: ";
    // The last one, because the heap lies above the program's own constants.
    const start = bytes.lastIndexOf(mark);
    const end = bytes.indexOf("\u0003", start);
    if (start !== -1 && end !== -1) console.error(bytes.toString("utf8", start + mark.length, end));
    console.error(failure);
    process.exitCode = 1;
}
"#;

enum Compiler {
    /// The toolchain at hand knows the target.
    Installed,
    /// A private copy of Debian's compiler and the source of its std, linked by the toolchain at hand.
    Debian { rustc: PathBuf, linker: PathBuf },
}

// Only this compiler may see the unpacked LLVM, so the path is set here and not for all of cargo.
// The sysroot is named because the compiler would take the system's, where Debian's is installed.
const RUSTC_SCRIPT: &str = r#"#!/bin/sh
root=${0%/*}
LD_LIBRARY_PATH=$(echo "$root"/usr/lib/*-linux-gnu*) \
    exec "$root/usr/bin/rustc" --sysroot "$root/usr" "$@"
"#;

impl Compiler {
    fn find_debian(sh: &Shell, target_dir: &Path) -> Result<Self> {
        let host_lib = cmd!(sh, "rustc --print target-libdir").quiet().read()?;
        let linker = Path::new(&host_lib).with_file_name("bin").join("rust-lld");
        ensure!(linker.exists(), HOW_TO_GET_THE_TARGET);

        let root = target_dir.join("wasm-toolchain");
        let rustc = root.join("rustc");
        if !has_program(sh, &rustc) {
            ensure!(has_program(sh, "apt-get"), HOW_TO_GET_THE_TARGET);
            let packages = ["rustc-web", "libstd-rust-web-dev", "rust-web-src"];
            debian::unpack(sh, &root, &packages).context(HOW_TO_GET_THE_TARGET)?;
            // Last, so that an interrupted unpacking is never taken for a compiler.
            sh.write_file(&rustc, RUSTC_SCRIPT)?;
            cmd!(sh, "chmod +x {rustc}").run()?;
        }
        Ok(Self::Debian { rustc, linker })
    }
}

const HOW_TO_GET_THE_TARGET: &str = "the Rust toolchain cannot compile for wasm32-unknown-unknown \
    yet: run `rustup target add wasm32-unknown-unknown`";

fn is_target_installed(sh: &Shell) -> Result<bool> {
    let lib = cmd!(sh, "rustc --print target-libdir --target {TARGET}").quiet().read()?;
    Ok(Path::new(&lib).exists())
}

fn is_target_added(sh: &Shell) -> bool {
    let may_download = sh.var_os("RUSTUP_AUTO_INSTALL").is_none_or(|value| value != "0");
    may_download
        && has_program(sh, "rustup")
        && cmd!(sh, "rustup target add {TARGET}").run().is_ok()
}
