//! The answer in words, 80 columns wide.

use std::fmt;

use flex_bounds::round::nearest;
use flex_core::bound::SideBound;
use flex_core::bound::ceiling::Promise;
use flex_core::bound::guard::Settling;
use flex_core::bound::power::Power;
use flex_core::bound::strategy::Strategy;
use flex_core::bound::tail_rate::TailRate;
use flex_core::tail::Side;

use super::answer::rounded;
use super::inquiry::SampledBound;
use flex_core::words::{paragraph, percent, plain, short, thousands};

/// The answer for a person.
pub struct Explanation<'a>(pub &'a SampledBound);

impl fmt::Display for Explanation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let learned = self.0;
        let bound = &learned.bound;
        let (low, high) = (learned.samples.quantile(0.0), learned.samples.quantile(1.0));
        let finite = learned.samples.finite().len();
        let values = match (bound.samples, finite) {
            (1, 1) => "1 value".to_owned(),
            (n, finite) if n == finite => format!("{n} values"),
            (n, finite) => format!("{n} values, {finite} of them finite,"),
        };
        match (low, high) {
            (Some(low), Some(high)) => writeln!(
                f,
                "{values} from {} to {}, median {}{}\n",
                shown(low, high - low),
                shown(high, high - low),
                shown(bound.median, high - low),
                match bound.sides[0].lattice_step {
                    Some(step) => format!(", on a lattice of step {}", short(step)),
                    None => String::new(),
                }
            )?,
            _ => match bound.samples {
                0 => writeln!(f, "no values\n")?,
                1 => writeln!(f, "1 value, which is not finite\n")?,
                many => writeln!(f, "{many} values, none of them finite\n")?,
            },
        }
        for side in &bound.sides {
            self.tiers(f, side)?;
        }
        if bound.strategy() != Strategy::Refuse {
            writeln!(f)?;
            self.power(f)?;
            for side in &bound.sides {
                origin(f, side, learned.inquiry.question.light)?;
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
            let rule = match self.0.inquiry.question.settling {
                Settling::Replay => "beyond it, replay; rerun if something changed",
                Settling::Reruns => "beyond it, rerun",
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

    /// Says what the guard catches and costs.
    fn power(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sides = self.0.bound.sides.iter();
        let powers: Vec<String> = sides
            .filter_map(|side| Power::of(side, &self.0.samples, 0.0))
            .map(|power| power.to_string())
            .collect();
        if powers.is_empty() {
            return Ok(());
        }
        let words = format!(
            "A run of the test catches {}. Unchanged code takes {:.2} extra runs per run on average.",
            powers.join("; "),
            self.0.bound.extra_runs()
        );
        paragraph(f, "", &words)
    }

    /// Says what the bound promises.
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
            Promise::Assured => "99% of such bounds keep that rate",
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
            Some(tail) if tail.upper_limit <= TailRate::LEAST => {
                " The fitted tail says that it never will.".to_owned()
            }
            Some(tail) => format!(
                " The fitted tail suggests {}, at most {}.",
                percent(tail.estimate),
                percent(tail.upper_limit)
            ),
            None => String::new(),
        };
        let words = format!(
            "{} of {} values are beyond {}: it would fail in {} of runs (between {} and {}, with 95% confidence).{tail}",
            rate.failures,
            rate.samples,
            plain(declared),
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

/// A number with the digits that matter where values spread so wide.
fn shown(number: f64, spread: f64) -> String {
    if spread < 1e-3 * number.abs() {
        plain(nearest(number, spread))
    } else {
        short(number)
    }
}

fn extreme(side: Side) -> &'static str {
    match side {
        Side::Upper => "largest",
        Side::Lower => "smallest",
    }
}
