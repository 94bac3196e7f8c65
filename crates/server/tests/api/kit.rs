//! A server on a port of its own, and clients for it: anonymous, browser, bearer.

use std::io::{self, Read as _};
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex};

use audit::{AuditFilter, AuditRecord};
use axum::Router;
use bytes::Bytes;
use domain::{Counter, ManualTime, MatchId, PlayerId, Role, SeatHolder};
use flate2::read::GzDecoder;
use futures_util::future::BoxFuture;
use game_api::{AnyGame, Commitment, Erased, Seed};
use http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, COOKIE, HOST, SET_COOKIE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use protocol::{AuthResponse, Code, Problem, Secret};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;
use server::App;
use server::config::{Bots, Config, Limits, Passwords, Quota, Sockets, Switch};
use server::http::ClientFile;
use storage::{Change, NewMatch, Store};
use storage_postgres::testing::TestDatabase;
use tempfile::TempDir;
use template::Template;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::document::Document;
use crate::fuse::Fuse;
use crate::line::Line;

/// When every test begins.
pub(crate) const NOW_MS: u64 = 1_794_700_000_000;

/// Everybody's.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// The catalogue, and two games for tests: the template, and one that breaks.
pub(crate) fn games(id: &str) -> Option<&'static dyn AnyGame> {
    static OTHERS: LazyLock<[Box<dyn AnyGame>; 2]> =
        LazyLock::new(|| [Box::new(Erased::new(Template)), Box::new(Erased::new(Fuse))]);
    let others = || OTHERS.iter().map(AsRef::as_ref).find(|game| game.meta().id == id);
    catalog::find(id).or_else(others)
}

/// A server that runs until it is stopped or the test ends.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) time: Arc<ManualTime>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<io::Result<()>>,
    data: Arc<Data>,
}

/// What a server's store lies in; gone after the test.
pub(crate) struct Data {
    folder: TempDir,
    database: Option<TestDatabase>,
}

/// The default settings, but cheap hashes, more attempts than a test makes, and bots in a hurry.
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
        limits: Limits { quotas: Switch::Off, address: many, account: many },
        sockets: Sockets { burst: NonZeroU32::MAX, messages_per_s: NonZeroU32::MAX },
        bots: Bots { think_ms: NonZeroU32::new(5).unwrap(), pause_ms: 0, ..Bots::default() },
        ..Config::default()
    }
}

/// The patient settings with quotas, as on a server for the public.
pub(crate) fn with_quotas() -> Config {
    let limits = Limits { quotas: Switch::On, ..patient().limits };
    Config { limits, ..patient() }
}

impl Data {
    /// SQLite, or what `PARLOR_TEST_API` names: `postgres`, on the server of
    /// `PARLOR_TEST_DATABASE`.
    async fn new() -> Data {
        let is_postgres = std::env::var("PARLOR_TEST_API").is_ok_and(|name| name == "postgres");
        let database = if is_postgres { Some(TestDatabase::create().await) } else { None };
        Data { folder: TempDir::new().unwrap(), database }
    }

    /// These settings, for this place.
    fn settle(&self, config: Config) -> Config {
        let url = self.database.as_ref().map(|database| Secret::new(database.url()));
        Config { data: self.folder.path().join("data"), database: url, ..config }
    }

    async fn open(&self) -> Arc<dyn Store> {
        // A crowd of a test may wait for a connection longer than clients should.
        match &self.database {
            Some(database) => Arc::new(database.connect().await.unwrap()),
            None => server::open_store(&self.settle(Config::default())).await.unwrap(),
        }
    }

    async fn app(&self, config: Config, store: Arc<dyn Store>, time: Arc<ManualTime>) -> Arc<App> {
        let config = self.settle(config);
        App::on(config, store, time, games, crate::bots::find).await.unwrap()
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
        let data = Arc::new(Data::new().await);
        TestServer::on(data, Arc::new(ManualTime::at(NOW_MS)), config, &[]).await
    }

    /// With other settings, and the service itself.
    pub(crate) async fn with_app(config: Config) -> (TestServer, Arc<App>) {
        LazyLock::force(&LOG);
        let (data, time) = (Arc::new(Data::new().await), Arc::new(ManualTime::at(NOW_MS)));
        let store = data.open().await;
        let app = data.app(config, store.clone(), time.clone()).await;
        let served = app.clone();
        let run = |listener, shutdown| served.run(listener, &[], shutdown);
        (TestServer::listening(data, time, store, run).await, app)
    }

    /// With the patient settings, on a line to its store that can break.
    pub(crate) async fn with_line() -> (TestServer, Arc<Line>) {
        LazyLock::force(&LOG);
        let (data, time) = (Arc::new(Data::new().await), Arc::new(ManualTime::at(NOW_MS)));
        let store = data.open().await;
        let line = Arc::new(Line::to(store.clone()));
        let app = data.app(patient(), line.clone(), time.clone()).await;
        let run = |listener, shutdown| app.run(listener, &[], shutdown);
        (TestServer::listening(data, time, store, run).await, line)
    }

