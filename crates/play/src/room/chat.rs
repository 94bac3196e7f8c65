//! What is said in a room: bounded in length, pace and memory, and not stored.

use std::borrow::Cow;
use std::collections::VecDeque;

use game_api::Seat;
use protocol::ws::ChatLine;

use super::Refusal;

const CHARS_MAX: usize = 300;
/// Who comes later sees so many lines.
const LINES_KEPT: usize = 16;
/// Nobody says more lines than this ...
const PACE_LINES: usize = 5;
/// ... in this time: a conversation, no flood.
const PACE_MS: u64 = 10_000;

#[derive(Clone, Default)]
pub(super) struct Chat {
    lines: VecDeque<ChatLine<'static>>,
}

impl Chat {
    /// Takes a line, or says why not.
    pub(super) fn add(
        &mut self,
        seat: Seat,
        text: String,
        at_ms: u64,
    ) -> Result<&ChatLine<'static>, Refusal> {
        let length = text.chars().take(CHARS_MAX + 1).count();
        let is_blank = text.trim().is_empty();
        if is_blank || length > CHARS_MAX || text.chars().any(char::is_control) {
            return Err(Refusal::BadChat);
        }
        let is_late = |line: &&ChatLine<'_>| line.seat == seat && line.at_ms + PACE_MS > at_ms;
        if self.lines.iter().filter(is_late).count() >= PACE_LINES {
            return Err(Refusal::ChatTooFast);
        }
        if self.lines.len() == LINES_KEPT {
            self.lines.pop_front();
        }
        self.lines.push_back(ChatLine { seat, text: Cow::Owned(text), at_ms });
        self.lines.back().ok_or(Refusal::BadChat)
    }

    pub(super) fn lines(&self) -> Vec<ChatLine<'static>> {
        self.lines.iter().cloned().collect()
    }
}
