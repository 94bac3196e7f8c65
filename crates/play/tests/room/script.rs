//! The language of the transcripts.
//!
//! The first line names the game, who sits where (a letter a person, `*` a bot, `-` somebody who is
//! gone), and what else was agreed. Then `>` is an input, and the lines after it are all that the
//! room wants done; what `-` brings is not shown, but it is no refusal. A member is a person's
//! letter, with a digit for a second connection. An action is about the newest ply and has a nonce of
//! its own unless it says otherwise; `@20s` sets the time, counted from the beginning of the match.
//! A clock is what each seat has left, with a star while it runs. `bot 1 chooses e7e5 worth 20` is the
//! answer of the bot in seat 1, about the newest ply too; `bot 1 fails` has none.

use std::fmt::Write;
use std::time::Duration;

use domain::{MatchId, PlayerId, SeatHolder};
use game_api::Seat;
use play::room::{BotChoice, Effect, Input, MemberId, Note, To};
use protocol::ws::{OfferKind, Outcome, ServerMessage, Status};
use protocol::{ClockFace, ClockSetting};

use crate::table::{Table, Terms};

/// Plays a transcript again and compares all of it.
#[track_caller]
pub(crate) fn check(transcript: &str) {
    let lines: Vec<&str> =
        transcript.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let mut table = Table::open(read_terms(lines[0]));
    let mut nonce = 0;
    let mut played = vec![lines[0].to_owned()];
    for line in &lines[1..] {
        let Some((mark @ (">" | "-"), words)) = line.split_once(' ') else {
            continue;
        };
        played.push((*line).to_owned());
        let shown = play(&mut table, words, &mut nonce);
        table.check_screens();
        if mark == ">" {
            played.extend(shown);
        } else {
            let refused = shown.iter().find(|line| line.contains("<- refused"));
            assert_eq!(refused, None, "{line}");
        }
    }
    let played = played.join("\n");
    assert!(played == lines.join("\n"), "it went otherwise:\n\n{played}\n");
}

/// Does what a line says; the lines of what was done.
fn play(table: &mut Table, words: &str, nonce: &mut u64) -> Vec<String> {
    let mut words = words.split(' ').peekable();
    if let Some(time) = words.peek().and_then(|word| word.strip_prefix('@')) {
        table.now_ms = read_ms(time);
        words.next();
    }
    let words: Vec<&str> = words.collect();
    let deeds = match words[..] {
        ["restart"] => table.restart(),
        [ref members @ .., "join"] => {
            let joins = members.iter().map(|name| read_input(table, &[name, "joins"], nonce));
            let joins: Vec<Input> = joins.collect();
            joins.into_iter().flat_map(|join| table.handle(join)).collect()
        }
        _ => {
            let input = read_input(table, &words, nonce);
            table.handle(input)
        }
    };
    deeds.iter().map(|deed| show(&deed.effect)).collect()
}

fn read_input(table: &Table, words: &[&str], nonce: &mut u64) -> Input {
    let named = |name: &str| {
        let at = words.iter().position(|word| *word == name)?;
        Some(words[at + 1].parse::<u64>().unwrap())
    };
    let number = |number: u64| u32::try_from(number).unwrap();
    match *words {
        ["tick"] => return Input::Tick,
        ["rematch", "failed"] => return Input::RematchFailed { seat: Seat::new(0).unwrap() },
        ["rematch", "made"] => {
            return Input::RematchMade { next: MatchId::from_number(2).unwrap() };
        }
        ["bot", seat, ref rest @ ..] => {
            let choice = match *rest {
                ["chooses", action, ..] => {
                    let worth = rest.iter().position(|word| *word == "worth");
                    let value = worth.map_or(0, |at| rest[at + 1].parse().unwrap());
                    Some(BotChoice { action: action.to_owned(), value })
                }
                _ => None,
            };
            let seat = Seat::new(seat.parse().unwrap()).unwrap();
            let ply = named("ply").map_or(table.room.ply(), number);
            return Input::BotChose { seat, ply, choice };
        }
        _ => {}
    }
    let member = read_member(words[0]);
    let player = player(member);
    match words[1..] {
        ["joins", ..] => Input::Join { member, player, since: named("since").map(number) },
        ["leaves"] => Input::Leave { member },
        ["is", "expelled"] => Input::Expel { member },
        ["departs"] => Input::Depart { player },
        ["acts", action, ..] => {
            *nonce += 1;
            Input::Act {
                member,
                ply: named("ply").map_or(table.room.ply(), number),
                action: action.to_owned(),
                nonce: named("nonce").unwrap_or(*nonce),
            }
        }
        ["asks"] => Input::Legal { member },
        ["resigns"] => Input::Resign { member },
        ["claims"] => Input::Claim { member },
        ["offers", kind] => Input::Offer { member, kind: read_kind(kind) },
        ["accepts", kind] => Input::Answer { member, kind: read_kind(kind), accept: true },
        ["declines", kind] => Input::Answer { member, kind: read_kind(kind), accept: false },
        ["says", ref text @ ..] => Input::Chat { member, text: text.join(" ") },
        _ => panic!("no input: {words:?}"),
    }
}

