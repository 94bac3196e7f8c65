//! A server on a port of its own, and clients for it: anonymous, browser, bearer.

use std::io;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::{Arc, LazyLock, Mutex};

use axum::Router;
use bytes::Bytes;
use domain::ManualTime;
use futures_util::future::BoxFuture;
use http::header::{AUTHORIZATION, CONTENT_TYPE, COOKIE, HOST, SET_COOKIE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use protocol::{Code, Problem, Secret};
use serde::Serialize;
use serde::de::DeserializeOwned;
use server::App;
use server::config::{Config, Limits, Passwords, Quota};
use storage::Store;
use storage_postgres::testing::TestDatabase;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// When every test begins.
pub(crate) const NOW_MS: u64 = 1_794_700_000_000;

/// A server that runs until it is stopped or the test ends.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) time: Arc<ManualTime>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<io::Result<()>>,
    _data: Data,
}

/// What a server's store lies in; gone after the test.
pub(crate) struct Data {
    folder: TempDir,
    database: Option<TestDatabase>,
}

/// The default settings, but cheap hashes and more attempts than a test makes.
pub(crate) fn patient() -> Config {
    let one = NonZeroU32::MIN;
    let many = Quota { burst: NonZeroU32::MAX, period_s: one };
    Config {
        passwords: Passwords {
            memory_kib: NonZeroU32::new(8).unwrap(),
            passes: one,
            queue: 2000,
            ..Passwords::default()
        },
        limits: Limits { address: many, account: many },
        ..Config::default()
    }
}

impl Data {
    /// SQLite, or what `PARLOR_TEST_API` names: `postgres`, on the server of
    /// `PARLOR_TEST_DATABASE`.
    async fn new() -> Data {
        let is_postgres = std::env::var("PARLOR_TEST_API").is_ok_and(|name| name == "postgres");
        let database = if is_postgres { Some(TestDatabase::create().await) } else { None };
        Data { folder: TempDir::new().unwrap(), database }
    }

    async fn app(&self, config: Config, time: Arc<ManualTime>) -> Arc<App> {
        let url = self.database.as_ref().map(|database| Secret::new(database.url()));
        let config = Config { data: self.folder.path().join("data"), database: url, ..config };
        let store = server::open_store(&config).await.unwrap();
        App::on(config, store, time).await.unwrap()
    }
}

impl TestServer {
    /// With the patient settings.
    pub(crate) async fn start() -> TestServer {
        TestServer::with(patient()).await
    }

    /// With other settings.
    pub(crate) async fn with(config: Config) -> TestServer {
        LazyLock::force(&LOG);
        let (data, time) = (Data::new().await, Arc::new(ManualTime::at(NOW_MS)));
        let app = data.app(config, time.clone()).await;
        let store = app.store.clone();
        let run = |listener, shutdown| app.run(listener, shutdown);
        TestServer::listening(data, time, store, run).await
    }

    /// With routes of the test's own, inside the same shell.
    pub(crate) async fn with_routes(config: Config, routes: Router<Arc<App>>) -> TestServer {
        LazyLock::force(&LOG);
        let (data, time) = (Data::new().await, Arc::new(ManualTime::at(NOW_MS)));
        let app = data.app(config, time.clone()).await;
        let store = app.store.clone();
        let service = server::http::wrap(routes, app);
        let run = |listener, shutdown| server::serve(listener, service, shutdown);
        TestServer::listening(data, time, store, run).await
    }

    async fn listening<R: Future<Output = io::Result<()>> + Send + 'static>(
        data: Data,
        time: Arc<ManualTime>,
        store: Arc<dyn Store>,
        run: impl FnOnce(TcpListener, BoxFuture<'static, ()>) -> R,
    ) -> TestServer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        // A dropped sender must not stop the server: a test may only want its address.
        let shutdown = async {
            if stopped.await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        let task = tokio::spawn(run(listener, Box::pin(shutdown)));
        TestServer { address, store, time, stop, task, _data: data }
    }

    /// Somebody who is not logged in, with no browser.
    pub(crate) fn anonymous(&self) -> Client {
        Client { address: self.address, headers: HeaderMap::new(), cookie: None }
    }

    /// A browser: keeps the cookie, and says that its own page asks.
    pub(crate) fn browser(&self) -> Client {
        let client = Client { cookie: Some(Arc::default()), ..self.anonymous() };
        client.with("sec-fetch-site", "same-origin")
    }

    /// A program with a token.
    pub(crate) fn bearer(&self, token: &str) -> Client {
        self.anonymous().with(AUTHORIZATION.as_str(), &format!("Bearer {token}"))
    }

