//! A stored match told again: to a viewer while it runs, to all once it is over.

use domain::{PlayerId, SeatHolder};
use game_api::{AnyGame, Entry, EntryKind, LOG_FORMAT, MatchLog, Refused, Seat, SeatSet, Viewer};
use protocol::{NotationLine, StoryEntry, StoryKind};
use serde_json::value::RawValue;
use storage::{MatchResult, MatchRow};

use super::load::deal;

/// Who hears a story, which decides what is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hearer {
    /// Who has these seats; a spectator has none.
    Of(SeatSet),
    /// Anybody, once the match is over: every action as to the seat that acted.
    All,
}

impl Hearer {
    /// This person, or nobody in particular.
    pub(crate) fn of(row: &MatchRow, player: Option<PlayerId>) -> Hearer {
        let holder = player.map(SeatHolder::Player);
        let seats = Seat::all(u8::try_from(row.seats.len()).unwrap_or(u8::MAX));
        let is_own = |seat: &Seat| row.seats.get(seat.index()) == holder.as_ref();
        Hearer::Of(seats.filter(|seat| holder.is_some() && is_own(seat)).collect())
    }

    fn has(self, seat: Seat) -> bool {
        match self {
            Hearer::Of(seats) => seats.contains(seat),
            Hearer::All => true,
        }
    }

    /// As whom the match is looked at, unless a seat acts that is the hearer's own too.
    pub(crate) fn viewer(self) -> Viewer {
        match self {
            Hearer::Of(seats) => seats.iter().next().map_or(Viewer::Spectator, Viewer::Seat),
            Hearer::All => Viewer::Spectator,
        }
    }
}

/// An entry without what only the rules know of it.
pub(crate) fn outline(entry: &Entry, hearer: Hearer) -> StoryEntry {
    let is_own = entry.seat.is_some_and(|seat| hearer.has(seat));
    let mut told = StoryEntry {
        ply: entry.ply,
        seat: entry.seat,
        at_ms: entry.at_ms,
        kind: StoryKind::Act,
        event: None,
        notation: None,
        action: None,
        cause: None,
        to_ply: None,
    };
    told.kind = match &entry.kind {
        EntryKind::Act(text) => {
            // It can hold a secret of the seat that acted.
            told.action = is_own.then(|| text.clone());
            StoryKind::Act
        }
        EntryKind::Forfeit(cause) => {
            told.cause = Some(*cause);
            StoryKind::Forfeit
        }
        EntryKind::Agree(game_api::Agreement::Draw) => StoryKind::Agree,
        EntryKind::Abort => StoryKind::Abort,
        EntryKind::Takeback(to_ply) => {
            told.to_ply = Some(*to_ply);
            StoryKind::Takeback
        }
        EntryKind::Pause => StoryKind::Pause,
        EntryKind::Resume => StoryKind::Resume,
    };
    told
}

/// Plays a match again, and tells of each entry what the hearer may know.
pub(crate) fn story(
    game: &dyn AnyGame,
    row: &MatchRow,
    entries: &[Entry],
    hearer: Hearer,
) -> Result<Vec<StoryEntry>, Refused> {
    let mut contest = deal(game, row)?;
    let viewer_of = |seat| if hearer.has(seat) { Viewer::Seat(seat) } else { hearer.viewer() };
    let mut story = Vec::with_capacity(entries.len());
    contest.retell(entries, &viewer_of, &mut |entry, told| {
        let mut entry = outline(entry, hearer);
        if let Some(told) = told {
            entry.event = serde_json::from_slice::<Box<RawValue>>(told.event).ok();
            entry.notation = Some(String::from_utf8_lossy(told.notation).into_owned());
        }
        story.push(entry);
    })?;
    Ok(story)
}

/// The actions of a story that were not taken back, in a line each.
pub(super) fn notations(story: Vec<StoryEntry>) -> Vec<NotationLine> {
    let mut lines: Vec<NotationLine> = Vec::with_capacity(story.len());
    for entry in story {
        if let Some(to_ply) = entry.to_ply {
            lines.truncate(lines.partition_point(|line| line.ply < to_ply));
        }
        if let (Some(seat), Some(text)) = (entry.seat, entry.notation) {
            lines.push(NotationLine { ply: entry.ply, seat, text });
        }
    }
    lines
}

/// The whole log of a match that is over, seed and all.
pub(crate) fn log(
    row: &MatchRow,
    entries: Vec<Entry>,
    result: &MatchResult,
) -> Result<MatchLog, serde_json::Error> {
    Ok(MatchLog {
        format: LOG_FORMAT,
        game: row.game.clone(),
        rules_version: row.rules_version,
        options: RawValue::from_string(row.options.clone())?,
        seats: u8::try_from(row.seats.len()).unwrap_or(u8::MAX),
        from_position: row.from_position.clone(),
        seed: row.seed,
        commitment: row.commitment,
        entries,
        state_hash: result.state_hash,
    })
}
