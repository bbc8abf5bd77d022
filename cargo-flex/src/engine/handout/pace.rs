//! How long shards take: one that takes much longer than others did is probably made by a slow worker.

use std::time::Duration;

/// Before so many shards were made, nothing is usual.
const FEWEST: usize = 5;

/// What takes so many times as long as half of the others is late.
const LATE: u32 = 2;

/// How long whole shards took.
#[derive(Debug, Default)]
pub struct Pace {
    /// In ascending order.
    took: Vec<Duration>,
}

impl Pace {
    /// A shard was made in this time.
    pub fn made(&mut self, took: Duration) {
        let place = self.took.partition_point(|other| *other <= took);
        self.took.insert(place, took);
    }

    /// Whether one that has taken so long already takes much longer than others did.
    pub fn is_late(&self, takes: Duration) -> bool {
        self.took.len() >= FEWEST && takes > self.took[self.took.len() / 2] * LATE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_twice_as_long_as_half_of_the_others_is_late() {
        let mut pace = Pace::default();
        let seconds = Duration::from_secs;
        for took in [9, 1, 5, 30] {
            pace.made(seconds(took));
            assert!(!pace.is_late(seconds(1000)));
        }
        pace.made(seconds(4));
        assert!(!pace.is_late(seconds(10)));
        assert!(pace.is_late(seconds(11)));
    }
}
