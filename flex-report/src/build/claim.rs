//! What came of claims about all runs, when their tests were last enforced.

use flex_core::words::{count, plain, short};

use super::known::Known;
use crate::kept::ProblemLine;
use crate::model::{Claim, Probability, Site};

/// Adds what came of a claim, if the site makes one.
pub fn add(site: &mut Site, known: &Known<'_>) {
    let is_learned = site.sides.iter().any(|side| side.bound.is_some());
    if site.kind != "claim" && !is_learned {
        return;
    }
    let is_its = |label: &str, case: &Option<String>| label == site.site && *case == site.case;
    let calibration = known.calibration();
    let seen = calibration.and_then(|one| {
        let mut sites = one.sites.iter();
        sites.find(|seen| seen.kind == "claim" && is_its(&seen.site, &seen.case))
    });
    let newest = known.verdicts.iter().rev();
    let decided = newest
        .flat_map(|line| line.claims.iter().chain(&line.problems))
        .find(|line| is_its(&line.site, &line.case) && line.outcome.is_some());
    let learned = |side: &str| {
        let mut sides = site.sides.iter();
        sides.find(|one| one.side == side)?.bound
    };
    let claim = Claim {
        claim: decided
            .and_then(|line| line.claim.clone())
            .or(seen.and_then(|seen| seen.claim.clone()))
            .unwrap_or_default(),
        allowed: match is_learned {
            true => ["lower", "upper"].map(learned),
            false => seen.and_then(|seen| seen.allowed).unwrap_or([None, None]),
        },
        outcome: decided.and_then(|line| line.outcome.clone()),
        runs: decided.and_then(|line| line.runs),
        draws: decided.and_then(|line| line.draws),
        false_alarm_rate: decided.and_then(|line| line.false_alarm_rate),
        estimate: decided.and_then(|line| line.estimate),
        interval: decided.and_then(|line| line.interval),
    };
    if is_learned && claim.outcome.is_none() {
        return;
    }
    (site.verdict, site.grade) = match claim.outcome.as_deref() {
        Some("fine") => ("holds", "good"),
        Some("broken") => ("failed", "bad"),
        Some(_) => ("undecided", "look"),
        None => ("not decided yet", "quiet"),
    };
    let promised = claim.false_alarm_rate.map(|rate| Probability {
        basis: "promised",
        estimate: None,
        low: 0.0,
        high: rate.0,
    });
    site.failure = promised.or(site.failure.take());
    if let Some(decided) = decided {
        site.words.push(words(&claim, decided));
    }
    site.claim = Some(claim);
}

fn words(claim: &Claim, decided: &ProblemLine) -> String {
    let runs = count(decided.runs.unwrap_or(0) as usize, "run", "runs");
    let ends = claim.allowed.map(|end| end.map(|end| plain(end.0)));
    let allowed = match &ends {
        [Some(low), Some(high)] => format!("is to lie between {low} and {high}"),
        [None, Some(high)] => format!("is to be at most {high}"),
        [Some(low), None] => format!("is to be at least {low}"),
        [None, None] => "is claimed".to_owned(),
    };
    let shown = match (decided.estimate, decided.interval) {
        (Some(estimate), Some([low, high])) => format!(
            " It is {}, and with the promised confidence between {} and {}, whenever one looks.",
            short(estimate.0),
            short(low.0),
            short(high.0)
        ),
        _ => String::new(),
    };
    let outcome = decided.outcome.as_deref().unwrap_or_default();
    format!(
        "The {} of all runs {allowed}; {runs} decided: {outcome}.{shown}",
        claim.claim
    )
}
