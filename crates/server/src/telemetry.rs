//! What the server tells its operator: log lines on standard error, as text or as JSON, and metrics.
//!
//! What is never logged: passwords, tokens, cookies, seeds, bodies, query strings and addresses.

use std::io::IsTerminal as _;
use std::sync::OnceLock;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{Layer as _, fmt};

use crate::config::{ConfigError, Log, LogFormat};

/// Sends the log of this process to standard error from now on. A second call changes nothing.
pub fn start(log: &Log) -> Result<(), ConfigError> {
    let filter: Targets = log.filter.parse().map_err(|_| ConfigError::Field {
        field: "log.filter".to_owned(),
        message: "expected levels such as `info,server::http=warn`".to_owned(),
    })?;
    let filter = hush_libraries(filter);
    // sqlx warns of parameters of an address that it does not know, and prints their values.
    let filter = filter.with_target("sqlx_postgres::options", LevelFilter::OFF);
    let lines = fmt::layer().with_writer(std::io::stderr);
    let lines = match log.format {
        LogFormat::Text => lines.with_ansi(std::io::stderr().is_terminal()).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).boxed(),
    };
    // It fails only if this process has a log already, as a test's has.
    tracing_subscriber::registry().with(lines.with_filter(filter)).try_init().ok();
    Ok(())
}

/// Crates of Parlor, all of whose lines are free of secrets.
const OWN: [&str; 8] = ["audit", "bots", "cli", "identity", "parlor", "play", "server", "storage"];

/// A level below `info` for everything is meant for Parlor's own lines. What libraries write there is
/// not ours to judge and can hold parts of requests, so a library must be named to be heard.
fn hush_libraries(filter: Targets) -> Targets {
    let level = filter.default_level().unwrap_or(LevelFilter::OFF);
    if level <= LevelFilter::INFO {
        return filter;
    }
    let named: Vec<String> = filter.iter().map(|(target, _)| target.to_owned()).collect();
    let own = OWN.iter().filter(|own| !named.iter().any(|target| target == *own));
    own.fold(filter.with_default(LevelFilter::INFO), |filter, own| filter.with_target(*own, level))
}

/// From a fast read to a slow log-in.
const REQUEST_SECONDS: [f64; 11] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0];

/// The counts of this process.
#[derive(Clone)]
pub struct Metrics(PrometheusHandle);

impl Metrics {
    /// As Prometheus reads them.
    pub fn render(&self) -> String {
        self.0.render()
    }

    /// Sums samples up; unless this is called from time to time they use ever more memory.
    pub fn upkeep(&self) {
        self.0.run_upkeep();
    }
}

/// Counts from the first call on. A process has one set of them.
pub fn metrics() -> Metrics {
    static METRICS: OnceLock<Metrics> = OnceLock::new();
    let install = || {
        let seconds = Matcher::Suffix("_seconds".to_owned());
        let builder = PrometheusBuilder::new().set_buckets_for_metric(seconds, &REQUEST_SECONDS);
        let recorder = builder.unwrap_or_default().build_recorder();
        let metrics = Metrics(recorder.handle());
        // It fails only if the process counts elsewhere already; then these stay empty.
        metrics::set_global_recorder(recorder).ok();
        metrics
    };
    METRICS.get_or_init(install).clone()
}

#[cfg(test)]
mod tests {
    use tracing::Level;
    use tracing_subscriber::filter::Targets;

    use super::{hush_libraries, start};
    use crate::config::{Log, LogFormat};

    #[test]
    fn libraries_say_no_more_than_info_unless_they_are_named() {
        let check = |filter: &str, target: &str, level: Level, expected: bool| {
            let filter = hush_libraries(filter.parse::<Targets>().unwrap());
            assert_eq!(filter.would_enable(target, &level), expected, "{filter} {target} {level}");
        };
        check("info", "hyper::proto", Level::INFO, true);
        check("info", "server::http", Level::DEBUG, false);
        check("trace", "hyper::proto", Level::INFO, true);
        check("trace", "hyper::proto", Level::DEBUG, false);
        check("debug", "rustls::client", Level::DEBUG, false);
        check("trace", "server::http", Level::TRACE, true);
        check("debug", "server::http", Level::DEBUG, true);
        check("debug", "storage_sqlite", Level::TRACE, false);
        check("trace,server=warn", "server::http", Level::INFO, false);
        check("trace,hyper=debug", "hyper::proto", Level::DEBUG, true);
        check("warn", "hyper::proto", Level::INFO, false);
        check("hyper=trace", "hyper::proto", Level::TRACE, true);
        check("hyper=trace", "server::http", Level::ERROR, false);
    }

    #[test]
    fn a_filter_that_cannot_be_read_is_refused() {
        let log = |filter: &str| Log { format: LogFormat::Json, filter: filter.to_owned() };
        assert!(start(&log("warn,server::http=off")).is_ok());
        let error = start(&log("server=loud")).unwrap_err();
        assert!(error.to_string().starts_with("`log.filter`"), "{error}");
    }
}
