//! A private PostgreSQL server for tests and benchmarks, in a temporary folder.
//!
//! Owns the server's life: made by `initdb`, run by `pg_ctl`, stopped and removed when its owner is
//! dropped or killed; and the ports on which servers of tests listen. Speaks no SQL, and installs nothing: that is a chore of `xtask`.

mod cluster;
mod ports;
mod programs;
mod watchdog;

use std::io;
use std::path::PathBuf;

pub use cluster::Cluster;
pub use ports::free_port;
pub use programs::is_installed;

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Neither Debian's folders nor the PATH have the programs.
    #[error("PostgreSQL's server is missing: initdb and pg_ctl are not on the PATH")]
    NotInstalled,
    /// The server refuses root, and there is nobody else to run it.
    #[error("PostgreSQL refuses root, and there is no account `postgres` or `nobody`")]
    NoAccount,
    /// The temporary folder or what belongs in it cannot be made.
    #[error("the cluster's folder cannot be prepared")]
    Folder(#[from] io::Error),
    /// Somebody else listens there.
    #[error("port {0} of 127.0.0.1 is taken")]
    PortTaken(u16),
    /// A program is there but does not start.
    #[error("{} does not start", program.display())]
    Spawn {
        /// Which.
        program: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A program ran and failed.
    #[error("{} failed: {output}", program.display())]
    Failed {
        /// Which.
        program: PathBuf,
        /// What it wrote, and the server's log.
        output: String,
    },
}
