//! Pointer and keys, as the browser's own input.

use std::panic::Location;
use std::time::Duration;

use fantoccini::actions::{
    Actions, InputSource as _, KeyAction, KeyActions, MOUSE_BUTTON_LEFT, MouseActions,
    PointerAction,
};
use fantoccini::key::Key;
use serde_json::json;

use crate::{Browser, Node};

/// A place on the page, in pixels.
pub type Place = (f64, f64);

impl Browser {
    /// Clicks a thing as soon as it is there and can be used.
    #[track_caller]
    pub fn click(&self, role: &str, name: &str) -> impl Future<Output = ()> {
        self.click_at(Location::caller(), "document", role, name)
    }

    /// Clicks a thing within what a script finds.
    #[track_caller]
    pub fn click_within(&self, root: &str, role: &str, name: &str) -> impl Future<Output = ()> {
        self.click_at(Location::caller(), root, role, name)
    }

    async fn click_at(&self, at: &Location<'_>, root: &str, role: &str, name: &str) {
        let what = format!("to click the {role} “{name}”");
        self.wait(at, &what, async || {
            let node = self.find_within(root, role, name).await?;
            (!node.is_disabled && self.click_node(&node).await).then_some(())
        })
        .await;
    }

    /// Clicks a thing that was found. False if it is gone, or if something else was hit because the
    /// page has just moved it or covers it.
    pub async fn click_node(&self, node: &Node) -> bool {
        let Some(place) = self.place(node).await else { return false };
        self.press(&[place]).await;
        self.was_pressed(node).await
    }