    /// Another server with this name, on the same store.
    pub(crate) async fn beside(&self, name: &str) -> TestServer {
        let config = Config { name: Some(name.to_owned()), ..patient() };
        let (data, time, store) = (self.data.clone(), self.time.clone(), self.store.clone());
        let app = data.app(config, store.clone(), time.clone()).await;
        let run = |listener, shutdown| app.run(listener, &[], shutdown);
        TestServer::listening(data, time, store, run).await
    }

    /// With a browser client.
    pub(crate) async fn with_client(client: &'static [ClientFile]) -> TestServer {
        LazyLock::force(&LOG);
        let (data, time) = (Arc::new(Data::new().await), Arc::new(ManualTime::at(NOW_MS)));
        TestServer::on(data, time, patient(), client).await
    }

    async fn on(
        data: Arc<Data>,
        time: Arc<ManualTime>,
        config: Config,
        client: &'static [ClientFile],
    ) -> TestServer {
        let store = data.open().await;
        let app = data.app(config, store.clone(), time.clone()).await;
        let run = |listener, shutdown| app.run(listener, client, shutdown);
        TestServer::listening(data, time, store, run).await
    }

    /// Stops it, and starts another with the patient settings on the same data.
    pub(crate) async fn restart(self) -> TestServer {
        let TestServer { time, stop, task, data, .. } = self;
        stop.send(()).unwrap();
        task.await.unwrap().unwrap();
        TestServer::on(data, time, patient(), &[]).await
    }

    /// Stops it in order, and counts the bytes of its database; nothing on PostgreSQL.
    pub(crate) async fn weigh(self) -> u64 {
        let TestServer { stop, task, data, .. } = self;
        stop.send(()).unwrap();
        task.await.unwrap().unwrap();
        let files = std::fs::read_dir(data.folder.path().join("data")).unwrap();
        files.map(|file| file.unwrap().metadata().unwrap().len()).sum()
    }

    /// With routes of the test's own, inside the same shell.
    pub(crate) async fn with_routes(config: Config, routes: Router<Arc<App>>) -> TestServer {
        LazyLock::force(&LOG);
        let (data, time) = (Arc::new(Data::new().await), Arc::new(ManualTime::at(NOW_MS)));
        let store = data.open().await;
        let app = data.app(config, store.clone(), time.clone()).await;
        let door = app.door();
        let service = server::http::wrap(routes, app, &[]);
        let run = |listener, shutdown| server::serve(listener, service, door, shutdown);
        TestServer::listening(data, time, store, run).await
    }

    async fn listening<R: Future<Output = io::Result<()>> + Send + 'static>(
        data: Arc<Data>,
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
        TestServer { address, store, time, stop, task, data }
    }

    /// The folder in which everything is stored, if it is stored in files.
    pub(crate) fn files(&self) -> Option<PathBuf> {
        self.data.database.is_none().then(|| self.data.folder.path().join("data"))
    }

    /// Stops it, and keeps what is stored.
    pub(crate) async fn stop_and_keep(self) -> Arc<Data> {
        self.stop.send(()).unwrap();
        self.task.await.unwrap().unwrap();
        self.data
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

    /// Somebody with a new account.
    pub(crate) async fn register(&self, name: &str) -> User {
        let body = json!({"username": name, "password": PASSWORD});
        let browser = self.browser();
        let answer = browser.post("/api/v1/register", &body).await;
        self.user(browser, &answer.json(201))
    }

    /// The owner of an account in another browser.
    pub(crate) async fn login(&self, name: &str) -> User {
        let body = json!({"username": name, "password": PASSWORD});
        let browser = self.browser();
        let answer = browser.post("/api/v1/login", &body).await;
        self.user(browser, &answer.json(200))
    }

    /// The guest of a device.
    pub(crate) async fn guest(&self, device: &str) -> User {
        let browser = self.browser();
        let answer = browser.post("/api/v1/guest", &json!({"device_id": device})).await;
        self.user(browser, &answer.json(200))
    }

    /// An administrator with this name, made as `parlor admin` makes one.
    pub(crate) async fn admin(&self, name: &str) -> User {
        // Names such as `Root` are reserved, so the account is made under another.
        let backwards: String = name.chars().rev().collect();
        let player = self.register(&backwards).await.id;
        let name_change =
            Change::UpdateProfile { player, name: Some(name.to_owned()), avatar: None };
        let promotion = Change::SetRole { player, role: Role::Admin };
        self.store.commit(vec![name_change, promotion]).await.unwrap();
        self.login(name).await
    }

    fn user(&self, browser: Client, answer: &AuthResponse) -> User {
        let token = answer.token.expose().to_owned();
        User { id: answer.user.id, bearer: self.bearer(&token), browser, token }
    }

    /// The records of a request, the latest first.
    pub(crate) async fn records(&self, answer: &Answer) -> Vec<AuditRecord> {
        let correlation = Some(answer.request_id().to_owned());
        let filter = AuditFilter { correlation, limit: 100, ..AuditFilter::default() };
        self.store.query_audit(&filter).await.unwrap()
    }

    /// Stores a match that nobody holds yet, dealt from this seed or set up from a position.
    pub(crate) async fn deal(&self, deal: &Deal<'_>, users: &[User]) -> MatchId {
        static NUMBERS: Counter = Counter::starting_at(1);
        let game = games(deal.game).unwrap();
        let meta = game.meta();
        let id = MatchId::new(NOW_MS, NUMBERS.next());
        let new = NewMatch {
            id,
            game: deal.game.to_owned(),
            rules_version: meta.rules_version,
            options: deal.options.to_owned(),
            from_position: deal.position.map(str::to_owned),
            seed: deal.seed,
            commitment: Commitment::new(meta.id, meta.rules_version, deal.options, &deal.seed),
            settings: "{}".to_owned(),
            seats: users.iter().map(|user| SeatHolder::Player(user.id)).collect(),
            is_public: true,
            founder: None,
            created_ms: NOW_MS,
            owner: None,
            lease_until_ms: 0,
        };
        self.store.commit(vec![Change::CreateMatch(new)]).await.unwrap();
        id
    }

    /// The names of a match's records with their payloads, sorted.
    pub(crate) async fn records_of(&self, match_id: MatchId) -> Vec<(String, String)> {
        let match_id = Some(match_id);
        let filter = AuditFilter { match_id, limit: 100, ..AuditFilter::default() };
        let records = self.store.query_audit(&filter).await.unwrap().into_iter();
        let mut records: Vec<_> = records.map(|it| (it.name, it.payload)).collect();
        records.sort();
        records
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

    /// Ends it where it is, with nothing finished; the store stays open.
    pub(crate) async fn crash(self) {
        self.task.abort();
        assert!(self.task.await.unwrap_err().is_cancelled());
    }
}

/// How a match of a test's choice begins.
pub(crate) struct Deal<'a> {
    pub(crate) game: &'a str,
    /// As the game itself spells them.
    pub(crate) options: &'a str,
    pub(crate) position: Option<&'a str>,
    pub(crate) seed: Seed,
}

