//! The configuration: defaults, then a TOML file, then `PARLOR_…`, then flags.
//!
//! What exists is valid: types refuse nonsense while they are read, and an error names the field.
//! No file is read unless it is named, so that a server never depends on where it was started.

mod address;
mod redaction;

use std::env::VarError;
use std::net::SocketAddr;
use std::num::{NonZeroU16, NonZeroU32};
use std::path::PathBuf;
use std::{fs, io};

use protocol::Secret;
use serde::{Deserialize, Serialize};

pub use self::address::{BadNetwork, BadPublicUrl, Network, PublicUrl};
use self::redaction::{HIDDEN, hide_password};

/// Where the key comes from if not from the file. There is no such flag: flags are public, since
/// every user of the machine can list the processes.
const TOKEN_KEY_VARIABLE: &str = "PARLOR_TOKEN_KEY";

/// All settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Where to listen.
    pub listen: SocketAddr,
    /// The folder for everything that the server keeps.
    pub data: PathBuf,
    /// `sqlite://…` or `postgres://…`, which can hold a password; [`Config::database_url`] has the
    /// default.
    pub database: Option<Secret>,
    /// The key of the tokens; one is made in the data folder if none is given.
    pub token_key: Option<Secret>,
    /// How browsers reach the server, if a proxy stands before it.
    pub public_url: Option<PublicUrl>,
    /// This server's name among those that share a database; one is made in the data folder if none
    /// is given.
    pub name: Option<String>,
    /// Whose `X-Forwarded-For` and `X-Request-Id` are believed: addresses or networks.
    pub trusted_proxies: Vec<Network>,
    /// Tokens and sessions.
    pub tokens: Tokens,
    /// What a password hash costs.
    pub passwords: Passwords,
    /// How much somebody may ask for.
    pub limits: Limits,
    /// How many connections there may be.
    pub connections: Connections,
    /// What a connection may send.
    pub sockets: Sockets,
    /// How bots think.
    pub bots: Bots,
    /// Guests who do not come back.
    pub guests: Guests,
    /// Matches in which no account has a seat.
    pub matches: Matches,
    /// The audit log.
    pub audit: Audit,
    /// The log.
    pub log: Log,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            data: PathBuf::from("data"),
            database: None,
            token_key: None,
            public_url: None,
            name: None,
            trusted_proxies: Vec::new(),
            tokens: Tokens::default(),
            passwords: Passwords::default(),
            limits: Limits::default(),
            connections: Connections::default(),
            sockets: Sockets::default(),
            bots: Bots::default(),
            guests: Guests::default(),
            matches: Matches::default(),
            audit: Audit::default(),
            log: Log::default(),
        }
    }
}

/// `[tokens]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tokens {
    /// A token ends after so long unless it is refreshed.
    pub lifetime_s: NonZeroU32,
    /// A session ends after so long whether it is refreshed or not.
    pub session_s: NonZeroU32,
}

impl Default for Tokens {
    fn default() -> Tokens {
        const DAY_S: u32 = 24 * 60 * 60;
        Tokens { lifetime_s: positive(7 * DAY_S), session_s: positive(90 * DAY_S) }
    }
}

/// `[passwords]`: Argon2id. Hashes with lower costs are renewed at the next log-in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Passwords {
    /// Memory a hash.
    pub memory_kib: NonZeroU32,
    /// Passes over this memory.
    pub passes: NonZeroU32,
    /// Lanes of this memory.
    pub lanes: NonZeroU32,
    /// So many hashes at once, each on a thread of its own.
    pub threads: NonZeroU16,
    /// So many wait for a thread; more are told that the server is busy.
    pub queue: u16,
}

impl Default for Passwords {
    // The first choice of OWASP's list for Argon2id: 19 MiB, two passes.
    fn default() -> Passwords {
        Passwords {
            memory_kib: positive(19 * 1024),
            passes: positive(2),
            lanes: positive(1),
            // One core of two stays free for the matches.
            threads: NonZeroU16::MIN,
            queue: 64,
        }
    }
}

/// `[limits]`: attempts to log in, register or become an account, and everything else that writes or
/// costs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Whether there are limits beside `address` and `account`.
    pub quotas: Switch,
    /// By address, of IPv6 by its first 64 bits.
    pub address: Quota,
    /// By the name of the account that is tried.
    pub account: Quota,
}

