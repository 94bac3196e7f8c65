//! Which addresses are pages of the browser client.

/// The paths; `*` stands for a part that the client reads, such as an id or a name.
const PAGES: [&[&str]; 12] = [
    &[],
    &["login"],
    &["lobby", "*"],
    &["match", "*"],
    &["replay", "*"],
    &["practice", "*"],
    &["settings"],
    &["profile"],
    &["player", "*"],
    &["rules"],
    &["rules", "*"],
    &["learn", "*"],
];

/// Does the client have a page at this path? The server answers 404 elsewhere. Whether there is such a
/// match, game or person is not judged.
pub fn is_page(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let is_at = |page: &&[&str]| {
        page.len() == parts.len()
            && page.iter().zip(&parts).all(|(wanted, part)| *wanted == "*" || wanted == part)
    };
    PAGES.iter().any(is_at)
}
