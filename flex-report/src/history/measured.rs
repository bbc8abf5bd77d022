//! What others measured, from a history.

use super::History;
use super::drift::Watch;

/// A benchmark, with what its runs took.
#[derive(Debug, Clone)]
pub struct MeasuredBenchmark {
    /// Who measured it.
    pub by: String,
    /// Its name.
    pub name: String,
    /// Seconds, in the order of time.
    pub seconds: Vec<f64>,
    /// Whether they moved.
    pub has_moved: bool,
}

impl History {
    /// Benchmarks with what they took at this site, on one kind of machine, and whether they moved at this level.
    pub(crate) fn measured(
        &self,
        site: &str,
        platform: &str,
        level: f64,
    ) -> Vec<MeasuredBenchmark> {
        let mut all = Vec::new();
        for (key, test) in &self.tests {
            let Some(by) = key.id.target() else { continue };
            let series = test.series(0);
            let its = series.iter().filter(|one| {
                one.site.kind == "measured"
                    && one.site.label == site
                    && one.platform.as_deref() == Some(platform)
            });
            all.extend(its.map(|one| {
                let watch = Watch::over(one, level);
                MeasuredBenchmark {
                    by: by.to_owned(),
                    name: key.id.name().to_owned(),
                    seconds: watch.seen.iter().map(|(_, value)| *value).collect(),
                    has_moved: watch.alarm.is_some(),
                }
            }));
        }
        all
    }
}
