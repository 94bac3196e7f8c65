//! The served description, and whether an answer is what it says.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use http::{Method, StatusCode};
use jsonschema::Validator;
use protocol::Code;
use serde_json::{Value, json};
use tokio::sync::OnceCell;

use crate::kit::{Answer, Client};

const ADDRESS: &str = "/api/v1/openapi.json";
/// <https://spec.openapis.org/oas/3.1/schema/2022-10-07>, without its blanks.
const OPENAPI: &str = include_str!("openapi-3.1.json");

/// One for all servers of this process, which are all alike.
static DOCUMENT: OnceCell<Document> = OnceCell::const_new();

pub(crate) struct Document {
    pub(crate) api: Value,
    /// By the place of the schema in the document.
    validators: Mutex<BTreeMap<String, Arc<Validator>>>,
}

impl Document {
    /// As the first server that was asked served it.
    pub(crate) async fn get(client: &Client) -> &'static Document {
        let fetch = async || {
            let answer = client.exchange(Method::GET, ADDRESS, None, "".into()).await;
            Document { api: answer.json(200), validators: Mutex::default() }
        };
        DOCUMENT.get_or_init(fetch).await
    }

    /// Every method and address that it describes.
    pub(crate) fn operations(&self) -> Vec<(Method, String)> {
        let paths = self.api["paths"].as_object().unwrap();
        let operations = paths.iter().flat_map(|(template, item)| {
            let methods = item.as_object().unwrap().keys();
            methods.map(|method| (method.to_uppercase().parse().unwrap(), template.clone()))
        });
        operations.collect()
    }

    /// The described address that this path has; a literal one comes before a template.
    fn template(&self, path: &str) -> Option<&str> {
        let is_alike = |template: &str| {
            let count = template.split('/').count();
            let mut pairs = template.split('/').zip(path.split('/'));
            count == path.split('/').count()
                && pairs.all(|(part, it)| part == it || part.starts_with('{') && !it.is_empty())
        };
        let paths = self.api["paths"].as_object()?;
        let literal = paths.get_key_value(path).map(|(literal, _)| literal);
        literal.or_else(|| paths.keys().find(|it| is_alike(it))).map(String::as_str)
    }

    /// Where in the document the operation is.
    fn place(&self, method: &Method, template: &str) -> Option<String> {
        let method = method.as_str().to_lowercase();
        let place = format!("/paths/{}/{method}", template.replace('/', "~1"));
        self.api.pointer(&place).map(|_| place.clone())
    }

    /// Whether a JSON value fits the schema at this place.
    pub(crate) fn fits(&self, place: &str, value: &Value) -> Result<(), String> {
        let mut validators = self.validators.lock().unwrap();
        let validator = validators.entry(place.to_owned()).or_insert_with(|| {
            let schema = json!({
                "allOf": [self.api.pointer(place).unwrap()],
                "components": self.api["components"],
            });
            Arc::new(jsonschema::draft202012::new(&schema).unwrap())
        });
        let validator = validator.clone();
        drop(validators);
        validator.validate(value).map_err(|error| format!("{error} at {}", error.instance_path()))
    }

    /// Whether a body fits what the operation takes.
    pub(crate) fn takes(&self, method: &Method, path: &str, body: &Value) -> Result<(), String> {
        let place = self.place(method, self.template(path).unwrap()).unwrap();
        self.fits(&format!("{place}/requestBody/content/application~1json/schema"), body)
    }

    /// Panics unless the document describes this answer to this request.
    pub(crate) fn check(&self, method: &Method, target: &str, body: &[u8], answer: &Answer) {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let about = format!("{method} {target} {} {}", answer.status, answer.text());
        // Another site is refused before anything is looked up.
        let is_refused_as = |code| answer.is_problem(code) || answer.is_problem(Code::CrossOrigin);
        let Some(template) = self.template(path) else {
            assert!(path == ADDRESS || is_refused_as(Code::NotFound), "not described: {about}");
            return;
        };
        let Some(place) = self.place(method, template) else {
            assert!(is_refused_as(Code::MethodNotAllowed), "not described: {about}");
            return;
        };
        let operation = self.api.pointer(&place).unwrap();
        if answer.status.is_success() {
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let of_query = parameters.filter(|parameter| parameter["in"] == "query");
            let names: Vec<&Value> = of_query.map(|parameter| &parameter["name"]).collect();
            // A route without any does not look at the query.
            let is_read = !names.is_empty();
            for (name, _) in form_urlencoded::parse(query.as_bytes()) {
                assert!(
                    !is_read || names.iter().any(|it| **it == *name),
                    "`{name}` not described: {about}"
                );
            }
            if operation["requestBody"].is_object() {
                let body = serde_json::from_slice(body).unwrap();
                self.takes(method, path, &body).unwrap_or_else(|error| panic!("{error}: {about}"));
            }
        }
        let status = answer.status.as_u16().to_string();
        let responses = &operation["responses"];
        let key = if responses[&status].is_object() { status.as_str() } else { "default" };
        let is_refusal = !answer.status.is_success();
        assert_eq!(key == "default", is_refusal, "the status is not described: {about}");
        let content = responses[key]["content"].as_object();
        let Some(content) = content else {
            assert_eq!(
                (answer.status, &*answer.body),
                (StatusCode::NO_CONTENT, &[][..]),
                "{about}"
            );
            return;
        };
        let kind = answer.header("content-type");
        if !content.contains_key(kind) && content.contains_key("*/*") {
            return;
        }
        assert!(content.contains_key(kind), "{kind} is not described: {about}");
        let schema = format!("{place}/responses/{key}/content/{}/schema", kind.replace('/', "~1"));
        let value = serde_json::from_slice(&answer.body).unwrap();
        self.fits(&schema, &value).unwrap_or_else(|error| panic!("{error}: {about}"));
    }
}

#[tokio::test]
async fn the_description_is_valid_openapi() {
    let server = crate::kit::TestServer::start().await;
    let document = Document::get(&server.anonymous()).await;
    let openapi = serde_json::from_str(OPENAPI).unwrap();
    let validator = jsonschema::draft202012::new(&openapi).unwrap();
    assert!(!validator.is_valid(&json!({"openapi": "3.0.0", "info": {}})), "it refuses something");
    let errors: Vec<String> = validator
        .iter_errors(&document.api)
        .map(|error| format!("{error} at {}", error.instance_path()))
        .collect();
    assert_eq!(errors, [""; 0]);
    for (name, schema) in document.api["components"]["schemas"].as_object().unwrap() {
        jsonschema::draft202012::meta::validate(schema)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[tokio::test]
async fn operations_have_names_of_their_own() {
    let server = crate::kit::TestServer::start().await;
    let document = Document::get(&server.anonymous()).await;
    let paths = document.api["paths"].as_object().unwrap().values();
    let operations = paths.flat_map(|item| item.as_object().unwrap().values());
    let mut names: Vec<&str> =
        operations.map(|operation| operation["operationId"].as_str().unwrap()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "{names:?}");
}
