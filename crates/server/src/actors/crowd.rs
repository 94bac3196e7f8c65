//! Whether there is so much to do that fewer, larger writes to sockets serve everybody better.

/// The mean from which on it is so. A hall that keeps up tells of a handful of stored entries at a time;
/// one that has more to do tells of all that came together meanwhile.
const LARGE: f32 = 32.0;
/// So few need not wait, however many there were before.
const FEW: usize = 8;
/// A single stall of the disk makes no crowd, though it lets many come together.
const WEIGHT: f32 = 1.0 / 16.0;

/// How many rooms hear at a time that their entries are stored.
#[derive(Default)]
pub(super) struct Crowd {
    latest: usize,
    mean: f32,
}

impl Crowd {
    /// So many rooms have come at a time.
    pub(super) fn came(&mut self, rooms: usize) {
        self.latest = rooms;
        let rooms = f32::from(u16::try_from(rooms).unwrap_or(u16::MAX));
        self.mean += (rooms - self.mean) * WEIGHT;
    }

    pub(super) fn is_large(&self) -> bool {
        self.latest > FEW && self.mean >= LARGE
    }
}

#[cfg(test)]
mod tests {
    use super::Crowd;

    #[track_caller]
    fn check_is_large(times: &[usize], expected: bool) {
        let mut crowd = Crowd::default();
        for rooms in times {
            crowd.came(*rooms);
        }
        assert_eq!(crowd.is_large(), expected, "{times:?}");
    }

    #[test]
    fn a_crowd_is_many_rooms_at_a_time_many_times() {
        check_is_large(&[], false);
        check_is_large(&[3; 100], false);
        check_is_large(&[100; 8], true);
        check_is_large(&[[1, 150]; 10].concat(), true);
    }

    #[test]
    fn one_stall_of_the_disk_is_no_crowd() {
        check_is_large(&[5, 5, 5, 256], false);
    }

    #[test]
    fn whoever_comes_alone_after_a_crowd_does_not_wait() {
        check_is_large(&[&[200; 20][..], &[1]].concat(), false);
        check_is_large(&[&[200; 20][..], &[10; 60]].concat(), false);
    }
}
