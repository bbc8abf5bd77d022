//! How far all tests are, and how long the rest takes: a machine without a clock.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use flex_core::words::{about, count};

/// How far all tests are.
#[derive(Debug)]
pub struct Whole {
    tests: usize,
    jobs: usize,
    /// When the time is up, if there is a limit.
    end: Option<Instant>,
    /// The seconds that each test took that is done.
    done: Vec<f64>,
    /// For tests under way, seconds that they take in all, and those of them that are left.
    running: BTreeMap<String, (f64, f64)>,
}

impl Whole {
    /// So many tests, so many of them at a time.
    pub fn new(tests: usize, jobs: usize, limit: Option<Duration>) -> Self {
        Whole {
            tests,
            jobs: jobs.max(1),
            end: limit.and_then(|limit| Instant::now().checked_add(limit)),
            done: Vec::new(),
            running: BTreeMap::new(),
        }
    }

    pub fn tests(&self) -> usize {
        self.tests
    }

    pub fn done(&self) -> usize {
        self.done.len()
    }

    /// A test under way takes so many seconds in all, and some of them are left.
    pub fn is_at(&mut self, label: &str, all: f64, left: f64) {
        self.running.insert(label.to_owned(), (all, left));
    }

    /// A test took so many seconds.
    pub fn ends(&mut self, label: &str, seconds: f64) {
        self.running.remove(label);
        self.done.push(seconds);
    }

    /// What is done, and about how long the rest takes.
    pub fn line(&self) -> String {
        let until_end = |end: Instant| end.saturating_duration_since(Instant::now());
        let limit = self.end.map(|end| until_end(end).as_secs_f64());
        let left = match (self.seconds_left(), limit) {
            (Some(left), Some(limit)) => Some(left.min(limit)),
            (left, limit) => left.or(limit),
        };
        let left = left.map(|left| format!(", about {} left", about(left)));
        let tests = count(self.tests, "test", "tests");
        format!("{} of {tests}{}", self.done(), left.unwrap_or_default())
    }

    /// Seconds until all are done, as far as those tell that are done or under way: tests that have not begun are taken
    /// to be like these.
    fn seconds_left(&self) -> Option<f64> {
        let known = self.done.len() + self.running.len();
        let running: f64 = self.running.values().map(|(_, left)| left).sum();
        let all = self.running.values().map(|(all, _)| *all);
        let mean = all.chain(self.done.iter().copied()).sum::<f64>() / known as f64;
        let waiting = self.tests.saturating_sub(known);
        let seconds = running + mean * waiting as f64;
        let beside = self.jobs.min(waiting + self.running.len()).max(1);
        (known > 0).then_some(seconds / beside as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_told_by_what_is_known() {
        let mut whole = Whole::new(10, 2, None);
        assert_eq!(whole.line(), "0 of 10 tests");
        whole.is_at("a", 30.0, 20.0);
        // Nine others like it, two at a time.
        assert_eq!(whole.seconds_left(), Some((20.0 + 9.0 * 30.0) / 2.0));
        whole.ends("a", 30.0);
        assert_eq!(whole.line(), "1 of 10 tests, about 2 min left");
        for test in 0..8 {
            whole.ends(&test.to_string(), 30.0);
        }
        whole.is_at("b", 30.0, 5.0);
        assert_eq!(whole.line(), "9 of 10 tests, about 5 s left");
        whole.ends("b", 30.0);
        assert_eq!(whole.seconds_left(), Some(0.0));
    }

    #[test]
    fn nothing_takes_longer_than_it_may() {
        let mut whole = Whole::new(2, 1, Some(Duration::from_secs(40)));
        whole.is_at("a", 1000.0, 900.0);
        let line = whole.line();
        assert!(line.ends_with(" s left"), "{line}");
    }
}
