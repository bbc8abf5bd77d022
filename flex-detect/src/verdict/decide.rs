//! One assertion's verdict, from the runs that reached it.

use std::collections::BTreeSet;

use flex_core::bound::declared::clopper_pearson;
use flex_core::bound::tail_rate::TailRate;
use flex_core::sample::Samples;
use flex_core::sample::second_mode::SecondMode;
use flex_core::tail::Side;

use super::counted::{Counted, Reached, conditions, samples};
use super::finding::{Cluster, Diagnosis, Figures, Finding, JudgeRule, Remark, TailFigures};
use super::repeats::{self, Disagreement};
use crate::domain;
use crate::limit;
use crate::record::{ObservedSite, ObservedTest, Outcome, Role, Series};

/// A golden assertion fails in at least this part of the varied runs, and its interval begins above one half.
const NEARLY_ALL: f64 = 0.9;

/// A cluster is worth a word if its distance from the rest is at least this part of the way to the bound.
const MATTERS: f64 = 0.1;

/// The finding of one site of a test.
pub(super) fn site(
    (test_index, test): (usize, &ObservedTest),
    counted: &Counted,
    (index, site): (usize, &ObservedSite),
    rule: &JudgeRule,
) -> Finding {
    let reached = counted.reached(index, site);
    let all: Vec<(&Series, Samples)> = conditions(site)
        .map(|series| (series, samples(series, &reached.runs)))
        .collect();
    let constant = |series: &Series| samples(series, &reached.runs).is_constant();
    let fails_at_times = !reached.failed.is_empty() && reached.failed.len() < reached.runs.len();
    let is_constant = site.series.iter().all(constant)
        && reached.caught.is_empty()
        && !(site.is_condition() && fails_at_times);
    let case = Case {
        test,
        counted,
        cluster: all
            .iter()
            .find_map(|(series, samples)| cluster(series, samples)),
        repeated: repeats::of_site(test, counted, index, site),
        is_constant,
        reached,
    };
    let (verdict, mut remarks) = case.decide();
    remarks.extend(not_finite(&all, &case.reached.runs));
    remarks.extend(at_end(&all, &case.reached.failed));
    let first = all.first();
    let figures = Figures {
        varies: !case.is_constant && !case.reached.runs.is_empty(),
        nearest: first
            .and_then(|(series, samples)| samples.extreme_runs(side(series), 1).first().copied()),
        tail: (case.reached.failed.is_empty() && !case.is_constant && !all.is_empty())
            .then(|| tail(site, &all)),
        bound: site.series.first().and_then(|series| series.bound),
        range: first.and_then(|(_, samples)| {
            let finite = samples.finite();
            Some((finite.first()?.value, finite.last()?.value))
        }),
        ..case.figures()
    };
    let estimate = figures.tail.as_ref().and_then(|tail| tail.as_ref().ok());
    let above = |probability| estimate.is_some_and(|tail| tail.estimate > probability);
    Finding {
        test: test_index,
        site: Some(index),
        place: site.place.clone(),
        text: site.text.clone(),
        case: site.id.case.clone(),
        is_condition: site.is_condition(),
        is_risky: rule.probability.is_some_and(above),
        verdict,
        figures,
        remarks,
    }
}

/// The finding of the test itself; `None` if its assertions say it all.
pub(super) fn outcome(index: usize, test: &ObservedTest, counted: &Counted) -> Option<Finding> {
    let reached = counted.outcome(test);
    let repeated = repeats::of_outcome(test, counted);
    let fails = !reached.failed.is_empty() || reached.as_written.is_some_and(|run| run.failed);
    if !test.sites.is_empty() && !fails && repeated.is_none() {
        return None;
    }
    let case = Case {
        test,
        counted,
        reached,
        cluster: None,
        repeated,
        is_constant: true,
    };
    let (verdict, remarks) = case.decide();
    Some(Finding {
        test: index,
        site: None,
        place: test.place.clone(),
        text: "outcome".to_owned(),
        case: None,
        is_condition: false,
        verdict,
        is_risky: false,
        figures: case.figures(),
        remarks,
    })
}

