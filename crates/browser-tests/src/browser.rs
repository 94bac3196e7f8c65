//! A browser with a profile of its own: where it is, what it has heard, what it complains about.

use std::fs;
use std::panic::Location;
use std::path::Path;
use std::time::Instant;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use fantoccini::error::CmdError;
use fantoccini::wd::{Capabilities, WebDriverCompatibleCommand, WindowHandle};
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use url::{ParseError, Url};

use crate::accessible::is_named;
use crate::{LOOK_EVERY, Login, PATIENCE, driver, prepared};

/// How large a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
}

/// A usual screen.
pub const SCREEN: Size = Size { width: 1440, height: 900 };
/// A small phone.
pub const PHONE: Size = Size { width: 360, height: 740 };

/// The browser's program.
const BROWSER: &str = "PARLOR_TEST_BROWSER";

/// What browsers are started with: no sandbox, since a machine of tests may have only root; scroll bars
/// that take no room, as on a phone, so that a page has exactly its width.
const FLAGS: [&str; 11] = [
    "--headless=new",
    "--hide-scrollbars",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-renderer-backgrounding",
    "--disable-component-update",
    "--no-first-run",
    "--mute-audio",
];

/// Keeps what the page's sockets hear, how many of them were closed, and what was pressed last.
const OBSERVE: &str = "
(() => {
  const frames = [];
  Object.defineProperty(window, 'heardFrames', { value: frames });
  window.closedSockets = 0;
  window.WebSocket = class extends WebSocket {
    constructor(...words) {
      super(...words);
      this.addEventListener('message', (event) => frames.push([Date.now(), event.data]));
      this.addEventListener('close', () => { window.closedSockets += 1; });
    }
  };
  window.pressed = [];
  addEventListener('pointerdown', (event) => { window.pressed = event.composedPath(); }, true);
})()";

/// Something that a page heard by its socket.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// When, in milliseconds since 1970.
    pub at_ms: f64,
    /// What.
    pub text: String,
}

/// A browser that somebody sits at.
#[derive(Clone, Debug)]
pub struct Browser {
    /// Who, for messages.
    pub name: String,
    pub(crate) client: Client,
    url: String,
}

/// A command that only chromedriver knows.
#[derive(Debug)]
struct Own {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for Own {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.body.to_string()))
    }
}

impl Browser {
    /// Starts one, on a screen of this size. `url` is where relative addresses lead.
    pub(crate) async fn start(name: &str, url: String, size: Size) -> Browser {
        let window = format!("--window-size={},{}", size.width, size.height);
        let flags: Vec<&str> = FLAGS.into_iter().chain([window.as_str()]).collect();
        let capabilities = json!({
            "goog:chromeOptions": {"binary": prepared(BROWSER).to_str(), "args": flags},
            "goog:loggingPrefs": {"browser": "ALL"},
        });
        let capabilities: Capabilities = capabilities.as_object().cloned().unwrap_or_default();
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(driver::url())
            .await
            .unwrap_or_else(|error| panic!("no browser for {name}: {error}"));
        let browser = Browser { name: name.to_owned(), client, url };
        browser.prepare(size).await;
        browser
    }

    async fn prepare(&self, size: Size) {
        self.cdp("Page.enable", json!({})).await;
        self.before_pages(OBSERVE).await;
        self.resize(size).await;
        self.prefer_motion(false).await;
    }

    /// From now on a script runs in this tab before anything of a page.
    pub async fn before_pages(&self, script: &str) {
        self.cdp("Page.addScriptToEvaluateOnNewDocument", json!({"source": script})).await;
    }

    /// Gives the page this size.
    pub async fn resize(&self, Size { width, height }: Size) {
        let metrics =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.cdp("Emulation.setDeviceMetricsOverride", metrics).await;
        let has_size = format!("return innerWidth === {width} && innerHeight === {height}");
        let look = async || (self.run(&has_size).await == true).then_some(());
        self.until("for the page to have its size", look).await;
    }

    /// Emulates a system that prefers dark colours, or light ones, and reduced motion.
    pub async fn prefer_dark(&self, is_dark: bool) {
        let scheme = if is_dark { "dark" } else { "light" };
        let reduced = ("prefers-reduced-motion", "reduce");
        self.emulate_media(&[("prefers-color-scheme", scheme), reduced]).await;
    }

