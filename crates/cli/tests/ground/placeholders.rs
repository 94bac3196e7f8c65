//! Placeholders for what differs from run to run. A placeholder is bound when it is first seen and
//! keeps its value from then on.
//!
//! `<match-1>` stands for one text wherever it occurs; `<ms>` for any number of milliseconds; `<date>`
//! for any date; `<any>` for anything.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The kinds of placeholder that are bound.
const KINDS: [&str; 8] = ["user", "lobby", "match", "id", "token", "commitment", "seed", "guest"];

/// What each placeholder stands for in this run.
#[derive(Default)]
pub(crate) struct Placeholders {
    values: BTreeMap<String, String>,
}

/// A piece of a recorded text.
enum Piece<'a> {
    Literal(&'a str),
    Placeholder(&'a str),
}

impl Placeholders {
    /// A request's text, with values in the place of placeholders.
    pub(crate) fn fill(&self, text: &str) -> Result<String, String> {
        let value = |piece| match piece {
            Piece::Literal(text) => Ok(text),
            Piece::Placeholder("<date>") => Err("a request cannot hold <date>".to_owned()),
            Piece::Placeholder(name) => {
                let found = self.values.get(name).map(String::as_str);
                found.ok_or_else(|| format!("{name} is not known yet"))
            }
        };
        pieces(text).into_iter().map(value).collect()
    }

    /// Compares an answer with the recorded one. Fields that were not recorded do not count.
    pub(crate) fn compare(&mut self, recorded: &Value, found: &Value) -> Result<(), String> {
        match (recorded, found) {
            (Value::String(text), _) if text == "<any>" => Ok(()),
            (Value::String(text), Value::Number(_)) if text == "<ms>" => Ok(()),
            (Value::String(text), Value::String(found)) => self.compare_text(text, found),
            (Value::Object(recorded), Value::Object(found)) => {
                for (key, recorded) in recorded {
                    let found = found.get(key).ok_or_else(|| format!("{key} is missing"))?;
                    self.compare(recorded, found).map_err(|error| format!("{key}: {error}"))?;
                }
                Ok(())
            }
            (Value::Array(recorded), Value::Array(found)) if recorded.len() == found.len() => {
                for (index, (recorded, found)) in recorded.iter().zip(found).enumerate() {
                    self.compare(recorded, found).map_err(|error| format!("[{index}] {error}"))?;
                }
                Ok(())
            }
            _ if recorded == found => Ok(()),
            _ => Err(format!("recorded {recorded}, found {found}")),
        }
    }

    fn compare_text(&mut self, recorded: &str, found: &str) -> Result<(), String> {
        let differs = || format!("recorded {recorded:?}, found {found:?}");
        let mut rest = found;
        let mut pieces = pieces(recorded).into_iter().peekable();
        while let Some(piece) = pieces.next() {
            let name = match piece {
                Piece::Literal(text) => {
                    rest = rest.strip_prefix(text).ok_or_else(differs)?;
                    continue;
                }
                Piece::Placeholder(name) => name,
            };
            if let Some(value) = self.values.get(name) {
                rest = rest
                    .strip_prefix(value.as_str())
                    .ok_or_else(|| format!("{}: {name} is {value:?} in this run", differs()))?;
                continue;
            }
            let end = match pieces.peek() {
                Some(Piece::Literal(next)) => rest.find(next).ok_or_else(differs)?,
                _ => rest.len(),
            };
            let value;
            (value, rest) = rest.split_at(end);
            if value.is_empty() {
                return Err(differs());
            }
            if name != "<date>" {
                self.bind(name.to_owned(), value)?;
            }
        }
        if rest.is_empty() { Ok(()) } else { Err(differs()) }
    }

    fn bind(&mut self, name: String, value: &str) -> Result<(), String> {
        if let Some((other, _)) = self.values.iter().find(|(_, other)| *other == value) {
            return Err(format!("{name} is {other} in this run"));
        }
        self.values.insert(name, value.to_owned());
        Ok(())
    }

    /// An answer as it is recorded: with placeholders, and `<any>` for these fields.
    pub(crate) fn mask(&mut self, value: &Value, any: &[String]) -> Value {
        self.mask_in(&Map::new(), "", value, any)
    }

    fn mask_in(
        &mut self,
        around: &Map<String, Value>,
        key: &str,
        value: &Value,
        any: &[String],
    ) -> Value {
        match value {
            _ if any.iter().any(|other| other == key) => "<any>".into(),
            _ if ["request_id", "correlation", "version"].contains(&key) && !value.is_null() => {
                "<any>".into()
            }
            Value::Number(_) if key.ends_with("_ms") => "<ms>".into(),
            Value::Array(items) => {
                let items = items.iter().map(|item| self.mask_in(around, key, item, any));
                Value::Array(items.collect())
            }
            Value::Object(fields) => {
                let mask = |(key, value): (&String, &Value)| {
                    (key.clone(), self.mask_in(fields, key, value, any))
                };
                Value::Object(fields.iter().map(mask).collect())
            }
            Value::String(text) => self.mask_text(around, key, text).into(),
            other => other.clone(),
        }
    }

    fn mask_text(&mut self, around: &Map<String, Value>, key: &str, text: &str) -> String {
        let mut masked = text.to_owned();
        for (name, value) in &self.values {
            masked = masked.replace(value, name);
        }
        if masked == text
            && let Some(kind) = kind_of(around, key, text)
        {
            let count = self.values.keys().filter(|name| is_of_kind(name, kind)).count();
            let name = format!("<{kind}-{}>", count + 1);
            self.values.insert(name.clone(), text.to_owned());
            return name;
        }
        mask_dates(&masked)
    }
}

/// Which kind of placeholder a text becomes, if it differs from run to run.
fn kind_of(around: &Map<String, Value>, key: &str, text: &str) -> Option<&'static str> {
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if text.starts_with("Guest ") {
        return Some("guest");
    }
    match key {
        "token" => return Some("token"),
        "commitment" if text.bytes().all(is_hex) => return Some("commitment"),
        "seed" if text.bytes().all(is_hex) => return Some("seed"),
        _ => {}
    }
    let is_plain = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_lowercase();
    let is_id = (13..=32).contains(&text.len())
        && text.bytes().all(is_plain)
        && text.bytes().any(|byte| byte.is_ascii_digit());
    is_id.then(|| {
        let is_lobby = around.contains_key("host") || around.contains_key("lobby");
        match key {
            "match" | "next" => "match",
            "id" if around.contains_key("role") => "user",
            "id" if is_lobby => "lobby",
            "id" if around.contains_key("game") => "match",
            _ => "id",
        }
    })
}

