//! A game's tutorial: people write `tutorial.md`, and what a board shows is derived from the rules and
//! kept beside it in `tutorial.json`, which the client reads. With `UPDATE_TUTORIALS` set it is written
//! anew; else it must be what the rules say today.
//!
//! `## A heading` begins a step; then, in any order:
//! - paragraphs of plain text;
//! - a fence ```` ```board ```` with `position TEXT`, or `match seats=2 seed=1 options={}`, and then
//!   perhaps actions as `> SEAT ACTION`: what is shown, to the seat that is to act;
//! - `> A question`, which asks for an action;
//! - ``- right `ACTION`: why`` and ``- wrong `ACTION`: why not``, each with one or more actions;
//!   ``- wins `ACTION`: why`` for one that wins, as no other does; `- else: why not`.

use std::path::Path;
use std::sync::Arc;

use game_api::{Game, Match, Seat, Viewer};
use serde_json::{Value, json};

use crate::playthrough::{read_action_line, read_head};

const UPDATE: &str = "UPDATE_TUTORIALS";
/// Enough to begin with; more would be read by nobody.
const STEPS: std::ops::RangeInclusive<usize> = 3..=5;

/// Compares a game's `tutorial.json` with what its `tutorial.md` and the rules say today.
pub fn check_tutorial<G: Game>(game: &Arc<G>, folder: &Path) -> Result<(), String> {
    let (text, json) = (folder.join("tutorial.md"), folder.join("tutorial.json"));
    let place = text.display().to_string();
    let written = std::fs::read_to_string(&text).map_err(|error| format!("{place}: {error}"))?;
    let steps = tutorial(game, &written).map_err(|error| format!("{place}: {error}"))?;
    let today = serde_json::to_string_pretty(&json!({ "steps": steps }))
        .map_err(|error| error.to_string())?
        + "\n";
    let kept = std::fs::read_to_string(&json).unwrap_or_default();
    if kept == today {
        return Ok(());
    }
    if std::env::var_os(UPDATE).is_some() {
        return std::fs::write(&json, today).map_err(|error| error.to_string());
    }
    Err(format!("{} is not what the rules say: look, and set {UPDATE}=1", json.display()))
}

/// The steps as the client reads them.
pub fn tutorial<G: Game>(game: &Arc<G>, text: &str) -> Result<Vec<Value>, String> {
    let mut steps = text.split("\n## ");
    // What stands before the first heading is for whoever reads the file.
    steps.next();
    let steps: Vec<Value> = steps
        .map(|text| {
            let heading = text.lines().next().unwrap_or_default();
            let step = Draft::read(text).and_then(|draft| draft.step(game));
            step.map_err(|error| format!("in the step {heading:?}: {error}"))
        })
        .collect::<Result<_, _>>()?;
    if !STEPS.contains(&steps.len()) {
        return Err(format!("{} steps: a tutorial has {STEPS:?}", steps.len()));
    }
    Ok(steps)
}

/// A step as it is written.
#[derive(Default)]
struct Draft<'a> {
    heading: &'a str,
    text: Vec<String>,
    board: Vec<&'a str>,
    question: Option<&'a str>,
    answers: Vec<(Kind, &'a str, &'a str)>,
    otherwise: Option<&'a str>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Right,
    Wins,
    Wrong,
}

