//! Builds the browser client into a folder that the binary takes in: compiled, bound to JavaScript,
//! named by content, and compressed once and for all.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};
use wasm_bindgen_cli_support::Bindgen;
use xshell::Shell;

use crate::target_dir;
use crate::wasm::WasmToolchain;

/// What the whole of a first visit may weigh, compressed with brotli.
const FIRST_LOAD_BYTES_MAX: usize = 300_000;
/// Names so far apart by content: 64 bits of SHA-256.
const NAME_BYTES: usize = 8;
const START: &str = "start.js";

/// Makes the client, and gives the folder that it is in.
pub(crate) fn build(sh: &Shell, root: &Path) -> Result<PathBuf> {
    let target_dir = target_dir(sh)?;
    let toolchain = WasmToolchain::find(sh, &target_dir)?;
    toolchain.build(sh, &["--package", "client", "--package", "rulebook", "--locked"])?;

    let page = root.join("crates/client/page");
    let folder = target_dir.join("client");
    sh.remove_path(&folder)?;
    let mut dist = Dist { sh, folder, first_load_bytes: 0 };
    let rules = dist.put_module(&target_dir, "rulebook")?;
    // It is fetched when a match opens.
    let rules_bytes = std::mem::take(&mut dist.first_load_bytes);
    let client = dist.put_module(&target_dir, "client")?;
    let style = dist.put_named("style", "css", &sh.read_binary_file(page.join("style.css"))?)?;
    let named = |text: String, names: &[(&str, &str)]| {
        names.iter().fold(text, |text, (name, hashed)| text.replace(name, hashed))
    };
    let modules = [
        ("client.js", &*client.script),
        ("client.wasm", &*client.wasm),
        ("rulebook.js", &*rules.script),
        ("rulebook.wasm", &*rules.wasm),
    ];
    let start = named(sh.read_file(page.join(START))?, &modules);
    let start = dist.put_named("start", "js", start.as_bytes())?;
    let index = named(sh.read_file(page.join("index.html"))?, &modules);
    let index = named(index, &[("style.css", &style), (START, &start)]);
    dist.put("index.html", index.as_bytes())?;
    for name in ["icon.svg", "manifest.webmanifest"] {
        dist.put(name, &sh.read_binary_file(page.join(name))?)?;
    }
    println!(
        "the client's first load is {} bytes of brotli; the rules, when a match opens, {rules_bytes}",
        dist.first_load_bytes
    );
    anyhow::ensure!(
        dist.first_load_bytes <= FIRST_LOAD_BYTES_MAX,
        "the client's first load is over {FIRST_LOAD_BYTES_MAX} bytes"
    );
    Ok(dist.folder)
}

/// What the two files of a module are called.
struct Module {
    script: String,
    wasm: String,
}

struct Dist<'a> {
    sh: &'a Shell,
    folder: PathBuf,
    first_load_bytes: usize,
}

impl Dist<'_> {
    /// Binds a compiled crate to JavaScript.
    fn put_module(&mut self, target_dir: &Path, name: &str) -> Result<Module> {
        let wasm = target_dir.join(format!("wasm32-unknown-unknown/wasm/{name}.wasm"));
        let mut bindgen = Bindgen::new();
        bindgen.input_path(wasm).typescript(false);
        bindgen.remove_name_section(true).remove_producers_section(true);
        let mut bound = bindgen
            .web(true)
            .and_then(Bindgen::generate_output)
            .map_err(|error| anyhow!("{error:#}"))?;
        let script = self.put_named(name, "js", bound.js().as_bytes())?;
        let wasm = self.put_named(name, "wasm", &bound.wasm_mut().emit_wasm())?;
        Ok(Module { script, wasm })
    }

    /// Puts a file under a name that changes with its content, so that it can be kept for ever.
    fn put_named(&mut self, stem: &str, extension: &str, content: &[u8]) -> Result<String> {
        let hash = Sha256::digest(content);
        let hash = hex::encode(&hash[..NAME_BYTES]);
        let name = format!("{stem}-{hash}.{extension}");
        self.put(&format!("assets/{name}"), content)?;
        Ok(name)
    }

    fn put(&mut self, path: &str, content: &[u8]) -> Result<()> {
        let path = self.folder.join(path);
        let mut brotli = Vec::new();
        let parameters = brotli::enc::BrotliEncoderParams::default();
        brotli::BrotliCompress(&mut &content[..], &mut brotli, &parameters)?;
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(content)?;
        self.first_load_bytes += brotli.len();
        let name = path.display();
        self.sh.write_file(format!("{name}.br"), brotli)?;
        self.sh.write_file(format!("{name}.gz"), gzip.finish()?)?;
        self.sh.write_file(&path, content).with_context(|| format!("cannot write {name}"))
    }
}
