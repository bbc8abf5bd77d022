//! Confidence, and how a test's false-alarm budget is shared over its sites
//! (docs/design/bound.md, "Shares of the budget").

use std::fmt;
use std::str::FromStr;

use crate::tail::Tail;

/// The probability that unchanged code passes: strictly between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Confidence(f64);

impl Confidence {
    /// What a test gets that does not say otherwise.
    pub const DEFAULT: Confidence = Confidence(0.9999);

    /// A checked confidence.
    pub fn new(value: f64) -> Result<Self, String> {
        if value > 0.0 && value < 1.0 {
            Ok(Confidence(value))
        } else {
            Err(format!(
                "{value} is not a confidence: it must lie strictly between 0 and 1, like 0.9999"
            ))
        }
    }

    /// The confidence as a number.
    pub fn value(self) -> f64 {
        self.0
    }

    /// 1 − C: how often unchanged code may fail.
    pub fn false_alarm_rate(self) -> f64 {
        1.0 - self.0
    }

    /// The confidence that leaves this false-alarm rate.
    ///
    /// Subtracting leaves digits that nobody wrote, so the result is the nearest decimal that keeps nine digits of
    /// the rate: a fifth of 1 − 0.9999 is 1 − 0.99998.
    pub fn from_rate(rate: f64) -> Result<Self, String> {
        let exact = 1.0 - rate;
        let digits = (9.0 - rate.log10().floor()).clamp(1.0, 17.0) as usize;
        let rounded: f64 = format!("{exact:.digits$}").parse().unwrap_or(exact);
        Confidence::new(if rounded < 1.0 { rounded } else { exact })
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Confidence {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.parse() {
            Ok(value) => Confidence::new(value),
            Err(_) => Err(format!("`{text}` is not a number")),
        }
    }
}

/// The probability, over calibrations, that a learned bound keeps its rate.
pub const ASSURANCE: f64 = 0.99;

/// What a race promises of unchanged code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RacePromise {
    /// Its false-alarm rate.
    pub rate: f64,
    /// The probability, over calibrations, that it keeps it.
    pub assurance: f64,
}

/// The assurance that each of so many races needs, so that all of them keep their rates together with the assurance,
/// however they depend on each other.
pub(crate) fn assurance_of_each(together: u32) -> f64 {
    1.0 - (1.0 - ASSURANCE) / f64::from(together.max(1))
}

/// Expected extra runs per run that a test may spend on its races.
pub const DEFAULT_EFFORT: f64 = 0.3;

/// The effort of a test that does not say otherwise: less for one whose runs take longer than ten seconds.
pub fn default_effort(seconds_per_run: f64) -> f64 {
    if seconds_per_run > 10.0 {
        0.05
    } else {
        DEFAULT_EFFORT
    }
}

/// What one learned site may spend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// The site's own confidence; its false-alarm rate is the site's budget.
    pub confidence: Confidence,
    /// The site's part of the test's expected extra runs.
    pub effort: f64,
}

impl Share {
    /// The whole of a test's budget, for a test with a single learned site.
    pub fn whole(confidence: Confidence) -> Self {
        Share {
            confidence,
            effort: DEFAULT_EFFORT,
        }
    }

    /// What each side of the site may spend: a two-sided site halves its share.
    pub fn per_side(self, tail: Tail) -> SideShare {
        let sides = tail.sides().len() as f64;
        SideShare {
            false_alarm_rate: self.confidence.false_alarm_rate() / sides,
            effort: self.effort / sides,
        }
    }
}

/// What one side of a learned site may spend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SideShare {
    /// The false-alarm rate of guard and ceiling together.
    pub false_alarm_rate: f64,
    /// Expected extra runs per run.
    pub effort: f64,
}

