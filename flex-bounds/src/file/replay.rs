//! Replays: calibration runs that are made again, to see whether anything changed.

use flex_core::sample::Extremes;

/// What a site showed in some runs of a calibration.
#[derive(Debug, Clone, PartialEq)]
pub struct Replay {
    /// The base seed of the runs.
    pub base: String,
    /// Whether one of them is made again in every run of the test, or only where a value is in doubt.
    pub always: bool,
    /// The runs, in ascending order.
    pub runs: Vec<ReplayedRun>,
}

/// What a site showed in one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReplayedRun {
    /// The index of the run.
    pub run: u32,
    /// The most extreme values; `None` if the run did not reach the site.
    pub shown: Option<Extremes>,
}

impl Replay {
    /// What the site showed in a run.
    pub fn run(&self, run: u32) -> Option<&ReplayedRun> {
        self.runs.iter().find(|known| known.run == run)
    }

    /// Whether two replays are about the same runs, whatever their sites showed.
    pub fn is_of_same_runs(&self, other: &Replay) -> bool {
        let runs = |replay: &Replay| replay.runs.iter().map(|run| run.run).collect::<Vec<u32>>();
        self.base == other.base && self.always == other.always && runs(self) == runs(other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_the_same_by_index_and_base() {
        let replay = |base: &str, run: u32| Replay {
            base: base.to_owned(),
            always: false,
            runs: vec![ReplayedRun { run, shown: None }],
        };
        assert!(replay("a", 3).is_of_same_runs(&replay("a", 3)));
        assert!(!replay("a", 3).is_of_same_runs(&replay("b", 3)));
        assert!(!replay("a", 3).is_of_same_runs(&replay("a", 4)));
        assert_eq!(replay("a", 3).run(4), None);
    }
}
