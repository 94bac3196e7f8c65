//! A house that is damaged, or has a server already, is refused in one line that names the way out. A first
//! start, and one after a kill, is not.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use pg_cluster::Cluster;
use tempfile::TempDir;

const PARLOR: &str = env!("CARGO_BIN_EXE_parlor");
/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A server under way; it is killed with this.
struct Server {
    process: Child,
    address: SocketAddr,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

impl Server {
    fn ask(&self, method: &str, route: &str, body: &str) -> Option<u16> {
        let mut stream = TcpStream::connect(self.address).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        let request = format!(
            "{method} /api/v1/{route} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        answer.split(' ').nth(1)?.parse().ok()
    }

    fn enter(&self, route: &str) -> Option<u16> {
        self.ask("POST", route, r#"{"username": "Ada", "password": "correct horse battery"}"#)
    }

    fn stop(mut self) {
        let pid = self.process.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        assert!(self.process.wait().unwrap().success());
    }
}

/// Starts a server and waits until it serves, or gives what it says when it ends.
fn try_start(folder: &Path, flags: &[&str], key: Option<&str>) -> Result<Server, String> {
    let address = SocketAddr::from(([127, 0, 0, 1], pg_cluster::free_port()));
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut command = Command::new(PARLOR);
    command.args(["serve", "--listen", &address.to_string(), "--data"]).arg(folder).args(flags);
    if let Some(key) = key {
        command.env("PARLOR_TOKEN_KEY", key);
    }
    let process = command.stdout(Stdio::null()).stderr(log.reopen().unwrap()).spawn().unwrap();
    let mut server = Server { process, address };
    let begin = Instant::now();
    loop {
        if let Some(status) = server.process.try_wait().unwrap() {
            assert!(!status.success());
            return Err(fs::read_to_string(log.path()).unwrap());
        }
        if server.ask("GET", "ready", "") == Some(200) {
            return Ok(server);
        }
        assert!(begin.elapsed() < PATIENCE, "neither served nor refused");
        sleep(Duration::from_millis(20));
    }
}

fn start_with(folder: &Path, flags: &[&str], key: Option<&str>) -> Server {
    try_start(folder, flags, key).unwrap_or_else(|refusal| panic!("{flags:?}: {refusal}"))
}

fn start(folder: &Path, flags: &[&str]) -> Server {
    start_with(folder, flags, None)
}

#[track_caller]
fn check_refused(folder: &Path, flags: &[&str], key: Option<&str>, expected: &[&str]) {
    let Err(refusal) = try_start(folder, flags, key) else { panic!("it serves: {expected:?}") };
    let last = refusal.lines().last().unwrap_or_default();
    let is_said = expected.iter().all(|word| last.contains(word));
    assert!(last.starts_with("parlor: ") && is_said, "{expected:?}: {refusal}");
}

/// A house in which Ada has an account, and whose server has stopped.
fn used_house() -> TempDir {
    let folder = TempDir::new().unwrap();
    let server = start(folder.path(), &[]);
    assert_eq!(server.enter("register"), Some(201));
    server.stop();
    folder
}

fn cut(path: &Path, bytes: u64) {
    OpenOptions::new().write(true).open(path).unwrap().set_len(bytes).unwrap();
}

/// Damages a house; it is refused until the flag is given once. Gives what Ada's log-in answers then.
fn damage(expected: &str, flag: &str, damage: impl FnOnce(&Path)) -> Option<u16> {
    let folder = used_house();
    damage(folder.path());
    check_refused(folder.path(), &[], None, &[expected, flag]);
    check_refused(folder.path(), &[], None, &[expected, flag]);
    start(folder.path(), &[flag]).stop();
    let server = start(folder.path(), &[]);
    server.enter("login")
}

#[test]
fn a_database_that_is_gone_or_damaged_is_refused() {
    let flag = "--new-database";
    let remove = |data: &Path| fs::remove_file(data.join("parlor.db")).unwrap();
    assert_eq!(damage("parlor.db is missing", flag, remove), Some(401));
    let empty = |data: &Path| drop(File::create(data.join("parlor.db")).unwrap());
    assert_eq!(damage("parlor.db is empty", flag, empty), Some(401));
    let half = |data: &Path| cut(&data.join("parlor.db"), 16_384);
    assert_eq!(damage("parlor.db is cut off", flag, half), Some(401));
    let letter = |data: &Path| fs::write(data.join("parlor.db"), "Dear Ada, ".repeat(999)).unwrap();
    assert_eq!(damage("parlor.db belongs to another program", flag, letter), Some(401));
}

#[test]
fn a_key_that_is_gone_or_another_is_refused() {
    let flag = "--new-key";
    let remove = |data: &Path| fs::remove_file(data.join("token.key")).unwrap();
    assert_eq!(damage("there is no token key", flag, remove), Some(200));
    let change = |data: &Path| fs::write(data.join("token.key"), "ab".repeat(32)).unwrap();
    assert_eq!(damage("the token key is not the one", flag, change), Some(200));

    let folder = used_house();
    let other = "cd".repeat(32);
    check_refused(folder.path(), &[], Some(&other), &["the token key is not the one"]);
    let admin = |key: Option<&str>| {
        let mut command = Command::new(PARLOR);
        command.args(["admin", "--data"]).arg(folder.path()).args(["make-admin", "Ada"]);
        command.envs(key.map(|key| ("PARLOR_TOKEN_KEY", key)));
        command.output().unwrap().status.success()
    };
    assert!(!admin(Some(&other)) && admin(None));
    fs::remove_file(folder.path().join("token.key")).unwrap();
    assert!(!admin(None) && !folder.path().join("token.key").exists());
}

#[test]
fn writes_that_are_gone_from_the_log_are_missed() {
    let folder = TempDir::new().unwrap();
    let server = start(folder.path(), &[]);
    assert_eq!(server.enter("register"), Some(201));
    let lock = folder.path().join("parlor.db-lock");
    let begin = Instant::now();
    // Whether it is ready is a write.
    while fs::read_to_string(&lock).unwrap().ends_with(" 00000000\n") {
        assert_eq!(server.ask("GET", "ready", ""), Some(200));
        assert!(begin.elapsed() < PATIENCE, "the log's length is not noted");
        sleep(Duration::from_millis(5));
    }
    drop(server);
    fs::remove_file(folder.path().join("parlor.db-wal")).unwrap();
    check_refused(folder.path(), &[], None, &["parlor.db has lost writes", "--accept-loss"]);
    start(folder.path(), &["--accept-loss"]).stop();
    start(folder.path(), &[]).stop();
}

#[test]
fn a_first_start_and_one_after_a_kill_are_never_refused() {
    let key = "ef".repeat(32);
    for key in [None, Some(&*key)] {
        let folder = TempDir::new().unwrap();
        for _ in 0..3 {
            // It is killed at once.
            drop(start_with(folder.path(), &[], key));
        }
        let path = folder.path().join("server.name");
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    // Flags that are not needed change nothing.
    let folder = used_house();
    start(folder.path(), &["--new-database", "--new-key", "--accept-loss"]).stop();
    assert_eq!(start(folder.path(), &[]).enter("login"), Some(200));
}

#[test]
fn a_second_server_of_a_folder_or_a_file_is_refused() {
    let (folder, other) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let server = start(folder.path(), &[]);
    check_refused(folder.path(), &[], None, &["another process uses the data folder"]);
    let database = format!("sqlite://{}", folder.path().join("parlor.db").display());
    let flags = ["--database", &database];
    check_refused(other.path(), &flags, None, &["another process uses the database"]);
    assert_eq!(server.enter("register"), Some(201), "the first one goes on");
}

#[test]
#[ignore = "needs PostgreSQL; cargo xtask test runs it"]
fn servers_of_one_postgresql_need_names_of_their_own_and_the_same_key() {
    let cluster = Cluster::start_unsynced().unwrap();
    let url = cluster.url();
    let flags = ["--database", &*url];
    let key = "ef".repeat(32);
    let folders: Vec<TempDir> = (0..4).map(|_| TempDir::new().unwrap()).collect();
    let servers: Vec<Server> = std::thread::scope(|scope| {
        let start = |folder: &TempDir| start_with(folder.path(), &flags, Some(&key));
        let threads: Vec<_> =
            folders[..3].iter().map(|folder| scope.spawn(move || start(folder))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(servers[0].enter("register"), Some(201));
    let last = folders[3].path();
    check_refused(last, &flags, Some(&"cd".repeat(32)), &["the token key is not the one"]);
    check_refused(last, &flags, None, &["there is no token key"]);
    assert!(!last.join("token.key").exists());
    let name: PathBuf = folders[0].path().join("server.name");
    fs::copy(name, last.join("server.name")).unwrap();
    check_refused(last, &flags, Some(&key), &["another server named", "uses the database"]);
    drop(servers);
    drop(start_with(last, &flags, Some(&key)));
}
