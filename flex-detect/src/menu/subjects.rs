//! Which numbers of an assertion a menu is about.

use crate::record::{Given, ObservedSite, Role, Series};

/// The numbers of an assertion that something can be done about: both ends of a comparison; of several tolerances the
/// first that is written in the source and is not 0, else the first that can be written.
pub fn subjects(site: &ObservedSite) -> Vec<usize> {
    if has_two_ends(site) {
        return (0..site.series.len()).collect();
    }
    let is_written = |series: &Series| {
        let knob = series.knob.as_ref();
        knob.is_some_and(|knob| !matches!(knob.given, Given::Default { .. }))
            && series.bound != Some(0.0)
    };
    let series = || site.series.iter();
    let first = series()
        .position(is_written)
        .or_else(|| series().position(|series| series.knob.is_some()))
        .or((!site.series.is_empty()).then_some(0));
    first.into_iter().collect()
}

/// Whether values are compared from both sides.
pub(super) fn has_two_ends(site: &ObservedSite) -> bool {
    let compares = |series: &Series| matches!(series.role, Role::Upper | Role::Lower);
    site.series.len() > 1 && site.series.iter().all(compares)
}
