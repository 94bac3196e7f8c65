//! A chess engine that is a program of its own: it speaks UCI, and plays instead of our bot where the
//! operator wants it to.
//!
//! A process that has answered is kept for the next question. One that is silent for too long, ends,
//! or names a move that the rules refuse is killed, and the question is another's to answer.

use std::env;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use bots::{Advice, AnyBot, Budget, Level, WIN};
use catalog::UciPosition;
use game_api::{Refused, Seed, Seen, excerpt};

/// An engine that takes longer to say that it is ready, or to stop, hangs.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often the clock of whoever asks is looked at.
const LOOK: Duration = Duration::from_millis(2);
/// No line of UCI that matters is longer.
const LINE_BYTES_MAX: u64 = 16 * 1024;
/// Lines that wait to be read; a chatty engine waits then.
const LINES_MAX: usize = 256;
/// All that an engine gets of the server's environment.
const KEPT_VARIABLES: [&str; 2] = ["PATH", "HOME"];
/// Every engine knows these: one thread for each question, and little memory.
const SETTINGS: [(&str, &str); 2] = [("Threads", "1"), ("Hash", "16")];

/// Why an engine is of no use.
#[derive(Debug, thiserror::Error)]
pub enum UciError {
    /// Its program cannot be run, or has ended.
    #[error("the engine does not run")]
    Process(#[from] io::Error),
    /// It hangs.
    #[error("the engine did not say {0} in time")]
    Silent(&'static str),
    /// It named something else than a move, or one that the rules refuse.
    #[error("the engine named no legal move: {0}")]
    NoMove(String),
    /// It has no position to think of.
    #[error("{}", .0.message)]
    Position(Refused),
}

/// An engine, in as many processes as are asked at once.
pub struct UciEngine {
    command: Vec<String>,
    settings: Vec<(String, String)>,
    name: String,
    idle: Mutex<Vec<Process>>,
}

impl UciEngine {
    /// Starts it once, to see that it speaks UCI. Words of the command are separated by blanks;
    /// settings are options of its own.
    pub fn open(command: &str, settings: &[(&str, &str)]) -> Result<UciEngine, UciError> {
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let mut engine = UciEngine {
            command: command.split_whitespace().map(str::to_owned).collect(),
            settings: SETTINGS.into_iter().chain(settings.iter().copied()).map(owned).collect(),
            name: String::new(),
            idle: Mutex::default(),
        };
        let (process, name) = engine.start()?;
        engine.name = name;
        engine.put_back(process);
        Ok(engine)
    }

    /// What it calls itself.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Thinks until the budget's clock is up or its nodes are spent.
    pub fn think(&self, seen: &Seen<'_>, budget: &Budget<'_>) -> Result<Advice, UciError> {
        let position = catalog::uci_position(seen).map_err(UciError::Position)?;
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut process = match idle {
            Some(process) => process,
            None => self.start()?.0,
        };
        // If any of this fails the process is dropped, and so killed.
        let (action, value) = process.think(&position, budget)?;
        let game = catalog::find(catalog::UCI_GAME);
        let legal = game.and_then(|game| game.legal_by_view(seen).ok());
        if !legal.is_some_and(|legal| legal.actions.contains(&action)) {
            return Err(UciError::NoMove(excerpt(&action)));
        }
        self.put_back(process);
        Ok(Advice { action, value })
    }

    fn start(&self) -> Result<(Process, String), UciError> {
        let mut process = Process::start(&self.command)?;
        let name = process.introduce(&self.settings)?;
        Ok((process, name))
    }

    fn put_back(&self, process: Process) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(process);
    }
}

/// The engine alone, at its own strength whatever the level.
impl AnyBot for UciEngine {
    fn choose(
        &self,
        seen: &Seen<'_>,
        _level: Level,
        budget: &Budget<'_>,
        _chance: &Seed,
    ) -> Result<Advice, Refused> {
        let failed =
            |error: UciError| Refused { code: "engine_failed", message: error.to_string() };
        self.think(seen, budget).map_err(failed)
    }

    fn remark(&self, _level: Level) -> Option<String> {
        Some(format!("Played by {}.", self.name))
    }
}

struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<String>,
}

