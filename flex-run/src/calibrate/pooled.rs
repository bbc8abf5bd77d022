//! Values of earlier test runs, for the ceilings of a calibration (docs/design/drift.md, "Pooling").

use std::fmt;
use std::sync::Arc;

use flex_core::calibration::SiteId;
use flex_core::drift::Drift;
use flex_core::sample::{Extremes, Samples};
use flex_core::tail::Side;
use flex_core::words::count;

use crate::model::{Test, value_on};

/// What a calibration of one test may use.
#[derive(Debug, Clone, Default)]
pub struct Pooled {
    /// For each site, what runs saw.
    pub sites: Vec<(SiteId, Vec<Extremes>)>,
    /// Why values were left out, in words.
    pub left_out: Vec<String>,
}

/// Whoever knows earlier runs of tests.
#[derive(Clone)]
pub struct PoolSource(Arc<dyn Fn(&Test) -> Pooled + Send + Sync>);

impl PoolSource {
    /// One that answers so.
    #[inline]
    pub fn new(of: impl Fn(&Test) -> Pooled + Send + Sync + 'static) -> Self {
        PoolSource(Arc::new(of))
    }

    /// What may be used of a test.
    pub(super) fn of(&self, test: &Test) -> Pooled {
        (self.0)(test)
    }
}

impl fmt::Debug for PoolSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PoolSource")
    }
}

/// Fresh runs that are less probable than that, if earlier ones have the same law, are a reason to leave these out. Leaving
/// them out for nothing costs a closer ceiling, and no promise.
const DIFFERENT: f64 = 0.01;

impl Pooled {
    /// Leaves out the values of a site from which the fresh ones differ; whether any are left.
    pub(super) fn agrees(
        &mut self,
        site: &SiteId,
        values: &[Extremes],
        fresh: &[(u32, Extremes)],
    ) -> bool {
        let p_value = |side: Side| {
            let earlier: Vec<f64> = values.iter().map(|seen| value_on(side, *seen)).collect();
            let earlier = Samples::from_values(&earlier);
            let quantiles = earlier.quantiles()?;
            let counts = (earlier.finite().len() as u32, earlier.len() as u32);
            let fresh = fresh
                .iter()
                .map(|(run, seen)| (*run, value_on(side, *seen)));
            Some(Drift::between(&quantiles, counts, &Samples::new(fresh))?.p_value)
        };
        let agrees = [Side::Lower, Side::Upper]
            .iter()
            .all(|side| p_value(*side).is_some_and(|p| p >= DIFFERENT));
        if !agrees {
            self.left_out.push(format!(
                "{} of {site}, from which fresh runs differ",
                count(values.len(), "value", "values")
            ));
        }
        agrees
    }
}
