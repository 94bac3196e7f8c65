//! The word game in the browser, which has no list of words until it is given one.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on panics")]

use catalog::Lexicon;
use client_core::{Question, Reply, Sight};
use game_api::{Seat, Viewer};
use rulebook::{answer, give_words};

fn list(words: &str) -> Vec<u8> {
    Lexicon::from_words("few", words.split(' ')).unwrap().to_bytes()
}

fn given(packed: &[u8]) -> Reply {
    serde_json::from_str(&give_words(packed)).unwrap()
}

fn refusal(reply: Reply) -> String {
    match reply {
        Reply::Refused { code, .. } => code,
        other => panic!("not refused: {other:?}"),
    }
}

/// One test, since there is one list in a process.
#[test]
fn a_list_is_taken_once_and_moves_are_judged_and_scored_by_it() {
    assert_eq!(refusal(given(b"")), "lexicon_foreign");
    let few = list("at cat act cats");
    assert_eq!(given(&few), Reply::Words { name: "few".to_owned() });
    assert_eq!(given(&few), Reply::Words { name: "few".to_owned() });
    assert_eq!(refusal(given(&list("dog"))), "other_words");

    let game = catalog::find("scrabble").unwrap();
    let board = [["..............."; 7].join("/"), ["..............."; 7].join("/")];
    let position = format!("{}/.......CAT...../{} AST,Q 0,0 0", board[0], board[1]);
    let seed = "1".parse().unwrap();
    let contest = game.start_from_position("{}", &position, seed).unwrap();
    let viewer = Viewer::Seat(Seat::FIRST);
    let sight = Sight {
        game: "scrabble".to_owned(),
        options: contest.options(),
        seats: 2,
        seat: Seat::FIRST,
        view: String::from_utf8(contest.view(viewer).unwrap()).unwrap(),
    };
    let preview = |sight: &Sight, action: &str| {
        answer(&Question::Preview { sight: sight.clone(), action: action.to_owned() })
    };
    let foreseen = Reply::Preview { preview: r#"{"score":6,"words":["CATS"]}"#.to_owned() };
    assert_eq!(preview(&sight, "8H:CATS"), foreseen);
    assert_eq!(refusal(preview(&sight, "8H:CATA")), "invalid_word");
    assert_eq!(refusal(preview(&sight, "8H:CATQ")), "invalid_word");
    assert_eq!(refusal(preview(&sight, "1A:AT")), "not_joined");
    let legal = answer(&Question::Legal { sight: sight.clone() });
    let Reply::Actions { complete: false, actions } = legal else { panic!("{legal:?}") };
    assert_eq!(actions[0], "8H:CATS");

    // Ahead of its turn a seat knows what it could do on this board.
    let other = Sight {
        seat: Seat::new(1).unwrap(),
        view: String::from_utf8(contest.view(Viewer::Seat(Seat::new(1).unwrap())).unwrap())
            .unwrap(),
        ..sight.clone()
    };
    let ahead = answer(&Question::Ahead { sight: other.clone(), ahead: Vec::new() });
    let Reply::Actions { actions, .. } = ahead else { panic!("{ahead:?}") };
    assert_eq!(actions, ["exchange:Q", "pass"]);
    assert_eq!(refusal(preview(&other, "pass")), "not_your_turn");

    // A match with another list is not judged by this one.
    let foreign = Sight { options: sight.options.replace(r#""hash":""#, r#""hash":"0"#), ..sight };
    assert_eq!(refusal(preview(&foreign, "8H:CATS")), "other_words");
    assert_eq!(refusal(answer(&Question::Legal { sight: foreign })), "bad_view");
}
