//! What the sites of a test showed, as bounds are learned from it.

use super::{SiteId, SiteSpec};
use crate::bound::confidence::Share;
use crate::bound::guard::Settling;
use crate::sample::Extremes;
use crate::tail::Side;

/// What one site showed, and what it may spend.
pub(super) struct SiteSamples<'a> {
    pub id: &'a SiteId,
    pub spec: SiteSpec,
    pub hits: &'a [(u32, Extremes)],
    pub share: Share,
    pub missed: u32,
    /// What earlier runs saw, for its ceilings.
    pub earlier: &'a [Extremes],
    pub settling: Settling,
}

/// The value that a side judges, turned so that beyond is greater; NaN is beyond everything.
pub(super) fn outward(side: Side, extremes: Extremes) -> f64 {
    let value = match side {
        Side::Lower => extremes.least,
        Side::Upper => extremes.greatest,
    };
    match value.is_nan() {
        true => f64::INFINITY,
        false => side.orient(value),
    }
}
