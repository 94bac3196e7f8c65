//! Lines from an untrusted stream, of bounded length.

use std::io::{self, BufRead};

/// Far longer than any command; what is longer is skipped, not stored.
pub(crate) const LINE_BYTES_MAX: usize = 64 * 1024;

/// What one line turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A text, without its line ending.
    Text(String),
    /// More than [`LINE_BYTES_MAX`] bytes, all of them read and dropped.
    TooLong,
    /// Not UTF-8.
    NotText,
}

/// The next line, or `None` at the end of the stream. A last line need not end in a line break.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    let mut is_too_long = false;
    let mut has_any = false;
    loop {
        let available = input.fill_buf()?;
        if available.is_empty() {
            break;
        }
        has_any = true;
        let end = available.iter().position(|byte| *byte == b'\n');
        let part = &available[..end.unwrap_or(available.len())];
        is_too_long |= line.len() + part.len() > LINE_BYTES_MAX;
        if !is_too_long {
            line.extend_from_slice(part);
        }
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            break;
        }
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(match String::from_utf8(line) {
        _ if !has_any => None,
        _ if is_too_long => Some(Line::TooLong),
        Ok(text) => Some(Line::Text(text)),
        Err(_) => Some(Line::NotText),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: &[Line]) {
        // A tiny buffer, so that lines span several reads.
        let mut input = io::BufReader::with_capacity(3, bytes);
        let mut lines = Vec::new();
        while let Some(line) = read(&mut input).unwrap() {
            lines.push(line);
        }
        assert_eq!(lines, expected);
    }

    fn text(text: &str) -> Line {
        Line::Text(text.to_owned())
    }

    #[test]
    fn lines_end_at_breaks_and_at_the_end_of_input() {
        check(b"", &[]);
        check(b"\n", &[text("")]);
        check(b"view 0\r\nhash", &[text("view 0"), text("hash")]);
        check("é\n\u{1F600}\n".as_bytes(), &[text("é"), text("😀")]);
    }

    #[test]
    fn odd_lines_cost_no_memory_and_not_the_next_line() {
        check(b"\xff\xfe\nhash\n", &[Line::NotText, text("hash")]);
        let mut bytes = vec![b'x'; LINE_BYTES_MAX + 1];
        bytes.extend(b"\nhash\n");
        check(&bytes, &[Line::TooLong, text("hash")]);
    }
}