/// Divides a test's budget over its learned sites.
///
/// `own` holds, per site, the confidence that the site states for itself, if it does. Those are subtracted first;
/// what remains is divided evenly over the others. The effort is divided evenly over all.
pub fn divide(
    confidence: Confidence,
    effort: f64,
    own: &[Option<Confidence>],
) -> Result<Vec<Share>, ShareError> {
    let total = confidence.false_alarm_rate();
    let (mut stated, mut others) = (0.0, 0);
    for site in own {
        match site {
            Some(own) => stated += own.false_alarm_rate(),
            None => others += 1,
        }
    }
    let too_much = ShareError {
        confidence,
        stated,
        others,
    };
    // Sites that spend the budget to the last digit must not fail over a rounding error.
    let slack = total * 1e-9;
    if stated > total + slack || (others > 0 && stated > total - slack) {
        return Err(too_much);
    }
    let rest = (total - stated) / others.max(1) as f64;
    let mut shares = Vec::with_capacity(own.len());
    for site in own {
        let confidence = match (site, Confidence::from_rate(rest)) {
            (Some(own), _) => *own,
            (None, _) if own.len() == 1 => confidence,
            (None, Ok(share)) => share,
            (None, Err(_)) => return Err(too_much),
        };
        shares.push(Share {
            confidence,
            effort: effort / own.len() as f64,
        });
    }
    Ok(shares)
}

/// The sites of a test ask for more than the test's confidence leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct ShareError {
    confidence: Confidence,
    stated: f64,
    others: usize,
}

impl fmt::Display for ShareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.stated == 0.0 {
            return write!(
                f,
                "a confidence of {} leaves too little for {} sites; lower it",
                self.confidence, self.others
            );
        }
        write!(
            f,
            "the sites that state their own confidence spend a false-alarm rate of {:.3e}, and the test's confidence of {} allows {:.3e}",
            self.stated,
            self.confidence,
            self.confidence.false_alarm_rate()
        )?;
        match self.others {
            0 => {}
            1 => write!(f, ", which leaves nothing for the other site")?,
            others => write!(f, ", which leaves nothing for the {others} other sites")?,
        }
        write!(
            f,
            "; raise the sites' confidence, or lower that of the test"
        )
    }
}

impl std::error::Error for ShareError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn c(value: f64) -> Confidence {
        Confidence::new(value).unwrap()
    }

    #[test]
    fn confidence_outside_the_open_unit_interval_is_refused() {
        for wrong in [0.0, 1.0, -0.1, 1.5, f64::NAN, f64::INFINITY] {
            assert!(Confidence::new(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_budget_is_divided_evenly_and_printed_as_a_person_would() {
        let shares = divide(c(0.9999), 0.3, &[None; 5]).unwrap();
        for share in &shares {
            assert_eq!(share.confidence.value(), 0.99998);
            assert!((share.effort - 0.06).abs() < 1e-15);
        }
        let total: f64 = shares.iter().map(|s| s.confidence.false_alarm_rate()).sum();
        assert!(total <= 1e-4 * (1.0 + 1e-8), "{total}");
    }

    #[test]
    fn a_site_with_its_own_confidence_is_served_first() {
        let shares = divide(c(0.999), 0.3, &[None, Some(c(0.9995)), None]).unwrap();
        assert_eq!(shares[1].confidence.value(), 0.9995);
        assert_eq!(shares[0].confidence.value(), 0.99975);
        assert_eq!(shares[2].confidence.value(), 0.99975);
    }

    #[test]
    fn sites_that_spend_everything_leave_nothing_for_others() {
        let own = Some(c(0.9995));
        assert!(divide(c(0.999), 0.3, &[own, own]).is_ok());
        let error = divide(c(0.999), 0.3, &[own, own, None]).unwrap_err();
        assert!(
            error.to_string().contains("nothing for the other site"),
            "{error}"
        );
        assert!(divide(c(0.999), 0.3, &[own, own, own]).is_err());
    }

    #[test]
    fn slow_tests_spend_less_on_reruns() {
        assert_eq!(default_effort(0.1), 0.3);
        assert_eq!(default_effort(11.0), 0.05);
    }

    #[test]
    fn a_two_sided_site_halves_its_share() {
        let share = Share::whole(c(0.99));
        let side = share.per_side(Tail::Both);
        assert!((side.false_alarm_rate - 0.005).abs() < 1e-15);
        assert_eq!(side.effort, 0.15);
    }
}
