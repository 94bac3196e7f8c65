//! The little Markdown the checks read: lines outside code fences, tables, inline code.
//!
//! A table is a run of lines that begin with `|`. This is no Markdown parser, on purpose: the checked
//! documents keep to one plain form.

pub(crate) struct Row<'a> {
    pub(crate) line: usize,
    pub(crate) cells: Vec<&'a str>,
}

pub(crate) struct Table<'a> {
    pub(crate) header: Row<'a>,
    pub(crate) rows: Vec<Row<'a>>,
}

/// The trimmed lines outside code fences, with their numbers.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let line = line.trim();
        let is_fence = line.starts_with("```");
        is_fenced ^= is_fence;
        (!is_fenced && !is_fence).then_some((index + 1, line))
    })
}

pub(crate) fn tables(text: &str) -> Vec<Table<'_>> {
    let mut tables: Vec<Table> = Vec::new();
    let mut is_inside = false;
    for (line, content) in lines(text) {
        let Some(inner) = content.strip_prefix('|') else {
            is_inside = false;
            continue;
        };
        let row = Row { line, cells: cells(inner) };
        match tables.last_mut().filter(|_| is_inside) {
            Some(_) if is_delimiter(&row) => {}
            Some(table) => table.rows.push(row),
            None => tables.push(Table { header: row, rows: Vec::new() }),
        }
        is_inside = true;
    }
    tables
}

/// The inline code of a cell that has nothing else but commas between; `None` if it has.
pub(crate) fn codes(cell: &str) -> Option<Vec<&str>> {
    let parts: Vec<&str> = cell.split('`').collect();
    let is_plain = |part: &&str| part.chars().all(|c| c == ',' || c.is_whitespace());
    let is_code_only = parts.len() >= 3 && parts.len() % 2 == 1;
    (is_code_only && parts.iter().step_by(2).all(is_plain))
        .then(|| parts.into_iter().skip(1).step_by(2).collect())
}

/// Splits at each `|` that is not written `\|`.
fn cells(inner: &str) -> Vec<&str> {
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let is_bar = |&(at, _): &(usize, &str)| !inner[..at].ends_with('\\');
    let mut start = 0;
    let mut cells = Vec::new();
    for (at, _) in inner.match_indices('|').filter(is_bar) {
        cells.push(inner[start..at].trim());
        start = at + 1;
    }
    cells.push(inner[start..].trim());
    cells
}

fn is_delimiter(row: &Row) -> bool {
    row.cells.iter().all(|cell| cell.contains('-') && cell.chars().all(|c| matches!(c, '-' | ':')))
}

#[cfg(test)]
mod tests {
    use super::{codes, tables};

    #[test]
    fn a_table_ends_where_its_bars_end_and_a_fence_hides_one() {
        let text = "| a | b |\n|---|:-:|\n| 1 | x \\| y |\n\n```\n| no | no |\n```\n| c |\n";
        let tables = tables(text);
        let headers: Vec<_> = tables.iter().map(|table| &table.header.cells).collect();
        assert_eq!(headers, [&vec!["a", "b"], &vec!["c"]]);
        let rows: Vec<_> = tables.iter().flat_map(|table| &table.rows).collect();
        let rows: Vec<_> = rows.iter().map(|row| (row.line, &row.cells)).collect();
        assert_eq!(rows, [(3, &vec!["1", "x \\| y"])]);
    }

    #[test]
    fn a_cell_of_code_holds_nothing_else() {
        let check = |cell, expected: Option<&[&str]>| {
            assert_eq!(codes(cell).as_deref(), expected, "{cell:?}");
        };
        check("`a`", Some(&["a"]));
        check("`a::b`, `c!`", Some(&["a::b", "c!"]));
        check("`a` and `b`", None);
        check("`a", None);
        check("a", None);
        check("", None);
    }
}
