//! The order of tests in a session: in parallel, and at the end of each round one by one those that measure time.
//!
//! With a time budget there are rounds. In the first, tests share half of the time, so that all have some runs before any
//! has all of them; what those leave that need less goes to the others in further rounds, which begin with those whose first
//! run took longer than a share; and in the last every test makes do with what it has.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use flex_run::calibrate::CalibrationError;

use super::parallel::{for_each, locked};
use super::time_budget::{Part, TimeBudget};

/// The conditions under which a test runs.
#[derive(Debug, Clone, Copy)]
pub struct Turn {
    /// When its share of the time is up.
    pub deadline: Option<Instant>,
    /// When that of its first run is, if it had none in an earlier round: what is quick leaves such tests all that it can.
    pub first: Option<Instant>,
    /// Whether nothing runs beside it.
    pub alone: bool,
    /// Whether it makes do with what it has when its time is up.
    pub last: bool,
}

/// What came of a turn.
#[derive(Debug)]
pub enum Ran<R, S> {
    /// The test is done.
    Done(R),
    /// The time was up; it can go on from here.
    Short(S),
}

impl<R, S> Ran<R, S> {
    /// The same, with another way to go on.
    pub fn map_short<Z>(self, map: impl FnOnce(S) -> Z) -> Ran<R, Z> {
        match self {
            Ran::Done(outcome) => Ran::Done(outcome),
            Ran::Short(state) => Ran::Short(map(state)),
        }
    }
}

/// Tests that are under way, each with where it stopped.
struct Waiting<T, S> {
    beside: Vec<(T, Option<S>)>,
    /// Those that measure time and cannot run beside others.
    alone: Vec<(T, Option<S>)>,
}

/// Runs tests, so many at a time, within a time budget, and hands on each outcome as soon as it is there. A test that
/// cannot be run beside others is run again at the end of its round, alone.
pub fn run_all<T: Send, R, S: Send>(
    tests: Vec<T>,
    jobs: usize,
    time_budget: Option<Duration>,
    run: impl Fn(&T, Turn, Option<S>) -> Result<Ran<R, S>, CalibrationError> + Sync,
    done: impl Fn(T, Result<R, CalibrationError>) + Sync,
) {
    let time = TimeBudget::new(time_budget, jobs);
    let mut waiting = Waiting {
        beside: tests.into_iter().map(|test| (test, None)).collect(),
        alone: Vec::new(),
    };
    let mut part = time.first_part();
    loop {
        let before = waiting.beside.len() + waiting.alone.len();
        waiting = round(waiting, &time, part, &run, &done);
        let after = waiting.beside.len() + waiting.alone.len();
        if after == 0 {
            return;
        }
        // Where all need more than there is, further rounds would only cut it into smaller pieces.
        part = match after < before && part != Part::Last {
            true => time.next_part(),
            false => Part::Last,
        };
    }
}