    /// Emulates a system that has motion on or off. It is off when a test begins, so that no result
    /// depends on how much of an animation has passed.
    pub async fn prefer_motion(&self, is_on: bool) {
        let value = if is_on { "no-preference" } else { "reduce" };
        self.emulate_media(&[("prefers-reduced-motion", value)]).await;
    }

    async fn emulate_media(&self, wanted: &[(&str, &str)]) {
        let feature = |(name, value): &(&str, &str)| json!({"name": name, "value": value});
        let features: Vec<Value> = wanted.iter().map(feature).collect();
        self.cdp("Emulation.setEmulatedMedia", json!({"features": features})).await;
        let query: Vec<String> =
            wanted.iter().map(|(name, value)| format!("({name}: {value})")).collect();
        let matches = format!("return matchMedia('{}').matches", query.join(" and "));
        let look = async || (self.run(&matches).await == true).then_some(());
        self.until("for the page to know what the system prefers", look).await;
    }

    /// Waits until nothing on the page moves.
    #[track_caller]
    pub fn rest(&self) -> impl Future<Output = ()> {
        let at = Location::caller();
        async move {
            let moving = "return document.getAnimations().some((it) => it.playState === 'running')";
            let look = async || (self.run(moving).await == false).then_some(());
            self.wait(at, "for motion to end", look).await;
        }
    }

    /// Gives it a login, as if it had been made here.
    pub async fn take(&self, login: &Login) {
        let cookie = json!({
            "name": "authToken", "value": login.token, "url": self.url,
            "httpOnly": true, "sameSite": "Strict",
        });
        self.cdp("Network.setCookie", cookie).await;
    }

    /// Goes to a page of the server by its address.
    pub async fn go(&self, path: &str) {
        self.goto(&format!("{}{path}", self.url)).await;
    }

    /// Goes to any address.
    pub async fn goto(&self, url: &str) {
        self.done("go to a page", self.client.goto(url).await);
    }

    /// Loads the page again.
    pub async fn reload(&self) {
        self.done("load again", self.client.refresh().await);
    }

    /// The path in the address bar.
    pub async fn path(&self) -> String {
        let url = self.done("read the address", self.client.current_url().await);
        url[url::Position::BeforePath..].to_owned()
    }

    /// Opens a page in another tab of the same person; commands go there from now on.
    pub async fn open_tab(&self, path: &str, size: Size) -> WindowHandle {
        let tab = self.done("open a tab", self.client.new_window(true).await).handle;
        self.turn_to(&tab).await;
        self.prepare(size).await;
        self.go(path).await;
        tab
    }

    /// The tab that commands go to.
    pub async fn tab(&self) -> WindowHandle {
        self.done("name the tab", self.client.window().await)
    }

    /// Commands go to this tab from now on.
    pub async fn turn_to(&self, tab: &WindowHandle) {
        self.done("turn to a tab", self.client.switch_to_window(tab.clone()).await);
    }

    /// Runs a script in the page and gives what it returns.
    pub async fn run(&self, script: &str) -> Value {
        self.done(script, self.client.execute(script, vec![]).await)
    }

    /// Runs a script in the page that returns a promise, and gives what comes of it.
    pub async fn run_async(&self, script: &str) -> Value {
        let script = format!(
            "const done = arguments[arguments.length - 1];
             (async () => {{ {script} }})().then(done, (error) => done(`failed: ${{error}}`));"
        );
        self.done(&script, self.client.execute_async(&script, vec![]).await)
    }

    /// Chooses from a list, by its label.
    pub async fn choose(&self, label: &str, value: &str) {
        self.see("combobox", label).await;
        self.run(&format!(
            "const label = [...document.querySelectorAll('label')]
                 .find((it) => it.firstChild.textContent === '{label}');
             const list = label.querySelector('select');
             list.value = '{value}';
             list.dispatchEvent(new Event('change'));"
        ))
        .await;
    }

    /// All that people can read on the page.
    pub async fn text(&self) -> String {
        self.run("return document.body.innerText").await.as_str().unwrap_or_default().to_owned()
    }

