//! `parlor shell`: the line protocol for testers and bot authors, the same for every game.
//!
//! One command a line, exactly one reply line: `= …`, or `? code message`. On a terminal, hints for
//! people go to stderr; stdout carries nothing but replies.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use bots::Budget;
use game_api::{
    AnyGame, AnyMatch, Completeness, Entry, EntryKind, Refused, Seat, Seed, Seen, Telling, Viewer,
    excerpt,
};

use serde_json::Value;

use crate::line::{self, LINE_BYTES_MAX, Line};

const COMMANDS: &str = "new [seats=N] [seed=HEX] [preset=NAME | options={…}], position TEXT, to-act, \
    legal SEAT, plays SEAT, do SEAT ACTION, preview SEAT ACTION, view SEAT|spectator, outcome, undo, \
    log, hash, perft DEPTH, playouts N, see SEATS SEAT OPTIONS VIEW, \
    bot LEVEL|random|greedy|sampling [MS], help, quit";

const GREETING: &str = "  do 0 ACTION   act for seat 0            legal 0      what seat 0 can do
  view 0        all that seat 0 knows     bot 5        an action for who is to act
  undo          take the last one back    new          deal again
  help          all commands              quit         leave
";

/// Bounds the recursion; the time a tree takes is the asker's affair.
const PERFT_DEPTH_MAX: u32 = 64;
const PLAYOUTS_MAX: u64 = 100_000_000;
/// What a bot may look at if it is given no time.
const BOT_NODES: u64 = 10_000;
const BOT_MS_MAX: u64 = 600_000;
const MESSAGE_CHARS_MAX: usize = 400;

/// Answers the commands on stdin until `quit` or the end of input.
pub(crate) fn run(id: &str) -> anyhow::Result<()> {
    let Some(game) = catalog::find(id) else {
        let ids: Vec<&str> = catalog::games().map(|game| game.meta().id).collect();
        bail!("there is no game {}; there are: {}", excerpt(id), ids.join(", "));
    };
    let mut shell = Shell::open(game)?;
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let is_terminal = io::stdin().is_terminal();
    if is_terminal {
        hint(&format!("{}. You play every seat, one command a line:\n", game.meta().name));
        hint(GREETING);
    }
    loop {
        if is_terminal {
            hint(&shell.prompt());
        }
        let answer = match line::read(&mut input)? {
            None => break,
            Some(Line::Text(text)) if text.trim() == "quit" => {
                writeln!(output, "= bye")?;
                break;
            }
            Some(Line::Text(text)) => shell.answer(&text),
            Some(Line::TooLong) => {
                refuse("line_too_long", format!("a line has at most {LINE_BYTES_MAX} bytes"))
            }
            Some(Line::NotText) => refuse("not_text", "the line is not UTF-8"),
        };
        match answer {
            Ok(reply) => writeln!(output, "= {reply}")?,
            Err(Refused { code, message }) => writeln!(output, "? {code} {}", one_line(&message))?,
        }
        output.flush()?;
    }
    Ok(())
}