/// What is known of an assertion, or of the outcome of a test.
struct Case<'a> {
    test: &'a ObservedTest,
    counted: &'a Counted<'a>,
    reached: Reached,
    cluster: Option<Cluster>,
    repeated: Option<Disagreement>,
    is_constant: bool,
}

impl Case<'_> {
    fn figures(&self) -> Figures {
        let Reached { runs, failed, .. } = &self.reached;
        let written = self.reached.as_written.filter(|run| run.failed);
        let first = failed.first().copied().or(written.map(|_| 0));
        let why = first.and_then(|first| {
            let run = self.counted.all().find(|run| run.index == first)?;
            run.why.clone()
        });
        Figures {
            runs: runs.len(),
            interval: clopper_pearson(failed.len(), runs.len(), 0.95),
            failed: failed.clone(),
            tail: None,
            bound: None,
            range: None,
            varies: !failed.is_empty() && failed.len() < runs.len(),
            nearest: None,
            as_written: self.reached.as_written,
            why,
        }
    }

    /// The first verdict of the list in the module's documentation that holds, and what else holds.
    fn decide(&self) -> (Diagnosis, Vec<Remark>) {
        let verdict = self.verdict();
        let mut remarks = Vec::new();
        let Reached { runs, failed, .. } = &self.reached;
        match (&self.cluster, &verdict) {
            (None, _) | (_, Diagnosis::SecondMode(_)) => {}
            (Some(cluster), _) => remarks.push(Remark::SecondMode(cluster.clone())),
        }
        if let Some(found) = &self.repeated {
            if !matches!(verdict, Diagnosis::Uncontrolled(_)) {
                remarks.push(Remark::Uncontrolled {
                    source: found.source.clone(),
                    difference: found.difference,
                });
            }
            if !found.outcomes.is_empty() {
                remarks.push(Remark::OtherOutcome(found.outcomes.clone()));
            }
        }
        let fails_as_written = self.reached.as_written.is_some_and(|run| run.failed);
        if fails_as_written && verdict != Diagnosis::Broken {
            remarks.push(Remark::FailsAsWritten);
        }
        let of = self.counted.varied.len();
        if verdict == Diagnosis::Flaky && failed.len() == runs.len() && runs.len() < of {
            remarks.push(Remark::FailsWhenReached {
                reached: runs.len(),
                of,
            });
        }
        if !self.reached.caught.is_empty() {
            remarks.push(Remark::Caught(self.reached.caught.clone()));
        }
        if verdict == Diagnosis::Skipped && self.reached.as_written.is_some() {
            remarks.push(Remark::OnlyAsWritten);
        }
        (verdict, remarks)
    }

    fn verdict(&self) -> Diagnosis {
        let Reached {
            runs,
            failed,
            as_written,
            ..
        } = &self.reached;
        let fails_as_written = as_written.is_some_and(|run| run.failed);
        if runs.is_empty() && !fails_as_written {
            return Diagnosis::Skipped;
        }
        let always = failed.len() == runs.len();
        let passes_as_written = as_written.is_some_and(|run| !run.failed);
        if always && !passes_as_written && !self.ever_passed() {
            return Diagnosis::Broken;
        }
        let repeated = self.repeated.as_ref();
        if let Some(found) = repeated.filter(|found| !found.outcomes.is_empty()) {
            return Diagnosis::Uncontrolled(found.source.clone());
        }
        let (least, _) = clopper_pearson(failed.len(), runs.len(), 0.95);
        let nearly_all = failed.len() as f64 >= NEARLY_ALL * runs.len() as f64;
        if passes_as_written && nearly_all && least > 0.5 {
            return Diagnosis::Golden;
        }
        if let Some(found) = repeated.filter(|found| !found.is_slight) {
            return Diagnosis::Uncontrolled(found.source.clone());
        }
        if let Some(cluster) = &self.cluster {
            return Diagnosis::SecondMode(cluster.clone());
        }
        if !failed.is_empty() || fails_as_written {
            return Diagnosis::Flaky;
        }
        if self.is_constant {
            Diagnosis::Constant
        } else {
            Diagnosis::Steady
        }
    }

    /// Whether the test ever passed, in a run or when one was made again.
    fn ever_passed(&self) -> bool {
        let mut repeats = self.test.repeats.iter();
        self.counted.any_passed() || repeats.any(|repeat| repeat.outcome == Outcome::Pass)
    }
}

