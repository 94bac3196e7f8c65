//! Puts the browser client into the binary: the folder that `PARLOR_CLIENT` names, as
//! `cargo xtask client` makes it. Without it the binary serves the interface alone.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-env-changed=PARLOR_CLIENT");
    let mut files = Vec::new();
    if let Some(folder) = env::var_os("PARLOR_CLIENT") {
        let folder = PathBuf::from(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        collect(&folder, &mut files)?;
        files.sort();
    }
    let mut code = String::from("const CLIENT: &[ClientFile] = &[\n");
    for (path, file) in files {
        let [plain, gzip, brotli] =
            ["", ".gz", ".br"].map(|end| format!("{}{end}", file.display()));
        // Writing to a text cannot fail.
        let _ = writeln!(
            code,
            "ClientFile {{ path: {path:?}, plain: include_bytes!({plain:?}), \
             gzip: include_bytes!({gzip:?}), brotli: include_bytes!({brotli:?}) }},"
        );
    }
    code.push_str("];\n");
    let out = env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?;
    fs::write(Path::new(&out).join("client.rs"), code)
}

/// All files of a folder, but those that are others compressed, each with its address.
fn collect(root: &Path, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let extension = path.extension().unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if extension != "gz" && extension != "br" {
                let address = path.strip_prefix(root).map_err(io::Error::other)?;
                files.push((address.to_string_lossy().replace('\\', "/"), path));
            }
        }
    }
    Ok(())
}
