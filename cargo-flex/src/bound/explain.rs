//! The answer in words, 80 columns wide.

use std::fmt;

use flex_core::bound::SideBound;
use flex_core::ceiling::Promise;
use flex_core::strategy::Strategy;
use flex_core::tail::Side;

use super::Finding;
use super::answer::rounded;

/// What was found, for a person.
pub struct Explanation<'a>(pub &'a Finding);

impl fmt::Display for Explanation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let finding = self.0;
        let bound = &finding.bound;
        let (low, high) = (finding.samples.quantile(0.0), finding.samples.quantile(1.0));
        let finite = finding.samples.finite().len();
        let values = match (bound.samples, finite) {
            (1, 1) => "1 value".to_owned(),
            (n, finite) if n == finite => format!("{n} values"),
            (n, finite) => format!("{n} values, {finite} of them finite,"),
        };
        match (low, high) {
            (Some(low), Some(high)) => writeln!(
                f,
                "{values} from {} to {}, median {}\n",
                short(low),
                short(high),
                short(bound.median)
            )?,
            _ if bound.samples == 0 => writeln!(f, "no values\n")?,
            _ => writeln!(f, "{} values, none of them finite\n", bound.samples)?,
        }
        for side in &bound.sides {
            self.tiers(f, side)?;
        }
        if bound.strategy() != Strategy::Refuse {
            writeln!(f)?;
            self.power(f)?;
            for side in &bound.sides {
                origin(f, side, finding.inquiry.question.light)?;
            }
            self.promise(f)?;
        }
        if let Some(reason) = bound.reason() {
            let label = if bound.strategy() == Strategy::Refuse {
                "refused: "
            } else {
                "note: "
            };
            paragraph(f, label, &reason)?;
        }
        self.declared(f)
    }
}

impl Explanation<'_> {
    /// The two tiers of a side, as lines of a table and in words.
    fn tiers(&self, f: &mut fmt::Formatter<'_>, side: &SideBound) -> fmt::Result {
        let sign = match side.side {
            Side::Upper => "≤",
            Side::Lower => "≥",
        };
        let round = |bound| rounded(self.0, side, bound);
        if let Ok(guard) = &side.guard {
            let bound = round(guard.bound);
            let rule = match guard.plan.hits.get() {
                1 => "a value beyond it is a regression".to_owned(),
                hits => format!("beyond it the test is rerun; {hits} hits are a regression"),
            };
            writeln!(f, "  guard    x {sign} {:<10}  {rule}", plain(bound))?;
        }
        if let Ok(ceiling) = &side.ceiling {
            let bound = round(ceiling.bound);
            writeln!(
                f,
                "  ceiling  x {sign} {:<10}  one value beyond it fails at once",
                plain(bound)
            )?;
        }
        Ok(())
    }

    /// What the guard catches and costs. Both sides of a site have the same plan.
    fn power(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let guards = &mut self
            .0
            .bound
            .sides
            .iter()
            .filter_map(|side| side.guard.as_ref().ok());
        let Some(guard) = guards.next().filter(|_| !self.0.samples.is_constant()) else {
            return Ok(());
        };
        let [one, two, three, four] = guard.plan.power.map(percent);
        let words = format!(
            "A run of the test catches a shift of 1, 2, 3 or 4 standard deviations with probability {one}, {two}, {three} or {four} (normal values). Unchanged code is rerun {:.2} times per run on average.",
            self.0.bound.extra_runs()
        );
        paragraph(f, "", &words)
    }

    /// What the bound promises.
    fn promise(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let question = &self.0.inquiry.question;
        let confidence = question.share.confidence;
        let rate = confidence.false_alarm_rate();
        let often = if rate > 0.1 {
            format!("at most {} of runs", percent(rate))
        } else {
            // Rounded down, or the promise would be more than was asked for; 1 − 0.9999 is not quite a decimal.
            let one_in = (1.0 / rate * (1.0 + 1e-9)).floor();
            format!("at most 1 run in {}", thousands(one_in))
        };
        let kept = match question.promise {
            Promise::Assured => "95% of such bounds keep that rate",
            Promise::Expected => "such bounds keep that rate on average",
        };
        let words = format!("Unchanged code fails in {often} (confidence {confidence}); {kept}.");
        paragraph(f, "", &words)
    }

    fn declared(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((declared, rate)) = self.0.declared() else {
            return Ok(());
        };
        let (low, high) = rate.interval;
        let tail = match rate.from_tail {
            Some(tail) => format!(
                " The fitted tail suggests {}, at most {}.",
                percent(tail.estimate),
                percent(tail.upper_limit)
            ),
            None => String::new(),
        };
        let words = format!(
            "{} of {} values are beyond {declared}: it would fail in {} of runs (between {} and {}, with 95% confidence).{tail}",
            rate.failures,
            rate.samples,
            percent(rate.failures as f64 / rate.samples.max(1) as f64),
            percent(low),
            percent(high)
        );
        paragraph(f, "declared: ", &words)
    }
}

