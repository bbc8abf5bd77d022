//! What the published method says of a test, in a few lines.

use flex_bounds::round::{nearest, outward};
use flex_core::published::{Published, PublishedDecision, PublishedSite, PublishedTail};
use flex_core::tail::Side;
use flex_core::words::{count, percent, plain, wrapped};

use super::collect::Calibrated;

/// The columns of a line.
const WIDTH: usize = 80;

/// The test, its sites, and what there is to say of each side.
pub fn of_test(label: &str, calibrated: &Calibrated) -> String {
    let found = &calibrated.found;
    let mut text = format!(
        "{label}: {}, confidence {}\n",
        count(found.runs as usize, "run", "runs"),
        calibrated.confidence
    );
    if !found.panics.is_empty() {
        let failed = count(found.panics.len(), "run fails", "runs fail");
        let why = calibrated.observed.failures.get(&found.panics[0]);
        let why = why.map(|why| format!(": {why}")).unwrap_or_default();
        let words = format!(
            "  error: {failed} by {}{why}",
            match found.panics.len() {
                1 => "itself",
                _ => "themselves",
            }
        );
        text += &line(&words);
    }
    if found.sites.is_empty() {
        text +=
            &line("  no bound to learn: write `_` for one, as in `assert_tail_bound!(error < _)`");
    }
    for site in &found.sites {
        text += &line(&format!("  {}", site.id));
        for (side, published) in &site.sides {
            text += &line(&format!("    {}", of_side(site, *side, published)));
        }
    }
    text + "\n"
}

fn line(words: &str) -> String {
    wrapped(words, WIDTH, "        ") + "\n"
}

fn of_side(site: &PublishedSite, side: Side, published: &Published) -> String {
    let sign = match side {
        Side::Upper => "≤",
        Side::Lower => "≥",
    };
    let rounded =
        |bound: f64, inner: f64| plain(outward(side, bound, inner, None, site.spec.domain));
    match &published.decision {
        PublishedDecision::Tail { bound } => {
            let tails = [published.transformed.as_ref(), Some(&published.tail)];
            let tail = tails.into_iter().flatten().flatten().next();
            let inner = published.percentiles.map_or(*bound, |values| values[0]);
            let spread = *bound - inner;
            let how = tail.map(|tail| of_tail(tail, spread)).unwrap_or_default();
            format!("{side}  x {sign} {}  {how}", rounded(*bound, inner))
        }
        PublishedDecision::Empirical { bound } => {
            let inner = match &published.empirical {
                Some(Ok(empirical)) if side == Side::Upper => empirical.interval.0,
                Some(Ok(empirical)) => empirical.interval.1,
                _ => *bound,
            };
            let bound = rounded(*bound, inner);
            format!("{side}  x {sign} {bound}  no tail: the bootstrapped extreme")
        }
        PublishedDecision::Refuse { reason } => format!("{side}  refused: {reason}"),
        // These are about bounds that the source declares.
        PublishedDecision::Rerun { .. } | PublishedDecision::Keep { .. } => {
            format!("{side}  as declared")
        }
    }
}

fn of_tail(tail: &PublishedTail, spread: f64) -> String {
    let transform = match tail.transform {
        Some(transform) => format!(" after a Box–Cox transform (λ = {:.3})", transform.lambda),
        None => String::new(),
    };
    format!(
        "{} tail{transform}: {} beyond {}, p = {}",
        tail.kind,
        tail.fit.exceedances,
        plain(nearest(tail.threshold(), spread.abs())),
        percent(tail.fit.p_values.anderson_darling)
    )
}

#[cfg(test)]
mod tests {
    use flex_core::bound::confidence::{Confidence, Share};
    use flex_core::calibration::SiteSpec;
    use flex_core::published::{PERCENTILES, PValuesBy, PublishedQuestion, ThresholdRule};
    use flex_core::sample::Samples;
    use flex_core::tail::Tail;

    use super::*;

    fn said(values: &[f64], side: Side) -> String {
        let question = PublishedQuestion {
            side,
            confidence: Confidence::DEFAULT,
            domain: None,
            declared: None,
            rule: ThresholdRule::StrongStop,
        };
        let published =
            Published::learn(&Samples::from_values(values), &question, PValuesBy::Table);
        let site = PublishedSite {
            id: "x".into(),
            spec: SiteSpec::new(Tail::Upper),
            share: Share {
                confidence: Confidence::DEFAULT,
                effort: 0.0,
            },
            sides: Vec::new(),
        };
        of_side(&site, side, &published)
    }

    #[test]
    fn each_answer_has_its_words() {
        let exponential: Vec<f64> = (0..200)
            .map(|i| -((f64::from(i) + 0.5) / 200.0).ln())
            .collect();
        let upper = said(&exponential, Side::Upper);
        assert!(
            upper.starts_with("upper  x ≤ ") && upper.contains(" tail: "),
            "{upper}"
        );
        let mirrored: Vec<f64> = exponential.iter().map(|x| -x).collect();
        assert!(said(&mirrored, Side::Lower).starts_with("lower  x ≥ -"));
        let even: Vec<f64> = (0..49).map(f64::from).collect();
        let extreme = said(&even, Side::Upper);
        assert!(
            extreme.ends_with("no tail: the bootstrapped extreme"),
            "{extreme}"
        );
        assert!(said(&[1.0, 2.0], Side::Upper).starts_with("upper  refused: tail: "));
        assert_eq!(PERCENTILES[0], 0.9, "what bounds are rounded from");
    }
}
