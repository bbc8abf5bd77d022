//! Runs beyond what a verdict needs: until a bound that is written into the source could be tight
//! (docs/design/bound.md, "When a ceiling is tight").

use super::series::Series;
use crate::bound::ceiling::is_loose;
use crate::bound::tail_rate::FittedTail;
use crate::calibration::GROWTH;
use crate::sample::Samples;

/// How tight, and how long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tight {
    /// The false-alarm rate of the bounds that are to be tight. A test that fails no more often needs none.
    pub rate: f64,
    /// Runs to end with at the latest.
    pub most: u32,
}

impl Default for Tight {
    fn default() -> Self {
        Tight {
            rate: 1e-4,
            most: 3000,
        }
    }
}

impl Tight {
    /// The number of runs to go on to from `runs`, where the test may fail; `None` if all its bounds could be tight.
    pub(super) fn target(self, bounded: &[Series], runs: u32) -> Option<u32> {
        let next = (f64::from(runs) * GROWTH).ceil() as u32;
        let is_loose = |series: &Series| self.is_loose(series);
        bounded.iter().any(is_loose).then_some(next.min(self.most))
    }

    fn is_loose(self, series: &Series) -> bool {
        let samples = Samples::new(series.hits.iter().copied());
        let ceiling = FittedTail::new(&samples, series.side).ceiling(self.rate);
        is_loose(&ceiling, samples.median().unwrap_or(f64::NAN))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{run, value};
    use super::super::{
        ConvergenceEnd, ConvergenceWatch, Limits, StopRule, WatchStep, WatchedTest,
    };
    use super::*;

    fn drive(tight: Tight, bound: f64) -> (ConvergenceWatch, WatchedTest) {
        let limits = Limits {
            lower: None,
            upper: Some(bound),
        };
        let mut watch = ConvergenceWatch::new(StopRule::default()).until_tight(tight);
        loop {
            if let WatchStep::Done(watched) = watch.step() {
                return (watch, watched);
            }
            for i in watch.wanted().collect::<Vec<u32>>() {
                let x = -value(i).ln();
                watch.push(&run(i, x > bound, x, limits)).unwrap();
            }
        }
    }

    #[test]
    fn what_may_be_patched_goes_on_until_its_ceiling_is_tight() {
        let near = (-0.05f64.ln(), Tight::default());
        let (watch, watched) = drive(near.1, near.0);
        assert_eq!(
            watched.end,
            ConvergenceEnd::MostRuns,
            "why the rule ended is kept"
        );
        assert!((501..=3000).contains(&watched.runs), "{}", watched.runs);
        let tight = |runs| {
            let series = watch.sites(runs).flatten().next().unwrap();
            !near.1.is_loose(&series)
        };
        assert!(tight(watched.runs) && !tight(500));
        let (_, few) = drive(
            Tight {
                most: 700,
                ..near.1
            },
            near.0,
        );
        assert_eq!(few.runs, 700);
    }

    #[test]
    fn what_needs_no_patch_ends_as_ever() {
        let (_, watched) = drive(Tight::default(), 1e3);
        assert_eq!(watched.end, ConvergenceEnd::RareFailures);
        assert!(watched.runs <= 500, "{}", watched.runs);
    }
}
