//! A time budget over many tests: what one does not need is left for the others.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::parallel::locked;

/// A time budget that tests share which run in parallel.
pub struct TimeBudget {
    end: Option<Instant>,
    jobs: u32,
    waiting: Mutex<u32>,
}

impl TimeBudget {
    /// A budget that begins to run now; without a limit, nothing has a deadline.
    pub fn new(limit: Option<Duration>, jobs: usize, tests: usize) -> Self {
        TimeBudget {
            end: limit.and_then(|limit| Instant::now().checked_add(limit)),
            jobs: u32::try_from(jobs).unwrap_or(u32::MAX),
            waiting: Mutex::new(u32::try_from(tests).unwrap_or(u32::MAX)),
        }
    }

    /// The deadline of a test that begins now: its even share of what is left.
    pub fn start(&self) -> Option<Instant> {
        self.share(self.jobs)
    }

    /// The deadline of a test that begins now, and has nothing beside it.
    pub fn start_alone(&self) -> Option<Instant> {
        self.share(1)
    }

    fn share(&self, jobs: u32) -> Option<Instant> {
        let now = Instant::now();
        let left = self.end?.saturating_duration_since(now);
        let waiting = *locked(&self.waiting);
        let rounds = waiting.div_ceil(jobs).max(1);
        Some(now + left / rounds)
    }

    /// A test is done.
    pub fn end(&self) {
        let mut waiting = locked(&self.waiting);
        *waiting = waiting.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_gets_its_share_of_what_is_left() {
        let budget = TimeBudget::new(Some(Duration::from_secs(100)), 2, 4);
        let share = |budget: &TimeBudget| budget.start().unwrap() - Instant::now();
        assert!(share(&budget) <= Duration::from_secs(50));
        let alone = budget.start_alone().unwrap() - Instant::now();
        assert!(alone <= Duration::from_secs(25));
        budget.end();
        budget.end();
        assert!(share(&budget) > Duration::from_secs(90));
        assert_eq!(TimeBudget::new(None, 2, 4).start(), None);
    }
}
