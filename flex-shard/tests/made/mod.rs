//! What processes show, for tests of what puts it together.

use std::time::Duration;

use flex_core::sample::Extremes;
use flex_core::tail::Tail;
use flex_run::calibrate::Recorded;
use flex_run::model::{
    Asks, Place, ProcessRecord, RecordedHit, RecordedRun, Site, SiteId, SiteSpec, Test, TestId,
};
use flex_shard::union::Made;

/// What one process shows that makes these runs; a run's value follows from its index.
pub fn made(by: usize, runs: &[u32], moved: Option<u32>) -> Made {
    let test = Test::new(TestId::cargo("lib", "a"));
    let asks = Asks::Learned(SiteSpec::new(Tail::Upper));
    let mut record = ProcessRecord::new(test);
    record.sites = vec![Site::new(SiteId::new("x"), asks, Place::default())];
    record.took = Some(Duration::from_millis(runs.len() as u64));
    for &index in runs {
        let shift = if moved == Some(index) { 0.5 } else { 0.0 };
        let run = RecordedRun {
            index,
            drew: true,
            failure: None,
        };
        let hit = RecordedHit {
            site: 0,
            extremes: Extremes::new(f64::from(index) + shift),
            broken: false,
        };
        record.push(run, [hit]).unwrap();
    }
    Made {
        recorded: Recorded {
            records: vec![record],
            deaths: Vec::new(),
            vanished: None,
            hung: None,
        },
        host: format!("host{by}"),
        by: format!("file{by}"),
        platform: 0,
    }
}
