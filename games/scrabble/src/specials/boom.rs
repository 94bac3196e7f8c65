//! Boom.

use super::Kind;
use crate::options::{Boom, Shape};
use crate::square::Square;

pub(super) const KIND: Kind = Kind {
    key: "boom",
    text: "The tiles around it leave the match.",
    activate: |hit, effects| {
        let boom = hit.options.boom;
        for square in Square::all().filter(|square| is_reached(boom, hit.square, *square)) {
            effects.clear_letter(square);
            if boom.clears_specials {
                effects.specials.take(square);
            }
        }
    },
};

fn is_reached(boom: Boom, from: Square, to: Square) -> bool {
    let rows = from.row().abs_diff(to.row());
    let columns = from.column().abs_diff(to.column());
    let distance = match boom.shape {
        Shape::Diamond => rows + columns,
        Shape::Square => rows.max(columns),
    };
    distance <= usize::from(boom.reach)
}
