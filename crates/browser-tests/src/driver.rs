//! The one process of chromedriver, which starts and ends all browsers.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;

use tempfile::TempDir;

/// Ends chromedriver and the browsers that it started when the pipe that only this process holds is
/// closed: also if it is killed. Profiles are under `$1`; a browser may still write there while it ends.
const WATCHDOG: &str = r#"exec 3<&0
TMPDIR="$1" chromedriver --port=0 </dev/null 3<&- & driver=$!
read -r _ <&3
kill $(cat /proc/"$driver"/task/*/children) "$driver"
wait "$driver"
for _ in 1 2 3 4 5; do rm -rf "$1" && break; sleep 1; done"#;

static DRIVER: LazyLock<Driver> = LazyLock::new(Driver::start);

/// Where chromedriver listens.
pub(crate) fn url() -> &'static str {
    &DRIVER.url
}

struct Driver {
    url: String,
    /// Holds the pipe: the process ends with ours.
    _shell: Child,
}

impl Driver {
    fn start() -> Driver {
        let profiles =
            TempDir::with_prefix("parlor-browsers-").expect("there is a temporary folder");
        let mut shell = Command::new("sh")
            .args(["-c", WATCHDOG, "watchdog"])
            .arg(profiles.keep())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // The terminal's interrupt is for the tests; the watchdog must survive it.
            .process_group(0)
            .spawn()
            .expect("there is a shell");
        let output = shell.stdout.take().expect("its output is a pipe");
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        let port = lines
            .find_map(|line| {
                let (_, port) = line.split_once("started successfully on port ")?;
                port.trim_end_matches('.').parse::<u16>().ok()
            })
            .expect("chromedriver starts: `cargo xtask browser` installs it");
        Driver { url: format!("http://127.0.0.1:{port}"), _shell: shell }
    }
}