/// A setting that is on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Switch {
    /// It holds.
    On,
    /// It does not.
    Off,
}

impl Switch {
    /// Whether it is on.
    pub fn is_on(self) -> bool {
        self == Switch::On
    }
}

/// So many attempts at once, and one more with every period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quota {
    /// So many at once.
    pub burst: NonZeroU32,
    /// After so long there is one more.
    pub period_s: NonZeroU32,
}

impl Default for Limits {
    // A class of 30 behind one address registers, mistypes and tries again within a minute. A guesser
    // gets 17,000 tries a day from an address, and on any one account 1,500 from everywhere.
    fn default() -> Limits {
        Limits {
            quotas: Switch::On,
            address: Quota { burst: positive(90), period_s: positive(5) },
            account: Quota { burst: positive(10), period_s: positive(60) },
        }
    }
}

/// `[connections]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Connections {
    /// So many at once; as many as the limit of open files allows if it is not said.
    pub total: Option<NonZeroU32>,
    /// So many of one address.
    pub per_address: NonZeroU32,
    /// So many sockets of one player.
    pub per_player: NonZeroU32,
}

impl Default for Connections {
    // A browser opens six for its requests and a socket a tab: a class of 30 behind one address
    // needs 240, and a person with many tabs a dozen.
    fn default() -> Connections {
        Connections { total: None, per_address: positive(320), per_player: positive(32) }
    }
}

/// `[sockets]`: messages of one connection; more close it as a flood.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Sockets {
    /// So many at once.
    pub burst: NonZeroU32,
    /// So many more every second.
    pub messages_per_s: NonZeroU32,
}

impl Default for Sockets {
    // A person clicks a few times a second; a client that returns joins all its matches at once.
    fn default() -> Sockets {
        Sockets { burst: positive(300), messages_per_s: positive(50) }
    }
}

/// `[bots]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Bots {
    /// So many think at once, each on a thread of its own; half of the cores if it is not said.
    pub threads: Option<NonZeroU16>,
    /// So many questions of one person wait for a thread; the others wait for a place here.
    pub queue: NonZeroU16,
    /// No bot thinks longer about an action.
    pub think_ms: NonZeroU32,
    /// No bot answers sooner, so that people can follow.
    pub pause_ms: u32,
    /// So many matches between bots alone at once.
    pub shows: u16,
    /// The command of a UCI engine that plays the highest level of chess.
    pub uci: Option<String>,
}

impl Default for Bots {
    fn default() -> Bots {
        Bots {
            threads: None,
            queue: NonZeroU16::new(1024).unwrap_or(NonZeroU16::MIN),
            think_ms: positive(1000),
            pause_ms: 300,
            // They think all the time, and the bots of people think less for it.
            shows: 32,
            uci: None,
        }
    }
}

/// `[guests]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Guests {
    /// Who has no running match and has not come for so long is removed, once a day.
    pub retention_days: NonZeroU32,
}

impl Default for Guests {
    fn default() -> Guests {
        Guests { retention_days: positive(30) }
    }
}

/// `[matches]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Matches {
    /// What ended so long ago without an account in it is removed, once a day.
    pub retention_days: NonZeroU32,
}

impl Default for Matches {
    fn default() -> Matches {
        Matches { retention_days: positive(30) }
    }
}

/// `[audit]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Audit {
    /// What is older is purged once a day.
    pub retention_days: NonZeroU32,
}

impl Default for Audit {
    fn default() -> Audit {
        Audit { retention_days: positive(30) }
    }
}

/// `[log]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Log {
    /// For people or for programs.
    pub format: LogFormat,
    /// A level, and levels of parts: `info,server::http=warn`.
    pub filter: String,
}

impl Default for Log {
    fn default() -> Log {
        Log { format: LogFormat::Text, filter: "info".to_owned() }
    }
}

/// How a line of the log looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// A line for people.
    Text,
    /// An object a line.
    Json,
}

/// For the defaults above, none of which is zero.
fn positive(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN)
}

