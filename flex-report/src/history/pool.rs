//! The values that a calibration may add to its own: those of the same code, as far as can be told
//! (docs/design/drift.md, "Pooling").

use flex_core::calibration::SiteId;
use flex_core::sample::Extremes;
use flex_core::sequential::Detector;
use flex_core::words::count;
use flex_run::calibrate::Pooled;
use flex_run::history::platform;
use flex_run::model::Test;

use super::drift::Watch;
use super::series::Series;
use super::{History, Run, TestHistory};

/// Runs between two false alarms of a site by itself, for the question whether it moved. More sites do not make it harder to
/// say that one did: a false alarm costs the use of a history, and nothing else.
const RUNS: f64 = 10_000.0;

impl History {
    /// What a calibration may use of a test as it is now, on this machine.
    pub fn pooled(&self, test: &Test, variant: Option<&str>) -> Pooled {
        let its = self.tests.iter().find(|(key, _)| {
            key.id == test.id && key.package == test.package && key.variant.as_deref() == variant
        });
        its.map_or_else(Pooled::default, |(_, known)| {
            known.pooled(&test.fingerprint)
        })
    }
}

impl TestHistory {
    fn pooled(&self, fingerprint: &str) -> Pooled {
        let mut pool = Pooled::default();
        let here = platform();
        let all = self.runs.len();
        let is_same = |run: &&Run| run.fingerprint.as_deref() == Some(fingerprint);
        let same = self.runs.iter().filter(is_same).count();
        if same < all {
            let runs = count(all - same, "run", "runs");
            pool.left_out
                .push(format!("{runs} of another version of the test"));
        }
        if same == 0 || self.fingerprint() != Some(fingerprint) {
            return pool;
        }
        let series: Vec<Series<'_>> = self
            .series(0)
            .into_iter()
            .filter(|series| series.site.kind == "learned")
            .collect();
        let elsewhere = |series: &Series<'_>| series.platform.as_deref() != Some(&*here);
        if series.iter().any(elsewhere) {
            pool.left_out
                .push(format!("runs on other machines than {here}"));
        }
        let level = Detector::level(1, RUNS);
        let mut moved: Vec<SiteId> = Vec::new();
        let mut used: Vec<(SiteId, Vec<Extremes>)> = Vec::new();
        for one in series.iter().filter(|series| !elsewhere(series)) {
            let id = SiteId::of_label(&one.site.label).with_case(one.site.case.clone());
            let watch = Watch::over(one, level);
            if watch.alarm.is_some() {
                pool.left_out
                    .push(format!("values of {id}, which may have moved"));
                moved.push(id);
                continue;
            }
            let index = self
                .sites
                .iter()
                .position(|site| std::ptr::eq(site, one.site));
            let values = watch
                .seen
                .iter()
                .filter_map(|(run, _)| run.value(index? as u32));
            let values: Vec<Extremes> = values.collect();
            match used.iter_mut().find(|(known, _)| *known == id) {
                // Both sides of a site: what neither left out.
                Some((_, known)) if known.len() > values.len() => *known = values,
                Some(_) => {}
                None => used.push((id, values)),
            }
        }
        used.retain(|(id, values)| !values.is_empty() && !moved.contains(id));
        pool.sites = used;
        pool
    }
}
