//! Assertions about all runs in disguise: an average over a loop, or a p-value. What such an assertion means is claimed of
//! all runs together by `mean()`, `distributed()` and their macros, which decide it by as many runs as that needs.

use flex_core::sequential::{
    Allowed, Claim, Expected, LawClaim, Levels, MeanClaim, Outside, Truth, expected_runs,
};
use flex_core::tail::{Domain, Side};
use flex_core::words::{percent, plain, short};
use flex_run::model::Runner;

use super::ask::Ask;
use super::offer::{Offer, OfferKind, Price, Rate, Remedy};
use super::values::Values;
use crate::p_value::PValue;
use crate::record::{ObservedSite, ObservedTest, Role, Series};

/// Draws after which nobody waits for a verdict.
const MOST: u64 = 20_000;

/// The claim that an assertion stands for; `None` if it is none of these.
pub fn claim(
    test: &ObservedTest,
    site: &ObservedSite,
    series: &Series,
    values: &Values,
    ask: &Ask,
) -> Option<Offer> {
    let bound = series.bound.filter(|_| !series.is_margin)?;
    let runner = test.id.runner();
    let levels = Levels::new(1.0 - ask.confidence);
    if let (Some(p_value), Role::Lower) = (values.p_value, series.role) {
        return of_p_value(p_value, bound, runner, levels);
    }
    match series.role {
        Role::Upper | Role::Lower if is_average(&site.text) => {
            of_average(test, bound, values, levels)
        }
        _ => None,
    }
}

/// A p-value above a number is a claim about a law, which fails by construction.
fn of_p_value(p_value: PValue, bound: f64, runner: Runner, levels: Levels) -> Option<Offer> {
    let claim = match p_value.is_of_two {
        true => Claim::SameDistribution(LawClaim::DEFAULT),
        false => Claim::Distributed(LawClaim::DEFAULT),
    };
    let (name, line) = match (p_value.is_of_two, runner) {
        (false, Runner::Pytest) => (
            "distributed()",
            "assert distributed(draws, law, draws=\"independent\")",
        ),
        (false, Runner::Cargo) => ("assert_distributed!", "assert_distributed!(draw(rng), law)"),
        (true, Runner::Pytest) => (
            "same_distribution()",
            "assert same_distribution(first, second, draws=\"independent\")",
        ),
        (true, Runner::Cargo) => (
            "assert_same_distribution!",
            "assert_same_distribution!(first(rng), second(rng))",
        ),
    };
    let under =
        |mean: f64| expected_runs(&claim, levels, Truth::Spread { mean, sd: 1.0 }, MOST).ok();
    let (sound, shifted) = (under(0.0)?, under(0.5)?);
    let rate = levels.broken;
    Some(Offer {
        notes: vec![format!(
            "a p-value above {} fails {} of runs by construction; `{name}` at {} is decided by about {} draws, and by \
             about {} if values are off by half a standard deviation; 1, 2, 3 sd are those of the draws. Write, in a \
             stochastic test: {line}",
            plain(bound),
            percent(bound),
            short(rate),
            about(sound),
            about(shifted)
        )],
        ..offer(levels, line, 0.0, under)
    })
}

/// An average that is compared with a number is a claim about a mean.
fn of_average(test: &ObservedTest, bound: f64, values: &Values, levels: Levels) -> Option<Offer> {
    let distance = values.side.orient(bound - values.mean);
    if distance <= 0.0 || values.deviation <= 0.0 {
        // Such a claim would be broken.
        return None;
    }
    let domain = range(values)?;
    let (low, high) = (domain.lower(), domain.upper());
    let nearer = (bound - low).min(high - bound);
    let claim = Claim::Mean(MeanClaim {
        allowed: match values.side {
            Side::Upper => Allowed::AtMost(bound),
            Side::Lower => Allowed::AtLeast(bound),
        },
        margin: 0.1 * nearer,
        domain,
        outside: Outside::Clipped,
    });
    let finite: Vec<f64> = values.samples.finite().iter().map(|s| s.value).collect();
    let under = |shift: f64| {
        let shift = values.side.orient(shift * values.deviation);
        let truth = Truth::Values {
            values: &finite,
            shift,
        };
        expected_runs(&claim, levels, truth, MOST).ok()
    };
    let (now, broken) = (under(0.0)?, under((distance / values.deviation) + 1.0)?);
    let sign = match values.side {
        Side::Upper => "<",
        Side::Lower => ">",
    };
    let (ends, limit) = ((plain(low), plain(high)), plain(bound));
    let line = match test.id.runner() {
        Runner::Pytest => format!(
            "assert mean(x, domain=({}, {})) {sign} {limit}",
            ends.0, ends.1
        ),
        Runner::Cargo => format!(
            "assert_mean!(x {sign} {limit}, domain = {}..={})",
            ends.0, ends.1
        ),
    };
    Some(Offer {
        notes: vec![format!(
            "an average that is compared with {limit} in each run says something of all runs: as they are, it is decided \
             by about {} of them, and a mean that is one standard deviation beyond is found in about {}. `domain` is the \
             range that no value ever leaves; check it. Write, in a stochastic test: {line}",
            about(now),
            about(broken)
        )],
        ..offer(
            levels,
            &line,
            (now.runs - 1.0) * test.seconds_per_run,
            under,
        )
    })
}

/// What a claim costs and catches.
fn offer(
    levels: Levels,
    line: &str,
    seconds: f64,
    under: impl Fn(f64) -> Option<Expected>,
) -> Offer {
    Offer {
        kind: OfferKind::Claim,
        confidence: Some(1.0 - levels.broken),
        change: Remedy::Hint(format!("write, in a stochastic test: {line}")),
        price: Price {
            rate: Rate {
                estimate: levels.broken,
                low: 0.0,
                high: levels.broken,
            },
            seconds,
            power: [1.0, 2.0, 3.0].map(|shift| under(shift).map_or(0.0, |seen| seen.broken)),
        },
        notes: Vec::new(),
    }
}

/// The range of the values: what they can be where that is known, else what was seen and as much again on both sides.
fn range(values: &Values) -> Option<Domain> {
    let is_finite = |domain: &Domain| domain.lower().is_finite() && domain.upper().is_finite();
    let known = values.domain.filter(is_finite);
    let finite = values.samples.finite();
    let (least, greatest) = (finite.first()?.value, finite.last()?.value);
    let (least, greatest) = (least.min(greatest), least.max(greatest));
    let room = greatest - least;
    let lowest = values
        .domain
        .map_or(f64::NEG_INFINITY, |domain| domain.lower());
    known.or_else(|| {
        let step = 0.1 * room;
        let ends = ((least - room).max(lowest), greatest + room);
        let rounded = |end: f64| (end / step).round() * step;
        let tidy = |end: f64| flex_bounds::round::nearest(rounded(end), step);
        Domain::new(tidy(ends.0), tidy(ends.1)).ok()
    })
}

/// Whether the assertion speaks of an average.
fn is_average(text: &str) -> bool {
    let names = ["mean(", "average(", ".mean ", "mean)", "avg"];
    let is_sum = text.contains("sum(") && text.contains('/');
    is_sum || names.iter().any(|name| text.contains(name))
}

/// A number of runs, as nobody knows it better.
fn about(expected: Expected) -> String {
    let runs = expected.runs;
    let size = 10f64.powf((runs.max(1.0).log10() - 1.0).floor().max(0.0));
    plain((runs / size).round() * size)
}