/// For people: not worth failing for if nobody reads it.
fn hint(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// A message may quote what was sent: nothing of it ends the line early or makes it endless.
fn one_line(message: &str) -> String {
    let shown = message.chars().take(MESSAGE_CHARS_MAX);
    shown.map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

type Answer = Result<String, Refused>;

fn refuse(code: &'static str, message: impl Into<String>) -> Answer {
    Err(Refused { code, message: message.into() })
}

fn bad_argument(message: impl Into<String>) -> Refused {
    Refused { code: "bad_argument", message: message.into() }
}

struct Shell {
    game: &'static dyn AnyGame,
    contest: Box<dyn AnyMatch>,
    entries: Vec<Entry>,
    chooser: fastrand::Rng,
    /// What the next `bot` is asked about, instead of the match.
    shown: Option<Elsewhere>,
}

/// Another match, as a seat sees it.
struct Elsewhere {
    seats: u8,
    seat: Seat,
    options: String,
    view: String,
}

impl Shell {
    /// With a match dealt already, so that a newcomer can play at once.
    fn open(game: &'static dyn AnyGame) -> anyhow::Result<Shell> {
        let seed = fresh_seed().context("no randomness for a deal")?;
        let contest = game.start("{}", *game.meta().seats.start(), seed)?;
        let chooser = fastrand::Rng::with_seed(getrandom::u64().unwrap_or_default());
        Ok(Shell { game, contest, entries: Vec::new(), chooser, shown: None })
    }

    fn answer(&mut self, line: &str) -> Answer {
        let line = line.trim_start();
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        // Not the end of an action, which has one spelling here and on a socket.
        let (exact, rest) = (rest, rest.trim());
        match command {
            "new" => self.new_match(rest),
            "position" => self.set_position(rest),
            "do" => self.act(exact),
            "preview" => {
                let (seat, action) = read_action(exact)?;
                self.contest.preview(seat, action).map(text)
            }
            "legal" => self.legal(read_seat(rest)?),
            "plays" => self.plays(read_seat(rest)?),
            "view" => {
                let viewer = rest.parse().map_err(|()| no_such_seat(rest))?;
                self.contest.view(viewer).map(text)
            }
            "perft" => self.perft(rest),
            "playouts" => self.playouts(rest),
            "see" => self.see(rest),
            "bot" => self.bot(rest),
            _ if !rest.is_empty() => {
                refuse("unknown_command", format!("{}; try help", excerpt(line.trim_end())))
            }
            "to-act" => Ok(self.contest.to_act().to_string()),
            "outcome" => Ok(self
                .contest
                .outcome()
                .map_or_else(|| "none".to_owned(), |outcome| json(&outcome))),
            "undo" => self.undo(),
            "log" => self.contest.log(self.entries.clone()).map(|log| json(&log)),
            "hash" => Ok(self.contest.state_hash().to_string()),
            "help" => Ok(COMMANDS.to_owned()),
            "" => refuse("unknown_command", "an empty line; try help"),
            _ => refuse("unknown_command", format!("{}; try help", excerpt(command))),
        }
    }

    fn new_match(&mut self, arguments: &str) -> Answer {
        let mut seats = *self.game.meta().seats.start();
        let mut seed = None;
        let mut options = "{}".to_owned();
        for argument in arguments.split_whitespace() {
            match argument.split_once('=') {
                Some(("seats", number)) => {
                    seats = number.parse().map_err(|_| {
                        bad_argument(format!("{} is no number of seats", excerpt(number)))
                    })?;
                }
                Some(("seed", digits)) => {
                    let read = digits.parse::<Seed>();
                    seed = Some(read.map_err(|error| bad_argument(error.to_string()))?);
                }
                Some(("options", json)) => json.clone_into(&mut options),
                Some(("preset", name)) => {
                    let found = self.game.presets().into_iter().find(|(other, _)| *other == name);
                    let no_such = || bad_argument(format!("there is no preset {}", excerpt(name)));
                    options = found.ok_or_else(no_such)?.1;
                }
                _ => {
                    let known = "the arguments are seats=, seed=, preset= and options=";
                    return Err(bad_argument(format!("{}: {known}", excerpt(argument))));
                }
            }
        }
        self.begin(self.game.start(&options, seats, seed.map_or_else(fresh_seed, Ok)?)?)
    }

    /// From a position, with the options of the match before.
    fn set_position(&mut self, position: &str) -> Answer {
        let options = self.contest.options();
        self.begin(self.game.start_from_position(&options, position, fresh_seed()?)?)
    }

    #[expect(clippy::unnecessary_wraps, reason = "an answer like the others")]
    fn begin(&mut self, contest: Box<dyn AnyMatch>) -> Answer {
        self.contest = contest;
        self.entries.clear();
        Ok("ok".to_owned())
    }

    fn act(&mut self, rest: &str) -> Answer {
        let (seat, action) = read_action(rest)?;
        let ply = self.contest.ply();
        let mut telling = Telling::to([Viewer::Seat(seat)]);
        self.contest.act(seat, action, &mut telling)?;
        let kind = EntryKind::Act(action.to_owned());
        self.entries.push(Entry { ply, seat: Some(seat), at_ms: 0, nonce: 0, epoch: 0, kind });
        Ok(telling.told().map(|told| text(told.notation.to_vec())).collect())
    }

    fn undo(&mut self) -> Answer {
        if self.entries.is_empty() {
            return refuse("nothing_to_undo", "the match has just begun");
        }
        self.contest.undo(&mut self.entries)?;
        Ok("ok".to_owned())
    }

    fn legal(&self, seat: Seat) -> Answer {
        let legal = self.contest.legal(seat)?;
        let completeness = match legal.completeness {
            Completeness::Complete => "complete",
            Completeness::Partial => "partial",
        };
        let words: Vec<&str> =
            [completeness].into_iter().chain(legal.actions.iter().map(String::as_str)).collect();
        Ok(words.join(" "))
    }

    /// Every plain move with what it scores: `8G:WORD=24 …`.
    fn plays(&self, seat: Seat) -> Answer {
        let plays = self.contest.plays(seat)?.into_iter();
        Ok(plays.map(|(action, score)| format!("{action}={score}")).collect::<Vec<_>>().join(" "))
    }

    fn perft(&self, depth: &str) -> Answer {
        let depth: u32 = depth
            .parse()
            .ok()
            .filter(|depth| *depth <= PERFT_DEPTH_MAX)
            .ok_or_else(|| bad_argument(format!("the depth is 0 to {PERFT_DEPTH_MAX}")))?;
        let start = Instant::now();
        let nodes = self.contest.perft(depth);
        Ok(format!("{nodes} {:.3}", start.elapsed().as_secs_f64()))
    }

    fn playouts(&mut self, count: &str) -> Answer {
        let count: u64 = count
            .parse()
            .ok()
            .filter(|count| (1..=PLAYOUTS_MAX).contains(count))
            .ok_or_else(|| bad_argument(format!("play 1 to {PLAYOUTS_MAX} matches")))?;
        let (options, seats) = (self.contest.options(), self.contest.seats());
        let start = Instant::now();
        let played = self.game.playouts(&options, seats, count, self.chooser.u64(..))?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(format!("{} {} {seconds:.3}", played.matches, played.plies))
    }

    /// Shows the next `bot` another match; whether it is one, the bot finds out.
    fn see(&mut self, arguments: &str) -> Answer {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let [seats, seat, options, view] = words[..] else {
            return Err(bad_argument("say SEATS SEAT OPTIONS VIEW, without blanks in the JSON"));
        };
        let seats = seats
            .parse()
            .map_err(|_| bad_argument(format!("{} is no number of seats", excerpt(seats))))?;
        let (seat, options, view) = (read_seat(seat)?, options.to_owned(), view.to_owned());
        self.shown = Some(Elsewhere { seats, seat, options, view });
        Ok("ok".to_owned())
    }

    /// An action for the seat to act, by its view alone.
    fn bot(&mut self, arguments: &str) -> Answer {
        let (name, time) = arguments.split_once(char::is_whitespace).unwrap_or((arguments, ""));
        let shown = match self.shown.take() {
            Some(shown) => shown,
            None => self.own_match()?,
        };
        if arguments == "random" && catalog::bot(self.game.meta().id, name).is_none() {
            // For every game, also for one that has no bot yet.
            let actions = self.contest.legal(shown.seat)?.actions;
            let nothing = || bad_argument("the game lists no action to choose from");
            return self.chooser.choice(actions).ok_or_else(nothing);
        }
        let Some((bot, level)) = catalog::bot(self.game.meta().id, name) else {
            let known = "there are the levels 1 to 8, random, greedy and sampling";
            return refuse("unknown_bot", format!("{}; {known}", excerpt(name)));
        };
        let Elsewhere { seats, seat, ref options, ref view } = shown;
        let seen = Seen { options, seats, seat, view };
        let chance = Seed::from_number(self.chooser.u64(..));
        let start = Instant::now();
        let advice = match time.trim() {
            "" => bot.choose(&seen, level, &Budget::of_nodes(BOT_NODES), &chance)?,
            time => {
                let time = read_bot_time(time)?;
                let is_time_up = move || start.elapsed() >= time;
                bot.choose(&seen, level, &Budget::until(&is_time_up), &chance)?
            }
        };
        Ok(advice.action)
    }

    /// The shell's match, as the first seat to act sees it.
    fn own_match(&self) -> Result<Elsewhere, Refused> {
        let Some(seat) = self.contest.to_act().iter().next() else {
            return Err(Refused { code: "game_over", message: "the match is over".to_owned() });
        };
        let view = text(self.contest.view(Viewer::Seat(seat))?);
        Ok(Elsewhere { seats: self.contest.seats(), seat, options: self.contest.options(), view })
    }

    /// What a person wants to know before typing.
    fn prompt(&self) -> String {
        let can = |seat| {
            let view = self.contest.view(Viewer::Seat(seat)).unwrap_or_default();
            let legal = self.contest.legal(seat).map(|legal| legal.actions).unwrap_or_default();
            let sees = describe(&serde_json::from_slice(&view).unwrap_or_default());
            format!("\nseat {seat} sees  {sees}\nseat {seat} can   {}\n", legal.join(" "))
        };
        let over = |outcome| format!("\nover: {}; `new` deals again\n", json(&outcome));
        let who: String = self.contest.to_act().iter().map(can).collect();
        let end = self.contest.outcome().map(over).unwrap_or_default();
        format!("{who}{end}{}> ", self.game.meta().id)
    }
}

/// The fields of a view that say something, for people.
fn describe(view: &Value) -> String {
    let is_telling = |value: &Value| match value {
        Value::Null => false,
        Value::Array(list) => list.iter().any(|item| !item.is_null()),
        _ => true,
    };
    let fields = view.as_object().into_iter().flatten();
    let shown = fields
        .filter(|(name, value)| is_telling(value) && !["viewer", "to_act"].contains(&name.as_str()))
        .map(|(name, value)| format!("{} {}", name.replace('_', " "), describe_value(value)));
    shown.collect::<Vec<_>>().join(" · ")
}

fn describe_value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(describe_value).collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    }
}

