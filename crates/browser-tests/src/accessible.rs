//! Finding things as people do, and as screen readers tell of them: by role and name, in the tree that
//! the browser itself makes for them.

use std::panic::Location;

use serde_json::{Value, json};

use crate::Browser;

/// Something on the page, as the browser tells of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// What is in a field.
    pub value: String,
    /// It cannot be used now.
    pub is_disabled: bool,
    /// It is picked, or chosen.
    pub is_selected: bool,
    /// A box or a button of a choice is on.
    pub is_checked: bool,
    pub(crate) id: u64,
}

impl Node {
    fn parse(node: &Value) -> Option<Node> {
        if node["ignored"] == true {
            return None;
        }
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        let has = |name: &str| {
            let mut properties = node["properties"].as_array().into_iter().flatten();
            let value = properties.find(|it| it["name"] == name).map(|it| &it["value"]["value"]);
            value.is_some_and(|value| *value == true || *value == "true")
        };
        Some(Node {
            name: text(&node["name"]["value"]),
            value: text(&node["value"]["value"]),
            is_disabled: has("disabled"),
            is_selected: has("selected"),
            is_checked: has("checked"),
            id: node["backendDOMNodeId"].as_u64()?,
        })
    }
}

/// Is it this name? One that ends in `…` is the beginning of it, one that begins so the end.
pub(crate) fn is_named(name: &str, wanted: &str) -> bool {
    match (wanted.strip_prefix('…'), wanted.strip_suffix('…')) {
        (Some(end), _) => name.ends_with(end),
        (_, Some(begin)) => name.starts_with(begin),
        _ => name == wanted,
    }
}

impl Browser {
    /// All things of a role that are there now.
    pub async fn all(&self, role: &str) -> Vec<Node> {
        self.all_within("document", role).await
    }

    /// Those within what a script finds.
    pub async fn all_within(&self, root: &str, role: &str) -> Vec<Node> {
        // The page may change in between: what is no more is not found, and looked for again.
        let Ok(root) = self.try_cdp("Runtime.evaluate", json!({"expression": root})).await else {
            return Vec::new();
        };
        let query = json!({"objectId": root["result"]["objectId"], "role": role});
        let found = self.try_cdp("Accessibility.queryAXTree", query).await.unwrap_or_default();
        found["nodes"].as_array().into_iter().flatten().filter_map(Node::parse).collect()
    }

    /// The first thing of a role and a name, if it is there now.
    pub async fn find(&self, role: &str, name: &str) -> Option<Node> {
        self.find_within("document", role, name).await
    }

    pub(crate) async fn find_within(&self, root: &str, role: &str, name: &str) -> Option<Node> {
        let all = self.all_within(root, role).await;
        all.into_iter().find(|node| is_named(&node.name, name))
    }

    /// Waits for a thing.
    #[track_caller]
    pub fn see(&self, role: &str, name: &str) -> impl Future<Output = Node> {
        let at = Location::caller();
        async move {
            let what = format!("for the {role} “{name}”");
            self.wait(at, &what, async || self.find(role, name).await).await
        }
    }

    /// Waits until a thing is there no more.
    #[track_caller]
    pub fn see_no_more(&self, role: &str, name: &str) -> impl Future<Output = ()> {
        let at = Location::caller();
        async move {
            let what = format!("until the {role} “{name}” is gone");
            let look = async || self.find(role, name).await.is_none().then_some(());
            self.wait(at, &what, look).await;
        }
    }

    /// What has the focus.
    pub async fn focused(&self) -> Option<Node> {
        let root =
            self.try_cdp("Runtime.evaluate", json!({"expression": "document.activeElement"}));
        let query =
            json!({"objectId": root.await.ok()?["result"]["objectId"], "fetchRelatives": false});
        let found = self.try_cdp("Accessibility.getPartialAXTree", query).await.ok()?;
        found["nodes"].as_array()?.iter().find_map(Node::parse)
    }
}

#[cfg(test)]
mod tests {
    use super::is_named;

    #[test]
    fn a_name_is_whole_or_its_begin_or_its_end() {
        assert!(is_named("e2, white pawn", "e2, white pawn"));
        assert!(is_named("e2, white pawn", "e2,…") && is_named("e2, white pawn", "…pawn"));
        assert!(!is_named("e2, white pawn", "e2") && !is_named("e2", "…e3"));
    }
}
