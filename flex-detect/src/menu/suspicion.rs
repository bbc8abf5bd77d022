//! What looks like a bug rather than like a bound that is too close.

use std::fmt;

use flex_core::bound::ceiling::NoCeiling;
use flex_core::words::{run_list, short};

use super::values::Values;
use crate::record::Series;
use crate::verdict::{Diagnosis, Finding, Remark};

/// A reason to look at the code before the assertion is changed.
#[derive(Debug, Clone, PartialEq)]
pub enum Suspicion {
    /// Some values form a cluster far from the rest.
    SecondMode {
        /// Their runs.
        runs: Vec<u32>,
    },
    /// Some values are NaN or infinite.
    NotFinite {
        /// Their runs.
        runs: Vec<u32>,
    },
    /// Values that fail are at the end of what the metric can be.
    AtEnd {
        /// The end.
        end: f64,
        /// Their runs.
        runs: Vec<u32>,
    },
    /// A bound that unchanged code keeps would be the end of the domain, so that nothing could pass it.
    CatchesNothing {
        /// The end.
        end: f64,
        /// The runs of the values farthest out.
        runs: Vec<u32>,
    },
    /// The number would have to move by more than an order of magnitude.
    FarMove {
        /// The number in the source.
        from: f64,
        /// What would be written.
        to: f64,
        /// The runs of the values farthest out.
        runs: Vec<u32>,
    },
}

impl Suspicion {
    /// The runs to look at.
    pub fn runs(&self) -> &[u32] {
        match self {
            Suspicion::SecondMode { runs }
            | Suspicion::NotFinite { runs }
            | Suspicion::AtEnd { runs, .. }
            | Suspicion::CatchesNothing { runs, .. }
            | Suspicion::FarMove { runs, .. } => runs,
        }
    }
}

impl fmt::Display for Suspicion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = run_list(self.runs());
        match self {
            Suspicion::SecondMode { .. } => {
                write!(f, "values form a second cluster far from the rest ({runs})")
            }
            Suspicion::NotFinite { .. } => write!(f, "values are NaN or infinite ({runs})"),
            Suspicion::AtEnd { end, .. } => {
                write!(
                    f,
                    "failing values are {end}, the end of what they can be ({runs})"
                )
            }
            Suspicion::CatchesNothing { end, .. } => write!(
                f,
                "a bound that unchanged code keeps would be {end}, the end of what the values can be: \
                 the assertion would catch nothing (farthest out: {runs})"
            ),
            Suspicion::FarMove { from, to, .. } => write!(
                f,
                "{} would have to become about {}, more than ten times as far (farthest out: {runs})",
                short(*from),
                short(*to)
            ),
        }
    }
}

/// Everything that looks like a bug, for a false-alarm rate that is to be kept.
pub fn suspicions(
    finding: &Finding,
    series: &Series,
    values: &Values,
    rate: f64,
) -> Vec<Suspicion> {
    let mut found = Vec::new();
    let is_p_value = values.p_value.is_some();
    let farthest = || values.samples.extreme_runs(values.side, 3);
    let not_finite = values.runs_where(series, |value| !value.is_finite());
    if !not_finite.is_empty() {
        found.push(Suspicion::NotFinite { runs: not_finite });
    }
    let cluster = match &finding.verdict {
        Diagnosis::SecondMode(cluster) => Some(cluster),
        _ => finding.remarks.iter().find_map(|remark| match remark {
            Remark::SecondMode(cluster) => Some(cluster),
            _ => None,
        }),
    };
    let ceiling = values.ceiling(rate);
    match (cluster, &ceiling) {
        (Some(cluster), _) => found.push(Suspicion::SecondMode {
            runs: cluster.runs.clone(),
        }),
        (
            None,
            Err(NoCeiling::SecondMode {
                apart,
                is_certain: true,
                ..
            }),
        ) => found.push(Suspicion::SecondMode {
            runs: apart.clone(),
        }),
        _ => {}
    }
    found.extend(at_end(finding, series, values));
    let is_at_end = found.iter().any(|s| matches!(s, Suspicion::AtEnd { .. }));
    // P-values crowd at 0, where no number can be told from the values; how small they get says enough.
    let least = values.samples.finite().first().map(|sample| sample.value);
    let is_near = match (series.bound, least) {
        (Some(from), Some(least)) => is_p_value && !is_far_for_p_values(from.min(rate), least),
        _ => false,
    };
    if let Err(NoCeiling::Vacuous { end }) = ceiling
        && !is_at_end
        && !is_near
    {
        found.push(Suspicion::CatchesNothing {
            end,
            runs: farthest(),
        });
    }
    if let (Ok(ceiling), Some(from)) = (&ceiling, series.bound)
        && !series.is_margin
    {
        // What the values suggest, without the margin for what so few of them do not tell.
        let to = ceiling.typical;
        if is_far(from, to, rate, values) {
            let runs = farthest();
            found.push(Suspicion::FarMove { from, to, runs });
        }
    }
    found
}

/// Whether a number would have to move far only because so few runs say where it belongs.
pub fn is_open(series: &Series, values: &Values, rate: f64) -> bool {
    let ceiling = values.ceiling(rate);
    let (Ok(ceiling), Some(from), false) = (ceiling, series.bound, series.is_margin) else {
        return false;
    };
    values.more_runs_would_help()
        && is_far(from, ceiling.bound, rate, values)
        && !is_far(from, ceiling.typical, rate, values)
}

/// Values that fail and are the end of their domain.
fn at_end(finding: &Finding, series: &Series, values: &Values) -> Option<Suspicion> {
    let told = finding.remarks.iter().find_map(|remark| match remark {
        Remark::AtEnd { end, runs } => Some(Suspicion::AtEnd {
            end: *end,
            runs: runs.clone(),
        }),
        _ => None,
    });
    told.or_else(|| {
        let end = values.domain?.end(values.side);
        let failed = &finding.figures.failed;
        let mut runs = values.runs_where(series, |value| value == end);
        runs.retain(|run| failed.contains(run));
        (!runs.is_empty()).then_some(Suspicion::AtEnd { end, runs })
    })
}

/// The same for p-values, which are small by the power of ten: a limit of 1e-6 that becomes 1e-8 is what people write who
/// mean to be asked less often; one that becomes 1e-12, its square, is a bug in what the p-value is of.
pub(super) fn is_far_for_p_values(from: f64, to: f64) -> bool {
    let (from, to) = (from.ln(), to.ln());
    // The logarithm of 0 is farther than any.
    from < 0.0 && to < 0.0 && to / from > 2.0
}

/// Whether a number would have to move outward by more than an order of magnitude. To pass 0, which no value has passed,
/// is farther than any. Where the values have both signs, or the number is 0, there are no magnitudes to compare; ten
/// standard deviations are as far. Of a p-value that is one, a share `rate` lies below `rate`, whatever is written there.
fn is_far(from: f64, to: f64, rate: f64, values: &Values) -> bool {
    if values.p_value.is_some() {
        return is_far_for_p_values(from.min(rate), to);
    }
    if !values.side.is_beyond(to, from) {
        return false;
    }
    let finite = values.samples.finite();
    let all_as_from = finite.iter().all(|sample| sample.value * from > 0.0);
    if from * to > 0.0 {
        let ratio = to / from;
        !(0.1..=10.0).contains(&ratio)
    } else {
        all_as_from || (to - from).abs() > 10.0 * values.deviation
    }
}
