//! Every route of the description, and what all of them have in common.

use http::Method;
use protocol::{AuditPage, Code};
use serde_json::{Value, json};
use server::http::BODY_BYTES_MAX;

use crate::document::Document;
use crate::kit::{Answer, Client, PASSWORD, TestServer, User};
use crate::matches::resigned;

/// Whom a route serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    Nobody,
    /// A token, judged by the route itself.
    Token,
    /// A guest or more.
    Session,
    /// A guest, and nobody who has an account already.
    Guest,
    /// A player or more.
    Account,
    Admin,
}

/// A route and a message that it takes.
pub(crate) struct Route {
    pub(crate) method: Method,
    template: &'static str,
    pub(crate) need: Need,
    body: Option<Value>,
    /// What a stranger is told who may ask: the places are somebody else's.
    stranger: Option<Code>,
}

impl Route {
    /// What is refused to somebody without a token that counts.
    pub(crate) fn without_token(&self) -> Option<Code> {
        match self.need {
            Need::Nobody => None,
            Need::Token => Some(Code::InvalidToken),
            Need::Session | Need::Guest | Need::Account | Need::Admin => Some(Code::Unauthorized),
        }
    }

    pub(crate) fn path(&self, places: &Places) -> String {
        let id = match self.template {
            template if template.contains("/lobbies/") => &places.lobby,
            template if template.contains("/matches/") => &places.over,
            _ => &places.record,
        };
        let hash = word_list_hash();
        self.template.replace("{name}", places.name).replace("{id}", id).replace("{hash}", &hash)
    }

    /// Whether the route did what it does, or told a stranger why not.
    pub(crate) fn is_heard(&self, answer: &Answer) -> bool {
        self.stranger.map_or(answer.status.is_success(), |code| answer.is_problem(code))
    }

    /// Asks as this client, with the message that the route takes.
    pub(crate) async fn ask(&self, client: &Client, places: &Places) -> Answer {
        match &self.body {
            Some(body) => self.send(client, places, &body.to_string()).await,
            None => client.send(self.method.clone(), &self.path(places), None, "").await,
        }
    }

    async fn send(&self, client: &Client, places: &Places, body: &str) -> Answer {
        let (json, body) = (Some("application/json"), body.to_owned());
        client.send(self.method.clone(), &self.path(places), json, body).await
    }
}

/// The hash of the list of words, as a match's options name it.
pub(crate) fn word_list_hash() -> String {
    let (_, options) = catalog::find("scrabble").unwrap().presets().remove(0);
    let options: Value = serde_json::from_str(&options).unwrap();
    options["words"]["hash"].as_str().unwrap().to_owned()
}

/// What addresses name: somebody, an event, a lobby, and a public match that is over.
pub(crate) struct Places {
    name: &'static str,
    record: String,
    lobby: String,
    over: String,
}

impl Places {
    /// Eve, her registration, and a lobby and a match of somebody else. Nobody else is called Eve,
    /// and she does nothing else.
    pub(crate) async fn new(server: &TestServer) -> Places {
        let admin = server.admin("Root").await;
        let eve = server.register("Eve").await.id;
        let page = admin.bearer.get(&format!("/api/v1/admin/audit?user={eve}")).await;
        let page: AuditPage = page.json(200);
        let host = server.register("Host").await;
        let body = json!({"terms": {"game": "template", "seats": 4}, "public": true});
        let lobby: Value = host.bearer.post("/api/v1/lobbies", &body).await.json(201);
        Places {
            name: "Eve",
            record: page.events[0].id.to_string(),
            lobby: lobby["id"].as_str().unwrap().to_owned(),
            over: resigned(server, &host).await.to_string(),
        }
    }
}