impl Process {
    fn start(command: &[String]) -> Result<Process, UciError> {
        let (program, arguments) =
            command.split_first().ok_or(io::Error::from(io::ErrorKind::NotFound))?;
        // The server's environment can hold the token key and the database's password.
        let kept = KEPT_VARIABLES.into_iter().filter_map(|name| Some((name, env::var_os(name)?)));
        let mut child = Command::new(program)
            .args(arguments)
            .env_clear()
            .envs(kept)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::from(io::ErrorKind::BrokenPipe).into());
        };
        let lines = read_lines(output)?;
        Ok(Process { child, input, lines })
    }

    /// The handshake; gives the engine's name.
    fn introduce(&mut self, settings: &[(String, String)]) -> Result<String, UciError> {
        let until = Instant::now() + PATIENCE;
        let mut name = String::new();
        self.tell("uci")?;
        self.hear(until, "uciok", |line| {
            if let Some(said) = line.strip_prefix("id name ") {
                said.clone_into(&mut name);
            }
        })?;
        for (setting, value) in settings {
            self.tell(&format!("setoption name {setting} value {value}"))?;
        }
        self.tell("isready")?;
        self.hear(until, "readyok", |_| {})?;
        Ok(name)
    }

    fn tell(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.input, "{line}")
    }

    /// Reads up to the line that begins with a word; others are shown to `look`.
    fn hear(
        &mut self,
        until: Instant,
        word: &'static str,
        mut look: impl FnMut(&str),
    ) -> Result<String, UciError> {
        loop {
            let patience = until.saturating_duration_since(Instant::now());
            match self.next(patience)? {
                Some(line) if line.split_whitespace().next() == Some(word) => return Ok(line),
                Some(line) => look(&line),
                None => return Err(UciError::Silent(word)),
            }
        }
    }

    fn next(&self, patience: Duration) -> io::Result<Option<String>> {
        match self.lines.recv_timeout(patience) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    /// A move, and what it is worth.
    fn think(
        &mut self,
        position: &UciPosition,
        budget: &Budget<'_>,
    ) -> Result<(String, i32), UciError> {
        const MOVE: &str = "bestmove";
        self.tell(&format!("setoption name UCI_Chess960 value {}", position.is_chess960))?;
        self.tell(&format!("position fen {}", position.fen))?;
        match budget.nodes() {
            Some(nodes) => self.tell(&format!("go nodes {nodes}"))?,
            None => self.tell("go infinite")?,
        }
        let mut value = 0;
        let mut look = |line: &str| value = score(line).unwrap_or(value);
        let found = loop {
            match self.next(LOOK)? {
                Some(line) if line.starts_with(MOVE) => break line,
                Some(line) => look(&line),
                None => {}
            }
            if budget.is_time_up() {
                self.tell("stop")?;
                break self.hear(Instant::now() + PATIENCE, MOVE, &mut look)?;
            }
        };
        let action = found.split_whitespace().nth(1).unwrap_or_default().to_owned();
        Ok((action, value))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A thread that reads for as long as somebody listens, since a pipe knows no time-out.
fn read_lines(output: ChildStdout) -> io::Result<Receiver<String>> {
    let (send, lines) = sync_channel(LINES_MAX);
    let mut output = BufReader::new(output);
    let read = move || loop {
        let mut line = String::new();
        match (&mut output).take(LINE_BYTES_MAX).read_line(&mut line) {
            Ok(1..) if send.send(line.trim_end().to_owned()).is_ok() => {}
            _ => return,
        }
    };
    thread::Builder::new().name("uci".to_owned()).spawn(read)?;
    Ok(lines)
}

/// What an `info` line says of the side to move, in hundredths of a pawn.
fn score(line: &str) -> Option<i32> {
    let mut words = line.split_whitespace().skip_while(|word| *word != "score").skip(1);
    let (unit, number) = (words.next()?, words.next()?.parse::<i32>().ok()?);
    match unit {
        "cp" => Some(number.clamp(-WIN, WIN)),
        "mate" => Some(if number > 0 { WIN - number.min(WIN) } else { -WIN - number.max(-WIN) }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_score(line: &str, expected: Option<i32>) {
        assert_eq!(score(line), expected, "{line}");
    }

    #[test]
    fn a_score_is_read_from_the_lines_that_have_one() {
        check_score("info depth 9 seldepth 12 multipv 1 score cp 34 nodes 1 pv e2e4", Some(34));
        check_score("info depth 9 score mate 3 pv d1h5", Some(WIN - 3));
        check_score("info depth 9 score mate -2", Some(2 - WIN));
        check_score("info depth 9 score cp", None);
        check_score("info depth 9 score cp x", None);
        check_score("info string nothing to score", None);
        check_score("", None);
    }
}
