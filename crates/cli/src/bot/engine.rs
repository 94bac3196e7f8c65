//! A program that speaks the lines of `parlor shell`, and is asked for actions.

use std::io::{BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, bail, ensure};

use crate::line::{self, Line};

pub(super) struct Engine {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Engine {
    /// Starts it; words are separated by blanks.
    pub(super) fn start(command: &str) -> anyhow::Result<Engine> {
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
        let output = BufReader::new(output.context("the engine says nothing")?);
        Ok(Engine { process, input, output })
    }

    /// One line, one reply; nothing if the engine refuses.
    pub(super) fn ask(&mut self, line: &str) -> anyhow::Result<Option<String>> {
        writeln!(self.input, "{line}").context("the engine has ended")?;
        self.input.flush().context("the engine has ended")?;
        let reply = match line::read(&mut self.output)? {
            Some(Line::Text(reply)) => reply,
            Some(_) => bail!("the engine says what is no line"),
            None => bail!("the engine has ended"),
        };
        if let Some(answer) = reply.strip_prefix("= ") {
            return Ok(Some(answer.trim().to_owned()));
        }
        ensure!(reply.starts_with('?'), "the engine does not speak the protocol");
        let _ = writeln!(std::io::stderr(), "the engine refuses: {reply}");
        Ok(None)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
