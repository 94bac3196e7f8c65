//! `parlor export`: a finished match as a file, from the database itself.

use std::io::Write as _;

use anyhow::anyhow;
use domain::MatchId;
use server::config::{Config, ConfigArgs};
use server::{Access, App};
use tokio::runtime::Runtime;

/// Writes the match to standard output.
pub(crate) fn run(args: ConfigArgs, id: MatchId, format: &str) -> anyhow::Result<()> {
    let config = Config::load(args)?;
    let exported = Runtime::new()?.block_on(async {
        let app = App::start(config, Access::Beside).await?;
        let exported = app.export(id, format).await;
        app.store.close().await;
        exported.map_err(|refusal| anyhow!("{}: {}", refusal.code(), refusal.detail()))
    })?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}", exported.text.trim_end_matches('\n'))?;
    Ok(())
}
