//! Taking fields out of a record's payload for good.

use serde_json::{Map, Value};

/// What stands where a field's value was.
pub const REDACTED: &str = "[redacted]";

/// A stored payload that is no JSON object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the payload is no JSON object")]
pub struct NotAnObject;

/// The payload without the values of these fields. A dot leads into an object: `a.b`. A field that
/// is not there changes nothing.
pub fn redact(payload: &str, fields: &[String]) -> Result<String, NotAnObject> {
    let mut object: Map<String, Value> = serde_json::from_str(payload).map_err(|_| NotAnObject)?;
    for field in fields {
        remove(&mut object, field);
    }
    Ok(Value::Object(object).to_string())
}

fn remove(object: &mut Map<String, Value>, path: &str) {
    if let Some(value) = object.get_mut(path) {
        *value = Value::String(REDACTED.to_owned());
    } else if let Some((first, rest)) = path.split_once('.')
        && let Some(Value::Object(inner)) = object.get_mut(first)
    {
        remove(inner, rest);
    }
}

#[cfg(test)]
mod tests {
    use super::{NotAnObject, redact};

    #[track_caller]
    fn check(payload: &str, fields: &[&str], expected: Result<&str, NotAnObject>) {
        let fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
        let redacted = redact(payload, &fields);
        assert_eq!(redacted.as_deref(), expected.as_ref().copied(), "{payload} {fields:?}");
    }

    #[test]
    fn named_fields_lose_their_values() {
        check(r#"{"a":1,"b":2}"#, &["a"], Ok(r#"{"a":"[redacted]","b":2}"#));
        check(r#"{"a":{"b":[1],"c":2}}"#, &["a.b"], Ok(r#"{"a":{"b":"[redacted]","c":2}}"#));
        check(r#"{"a.b":1}"#, &["a.b"], Ok(r#"{"a.b":"[redacted]"}"#));
        check(r#"{"a":1}"#, &["b", "a.c", ""], Ok(r#"{"a":1}"#));
        check("[1]", &["a"], Err(NotAnObject));
        check("{", &["a"], Err(NotAnObject));
    }
}
