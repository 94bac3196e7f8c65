//! How long a bot may think.

/// A number of nodes, and if wanted somebody who says when time is up.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    nodes: u64,
    is_time_up: Option<&'a dyn Fn() -> bool>,
}

impl<'a> Budget<'a> {
    /// So many states: the same on every machine.
    pub const fn of_nodes(nodes: u64) -> Budget<'static> {
        Budget { nodes, is_time_up: None }
    }

    /// Until the clock of whoever asks says so.
    pub const fn until(is_time_up: &'a dyn Fn() -> bool) -> Budget<'a> {
        Budget { nodes: u64::MAX, is_time_up: Some(is_time_up) }
    }

    /// At most so many nodes of it.
    #[must_use]
    pub fn capped(self, nodes: u64) -> Budget<'a> {
        Budget { nodes: self.nodes.min(nodes), ..self }
    }

    /// How many nodes it has, if they are counted.
    pub fn nodes(&self) -> Option<u64> {
        (self.nodes < u64::MAX).then_some(self.nodes)
    }

    /// Asks the clock, if there is one.
    pub fn is_time_up(&self) -> bool {
        self.is_time_up.is_some_and(|is_time_up| is_time_up())
    }

    /// Starts to count. A clock costs time too, so it is asked only every so many nodes.
    pub fn meter(&self, nodes_between_looks: u64) -> Meter<'a> {
        Meter { left: self.nodes, is_time_up: self.is_time_up, nodes_between_looks, is_over: false }
    }

    /// How many places a table for these nodes should have: a power of two.
    pub fn table_size(&self) -> usize {
        // Two places a node; more would take longer to clear than they save.
        let places = self.nodes.saturating_mul(2).clamp(1 << 10, 1 << 19);
        usize::try_from(places.next_power_of_two()).unwrap_or(1 << 10)
    }
}

/// What is left of a budget.
pub struct Meter<'a> {
    left: u64,
    is_time_up: Option<&'a dyn Fn() -> bool>,
    nodes_between_looks: u64,
    is_over: bool,
}

impl Meter<'_> {
    /// Takes a node, and says whether it was there.
    pub fn spend(&mut self) -> bool {
        if let Some(is_time_up) = self.is_time_up
            && self.left.is_multiple_of(self.nodes_between_looks)
        {
            self.is_over |= is_time_up();
        }
        self.is_over |= self.left == 0;
        self.left = self.left.saturating_sub(1);
        !self.is_over
    }

    /// Is nothing left?
    pub fn is_over(&self) -> bool {
        self.is_over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_of_nodes_lasts_for_so_many() {
        let mut meter = Budget::of_nodes(3).capped(5).meter(1);
        let spent: Vec<bool> = (0..5).map(|_| meter.spend()).collect();
        assert_eq!(spent, [true, true, true, false, false]);
        assert!(meter.is_over());
    }

    #[test]
    fn a_clock_ends_it_and_keeps_it_ended() {
        let asked = std::cell::Cell::new(0);
        let clock = || {
            asked.set(asked.get() + 1);
            asked.get() == 3
        };
        let mut meter = Budget::until(&clock).meter(512);
        let spent = (0..100_000).take_while(|_| meter.spend()).count();
        assert!((1_000..2_000).contains(&spent), "{spent}");
        assert!(!meter.spend());
    }
}
