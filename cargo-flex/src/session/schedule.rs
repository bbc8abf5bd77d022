//! The order of tests in a session: in parallel, and at the end one by one those that measure time.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use flex_run::calibrate::CalibrationError;

use super::parallel::{for_each, locked};
use super::time_budget::TimeBudget;

/// The conditions under which a test runs.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    /// When its share of the time is up.
    pub deadline: Option<Instant>,
    /// Whether nothing runs beside it.
    pub alone: bool,
}

/// Runs tests, so many at a time, within a time budget, and hands on each outcome as soon as it is there. A test that
/// cannot be run beside others is run again at the end, alone.
pub fn run_all<T: Send, R>(
    tests: Vec<T>,
    jobs: usize,
    time_budget: Option<Duration>,
    run: impl Fn(&T, Turn) -> Result<R, CalibrationError> + Sync,
    done: impl Fn(T, Result<R, CalibrationError>) + Sync,
) {
    let time = TimeBudget::new(time_budget, jobs, tests.len());
    let last = Mutex::new(Vec::new());
    for_each(tests, jobs, |test| {
        let turn = Turn {
            deadline: time.start(),
            alone: false,
        };
        match run(&test, turn) {
            Err(CalibrationError::NotAlone) => locked(&last).push(test),
            outcome => {
                time.end();
                done(test, outcome);
            }
        }
    });
    for test in last.into_inner().unwrap_or_else(PoisonError::into_inner) {
        let turn = Turn {
            deadline: time.start_alone(),
            alone: true,
        };
        let outcome = run(&test, turn);
        time.end();
        done(test, outcome);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_measure_time_come_last_and_alone() {
        let done = Mutex::new(Vec::new());
        let run = |test: &&str, turn: Turn| match (*test, turn.alone) {
            ("timed", false) => Err(CalibrationError::NotAlone),
            _ => Ok(turn.alone),
        };
        run_all(vec!["timed", "a", "b"], 1, None, run, |test, outcome| {
            locked(&done).push((test, outcome.unwrap()));
        });
        let done = done.into_inner().unwrap();
        assert_eq!(done, [("a", false), ("b", false), ("timed", true)]);
    }
}