    /// Sends bytes as they are, and returns all that comes back until the end.
    pub(crate) async fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        let mut answer = Vec::new();
        // A reset after an answer is an end too.
        stream.read_to_end(&mut answer).await.ok();
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Asks it to stop, and waits until it has.
    pub(crate) async fn stop(self) {
        self.stop.send(()).unwrap();
        self.task.await.unwrap().unwrap();
    }
}

/// Somebody who asks; each clone of a browser shares its cookie.
#[derive(Clone)]
pub(crate) struct Client {
    address: SocketAddr,
    headers: HeaderMap,
    cookie: Option<Arc<Mutex<Option<String>>>>,
}

impl Client {
    /// Sends this header every time.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Client {
        let name: HeaderName = name.parse().unwrap();
        self.headers.insert(name, value.parse().unwrap());
        self
    }

    /// The token that this browser holds.
    pub(crate) fn cookie(&self) -> Option<String> {
        self.cookie.as_ref()?.lock().unwrap().clone()
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None, Bytes::new()).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, None, Bytes::new()).await
    }

    pub(crate) async fn post(&self, path: &str, body: &impl Serialize) -> Answer {
        self.send_json(Method::POST, path, body).await
    }

    pub(crate) async fn put(&self, path: &str, body: &impl Serialize) -> Answer {
        self.send_json(Method::PUT, path, body).await
    }

    async fn send_json(&self, method: Method, path: &str, body: &impl Serialize) -> Answer {
        let body = serde_json::to_vec(body).unwrap();
        self.send(method, path, Some("application/json"), body).await
    }

    /// Anything at all, also what no client should send.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        content_type: Option<&str>,
        body: impl Into<Bytes>,
    ) -> Answer {
        let mut request = Request::new(Full::new(body.into()));
        *request.method_mut() = method;
        *request.uri_mut() = path.parse().unwrap();
        let headers = request.headers_mut();
        headers.insert(HOST, self.address.to_string().parse().unwrap());
        if let Some(kind) = content_type {
            headers.insert(CONTENT_TYPE, kind.parse().unwrap());
        }
        if let Some(token) = self.cookie() {
            headers.insert(COOKIE, format!("authToken={token}").parse().unwrap());
        }
        for (name, value) in &self.headers {
            headers.insert(name, value.clone());
        }
        let stream = TcpStream::connect(self.address).await.unwrap();
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
        let connection = tokio::spawn(connection);
        let (parts, body) = sender.send_request(request).await.unwrap().into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        connection.abort();
        self.keep_cookie(&parts.headers);
        Answer { status: parts.status, headers: parts.headers, body }
    }

    fn keep_cookie(&self, headers: &HeaderMap) {
        let Some(cookie) = &self.cookie else { return };
        for line in headers.get_all(SET_COOKIE) {
            let line = line.to_str().unwrap();
            let value = line.strip_prefix("authToken=").unwrap().split(';').next().unwrap();
            let is_gone = line.contains("Max-Age=0;");
            *cookie.lock().unwrap() = (!is_gone).then(|| value.to_owned());
        }
    }
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// The text of a header, empty if it is not there.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(HeaderValue::to_str).transpose().unwrap().unwrap_or_default()
    }

    /// Checks the status and reads the body.
    #[track_caller]
    pub(crate) fn json<T: DeserializeOwned>(&self, status: u16) -> T {
        assert_eq!(self.status.as_u16(), status, "{}", self.text());
        assert_eq!(self.header("content-type"), "application/json");
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Checks that this is the whole of a refusal with this code.
    #[track_caller]
    pub(crate) fn problem(&self, code: Code) -> Problem {
        assert_eq!(self.status.as_u16(), code.status(), "{}", self.text());
        assert_eq!(self.header("content-type"), "application/problem+json");
        let problem: Problem = serde_json::from_slice(&self.body).unwrap();
        let expected = Problem::new(code, &*problem.detail, self.header("x-request-id"));
        assert_eq!(problem, expected);
        assert!(!problem.detail.is_empty());
        assert_eq!(self.headers.contains_key("www-authenticate"), code.status() == 401);
        problem
    }
}

/// One for all servers of this process, and there before the first of them.
static LOG: LazyLock<Lines> = LazyLock::new(|| {
    let lines = Lines::default();
    let writer = lines.clone();
    tracing_subscriber::fmt().json().with_writer(move || writer.clone()).init();
    lines
});

/// All that the servers of this process have logged so far, an object a line.
pub(crate) fn log() -> String {
    String::from_utf8(LOG.0.lock().unwrap().clone()).unwrap()
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
