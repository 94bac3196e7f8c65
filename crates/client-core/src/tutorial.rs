//! What there is to read about a game: its rules, and a tutorial of a few steps, as `cargo xtask client`
//! makes them. What a step shows is a view of the real rules, and so is what may be done in it.
//!
//! Both come from the same build as the client, so they are read without ceremony: what is missing is
//! empty. Derived readers would weigh more than all else here, and every first visit loads them.

use serde_json::Value;

/// Where the texts about a game are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The game's key.
    pub game: String,
    /// Its name.
    pub title: String,
    /// The address of its rules, as HTML.
    pub rules: String,
    /// The address of its tutorial, if it has one.
    pub tutorial: Option<String>,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// What it is about.
    pub heading: String,
    /// What to know, paragraph by paragraph.
    pub text: Vec<String>,
    /// The position, as the seat below sees it.
    pub view: String,
    /// Whose position it is.
    pub side: usize,
    /// What this seat may do there; nothing if nothing is asked.
    pub legal: Vec<String>,
    /// What to do.
    pub task: Option<Task>,
}

/// Something to do on the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// What is asked for.
    pub question: String,
    /// What is said of some actions.
    pub answers: Vec<Answer>,
    /// What is said of all others; nothing if there is none.
    pub otherwise: String,
}

/// What is said of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Which.
    pub action: String,
    /// Is it what was asked for?
    pub is_right: bool,
    /// Why, or why not.
    pub reason: String,
    /// The position after it, if it is right.
    pub view: Option<String>,
}

/// What became of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Was it what was asked for?
    pub is_right: bool,
    /// Why, or why not.
    pub reason: String,
    /// The view after it, if there is one to show.
    pub view: Option<String>,
}

impl Reading {
    /// The list that the page holds.
    pub fn list(json: &str) -> Vec<Reading> {
        let read = |it: &Value| Reading {
            game: text(it, "game"),
            title: text(it, "title"),
            rules: text(it, "rules"),
            tutorial: it["tutorial"].as_str().map(str::to_owned),
        };
        list(&parse(json), read)
    }
}

impl Lesson {
    /// The steps of a tutorial, in order.
    pub fn list(json: &str) -> Vec<Lesson> {
        let read = |it: &Value| Lesson {
            heading: text(it, "heading"),
            text: list(&it["text"], own),
            view: it["view"].to_string(),
            side: it["side"].as_u64().and_then(|it| usize::try_from(it).ok()).unwrap_or_default(),
            legal: list(&it["legal"], own),
            task: it.get("task").filter(|task| task.is_object()).map(Task::read),
        };
        list(&parse(json)["steps"], read)
    }
}

fn parse(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_default()
}

fn list<T>(value: &Value, read: fn(&Value) -> T) -> Vec<T> {
    value.as_array().map(Vec::as_slice).unwrap_or_default().iter().map(read).collect()
}

fn own(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn text(value: &Value, key: &str) -> String {
    own(&value[key])
}

impl Task {
    fn read(it: &Value) -> Task {
        let answer = |it: &Value| Answer {
            action: text(it, "action"),
            is_right: it["is_right"] == true,
            reason: text(it, "reason"),
            view: it.get("view").filter(|view| view.is_object()).map(Value::to_string),
        };
        Task {
            question: text(it, "question"),
            answers: list(&it["answers"], answer),
            otherwise: text(it, "otherwise"),
        }
    }

    /// Is this action what was asked for?
    pub fn judge(&self, action: &str) -> Verdict {
        match self.answers.iter().find(|answer| answer.action == action) {
            Some(answer) => Verdict {
                is_right: answer.is_right,
                reason: answer.reason.clone(),
                view: answer.view.clone(),
            },
            None => Verdict { is_right: false, reason: self.otherwise.clone(), view: None },
        }
    }
}

/// The games whose tutorial was done, as they are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Learned(Vec<String>);

impl Learned {
    /// What was kept.
    pub fn recall(kept: Option<&str>) -> Learned {
        let games = kept.unwrap_or_default().split(',').filter(|game| !game.is_empty());
        Learned(games.map(str::to_owned).collect())
    }

    /// As it is kept.
    pub fn key(&self) -> String {
        self.0.join(",")
    }

    /// Was this game's tutorial done?
    pub fn has(&self, game: &str) -> bool {
        self.0.iter().any(|it| it == game)
    }

    /// Now it was.
    pub fn add(&mut self, game: &str) {
        if !self.has(game) {
            self.0.push(game.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LESSONS: &str = r#"{"steps": [{
        "heading": "Mate", "text": ["One.", "Two."], "view": {"fen": "x"}, "side": 1, "legal": ["a", "b", "c"],
        "task": {
            "question": "Mate!",
            "answers": [
                {"action": "a", "is_right": true, "reason": "Mate.", "view": {"fen": "y"}},
                {"action": "b", "is_right": false, "reason": "Check.", "view": null}
            ],
            "otherwise": "No."
        }
    }, {"heading": "Aim", "text": [], "view": {}, "side": 0, "task": null}]}"#;

    #[test]
    fn an_answer_is_right_or_wrong_with_the_reason() {
        let lessons = Lesson::list(LESSONS);
        let task = lessons[0].task.as_ref().unwrap();
        for (action, is_right, reason, view) in [
            ("a", true, "Mate.", Some(r#"{"fen":"y"}"#)),
            ("b", false, "Check.", None),
            ("c", false, "No.", None),
        ] {
            let (reason, view) = (reason.to_owned(), view.map(str::to_owned));
            assert_eq!(task.judge(action), Verdict { is_right, reason, view });
        }
    }

    #[test]
    fn a_lesson_has_words_a_position_and_perhaps_a_task() {
        let lessons = Lesson::list(LESSONS);
        let [first, second] = lessons.as_slice() else { panic!("{lessons:?}") };
        assert_eq!((&*first.heading, first.text.len(), first.side), ("Mate", 2, 1));
        assert_eq!((&*first.view, first.legal.len()), (r#"{"fen":"x"}"#, 3));
        assert!(second.task.is_none() && second.legal.is_empty() && second.side == 0);
        assert_eq!(Lesson::list("no JSON"), []);
    }

    #[test]
    fn the_page_lists_what_there_is_to_read() {
        let json = r#"[{"game": "go", "title": "Go", "rules": "/r", "tutorial": "/t"},
                       {"game": "ur", "title": "Ur", "rules": "/s", "tutorial": null}]"#;
        let readings = Reading::list(json);
        let shown: Vec<_> =
            readings.iter().map(|it| (&*it.game, &*it.rules, it.tutorial.as_deref())).collect();
        assert_eq!(shown, [("go", "/r", Some("/t")), ("ur", "/s", None)]);
        assert_eq!(Reading::list(""), []);
    }

    #[test]
    fn what_was_learned_is_kept_once_a_game() {
        let mut learned = Learned::recall(None);
        assert!(!learned.has("chess"));
        for game in ["chess", "crazy-tens", "chess"] {
            learned.add(game);
        }
        assert_eq!(learned.key(), "chess,crazy-tens");
        let kept = Learned::recall(Some(&learned.key()));
        assert!(kept.has("chess") && kept.has("crazy-tens") && !kept.has("tens"));
        assert_eq!(Learned::recall(Some("")), Learned::default());
    }
}