    /// Waits until a text can be read.
    #[track_caller]
    pub fn read(&self, text: &str) -> impl Future<Output = ()> {
        let at = Location::caller();
        async move {
            let what = format!("to read “{text}”");
            self.wait(at, &what, async || self.text().await.contains(text).then_some(())).await;
        }
    }

    /// Waits until a text can be read no more.
    #[track_caller]
    pub fn read_no_more(&self, text: &str) -> impl Future<Output = ()> {
        let at = Location::caller();
        async move {
            let what = format!("to read “{text}” no more");
            self.wait(at, &what, async || (!self.text().await.contains(text)).then_some(())).await;
        }
    }

    /// Waits until the page has this address, and gives it; one that ends in `…` is the beginning of it.
    #[track_caller]
    pub fn arrive(&self, path: &str) -> impl Future<Output = String> {
        let at = Location::caller();
        async move {
            let what = format!("to be at {path}");
            let look = async || Some(self.path().await).filter(|it| is_named(it, path));
            self.wait(at, &what, look).await
        }
    }

    /// Waits until something is there.
    #[track_caller]
    pub fn until<T>(
        &self,
        what: &str,
        look: impl AsyncFnMut() -> Option<T>,
    ) -> impl Future<Output = T> {
        self.wait(Location::caller(), what, look)
    }

    pub(crate) async fn wait<T>(
        &self,
        at: &Location<'_>,
        what: &str,
        mut look: impl AsyncFnMut() -> Option<T>,
    ) -> T {
        let begin = Instant::now();
        loop {
            if let Some(found) = look().await {
                return found;
            }
            if begin.elapsed() > PATIENCE {
                let (path, text) = (self.path().await, self.text().await);
                panic!("{at}: {} waits in vain {what}. At {path} there is:\n{text}", self.name);
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// All that the page heard by its sockets since it was loaded.
    pub async fn frames(&self) -> Vec<Frame> {
        let frames = self.run("return window.heardFrames").await;
        let frame =
            |it: &Value| Some(Frame { at_ms: it[0].as_f64()?, text: it[1].as_str()?.to_owned() });
        frames.as_array().into_iter().flatten().filter_map(frame).collect()
    }

    /// Sends a command of Chromium's own protocol.
    pub async fn cdp(&self, method: &str, params: Value) -> Value {
        let done = self.try_cdp(method, params).await;
        self.done(method, done)
    }

    pub(crate) async fn try_cdp(&self, method: &str, params: Value) -> Result<Value, CmdError> {
        let body = json!({"cmd": method, "params": params});
        self.client.issue_cmd(Own { path: "goog/cdp/execute", body }).await
    }

    /// What stands in the console since it was last asked: level and message.
    pub(crate) async fn console(&self) -> Vec<(String, String)> {
        let command = Own { path: "se/log", body: json!({"type": "browser"}) };
        let lines = self.done("read the console", self.client.issue_cmd(command).await);
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let line = |it: &Value| (text(&it["level"]), text(&it["message"]));
        lines.as_array().into_iter().flatten().map(line).collect()
    }

    /// Draws every tab into a file.
    pub(crate) async fn screenshots(&self, folder: &Path) {
        let tabs = self.client.windows().await.unwrap_or_default();
        for (number, tab) in tabs.iter().enumerate() {
            let name = folder.join(format!("{}-{number}.png", self.name));
            self.turn_to(tab).await;
            self.screenshot(&name).await;
        }
    }

    /// Draws the whole page into a file, also what one would scroll to.
    pub async fn screenshot(&self, file: &Path) {
        let whole = json!({"captureBeyondViewport": true});
        let drawn = self.try_cdp("Page.captureScreenshot", whole).await.unwrap_or_default();
        let image = BASE64_STANDARD.decode(drawn["data"].as_str().unwrap_or_default());
        fs::write(file, image.unwrap_or_default()).expect("a screenshot can be written");
    }

    pub(crate) async fn close(&self) {
        // One that is gone already needs no more.
        self.client.clone().close().await.ok();
    }

    pub(crate) fn done<T>(&self, what: &str, result: Result<T, CmdError>) -> T {
        result.unwrap_or_else(|error| panic!("{} cannot {what}: {error}", self.name))
    }
}