pub(crate) fn routes() -> Vec<Route> {
    let route =
        |method, template, need, body| Route { method, template, need, body, stranger: None };
    let told = |code, route| Route { stranger: Some(code), ..route };
    let get = |template, need| route(Method::GET, template, need, None);
    let post = |template, need, body| route(Method::POST, template, need, body);
    let fresh = || Some(json!({"username": "Fresh", "password": PASSWORD}));
    vec![
        get("/api/v1/health", Need::Nobody),
        get("/api/v1/ready", Need::Nobody),
        get("/api/v1/games", Need::Nobody),
        get("/api/v1/words/{hash}", Need::Nobody),
        post("/api/v1/register", Need::Nobody, fresh()),
        post("/api/v1/login", Need::Nobody, Some(json!({"username": "Eve", "password": PASSWORD}))),
        post("/api/v1/guest", Need::Nobody, Some(json!({"device_id": "a-device-of-its-own"}))),
        post("/api/v1/guest/upgrade", Need::Guest, fresh()),
        get("/api/v1/session", Need::Nobody),
        post("/api/v1/logout", Need::Token, None),
        post("/api/v1/token/refresh", Need::Token, None),
        route(
            Method::PUT,
            "/api/v1/password",
            Need::Account,
            Some(json!({"old_password": PASSWORD, "new_password": "another good one"})),
        ),
        get("/api/v1/sessions", Need::Session),
        told(
            Code::SessionNotFound,
            route(Method::DELETE, "/api/v1/sessions/{id}", Need::Session, None),
        ),
        get("/api/v1/profile", Need::Account),
        route(
            Method::PUT,
            "/api/v1/profile",
            Need::Account,
            Some(json!({"name": "Fresh", "avatar": "owl"})),
        ),
        route(Method::DELETE, "/api/v1/profile", Need::Account, None),
        get("/api/v1/users/{name}", Need::Nobody),
        get("/api/v1/users/{name}/matches", Need::Nobody),
        get("/api/v1/lobbies", Need::Nobody),
        post(
            "/api/v1/lobbies",
            Need::Session,
            Some(json!({"terms": {"game": "santorini"}, "public": true})),
        ),
        get("/api/v1/lobbies/{id}", Need::Nobody),
        post("/api/v1/lobbies/{id}/join", Need::Session, None),
        told(Code::NotInLobby, post("/api/v1/lobbies/{id}/leave", Need::Session, None)),
        told(
            Code::NotLobbyHost,
            post("/api/v1/lobbies/{id}/bots", Need::Session, Some(json!({"level": 5}))),
        ),
        told(
            Code::NotLobbyHost,
            post("/api/v1/lobbies/{id}/kick", Need::Session, Some(json!({"name": "Eve"}))),
        ),
        told(Code::NotLobbyHost, post("/api/v1/lobbies/{id}/start", Need::Session, None)),
        post("/api/v1/pairing", Need::Session, Some(json!({"game": "santorini"}))),
        route(Method::DELETE, "/api/v1/pairing", Need::Session, None),
        post(
            "/api/v1/matches",
            Need::Session,
            Some(json!({"terms": {"game": "santorini"}, "opponents": "hot_seat"})),
        ),
        get("/api/v1/matches", Need::Session),
        get("/api/v1/matches/public", Need::Nobody),
        get("/api/v1/matches/{id}", Need::Nobody),
        get("/api/v1/matches/{id}/log", Need::Nobody),
        get("/api/v1/matches/{id}/export", Need::Nobody),
        told(Code::Forbidden, post("/api/v1/matches/{id}/watch-link", Need::Session, None)),
        told(
            Code::Forbidden,
            route(Method::DELETE, "/api/v1/matches/{id}/watch-link", Need::Session, None),
        ),
        told(Code::UpgradeRequired, get("/api/v1/ws", Need::Session)),
        get("/api/v1/admin/audit", Need::Admin),
        post("/api/v1/admin/audit/purge", Need::Admin, Some(json!({"retention_days": 30}))),
        post("/api/v1/admin/audit/{id}/redact", Need::Admin, Some(json!({"fields": ["reason"]}))),
    ]
}

/// Somebody who has just what a route needs; the number keeps their names apart.
pub(crate) async fn fitting(server: &TestServer, need: Need, number: usize) -> User {
    match need {
        Need::Nobody | Need::Token | Need::Session | Need::Guest => {
            server.guest(&format!("device-number-{number:04}")).await
        }
        Need::Account => server.register(&format!("player-{number}")).await,
        Need::Admin => server.admin(&format!("admin-{number}")).await,
    }
}

