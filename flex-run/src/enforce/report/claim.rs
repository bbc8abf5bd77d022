//! The words for a claim about all runs: what is claimed, the estimate, and the evidence over runs.

use flex_bounds::claim::Family;
use flex_core::sequential::{Allowed, Claim, Estimate, Outside};
use flex_core::tail::Side;
use flex_core::words::{count, plain, short, thousands};

use super::walk::bars;
use crate::decide::{ClaimOutcome, Decided, LearnedFrom};
use crate::model::{Claimed, Comparison, Limit};

/// The lines about a claim that fails its test.
pub(super) fn explain(decided: &Decided, line: &mut dyn FnMut(&str, &str)) {
    line("claim", &claimed(decided));
    if let Some(limits) = assumed(decided) {
        line("assumed", &limits);
    }
    if let ClaimOutcome::Undecidable(why) = &decided.outcome {
        line("but", why);
    }
    if let Some(estimate) = &decided.estimate {
        line(label(decided.spec.family()), &estimated(estimate));
    }
    if decided.runs > 0 {
        line("runs", &runs(decided));
    }
    if !decided.path.is_empty() {
        line("evidence", &evidence(decided));
    }
    if decided.outcome == ClaimOutcome::Undecided {
        line("", "it fails because of `undecided = fail`");
    }
}

/// What came of a claim, on one line.
pub(super) fn in_short(decided: &Decided) -> String {
    let runs = runs(decided);
    let estimate = match &decided.estimate {
        Some(estimate) => format!(
            "; the {} is {}",
            label(decided.spec.family()),
            estimated(estimate)
        ),
        None => String::new(),
    };
    match &decided.outcome {
        ClaimOutcome::Undecidable(why) => format!("cannot be decided: {why}"),
        ClaimOutcome::Undecided => {
            format!("undecided after {runs}{estimate}{}", never_fine(decided))
        }
        outcome => format!("{} after {runs}{estimate}", outcome.word()),
    }
}

/// Why no number of runs would have called it fine, if so.
fn never_fine(decided: &Decided) -> &'static str {
    let domain = match (decided.spec.claimed, decided.spec.domain) {
        (Claimed::Mean(_), Some(domain)) => domain,
        _ => return "",
    };
    match domain.lower().is_finite() && domain.upper().is_finite() {
        true => "",
        false => "; a domain with two ends would let it be called fine",
    }
}

/// What is claimed, as a sentence.
fn claimed(decided: &Decided) -> String {
    let spec = &decided.spec;
    let limit = |limit: Limit| match limit {
        Limit::Declared(Comparison { operator, bound }) => {
            format!("{} {}", operator.word(), plain(bound))
        }
        Limit::Near { of, within } => format!("within {} of {}", plain(within), plain(of)),
        Limit::Learned(_) => held(decided),
    };
    match spec.claimed {
        Claimed::Mean(bound) => format!("the mean is {}", limit(bound)),
        Claimed::Rate(bound) => format!("the rate is {}", limit(bound)),
        Claimed::Distributed => "the values are drawn from the stated distribution".to_owned(),
        Claimed::SameDistribution => "both are drawn from the same distribution".to_owned(),
        Claimed::NoWorse { worse } => {
            let more = match worse {
                Side::Upper => "larger",
                Side::Lower => "smaller",
            };
            let margin = plain(spec.margin.unwrap_or(0.0));
            format!("the first is no {more} than the second by more than {margin}")
        }
    }
}

/// Where a mean or a rate is held, and what it was.
fn held(decided: &Decided) -> String {
    let allowed = match &decided.claim {
        Some(Claim::Mean(claim)) => claim.allowed,
        Some(Claim::Rate(claim)) => claim.allowed,
        _ => return "what it was".to_owned(),
    };
    let allowed = match allowed {
        Allowed::AtMost(bound) => format!("at most {}", plain(bound)),
        Allowed::AtLeast(bound) => format!("at least {}", plain(bound)),
        Allowed::Between(low, high) => format!("between {} and {}", plain(low), plain(high)),
    };
    match decided.learned {
        Some(LearnedFrom { mean, samples }) => {
            let runs = count(samples as usize, "run", "runs");
            format!("{allowed}; it was {} in {runs} of calibration", short(mean))
        }
        None => allowed,
    }
}

