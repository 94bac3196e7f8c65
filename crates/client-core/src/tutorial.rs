//! What there is to read about a game: its rules, and a tutorial of a few steps, as `cargo xtask client`
//! makes them. What a step shows is a view of the real rules, and so is what may be done in it.

use serde::Deserialize;
use serde_json::value::RawValue;

/// Where the texts about a game are.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
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

/// A game in a few steps.
#[derive(Clone, Debug, Deserialize)]
pub struct Tutorial {
    /// In order.
    pub steps: Vec<Lesson>,
}

/// One step.
#[derive(Clone, Debug, Deserialize)]
pub struct Lesson {
    /// What it is about.
    pub heading: String,
    /// What to know, paragraph by paragraph.
    pub text: Vec<String>,
    /// The position, as the seat below sees it.
    pub view: Box<RawValue>,
    /// Whose position it is.
    pub side: usize,
    /// What this seat may do there; nothing if nothing is asked.
    #[serde(default)]
    pub legal: Vec<String>,
    /// What to do.
    pub task: Option<Task>,
}

/// Something to do on the board.
#[derive(Clone, Debug, Deserialize)]
pub struct Task {
    /// What is asked for.
    pub question: String,
    /// What is said of some actions.
    pub answers: Vec<Answer>,
    /// What is said of all others.
    pub otherwise: Option<String>,
}

/// What is said of an action.
#[derive(Clone, Debug, Deserialize)]
pub struct Answer {
    /// Which.
    pub action: String,
    /// Is it what was asked for?
    pub is_right: bool,
    /// Why, or why not.
    pub reason: String,
    /// The position after it, if it is right.
    pub view: Option<Box<RawValue>>,
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

impl Task {
    /// Is this action what was asked for?
    pub fn judge(&self, action: &str) -> Verdict {
        match self.answers.iter().find(|answer| answer.action == action) {
            Some(answer) => Verdict {
                is_right: answer.is_right,
                reason: answer.reason.clone(),
                view: answer.view.as_ref().map(|view| view.get().to_owned()),
            },
            None => Verdict {
                is_right: false,
                reason: self.otherwise.clone().unwrap_or_default(),
                view: None,
            },
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

    const LESSON: &str = r#"{
        "heading": "Mate", "text": ["Mate."], "view": {"fen": "x"}, "side": 0, "legal": ["a", "b", "c"],
        "task": {
            "question": "Mate!",
            "answers": [
                {"action": "a", "is_right": true, "reason": "Mate.", "view": {"fen": "y"}},
                {"action": "b", "is_right": false, "reason": "Check."}
            ],
            "otherwise": "No."
        }
    }"#;

    #[test]
    fn an_answer_is_right_or_wrong_with_the_reason() {
        let lesson: Lesson = serde_json::from_str(LESSON).unwrap();
        let task = lesson.task.unwrap();
        for (action, is_right, reason, view) in [
            ("a", true, "Mate.", Some(r#"{"fen": "y"}"#)),
            ("b", false, "Check.", None),
            ("c", false, "No.", None),
        ] {
            let (reason, view) = (reason.to_owned(), view.map(str::to_owned));
            assert_eq!(task.judge(action), Verdict { is_right, reason, view });
        }
    }

    #[test]
    fn a_lesson_need_not_ask_anything() {
        let text = r#"{"heading": "Aim", "text": [], "view": {}, "side": 1, "task": null}"#;
        let lesson: Lesson = serde_json::from_str(text).unwrap();
        assert!(lesson.task.is_none() && lesson.legal.is_empty());
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
