//! What the chores need from the machine, and how Debian provides it. Elsewhere its users say what
//! is missing.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Result, ensure};
use xshell::{Cmd, Shell, cmd};

/// Installs packages, as root or by sudo.
pub(crate) fn install(sh: &Shell, packages: &[&str]) -> Result<()> {
    ensure!(has_program(sh, "apt-get"), "only Debian's packages are installed by themselves");
    update(sh)?;
    let flags = ["--yes", "--no-install-recommends"];
    Ok(apt_get_as_root(sh)?.arg("install").args(flags).args(packages).run()?)
}

/// Reads the lists of packages anew.
pub(crate) fn update(sh: &Shell) -> Result<()> {
    Ok(apt_get_as_root(sh)?.arg("update").run()?)
}

/// Unpacks packages into a folder, and installs nothing: no service starts, and anyone may do it.
pub(crate) fn unpack(sh: &Shell, root: &Path, packages: &[&str]) -> Result<()> {
    sh.remove_path(root)?;
    let archives = root.join("archives");
    sh.create_dir(archives.join("partial"))?;
    // A new machine has no package lists, and old lists name versions that are gone.
    update(sh)?;
    // Rather than `apt-get download`, because apt then finds out which libraries this machine lacks.
    // Nothing is installed, so nothing need be locked.
    cmd!(sh, "apt-get install --download-only --yes --reinstall --no-install-recommends")
        .args([
            "-o",
            "Debug::NoLocking=1",
            "-o",
            &format!("Dir::Cache::archives={}", archives.display()),
        ])
        .args(packages)
        .run()?;
    for archive in sh.read_dir(&archives)? {
        if archive.extension() == Some(OsStr::new("deb")) {
            cmd!(sh, "dpkg --extract {archive} {root}").run()?;
        }
    }
    Ok(sh.remove_path(&archives)?)
}

/// Whether a program is there and starts.
pub(crate) fn has_program(sh: &Shell, program: impl AsRef<Path>) -> bool {
    cmd!(sh, "{program} --version").quiet().ignore_stderr().read().is_ok()
}

fn apt_get_as_root(sh: &Shell) -> Result<Cmd<'_>> {
    let is_root = cmd!(sh, "id --user").quiet().read()? == "0";
    Ok(if is_root { cmd!(sh, "apt-get") } else { cmd!(sh, "sudo apt-get") })
}
