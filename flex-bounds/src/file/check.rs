//! What must hold of an entry beyond the types of its fields. Reading and inserting both ask here.

use std::fmt;

use super::{Entry, Fit, GuardBound, Learned};
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
        if self.not_finite > self.samples {
            return Err(EntryError::new(
                "not_finite",
                "more samples are not finite than there are",
            ));
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
        if let Some(GuardBound { bound, .. }) = self.guard() {
            finite("guard", "the guard's bound", bound)?;
            within("guard", bound, domain)?;
            if let Some(ceiling) = self.ceiling()
                && side.is_beyond(bound, ceiling)
            {
                let wrong = match side {
                    Side::Upper => "below",
                    Side::Lower => "above",
                };
                return Err(EntryError::new(
                    "ceiling",
                    format!(
                        "the ceiling {ceiling:?} of the {side} tail is {wrong} its guard {bound:?}"
                    ),
                ));
            }
        }
        if let Some(fit) = self.fit() {
            fit.check()?;
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
fn is_date(text: &str) -> bool {
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
mod tests {
    use super::*;
    use crate::file::tests::entry;
    use crate::file::{Bounds, BoundsFile, Sides};
    use flex_core::bound::race::Hits;

    /// Changes a valid entry and asserts that exactly `key` is complained about, and that the file stays empty.
    fn check(key: &str, words: &str, change: impl FnOnce(&mut Entry)) {
        let mut file = BoundsFile::default();
        let mut entry = entry("error<_");
        change(&mut entry);
        let error = file.insert(entry).unwrap_err();
        assert_eq!(error.key, key, "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(file, BoundsFile::default());
    }

    fn bounds(ceiling: f64, bound: f64) -> Learned {
        Learned::Tail(Bounds {
            ceiling,
            guard: Some(GuardBound {
                bound,
                hits: Hits::new(12).unwrap(),
            }),
            fit: None,
        })
    }

    #[test]
    fn numbers_that_are_not_finite_are_refused() {
        for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            check("ceiling", "finite", |entry| {
                entry.sides = Sides::Upper(bounds(wrong, 0.5));
            });
            check("guard", "finite", |entry| {
                entry.sides = Sides::Upper(bounds(0.5, wrong));
            });
            check("quantiles", "finite", |entry| {
                entry.quantiles = Some([wrong; 17]);
            });
        }
    }

    #[test]
    fn the_ceiling_is_not_tighter_than_the_guard() {
        check("ceiling", "below its guard", |entry| {
            entry.sides = Sides::Upper(bounds(0.4, 0.5));
        });
        check("ceiling", "above its guard", |entry| {
            entry.sides = Sides::Lower(bounds(0.5, 0.4));
        });
        let mut file = BoundsFile::default();
        let mut entry = entry("error<_");
        entry.sides = Sides::Upper(bounds(0.5, 0.5));
        assert_eq!(file.insert(entry), Ok(None), "equal is not tighter");
    }

    #[test]
    fn bounds_stay_inside_the_domain() {
        check("ceiling", "outside the domain 0..1", |entry| {
            entry.domain = Domain::new(0.0, 1.0).ok();
            entry.sides = Sides::Upper(bounds(1.5, 0.5));
        });
        check("guard", "outside the domain 0..1", |entry| {
            entry.domain = Domain::new(0.0, 1.0).ok();
            entry.sides = Sides::Upper(bounds(0.5, -0.5));
        });
    }

    #[test]
    fn a_wrong_side_of_two_is_named() {
        let mut entry = entry("error<_");
        entry.sides = Sides::Both {
            lower: bounds(-2.0, -1.0),
            upper: bounds(1.0, 2.0),
        };
        assert_eq!(entry.check().unwrap_err().side, Some(Side::Upper));
    }

    #[test]
    fn fit_reason_and_names_are_checked() {
        check("fit", "scale", |entry| {
            let fit = Fit {
                threshold: 0.0,
                scale: 0.0,
                shape: 0.1,
                exceedances: 20,
            };
            entry.sides = Sides::Upper(Learned::Tail(Bounds {
                ceiling: 1.0,
                guard: None,
                fit: Some(fit),
            }));
        });
        check("reason", "says why", |entry| {
            let reason = " ".to_owned();
            entry.sides = Sides::Upper(Learned::Refuse { reason });
        });
        check("site", "empty", |entry| entry.key.site.text.clear());
        check("not_finite", "than there are", |entry| {
            entry.not_finite = entry.samples + 1;
        });
        check("quantiles", "ascending", |entry| {
            let mut quantiles = [0.0; 17];
            quantiles[3] = 1.0;
            entry.quantiles = Some(quantiles);
        });
    }

    #[test]
    fn only_days_of_the_calendar_are_dates() {
        for date in ["2026-11-16", "2024-02-29", "2000-02-29", "0001-12-31"] {
            assert!(is_date(date), "{date}");
        }
        for wrong in [
            "2026-02-29",
            "1900-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-04-31",
            "2026-01-00",
            "2026-1-01",
            "26-01-01",
            "2026/01/01",
            "+026-01-01",
            "2026-01-0é",
            "",
        ] {
            assert!(!is_date(wrong), "{wrong}");
            check("calibrated", "not a date", |entry| {
                entry.calibrated = Some(wrong.to_owned());
            });
        }
    }
}
