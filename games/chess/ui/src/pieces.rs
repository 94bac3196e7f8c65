//! The pieces as drawings of our own, on a field of 45 by 45.

use leptos::prelude::*;

use crate::position::Piece;

const FOOT: &str = "M11 38h23a1 1 0 0 1 1 1v1a1 1 0 0 1-1 1H11a1 1 0 0 1-1-1v-1a1 1 0 0 1 1-1z";
const PAWN: &str = "M22.500 9a5.600 5.600 0 0 1 3.300 10.100c2.900 1.400 4.200 3.800 3.300 6.400h-2.600c.6 4.500 2.800 7.500 5.500 10.500H13c2.700-3 4.900-6 5.500-10.500h-2.600c-.9-2.600.4-5 3.300-6.400A5.600 5.600 0 0 1 22.500 9z";
const ROOK: &str = "M12 9h4.500v3.500h3.700V9h4.600v3.500h3.700V9H33v8.500l-3 2.500v12l2.500 4h-20l2.500-4V20l-3-2.500z";
const KNIGHT: &str = "M20 8.500l2.500 2.600c8 1.200 11.500 8.400 11 24.900H15.500c-.2-5.800 2.300-8.700 5.700-11.600l-1-.4-4.800 2.700c-2.200 1.200-4.700-.4-4.900-2.700l.2-1.500 5.800-8.800z";
const BISHOP: &str = "M22.500 7a2.500 2.500 0 0 1 1.600 4.400c4.600 3 6.900 7 6.900 10.600 0 3-1.400 5.200-3.600 6.500l1.200 3.500 3.400 4H13l3.400-4 1.200-3.500c-2.200-1.300-3.600-3.500-3.600-6.500 0-3.600 2.300-7.600 6.900-10.600A2.500 2.500 0 0 1 22.500 7z";
const QUEEN: &str = "M9 13.500l6.300 8.300 1.300-11.300 5.900 10.300 5.900-10.300 1.300 11.300 6.300-8.300L32.500 32l1 4h-22l1-4z";
const KING: &str = "M21 5h3v3h3v3h-3v3.300c3.500-2.500 11-2.300 11.500 4 .3 4.800-3.200 8-5 11.700l1 6h-18l1-6c-1.800-3.700-5.300-6.900-5-11.700.5-6.300 8-6.500 11.500-4V11h-3V8h3z";

/// A piece; the cell that it stands in says what it is.
#[component]
pub(crate) fn Drawing(piece: Piece) -> impl IntoView {
    let body = match piece.kind {
        'k' => KING,
        'q' => QUEEN,
        'r' => ROOK,
        'b' => BISHOP,
        'n' => KNIGHT,
        _ => PAWN,
    };
    let class = if piece.is_white { "piece white" } else { "piece black" };
    view! {
        <svg class=class viewBox="0 0 45 45" aria-hidden="true">
            <path d=body/>
            <path d=FOOT/>
        </svg>
    }
}
