//! How long a run may take before it counts as hanging.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Where nothing is stated, no run hangs before this.
const LEAST: Duration = Duration::from_secs(60);

/// Where nothing is stated, a run hangs after so many times the slowest run so far.
const TIMES_SLOWEST: u32 = 20;

/// The limit of each run of a test: what is stated, else by how long others took. The first run has none then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunLimit {
    stated: Option<Duration>,
    slowest: Option<Duration>,
}

impl RunLimit {
    /// The limit of runs of which the slowest so far took this long, if that is known.
    pub fn new(stated: Option<Duration>, slowest: Option<Duration>) -> Self {
        RunLimit { stated, slowest }
    }

    /// The limit of the next run.
    pub fn of_next(&self) -> Option<Duration> {
        let by_others = |slowest: Duration| slowest.saturating_mul(TIMES_SLOWEST).max(LEAST);
        self.stated.or_else(|| self.slowest.map(by_others))
    }

    /// A run has ended after so long.
    pub fn took(&mut self, took: Duration) {
        self.slowest = self.slowest.max(Some(took));
    }

    /// Whether a run that is still under way after so long would hang, by whatever is known, if there were no least
    /// limit. So it is asked of runs that are ended because the time for all of them is up.
    pub fn is_exceeded_by(&self, elapsed: Duration) -> bool {
        let by_others = |slowest: Duration| slowest.saturating_mul(TIMES_SLOWEST);
        let limit = self.stated.or_else(|| self.slowest.map(by_others));
        limit.is_some_and(|limit| elapsed >= limit)
    }

    /// The slowest run so far.
    pub fn slowest(&self) -> Option<Duration> {
        self.slowest
    }
}

/// The slowest run of a test so far, as the processes of the test tell it.
#[derive(Debug, Default)]
pub struct Slowest {
    /// In milliseconds, rounded up; 0 if it is not known.
    millis: AtomicU64,
}

impl Slowest {
    /// A run took so long.
    pub fn took(&self, took: Duration) {
        let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        self.millis
            .fetch_max(millis.saturating_add(1), Ordering::Relaxed);
    }

    /// The slowest run, if any has ended.
    pub fn get(&self) -> Option<Duration> {
        match self.millis.load(Ordering::Relaxed) {
            0 => None,
            millis => Some(Duration::from_millis(millis)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_first_run_has_no_limit_and_others_have_one_by_the_slowest() {
        let mut limit = RunLimit::default();
        assert_eq!(limit.of_next(), None);
        limit.took(SECOND);
        assert_eq!(limit.of_next(), Some(60 * SECOND));
        limit.took(7 * SECOND);
        limit.took(SECOND);
        assert_eq!(limit.of_next(), Some(140 * SECOND));
        limit.took(Duration::MAX);
        assert_eq!(limit.of_next(), Some(Duration::MAX));
    }

    #[test]
    fn what_is_stated_counts_from_the_first_run_on() {
        let mut limit = RunLimit::new(Some(SECOND), None);
        assert_eq!(limit.of_next(), Some(SECOND));
        limit.took(9 * SECOND);
        assert_eq!(limit.of_next(), Some(SECOND));
    }

    #[test]
    fn of_a_run_that_is_ended_early_it_is_known_whether_it_hangs() {
        let known = RunLimit::new(None, Some(SECOND));
        assert!(known.is_exceeded_by(20 * SECOND) && !known.is_exceeded_by(19 * SECOND));
        assert!(!RunLimit::default().is_exceeded_by(3600 * SECOND));
        let slowest = Slowest::default();
        assert_eq!(slowest.get(), None);
        slowest.took(Duration::from_micros(5));
        slowest.took(SECOND);
        assert_eq!(slowest.get(), Some(Duration::from_millis(1001)));
    }
}
