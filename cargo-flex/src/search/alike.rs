//! Whether the runs of a plain test show the same: how they ended, and what their assertions compared.

use flex_detect::record::{ObservedRun, Outcome};
use flex_run::calibrate::show_same;
use flex_run::model::ProcessRecord;

/// Runs, as long as they show the same as the first.
#[derive(Default)]
pub struct AlikeRuns {
    first: Option<Shown>,
    has_other: bool,
}

/// What a run showed.
struct Shown {
    outcome: Outcome,
    why: Option<String>,
    record: Option<ProcessRecord>,
}

impl AlikeRuns {
    /// Takes a run, and what its assertions compared, if anybody saw that.
    pub fn take(&mut self, run: &ObservedRun, record: Option<&ProcessRecord>) {
        match &self.first {
            Some(first) => self.has_other |= !first.is_shown_by(run, record),
            None => {
                self.first = Some(Shown {
                    outcome: run.outcome,
                    why: run.why.clone(),
                    record: record.cloned(),
                });
            }
        }
    }

    /// Whether all runs showed the same.
    pub fn are_alike(&self) -> bool {
        !self.has_other
    }
}

impl Shown {
    fn is_shown_by(&self, run: &ObservedRun, record: Option<&ProcessRecord>) -> bool {
        let is_seen_alike = match (&self.record, record) {
            (Some(ours), Some(theirs)) => show_same(ours, theirs),
            (ours, theirs) => ours.is_none() && theirs.is_none(),
        };
        is_seen_alike && (self.outcome, &self.why) == (run.outcome, &run.why)
    }
}

#[cfg(test)]
mod tests {
    use flex_core::sample::Extremes;
    use flex_run::model::{
        Asks, Comparison, Operator, Place, RecordedHit, RecordedRun, Site, SiteId, Test, TestId,
    };

    use super::*;

    /// A run that failed for this reason, if it did.
    fn run(why: Option<&str>) -> ObservedRun {
        ObservedRun {
            index: 0,
            outcome: Outcome::of(why.is_some()),
            why: why.map(str::to_owned),
            failed_site: None,
        }
    }

    /// A run whose assertion compared this value.
    fn record(value: f64) -> ProcessRecord {
        let asks = Asks::Declared(vec![Comparison::new(Operator::Less, 9.0)]);
        let mut record = ProcessRecord::new(Test::new(TestId::cargo("lib", "a")));
        record.sites = vec![Site::new(SiteId::new("x<9.0"), asks, Place::new("a.rs", 7))];
        let run = RecordedRun {
            index: 0,
            drew: false,
            failure: None,
        };
        let hit = RecordedHit {
            site: 0,
            extremes: Extremes::new(value),
            broken: false,
        };
        record.push(run, [hit]).unwrap();
        record
    }

    #[test]
    fn runs_are_alike_if_they_ended_alike_and_their_assertions_saw_the_same() {
        type Shows<'a> = (Option<&'a str>, Option<f64>);
        let check = |first: Shows<'_>, second: Shows<'_>, expected: bool| {
            let mut runs = AlikeRuns::default();
            for (why, value) in [first, second] {
                runs.take(&run(why), value.map(record).as_ref());
            }
            assert_eq!(runs.are_alike(), expected, "{first:?} {second:?}");
        };
        check((None, None), (None, None), true);
        check((None, Some(1.5)), (None, Some(1.5)), true);
        check((Some("left: 3"), None), (Some("left: 3"), None), true);
        check((None, Some(1.5)), (None, Some(2.5)), false);
        check((None, Some(1.5)), (None, None), false);
        check((None, None), (Some("left: 3"), None), false);
        check((Some("left: 3"), None), (Some("left: 4"), None), false);
    }
}