#[tokio::test]
async fn the_table_has_every_route_of_the_description() {
    let server = TestServer::start().await;
    let document = Document::get(&server.anonymous()).await;
    let sorted = |mut list: Vec<(Method, String)>| {
        list.sort_by_key(|(method, path)| (path.clone(), method.to_string()));
        list
    };
    let listed = routes().into_iter().map(|route| (route.method, route.template.to_owned()));
    assert_eq!(sorted(listed.collect()), sorted(document.operations()));
    for route in routes() {
        let path = route.template.replace('/', "~1");
        let method = route.method.as_str().to_lowercase();
        let operation = document.api.pointer(&format!("/paths/{path}/{method}")).unwrap();
        assert_eq!(operation["requestBody"].is_object(), route.body.is_some(), "{path}");
        let wants_token = operation["security"].as_array().is_some_and(|list| list.len() == 2);
        assert_eq!(wants_token, route.need > Need::Nobody, "{path}");
    }
}

#[tokio::test]
async fn a_route_serves_exactly_those_whom_it_should() {
    for (number, route) in routes().into_iter().enumerate() {
        let server = TestServer::start().await;
        let places = Places::new(&server).await;
        let guest = server.guest("the-device-of-a-guest").await;
        let player = server.register(&format!("player-{number}")).await;
        let check = async |client: &Client, code: Option<Code>| {
            let answer = route.ask(client, &places).await;
            match code {
                Some(code) => drop(answer.problem(code)),
                None => assert!(
                    route.is_heard(&answer),
                    "{} {}: {}",
                    route.method,
                    route.template,
                    answer.text()
                ),
            }
        };
        let (guests, players) = match route.need {
            Need::Nobody | Need::Token | Need::Session => (None, None),
            // Whoever has an account needs no other.
            Need::Guest => (None, Some(Code::AlreadyRegistered)),
            Need::Account => (Some(Code::AccountRequired), None),
            Need::Admin => (Some(Code::Forbidden), Some(Code::Forbidden)),
        };
        // The first who may do it may have used the name up.
        if route.need != Need::Nobody {
            check(&server.anonymous(), route.without_token()).await;
            check(&guest.browser, guests).await;
            check(&player.bearer, players).await;
        }
        if matches!(route.need, Need::Nobody | Need::Admin) {
            let admin = server.admin(&format!("admin-{number}")).await;
            check(&admin.browser, None).await;
        }
    }
}

#[tokio::test]
async fn an_address_knows_its_methods_and_no_others() {
    let server = TestServer::start().await;
    let places = Places::new(&server).await;
    let admin = server.admin("Zoe").await;
    for route in routes() {
        let of_path = |it: &Route| it.template == route.template;
        let known: Vec<Method> =
            routes().into_iter().filter(of_path).map(|route| route.method).collect();
        for method in ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW"] {
            let method: Method = method.parse().unwrap();
            if !known.contains(&method) {
                let answer = admin.bearer.send(method, &route.path(&places), None, "").await;
                answer.problem(Code::MethodNotAllowed);
                for known in &known {
                    assert!(answer.header("allow").contains(known.as_str()), "{answer:?}");
                }
            }
        }
    }
}

