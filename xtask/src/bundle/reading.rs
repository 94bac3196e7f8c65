//! Turns what each game's folder has to read into what the client fetches when it is wanted: RULES.md
//! as HTML, in which every rule can be linked to, and `tutorial.json` as it is.

use std::path::Path;

use anyhow::{Context as _, Result};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use xshell::Shell;

/// What is not offered, and only copied.
const TEMPLATE: &str = "template";

/// What there is to read about a game.
pub(crate) struct Reading {
    pub(crate) game: String,
    pub(crate) title: String,
    pub(crate) rules: String,
    pub(crate) tutorial: Option<String>,
}

/// All of them, by the games' names.
pub(crate) fn find(sh: &Shell, root: &Path) -> Result<Vec<Reading>> {
    let mut readings = Vec::new();
    for folder in sh.read_dir(root.join("games"))? {
        let name = folder.file_name().context("a game's folder has a name")?;
        let game = name.to_string_lossy().into_owned();
        if game == TEMPLATE || !folder.join("RULES.md").exists() {
            continue;
        }
        let (title, rules) = rules(&sh.read_file(folder.join("RULES.md"))?);
        let tutorial = folder.join("tutorial.json");
        let tutorial = if tutorial.exists() {
            // As people edit it, it has lines; as it is sent, it need not.
            let value: serde_json::Value = serde_json::from_str(&sh.read_file(&tutorial)?)?;
            Some(value.to_string())
        } else {
            None
        };
        readings.push(Reading { game, title, rules, tutorial });
    }
    readings.sort_by(|one, other| one.title.cmp(&other.title));
    Ok(readings)
}

/// The title, and the rest as HTML: a list of contents, then everything with a place to link to.
fn rules(markdown: &str) -> (String, String) {
    let events: Vec<Event> = Parser::new_ext(markdown, Options::ENABLE_TABLES).collect();
    let (mut title, mut contents, mut body) = (String::new(), String::new(), Vec::new());
    let mut rest = &events[..];
    while let Some((event, behind)) = rest.split_first() {
        rest = behind;
        match event {
            Event::Start(Tag::Heading { level, .. }) => {
                let end = rest.iter().position(|it| matches!(it, Event::End(TagEnd::Heading(_))));
                let (inside, behind) = rest.split_at(end.unwrap_or(rest.len()));
                rest = behind.split_first().map_or(&[], |(_, behind)| behind);
                let text = plain(inside);
                if *level == HeadingLevel::H1 {
                    title = text;
                    continue;
                }
                let (place, shown) = (place_of(&text), escape(&text));
                contents.extend(["<li><a href=\"#", &*place, "\">", &*shown, "</a></li>"]);
                body.push(raw(format!("<h2 id=\"{place}\">{shown}</h2>\n")));
            }
            Event::Start(Tag::Item) => match rest {
                [Event::Start(Tag::Strong), Event::Text(number), Event::End(_), behind @ ..]
                    if is_rule(number) =>
                {
                    rest = behind;
                    body.push(raw(format!(
                        "<li id=\"{number}\"><a class=\"rule\" href=\"#{number}\">{number}</a>"
                    )));
                }
                _ => body.push(event.clone()),
            },
            Event::Text(text) => body.push(raw(link_rules(text))),
            _ => body.push(event.clone()),
        }
    }
    let mut page =
        format!("<nav class=\"contents\" aria-label=\"Contents\"><ol>{contents}</ol></nav>\n");
    html::push_html(&mut page, body.into_iter());
    (title, page)
}

fn raw(html: String) -> Event<'static> {
    Event::InlineHtml(CowStr::from(html))
}

fn plain(events: &[Event]) -> String {
    let texts = events.iter().filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) => Some(&**text),
        _ => None,
    });
    texts.collect()
}

/// `R3` of `R3 Playing a card`, else the words in small.
fn place_of(heading: &str) -> String {
    match heading.split_once(' ') {
        Some((number, _)) if is_rule(number) => number.to_owned(),
        _ => heading.to_lowercase().replace(' ', "-"),
    }
}

/// `R3`, `R3.2`.
fn is_rule(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.strip_prefix('R').is_some_and(|numbers| numbers.split('.').all(is_number))
}

/// Text in which the rules that it names are links.
fn link_rules(text: &str) -> String {
    let word = |word: &str| {
        let number = word.trim_matches(['.', ',', ';', ':', '(', ')']);
        if is_rule(number) {
            let link = format!("<a href=\"#{number}\">{number}</a>");
            escape(word).replace(number, &link)
        } else {
            escape(word)
        }
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{find, rules};

    #[track_caller]
    fn check(markdown: &str, expected: &str) {
        let (_, html) = rules(markdown);
        let (_, body) = html.split_once("</nav>\n").unwrap_or_default();
        assert_eq!(body.replace('\n', ""), expected);
    }

    #[test]
    fn a_rule_has_a_place_and_a_link() {
        check(
            "- **R3.2** A *ten* is < ten.",
            "<ul><li id=\"R3.2\"><a class=\"rule\" href=\"#R3.2\">R3.2</a> A <em>ten</em> is &lt; ten.\
             </li></ul>",
        );
        check("- **No** rule.", "<ul><li><strong>No</strong> rule.</li></ul>");
    }

    #[test]
    fn a_rule_that_is_named_is_a_link() {
        check(
            "As R3.2, and `R4` (R5).",
            "<p>As <a href=\"#R3.2\">R3.2</a>, and <code>R4</code> (<a href=\"#R5\">R5</a>).</p>",
        );
    }

    #[test]
    fn every_column_of_the_rules_has_a_header() {
        let root =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
        let readings = find(&xshell::Shell::new().unwrap(), root).unwrap();
        for reading in readings {
            assert!(!reading.rules.contains("<th></th>"), "{}", reading.title);
        }
    }

    #[test]
    fn the_title_stands_apart_and_headings_make_the_contents() {
        let (title, html) = rules("# Go\n\n## R1 Seats\n\n## Writing it down\n");
        assert_eq!(title, "Go");
        assert_eq!(
            html.replace('\n', ""),
            "<nav class=\"contents\" aria-label=\"Contents\"><ol><li><a href=\"#R1\">R1 Seats</a></li>\
             <li><a href=\"#writing-it-down\">Writing it down</a></li></ol></nav>\
             <h2 id=\"R1\">R1 Seats</h2><h2 id=\"writing-it-down\">Writing it down</h2>"
        );
    }
}
