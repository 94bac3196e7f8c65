//! Turns the compiled browser client into a folder that the binary embeds: bound to JavaScript, named by
//! content, and compressed once. `cargo xtask client` runs it; it is a program of its own because what it
//! depends on takes longer to build than all chores.

mod reading;
mod split;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use wasm_bindgen_cli_support::Bindgen;
use xshell::Shell;

use crate::split::{LINK, Split, split};

/// What the whole of a first visit may weigh, compressed with brotli.
const FIRST_LOAD_BYTES_MAX: usize = 300_000;
/// Names so far apart by content: 64 bits of SHA-256.
const NAME_BYTES: usize = 8;
const CLIENT_SCRIPT: &str = "client.js";
const START: &str = "start.js";
const THINKER: &str = "thinker.js";
const WORKER: &str = "worker.js";
/// Where the page lists what there is to read.
const READINGS: &str = "READINGS";

/// `bundle ROOT TARGET_DIR`: reads the page of the workspace at `ROOT` and the programs that were compiled
/// into `TARGET_DIR`, and writes the folder `client` there.
fn main() -> Result<()> {
    let words: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [root, target_dir] = &words[..] else { bail!("bundle ROOT TARGET_DIR") };
    bundle(&Shell::new()?, root, target_dir)
}

fn bundle(sh: &Shell, root: &Path, target_dir: &Path) -> Result<()> {
    let page = root.join("crates/client/page");
    let folder = target_dir.join("client");
    sh.remove_path(&folder)?;
    let mut dist = Dist { sh, folder, first: Vec::new(), first_load_bytes: 0, later: Vec::new() };
    let compiled = target_dir.join("wasm32-unknown-unknown/wasm");
    let parts = target_dir.join("client-parts");
    let client = split(sh, &compiled.join("client.wasm"), &parts, CLIENT_SCRIPT)?;
    let client = dist.put_client(client)?;
    let rules = dist.put_rules(&compiled.join("rulebook.wasm"))?;
    let style = dist.put_named("style", "css", lean(&styles(sh, &page)?).as_bytes())?;
    let named = |text: String, names: &[(&str, &str)]| {
        names.iter().fold(text, |text, (name, hashed)| text.replace(name, hashed))
    };
    let modules = [
        (CLIENT_SCRIPT, &*client.script),
        (LINK, &*client.link),
        ("client.wasm", &*client.wasm),
        ("rulebook.js", &*rules.script),
        ("rulebook.wasm", &*rules.wasm),
    ];
    let thinker = named(sh.read_file(page.join(THINKER))?, &modules);
    let thinker = dist.put_named_for_later("thinker", "js", lean(&thinker).as_bytes())?;
    let start = named(lean(&sh.read_file(page.join(START))?), &modules);
    let start = start.replace(THINKER, &thinker);
    let start = dist.put_named("start", "js", start.as_bytes())?;
    let index = named(sh.read_file(page.join("index.html"))?, &modules);
    let readings = dist.put_readings(reading::find(sh, root)?)?;
    let index = named(index, &[("style.css", &style), (START, &start), (READINGS, &readings)]);
    dist.put("index.html", index.as_bytes())?;
    for name in ["icon.svg", "manifest.webmanifest"] {
        dist.put(name, &sh.read_binary_file(page.join(name))?)?;
    }
    for name in ["icon-192.png", "icon-512.png", "icon-mask.png"] {
        dist.put_for_later(name, &sh.read_binary_file(page.join(name))?)?;
    }
    // No page fetches it, so the worker need not keep it.
    dist.write("robots.txt", &sh.read_binary_file(page.join("robots.txt"))?)?;
    dist.put_worker(&sh.read_file(page.join(WORKER))?)?;
    println!("the client's first load is {} bytes of brotli", dist.first_load_bytes);
    anyhow::ensure!(
        dist.first_load_bytes <= FIRST_LOAD_BYTES_MAX,
        "the client's first load is over {FIRST_LOAD_BYTES_MAX} bytes"
    );
    Ok(())
}

