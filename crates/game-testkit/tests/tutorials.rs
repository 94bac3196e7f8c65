//! A tutorial that says what the rules do not is caught, with the step that says it.

use std::sync::Arc;

use template::Template;

const BOARD: &str = "```board\nmatch seats=2 seed=1 options={\"turns_max\":8}\n```";

/// Three steps, of which the last is `step`.
#[track_caller]
fn check(step: &str, expected: &str) {
    let plain = format!("## Plain\n\nText.\n\n{BOARD}\n\n");
    let text = format!("# Title\n\n{plain}{plain}## Last\n\n{step}\n");
    match game_testkit::tutorial(&Arc::new(Template), &text) {
        Ok(steps) => assert_eq!((steps.len(), ""), (3, expected)),
        Err(error) => assert!(!expected.is_empty() && error.contains(expected), "{error}"),
    }
}

#[test]
fn a_step_shows_the_position_and_judges_by_the_rules() {
    check(&format!("{BOARD}\n\n> Play.\n\n- right `play:3a`: Yes.\n- else: No."), "");
    check(&format!("{BOARD}\n\n> Play.\n\n- right `play:3a`: Yes."), "nothing is said of play:");
    check(&format!("{BOARD}\n\n> Play.\n\n- right `play:6a`: Yes.\n- else: No."), "is not legal");
    check(
        &format!("{BOARD}\n\n> Play.\n\n- wrong `play:3a`: No.\n- else: No."),
        "no answer is right",
    );
    check(
        &format!("{BOARD}\n\n> Play.\n\n- wins `play:3a`: Yes.\n- else: No."),
        "`wins` is for all",
    );
    check(&format!("{BOARD}\n\n- right `play:3a`: Yes."), "answers without a question");
}

#[test]
fn a_step_needs_a_board_that_the_rules_reach() {
    check("Text alone.", "in the step \"Last\": there is no board");
    check("```board\nposition x\n```", "this game has no notation for positions");
    check("```board\nmatch seats=9 seed=1 options={}\n```", "in the step \"Last\"");
    let illegal = "```board\nmatch seats=2 seed=1 options={}\n> 0 play:6a\n```";
    check(illegal, "play:6a");
}

#[test]
fn a_tutorial_has_three_to_five_steps() {
    let step = format!("## Plain\n\nText.\n\n{BOARD}\n\n");
    for (count, is_fine) in [(0, false), (2, false), (3, true), (5, true), (6, false)] {
        let text = format!("# Title\n\n{}", step.repeat(count));
        let read = game_testkit::tutorial(&Arc::new(Template), &text);
        assert_eq!(read.is_ok(), is_fine, "{count}");
    }
}

#[test]
fn a_right_answer_shows_what_comes_of_it() {
    let text = format!(
        "# Title\n\n## A\n\n{BOARD}\n\n## B\n\n{BOARD}\n\n## C\n\nText.\n\n{BOARD}\n\n> Play.\n\n\
         - right `play:3a`: Yes.\n- wrong `play:2a`: Lower.\n- else: No.\n"
    );
    let steps = game_testkit::tutorial(&Arc::new(Template), &text).unwrap();
    assert_eq!(steps[2]["heading"], "C");
    assert_eq!(steps[2]["text"][0], "Text.");
    assert_eq!(steps[2]["side"], 0);
    let answers = steps[2]["task"]["answers"].as_array().unwrap();
    let right = answers.iter().find(|it| it["action"] == "play:3a").unwrap();
    assert_eq!(right["view"]["pending"]["card"], 3);
    let wrong = answers.iter().find(|it| it["action"] == "play:2a").unwrap();
    assert!(wrong["view"].is_null() && wrong["is_right"] == false);
    assert!(steps[0]["task"].is_null() && steps[0].get("legal").is_none());
}