pub(crate) fn read_terms(line: &str) -> Terms {
    let (game, rest) = line.split_once(": ").unwrap();
    let mut parts = rest.split("; ");
    let seats = parts.next().unwrap().split(' ').map(|name| match name {
        "*" => SeatHolder::Bot("random".to_owned()),
        "-" => SeatHolder::Gone,
        name => SeatHolder::Player(player(read_member(name))),
    });
    let mut terms = Terms {
        game: game.to_owned(),
        options: "{}".to_owned(),
        seed: 1,
        seats: seats.collect(),
        clock: ClockSetting::None,
        spectator_delay_ms: 0,
        is_public: true,
    };
    for part in parts {
        let (name, value) = part.split_once(' ').unwrap();
        let seconds: Vec<u32> = value.split('+').filter_map(|word| word.parse().ok()).collect();
        match (name, &seconds[..]) {
            ("fischer", &[initial_s, increment_s]) => {
                terms.clock = ClockSetting::Fischer { initial_s, increment_s };
            }
            ("delay", &[initial_s, delay_s]) => {
                terms.clock = ClockSetting::Delay { initial_s, delay_s };
            }
            ("move", &[seconds]) => terms.clock = ClockSetting::PerMove { seconds },
            ("days", &[days]) => terms.clock = ClockSetting::Days { days },
            ("late", _) => terms.spectator_delay_ms = read_ms(value),
            ("is", _) => terms.is_public = value != "private",
            ("options", _) => value.clone_into(&mut terms.options),
            _ => panic!("no terms: {part}"),
        }
    }
    terms
}

fn read_ms(text: &str) -> u64 {
    let seconds: f64 = text.strip_suffix('s').unwrap().parse().unwrap();
    u64::try_from(Duration::from_secs_f64(seconds).as_millis()).unwrap()
}

fn read_kind(text: &str) -> OfferKind {
    serde_json::from_str(&format!("{text:?}")).unwrap()
}

/// `a` is 10, `a2` is 12, `b` is 20.
pub(crate) fn read_member(name: &str) -> MemberId {
    let (letter, digit) = name.split_at(1);
    let letter = u64::from(letter.as_bytes()[0] - b'a' + 1);
    MemberId(letter * 10 + digit.parse().unwrap_or(0))
}

fn show_member(member: MemberId) -> String {
    let letter = char::from(b'a' - 1 + u8::try_from(member.0 / 10).unwrap());
    let digit = member.0 % 10;
    if digit == 0 { letter.to_string() } else { format!("{letter}{digit}") }
}

pub(crate) fn player(member: MemberId) -> PlayerId {
    PlayerId::from_number((member.0 / 10).cast_signed()).unwrap()
}

fn show(effect: &Effect) -> String {
    match effect {
        Effect::Append(append) => {
            let entry = &append.entry;
            let mut text = format!("store {} {}", entry.ply, entry.kind);
            if let Some(seat) = entry.seat {
                write!(text, " by {seat}").unwrap();
            }
            if let Some(ending) = &append.ending {
                write!(text, ", the end: {}", show_outcome(&ending.outcome)).unwrap();
            }
            text
        }
        Effect::Admit { member, viewer: None } => {
            format!("admit {} to several seats", show_member(*member))
        }
        Effect::Admit { member, viewer: Some(viewer) } => {
            format!("admit {} as {viewer}", show_member(*member))
        }
        Effect::Dismiss { member } => format!("dismiss {}", show_member(*member)),
        Effect::Send { to, letter } => format!("{} <- {}", show_to(*to), show_letter(letter)),
        Effect::WakeAt(at_ms) => format!("wake at {:?}", Duration::from_millis(*at_ms)),
        Effect::Note(Note::SeatJoined { seat, .. }) => format!("note that seat {seat} came"),
        Effect::Note(Note::SpectatorJoined { .. }) => "note that a spectator came".to_owned(),
        Effect::Reload => "reload".to_owned(),
        Effect::Rematch { .. } => "make a rematch".to_owned(),
        Effect::AskBot(question) => {
            let left = question.left_ms.map(Duration::from_millis);
            let left = left.map_or_else(String::new, |left| format!(", {left:?} left"));
            let (bot, seat, ply) = (&question.bot, question.seat, question.ply);
            format!("ask bot {bot} for {seat} at {ply}{left}")
        }
    }
}

