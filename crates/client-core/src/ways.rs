//! Saying an action by picking cells, one after the other.

/// A way to say an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// The cells to pick, in this order.
    pub cells: Vec<usize>,
    /// The action's text.
    pub action: String,
}

/// What a pick comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Picked {
    /// The cells that are picked now; there are more to come, or none if it meant nothing.
    Cells(Vec<usize>),
    /// An action.
    Action(String),
    /// One of several actions.
    Choice(Vec<String>),
}

/// Picks a cell after those of `so_far`. The last one again lets go of it; one that does not go on
/// begins anew.
pub fn pick(ways: &[Way], so_far: &[usize], cell: usize) -> Picked {
    if so_far.last() == Some(&cell) {
        return Picked::Cells(so_far[..so_far.len() - 1].to_vec());
    }
    for mut cells in [so_far.to_vec(), Vec::new()] {
        cells.push(cell);
        let matching = || ways.iter().filter(|way| way.cells.starts_with(&cells));
        let whole: Vec<String> = matching()
            .filter(|way| way.cells.len() == cells.len())
            .map(|way| way.action.clone())
            .collect();
        match whole.as_slice() {
            [action] => return Picked::Action(action.clone()),
            [] if matching().next().is_some() => return Picked::Cells(cells),
            [] => {}
            _ => return Picked::Choice(whole),
        }
    }
    Picked::Cells(Vec::new())
}

/// The cells that can be picked next.
pub fn targets(ways: &[Way], so_far: &[usize]) -> Vec<usize> {
    let next = |way: &Way| way.cells.strip_prefix(so_far)?.first().copied();
    ways.iter().filter_map(next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ways() -> Vec<Way> {
        let way = |cells: &[usize], action: &str| Way {
            cells: cells.to_vec(),
            action: action.to_owned(),
        };
        vec![
            way(&[1, 2], "move"),
            way(&[1, 3], "promote to a queen"),
            way(&[1, 3], "promote to a rook"),
            way(&[4, 2], "other"),
            way(&[5], "build"),
        ]
    }

    #[track_caller]
    fn check(so_far: &[usize], cell: usize, expected: &Picked) {
        assert_eq!(pick(&ways(), so_far, cell), *expected);
    }

    #[test]
    fn cells_are_picked_until_they_say_an_action() {
        check(&[], 1, &Picked::Cells(vec![1]));
        check(&[1], 2, &Picked::Action("move".to_owned()));
        check(&[], 5, &Picked::Action("build".to_owned()));
        let choice = ["promote to a queen", "promote to a rook"].map(str::to_owned);
        check(&[1], 3, &Picked::Choice(choice.to_vec()));
    }

    #[test]
    fn the_same_again_lets_go_another_begins_anew_and_nonsense_is_nothing() {
        check(&[1], 1, &Picked::Cells(Vec::new()));
        check(&[1], 4, &Picked::Cells(vec![4]));
        check(&[1], 5, &Picked::Action("build".to_owned()));
        check(&[1], 9, &Picked::Cells(Vec::new()));
        check(&[], 2, &Picked::Cells(Vec::new()));
    }

    #[test]
    fn what_can_be_picked_next_goes_on_from_what_is_picked() {
        assert_eq!(targets(&ways(), &[]), [1, 1, 1, 4, 5]);
        assert_eq!(targets(&ways(), &[1]), [2, 3, 3]);
        assert!(targets(&ways(), &[9]).is_empty());
    }
}