fn is_of_kind(name: &str, kind: &str) -> bool {
    name.strip_prefix('<')
        .and_then(|name| name.strip_prefix(kind))
        .is_some_and(|rest| rest.starts_with('-'))
}

/// `2026.11.19`, as PGN has it, becomes `<date>`.
fn mask_dates(text: &str) -> String {
    let is_date = |text: &str| {
        let shape = text.bytes().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
        shape.eq(*b"0000.00.00")
    };
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let at = starts.into_iter().find(|&at| text.get(at..at + 10).is_some_and(is_date));
    at.map_or_else(
        || text.to_owned(),
        |at| format!("{}<date>{}", &text[..at], mask_dates(&text[at + 10..])),
    )
}

/// Cuts a recorded text at its placeholders.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut from = 0;
    while let Some(start) = rest[from..].find('<').map(|at| from + at) {
        let end = rest[start..].find('>').map(|at| start + at + 1);
        let Some(end) = end.filter(|end| is_placeholder(&rest[start..*end])) else {
            from = start + 1;
            continue;
        };
        if start > 0 {
            pieces.push(Piece::Literal(&rest[..start]));
        }
        pieces.push(Piece::Placeholder(&rest[start..end]));
        (rest, from) = (&rest[end..], 0);
    }
    if !rest.is_empty() {
        pieces.push(Piece::Literal(rest));
    }
    pieces
}

fn is_placeholder(name: &str) -> bool {
    name == "<date>" || KINDS.iter().any(|kind| is_of_kind(name, kind))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Placeholders;

    #[track_caller]
    fn check(recorded: &serde_json::Value, found: &serde_json::Value, error: Option<&str>) {
        let mut placeholders = Placeholders::default();
        let result = placeholders.compare(recorded, found);
        assert_eq!(result.err().as_deref(), error);
    }

    #[test]
    fn a_field_may_be_added_but_none_may_change_or_go() {
        check(&json!({"a": 1}), &json!({"a": 1, "b": 2}), None);
        check(&json!({"a": 1, "b": 2}), &json!({"a": 1}), Some("b is missing"));
        check(&json!({"a": [1]}), &json!({"a": [2]}), Some("a: [0] recorded 1, found 2"));
        check(&json!([1]), &json!([1, 2]), Some("recorded [1], found [1,2]"));
    }

    #[test]
    fn a_placeholder_stands_for_one_text_and_each_text_has_one() {
        let recorded = json!(["<match-1>", "lobby:<lobby-1>", "<match-1>", "<ms>", "<any>"]);
        check(&recorded, &json!(["x", "lobby:y", "x", 5, {}]), None);
        check(
            &recorded,
            &json!(["x", "lobby:y", "z", 5, {}]),
            Some("[2] recorded \"<match-1>\", found \"z\": <match-1> is \"x\" in this run"),
        );
        check(
            &recorded,
            &json!(["x", "lobby:x", "x", 5, {}]),
            Some("[1] <lobby-1> is <match-1> in this run"),
        );
    }

    #[test]
    fn what_is_masked_compares_equal_in_another_run() {
        let run = |id: &str, ms: u64| json!({"id": id, "game": "chess", "at_ms": ms, "text": format!("[Date \"2026.01.0{ms}\"] {id}")});
        let recorded = Placeholders::default().mask(&run("0abcdefghijk1", 1), &[]);
        let text = "[Date \"<date>\"] <match-1>";
        let expected = json!({"id": "<match-1>", "game": "chess", "at_ms": "<ms>", "text": text});
        assert_eq!(recorded, expected);
        check(&recorded, &run("0zyxwvutsrqp2", 2), None);
    }
}
