//! Actions entered before it is one's turn.

/// So many actions wait at most; whoever enters more has long left what is likely.
const AHEAD_MAX: usize = 8;

/// Actions that wait for the own turn, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ahead {
    actions: Vec<String>,
}

/// What becomes of the first one that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Due {
    /// None does.
    Nothing,
    /// It is legal: send it.
    Send(String),
    /// It is not, so that it and all after it are dropped.
    Dropped {
        /// Which.
        action: String,
        /// The reason.
        why: String,
    },
}

impl Ahead {
    /// Those that wait.
    pub fn actions(&self) -> &[String] {
        &self.actions
    }

    /// Lets an action wait; false if too many do.
    pub fn enter(&mut self, action: String) -> bool {
        let has_room = self.actions.len() < AHEAD_MAX;
        if has_room {
            self.actions.push(action);
        }
        has_room
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.actions.clear();
    }

    /// The own turn has come: the first is sent if the rules allow it.
    pub fn due(&mut self, judge: impl FnOnce(&str) -> Result<(), String>) -> Due {
        if self.actions.is_empty() {
            return Due::Nothing;
        }
        let action = self.actions.remove(0);
        match judge(&action) {
            Ok(()) => Due::Send(action),
            Err(why) => {
                self.actions.clear();
                Due::Dropped { action, why }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entered(actions: &[&str]) -> Ahead {
        let mut ahead = Ahead::default();
        for action in actions {
            assert!(ahead.enter((*action).to_owned()));
        }
        ahead
    }

    #[test]
    fn they_are_sent_one_at_a_time_in_order() {
        let mut ahead = entered(&["b2-c3", "+c4"]);
        assert_eq!(ahead.due(|_| Ok(())), Due::Send("b2-c3".to_owned()));
        assert_eq!(ahead.actions(), ["+c4"]);
        assert_eq!(ahead.due(|_| Ok(())), Due::Send("+c4".to_owned()));
        assert_eq!(ahead.due(|_| Ok(())), Due::Nothing);
    }

    #[test]
    fn one_that_is_illegal_takes_all_after_it_along() {
        let mut ahead = entered(&["b2-c3", "+c4"]);
        let why = || "c3 is domed".to_owned();
        let dropped = Due::Dropped { action: "b2-c3".to_owned(), why: why() };
        assert_eq!(ahead.due(|_| Err(why())), dropped);
        assert_eq!(ahead, Ahead::default());
    }

    #[test]
    fn only_so_many_wait() {
        let mut ahead = entered(&["a"; AHEAD_MAX]);
        assert!(!ahead.enter("b".to_owned()));
        assert_eq!(ahead.actions().len(), AHEAD_MAX);
        ahead.clear();
        assert_eq!(ahead.actions().len(), 0);
    }
}