/// Where the ceiling of a side comes from.
fn origin(f: &mut fmt::Formatter<'_>, side: &SideBound, light: bool) -> fmt::Result {
    let words = match &side.ceiling {
        Ok(ceiling) => match ceiling.fit {
            Some(fit) if light => format!(
                "The ceiling takes your word that the tail is light: it continues the {} {} values (beyond {}) exponentially. If the tail is heavier, it fails more often than promised.",
                fit.exceedances,
                extreme(side.side),
                short(fit.threshold),
            ),
            Some(fit) => format!(
                "The ceiling extrapolates the {} {} values with a generalised Pareto tail (threshold {}, scale {}, shape {:.2}). It is as good as that tail is regular; a mode that no value has shown is beyond any such bound.",
                fit.exceedances,
                extreme(side.side),
                short(fit.threshold),
                short(fit.excess.scale()),
                fit.excess.shape()
            ),
            None => {
                "The ceiling is an order statistic: it assumes nothing about the values.".to_owned()
            }
        },
        Err(_) => return Ok(()),
    };
    paragraph(f, "", &words)
}

fn extreme(side: Side) -> &'static str {
    match side {
        Side::Upper => "largest",
        Side::Lower => "smallest",
    }
}

/// All digits of a bound, with an exponent where that is shorter.
fn plain(number: f64) -> String {
    let (plain, scientific) = (format!("{number}"), format!("{number:e}"));
    if plain.len() > 12 && scientific.len() < plain.len() {
        scientific
    } else {
        plain
    }
}

/// A number to four significant digits, without an exponent where that is short.
fn short(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let rounded: f64 = format!("{number:.3e}").parse().unwrap_or(number);
    if (1e-4..1e7).contains(&rounded.abs()) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

/// A probability in percent, to two significant digits.
fn percent(probability: f64) -> String {
    let percent = 100.0 * probability;
    match percent {
        0.0 => "0%".to_owned(),
        // Only certainty is 100%.
        p if (99.0..100.0).contains(&p) => format!("{:.1}%", p.min(99.9)),
        p if p >= 10.0 => format!("{p:.0}%"),
        p if p >= 1.0 => format!("{p:.1}%"),
        p if p >= 0.001 => format!("{}%", short(format!("{p:.1e}").parse().unwrap_or(p))),
        p => format!("{p:.1e}%"),
    }
}

/// A whole number with commas between its thousands.
fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Words wrapped at 80 columns and followed by an empty line.
fn paragraph(f: &mut fmt::Formatter<'_>, label: &str, words: &str) -> fmt::Result {
    const WIDTH: usize = 80;
    let mut column = label.chars().count();
    f.write_str(label)?;
    for (i, word) in words.split(' ').enumerate() {
        let length = word.chars().count();
        if i > 0 && column + 1 + length > WIDTH {
            writeln!(f)?;
            column = 0;
        } else if i > 0 {
            f.write_str(" ")?;
            column += 1;
        }
        f.write_str(word)?;
        column += length;
    }
    f.write_str("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_short() {
        assert_eq!(short(0.0123456), "0.01235");
        assert_eq!(short(-1234567.0), "-1235000");
        assert_eq!(short(1.5e-9), "1.5e-9");
        assert_eq!(percent(0.0), "0%");
        assert_eq!(percent(0.6428), "64%");
        assert_eq!(percent(0.01234), "1.2%");
        assert_eq!(percent(0.000_123_4), "0.012%");
        assert_eq!(percent(0.9999), "99.9%");
        assert_eq!(plain(81.2), "81.2");
        assert_eq!(plain(1.074e-13), "1.074e-13");
        assert_eq!(plain(1e308), "1e308");
        assert_eq!(thousands(10_000.0), "10,000");
        assert_eq!(thousands(100.0), "100");
    }
}