/// The side on which values of a series fail.
fn side(series: &Series) -> Side {
    match series.role {
        Role::Lower => Side::Lower,
        _ => Side::Upper,
    }
}

/// A cluster far from the rest that matters at the bound.
fn cluster(series: &Series, samples: &Samples) -> Option<Cluster> {
    let found = SecondMode::find(samples)?;
    let nearest = |bound: f64| {
        (bound - found.rest.0)
            .abs()
            .min((bound - found.rest.1).abs())
    };
    let bound = series.bound.filter(|bound| bound.is_finite());
    let matters = bound.is_none_or(|bound| found.gap() >= MATTERS * nearest(bound));
    matters.then_some(Cluster {
        runs: found.runs,
        range: found.range,
        rest: found.rest,
    })
}

/// The probability of failure that the fitted tails have, over all conditions together.
fn tail(site: &ObservedSite, all: &[(&Series, Samples)]) -> Result<TailFigures, String> {
    let mut sum = TailFigures {
        estimate: 0.0,
        upper_limit: 0.0,
    };
    for (series, samples) in all.iter().filter(|(_, samples)| !samples.is_constant()) {
        let bound = series.bound.filter(|bound| !bound.is_nan());
        let bound = bound.ok_or("there is no bound that holds in every run")?;
        let side = side(series);
        let limit = limit::outermost(side, bound, limit::is_strict(site, series));
        if limit::is_out_of_reach(domain::recognised(series, samples), side, limit) {
            continue;
        }
        let rate = TailRate::at(samples, side, limit).map_err(|why| why.to_string())?;
        sum.estimate = (sum.estimate + rate.estimate).min(1.0);
        sum.upper_limit = (sum.upper_limit + rate.upper_limit).min(1.0);
    }
    Ok(sum)
}

fn not_finite(all: &[(&Series, Samples)], counted: &BTreeSet<u32>) -> Option<Remark> {
    let values = all.iter().flat_map(|(series, _)| &series.values);
    let not_finite = values.filter(|(run, value)| !value.is_finite() && counted.contains(run));
    let runs: BTreeSet<u32> = not_finite.map(|(run, _)| *run).collect();
    (!runs.is_empty()).then(|| Remark::NotFinite(runs.into_iter().collect()))
}

/// Failing runs whose value is exactly the end of [0, 1] that values fail towards, where all values lie in there and are
/// not just switches.
fn at_end(all: &[(&Series, Samples)], failed: &[u32]) -> Option<Remark> {
    let (series, samples) = all.first()?;
    let end = match series.role {
        Role::Upper => 1.0,
        Role::Lower => 0.0,
        _ => return None,
    };
    let finite = samples.finite();
    let inside = finite.iter().all(|s| (0.0..=1.0).contains(&s.value));
    let has_parts = finite.iter().any(|s| s.value.fract() != 0.0);
    if series.is_margin || !inside || !has_parts {
        return None;
    }
    // Equal values are in the order of their runs.
    let here = finite.iter().filter(|sample| sample.value == end);
    let runs: Vec<u32> = here
        .map(|sample| sample.run)
        .filter(|run| failed.binary_search(run).is_ok())
        .collect();
    (!runs.is_empty()).then_some(Remark::AtEnd { end, runs })
}
