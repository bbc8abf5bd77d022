//! A time budget over many tests: what one does not need is left for the others.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::parallel::locked;

/// A time budget that tests share which run in parallel.
pub struct TimeBudget {
    limit: Option<(Instant, Duration)>,
    jobs: usize,
    round: Mutex<Round>,
}

/// How much of the time a round may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Half of it.
    First,
    /// What there is, but for a tenth: tests have something to do at their end.
    Next,
    /// All of it.
    Last,
}

struct Round {
    waiting: u32,
    /// Those of them that had no run in an earlier round.
    without_run: u32,
    end: Option<Instant>,
}

impl TimeBudget {
    /// A budget that begins to run now; without a limit, nothing has a deadline.
    pub fn new(limit: Option<Duration>, jobs: usize) -> Self {
        let end = |limit: Duration| Some((Instant::now().checked_add(limit)?, limit));
        TimeBudget {
            limit: limit.and_then(end),
            jobs,
            round: Mutex::new(Round {
                waiting: 0,
                without_run: 0,
                end: None,
            }),
        }
    }

    /// Tests that run at a time.
    pub fn jobs(&self) -> usize {
        self.jobs
    }

    /// What the first round is. Without a limit, it is the last.
    pub fn first_part(&self) -> Part {
        match self.limit {
            Some(_) => Part::First,
            None => Part::Last,
        }
    }

    /// What a further round is: the last, unless there is much left.
    pub fn next_part(&self) -> Part {
        match self.limit {
            Some((end, limit)) if Instant::now() + limit / 5 < end => Part::Next,
            _ => Part::Last,
        }
    }

    /// A round of so many tests begins, some of which had no run yet.
    pub fn begin(&self, (tests, without_run): (usize, usize), part: Part) {
        let now = Instant::now();
        let end = self.limit.map(|(end, limit)| match part {
            Part::First => now + limit / 2,
            Part::Next => end.checked_sub(limit / 10).unwrap_or(end),
            Part::Last => end,
        });
        *locked(&self.round) = Round {
            waiting: u32::try_from(tests).unwrap_or(u32::MAX),
            without_run: u32::try_from(without_run).unwrap_or(u32::MAX),
            end,
        };
    }

    /// The deadline of a test that begins now: its even share of what is left of the round.
    pub fn start(&self) -> Option<Instant> {
        self.share(u32::try_from(self.jobs).unwrap_or(u32::MAX))
    }

    /// The deadline of a test that begins now, and has nothing beside it.
    pub fn start_alone(&self) -> Option<Instant> {
        self.share(1)
    }

    /// The deadline of the first run of a test that begins now: all that is left is for those that had none.
    pub fn start_first(&self) -> Option<Instant> {
        let without_run = locked(&self.round).without_run;
        self.share_among(without_run, u32::try_from(self.jobs).unwrap_or(u32::MAX))
    }

    fn share(&self, jobs: u32) -> Option<Instant> {
        let waiting = locked(&self.round).waiting;
        self.share_among(waiting, jobs)
    }

    fn share_among(&self, tests: u32, jobs: u32) -> Option<Instant> {
        let now = Instant::now();
        let left = locked(&self.round).end?.saturating_duration_since(now);
        Some(now + left / tests.div_ceil(jobs).max(1))
    }

    /// A turn is over, of a test that had no run before or of another.
    pub fn end(&self, had_no_run: bool) {
        let mut round = locked(&self.round);
        round.waiting = round.waiting.saturating_sub(1);
        round.without_run = round.without_run.saturating_sub(had_no_run.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_gets_its_share_of_what_is_left() {
        let budget = TimeBudget::new(Some(Duration::from_secs(100)), 2);
        let share = |budget: &TimeBudget| budget.start().unwrap() - Instant::now();
        budget.begin((4, 4), Part::First);
        assert!(share(&budget) <= Duration::from_secs(25));
        let first = || budget.start_first().unwrap() - Instant::now();
        assert!(first() <= Duration::from_secs(25));
        budget.begin((4, 1), Part::Last);
        assert!(share(&budget) <= Duration::from_secs(50));
        assert!(first() > Duration::from_secs(90));
        let alone = budget.start_alone().unwrap() - Instant::now();
        assert!(alone <= Duration::from_secs(25));
        budget.end(true);
        budget.end(false);
        assert!(share(&budget) > Duration::from_secs(90));
        assert_eq!(budget.next_part(), Part::Next);
        let unlimited = TimeBudget::new(None, 2);
        assert_eq!(
            (unlimited.start(), unlimited.first_part()),
            (None, Part::Last)
        );
    }
}
