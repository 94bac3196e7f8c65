//! No frame tells a viewer what it may not know: two matches that differ in nothing that a viewer may
//! see are played over sockets, and that viewer hears the same, byte by byte.

use std::borrow::Cow;
use std::collections::BTreeMap;

use domain::MatchId;
use game_api::{AnyGame, AnyMatch, Seat, Seed, Telling, Viewer};
use serde_json::{Value, json};

use crate::kit::{Deal, TestServer, User, games};
use crate::socket::Socket;

/// Long enough that cards are drawn, laid and voted on.
const STEPS: usize = 10;
/// How many actions of a seat, and answers in the twin to each, are tried at a step.
const TRIES: usize = 12;

/// What nobody knows of a match before it begins.
#[derive(Clone)]
pub(crate) struct Hidden {
    pub(crate) seed: Seed,
    pub(crate) position: Option<String>,
}

pub(crate) struct Rules {
    pub(crate) game: &'static str,
    /// As a match records them.
    pub(crate) options: Cow<'static, str>,
    pub(crate) seats: u8,
}

const CRAZY_TENS: Rules = Rules {
    game: "crazy-tens",
    options: Cow::Borrowed(r#"{"target":50,"starter":"alternate"}"#),
    seats: 2,
};
const TEMPLATE: Rules =
    Rules { game: "template", options: Cow::Borrowed(r#"{"turns_max":8,"hand":3}"#), seats: 2 };

/// Two matches that one viewer cannot tell apart while they are played like this.
pub(crate) struct Twins {
    pub(crate) hidden: [Hidden; 2],
    /// Whose action it is, and the action in each.
    pub(crate) script: Vec<(Seat, [String; 2])>,
}

impl Rules {
    fn rules(&self) -> &'static dyn AnyGame {
        games(self.game).unwrap()
    }

    /// The match after these actions.
    fn play(&self, hidden: &Hidden, actions: &[(Seat, &str)]) -> Box<dyn AnyMatch> {
        let dealt = match &hidden.position {
            None => self.rules().start(&self.options, self.seats, hidden.seed),
            Some(text) => self.rules().start_from_position(&self.options, text, hidden.seed),
        };
        let mut contest = dealt.unwrap();
        assert_eq!(contest.options(), self.options);
        for (seat, action) in actions {
            contest.act(*seat, action, &mut Telling::default()).unwrap();
        }
        contest
    }

    /// What a viewer is told of an action, and what it may see and do then.
    fn tell(
        &self,
        hidden: &Hidden,
        past: &[(Seat, &str)],
        next: (Seat, &str),
        viewer: Viewer,
    ) -> Vec<Vec<u8>> {
        let mut contest = self.play(hidden, past);
        let mut telling = Telling::to([viewer]);
        contest.act(next.0, next.1, &mut telling).unwrap();
        let mut told: Vec<Vec<u8>> = telling
            .told()
            .flat_map(|told| [told.event.to_vec(), told.view.to_vec(), told.notation.to_vec()])
            .collect();
        if let Some(seat) = viewer.seat() {
            let legal = contest.legal(seat).map(|legal| legal.actions).unwrap_or_default();
            told.extend(legal.into_iter().map(String::into_bytes));
        }
        told
    }

    /// Looks for twins among these pairs.
    fn find_twins(&self, viewer: Viewer, pairs: Vec<[Hidden; 2]>) -> Twins {
        for (number, hidden) in pairs.into_iter().enumerate() {
            let view = |hidden, viewer| self.play(hidden, &[]).view(viewer).unwrap();
            let [one, two] = &hidden;
            assert_eq!(view(one, viewer), view(two, viewer));
            let is_telling = Viewer::all(self.seats).any(|it| view(one, it) != view(two, it));
            if !is_telling {
                continue;
            }
            let mut chooser = fastrand::Rng::with_seed(number as u64);
            let mut script: Vec<(Seat, [String; 2])> = Vec::new();
            while script.len() < STEPS {
                let Some(step) = self.find_step(viewer, &hidden, &script, &mut chooser) else {
                    break;
                };
                script.push(step);
            }
            if script.len() == STEPS {
                return Twins { hidden, script };
            }
        }
        panic!("no twins of {} for {viewer}", self.game);
    }

    /// A step that looks the same to the viewer in both; rather one that is not the same.
    fn find_step(
        &self,
        viewer: Viewer,
        hidden: &[Hidden; 2],
        script: &[(Seat, [String; 2])],
        chooser: &mut fastrand::Rng,
    ) -> Option<(Seat, [String; 2])> {
        let past = [0, 1].map(|twin| -> Vec<(Seat, &str)> {
            script.iter().map(|(seat, texts)| (*seat, texts[twin].as_str())).collect()
        });
        let [one, two] = [0, 1].map(|twin| self.play(&hidden[twin], &past[twin]));
        let seat = one.to_act().iter().next()?;
        let mut actions = one.legal(seat).unwrap().actions;
        chooser.shuffle(&mut actions);
        for action in actions.iter().take(TRIES) {
            let mut others = two.legal(seat).unwrap().actions;
            if viewer.is(seat) {
                others.retain(|other| other == action);
            }
            let alike = |other: &String| {
                action.bytes().zip(other.bytes()).take_while(|(left, right)| left == right).count()
            };
            others.sort_by_key(|other| (std::cmp::Reverse(alike(other)), other == action));
            // An equal text has the longest beginning in common: it comes last among the best.
            others.truncate(TRIES);
            others.sort_by_key(|other| other == action);
            let told = self.tell(&hidden[0], &past[0], (seat, action), viewer);
            let same =
                |other: &&String| self.tell(&hidden[1], &past[1], (seat, other), viewer) == told;
            if let Some(other) = others.iter().find(same) {
                return Some((seat, [action.clone(), other.clone()]));
            }
        }
        None
    }
}

/// Deals of the template that look alike to a viewer.
fn template_pairs(rules: &Rules, viewer: Viewer) -> Vec<[Hidden; 2]> {
    let mut alike: BTreeMap<Vec<u8>, Vec<Hidden>> = BTreeMap::new();
    for number in 0..400 {
        let hidden = Hidden { seed: Seed::from_number(number), position: None };
        let view = rules.play(&hidden, &[]).view(viewer).unwrap();
        alike.entry(view).or_default().push(hidden);
    }
    let pairs = alike.values().flat_map(|group| group.windows(2));
    pairs.map(|pair| [pair[0].clone(), pair[1].clone()]).collect()
}

/// Positions of Crazy Tens in which some cards of the hands that a viewer does not see lie at the
/// bottom of the stock instead.
fn crazy_tens_pairs(viewer: Viewer) -> Vec<[Hidden; 2]> {
    let ranks = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"];
    let pairs = (0..400).map(|number| {
        let mut chooser = fastrand::Rng::with_seed(number);
        let mut deck: Vec<String> = ranks
            .iter()
            .flat_map(|rank| ["C", "D", "H", "S"].map(|suit| format!("{rank}{suit}")))
            .collect();
        chooser.shuffle(&mut deck);
        let hidden = |deck: &[String]| {
            let [one, two, stock] = [&deck[1..6], &deck[6..11], &deck[11..]].map(|it| it.join(","));
            let position = Some(format!("{} {one} {two} {stock} - 0,0 0", deck[0]));
            Hidden { seed: Seed::from_number(number), position }
        };
        let first = hidden(&deck);
        for (seat, cards) in [(0, 1..3), (1, 6..8)] {
            if viewer.seat().map(Seat::index) != Some(seat) {
                for card in cards {
                    deck.swap(card, 51 - card);
                }
            }
        }
        [first, hidden(&deck)]
    });
    pairs.collect()
}

/// All that came, without what differs between any two matches.
fn normal(sockets: &[&Socket], id: MatchId) -> Vec<String> {
    let frames = sockets.iter().flat_map(|socket| &socket.heard);
    let frames = frames.filter(|frame| !frame.starts_with(r#"{"type":"welcome""#));
    let normal = frames.map(|frame| {
        let mut frame = frame.replace(&id.to_string(), "MATCH");
        let parsed: Value = serde_json::from_str(&frame).unwrap();
        if let Some(commitment) = parsed["commitment"].as_str() {
            frame = frame.replace(commitment, "COMMITMENT");
        }
        // The time that is left for a vote, and when something was said.
        for key in [r#""window_ms":"#, r#""at_ms":"#] {
            if let Some((before, after)) = frame.split_once(key) {
                let after = after.trim_start_matches(|it: char| it.is_ascii_digit());
                frame = format!("{before}{after}");
            }
        }
        frame
    });
    normal.collect()
}

/// Plays one of two twins over sockets; gives what each viewer heard, the spectator last.
async fn perform(
    server: &TestServer,
    rules: &Rules,
    users: &[User],
    twins: &Twins,
    twin: usize,
) -> Vec<Vec<String>> {
    let Hidden { seed, position } = &twins.hidden[twin];
    let (seats, watchers) = users.split_at(usize::from(rules.seats));
    let deal = Deal {
        game: rules.game,
        options: &rules.options,
        position: position.as_deref(),
        seed: *seed,
    };
    let id = server.deal(&deal, seats).await;
    let mut sockets = Vec::new();
    for user in seats.iter().chain(&watchers[..1]) {
        let mut socket = Socket::open(server.address, &user.token).await;
        socket.join(id).await;
        sockets.push(socket);
    }
    for (index, (seat, actions)) in twins.script.iter().enumerate() {
        // What may not be done now, and what never may, is told to nobody else.
        for (nonce, text) in [(1, "pass"), (2, "draw"), (3, "swap:1"), (4, "nonsense")] {
            let nonce = 1000 * (index as u64 + 1) + nonce;
            for (at, socket) in sockets.iter_mut().enumerate() {
                if at != seat.index() {
                    let refused = socket.act(id, index as u64, text, nonce).await;
                    assert_eq!(refused["type"], "refused");
                }
            }
        }
        let ack =
            sockets[seat.index()].act(id, index as u64, &actions[twin], index as u64 + 1).await;
        assert_eq!(ack["type"], "ack", "{ack} {actions:?}");
        for socket in &mut sockets {
            socket.find(|it| it["type"] == "event" && it["ply"] == index + 1).await;
        }
        for socket in &mut sockets[..seats.len()] {
            socket.send(&json!({"type": "legal", "match": id})).await;
            socket.expect("legal").await;
        }
    }
    end(id, &mut sockets, seats.len()).await;
    let mut heard = Vec::new();
    for (socket, user) in sockets.iter().zip(users) {
        // Whoever comes back is told no more than whoever stayed.
        let mut late = Socket::open(server.address, &user.token).await;
        late.send(&json!({"type": "join", "match": id, "since": 0})).await;
        late.expect("snapshot").await;
        heard.push(normal(&[socket, &late], id));
    }
    check_secret_texts(twins, twin, &heard);
    heard
}

/// What else is told of a match: a line, an offer and its answer, who gives up, and the end.
async fn end(id: MatchId, sockets: &mut [Socket], seats: usize) {
    let [first, others @ ..] = &mut *sockets else { panic!("nobody plays") };
    first.send(&json!({"type": "chat", "match": id, "text": "hello"})).await;
    first.send(&json!({"type": "offer", "match": id, "kind": "abort"})).await;
    others[0].find(|it| it["type"] == "offer" && it["state"] == "open").await;
    others[0].send(&json!({"type": "answer", "match": id, "kind": "abort", "accept": false})).await;
    for socket in &mut *sockets {
        socket.expect("chat").await;
        socket.find(|it| it["type"] == "offer" && it["state"] == "declined").await;
    }
    for seat in 1..seats {
        let ply = |snapshot: &Value| snapshot["ply"].as_u64();
        sockets[seat].send(&json!({"type": "resign", "match": id})).await;
        let shown = sockets[seat].expect("snapshot").await;
        for (_, socket) in sockets.iter_mut().enumerate().filter(|(at, _)| *at != seat) {
            socket.find(|it| it["type"] == "snapshot" && ply(it) == ply(&shown)).await;
        }
    }
    for socket in sockets {
        socket.expect("over").await;
    }
}

/// An action that looks like another to a viewer has a text that nobody but its seat is sent.
fn check_secret_texts(twins: &Twins, twin: usize, heard: &[Vec<String>]) {
    for (seat, actions) in twins.script.iter().filter(|(_, texts)| texts[0] != texts[1]) {
        for (viewer, frames) in heard.iter().enumerate().filter(|(it, _)| *it != seat.index()) {
            // What the own seat may do, or tried to do, may read the same.
            let of_others = |frame: &&String| {
                frame.starts_with(r#"{"type":"event""#)
                    || frame.starts_with(r#"{"type":"snapshot""#)
            };
            for frame in frames.iter().filter(of_others) {
                assert!(!frame.contains(&actions[twin]), "{viewer} of {seat}: {frame}");
            }
        }
    }
}

/// Plays the twins of every viewer.
pub(crate) async fn check(rules: &Rules, twins_of: impl Fn(Viewer) -> Twins) {
    let server = TestServer::start().await;
    let mut users = Vec::new();
    for number in 0..=rules.seats {
        users.push(server.register(&format!("player-{number}")).await);
    }
    let mut secrets = 0;
    for (index, viewer) in Viewer::all(rules.seats).enumerate() {
        let twins = twins_of(viewer);
        secrets += twins.script.iter().filter(|(_, texts)| texts[0] != texts[1]).count();
        let one = perform(&server, rules, &users, &twins, 0).await;
        let two = perform(&server, rules, &users, &twins, 1).await;
        assert!(one[index].len() > 2 * twins.script.len(), "{viewer} heard {}", one[index].len());
        for (left, right) in one[index].iter().zip(&two[index]) {
            assert_eq!(left, right, "{viewer} of {}", rules.game);
        }
        assert_eq!(one[index].len(), two[index].len());
        assert_ne!(one, two, "the twins are no twins: somebody else sees the difference");
    }
    if rules.game != CRAZY_TENS.game {
        assert!(secrets > 0, "no action had a secret in its text");
    }
}

#[tokio::test]
async fn crazy_tens_shows_a_viewer_nothing_of_other_hands() {
    check(&CRAZY_TENS, |viewer| CRAZY_TENS.find_twins(viewer, crazy_tens_pairs(viewer))).await;
}

#[tokio::test]
async fn the_template_shows_a_viewer_nothing_of_other_hands_or_snares() {
    for seats in [2, 3] {
        let rules = Rules { seats, ..TEMPLATE };
        check(&rules, |viewer| rules.find_twins(viewer, template_pairs(&rules, viewer))).await;
    }
}
