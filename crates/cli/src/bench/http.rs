//! HTTP as far as the load tool and `parlor bot` need it: one request, one answer, on a connection that stays.
//!
//! Blocks; many at once are many threads, which mostly wait.

use std::io::{self, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use serde_json::Value;

use super::progress::Progress;

/// A server that takes longer to answer is not there.
const PATIENCE: Duration = Duration::from_secs(30);
/// So that commits are shared, yet no queue of the server overflows.
const THREADS: usize = 16;
/// A log of the longest match is a few megabytes.
const ANSWER_BYTES_MAX: usize = 64 << 20;

/// A connection for requests.
pub(crate) struct Http {
    stream: TcpStream,
    address: SocketAddr,
    buffer: Vec<u8>,
    /// Asks again and again, instead of sleeping until it is woken.
    is_restless: bool,
}

/// A status and a body.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Http {
    pub(crate) fn open(address: SocketAddr) -> anyhow::Result<Http> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Http { stream, address, buffer: Vec::new(), is_restless: false })
    }

    /// One that never sleeps while it waits for an answer: to wake it would be the server's work, and
    /// late.
    pub(super) fn open_restless(address: SocketAddr) -> anyhow::Result<Http> {
        let http = Http::open(address)?;
        http.stream.set_nonblocking(true)?;
        Ok(Http { is_restless: true, ..http })
    }

    /// Sends a request and reads its answer.
    pub(crate) fn ask(
        &mut self,
        method: &str,
        path: &str,
        token: &str,
        body: Option<&Value>,
    ) -> anyhow::Result<Answer> {
        let address = self.address;
        let body = body.map(Value::to_string).unwrap_or_default();
        let kind = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
        let bearer = match token {
            "" => String::new(),
            token => format!("Authorization: Bearer {token}\r\n"),
        };
        let request = format!(
            "{method} /api/v1/{path} HTTP/1.1\r\nHost: {address}\r\n{bearer}{kind}\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        );
        self.stream.write_all(request.as_bytes())?;
        self.answer().with_context(|| format!("{method} /api/v1/{path}"))
    }

    /// Posts something that must succeed; gives the answer's JSON.
    pub(crate) fn post(
        &mut self,
        path: &str,
        token: &str,
        body: Option<&Value>,
    ) -> anyhow::Result<Value> {
        let answer = self.ask("POST", path, token, body)?;
        ensure!(
            (200..300).contains(&answer.status),
            "POST /api/v1/{path} was answered with {}: {}",
            answer.status,
            answer.body
        );
        Ok(serde_json::from_str(&answer.body)?)
    }

    fn read(&mut self, scratch: &mut [u8]) -> io::Result<usize> {
        let begin = Instant::now();
        loop {
            match self.stream.read(scratch) {
                Err(error)
                    if self.is_restless
                        && error.kind() == io::ErrorKind::WouldBlock
                        && begin.elapsed() < PATIENCE => {}
                read => return read,
            }
        }
    }

    fn answer(&mut self) -> anyhow::Result<Answer> {
        let mut scratch = [0; 8192];
        self.buffer.clear();
        let mut whole = None;
        while whole.is_none_or(|(_, end)| self.buffer.len() < end) {
            let count = self.read(&mut scratch)?;
            ensure!(count > 0, "the server closed the connection");
            self.buffer.extend_from_slice(&scratch[..count]);
            if whole.is_none()
                && let Some(at) = self.buffer.windows(4).position(|it| it == b"\r\n\r\n")
            {
                let head = std::str::from_utf8(&self.buffer[..at])?;
                let length = head.lines().find_map(|line| {
                    let (name, value) = line.split_once(':')?;
                    name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse())
                });
                let length: usize = length.transpose()?.unwrap_or(0);
                ensure!(length <= ANSWER_BYTES_MAX, "an answer of {length} bytes");
                whole = Some((at + 4, at + 4 + length));
            }
        }
        let Some((start, end)) = whole else { bail!("no answer") };
        let status = std::str::from_utf8(self.buffer.get(9..12).unwrap_or_default())?;
        let body = std::str::from_utf8(&self.buffer[start..end])?;
        Ok(Answer { status: status.parse()?, body: body.to_owned() })
    }
}

/// Does `work` for each index below `count`, several at a time; the results are in order.
pub(super) fn in_parallel<T: Send>(
    address: SocketAddr,
    count: usize,
    progress: &Progress,
    work: impl Fn(&mut Http, usize) -> anyhow::Result<T> + Sync,
) -> anyhow::Result<Vec<T>> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(count));
    thread::scope(|scope| {
        let worker = || -> anyhow::Result<()> {
            let mut http = Http::open(address)?;
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= count {
                    return Ok(());
                }
                let result = work(&mut http, index)?;
                progress.step();
                if let Ok(mut results) = results.lock() {
                    results.push((index, result));
                }
            }
        };
        let workers: Vec<_> = (0..THREADS.min(count)).map(|_| scope.spawn(worker)).collect();
        for worker in workers {
            worker.join().map_err(|_| anyhow::anyhow!("a thread panicked"))??;
        }
        anyhow::Ok(())
    })?;
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_unstable_by_key(|(index, _)| *index);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}
