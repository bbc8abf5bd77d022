//! What a run of a plain test showed, and the same as the record of a process, which is what shards hold.

use std::path::Path;
use std::time::Duration;

use flex_detect::record::{ObservedRun, Outcome};
use flex_run::calibrate::Recorded;
use flex_run::model::{HungRun, ProcessRecord, RecordedRun, Test};
use flex_run::watch::hang::in_words;

use crate::cargo::{FoundTest, place_of_test};
use crate::probes::Touched;

/// What came of a run.
pub enum PlainRun {
    /// It ended by itself.
    Ended(EndedRun),
    /// It hung, and was ended after so long.
    Hung(ObservedRun, Duration),
    /// It was ended because the time for all runs was up.
    Unfinished,
}

/// A run that ended by itself.
pub struct EndedRun {
    pub run: ObservedRun,
    /// How long its process took.
    pub took: Duration,
    pub touched: Touched,
    /// What its assertions compared, if anybody saw that.
    pub record: Option<Box<ProcessRecord>>,
}

impl PlainRun {
    /// A run that hung.
    pub fn hung(index: u32, after: Duration) -> Self {
        let run = ObservedRun {
            index,
            outcome: Outcome::Fail,
            why: Some(in_words(index.into(), after)),
            failed_site: None,
        };
        PlainRun::Hung(run, after)
    }
}

/// A run as a process records it; `None` if it has not ended.
pub fn written(run: &PlainRun, test: &FoundTest<'_>, root: &Path) -> Option<Recorded> {
    let mut recorded = Recorded {
        records: Vec::new(),
        deaths: Vec::new(),
        vanished: None,
        hung: None,
    };
    let nothing = || ProcessRecord::new(described(test, root));
    match run {
        PlainRun::Unfinished => return None,
        PlainRun::Hung(run, after) => {
            let hung = HungRun {
                run: run.index,
                after: *after,
                is_hang: true,
            };
            recorded.hung = Some(hung);
            recorded.deaths = vec![(run.index, run.why.clone().unwrap_or_default())];
            let mut record = nothing();
            record.hung = Some(hung);
            recorded.records = vec![record];
        }
        PlainRun::Ended(ended) => {
            let seen = ended.record.as_deref();
            let shown = seen.and_then(|seen| seen.runs().next());
            let mut record = nothing();
            record.sites = seen.map_or_else(Vec::new, |seen| seen.sites.clone());
            let failed = ended.run.outcome == Outcome::Fail;
            let own = RecordedRun {
                index: ended.run.index,
                drew: shown.is_some_and(|(run, _)| run.drew),
                failure: failed.then(|| ended.run.why.clone().unwrap_or_default()),
            };
            let hits = shown.map_or_else(Vec::new, |(_, hits)| hits.to_vec());
            record.push(own, hits)?;
            record.took = Some(ended.took);
            if let Some((probe, stacks)) = &ended.touched {
                record.probe = Some(probe.clone());
                record.stacks.clone_from(stacks);
            }
            recorded.records = vec![record];
        }
    }
    Some(recorded)
}

/// A run that was recorded so.
pub fn read(index: u32, record: ProcessRecord) -> PlainRun {
    if let Some(hung) = record.hung {
        return PlainRun::hung(index, hung.after);
    }
    let why = record
        .runs()
        .next()
        .and_then(|(run, _)| run.failure.clone());
    PlainRun::Ended(EndedRun {
        run: ObservedRun {
            index,
            outcome: Outcome::of(why.is_some()),
            why,
            failed_site: None,
        },
        took: record.took.unwrap_or_default(),
        touched: record.probe.clone().map(|probe| (probe, Vec::new())),
        record: Some(Box::new(record)),
    })
}

/// A plain test, of which nobody knows more than where it is.
fn described(test: &FoundTest<'_>, root: &Path) -> Test {
    Test {
        package: Some(test.program.package.clone()),
        place: place_of_test(test, root),
        ..Test::new(test.id())
    }
}
