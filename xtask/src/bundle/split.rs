//! Cuts a compiled crate at its `#[wasm_split]` functions: into the module that starts, the parts that it
//! fetches later, and the script by which it does. How they are bound and named belongs to the caller.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use wasm_split_cli_support::{Options, transform};
use xshell::Shell;

/// How the module that starts calls the script in which the others are listed.
pub(crate) const LINK: &str = "link.js";
/// A module is its magic number and version, and then sections.
const HEADER_BYTES: usize = 8;
/// The kind of a section that only tools read: names of functions, who compiled it.
const CUSTOM: u8 = 0;

/// What a crate falls into.
pub(crate) struct Split {
    /// Starts; still to be bound to JavaScript.
    pub(crate) main: PathBuf,
    /// The script; it names the parts by their files, and the main module's script as it was given.
    pub(crate) link: String,
    pub(crate) parts: Vec<Part>,
}

/// What is fetched later.
pub(crate) struct Part {
    /// Its file.
    pub(crate) name: String,
    pub(crate) wasm: Vec<u8>,
}

/// Cuts the crate, with `folder` for what comes between. The main module's script will be `script`.
pub(crate) fn split(sh: &Shell, wasm: &Path, folder: &Path, script: &str) -> Result<Split> {
    sh.remove_path(folder)?;
    sh.create_dir(folder)?;
    let main = folder.join("main.wasm");
    let input = sh.read_binary_file(wasm)?;
    let (link_name, main_module) = (format!("./{LINK}"), format!("./{script}"));
    let mut options = Options::new(&input);
    options.output_dir = folder;
    options.main_out_path = &main;
    options.link_name = &link_name;
    options.main_module = &main_module;
    let split = transform(options).map_err(|error| anyhow!("{error:#}"))?;
    let part = |path: PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).context("a part has a name")?;
        Ok(Part { name: name.to_owned(), wasm: without_custom(&sh.read_binary_file(&path)?)? })
    };
    let parts: Result<Vec<Part>> = split.split_modules.into_iter().map(part).collect();
    Ok(Split { link: sh.read_file(folder.join(LINK))?, main, parts: parts? })
}

/// A module without what browsers do not read.
fn without_custom(wasm: &[u8]) -> Result<Vec<u8>> {
    let (header, mut rest) =
        wasm.split_at_checked(HEADER_BYTES).context("a module is too short")?;
    let mut kept = header.to_vec();
    while let Some(&kind) = rest.first() {
        let (size, size_bytes) = leb128(&rest[1..]).context("a section has no size")?;
        let end = 1 + size_bytes + size;
        let (section, others) = rest.split_at_checked(end).context("a section is cut off")?;
        if kind != CUSTOM {
            kept.extend_from_slice(section);
        }
        rest = others;
    }
    Ok(kept)
}

/// A number of seven bits a byte, the lowest first, and how many bytes it takes.
fn leb128(bytes: &[u8]) -> Option<(usize, usize)> {
    let count = 1 + bytes.iter().take(5).position(|byte| byte & 0x80 == 0)?;
    let number =
        bytes[..count].iter().rev().fold(0, |sum, byte| sum << 7 | usize::from(byte & 0x7f));
    Some((number, count))
}

#[cfg(test)]
mod tests {
    use super::{leb128, without_custom};

    #[test]
    fn only_the_sections_that_browsers_read_are_kept() {
        let header = *b"\0asm\x01\0\0\0";
        // A type section, a name section whose size takes two bytes, a function section.
        let named = [&header[..], &[1, 2, 7, 8], &[0, 0x81, 0x01], &[9; 129], &[3, 1, 5]].concat();
        let kept = [&header[..], &[1, 2, 7, 8], &[3, 1, 5]].concat();
        assert_eq!(without_custom(&named).unwrap(), kept);
        assert!(without_custom(&named[..20]).is_err(), "a section is cut off");
        assert!(without_custom(&header[..7]).is_err(), "not even a header");
    }

    #[test]
    fn a_number_ends_at_its_first_byte_without_the_high_bit() {
        assert_eq!(leb128(&[0xe5, 0x8e, 0x26, 1]), Some((624_485, 3)));
        assert_eq!(leb128(&[0x80]), None);
        assert_eq!(leb128(&[0x80; 9]), None);
    }
}
