//! Accounts, guests and sessions on the memory store, with a clock that stands.

#![expect(clippy::unwrap_used, reason = "tests")]

use std::num::NonZeroU16;
use std::sync::Arc;

use audit::{AuditFilter, Context, Recorder};
use domain::{ManualTime, Role};
use identity::{
    Accounts, AuthError, AuthResult, HashParameters, Hasher, Lifetimes, Parts, TokenError,
    TokenKey, TokenMaker, Visit,
};
use storage::{MemoryStore, Store};

const NOW_MS: u64 = 1_794_700_000_000;
const TOKEN_MS: u64 = 1000;
const SESSION_MS: u64 = 2500;
const GOOD: &str = "correct horse battery";

struct House {
    accounts: Arc<Accounts>,
    store: Arc<dyn Store>,
    time: Arc<ManualTime>,
}

impl House {
    fn new() -> House {
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let time = Arc::new(ManualTime::at(NOW_MS));
        House { accounts: server(&store, &time, HashParameters::for_tests()), store, time }
    }

    /// A second server, or the same after a restart.
    fn server(&self, parameters: HashParameters) -> Arc<Accounts> {
        server(&self.store, &self.time, parameters)
    }

    async fn register(&self, name: &str) -> AuthResult {
        self.accounts.create_account(name, GOOD, Visit::default()).await.unwrap()
    }

    async fn guest(&self, device: char) -> AuthResult {
        let device = device.to_string().repeat(16);
        self.accounts.create_guest_session(&device, Visit::default()).await.unwrap()
    }

    /// The audit log's names, the oldest first.
    async fn audited(&self) -> Vec<String> {
        let filter = AuditFilter { limit: 1000, ..AuditFilter::default() };
        let records = self.store.query_audit(&filter).await.unwrap();
        let text = |record: &audit::AuditRecord| {
            format!("{} {:?} {}", record.name, record.context.correlation, record.payload)
        };
        records.iter().rev().map(text).collect()
    }
}

fn server(
    store: &Arc<dyn Store>,
    time: &Arc<ManualTime>,
    parameters: HashParameters,
) -> Arc<Accounts> {
    let (store, time) = (store.clone(), time.clone());
    Arc::new(Accounts::new(Parts {
        recorder: Arc::new(Recorder::new(time.clone(), getrandom::u64().unwrap())),
        store,
        time,
        hasher: Hasher::new(parameters, NonZeroU16::MIN, 2000).unwrap(),
        tokens: TokenMaker::new(TokenKey::from_hex(&"5".repeat(64)).unwrap()),
        lifetimes: Lifetimes { token_ms: TOKEN_MS, session_ms: SESSION_MS },
        chance: getrandom::u64().unwrap(),
    }))
}

#[track_caller]
fn check_dead(accounts: &Accounts, token: &AuthResult) {
    assert_eq!(accounts.verify_token(token.token.as_str()), Err(TokenError::Invalid));
}

#[track_caller]
fn check_alive(accounts: &Accounts, token: &AuthResult) {
    assert_eq!(accounts.verify_token(token.token.as_str()).as_ref(), Ok(&token.claims));
}

#[tokio::test]
async fn who_registers_is_in_and_can_log_in_later() {
    let house = House::new();
    let ada = house.register("Ada").await;
    assert_eq!((ada.player.name.as_str(), ada.player.role), ("Ada", Role::Player));
    check_alive(&house.accounts, &ada);
    let again = house.accounts.login("aDA", GOOD, Visit::default()).await.unwrap();
    assert_eq!(again.player, ada.player);
    assert_ne!(again.claims.session, ada.claims.session);
    check_alive(&house.accounts, &again);
    assert_eq!(house.audited().await, ["registered None {}", "logged_in None {}"]);
}

#[tokio::test]
async fn a_name_a_password_or_a_device_that_will_not_do_is_refused() {
    let house = House::new();
    house.register("Ada").await;
    let create = |name, password| house.accounts.create_account(name, password, Visit::default());
    assert!(matches!(create("aDa", GOOD).await, Err(AuthError::UsernameTaken)));
    assert!(matches!(create("a b c", GOOD).await, Err(AuthError::InvalidUsername(_))));
    assert!(matches!(create("Bob", "short").await, Err(AuthError::WeakPassword(_))));
    assert!(matches!(create("Bob", "password1").await, Err(AuthError::WeakPassword(_))));
    assert!(matches!(create("Bob-Bob-Bob", "bob-bob-bob").await, Err(AuthError::WeakPassword(_))));
    for device in ["", "short", "sixteen and blank", &"x".repeat(129), "umlaut-ä-umlaut-ä"] {
        let answer = house.accounts.create_guest_session(device, Visit::default()).await;
        assert!(matches!(answer, Err(AuthError::InvalidDevice(_))), "{device}");
    }
    assert_eq!(house.audited().await, ["registered None {}"], "what was refused left nothing");
}