/// Every body like this one in which one thing is wrong.
fn spoiled(body: &Value) -> Vec<String> {
    let object = body.as_object().unwrap();
    let mut bodies = Vec::new();
    for name in object.keys() {
        for odd in [json!(null), json!(-1), json!(1.5), json!(true), json!({}), json!([[]])] {
            let mut spoiled = body.clone();
            spoiled[name] = odd;
            if spoiled != *body {
                bodies.push(spoiled.to_string());
            }
        }
        if let Value::Object(inner) = &body[name] {
            let mut spoiled = body.clone();
            spoiled[name] = inner.values().cloned().collect();
            bodies.push(spoiled.to_string());
        }
        let mut body = object.clone();
        body.remove(name);
        bodies.push(Value::Object(body).to_string());
        let twice = body_text(object, &format!(r#""{name}":{}"#, object[name]));
        bodies.push(twice);
    }
    bodies.push(body_text(object, r#""is_admin":true"#));
    bodies.push(json!([body]).to_string());
    bodies.push(json!(object.values().collect::<Vec<_>>()).to_string());
    bodies.push(json!(body.to_string()).to_string());
    bodies.extend(["", "null", "{", "[]", "\u{0}", "{}{}", "{'a': 1}"].map(str::to_owned));
    bodies.push(format!("{body}{body}"));
    bodies
}

fn body_text(object: &serde_json::Map<String, Value>, more: &str) -> String {
    let text = serde_json::to_string(object).unwrap();
    format!("{},{more}}}", text.strip_suffix('}').unwrap())
}

#[tokio::test]
async fn what_is_not_the_message_of_a_route_is_refused() {
    let server = TestServer::start().await;
    let places = Places::new(&server).await;
    let document = Document::get(&server.anonymous()).await;
    let mut refused = 0;
    for (number, route) in routes().into_iter().enumerate() {
        let Some(body) = &route.body else { continue };
        let user = fitting(&server, route.need, number).await;
        for text in spoiled(body) {
            // What may be left out may be `null` too; the description knows which that is.
            let path = route.path(&places);
            let value = serde_json::from_str::<Value>(&text).ok();
            let is_twice = value.as_ref() == Some(body);
            let fits = |value| document.takes(&route.method, &path, &value).is_ok();
            if !is_twice && value.is_some_and(fits) {
                continue;
            }
            let answer = route.send(&user.bearer, &places, &text).await;
            assert!(answer.is_problem(Code::BadRequest), "{path} {text}: {}", answer.text());
            refused += 1;
        }
    }
    assert!(refused > 100, "{refused}");
}

#[tokio::test]
async fn a_body_is_json_by_name_and_of_bounded_size() {
    let server = TestServer::start().await;
    let places = Places::new(&server).await;
    for (number, route) in routes().into_iter().enumerate() {
        if route.method == Method::GET {
            continue;
        }
        let user = fitting(&server, route.need, number).await;
        let body = route.body.clone().unwrap_or(json!({})).to_string();
        let path = route.path(&places);
        let check = async |kind: Option<&str>, body: String, code: Code| {
            let answer = user.bearer.send(route.method.clone(), &path, kind, body).await;
            answer.problem(code);
        };
        for kind in [None, Some("text/plain"), Some("application/x-www-form-urlencoded")] {
            check(kind, body.clone(), Code::UnsupportedMediaType).await;
        }
        let padded = format!("{body}{}", " ".repeat(BODY_BYTES_MAX + 1 - body.len()));
        check(Some("application/json"), padded, Code::PayloadTooLarge).await;
        let odd = r#"{"is_admin": true}"#.to_owned();
        check(Some("application/json"), odd, Code::BadRequest).await;
    }
}

#[tokio::test]
async fn odd_characters_anywhere_are_the_clients_mistake() {
    let server = TestServer::start().await;
    let admin = server.admin("Root").await;
    for odd in ["%00", "a%00b", "%F0%9F%A6%89", "%E2%80%AE", "%27%3B--", "%25"] {
        for path in ["users/ODD", "users/ODD/matches"] {
            let path = format!("/api/v1/{path}").replace("ODD", odd);
            admin.bearer.get(&path).await.problem(Code::RecordNotFound);
        }
        for field in ["name", "correlation"] {
            let path = format!("/api/v1/admin/audit?{field}={odd}");
            let page: AuditPage = admin.bearer.get(&path).await.json(200);
            assert_eq!(page.events, []);
        }
    }
    for odd in ["\0", "a\0b", "\u{1f989}", "';--", "", &"x".repeat(30_000)] {
        let body = json!({"username": odd, "password": odd});
        admin.bearer.post("/api/v1/login", &body).await.problem(Code::InvalidCredentials);
        admin.bearer.post("/api/v1/register", &body).await.problem(Code::BadRequest);
        let body = json!({"name": odd});
        admin.bearer.put("/api/v1/profile", &body).await.problem(Code::BadRequest);
        let body = json!({"avatar": odd});
        admin.bearer.put("/api/v1/profile", &body).await.problem(Code::BadRequest);
    }
}