impl<'a> Draft<'a> {
    fn read(text: &'a str) -> Result<Draft<'a>, String> {
        let mut lines = text.lines();
        let mut draft = Draft { heading: lines.next().unwrap_or_default(), ..Draft::default() };
        let mut paragraph = String::new();
        while let Some(line) = lines.next() {
            if line == "```board" {
                draft.board = lines.by_ref().take_while(|line| *line != "```").collect();
            } else if let Some(question) = line.strip_prefix("> ") {
                draft.question = Some(question);
            } else if let Some(entry) = line.strip_prefix("- ") {
                draft.read_answer(entry)?;
            } else if line.is_empty() {
                draft.text.extend(Some(std::mem::take(&mut paragraph)).filter(|it| !it.is_empty()));
            } else {
                let gap = if paragraph.is_empty() { "" } else { " " };
                paragraph = paragraph + gap + line;
            }
        }
        draft.text.extend(Some(paragraph).filter(|it| !it.is_empty()));
        Ok(draft)
    }

    fn read_answer(&mut self, entry: &'a str) -> Result<(), String> {
        if let Some(reason) = entry.strip_prefix("else: ") {
            self.otherwise = Some(reason);
            return Ok(());
        }
        let bad = || format!("an answer is ``- right `ACTION`: why``, not {entry:?}");
        let (kind, rest) = entry.split_once(" `").ok_or_else(bad)?;
        let (actions, reason) = rest.split_once("`: ").ok_or_else(bad)?;
        let kind = match kind {
            "right" => Kind::Right,
            "wins" => Kind::Wins,
            "wrong" => Kind::Wrong,
            _ => return Err(bad()),
        };
        self.answers.extend(actions.split("`, `").map(|action| (kind, action, reason)));
        Ok(())
    }

    fn step<G: Game>(&self, game: &Arc<G>) -> Result<Value, String> {
        let contest = self.play(game)?;
        let side = contest.to_act().iter().next().unwrap_or(Seat::FIRST);
        let view = |contest: &Match<G>| contest.game().view(contest.state(), Viewer::Seat(side));
        let mut step = json!({
            "heading": self.heading,
            "text": self.text,
            "view": view(&contest),
            "side": side.index(),
            "task": null,
        });
        let Some(question) = self.question else {
            let is_bare = self.answers.is_empty() && self.otherwise.is_none();
            return if is_bare { Ok(step) } else { Err("answers without a question".to_owned()) };
        };
        let mut legal = Vec::new();
        contest.game().legal_actions(contest.state(), side, &mut legal);
        let legal: Vec<String> = legal.iter().map(ToString::to_string).collect();
        let mut answers = Vec::new();
        for action in &legal {
            let mut after = self.play(game)?;
            after.act(side, action).map_err(|refusal| format!("{action}: {refusal}"))?;
            let kind = self.kind_of(action);
            if (kind == Some(Kind::Wins)) != is_won(&after, side)
                && self.answers.iter().any(|(kind, ..)| *kind == Kind::Wins)
            {
                return Err(format!("{action}: `wins` is for all that win, and for no other"));
            }
            if let Some(reason) = self.reason_of(action) {
                let is_right = kind != Some(Kind::Wrong);
                let view = is_right.then(|| view(&after));
                answers.push(json!({
                    "action": action, "is_right": is_right, "reason": reason, "view": view,
                }));
            } else if self.otherwise.is_none() {
                return Err(format!("nothing is said of {action}: add `- else: …`"));
            }
        }
        self.check_answers(&legal)?;
        let task = json!({ "question": question, "answers": answers, "otherwise": self.otherwise });
        step["legal"] = json!(legal);
        step["task"] = task;
        Ok(step)
    }

    fn kind_of(&self, action: &str) -> Option<Kind> {
        self.answers.iter().find(|(_, it, _)| *it == action).map(|(kind, ..)| *kind)
    }

    fn reason_of(&self, action: &str) -> Option<&str> {
        self.answers.iter().find(|(_, it, _)| *it == action).map(|(.., reason)| *reason)
    }

    fn check_answers(&self, legal: &[String]) -> Result<(), String> {
        for (_, action, _) in &self.answers {
            if !legal.iter().any(|it| it == action) {
                return Err(format!("{action} is not legal there; legal is {}", legal.join(" ")));
            }
        }
        let is_right = |kind: Kind| kind != Kind::Wrong;
        if !self.answers.iter().any(|(kind, ..)| is_right(*kind)) {
            return Err("no answer is right".to_owned());
        }
        Ok(())
    }

    /// The position that is shown.
    fn play<G: Game>(&self, game: &Arc<G>) -> Result<Match<G>, String> {
        let (head, actions) = self.board.split_first().ok_or("there is no board")?;
        let mut contest = if let Some(text) = head.strip_prefix("position ") {
            let seed = "1".parse().map_err(|_| "a seed")?;
            Match::from_position(game.clone(), G::Options::default(), text, seed)
        } else {
            let (seats, seed, options) = read_head::<G>(head)?;
            Match::start(game.clone(), options, seats, seed)
        }
        .map_err(|error| error.to_string())?;
        for line in actions {
            let line = line.strip_prefix("> ").ok_or("an action's line is `> SEAT ACTION`")?;
            let (seat, action) = read_action_line(line)?;
            contest.act(seat, &action).map_err(|refusal| format!("{action}: {refusal}"))?;
        }
        Ok(contest)
    }
}

fn is_won<G: Game>(contest: &Match<G>, seat: Seat) -> bool {
    let outcome = contest.outcome();
    outcome.is_some_and(|outcome| outcome.places.get(seat.index()) == Some(&1))
}

#[cfg(test)]
mod tests {
    use super::Draft;

    #[test]
    fn a_step_is_read_as_it_is_written() {
        let text = "Mate\n\nOne\nparagraph.\n\n```board\nposition x\n> 0 a\n```\n\nAnother.\n\n> Win!\n\
                    \n- wins `a`, `b`: Yes.\n- wrong `c`: Not that.\n- else: No.\n";
        let draft = Draft::read(text).unwrap();
        assert_eq!(draft.heading, "Mate");
        assert_eq!(draft.text, ["One paragraph.", "Another."]);
        assert_eq!(draft.board, ["position x", "> 0 a"]);
        assert_eq!(draft.question, Some("Win!"));
        let answers: Vec<_> =
            draft.answers.iter().map(|(_, action, why)| (*action, *why)).collect();
        assert_eq!(answers, [("a", "Yes."), ("b", "Yes."), ("c", "Not that.")]);
        assert_eq!(draft.otherwise, Some("No."));
    }

    #[test]
    fn what_is_no_answer_is_refused() {
        for entry in ["right a: why", "right `a` why", "maybe `a`: why"] {
            assert!(Draft::read(&format!("Step\n- {entry}")).is_err(), "{entry}");
        }
    }
}
