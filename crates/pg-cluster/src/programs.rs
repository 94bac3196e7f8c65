//! Where PostgreSQL's programs are, and as whom they run. What they do is said in `cluster`.

use std::cmp::Reverse;
use std::ffi::OsStr;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use crate::Error;

/// Debian keeps them off the PATH, in a folder a version.
const DEBIAN: &str = "/usr/lib/postgresql";
const NEEDED: [&str; 2] = ["initdb", "pg_ctl"];

/// Whether this machine has the programs that a cluster needs.
pub fn is_installed() -> bool {
    find().is_some()
}

/// The programs, and the folder that they work in.
#[derive(Debug)]
pub(crate) struct Programs {
    bin: PathBuf,
    folder: PathBuf,
    account: Option<Account>,
}

impl Programs {
    /// Hands `folder` to the account under which the server will run.
    pub(crate) fn for_folder(folder: &Path) -> Result<Self, Error> {
        let bin = find().ok_or(Error::NotInstalled)?;
        // We made the folder, so its owner is who we are.
        let is_root = fs::metadata(folder)?.uid() == 0;
        let account = if is_root { Some(Account::of_this_machine()?) } else { None };
        if let Some(Account { user, group }) = account {
            chown(folder, Some(user), Some(group))?;
        }
        Ok(Self { bin, folder: folder.to_owned(), account })
    }

    pub(crate) fn path(&self, program: &str) -> PathBuf {
        self.bin.join(program)
    }

    /// A command in the folder, never as root; std drops root's further groups with the user.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        // Errors are recognised by their text.
        command.current_dir(&self.folder).env("LC_ALL", "C");
        if let Some(Account { user, group }) = self.account {
            command.uid(user).gid(group);
        }
        command
    }

    /// Runs one of PostgreSQL's own programs in the folder to its end; returns what it printed.
    pub(crate) fn run(&self, program: &str, args: &[&str]) -> Result<String, Error> {
        let program = self.path(program);
        match self.command(&program).args(args).output() {
            Err(source) => Err(Error::Spawn { program, source }),
            Ok(output) if !output.status.success() => {
                let output = String::from_utf8_lossy(&output.stderr).into_owned();
                Err(Error::Failed { program, output })
            }
            Ok(output) => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        }
    }
}

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
struct Account {
    user: u32,
    group: u32,
}

impl Account {
    fn of_this_machine() -> Result<Self, Error> {
        let passwd = fs::read_to_string("/etc/passwd")?;
        let find = |name| Self::find(&passwd, name);
        find("postgres").or_else(|| find("nobody")).ok_or(Error::NoAccount)
    }

    fn find(passwd: &str, name: &str) -> Option<Self> {
        passwd.lines().find_map(|line| {
            let mut fields = line.split(':');
            let is_it = fields.next() == Some(name);
            let (user, group) = (fields.nth(1)?.parse().ok()?, fields.next()?.parse().ok()?);
            is_it.then_some(Self { user, group })
        })
    }
}

fn find() -> Option<PathBuf> {
    find_in(Path::new(DEBIAN), &env::var_os("PATH").unwrap_or_default())
}

/// Debian's newest version, else the first folder of the PATH that has all.
fn find_in(debian: &Path, path: &OsStr) -> Option<PathBuf> {
    let entries = fs::read_dir(debian).into_iter().flatten().flatten();
    let version = |entry: fs::DirEntry| {
        let number: u32 = entry.file_name().to_str()?.parse().ok()?;
        Some((number, entry.path().join("bin")))
    };
    let mut versions: Vec<(u32, PathBuf)> = entries.filter_map(version).collect();
    versions.sort_by_key(|(number, _)| Reverse(*number));
    let versions = versions.into_iter().map(|(_, bin)| bin);
    let has_all = |bin: &PathBuf| NEEDED.iter().all(|program| bin.join(program).is_file());
    versions.chain(env::split_paths(path)).find(has_all)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Account, find_in};

    #[test]
    fn debians_newest_whole_version_goes_before_the_path() {
        let root = tempfile::tempdir().unwrap();
        let check = |files: &[&str], expected: Option<&str>| {
            for file in files {
                let file = root.path().join(file);
                fs::create_dir_all(file.parent().unwrap()).unwrap();
                fs::write(file, "").unwrap();
            }
            let found = find_in(&root.path().join("debian"), root.path().join("bin").as_os_str());
            assert_eq!(found, expected.map(|bin| root.path().join(bin)), "{files:?}");
        };
        check(&["bin/initdb"], None);
        check(&["bin/pg_ctl"], Some("bin"));
        check(&["debian/9/bin/initdb", "debian/9/bin/pg_ctl"], Some("debian/9/bin"));
        check(&["debian/15/bin/initdb", "debian/15/bin/pg_ctl"], Some("debian/15/bin"));
        check(&["debian/16/bin/initdb", "debian/common/bin/initdb"], Some("debian/15/bin"));
    }

    #[test]
    fn an_account_is_found_by_its_whole_name() {
        let passwd = "root:x:0:0:root:/:/bin/sh\n\nnobody:x:65534:65533::/:\npost:x:7:8::/:\n";
        let check = |name, expected: Option<(u32, u32)>| {
            let expected = expected.map(|(user, group)| Account { user, group });
            assert_eq!(Account::find(passwd, name), expected, "{name}");
        };
        check("nobody", Some((65534, 65533)));
        check("post", Some((7, 8)));
        check("postgres", None);
    }
}
