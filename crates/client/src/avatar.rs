//! The pictures that stand for people. The server keeps a key; what it looks like is drawn here.

use leptos::prelude::*;

/// A picture: its key, what it shows in words, and its outline in a square of 24 units.
pub(crate) struct Picture {
    pub(crate) key: &'static str,
    pub(crate) label: &'static str,
    outline: &'static str,
}

const fn picture(key: &'static str, label: &'static str, outline: &'static str) -> Picture {
    Picture { key, label, outline }
}

/// Those to choose from; the first is what an account begins with.
pub(crate) const PICTURES: [Picture; 10] = [
    picture(
        "pawn",
        "A pawn",
        "M12 4a3.200 3.200 0 0 1 1.900 5.800l1.600 6.200H17v3H7v-3h1.500l1.600-6.200A3.200 3.200 0 0 1 12 4z",
    ),
    picture(
        "rook",
        "A rook",
        "M7 5h2v2h2V5h2v2h2V5h2v5l-1.500 1.500V16H17v3H7v-3h1.500v-4.500L7 10z",
    ),
    picture("tower", "A tower", "M5 19v-4h14v4zM7.500 14v-3.500h9V14zM9 9.500a3 3 0 0 1 6 0z"),
    picture(
        "spade",
        "A spade",
        "M12 4c3 4 6.500 5.800 6.500 9.200a3.300 3.300 0 0 1-5.300 2.600l.8 3.700h-4l.8-3.700a3.300 3.300 0 0 1-5.300-2.600C5.500 9.800 9 8 12 4z",
    ),
    picture(
        "heart",
        "A heart",
        "M12 19.500C5 14.500 4 11 5 8.700s5-3 7 .5c2-3.500 6-2.800 7-.5s0 5.800-7 10.800z",
    ),
    picture("diamond", "A diamond", "M12 4l6 8-6 8-6-8z"),
    picture(
        "club",
        "A club",
        "M12 4.500a3 3 0 0 1 2.400 4.800 3 3 0 1 1-1.400 5l1 4.700h-4l1-4.700a3 3 0 1 1-1.400-5A3 3 0 0 1 12 4.500z",
    ),
    picture(
        "star",
        "A star",
        "M12 4l2.400 5 5.400.7-4 3.800 1 5.500-4.800-2.700L7.200 19l1-5.500-4-3.800L9.600 9z",
    ),
    picture("moon", "The moon", "M14.500 4.500a8 8 0 1 0 5 11 7 7 0 0 1-5-11z"),
    picture("leaf", "A leaf", "M5 19C4 10 10 5 19 5c0 9-5 14-11 12.500L6.500 19z"),
];

/// Somebody's picture. It says nothing that the name beside it does not, so it is not read aloud. A key
/// of another client gets the name's first letter.
pub(crate) fn avatar(key: &str, name: &str) -> AnyView {
    let place = PICTURES.iter().position(|it| it.key == key);
    let class = format!("avatar avatar-{}", place.unwrap_or(name.len() % PICTURES.len()));
    let inside = if let Some(place) = place {
        format!("<path d='{}'/>", PICTURES[place].outline)
    } else {
        let first = name.chars().next().filter(char::is_ascii_alphanumeric).unwrap_or('?');
        format!("<text x='12' y='16.5' text-anchor='middle' font-size='12'>{first}</text>")
    };
    view! { <svg class=class viewBox="0 0 24 24" aria-hidden="true" inner_html=inside></svg> }
        .into_any()
}
