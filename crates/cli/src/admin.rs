//! `parlor admin`: what an operator does beside the server, which may be running.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::{Context as _, anyhow};
use audit::{AuditFilter, AuditRecord, Context, Kind, Severity};
use clap::{Args, Subcommand};
use domain::{AuditId, MatchId, PlayerId, Role, SessionId};
use server::config::{Config, ConfigArgs};
use server::{Access, App};
use storage::Player;
use tokio::runtime::Runtime;

/// What audit records of these commands have instead of a request's id.
const CORRELATION: &str = "parlor-admin";

#[derive(Subcommand)]
pub(crate) enum Task {
    /// Let somebody read and redact the audit log
    MakeAdmin {
        /// The account
        name: String,
    },
    /// Give an account a new password, which is read from standard input
    ResetPassword {
        /// The account
        name: String,
    },
    /// Remove an account; its games stay, without a name
    DeleteUser {
        /// The account, or the guest
        name: String,
    },
    /// Read everything, replay every match, and say what is damaged
    Check,
    /// The audit log
    #[command(subcommand)]
    Audit(AuditTask),
}

#[derive(Subcommand)]
pub(crate) enum AuditTask {
    /// Print records, the latest first
    Query(Filter),
    /// Remove records that are past their retention
    Purge {
        /// How many days stay; the configured number if left out
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
        days: Option<u32>,
    },
    /// Take the values of fields out of a record, for good
    Redact {
        /// The record
        id: AuditId,
        /// The fields; a dot leads into an object
        #[arg(required = true)]
        fields: Vec<String>,
    },
}

#[derive(Args)]
pub(crate) struct Filter {
    /// Not before this time, such as 2026-11-15T12:00:00Z
    #[arg(long, value_parser = read_time)]
    from: Option<u64>,
    /// Before this time
    #[arg(long, value_parser = read_time)]
    until: Option<u64>,
    /// auth, gameplay or system
    #[arg(long)]
    kind: Option<Kind>,
    /// The event's name, such as `login_failed`
    #[arg(long)]
    name: Option<String>,
    /// About this person, by name or id
    #[arg(long)]
    user: Option<String>,
    /// In this login
    #[arg(long)]
    session: Option<SessionId>,
    /// In this match
    #[arg(long = "match")]
    match_id: Option<MatchId>,
    /// info, warning or error
    #[arg(long)]
    severity: Option<Severity>,
    /// Of this request
    #[arg(long)]
    correlation: Option<String>,
    /// Older than this record
    #[arg(long)]
    before: Option<AuditId>,
    /// How many
    #[arg(long, default_value_t = 50)]
    limit: u32,
}

fn read_time(text: &str) -> Result<u64, String> {
    let time = humantime::parse_rfc3339_weak(text).map_err(|error| error.to_string())?;
    let since_1970 = time.duration_since(UNIX_EPOCH).map_err(|error| error.to_string())?;
    u64::try_from(since_1970.as_millis()).map_err(|error| error.to_string())
}

pub(crate) fn run(args: ConfigArgs, task: Task) -> anyhow::Result<()> {
    let config = Config::load(args)?;
    Runtime::new()?.block_on(async {
        if matches!(task, Task::Check) {
            return check(&config).await;
        }
        let app = App::start(config, Access::Beside).await?;
        let done = perform(&app, task).await;
        app.store.close().await;
        done
    })
}

