//! What must hold of an entry beyond the types of its fields. Reading and inserting both ask here.

use std::fmt;

use super::{Entry, Fit, GuardBound, HeldBound, Learned, Sides};
use flex_core::tail::{Domain, Side};

/// Why an entry cannot be in a bounds file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryError {
    /// The side that is wrong, where it is one of them.
    pub side: Option<Side>,
    /// The key of the file whose value is wrong or missing.
    pub key: &'static str,
    /// What is wrong.
    pub message: String,
}

impl EntryError {
    pub(super) fn new(key: &'static str, message: impl Into<String>) -> Self {
        EntryError {
            side: None,
            key,
            message: message.into(),
        }
    }
}

impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for EntryError {}

type Checked = Result<(), EntryError>;

impl Entry {
    pub(super) fn check(&self) -> Checked {
        named("test", self.key.test.name())?;
        named("site", &self.key.site.text)?;
        for (side, learned) in self.sides.iter() {
            learned
                .check(side, self.domain)
                .map_err(|error| EntryError {
                    side: Some(side),
                    ..error
                })?;
        }
        if let Sides::Both { lower, upper } = &self.sides {
            let kinds = [lower, upper].map(|side| side.held().map(|_| side.strategy()));
            let ends = [lower, upper].map(|side| side.held().map(|held| held.bound));
            if kinds[0] != kinds[1] || ends[0].is_some() && ends[0] >= ends[1] {
                let message = "`lower` and `upper` do not belong together";
                return Err(EntryError::new("upper", message));
            }
        }
        if self.not_finite > self.samples {
            return Err(EntryError::new(
                "not_finite",
                "more samples are not finite than there are",
            ));
        }
        if let Some(effort) = self.effort {
            finite("effort", "the effort", effort)?;
        }
        if let Some(quantiles) = &self.quantiles {
            for quantile in quantiles {
                finite("quantiles", "a quantile", *quantile)?;
            }
            if !quantiles.is_sorted() {
                return Err(EntryError::new(
                    "quantiles",
                    "the quantiles are not in ascending order",
                ));
            }
        }
        match &self.calibrated {
            Some(date) if !is_date(date) => Err(EntryError::new(
                "calibrated",
                format!("`calibrated` is \"{date}\", which is not a date like \"2026-11-16\""),
            )),
            _ => Ok(()),
        }
    }
}

impl Learned {
    fn check(&self, side: Side, domain: Option<Domain>) -> Checked {
        if let Some(ceiling) = self.ceiling() {
            finite("ceiling", "the ceiling", ceiling)?;
            within("ceiling", ceiling, domain)?;
        }
        if let Some(guard) = self.guard() {
            guard.check(side, domain, self.ceiling())?;
        }
        if let Some(fit) = self.fit() {
            fit.check()?;
        }
        if let Some(held) = self.held() {
            held.check()?;
            within("bound", held.bound, domain)?;
        }
        match self {
            Learned::Refuse { reason } if reason.trim().is_empty() => Err(EntryError::new(
                "reason",
                "strategy `refuse` needs a `reason` that says why",
            )),
            _ => Ok(()),
        }
    }
}

impl GuardBound {
    fn check(&self, side: Side, domain: Option<Domain>, ceiling: Option<f64>) -> Checked {
        let bound = self.bound;
        finite("guard", "the guard", bound)?;
        within("guard", bound, domain)?;
        if let Some(ceiling) = ceiling
            && side.is_beyond(bound, ceiling)
        {
            let wrong = match side {
                Side::Upper => "below",
                Side::Lower => "above",
            };
            let message = format!(
                "the ceiling {ceiling:?} of the {side} tail is {wrong} its guard {bound:?}"
            );
            return Err(EntryError::new("ceiling", message));
        }
        let cuts = self.race.cuts();
        for cut in cuts {
            finite("race", "a cut of the race", cut.value)?;
        }
        let inward = cuts
            .windows(2)
            .find(|pair| side.is_beyond(pair[0].value, pair[1].value));
        match inward {
            None => Ok(()),
            Some(pair) => Err(EntryError::new(
                "race",
                format!(
                    "the cuts of the {side} tail must go outward, and {:?} follows {:?}",
                    pair[1].value, pair[0].value
                ),
            )),
        }
    }
}

impl HeldBound {
    fn check(&self) -> Checked {
        finite("bound", "the bound", self.bound)?;
        finite("margin", "the margin", self.margin)?;
        finite("mean", "the mean", self.mean)?;
        if self.margin < 0.0 {
            let message = format!("the margin is {:?} and must be 0 or more", self.margin);
            return Err(EntryError::new("margin", message));
        }
        let ends = self.ends();
        for end in [ends.lower(), ends.upper()] {
            finite("limits", "a limit", end)?;
        }
        match ends.lower() < self.bound && self.bound < ends.upper() {
            true => Ok(()),
            false => Err(EntryError::new(
                "bound",
                format!("the bound {:?} does not lie between {ends}", self.bound),
            )),
        }
    }
}

impl Fit {
    fn check(&self) -> Checked {
        finite("fit", "the fit's threshold", self.threshold)?;
        finite("fit", "the fit's scale", self.scale)?;
        finite("fit", "the fit's shape", self.shape)?;
        if self.scale > 0.0 {
            Ok(())
        } else {
            Err(EntryError::new(
                "fit",
                format!(
                    "the fit's scale is {:?} and must be greater than 0",
                    self.scale
                ),
            ))
        }
    }
}

fn named(key: &'static str, name: &str) -> Checked {
    if name.is_empty() {
        Err(EntryError::new(key, format!("`{key}` is empty")))
    } else {
        Ok(())
    }
}

fn finite(key: &'static str, what: &str, value: f64) -> Checked {
    if value.is_finite() {
        Ok(())
    } else {
        Err(EntryError::new(
            key,
            format!("{what} is {value} and must be a finite number"),
        ))
    }
}

fn within(key: &'static str, bound: f64, domain: Option<Domain>) -> Checked {
    match domain {
        Some(domain) if !domain.contains(bound) => Err(EntryError::new(
            key,
            format!("the {key} {bound:?} lies outside the domain {domain}"),
        )),
        _ => Ok(()),
    }
}

/// Whether a text is a day of the Gregorian calendar, written `YYYY-MM-DD`.
pub(crate) fn is_date(text: &str) -> bool {
    let number = |from: usize, to: usize| -> Option<u32> {
        let digits = text.get(from..to)?;
        let all = digits.bytes().all(|byte| byte.is_ascii_digit());
        all.then(|| digits.parse().ok())?
    };
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
        return false;
    }
    let (Some(year), Some(month), Some(day)) = (number(0, 4), number(5, 7), number(8, 10)) else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=days).contains(&day)
}

#[cfg(test)]
mod tests;