    /// Was the pointer pressed last on this node, or on its label? A node that the press has removed
    /// together with its page counts as pressed.
    async fn was_pressed(&self, node: &Node) -> bool {
        let which = json!({"backendNodeId": node.id});
        let Ok(found) = self.try_cdp("DOM.resolveNode", which).await else { return true };
        let check = "function () {
            return window.pressed.some((it) => it === this || it.control === this);
        }";
        let call = json!({
            "objectId": found["object"]["objectId"], "functionDeclaration": check,
            "returnByValue": true,
        });
        let called = self.try_cdp("Runtime.callFunctionOn", call).await;
        called.map_or(true, |it| it["result"]["value"] != false)
    }

    /// Drags from one thing to another; false if one of them is no more.
    pub async fn drag(&self, from: &Node, to: &Node) -> bool {
        let path = self.path_of_drag(from, to).await;
        if let Some(path) = &path {
            self.press(path).await;
        }
        path.is_some()
    }

    /// The places that a drag from one thing to another goes over.
    pub async fn path_of_drag(&self, from: &Node, to: &Node) -> Option<[Place; 4]> {
        // Twice, since the first may have scrolled to the second.
        let (_, to, from) =
            (self.place(from).await, self.place(to).await?, self.place(from).await?);
        let between =
            |part: f64| (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
        Some([from, between(0.25), between(0.6), to])
    }

    /// Presses at the first place, goes over the others, and lets go.
    pub async fn press(&self, places: &[Place]) {
        self.press_slowly(places, Duration::ZERO).await;
    }

    /// The same, taking so long from each place to the next.
    pub async fn press_slowly(&self, places: &[Place], duration: Duration) {
        self.press_with(&[MOUSE_BUTTON_LEFT], places, duration).await;
    }

    /// Presses the first button at the first place, the next one at the next place, and so on; releases
    /// them in reverse order.
    pub async fn press_with(&self, buttons: &[u64], places: &[Place], duration: Duration) {
        let go = |(x, y): Place| PointerAction::MoveTo { duration: Some(duration), x, y };
        let mut mouse = MouseActions::new("mouse".to_owned());
        for (number, place) in places.iter().enumerate() {
            mouse = mouse.then(go(*place));
            if let Some(button) = buttons.get(number) {
                mouse = mouse.then(PointerAction::Down { button: *button });
            }
        }
        for button in buttons.iter().rev() {
            mouse = mouse.then(PointerAction::Up { button: *button });
        }
        self.done("use the pointer", self.client.perform_actions(mouse).await);
    }

    /// Touches the screen: each step is where the fingers are, the first one first. A finger that a step
    /// adds comes down then; after the last step all are lifted.
    pub async fn touch(&self, steps: &[&[Place]]) {
        let mut fingers = 0;
        for step in steps {
            let kind = if step.len() > fingers { "touchStart" } else { "touchMove" };
            fingers = step.len();
            let point = |(id, (x, y)): (usize, &Place)| json!({"x": x, "y": y, "id": id});
            let points: Vec<_> = step.iter().enumerate().map(point).collect();
            self.cdp("Input.dispatchTouchEvent", json!({"type": kind, "touchPoints": points}))
                .await;
        }
        self.cdp("Input.dispatchTouchEvent", json!({"type": "touchEnd", "touchPoints": []})).await;
    }

    /// The middle of a thing, scrolled to if need be.
    pub async fn place(&self, node: &Node) -> Option<Place> {
        let which = json!({"backendNodeId": node.id});
        self.try_cdp("DOM.scrollIntoViewIfNeeded", which.clone()).await.ok()?;
        let quads = self.try_cdp("DOM.getContentQuads", which).await.ok()?;
        let corner = |index: usize| quads["quads"][0][index].as_f64();
        Some((f64::midpoint(corner(0)?, corner(4)?), f64::midpoint(corner(1)?, corner(5)?)))
    }

    /// Presses and lets go of keys, one after the other.
    pub async fn keys(&self, keys: &[Key]) {
        for key in keys {
            self.strokes(&[char::from(*key)]).await;
        }
    }

    /// Types a text.
    pub async fn type_text(&self, text: &str) {
        self.strokes(&text.chars().collect::<Vec<_>>()).await;
    }

    async fn strokes(&self, keys: &[char]) {
        let mut board = KeyActions::new("keys".to_owned());
        for key in keys {
            board = board.then(KeyAction::Down { value: *key }).then(KeyAction::Up { value: *key });
        }
        self.done("type", self.client.perform_actions(board).await);
    }

    /// Puts a text into a field in place of what is there.
    #[track_caller]
    pub fn fill(&self, role: &str, name: &str, text: &str) -> impl Future<Output = ()> {
        let at = Location::caller();
        async move {
            // A page that is not whole yet moves what is clicked.
            self.wait(at, &format!("to be in the {role} “{name}”"), async || {
                let field = self.find(role, name).await?;
                self.click_node(&field).await;
                self.focused().await.filter(|it| it.id == field.id)
            })
            .await;
            self.replace(text).await;
        }
    }

    /// Types a text in place of what is in the field that has the focus.
    pub async fn replace(&self, text: &str) {
        let control = char::from(Key::Control);
        let all = KeyActions::new("keys".to_owned())
            .then(KeyAction::Down { value: control })
            .then(KeyAction::Down { value: 'a' })
            .then(KeyAction::Up { value: 'a' })
            .then(KeyAction::Up { value: control });
        self.done("mark a text", self.client.perform_actions(Actions::from(all)).await);
        self.type_text(text).await;
    }

    /// Goes on with Tab until the thing has the focus, as people do who use the keyboard alone.
    #[track_caller]
    pub fn tab_to(&self, name: &str) -> impl Future<Output = Node> {
        let at = Location::caller();
        async move {
            let mut seen = Vec::new();
            for _ in 0..TABS_MAX {
                self.keys(&[Key::Tab]).await;
                let Some(node) = self.focused().await else { continue };
                if crate::accessible::is_named(&node.name, name) {
                    return node;
                }
                seen.push(node.name);
            }
            panic!("{at}: {} reaches “{name}” by no Tab, but {seen:?}", self.name);
        }
    }
}

/// So many things no page has.
const TABS_MAX: usize = 80;
