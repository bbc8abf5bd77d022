//! The budget of a suite: how often a run of all tests of one bounds file may fail though nothing changed
//! (docs/design/recalibration.md, "The budget of a suite").
//!
//! It is spent, not divided: what a site was given it keeps, so that a new site does not move the bounds of all others.
//! False alarms add up whether or not they come together, so the sites' rates need only sum to no more than the budget.

use std::fmt;
use std::str::FromStr;

use flex_core::bound::confidence::Confidence;

/// So many false alarms in so many runs of the suite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SuiteBudget {
    alarms: u64,
    runs: u64,
}

impl SuiteBudget {
    /// The probability that a run of the suite fails though nothing changed.
    pub fn rate(self) -> f64 {
        self.alarms as f64 / self.runs as f64
    }

    /// Whether this much can be spent. Rates that were rounded to be written down may exceed it by a hair.
    pub fn allows(self, spent: f64) -> bool {
        spent <= self.rate() * (1.0 + 1e-6)
    }

    /// What a new site gets of a budget that so many sites share.
    ///
    /// It is less than an even share, so that something is left for later; and it changes only when the number of
    /// sites passes a power of two, so that sites that are learned one by one get the same as if learned together.
    fn new_share(rate: f64, sites: usize) -> f64 {
        rate / (2.0 * sites.max(1).next_power_of_two() as f64)
    }

    /// What each of some sites may spend.
    ///
    /// Those that have something keep it, as long as all is paid for; then those with most give up first.
    pub fn allot(self, asking: &Asking<'_>) -> Result<Allotment, Overspent> {
        let fixed: f64 = asking.stated + asking.others.iter().sum::<f64>();
        let left = self.rate() - asking.stated;
        let sites = asking.others.len() + asking.expected + asking.sites.len();
        let new = Self::new_share(left, sites);
        let overspent = |wanted: f64| Overspent {
            budget: self,
            stated: asking.stated,
            // The sum of nothing is −0, which is no number for people.
            others: asking.others.iter().sum::<f64>() + 0.0,
            wanted,
        };
        let mut rates: Vec<f64> = asking
            .sites
            .iter()
            .map(|known| known.unwrap_or(new))
            .collect();
        while !self.allows(fixed + rates.iter().sum::<f64>()) {
            let total = rates.iter().sum();
            let richest = rates.iter_mut().max_by(|a, b| a.total_cmp(b));
            match richest.filter(|rate| **rate > new) {
                Some(rate) => *rate = new,
                None => return Err(overspent(total)),
            }
        }
        // If nothing is left at all, there is no such confidence.
        let nothing_left = |_| overspent(0.0);
        let mut sites = Vec::new();
        for (rate, known) in rates.into_iter().zip(asking.sites) {
            let confidence = match known {
                // What a site keeps, it keeps to the last digit: its bound was learned for that.
                Some(known) if *known == rate => Confidence::new(1.0 - known),
                _ => Confidence::from_rate(rate),
            };
            sites.push(confidence.map_err(nothing_left)?);
        }
        let new = Confidence::from_rate(new).map_err(nothing_left)?;
        Ok(Allotment { sites, new })
    }
}

/// What sites may spend.
#[derive(Debug, Clone, PartialEq)]
pub struct Allotment {
    /// The sites that asked, in their order.
    pub sites: Vec<Confidence>,
    /// Any further one.
    pub new: Confidence,
}

/// Who asks for a part of a budget, in false-alarm rates.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    /// What tests spend that state their own confidence.
    pub stated: f64,
    /// What the sites spend that are not asked now.
    pub others: &'a [f64],
    /// How many more sites will ask later.
    pub expected: usize,
    /// The sites that ask, with what they have, if anything.
    pub sites: &'a [Option<f64>],
}

/// A budget does not suffice.
#[derive(Debug, Clone, PartialEq)]
pub struct Overspent {
    budget: SuiteBudget,
    stated: f64,
    others: f64,
    wanted: f64,
}

impl fmt::Display for Overspent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Overspent {
            budget,
            stated,
            others,
            wanted,
        } = self;
        write!(
            f,
            "the budget of {budget} ({:.2e}) is spent: tests that state their own confidence take {stated:.2e}, \
             other sites {others:.2e}",
            budget.rate()
        )?;
        if *stated >= budget.rate() {
            write!(
                f,
                "; let them state a higher confidence, or raise the budget"
            )?;
        } else if *wanted > 0.0 {
            write!(f, ", and these ask for {wanted:.2e}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Overspent {}

impl fmt::Display for SuiteBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {} runs", self.alarms, self.runs)
    }
}

impl FromStr for SuiteBudget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is not like `1 in 10000 runs`: how many runs of the suite may fail by chance"
            )
        };
        let number = |word: &str| {
            let digits: String = word.chars().filter(|c| !matches!(c, ',' | '_')).collect();
            digits.parse::<u64>().ok().filter(|number| *number > 0)
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let [alarms, "in", runs, "runs" | "run"] = words[..] else {
            return Err(wrong());
        };
        let (Some(alarms), Some(runs)) = (number(alarms), number(runs)) else {
            return Err(wrong());
        };
        if alarms < runs {
            Ok(SuiteBudget { alarms, runs })
        } else {
            Err(format!("`{text}` allows every run to fail"))
        }
    }
}

#[cfg(test)]
mod tests;
