//! What is said in a room: bounded in length, pace and memory, and not stored.

use std::borrow::Cow;
use std::collections::VecDeque;

use game_api::Seat;
use protocol::ws::ChatLine;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory as _};

use super::Refusal;

const CHARS_MAX: usize = 300;
/// Marks on one base letter. Hebrew with accents needs five, Burmese and Tibetan need four.
const MARKS_MAX: usize = 5;
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
        if !is_line(&text) {
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

/// Is this text one line that a page can show: not too long, with something to see, and without
/// characters that reorder, break or overprint the text around it?
fn is_line(text: &str) -> bool {
    text.chars().take(CHARS_MAX + 1).count() <= CHARS_MAX
        && text.chars().any(is_visible)
        && !text.chars().any(is_forbidden)
        && has_few_marks(text)
}

/// Control characters, line and paragraph separators, and the overrides, embeddings and isolates of
/// bidirectional text. The marks U+200E, U+200F and U+061C affect nothing outside their line.
fn is_forbidden(it: char) -> bool {
    use GeneralCategory as Category;
    let is_override = matches!(it, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let separators = [Category::Control, Category::LineSeparator, Category::ParagraphSeparator];
    is_override || separators.contains(&it.general_category())
}

/// Does it leave ink by itself? The Hangul fillers and the empty Braille cell count as letters and
/// symbols, but are blank.
fn is_visible(it: char) -> bool {
    use GeneralCategoryGroup as Group;
    let is_filler = matches!(it, '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}');
    let invisible = [Group::Mark, Group::Separator, Group::Other];
    !is_filler && !invisible.contains(&it.general_category_group())
}

/// Marks that stack above and below a letter cover the lines around it. Spacing marks stand beside it and
/// do not count; nor do format characters, such as those that join emoji.
fn has_few_marks(text: &str) -> bool {
    use GeneralCategory as Category;
    let mut marks = 0;
    text.chars().all(|it| {
        match it.general_category() {
            Category::NonspacingMark | Category::EnclosingMark => marks += 1,
            Category::SpacingMark | Category::Format => {}
            _ => marks = 0,
        }
        marks <= MARKS_MAX
    })
}

#[cfg(test)]
mod tests {
    use super::{CHARS_MAX, is_line};

    #[track_caller]
    fn check(text: &str, expected: bool) {
        assert_eq!(is_line(text), expected, "{text:?}");
    }

    #[test]
    fn every_script_and_emoji_can_be_written() {
        for text in [
            "Good luck!",
            "Viê\u{323}t Nam, decomposed",
            "שׁ\u{5bc}\u{5b8}\u{5bd}\u{591}לום",
            "مرحبًا\u{200f}!",
            "ကြွေး ညှို့ မြွှေး",
            "བསྒྲུབས",
            "ที่นี่",
            "ക്ഷ്മി",
            "👩🏽\u{200d}❤\u{fe0f}\u{200d}💋\u{200d}👨🏻 3\u{fe0f}\u{20e3} 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
            "می\u{200c}خواهم",
        ] {
            check(text, true);
        }
        check(&"ä".repeat(CHARS_MAX), true);
        check(&"ä".repeat(CHARS_MAX + 1), false);
    }

    #[test]
    fn a_line_shows_something() {
        for text in ["", "   ", "\u{a0}\u{3000}", "\u{200b}\u{200d}\u{feff}", "\u{3164}\u{2800}"] {
            check(text, false);
        }
        for text in ["\u{ad}", "\u{301}", "\u{fe0f}", "\u{e0041}\u{e000}", "\u{2060} \u{180e}"] {
            check(text, false);
        }
    }

    #[test]
    fn a_line_does_not_reorder_or_break_what_stands_around_it() {
        let overrides = ('\u{202a}'..='\u{202e}').chain('\u{2066}'..='\u{2069}');
        for it in overrides.chain(['\u{2028}', '\u{2029}', '\n', '\t', '\0', '\u{7f}', '\u{85}']) {
            check(&format!("a{it}b"), false);
        }
    }

    #[test]
    fn marks_do_not_pile_up() {
        let piled = |count: usize, mark: &str| format!("z{}", mark.repeat(count));
        check(&piled(5, "\u{30d}"), true);
        check(&piled(6, "\u{30d}"), false);
        check(&piled(6, "\u{489}"), false);
        // A joiner in between does not help.
        check(&piled(6, "\u{30d}\u{200d}"), false);
        check(&format!("{} {}", piled(5, "\u{316}"), piled(5, "\u{316}")), true);
    }
}