/// What is assumed of a mean whose limits were learned.
fn assumed(decided: &Decided) -> Option<String> {
    match &decided.claim {
        Some(Claim::Mean(claim)) if claim.outside == Outside::Clipped => Some(format!(
            "nothing of the mean lies outside of {} to {}, by what calibration saw; `domain` states it",
            short(claim.domain.lower()),
            short(claim.domain.upper())
        )),
        _ => None,
    }
}

/// What the estimate is of.
fn label(family: Family) -> &'static str {
    match family {
        Family::Mean => "mean",
        Family::Rate => "rate",
        Family::Distributed | Family::SameDistribution => "distance",
        Family::NoWorse => "shift",
    }
}

fn estimated(estimate: &Estimate) -> String {
    let Estimate {
        value, low, high, ..
    } = *estimate;
    format!(
        "{}, between {} and {}",
        short(value),
        short(low),
        short(high)
    )
}

fn runs(decided: &Decided) -> String {
    let runs = count(decided.runs as usize, "run", "runs");
    match decided.draws > u64::from(decided.runs) {
        true => format!("{runs} with {} draws", thousands(decided.draws as f64)),
        false => runs,
    }
}

/// The evidence against the claim over runs, and what it came to.
fn evidence(decided: &Decided) -> String {
    let needed = -decided.rate.ln();
    let parts = decided.path.iter().map(|point| point.broken / needed);
    let bars = bars(parts.collect());
    let odds = |logarithm: f64| short(logarithm.min(700.0).exp());
    format!(
        "{bars}\n{} : 1 against it; {} : 1 decides, which happens by chance once in {} tests",
        odds(decided.evidence.broken),
        odds(needed),
        thousands((1.0 / decided.rate).round())
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ClaimSpec, Operator, SiteId};
    use flex_core::sequential::{Evidence, MeanClaim, PathPoint};
    use flex_core::tail::{Domain, Tail};

    fn decided(outcome: ClaimOutcome) -> Decided {
        let below = Limit::Declared(Comparison::new(Operator::Less, 0.01));
        Decided {
            site: SiteId::new("mean(error<0.01)"),
            place: Default::default(),
            message: None,
            spec: ClaimSpec::new(Claimed::Mean(below)),
            claim: None,
            learned: None,
            outcome,
            runs: 67,
            draws: 67,
            rate: 1e-4,
            estimate: Some(Estimate {
                value: 0.0132345,
                low: 0.0121,
                high: 0.0144,
                level: 1e-4,
            }),
            evidence: Evidence {
                broken: 1.2e4f64.ln(),
                fine: -3.0,
            },
            path: [1, 34, 67]
                .map(|run| PathPoint {
                    run,
                    broken: 1.2e4f64.ln() * run as f64 / 67.0,
                    fine: 0.0,
                })
                .to_vec(),
        }
    }

    #[test]
    fn a_broken_claim_says_what_was_seen_and_how_sure_that_is() {
        let mut lines = Vec::new();
        explain(&decided(ClaimOutcome::Broken), &mut |label, words| {
            lines.push(format!("{label}: {words}"));
        });
        let expected = [
            "claim: the mean is below 0.01",
            "mean: 0.01323, between 0.0121 and 0.0144",
            "runs: 67 runs",
            "evidence: ▁▄█\n12000 : 1 against it; 10000 : 1 decides, which happens by chance once in 10,000 tests",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_learned_claim_says_what_was_and_what_is_assumed() {
        let mut decided = decided(ClaimOutcome::Broken);
        decided.spec = ClaimSpec::new(Claimed::Mean(Limit::Learned(Tail::Upper)));
        decided.claim = Some(Claim::Mean(MeanClaim {
            allowed: Allowed::AtMost(0.0121),
            margin: 0.001,
            domain: Domain::new(-0.5, 2.0).unwrap(),
            outside: Outside::Clipped,
        }));
        decided.learned = Some(LearnedFrom {
            mean: 0.01,
            samples: 220,
        });
        assert_eq!(
            claimed(&decided),
            "the mean is at most 0.0121; it was 0.01 in 220 runs of calibration"
        );
        let assumed = assumed(&decided).unwrap();
        assert!(assumed.contains("outside of -0.5 to 2,"), "{assumed}");
    }

    #[test]
    fn an_undecided_claim_is_one_line() {
        assert_eq!(
            in_short(&decided(ClaimOutcome::Undecided)),
            "undecided after 67 runs; the mean is 0.01323, between 0.0121 and 0.0144"
        );
    }
}