fn show_to(to: To) -> String {
    match to {
        To::Member(member) => show_member(member),
        To::Viewer(viewer) => format!("viewer {viewer}"),
        To::Viewers => "viewers".to_owned(),
        To::Seats => "seats".to_owned(),
        To::All => "all".to_owned(),
    }
}

fn show_letter(letter: &[u8]) -> String {
    let text = std::str::from_utf8(letter).unwrap();
    match ServerMessage::parse(text).unwrap() {
        ServerMessage::Snapshot(snapshot) => {
            let mut text = format!("snapshot {} for {}", snapshot.ply, snapshot.viewer);
            for missed in &snapshot.events {
                write!(text, ", missed {} {}", missed.ply, missed.notation).unwrap();
            }
            for offer in &snapshot.offers {
                write!(text, ", {} offered by {}", show_kind(offer.kind), offer.seat).unwrap();
            }
            for line in &snapshot.chat {
                write!(text, ", {} said {}", line.seat, line.text).unwrap();
            }
            match snapshot.status {
                Status::Running => {}
                Status::Paused => text.push_str(", paused"),
                Status::Over => {
                    write!(text, ", {}", show_outcome(&snapshot.outcome.unwrap())).unwrap();
                }
            }
            text + &show_clock(&snapshot.clock)
        }
        ServerMessage::Event(event) => {
            format!("event {} {}{}", event.ply, event.notation, show_clock(&event.clock))
        }
        ServerMessage::Ack(ack) => format!("ack {} at {}", ack.nonce, ack.ply),
        ServerMessage::Refused(refused) => match refused.ply {
            Some(ply) => format!("refused {} at {ply}", refused.code),
            None => format!("refused {}", refused.code),
        },
        ServerMessage::Legal(legal) => {
            let first =
                legal.actions.first().map_or(String::new(), |first| format!(", {first} .."));
            format!("{} legal at {}{first}", legal.actions.len(), legal.ply)
        }
        ServerMessage::Offer(offer) => {
            let state = serde_json::to_string(&offer.state).unwrap();
            format!("{} by {} {}", show_kind(offer.kind), offer.seat, state.trim_matches('"'))
        }
        ServerMessage::Presence(presence) => {
            let seats = (0..).zip(&presence.present).filter(|(_, is_there)| **is_there);
            let seats: game_api::SeatSet = seats.filter_map(|(at, _)| Seat::new(at)).collect();
            format!("here are {seats} and {} who watch", presence.spectators)
        }
        ServerMessage::Over(over) => format!("over, {}", show_outcome(&over.outcome)),
        ServerMessage::Rematch(_) => "rematch".to_owned(),
        ServerMessage::Chat(chat) => format!("{} says {}", chat.line.seat, chat.line.text),
        other => panic!("not a room's: {other:?}"),
    }
}

fn show_kind(kind: OfferKind) -> String {
    serde_json::to_string(&kind).unwrap().trim_matches('"').to_owned()
}

fn show_outcome(outcome: &Outcome) -> String {
    let places: Vec<String> = outcome.places.iter().map(ToString::to_string).collect();
    format!("{} {}", outcome.reason, places.join("-")).trim_end().to_owned()
}

fn show_clock(face: &ClockFace) -> String {
    let mut text = String::new();
    for (number, left_ms) in (0..).zip(&face.remaining_ms) {
        let is_running = Seat::new(number).is_some_and(|seat| face.running.contains(seat));
        let star = if is_running { "*" } else { "" };
        write!(text, " {star}{:?}", Duration::from_millis(*left_ms)).unwrap();
    }
    if let Some(left_ms) = face.window_ms {
        write!(text, " window {:?}", Duration::from_millis(left_ms)).unwrap();
    }
    if text.is_empty() { text } else { format!(" |{text}") }
}
