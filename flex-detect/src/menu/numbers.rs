//! Other numbers for an assertion: bounds and tolerances that keep a false-alarm rate.

use flex_bounds::round::by_hand;
use flex_core::bound::ceiling::{Ceiling, TIGHT};
use flex_core::published::Empirical;
use flex_core::tail::Side;
use flex_core::words::{count, plain};

use super::tolerance;
use super::values::{NEVER, Values};
use super::{Offer, OfferKind, Price, Remedy};
use crate::record::{Role, Series};

/// The number that keeps a false-alarm rate, by the tail or by an order statistic; or why there is none.
pub fn bound(
    index: usize,
    series: &Series,
    values: &Values,
    confidence: f64,
) -> Result<Offer, String> {
    let ceiling = values.ceiling(1.0 - confidence);
    let ceiling = ceiling.map_err(|why| why.to_string())?;
    let mut offer = offer(kind_of(series.role), index, series, values, ceiling.bound)?;
    offer.confidence = Some(confidence);
    offer.notes.push(evidence(&ceiling, values));
    Ok(offer)
}

/// The bootstrapped extreme of the values.
pub fn empirical(index: usize, series: &Series, values: &Values) -> Result<Offer, String> {
    let empirical = Empirical::learn(&values.samples, values.side, values.domain);
    let empirical = empirical.map_err(|why| why.to_string())?;
    let mut offer = offer(OfferKind::Empirical, index, series, values, empirical.bound)?;
    let (low, high) = empirical.interval;
    offer.notes.push(format!(
        "95% interval of the extreme: {} to {}",
        plain(short_of(low)),
        plain(short_of(high))
    ));
    Ok(offer)
}

/// A closer number for an assertion that is looser than its tail at a rate of 1e-9: the one that keeps the rate that is
/// asked for.
pub fn tighten(index: usize, series: &Series, values: &Values, confidence: f64) -> Option<Offer> {
    let present = present_limit(series, values)?;
    let never = values.ceiling(NEVER).ok()?;
    let ceiling = values.ceiling(1.0 - confidence).ok()?;
    let mut offer = offer(OfferKind::Tighten, index, series, values, ceiling.bound).ok()?;
    let Remedy::Number { limit, .. } = offer.change else {
        return None;
    };
    offer.confidence = Some(confidence);
    offer.notes.push(evidence(&ceiling, values));
    let is_beyond = |value: f64| values.side.is_beyond(present, value);
    (is_beyond(never.typical) && is_beyond(limit)).then_some(offer)
}

/// The outermost value that passes as the source is.
pub fn present_limit(series: &Series, values: &Values) -> Option<f64> {
    let bound = series.bound.filter(|_| !series.is_margin)?;
    Some(values.limit(bound))
}

/// Whether this passes more than the source does.
pub fn is_looser(limit: f64, series: &Series, values: &Values) -> bool {
    present_limit(series, values).is_none_or(|present| values.side.is_beyond(limit, present))
}

fn kind_of(role: Role) -> OfferKind {
    match role {
        Role::Upper | Role::Lower => OfferKind::Bound,
        _ => OfferKind::Tolerance,
    }
}

/// The offer of the number that lets values up to `needed` pass.
fn offer(
    kind: OfferKind,
    index: usize,
    series: &Series,
    values: &Values,
    needed: f64,
) -> Result<Offer, String> {
    let (number, limit) = match series.role {
        Role::Upper | Role::Lower => {
            let number = written(values, needed)?;
            (number, values.limit(number))
        }
        Role::Absolute | Role::Relative => {
            let number = by_hand(Side::Upper, needed, values.median(), None);
            (number, number)
        }
        role => tolerance::whole(role, needed).ok_or_else(|| {
            format!(
                "no whole number lets a difference of {} pass",
                plain(short_of(needed))
            )
        })?,
    };
    let out_of_reach = values.seems_out_of_reach(limit).then(|| {
        format!(
            "all values lie in [0, 1]: if they can lie nowhere else, like a share or a probability, {} catches nothing",
            plain(number)
        )
    });
    Ok(Offer {
        kind,
        confidence: None,
        change: Remedy::Number {
            series: index,
            number,
            limit,
        },
        price: Price {
            rate: values.rate(limit),
            seconds: 0.0,
            power: values.power(limit),
        },
        notes: out_of_reach.into_iter().collect(),
    })
}

/// The number to write so that values up to `needed` pass, rounded as a person would.
fn written(values: &Values, needed: f64) -> Result<f64, String> {
    let side = values.side;
    let median = values.median();
    if values.is_logarithmic() {
        return Ok(power_of_ten(needed));
    }
    if !values.is_strict {
        return Ok(by_hand(side, needed, median, values.domain));
    }
    // `x < B` fails at B itself, so B must be a step farther; the end of the domain will do, where values can be.
    let beyond = match values.step {
        Some(step) => tidy(needed + side.orient(step), step),
        None => side.orient(side.orient(needed).next_up()),
    };
    match values.domain {
        Some(domain) if !domain.contains(beyond) => Err(format!(
            "a bound would have to be {}, outside of {domain}",
            plain(beyond)
        )),
        domain => Ok(by_hand(side, beyond, median, domain)),
    }
}

/// The power of ten below a number, as people write limits of p-values.
fn power_of_ten(number: f64) -> f64 {
    let power = number.next_down().log10().floor();
    format!("1e{power}").parse().unwrap_or(number)
}

/// A point of a lattice without the dust of adding to it.
fn tidy(value: f64, step: f64) -> f64 {
    flex_bounds::round::nearest(value, 1e-6 * step)
}

fn short_of(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// From how many runs a bound comes, and whether more would bring it closer.
fn evidence(ceiling: &Ceiling, values: &Values) -> String {
    let runs = count(values.samples.len(), "run", "runs");
    let how = match ceiling.fit {
        Some(fit) => format!("tail fitted to {} of {runs}", fit.exceedances),
        None => format!("counted in {runs}"),
    };
    let is_loose = ceiling.margin(values.median()) > TIGHT && ceiling.fit.is_some();
    if is_loose && values.more_runs_would_help() {
        format!("{how}; `detect --tight` makes more runs, which brings it closer")
    } else {
        how
    }
}