/// What the files of the client are called.
struct Client {
    script: String,
    link: String,
    wasm: String,
}

/// What the files of the rules are called.
struct Rules {
    script: String,
    wasm: String,
}

/// Binds a compiled crate to JavaScript: its script, and it. What the parts of a crate that was split
/// share is kept too.
fn bind(wasm: &Path, is_split: bool) -> Result<(String, Vec<u8>)> {
    let mut bindgen = Bindgen::new();
    bindgen.input_path(wasm).typescript(false).keep_lld_exports(is_split);
    bindgen.remove_name_section(true).remove_producers_section(true);
    let mut bound = bindgen
        .web(true)
        .and_then(Bindgen::generate_output)
        .map_err(|error| anyhow!("{error:#}"))?;
    Ok((lean(bound.js()), bound.wasm_mut().emit_wasm()))
}

/// All style sheets as one: first the one with the colours, then the others by name.
fn styles(sh: &Shell, page: &Path) -> Result<String> {
    let mut files = sh.read_dir(page)?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "css"));
    files.sort_by_key(|file| (!file.ends_with("style.css"), file.clone()));
    let styles: Result<Vec<String>, _> = files.iter().map(|file| sh.read_file(file)).collect();
    Ok(styles?.join("\n"))
}

struct Dist<'a> {
    sh: &'a Shell,
    folder: PathBuf,
    /// What every visit brings.
    first: Vec<String>,
    first_load_bytes: usize,
    /// What is fetched when it is wanted.
    later: Vec<String>,
}

