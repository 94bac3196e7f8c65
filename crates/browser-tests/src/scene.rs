//! A test: its server, its browsers, and what is left of it if it fails.

use std::any::type_name;
use std::fmt::Write as _;
use std::fs;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::path::PathBuf;

use futures_util::FutureExt as _;

use crate::{Browser, Login, Parlor, SCREEN, prepared};

/// Where failed tests leave what they saw.
const OUTPUT: &str = "PARLOR_TEST_OUTPUT";

/// What a test has.
pub struct Scene {
    /// Its server.
    pub parlor: Parlor,
    browsers: Vec<Browser>,
    expected: Vec<String>,
}

impl Scene {
    /// A browser on a usual screen, at which nobody is logged in.
    pub async fn browser(&mut self, name: &str) -> Browser {
        let browser = Browser::start(name, self.parlor.url(""), SCREEN).await;
        self.browsers.push(browser.clone());
        browser
    }

    /// A browser on a usual screen, with a login.
    pub async fn browser_with(&mut self, login: &Login) -> Browser {
        let browser = self.browser(&login.name).await;
        browser.take(login).await;
        browser
    }

    /// The console may say this.
    pub fn expect_console(&mut self, part: &str) {
        self.expected.push(part.to_owned());
    }

    /// What the consoles say that is not expected, and all that they say.
    async fn consoles(&self) -> (Vec<String>, String) {
        let (mut complaints, mut all) = (Vec::new(), String::new());
        for browser in &self.browsers {
            for (level, message) in browser.console().await {
                let line = format!("{} {level}: {message}", browser.name);
                // Writing to a text cannot fail.
                let _ = writeln!(all, "{line}");
                let mut expected = self.expected.iter();
                let is_trouble = ["SEVERE", "WARNING"].contains(&level.as_str());
                if is_trouble && !expected.any(|part| message.contains(part)) {
                    complaints.push(line);
                }
            }
        }
        (complaints, all)
    }

    /// Leaves what is seen now in the folder of the test.
    async fn leave(&self, name: &str, console: &str) {
        let folder = folder(name);
        fs::write(folder.join("console.log"), console).expect("the console can be kept");
        fs::write(folder.join("server.log"), self.parlor.log()).expect("the log can be kept");
        for browser in &self.browsers {
            browser.screenshots(&folder).await;
        }
        eprintln!("{name}: what was seen is in {}", folder.display());
    }
}

/// A folder for what people are to look at after the tests.
pub fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(prepared(OUTPUT)).join(name);
    fs::create_dir_all(&folder).expect("the folder can be made");
    folder
}

/// Runs a test. It fails by a panic, and if a console has an error or a warning that nobody expected.
pub fn play<T: AsyncFnOnce(&mut Scene)>(act: T) {
    // The test's own name: that of the function around the closure.
    let name = type_name::<T>().trim_end_matches("::{{closure}}");
    let name = name.rsplit("::").next().unwrap_or(name);
    // What an earlier run left is no longer so.
    fs::remove_dir_all(folder(name)).expect("the folder can be removed");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("there are threads").block_on(async {
        let (browsers, expected) = (Vec::new(), Vec::new());
        let mut scene = Scene { parlor: Parlor::start(), browsers, expected };
        let played = AssertUnwindSafe(act(&mut scene)).catch_unwind().await;
        let looked = AssertUnwindSafe(scene.consoles()).catch_unwind().await;
        let (complaints, console) = looked.unwrap_or_default();
        if played.is_err() || !complaints.is_empty() {
            // The first failure is the one to tell of.
            AssertUnwindSafe(scene.leave(name, &console)).catch_unwind().await.ok();
        }
        for browser in &scene.browsers {
            browser.close().await;
        }
        if let Err(panic) = played {
            resume_unwind(panic);
        }
        assert!(complaints.is_empty(), "the console complains: {complaints:#?}");
    });
}