fn round<T: Send, R, S: Send>(
    mut waiting: Waiting<T, S>,
    time: &TimeBudget,
    part: Part,
    run: &(impl Fn(&T, Turn, Option<S>) -> Result<Ran<R, S>, CalibrationError> + Sync),
    done: &(impl Fn(T, Result<R, CalibrationError>) + Sync),
) -> Waiting<T, S> {
    let last = part == Part::Last;
    waiting.beside.sort_by_key(|(_, begun)| begun.is_some());
    let tests = waiting.beside.len() + waiting.alone.len();
    let all = waiting.beside.iter().chain(&waiting.alone);
    let without_run = all.filter(|(_, begun)| begun.is_none()).count();
    time.begin((tests, without_run), part);
    let next = Mutex::new(Waiting {
        beside: Vec::new(),
        alone: Vec::new(),
    });
    let not_alone = Mutex::new(waiting.alone);
    let take = |test: T, begun: Option<S>, alone: bool| {
        let deadline = match alone {
            true => time.start_alone(),
            false => time.start(),
        };
        let had_no_run = begun.is_none();
        let turn = Turn {
            deadline,
            first: match had_no_run && !alone {
                true => time.start_first(),
                false => deadline,
            },
            alone,
            last,
        };
        let stopped = match run(&test, turn, begun) {
            Err(CalibrationError::NotAlone) if !alone => {
                locked(&not_alone).push((test, None));
                return;
            }
            Ok(Ran::Short(state)) => Some(state),
            Err(CalibrationError::NoTime) if !last => None,
            ended => {
                time.end(had_no_run);
                let ended = ended.map(|ran| match ran {
                    Ran::Done(outcome) => Some(outcome),
                    Ran::Short(_) => None,
                });
                return done(test, ended.and_then(|o| o.ok_or(CalibrationError::NoTime)));
            }
        };
        time.end(had_no_run);
        let mut next = locked(&next);
        match alone {
            true => next.alone.push((test, stopped)),
            false => next.beside.push((test, stopped)),
        }
    };
    for_each(waiting.beside, time.jobs(), |(test, begun)| {
        take(test, begun, false)
    });
    for (test, begun) in std::mem::take(&mut *locked(&not_alone)) {
        take(test, begun, true);
    }
    next.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_measure_time_come_last_and_alone() {
        let done = Mutex::new(Vec::new());
        let run = |test: &&str, turn: Turn, _: Option<()>| match (*test, turn.alone) {
            ("timed", false) => Err(CalibrationError::NotAlone),
            _ => Ok(Ran::Done(turn.alone)),
        };
        run_all(vec!["timed", "a", "b"], 1, None, run, |test, outcome| {
            locked(&done).push((test, outcome.unwrap()));
        });
        let done = done.into_inner().unwrap();
        assert_eq!(done, [("a", false), ("b", false), ("timed", true)]);
    }

    /// Runs tests that need so many milliseconds each, within a budget; the milliseconds that each was given.
    fn given(needs: &[u64], budget: u64) -> Vec<u64> {
        let given = Mutex::new(vec![0; needs.len()]);
        // Tests that take no time: what they are given is what counts.
        let run = |test: &(usize, u64), turn: Turn, begun: Option<u64>| {
            let share = turn.deadline.unwrap() - Instant::now();
            let had = begun.unwrap_or(0) + share.as_millis() as u64;
            match had < test.1 && !turn.last {
                true => {
                    std::thread::sleep(share);
                    Ok(Ran::Short(had))
                }
                false => Ok(Ran::Done(had)),
            }
        };
        let tests = needs.iter().copied().enumerate().collect();
        let budget = Duration::from_millis(budget);
        run_all(tests, 1, Some(budget), run, |(index, _), had| {
            locked(&given)[index] = had.unwrap();
        });
        given.into_inner().unwrap()
    }

    #[test]
    fn what_others_do_not_need_goes_to_those_who_can_use_it() {
        // The slow one comes first; nine others need nothing. It has a twentieth first, and then the rest.
        let given = given(&[1_000_000, 0, 0, 0, 0, 0, 0, 0, 0, 0], 200);
        assert!(given[0] >= 150, "{given:?}");
        assert!(given[1..].iter().all(|given| *given >= 5), "{given:?}");
    }

    #[test]
    fn tests_that_had_no_run_come_first_and_have_what_is_left() {
        let turns = Mutex::new(Vec::new());
        let run = |test: &usize, turn: Turn, begun: Option<()>| {
            locked(&turns).push((*test, turn.first > turn.deadline));
            match (begun.is_some() || *test < 2, turn.last) {
                (false, false) => Err(CalibrationError::NoTime),
                (_, false) => Ok(Ran::Short(())),
                (_, true) => Ok(Ran::Done(())),
            }
        };
        let budget = Some(Duration::from_secs(9));
        run_all(vec![0, 1, 2], 1, budget, run, |_, _| {});
        let turns = turns.into_inner().unwrap();
        let order: Vec<usize> = turns.iter().map(|(test, _)| *test).collect();
        assert_eq!(order, [0, 1, 2, 2, 0, 1]);
        assert!(turns[3].1, "{turns:?}");
    }

    #[test]
    fn all_begin_before_any_has_its_second_turn() {
        let order = Mutex::new(Vec::new());
        let run = |test: &usize, turn: Turn, begun: Option<()>| {
            locked(&order).push((begun.is_some(), *test));
            match turn.last {
                true => Ok(Ran::Done(())),
                false => Ok(Ran::Short(())),
            }
        };
        let budget = Some(Duration::from_secs(9));
        run_all(vec![0, 1, 2], 1, budget, run, |_, _| {});
        let order = order.into_inner().unwrap();
        let turns = [false, true].map(|again| [0, 1, 2].map(|test| (again, test)));
        assert_eq!(order, turns.concat());
    }
}