impl Dist<'_> {
    /// Puts the module that starts, and its parts, which a browser fetches when it has the time.
    fn put_client(&mut self, client: Split) -> Result<Client> {
        let mut link = lean(&client.link);
        for part in client.parts {
            let name = name_of("client-part", "wasm", &part.wasm);
            let path = format!("assets/{name}");
            self.put_for_soon(&path, &part.wasm)?;
            link = link.replace(&part.name, &name);
        }
        let (script, wasm) = bind(&client.main, true)?;
        // The two scripts name each other, so one of them is named by what both are made of.
        let link_name = name_of("client-link", "js", format!("{link}{script}").as_bytes());
        // Only where it is fetched from: the module goes on to call it by its old name.
        let from = |name: &str| format!("from \"./{name}\"");
        let script = script.replace(&from(LINK), &from(&link_name));
        let script = self.put_named("client", "js", script.as_bytes())?;
        let link = link.replace(CLIENT_SCRIPT, &script);
        self.put(&format!("assets/{link_name}"), link.as_bytes())?;
        Ok(Client { script, link: link_name, wasm: self.put_named("client", "wasm", &wasm)? })
    }

    /// Puts the rules, which are fetched when a match opens.
    fn put_rules(&mut self, wasm: &Path) -> Result<Rules> {
        let (script, wasm) = bind(wasm, false)?;
        let script = self.put_named_for_later("rulebook", "js", script.as_bytes())?;
        Ok(Rules { script, wasm: self.put_named_for_later("rulebook", "wasm", &wasm)? })
    }

    /// Puts a file under a name that changes with its content, so that it can be kept for ever.
    fn put_named(&mut self, stem: &str, extension: &str, content: &[u8]) -> Result<String> {
        let name = name_of(stem, extension, content);
        self.put(&format!("assets/{name}"), content)?;
        Ok(name)
    }

    /// The same for a file that is fetched when it is wanted.
    fn put_named_for_later(
        &mut self,
        stem: &str,
        extension: &str,
        content: &[u8],
    ) -> Result<String> {
        let name = name_of(stem, extension, content);
        self.put_for_later(&format!("assets/{name}"), content)?;
        Ok(name)
    }

    /// Puts the rules and tutorials; gives the list of them.
    fn put_readings(&mut self, readings: Vec<reading::Reading>) -> Result<String> {
        let mut list = Vec::new();
        for reading::Reading { game, title, rules, tutorial } in readings {
            let mut put = |what: &str, extension: &str, content: &str| {
                let name = name_of(&format!("{game}-{what}"), extension, content.as_bytes());
                let path = format!("assets/{name}");
                self.put_for_later(&path, content.as_bytes()).map(|()| format!("/{path}"))
            };
            let rules = put("rules", "html", &rules)?;
            let tutorial = tutorial.map(|it| put("tutorial", "json", &it)).transpose()?;
            list.push(
                json!({ "game": game, "title": title, "rules": rules, "tutorial": tutorial }),
            );
        }
        // Within a page no text may end the element that it stands in.
        Ok(serde_json::to_string(&list)?.replace('<', "\\u003c"))
    }

    /// The worker knows the names of all others.
    fn put_worker(&mut self, worker: &str) -> Result<()> {
        let worker = worker.replace("FIRST_FILES", &serde_json::to_string(&self.first)?);
        let worker = worker.replace("LATER_FILES", &serde_json::to_string(&self.later)?);
        // It is fetched after all else.
        self.write(WORKER, worker.as_bytes()).map(drop)
    }

    fn put(&mut self, path: &str, content: &[u8]) -> Result<()> {
        self.first_load_bytes += self.write(path, content)?;
        // The page itself is at every address.
        if path != "index.html" {
            self.first.push(format!("/{path}"));
        }
        Ok(())
    }

    /// What no first visit waits for, but every visit brings.
    fn put_for_soon(&mut self, path: &str, content: &[u8]) -> Result<()> {
        let size = self.write(path, content)?;
        println!("a part of the client, for later, is {size} bytes of brotli");
        self.first.push(format!("/{path}"));
        Ok(())
    }

    fn put_for_later(&mut self, path: &str, content: &[u8]) -> Result<()> {
        self.write(path, content)?;
        self.later.push(format!("/{path}"));
        Ok(())
    }

    /// Gives its size by brotli.
    fn write(&self, path: &str, content: &[u8]) -> Result<usize> {
        let path = self.folder.join(path);
        let mut brotli = Vec::new();
        let parameters = brotli::enc::BrotliEncoderParams::default();
        brotli::BrotliCompress(&mut &content[..], &mut brotli, &parameters)?;
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(content)?;
        let (name, size) = (path.display(), brotli.len());
        self.sh.write_file(format!("{name}.br"), brotli)?;
        self.sh.write_file(format!("{name}.gz"), gzip.finish()?)?;
        self.sh.write_file(&path, content).with_context(|| format!("cannot write {name}"))?;
        Ok(size)
    }
}

/// A script or a style sheet without its indentation, its empty lines and the lines that are comments.
fn lean(text: &str) -> String {
    let mut is_comment = false;
    let mut is_code = |line: &&str| {
        is_comment |= line.starts_with("/*");
        let is_code = !is_comment && !line.is_empty() && !line.starts_with("//");
        is_comment &= !line.ends_with("*/");
        is_code
    };
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| is_code(line)).collect();
    lines.join("\n")
}

fn name_of(stem: &str, extension: &str, content: &[u8]) -> String {
    let hash = Sha256::digest(content);
    format!("{stem}-{}.{extension}", hex::encode(&hash[..NAME_BYTES]))
}

#[cfg(test)]
mod tests {
    use super::lean;

    #[test]
    fn what_is_lean_has_all_of_the_code_and_none_of_the_comments() {
        let style = "/* All\n   of it. */\n\n* { margin: 0; }\n  .a { color: red; }\n";
        assert_eq!(lean(style), "* { margin: 0; }\n.a { color: red; }");
        let script = "/**\n * @param {string} text\n */\nexport f(text) {\n    // Says it.\n    g(text);\n}\n";
        assert_eq!(lean(script), "export f(text) {\ng(text);\n}");
    }
}