/// Somebody who is logged in, and the two ways in which the one session's token travels.
pub(crate) struct User {
    pub(crate) id: PlayerId,
    pub(crate) browser: Client,
    pub(crate) bearer: Client,
    pub(crate) token: String,
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

    /// Without a body.
    pub(crate) async fn post_empty(&self, path: &str) -> Answer {
        self.send(Method::POST, path, None, Bytes::new()).await
    }

    pub(crate) async fn put(&self, path: &str, body: &impl Serialize) -> Answer {
        self.send_json(Method::PUT, path, body).await
    }

    async fn send_json(&self, method: Method, path: &str, body: &impl Serialize) -> Answer {
        let body = serde_json::to_vec(body).unwrap();
        self.send(method, path, Some("application/json"), body).await
    }

    /// Anything at all, also what no client should send. What comes back must be described.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        content_type: Option<&str>,
        body: impl Into<Bytes>,
    ) -> Answer {
        let body = body.into();
        let answer = self.exchange(method.clone(), path, content_type, body.clone()).await;
        // HEAD is what axum makes of a GET; no description lists it.
        if path.starts_with("/api/v1") && method != Method::HEAD {
            Document::get(self).await.check(&method, path, &body, &answer);
        }
        answer
    }

    /// Without a look at the description.
    pub(crate) async fn exchange(
        &self,
        method: Method,
        path: &str,
        content_type: Option<&str>,
        body: Bytes,
    ) -> Answer {
        let mut request = Request::new(Full::new(body));
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
        Answer { status: parts.status, body: unpack(&parts.headers, body), headers: parts.headers }
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

/// The body of an answer, with compressed JSON as it was.
fn unpack(headers: &HeaderMap, body: Bytes) -> Bytes {
    let is = |name, value: &str| headers.get(name).is_some_and(|it| it == value);
    if !is(CONTENT_ENCODING, "gzip") || !is(CONTENT_TYPE, "application/json") {
        return body;
    }
    let mut plain = Vec::new();
    GzDecoder::new(&*body).read_to_end(&mut plain).unwrap();
    plain.into()
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

    /// Checks the status and that there is no body.
    #[track_caller]
    pub(crate) fn empty(&self) {
        assert_eq!((self.status.as_u16(), &*self.text()), (204, ""));
    }

    /// Whether this is a refusal with this code.
    pub(crate) fn is_problem(&self, code: Code) -> bool {
        let problem = serde_json::from_slice(&self.body);
        problem.is_ok_and(|problem: Problem| problem.code == code)
    }

    /// The request's id, which ties records and log lines to it.
    pub(crate) fn request_id(&self) -> &str {
        self.header("x-request-id")
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
