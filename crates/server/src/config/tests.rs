//! Layers over each other, refusals, and what is printed.

use clap::{Args as _, Parser};

use super::{Config, ConfigArgs, ConfigError, LogFormat, Secret, Switch};

#[derive(Parser)]
struct Command {
    #[command(flatten)]
    config: ConfigArgs,
}

fn args(words: &[&str]) -> ConfigArgs {
    let words = ["parlor"].iter().chain(words);
    Command::try_parse_from(words).unwrap().config
}

fn read(toml: &str, words: &[&str]) -> Config {
    Config::from_layers(toml, args(words), None).unwrap()
}

#[track_caller]
fn check_refused(toml: &str, expected: &str) {
    let error = Config::from_layers(toml, ConfigArgs::default(), None).unwrap_err();
    assert!(error.to_string().contains(expected), "{error}");
    assert!(!error.to_string().contains("hunter22"), "{error}");
}

#[test]
fn a_flag_beats_the_file_and_the_file_the_default() {
    let toml = "listen = '0.0.0.0:1'\ndata = '/srv'\n[tokens]\nlifetime_s = 60\n";
    let config = read(toml, &["--listen", "127.0.0.1:2", "--log-format", "json"]);
    assert_eq!(config.listen.to_string(), "127.0.0.1:2");
    assert_eq!(config.data.to_str(), Some("/srv"));
    assert_eq!(config.tokens.lifetime_s.get(), 60);
    assert_eq!(config.tokens.session_s.get(), 90 * 24 * 60 * 60);
    assert_eq!(config.log.format, LogFormat::Json);
    assert_eq!(config.database_url().expose(), "sqlite:///srv/parlor.db");
    assert_eq!(read("", &[]), Config::default());
}

#[test]
fn quotas_are_on_unless_the_file_turns_them_off() {
    assert_eq!(read("", &[]).limits.quotas, Switch::On);
    assert_eq!(read("[limits]\nquotas = 'on'", &[]).limits.quotas, Switch::On);
    let off = read("[limits]\nquotas = 'off'", &[]);
    assert!(!off.limits.quotas.is_on());
    assert_eq!(off.limits.address, Config::default().limits.address);
    check_refused("[limits]\nquotas = 'none'", "`limits.quotas`: unknown variant");
    check_refused("[limits]\nquotas = false", "`limits.quotas`: ");
}

#[test]
fn what_is_removed_has_its_days() {
    let config = read("[guests]\nretention_days = 7", &[]);
    assert_eq!(config.guests.retention_days.get(), 7);
    assert_eq!(config.matches.retention_days.get(), 30);
    check_refused("[matches]\nretention_days = 0", "`matches.retention_days`: invalid value");
}

#[test]
fn the_key_from_the_environment_beats_the_file() {
    let key = Some(Secret::new("from the environment"));
    let config =
        Config::from_layers("token_key = 'old'", ConfigArgs::default(), key.clone()).unwrap();
    assert_eq!(config.token_key, key);
}

#[test]
fn every_flag_is_a_variable_too() {
    let command = ConfigArgs::augment_args(clap::Command::new("parlor"));
    assert!(command.get_arguments().count() > 0);
    for flag in command.get_arguments() {
        let long = flag.get_long().unwrap();
        let variable = format!("PARLOR_{}", long.replace('-', "_").to_uppercase());
        assert_eq!(flag.get_env(), Some(variable.as_ref()), "--{long}");
    }
}

#[test]
fn an_error_names_the_field_and_shows_no_secret() {
    check_refused("colour = 'red'", "unknown field `colour`");
    check_refused("[tokens]\nlifetime = 5", "`tokens.lifetime`: unknown field");
    check_refused("[connections]\nper_player = 0", "`connections.per_player`: invalid value");
    check_refused("[tokens]\nlifetime_s = 0", "`tokens.lifetime_s`: invalid value");
    check_refused("[tokens]\nsession_s = 5", "`tokens.session_s`: a session lasts");
    check_refused("listen = '8080'", "`listen`: ");
    check_refused("public_url = 'example.org'", "`public_url`: expected http://");
    check_refused("trusted_proxies = ['10.0.0.0/8', 'x']", "`trusted_proxies[1]`: expected");
    check_refused("[limits.address]\nburst = 5", "`limits.address`: missing field `period_s`");
    check_refused("listen = '[::1]:8'\ntoken_key = 'hunter22", "line 2: ");
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let args = args(&["--config", "no-such-file.toml"]);
    let error = Config::load(args).unwrap_err();
    assert!(matches!(error, ConfigError::Unreadable { .. }));
    assert!(error.to_string().contains("no-such-file.toml"));
}

#[test]
fn what_is_printed_hides_secrets_and_reads_back() {
    let toml = "token_key = 'hunter22'\ndatabase = 'postgres://u:hunter22@host/db'\n\
                trusted_proxies = ['10.0.0.1']\npublic_url = 'https://example.org'";
    let config = read(toml, &[]);
    let printed = config.redacted_toml().unwrap();
    assert!(printed.contains("token_key = \"(hidden)\""), "{printed}");
    assert!(printed.contains("postgres://u:(hidden)@host/db"), "{printed}");
    assert!(!format!("{printed}{config:?}").contains("hunter22"), "{printed}");
    let back = read(&printed, &[]);
    assert_eq!(Config { database: None, token_key: None, ..back }, {
        Config { database: None, token_key: None, ..config }
    });
}
