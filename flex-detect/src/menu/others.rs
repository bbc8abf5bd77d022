//! What else can be done about an assertion: rerun the test, let flex learn the number, fix the seed, use more data.

use flex_core::bound::confidence::default_effort;
use flex_core::bound::power::Power;
use flex_core::search::reruns::{
    OutcomeRates, passes_too_seldom, runs_until_pass, runs_until_passes,
};
use flex_core::words::{percent, short};

use super::ask::Ask;
use super::offer::{Offer, OfferKind, Price, Rate, Remedy};
use super::values::Values;
use flex_run::model::Runner;

use crate::record::{ObservedTest, Outcome, Role, Series};

/// The failure rate of the test as a whole, by its varied runs.
pub fn test_rate(test: &ObservedTest) -> (usize, usize, Rate) {
    let varied = |index: u32| !(test.first_as_written && index == 0);
    let runs = test.runs.iter().filter(|run| varied(run.index));
    let counted: Vec<Outcome> = runs
        .map(|run| run.outcome)
        .filter(|outcome| *outcome != Outcome::Skip)
        .collect();
    let failed = counted.iter().filter(|outcome| **outcome == Outcome::Fail);
    let (failed, runs) = (failed.count(), counted.len());
    (failed, runs, Rate::counted(failed, runs))
}

/// Reruns: so many attempts that even at the upper end of the failure rate's interval one passes.
pub fn rerun(test: &ObservedTest, ask: &Ask, power_of_one: [f64; 3]) -> Result<Offer, String> {
    if let Some(seed) = test.literal_seeds.first() {
        return Err(format!(
            "reruns repeat the same values: `{}` in line {} fixes the seed",
            seed.call, seed.place.line
        ));
    }
    let (_, _, rate) = test_rate(test);
    let passes = u64::from(test.min_passes.unwrap_or(1)).max(1);
    let attempts = match passes {
        1 => runs_until_pass(rate.high, ask.confidence),
        passes => runs_until_passes(rate.high, passes, ask.confidence),
    };
    let attempts = attempts.map_err(|why| why.to_string())?;
    let all_fail = |rate: f64| match passes {
        1 => rate.powf(attempts as f64),
        passes => passes_too_seldom(rate, passes, attempts),
    };
    let reruns = OutcomeRates::new(1.0 - rate.estimate, rate.estimate).map_or(0.0, |outcomes| {
        rate.estimate * outcomes.expected_reruns_after_failure(attempts.saturating_sub(1))
    });
    let mut notes = vec![format!(
        "for a failure rate of up to {}, the upper end of its interval",
        percent(rate.high)
    )];
    if passes > 1 {
        notes.push(format!("its marker asks for {passes} passes (min_passes)"));
    }
    Ok(Offer {
        kind: OfferKind::Rerun,
        confidence: Some(ask.confidence),
        change: Remedy::Reruns { attempts },
        price: Price {
            rate: Rate {
                estimate: all_fail(rate.estimate),
                low: all_fail(rate.low),
                high: all_fail(rate.high),
            },
            seconds: passes as f64 * reruns * test.seconds_per_run,
            power: power_of_one.map(all_fail),
        },
        notes,
    })
}

/// The number is left to flex, which reruns a test that is beyond its guard.
pub fn learned(
    index: usize,
    test: &ObservedTest,
    series: &Series,
    values: &Values,
    ask: &Ask,
) -> Result<Offer, String> {
    let is_learnable = matches!(
        series.role,
        Role::Upper | Role::Lower | Role::Absolute | Role::Relative
    );
    if !is_learnable {
        return Err("flex learns bounds and tolerances, not numbers of digits".to_owned());
    }
    let rate = 1.0 - ask.confidence;
    let learned = values.learn(rate, default_effort(test.seconds_per_run));
    let power = Power::of(&learned, &values.measured, 0.0);
    let guard = learned.guard.map_err(|why| why.to_string())?;
    let mut notes = vec![
        "replays a calibration run when a value is beyond its guard, and reruns the test if something changed"
            .to_owned(),
    ];
    if let Some(seed) = test.literal_seeds.first() {
        notes.push(format!(
            "`{}` in line {} fixes the seed, under which one value is all there is to learn: draw without it first",
            seed.call, seed.place.line
        ));
    }
    Ok(Offer {
        kind: OfferKind::Learned,
        confidence: Some(ask.confidence),
        change: Remedy::Learned { series: index },
        price: Price {
            rate: Rate {
                estimate: rate,
                low: 0.0,
                high: rate,
            },
            seconds: guard.extra_runs * test.seconds_per_run,
            power: power.map_or([0.0; 3], |power| power.caught),
        },
        notes,
    })
}

/// One seed for good: nothing fails by chance, and nothing else is seen.
pub fn seed(test: &ObservedTest, series: &Series, values: &Values, limit: f64) -> Offer {
    let value = match test.first_as_written {
        true => series.values.iter().find(|(run, _)| *run == 0),
        false => series
            .values
            .iter()
            .find(|(_, value)| !values.side.is_beyond(*value, limit)),
    };
    let caught = |shifts: f64| {
        let is_caught = value
            .is_some_and(|(_, value)| values.side.is_beyond(values.shifted(*value, shifts), limit));
        f64::from(u8::from(is_caught))
    };
    let how = match test.literal_seeds.first() {
        Some(seed) => format!(
            "`{}` in line {} fixes it already",
            seed.call, seed.place.line
        ),
        None if test.id.runner() == Runner::Cargo => {
            "draw from a generator with a seed of its own, not from the test's".to_owned()
        }
        None => "`np.random.seed(…)`, or `random_state=…`, at the beginning of the test".to_owned(),
    };
    Offer {
        kind: OfferKind::Seed,
        confidence: None,
        change: Remedy::Hint(how),
        price: Price {
            rate: Rate {
                estimate: 0.0,
                low: 0.0,
                high: 0.0,
            },
            seconds: 0.0,
            power: [1.0, 2.0, 3.0].map(caught),
        },
        notes: vec![
            "catches nothing that this seed does not show, and breaks when the order of draws changes".to_owned(),
        ],
    }
}

/// By which factor more data would make the assertion hold as it is: a standard deviation shrinks like 1/√n.
pub fn parameters(series: &Series, values: &Values, typical: f64, ask: &Ask) -> Option<String> {
    let bound = series
        .bound
        .filter(|_| !series.is_margin && values.p_value.is_none())?;
    // A difference shrinks as a whole; a value shrinks towards its mean.
    let centre = match series.role {
        Role::Upper | Role::Lower => values.mean,
        _ => 0.0,
    };
    let margin = values.side.orient(bound - centre);
    let needed = values.side.orient(typical - centre);
    let factor = (needed / margin).powi(2);
    (margin > 0.0 && factor.is_finite() && factor > 1.0 && factor < 1e6).then(|| {
        format!(
            "about {} times as much data (iterations, samples) would bring the failure rate to {}, if the standard \
             deviation shrinks like 1/√n",
            short(format!("{factor:.1e}").parse().unwrap_or(factor)),
            percent(1.0 - ask.confidence)
        )
    })
}
