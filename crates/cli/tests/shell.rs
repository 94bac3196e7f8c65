//! The binary as a tester uses it: lines in, lines out, and whatever else can come down a pipe.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::Write;
use std::process::{Command, Output, Stdio};

fn parlor(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_parlor"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    // A pipe holds little: write while the other end is read.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// The replies to these lines, one each.
#[track_caller]
fn shell(lines: &[&str]) -> Vec<String> {
    let output = parlor(&["shell", "crazy-tens"], (lines.join("\n") + "\n").as_bytes());
    let replies: Vec<String> =
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert!(output.status.success());
    assert_eq!(replies.len(), lines.len(), "one reply a line: {replies:#?}");
    replies
}

/// Plays a whole match, always the first legal action; returns its log as the shell wrote it.
fn record_match(seed: &str) -> String {
    let mut done = vec![format!("new seed={seed} options={{\"target\":20}}")];
    loop {
        let mut lines: Vec<&str> = done.iter().map(String::as_str).collect();
        lines.extend(["to-act", "legal 0", "legal 1", "log"]);
        let replies = shell(&lines);
        let [to_act, legal_0, legal_1, log] = &replies[replies.len() - 4..] else { unreachable!() };
        let (seat, legal) = match to_act.as_str() {
            "= " => return log.clone(),
            "= 0" => ("0", legal_0),
            _ => ("1", legal_1),
        };
        let action = legal.split(' ').nth(2).unwrap();
        done.push(format!("do {seat} {action}"));
    }
}

#[test]
fn an_action_has_one_spelling_also_at_its_end() {
    let replies = shell(&[
        "new seed=2a",
        "do 0 draw ",
        "do 0 draw\t",
        "preview 0 draw ",
        "do 0 ",
        "do  0  nonsense",
        " to-act ",
    ]);
    for reply in &replies[1..4] {
        assert!(reply.starts_with("? invalid_action "), "{replies:#?}");
    }
    assert!(replies[4].starts_with("? bad_argument "), "{replies:#?}");
    assert!(replies[5].starts_with("? invalid_action "), "{replies:#?}");
    assert!(replies[6].starts_with("= "), "{replies:#?}");
}

#[test]
fn a_session_as_the_protocol_promises() {
    let replies = shell(&[
        "new seats=2 seed=2a options={\"target\":30}",
        "to-act",
        "outcome",
        "position 4S 4C,8D,7H,QS,6C 2C,9H 3C,AC - 7,12 0",
        "legal 0",
        "legal 1",
        "preview 0 play:8D",
        "preview 0 play:7H",
        "do 0 play:8D",
        "view spectator",
        "do 0 play:4C",
        "do 1 draw",
        "undo",
        "to-act",
        "help",
        "quit",
    ]);
    assert_eq!(replies[0], "= ok");
    assert_eq!(replies[1], "= 0");
    assert_eq!(replies[2], "= none");
    assert_eq!(replies[4], "= complete play:4C play:8D play:QS");
    assert_eq!(replies[5], "= complete");
    assert_eq!(replies[6], r#"= {"because":"dozenal_sum","wins_round":false}"#);
    assert_eq!(replies[7], "? illegal_move 7♥ does not go on 4♠");
    assert_eq!(replies[8], "= 8♦");
    let view: serde_json::Value = serde_json::from_str(&replies[9][2..]).unwrap();
    // The position keeps the options of the match before it.
    assert_eq!(view["target"], 30);
    assert_eq!(view["top"], "8D");
    assert_eq!(view["scores_dozenal"], serde_json::json!(["7", "10"]));
    assert!(view.get("hand").is_none());
    assert!(replies[10].starts_with("? not_your_turn "));
    assert_eq!(replies[11], "= draw(3♣)");
    assert_eq!(replies[12], "= ok");
    assert_eq!(replies[13], "= 1");
    assert!(replies[14].starts_with("= new "));
    assert_eq!(replies[15], "= bye");
}

#[test]
fn a_bot_answers_for_a_match_that_it_is_shown() {
    let shown = shell(&["new seed=2", "view 0", "quit"]);
    let view = shown[1][2..].replace(' ', "\\u0020");
    let see = format!("see 2 0 {{}} {view}");
    let odd = ["see 2 0", "see 2 9 {} {}", "see 2 1 {} {}", "bot 1"];
    let replies = shell(&[&[&see, "bot 1"], &odd[..]].concat());
    assert_eq!(replies[0], "= ok");
    assert!(replies[1].starts_with("= "), "{replies:?}");
    assert!(replies[2].starts_with("? bad_argument "), "{replies:?}");
    assert!(replies[3].starts_with("? no_such_seat "), "{replies:?}");
    assert_eq!(replies[4], "= ok");
    assert!(replies[5].starts_with("? "), "what is no view is refused: {replies:?}");
}

#[test]
fn bad_commands_get_a_code_and_change_nothing() {
    let bad = [
        ("", "unknown_command"),
        ("deal", "unknown_command"),
        ("to-act now", "unknown_command"),
        ("new seats=two", "bad_argument"),
        ("new seats=3", "invalid_players"),
        ("new seed=xyz", "bad_argument"),
        ("new colour=red", "bad_argument"),
        ("new options={\"target\":0}", "invalid_setup"),
        ("new options={\"goal\":1}", "invalid_setup"),
        ("new options={", "invalid_setup"),
        ("new options=[]", "invalid_setup"),
        ("new options={\"\\r=\\u0020ok\":1}", "invalid_setup"),
        ("position", "invalid_position"),
        ("position KH QH", "invalid_position"),
        ("legal", "no_such_seat"),
        ("legal 2", "no_such_seat"),
        ("legal spectator", "no_such_seat"),
        ("view", "no_such_seat"),
        ("view 9", "no_such_seat"),
        ("do", "bad_argument"),
        ("do 0", "bad_argument"),
        ("do 5 draw", "no_such_seat"),
        ("do 0 juggle", "invalid_action"),
        ("do 0 play:7S and more", "invalid_card"),
        ("preview 0 juggle", "invalid_action"),
        ("perft", "bad_argument"),
        ("perft -1", "bad_argument"),
        ("perft 99999999999999999999", "bad_argument"),
        ("playouts 0", "bad_argument"),
        ("playouts 18446744073709551615", "bad_argument"),
        ("playouts many", "bad_argument"),
        ("bot", "unknown_bot"),
        ("bot grandmaster", "unknown_bot"),
        ("bot 9", "unknown_bot"),
        ("bot 1 0", "bad_argument"),
        ("bot 1 soon", "bad_argument"),
        ("undo", "nothing_to_undo"),
        ("\u{0}\u{7}", "unknown_command"),
    ];
    let mut lines = vec!["new seed=1", "hash"];
    for (line, _) in &bad {
        lines.extend([line, "hash"]);
    }
    let replies = shell(&lines);
    for (index, (line, code)) in bad.iter().enumerate() {
        let reply = &replies[2 + 2 * index];
        assert!(reply.starts_with(&format!("? {code} ")), "{line:?}: {reply}");
        assert_eq!(replies[3 + 2 * index], replies[1], "{line:?} changed the state");
    }
}

#[test]
fn odd_bytes_get_a_reply_and_the_next_line_too() {
    let mut input = b"new seed=1\n".to_vec();
    input.extend(vec![b'x'; 10_000_000]);
    input.extend(b"\n\xff\xfe\n\r\nto-act\r\nlegal 0");
    let output = parlor(&["shell", "crazy-tens"], &input);
    let replies: Vec<String> =
        String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
    assert!(output.status.success());
    assert_eq!(replies.len(), 6, "{replies:?}");
    assert!(replies[1].starts_with("? line_too_long "));
    assert!(replies[2].starts_with("? not_text "));
    assert!(replies[3].starts_with("? unknown_command "));
    assert_eq!(replies[4], "= 0");
    assert!(replies[5].starts_with("= complete "), "the cut-off last line is a command too");
    assert!(parlor(&["shell", "crazy-tens"], b"").status.success());
}

#[test]
fn unknown_games_and_files_are_told_and_fail() {
    for (arguments, says) in [
        (&["shell", "ludo"][..], "there is no game \"ludo\"; there are: crazy-tens"),
        (&["verify", "no/such/file"], "no/such/file"),
    ] {
        let output = parlor(arguments, b"");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains(says) && !stderr.contains("panicked"), "{stderr}");
    }
    assert_eq!(parlor(&["shuffle"], b"").status.code(), Some(2));
}

#[test]
fn the_catalogue_is_listed() {
    let output = parlor(&["games"], b"");
    let list = String::from_utf8(output.stdout).unwrap();
    assert!(
        list.contains("crazy-tens   Crazy Tens (2 seats, hidden cards, rules version 2)"),
        "{list}"
    );
    assert!(list.contains(r#"preset standard: {"target":50,"starter":"alternate"}"#), "{list}");
}

#[test]
fn perft_and_playouts_count() {
    // One way each: 2H on KH, then 2S on 2H, then the round and the match are over.
    let replies = shell(&[
        "position KH 2H,3D 2S,JC - - 0,0 0",
        "perft 0",
        "perft 1",
        "perft 2",
        "playouts 50",
    ]);
    let count = |reply: &str| reply.split(' ').nth(1).unwrap().to_owned();
    assert_eq!(replies[1..4].iter().map(|reply| count(reply)).collect::<Vec<_>>(), ["1", "1", "1"]);
    let words: Vec<&str> = replies[4].split(' ').collect();
    assert_eq!(words[1], "50");
    assert!(words[2].parse::<u64>().unwrap() > 500, "{words:?}");
}

#[test]
fn a_whole_match_verifies_and_a_changed_one_does_not() {
    let log = record_match("c0ffee");
    let folder = tempfile::tempdir().unwrap();
    let verify = |text: &str| {
        let file = folder.path().join("match.json");
        std::fs::write(&file, text).unwrap();
        let output = parlor(&["verify", file.to_str().unwrap()], b"");
        let said = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8(said).unwrap())
    };
    let (is_fine, said) = verify(&log);
    assert!(is_fine && said.contains(r#""reason":"target"}"#), "{said}");
    assert!(verify(log.strip_prefix("= ").unwrap()).0, "with and without the shell's mark");

    let first_action = log.split(r#""act":""#).nth(1).unwrap().split('"').next().unwrap();
    let spoilt = [
        (log.replace("c0ffee", "c0ffef"), "commitment_mismatch"),
        (log.replace(r#""target":20"#, r#""target":21"#), "commitment_mismatch"),
        (log.replacen(first_action, "play:XX", 1), "invalid_card"),
        (log.replacen(r#""seat":0,"#, r#""seat":null,"#, 1), "no_such_seat"),
        (log.replacen(r#""seat":0,"#, "", 1), "no_such_seat"),
        (log.replacen(r#""ply":1,"#, r#""ply":7,"#, 1), "no_such_ply"),
        (log.replace(r#""format":1"#, r#""format":2"#), "unknown_format"),
        (log.replace(r#""rules_version":2"#, r#""rules_version":1"#), "rules_changed"),
        (log.replace(r#""game":"crazy-tens""#, r#""game":"ludo""#), "unknown_game"),
        (log.replace(r#""seats":2"#, r#""seats":3"#), "invalid_players"),
        (log.replace(r#""state_hash":""#, r#""state_hash":"00"#), "no log"),
        (log[..log.len() / 2].to_owned(), "no log"),
        (String::new(), "no log"),
        ("[]".to_owned(), "no log"),
    ];
    for (text, says) in spoilt {
        let (is_fine, said) = verify(&text);
        assert!(!is_fine && said.contains(says), "{says}: {said}");
        assert!(!said.contains("panicked"), "{said}");
    }
    // A log that stops early is a match still running, but not with the final state's hash.
    let cut = log.find(r#",{"ply":2,"#).unwrap();
    let rest = log.find(r#"],"state_hash""#).unwrap();
    let (is_fine, said) = verify(&format!("{}{}", &log[..cut], &log[rest..]));
    assert!(!is_fine && said.contains("state_hash_mismatch"), "{said}");
}

#[test]
fn a_match_from_a_position_verifies_without_a_deal() {
    let replies = shell(&["position KH QS,2C 4D - 3C,5C,6C 0,0 0", "do 0 draw", "log"]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("match.json");
    std::fs::write(&file, &replies[2]).unwrap();
    let output = parlor(&["verify", file.to_str().unwrap()], b"");
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.contains(r#"no deal to check: set up from "KH QS,2C 4D - 3C,5C,6C 0,0 0""#),
        "{said}"
    );
    let other_seats = replies[2].replace(r#""seats":2"#, r#""seats":4"#);
    std::fs::write(&file, other_seats).unwrap();
    let output = parlor(&["verify", file.to_str().unwrap()], b"");
    assert!(String::from_utf8(output.stderr).unwrap().contains("invalid_players"));
}

#[test]
fn scrabble_lists_its_plays_with_the_words_of_a_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "cat cow\nAT TA\n").unwrap();
    let words = file.path().to_str().unwrap();
    let empty = "...............";
    let rows = [&[empty; 7][..], &[".......CAT....."], &[empty; 7][..]].concat().join("/");
    let position = format!("position {rows} OW,Z 0,0 0");
    let lines =
        ["new preset=contract-a", &position, "plays 0", "plays 1", "do 0 H8:COW", "new preset=x"];
    let input = lines.join("\n") + "\n";
    let output = parlor(&["shell", "scrabble", "--words", words], input.as_bytes());
    let replies = String::from_utf8(output.stdout).unwrap();
    let replies: Vec<&str> = replies.lines().collect();
    assert_eq!(replies[..4], ["= ok", "= ok", "= H8:COW=8", "= "]);
    assert!(replies[4].starts_with("= H8:COW=8, drew "), "{}", replies[4]);
    assert!(replies[5].starts_with("? bad_argument "), "{}", replies[5]);
    let refused = parlor(&["shell", "scrabble", "--words", "no-such-file"], b"");
    assert!(!refused.status.success());
    assert!(String::from_utf8(refused.stderr).unwrap().contains("no-such-file"));
}

#[test]
fn every_bot_names_a_legal_action() {
    let mut lines = vec!["new seed=1", "legal 0"];
    let bots = ["1", "2", "3", "4", "5", "6", "7", "8", "8 20", "greedy", "sampling", "random"];
    let asked: Vec<String> = bots.iter().map(|bot| format!("bot {bot}")).collect();
    lines.extend(asked.iter().map(String::as_str));
    let replies = shell(&lines);
    let legal: Vec<&str> = replies[1].split(' ').skip(2).collect();
    for (bot, reply) in bots.iter().zip(&replies[2..]) {
        assert!(legal.iter().any(|action| *reply == format!("= {action}")), "{bot}: {reply}");
    }
}
