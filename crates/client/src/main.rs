//! The browser application: M7 to M14 on the screen.
//!
//! It draws and passes on. What can be decided without a browser is in `client-core`, rules are the
//! games', and the server alone judges.

#![expect(clippy::needless_pass_by_value, reason = "a component owns what it is given")]
#![expect(unreachable_pub, reason = "the component macro makes its properties public")]

mod api;
mod avatar;
mod boards;
mod browser;
mod navigation;
mod notice;
mod pages;
mod reading;
mod realtime;
mod rules;
mod session;
mod settings;
mod shell;
mod sound;
mod thinker;
mod watch_key;

// Shows the application in place of the page's own words.
fn main() {
    if let Some(waiting) = leptos::prelude::document().get_element_by_id("shell") {
        waiting.remove();
    }
    leptos::mount::mount_to_body(shell::Shell);
}