async fn perform(app: &App, task: Task) -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    match task {
        Task::MakeAdmin { name } => {
            let player = find(app, &name).await?;
            if player.role == Role::Guest {
                return Err(anyhow!("{} is a guest: only an account can be an admin", player.name));
            }
            app.accounts.set_role(player.id, Role::Admin, context(&player)).await?;
            writeln!(out, "{} is an admin from the next login on", player.name)?;
        }
        Task::ResetPassword { name } => {
            let player = find(app, &name).await?;
            let password = read_password()?;
            app.accounts.reset_password(&player, &password, context(&player)).await?;
            writeln!(out, "{} has a new password and is logged out everywhere", player.name)?;
        }
        Task::DeleteUser { name } => {
            let player = find(app, &name).await?;
            let deleted = app.delete_account(player.id, context(&player)).await;
            deleted.map_err(|refusal| anyhow!("{}: {}", refusal.code(), refusal.detail()))?;
            writeln!(out, "{} is gone", player.name)?;
        }
        // It needs no service, and may have to do with one that cannot start.
        Task::Check => check(&app.config).await?,
        Task::Audit(AuditTask::Query(filter)) => print_records(app, filter).await?,
        Task::Audit(AuditTask::Purge { days }) => {
            let days = days.unwrap_or(app.config.audit.retention_days.get());
            let purged = app.purge_audit(days, admin_context()).await?;
            writeln!(out, "removed {purged} records older than {days} days")?;
        }
        Task::Audit(AuditTask::Redact { id, fields }) => {
            let redacted = app.redact_audit(id, fields, admin_context()).await;
            redacted.map_err(|refusal| anyhow!("{}: {}", refusal.code(), refusal.detail()))?;
            writeln!(out, "redacted {id}")?;
        }
    }
    Ok(())
}

/// Prints each problem in a line, and what was read.
async fn check(config: &Config) -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    let mut tell = |problem: &str| {
        // If nobody reads the lines, the exit code still tells.
        let _ = writeln!(std::io::stdout(), "problem: {problem}");
    };
    let found = server::check(config, catalog::find, &mut tell).await?;
    // A reader that has left must not turn problems into success.
    let _ = writeln!(
        out,
        "{} players, {} running and {} finished matches with {} entries, {} lobbies, {} waiting",
        found.players, found.running, found.finished, found.entries, found.lobbies, found.pairings,
    );
    if found.not_replayed > 0 {
        let other = found.not_replayed;
        let _ = writeln!(out, "{other} matches of other rules or words were not replayed");
    }
    match found.problems {
        0 => Ok(writeln!(out, "no problems")?),
        1 => Err(anyhow!("1 problem")),
        count => Err(anyhow!("{count} problems")),
    }
}

async fn find(app: &App, name: &str) -> anyhow::Result<Player> {
    let player = app.store.find_player_by_name(name).await?;
    player.with_context(|| format!("nobody is called {name:?}"))
}

fn admin_context() -> Context {
    Context { correlation: Some(CORRELATION.to_owned()), ..Context::default() }
}

fn context(player: &Player) -> Context {
    Context { user: Some(player.id), ..admin_context() }
}

/// Unseen from a terminal, else the first line.
fn read_password() -> anyhow::Result<String> {
    if std::io::stdin().is_terminal() {
        return Ok(rpassword::prompt_password("New password: ")?);
    }
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

async fn print_records(app: &App, filter: Filter) -> anyhow::Result<()> {
    let user = match filter.user {
        None => None,
        // By id, for an account that is gone.
        Some(user) => match user.parse::<PlayerId>() {
            Ok(id) => Some(id),
            Err(_) => Some(find(app, &user).await?.id),
        },
    };
    let filter = AuditFilter {
        from_ms: filter.from,
        until_ms: filter.until,
        kind: filter.kind,
        name: filter.name,
        user,
        session: filter.session,
        match_id: filter.match_id,
        severity: filter.severity,
        correlation: filter.correlation,
        before: filter.before,
        limit: filter.limit,
    };
    let mut out = std::io::stdout().lock();
    for record in app.store.query_audit(&filter).await? {
        writeln!(out, "{}", line(&record))?;
    }
    Ok(())
}

fn line(record: &AuditRecord) -> String {
    let time = UNIX_EPOCH + Duration::from_millis(record.at_ms);
    let AuditRecord { id, name, context, .. } = record;
    let (severity, kind) = (record.severity.as_str(), record.kind.as_str());
    let time = humantime::format_rfc3339_millis(time);
    let mut line = format!("{time} {id} {severity:<7} {kind:<8} {name}");
    let about = [
        ("user", context.user.map(|id| id.to_string())),
        ("session", context.session.map(|id| id.to_string())),
        ("match", context.match_id.map(|id| id.to_string())),
        ("request", context.correlation.clone()),
    ];
    for (word, value) in about {
        if let Some(value) = value {
            line.extend([" ", word, "=", &value]);
        }
    }
    if record.payload != "{}" {
        line.extend([" ", &record.payload]);
    }
    if record.is_redacted {
        line.push_str(" (redacted)");
    }
    line
}
