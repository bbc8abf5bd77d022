//! The published method's answer in words.

use std::fmt;

use flex_bounds::round::{nearest, outward};
use flex_core::published::{PERCENTILES, Published, PublishedDecision, RateSource};
use flex_core::tail::Side;
use flex_core::words::{paragraph, percent, plain, short};

use super::{PublishedBounds, used};

impl fmt::Display for PublishedBounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (side, published) in &self.sides {
            let sign = match side {
                Side::Upper => "≤",
                Side::Lower => "≥",
            };
            let values = match published.samples {
                1 => "1 value".to_owned(),
                many => format!("{many} values"),
            };
            writeln!(f, "{values}, {side} tail, the published method\n")?;
            if let Some(bound) = published.decision.bound() {
                let strategy = published.decision.strategy();
                let rounded = plain(outward(*side, bound, self.median, None, self.domain));
                writeln!(
                    f,
                    "  bound  x {sign} {rounded:<12}  strategy {strategy}
"
                )?;
            }
            if let Some(tail) = used(published) {
                let transform = match tail.transform {
                    Some(transform) => {
                        format!(" after a Box–Cox transform (λ = {:.3})", transform.lambda)
                    }
                    None => String::new(),
                };
                let words = format!(
                    "The tail is {}{transform}: {} exceedances of {}, shape {:.3}, Anderson–Darling p = {}.",
                    tail.kind,
                    tail.fit.exceedances,
                    plain(nearest(tail.threshold(), self.spread)),
                    tail.fit.fit.gpd.shape(),
                    percent(tail.fit.p_values.anderson_darling)
                );
                paragraph(f, "", &words)?;
            }
            if let Some(values) = published.percentiles {
                for (percentile, value) in PERCENTILES.iter().zip(values) {
                    let value = plain(nearest(value, self.spread));
                    writeln!(f, "  {:>6}%  {value}", short(100.0 * percentile))?;
                }
                writeln!(f)?;
            }
            paragraph(f, "", &decision(published))?;
        }
        let bounded = |(_, side): &(Side, Published)| side.decision.bound().is_some();
        if self.sides.iter().any(bounded) {
            let words = "this bound is a point estimate without a margin, and such bounds fail more often than they promise (docs/evidence/truth.md). The default method keeps its promise.";
            paragraph(f, "note: ", words)?;
        }
        Ok(())
    }
}

/// Says what to do, in a sentence.
fn decision(published: &Published) -> String {
    match &published.decision {
        PublishedDecision::Tail { .. } => "Use the quantile of the tail.".to_owned(),
        PublishedDecision::Empirical { .. } => match &published.empirical {
            Some(Ok(empirical)) => format!(
                "No light or exponential tail: use the bootstrapped extreme, between {} and {} with 95% confidence.",
                short(empirical.interval.0),
                short(empirical.interval.1)
            ),
            _ => "Use the bootstrapped extreme.".to_owned(),
        },
        PublishedDecision::Rerun {
            failure_rate,
            evidence,
            runs,
        } => format!(
            "No bound: keep the declared one and run a failing test up to {runs} times, of which one must pass. It fails in {} of runs, {}.",
            percent(*failure_rate),
            match evidence {
                RateSource::Observed => "as the samples show",
                RateSource::Tail => "as the fitted tail suggests",
            }
        ),
        PublishedDecision::Keep {
            declared,
            bound: Some(_),
        } => format!(
            "Keep the declared bound {}: it is looser than needed.",
            plain(*declared)
        ),
        PublishedDecision::Keep { declared, .. } => format!(
            "Keep the declared bound {}: it fails no more often than the confidence allows.",
            plain(*declared)
        ),
        PublishedDecision::Refuse { reason } => format!("Refused: {reason}"),
    }
}