fn read_bot_time(text: &str) -> Result<Duration, Refused> {
    let known = text.parse().ok().filter(|time_ms| (1..=BOT_MS_MAX).contains(time_ms));
    let refused = || bad_argument(format!("a bot thinks for 1 to {BOT_MS_MAX} ms"));
    known.map(Duration::from_millis).ok_or_else(refused)
}

fn fresh_seed() -> Result<Seed, Refused> {
    let mut bytes = [0; 32];
    match getrandom::fill(&mut bytes) {
        Ok(()) => Ok(Seed::new(bytes)),
        Err(error) => Err(Refused { code: "no_randomness", message: error.to_string() }),
    }
}

fn read_action(rest: &str) -> Result<(Seat, &str), Refused> {
    let words = rest.trim_start().split_once(char::is_whitespace);
    let words = words.map(|(seat, action)| (seat, action.trim_start()));
    let (seat, action) = words
        .filter(|(_, action)| !action.is_empty())
        .ok_or_else(|| bad_argument("say SEAT ACTION, for example 0 draw"))?;
    Ok((read_seat(seat)?, action))
}

fn read_seat(word: &str) -> Result<Seat, Refused> {
    let viewer: Option<Viewer> = word.parse().ok();
    viewer.and_then(Viewer::seat).ok_or_else(|| no_such_seat(word))
}

fn no_such_seat(word: &str) -> Refused {
    Refused { code: "no_such_seat", message: format!("{} is no seat", excerpt(word)) }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_default()
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
