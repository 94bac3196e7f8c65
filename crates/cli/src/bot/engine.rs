//! A program that speaks the lines of `parlor shell`, and is asked for actions.

use std::io::{BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};

use crate::line::{self, Line};

/// An engine that is silent for so much longer than it may think hangs.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) struct Engine {
    process: Child,
    input: ChildStdin,
    lines: Receiver<Line>,
    patience: Duration,
}

impl Engine {
    /// Starts it; words are separated by blanks. A reply takes no longer than `think`.
    pub(super) fn start(command: &str, think: Duration) -> anyhow::Result<Engine> {
        let mut words = command.split_whitespace();
        let program = words.next().context("an engine has a command")?;
        let mut process = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("{program} does not start"))?;
        let (input, output) = (process.stdin.take(), process.stdout.take());
        let input = input.context("the engine reads nothing")?;
        let lines = read_lines(output.context("the engine says nothing")?)?;
        Ok(Engine { process, input, lines, patience: think + PATIENCE })
    }

    /// One line, one reply; nothing if the engine refuses.
    pub(super) fn ask(&mut self, line: &str) -> anyhow::Result<Option<String>> {
        writeln!(self.input, "{line}").context("the engine has ended")?;
        self.input.flush().context("the engine has ended")?;
        let reply = match self.lines.recv_timeout(self.patience) {
            Ok(Line::Text(reply)) => reply,
            Ok(_) => bail!("the engine says what is no line"),
            Err(RecvTimeoutError::Timeout) => bail!("the engine does not answer"),
            Err(RecvTimeoutError::Disconnected) => bail!("the engine has ended"),
        };
        if let Some(answer) = reply.strip_prefix("= ") {
            return Ok(Some(answer.trim().to_owned()));
        }
        ensure!(reply.starts_with('?'), "the engine does not speak the protocol");
        let _ = writeln!(std::io::stderr(), "the engine refuses: {reply}");
        Ok(None)
    }
}

/// A thread that reads for as long as somebody listens, since a pipe knows no time-out.
fn read_lines(output: ChildStdout) -> anyhow::Result<Receiver<Line>> {
    let (send, lines) = sync_channel(1);
    let mut output = BufReader::new(output);
    let read = move || {
        while let Ok(Some(line)) = line::read(&mut output) {
            if send.send(line).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("engine".to_owned()).spawn(read)?;
    Ok(lines)
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
