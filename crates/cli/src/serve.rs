//! `parlor serve`, and `parlor config`, which says with what it would.

use std::io::Write as _;

use anyhow::Context as _;
use server::config::{Config, ConfigArgs};
use server::http::ClientFile;
use server::{Access, App, Overrides, telemetry};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

// `CLIENT`: the files of the browser client that the build was given, see `build.rs`.
include!(concat!(env!("OUT_DIR"), "/client.rs"));

/// Serves until it is asked to stop, and then finishes what is under way.
pub(crate) fn run(args: ConfigArgs, overrides: Overrides) -> anyhow::Result<()> {
    let config = Config::load(args)?;
    telemetry::start(&config.log)?;
    Runtime::new()?.block_on(async {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let listener = TcpListener::bind(config.listen)
            .await
            .with_context(|| format!("cannot listen on {}", config.listen))?;
        let app = App::start(config, Access::Serve(overrides)).await?;
        let shutdown = async {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        };
        Ok(app.run(listener, CLIENT, shutdown).await?)
    })
}

/// Prints the settings in effect.
pub(crate) fn print_config(args: ConfigArgs) -> anyhow::Result<()> {
    let config = Config::load(args)?;
    Ok(std::io::stdout().lock().write_all(config.redacted_toml()?.as_bytes())?)
}