/// The settings that are flags too; each also as `PARLOR_…`.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ConfigArgs {
    /// Read settings from this TOML file
    #[arg(long, value_name = "FILE", env = "PARLOR_CONFIG")]
    pub config: Option<PathBuf>,
    /// Listen here
    #[arg(long, value_name = "ADDRESS", env = "PARLOR_LISTEN")]
    pub listen: Option<SocketAddr>,
    /// Keep everything in this folder
    #[arg(long, value_name = "DIR", env = "PARLOR_DATA")]
    pub data: Option<PathBuf>,
    /// `sqlite://…` or `postgres://…`; with a password better as the variable, since flags are public
    #[arg(long, value_name = "URL", env = "PARLOR_DATABASE", hide_env_values = true)]
    pub database: Option<String>,
    /// How browsers reach the server, if a proxy stands before it
    #[arg(long, value_name = "URL", env = "PARLOR_PUBLIC_URL")]
    pub public_url: Option<PublicUrl>,
    /// Believe these proxies about the client's address; separated by commas
    #[arg(long, value_name = "NETWORK", env = "PARLOR_TRUSTED_PROXIES", value_delimiter = ',')]
    pub trusted_proxies: Option<Vec<Network>>,
    /// How a line of the log looks
    #[arg(long, value_name = "FORMAT", env = "PARLOR_LOG_FORMAT")]
    pub log_format: Option<LogFormat>,
    /// What is logged, such as `info,server::http=warn`
    #[arg(long, value_name = "FILTER", env = "PARLOR_LOG_FILTER")]
    pub log_filter: Option<String>,
}

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The named file cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is no TOML. The line is not shown, since it can hold a secret.
    #[error("line {line}: {message}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// A setting has a value that it cannot have.
    #[error("`{field}`: {message}")]
    Field {
        /// The setting, with the table that it stands in.
        field: String,
        /// What is wrong.
        message: String,
    },
}

impl Config {
    /// Reads the file that the arguments name, if they do, and puts them on top.
    pub fn load(args: ConfigArgs) -> Result<Config, ConfigError> {
        let text = match &args.config {
            None => String::new(),
            Some(path) => fs::read_to_string(path)
                .map_err(|source| ConfigError::Unreadable { path: path.clone(), source })?,
        };
        let token_key = match std::env::var(TOKEN_KEY_VARIABLE) {
            Ok(key) => Some(Secret::new(key)),
            Err(VarError::NotPresent) => None,
            Err(VarError::NotUnicode(_)) => {
                let message = "expected 64 hexadecimal digits".to_owned();
                return Err(ConfigError::Field { field: TOKEN_KEY_VARIABLE.to_owned(), message });
            }
        };
        Config::from_layers(&text, args, token_key)
    }

    fn from_layers(
        toml: &str,
        args: ConfigArgs,
        token_key: Option<Secret>,
    ) -> Result<Config, ConfigError> {
        let mut config = Config::from_toml(toml)?;
        put(&mut config.listen, args.listen);
        put(&mut config.data, args.data);
        put(&mut config.database, args.database.map(|url| Some(Secret::new(url))));
        put(&mut config.token_key, token_key.map(Some));
        put(&mut config.public_url, args.public_url.map(Some));
        put(&mut config.trusted_proxies, args.trusted_proxies);
        put(&mut config.log.format, args.log_format);
        put(&mut config.log.filter, args.log_filter);
        if config.tokens.session_s < config.tokens.lifetime_s {
            return Err(ConfigError::Field {
                field: "tokens.session_s".to_owned(),
                message: "a session lasts at least as long as a token".to_owned(),
            });
        }
        Ok(config)
    }

    fn from_toml(text: &str) -> Result<Config, ConfigError> {
        let syntax = |error: toml::de::Error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map_or(1, |before| before.matches('\n').count() + 1);
            ConfigError::Syntax { line, message: error.message().to_owned() }
        };
        let document = toml::Deserializer::parse(text).map_err(syntax)?;
        serde_path_to_error::deserialize(document).map_err(|error| ConfigError::Field {
            field: error.path().to_string(),
            message: error.inner().message().to_owned(),
        })
    }

    /// The database, also where none is set: a file in the data folder.
    pub fn database_url(&self) -> Secret {
        let default = || Secret::new(format!("sqlite://{}", self.data.join("parlor.db").display()));
        self.database.clone().unwrap_or_else(default)
    }

    /// The settings in effect, without the secrets among them.
    pub fn redacted_toml(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(&Config {
            database: Some(Secret::new(hide_password(self.database_url().expose()))),
            token_key: self.token_key.as_ref().map(|_| Secret::new(HIDDEN)),
            ..self.clone()
        })
    }
}

fn put<T>(setting: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *setting = value;
    }
}

#[cfg(test)]
mod tests;
