//! Looks after all sockets: ends those of dead sessions, and asks the silent ones whether they live.

use std::time::Duration;

use super::CloseReason;
use crate::app::App;

/// How soon a session's end closes its sockets.
const PERIOD: Duration = Duration::from_secs(1);
/// Proxies cut lines that are silent for a minute.
pub const PING_AFTER_MS: u64 = 25_000;
/// Two pings were not answered.
pub const TIMEOUT_MS: u64 = 60_000;

/// Runs until it is dropped.
pub(crate) async fn keep_watch(app: &App) {
    let mut ping = Vec::new();
    super::frame::ping(&mut ping, b"");
    let mut interval = tokio::time::interval(PERIOD);
    loop {
        interval.tick().await;
        let now_ms = app.house.time.now_ms();
        app.bus.for_each_connection(|connection| {
            let silent_ms = now_ms.saturating_sub(connection.heard_ms());
            if app.accounts.is_ended(connection.claims()) {
                connection.close(CloseReason::SessionEnded);
            } else if silent_ms >= TIMEOUT_MS {
                connection.close(CloseReason::TimedOut);
            } else if silent_ms >= PING_AFTER_MS && connection.is_ping_due(now_ms, PING_AFTER_MS) {
                connection.send(&ping);
            }
        });
    }
}