#[tokio::test]
async fn a_failed_login_is_told_apart_inside_and_written_down() {
    let house = House::new();
    house.register("Ada").await;
    let visit = Visit { request: Some("r1"), browser: None };
    let login = |name, password| house.accounts.login(name, password, visit);
    assert!(matches!(login("Ada", "wrong").await, Err(AuthError::InvalidCredentials)));
    assert!(matches!(login("Eve", GOOD).await, Err(AuthError::AccountNotFound)));
    assert!(matches!(login("", "").await, Err(AuthError::AccountNotFound)));
    let long = "x".repeat(300);
    assert!(matches!(login("Ada", &long).await, Err(AuthError::InvalidCredentials)));
    let wrong = r#"login_failed Some("r1") {"reason":"wrong_password"}"#;
    let absent = r#"login_failed Some("r1") {"reason":"account_not_found"}"#;
    assert_eq!(house.audited().await[1..], [wrong, absent, absent, wrong]);
}

#[tokio::test]
async fn of_a_thousand_who_register_one_name_one_succeeds() {
    let house = House::new();
    let attempts: Vec<_> = (0..1000)
        .map(|_| {
            let accounts = house.accounts.clone();
            tokio::spawn(
                async move { accounts.create_account("Ada", GOOD, Visit::default()).await },
            )
        })
        .collect();
    let mut won = 0;
    for attempt in attempts {
        match attempt.await.unwrap() {
            Ok(_) => won += 1,
            Err(AuthError::UsernameTaken) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(won, 1);
    assert_eq!(house.audited().await.len(), 1);
}

#[tokio::test]
async fn of_many_refreshes_of_one_token_one_succeeds() {
    let house = House::new();
    let ada = house.register("Ada").await;
    let refreshes: Vec<_> = (0..200)
        .map(|_| {
            let (accounts, token) = (house.accounts.clone(), ada.token.clone());
            tokio::spawn(async move { accounts.refresh_token(token.as_str(), None).await })
        })
        .collect();
    let mut won = Vec::new();
    for refresh in refreshes {
        match refresh.await.unwrap() {
            Ok(next) => won.push(next),
            Err(AuthError::Token(TokenError::Invalid)) => {}
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(won.len(), 1);
    check_dead(&house.accounts, &ada);
    check_alive(&house.accounts, &won[0]);
    assert_eq!(won[0].claims.session, ada.claims.session, "the session stays");
    assert_eq!(won[0].claims.generation, 1);
}

#[tokio::test]
async fn a_token_expires_and_a_session_ends() {
    let house = House::new();
    let mut ada = house.register("Ada").await;
    let mut rounds = 0;
    while ada.claims.expires_ms - ada.claims.issued_ms == TOKEN_MS {
        house.time.advance(TOKEN_MS - 1);
        check_alive(&house.accounts, &ada);
        ada = house.accounts.refresh_token(ada.token.as_str(), None).await.unwrap();
        rounds += 1;
    }
    assert_eq!((rounds, ada.claims.expires_ms), (2, NOW_MS + SESSION_MS));
    house.time.advance(ada.claims.expires_ms - ada.claims.issued_ms);
    let token = ada.token.as_str();
    assert_eq!(house.accounts.verify_token(token), Err(TokenError::Expired));
    let refreshed = house.accounts.refresh_token(token, None).await;
    assert!(matches!(refreshed, Err(AuthError::Token(TokenError::Expired))));
    let left = house.accounts.logout(token, None).await;
    assert!(matches!(left, Err(AuthError::Token(TokenError::Expired))));
}

#[tokio::test]
async fn a_logout_ends_one_session_at_once_and_everywhere() {
    let house = House::new();
    let ada = house.register("Ada").await;
    let other = house.accounts.login("Ada", GOOD, Visit::default()).await.unwrap();
    let second_server = house.server(HashParameters::for_tests());
    house.accounts.logout(ada.token.as_str(), Some("r9")).await.unwrap();
    check_dead(&house.accounts, &ada);
    check_alive(&house.accounts, &other);
    let again = house.accounts.logout(ada.token.as_str(), None).await;
    assert!(matches!(again, Err(AuthError::Token(TokenError::Invalid))));

    check_alive(&second_server, &ada);
    let refreshed = second_server.refresh_token(ada.token.as_str(), None).await;
    assert!(matches!(refreshed, Err(AuthError::Token(TokenError::Invalid))), "the database knows");
    second_server.learn_sessions().await.unwrap();
    check_dead(&second_server, &ada);
    check_alive(&second_server, &other);
    assert_eq!(house.audited().await[2..], [r#"logged_out Some("r9") {}"#]);
}

#[tokio::test]
async fn a_device_is_always_the_same_guest() {
    let house = House::new();
    let first = house.guest('a').await;
    let again = house.guest('a').await;
    let other = house.guest('b').await;
    assert_eq!(first.player, again.player);
    assert_ne!(first.claims.session, again.claims.session);
    assert_ne!(first.player.id, other.player.id);
    assert_eq!((first.player.role, first.claims.role), (Role::Guest, Role::Guest));
    assert!(first.player.name.starts_with("Guest "), "{}", first.player.name);
    let login = house.accounts.login(&first.player.name, GOOD, Visit::default()).await;
    assert!(matches!(login, Err(AuthError::AccountNotFound)), "a guest has no password");
}

#[tokio::test]
async fn a_guest_becomes_an_account_once_and_stays_the_same_person() {
    let house = House::new();
    house.register("Bob").await;
    let guest = house.guest('a').await;
    let second_session = house.guest('a').await;
    let upgrade = |claims, name| house.accounts.upgrade_guest(claims, name, GOOD, None);
    let taken = upgrade(&guest.claims, "BOB").await;
    assert!(matches!(taken, Err(AuthError::UsernameTaken)));
    check_alive(&house.accounts, &guest);

    let ada = upgrade(&guest.claims, "Ada").await.unwrap();
    assert_eq!(ada.player.id, guest.player.id);
    assert_eq!((ada.player.name.as_str(), ada.claims.role), ("Ada", Role::Player));
    check_alive(&house.accounts, &ada);
    check_dead(&house.accounts, &guest);
    check_dead(&house.accounts, &second_session);
    for stale in [&guest.claims, &second_session.claims] {
        let again = upgrade(stale, "Eve").await;
        assert!(matches!(again, Err(AuthError::Token(TokenError::Invalid))));
    }
    let again = upgrade(&ada.claims, "Eve").await;
    assert!(matches!(again, Err(AuthError::AlreadyRegistered)));
    assert_eq!(
        house.accounts.login("ada", GOOD, Visit::default()).await.unwrap().player.id,
        guest.player.id
    );
    assert_ne!(house.guest('a').await.player.id, guest.player.id, "the device begins anew");
}

#[tokio::test]
async fn a_deleted_account_is_gone_with_its_sessions() {
    let house = House::new();
    let ada = house.register("Ada").await;
    let other = house.accounts.login("Ada", GOOD, Visit::default()).await.unwrap();
    let delete = || house.accounts.delete_account(ada.player.id, vec![], Context::default());
    delete().await.unwrap();
    assert!(matches!(delete().await, Err(AuthError::AccountNotFound)));
    check_dead(&house.accounts, &ada);
    check_dead(&house.accounts, &other);
    let login = house.accounts.login("Ada", GOOD, Visit::default()).await;
    assert!(matches!(login, Err(AuthError::AccountNotFound)));
}

#[tokio::test]
async fn a_new_role_or_password_wants_a_new_login() {
    let house = House::new();
    let ada = house.register("Ada").await;
    let set = house.accounts.set_role(ada.player.id, Role::Admin, Context::default());
    set.await.unwrap();
    check_dead(&house.accounts, &ada);
    let admin = house.accounts.login("Ada", GOOD, Visit::default()).await.unwrap();
    assert_eq!(admin.claims.role, Role::Admin);

    let reset = |password| house.accounts.reset_password(&ada.player, password, Context::default());
    assert!(matches!(reset("short").await, Err(AuthError::WeakPassword(_))));
    check_alive(&house.accounts, &admin);
    reset("another good one").await.unwrap();
    check_dead(&house.accounts, &admin);
    let old = house.accounts.login("Ada", GOOD, Visit::default()).await;
    assert!(matches!(old, Err(AuthError::InvalidCredentials)));
    assert!(house.accounts.login("Ada", "another good one", Visit::default()).await.is_ok());
}

#[tokio::test]
async fn a_hash_is_made_anew_when_the_parameters_rise() {
    let house = House::new();
    house.register("Ada").await;
    let hash = async || house.store.find_credential("ada").await.unwrap().unwrap().password_hash;
    let before = hash().await;
    let dearer = HashParameters { passes: 2, ..HashParameters::for_tests() };
    let server = house.server(dearer);
    assert!(server.login("Ada", "wrong", Visit::default()).await.is_err());
    assert_eq!(hash().await, before);
    server.login("Ada", GOOD, Visit::default()).await.unwrap();
    let after = hash().await;
    assert!(after != before && after.contains("t=2"), "{after}");
    server.login("Ada", GOOD, Visit::default()).await.unwrap();
    assert_eq!(hash().await, after);
    assert!(house.accounts.login("Ada", GOOD, Visit::default()).await.is_ok());
    assert_eq!(hash().await, after, "never weaker again");
}

#[tokio::test]
async fn no_record_holds_a_secret() {
    let house = House::new();
    let ada = house.register("Ada").await;
    house.accounts.login("Ada", "my-other-password", Visit::default()).await.unwrap_err();
    house.accounts.login("my-password-as-name", GOOD, Visit::default()).await.unwrap_err();
    let next = house.accounts.refresh_token(ada.token.as_str(), None).await.unwrap();
    let guest =
        house.accounts.create_guest_session("my-secret-device", Visit::default()).await.unwrap();
    let text = house.audited().await.join("\n");
    assert_eq!(text.lines().count(), 5, "{text}");
    for secret in [GOOD, "my-", next.token.as_str(), guest.token.as_str(), "$argon2"] {
        assert!(!text.contains(secret), "{secret} in {text}");
    }
}

#[tokio::test]
async fn a_damaged_hash_is_an_error_and_no_wrong_password() {
    let house = House::new();
    let ada = house.register("Ada").await;
    let password_hash = "$argon2id$v=19$m=1".to_owned();
    let damage = storage::Change::StoreCredential { player: ada.player.id, password_hash };
    house.store.commit(vec![damage]).await.unwrap();
    let login = house.accounts.login("Ada", GOOD, Visit::default()).await;
    assert!(matches!(login, Err(AuthError::Hash(_))), "{:?}", login.err());
}

#[tokio::test]
async fn a_changed_password_ends_the_other_sessions_and_of_two_at_once_one_wins() {
    let house = House::new();
    let ada = house.register("Ada").await;
    let other = house.accounts.login("Ada", GOOD, Visit::default()).await.unwrap();
    let change = |claims, old, new| house.accounts.change_password(claims, old, new, Some("r1"));
    let wrong = change(&ada.claims, "wrong", "another good one").await;
    assert!(matches!(wrong, Err(AuthError::InvalidCredentials)));
    let weak = change(&ada.claims, GOOD, "short").await;
    assert!(matches!(weak, Err(AuthError::WeakPassword(_))));
    check_alive(&house.accounts, &other);
    let (first, second) = tokio::join!(
        change(&ada.claims, GOOD, "another good one"),
        change(&other.claims, GOOD, "yet another good one"),
    );
    assert!(first.is_ok() != second.is_ok(), "{first:?} {second:?}");
    let (winner, loser) = if first.is_ok() { (&ada, &other) } else { (&other, &ada) };
    check_alive(&house.accounts, winner);
    check_dead(&house.accounts, loser);
    let old = house.accounts.login("Ada", GOOD, Visit::default()).await;
    assert!(matches!(old, Err(AuthError::InvalidCredentials)));
    let audited = house.audited().await;
    let changes = audited.iter().filter(|it| it.starts_with("password_changed")).count();
    assert_eq!(changes, 1, "{audited:?}");
}

#[tokio::test]
async fn reserved_names_and_names_that_look_alike_make_no_account() {
    let house = House::new();
    house.register("alice").await;
    let create = |name| house.accounts.create_account(name, GOOD, Visit::default());
    assert!(matches!(create("Adm1n").await, Err(AuthError::NameReserved)));
    assert!(matches!(create("aIice").await, Err(AuthError::UsernameTaken)));
    let guest = house.guest('a').await;
    let upgrade = |name| house.accounts.upgrade_guest(&guest.claims, name, GOOD, None);
    assert!(matches!(upgrade("Guest-7").await, Err(AuthError::NameReserved)));
    assert!(matches!(upgrade("AL1CE").await, Err(AuthError::UsernameTaken)));
    check_alive(&house.accounts, &guest);
}
