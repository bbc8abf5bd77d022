//! Runs that tell nothing of the code: the network was down, a service had no room. They are not counted as runs that
//! passed or failed, but they are counted.

use flex_bounds::options::Options;
use flex_core::visible::visible;
use flex_core::words::count;

/// So many inconclusive runs say nothing yet of how many there will be.
const FEW: u32 = 10;

/// Reasons that are kept apart.
const REASONS: usize = 4;

/// The characters of a reason that are shown.
const WIDTH: usize = 80;

/// The inconclusive runs of a test.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Inconclusive {
    /// How many there are.
    pub runs: u32,
    /// Of so many runs in all.
    pub of: u32,
    /// Why, with how many runs say so, for the first few reasons.
    pub reasons: Vec<(String, u32)>,
}

impl Inconclusive {
    /// A run was made.
    pub fn made(&mut self) {
        self.of += 1;
    }

    /// A run was inconclusive.
    pub fn take(&mut self, why: &str) {
        self.runs += 1;
        let line = visible(why.lines().next().unwrap_or_default());
        let why: String = line.chars().take(WIDTH).collect();
        match self.reasons.iter().position(|(known, _)| *known == why) {
            Some(place) => self.reasons[place].1 += 1,
            None if self.reasons.len() < REASONS => self.reasons.push((why, 1)),
            None => {}
        }
    }

    /// Whether so many are inconclusive that nothing is to be decided by the others.
    pub fn are_too_many(&self, options: &Options) -> bool {
        let share = f64::from(self.runs) / f64::from(self.of.max(1));
        self.runs >= FEW && share > options.inconclusive()
    }

    /// How many of how many, and why; `None` if there are none.
    pub fn in_words(&self) -> Option<String> {
        let runs = (self.runs > 0).then(|| count(self.of as usize, "run", "runs"))?;
        let mut reasons: Vec<String> = Vec::new();
        let mut others = self.runs;
        for (why, runs) in &self.reasons {
            others -= runs;
            reasons.push(match runs {
                1 => why.clone(),
                runs => format!("{why} ({runs})"),
            });
        }
        if others > 0 {
            reasons.push(format!("others ({others})"));
        }
        let were = if self.runs == 1 { "was" } else { "were" };
        let reasons = reasons.join(", ");
        Some(format!(
            "{} of {runs} {were} inconclusive and {} not count: {reasons}",
            self.runs,
            if self.runs == 1 { "does" } else { "do" }
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(conclusive: u32, reasons: &[&str]) -> Inconclusive {
        let mut seen = Inconclusive {
            of: conclusive + reasons.len() as u32,
            ..Inconclusive::default()
        };
        reasons.iter().for_each(|why| seen.take(why));
        seen
    }

    #[test]
    fn reasons_are_counted_and_harmless() {
        assert_eq!(seen(7, &[]).in_words(), None);
        let words = seen(61, &["reset"]).in_words().unwrap();
        assert_eq!(
            words,
            "1 of 62 runs was inconclusive and does not count: reset"
        );
        let words = seen(5, &["a", "b\nsecret", "a", "c\u{1b}[2J", "d", "e", "f"]);
        let words = words.in_words().unwrap();
        assert!(
            words.ends_with("a (2), b, c\\u{1b}[2J, d, others (2)"),
            "{words}"
        );
    }

    #[test]
    fn more_than_half_are_too_many_once_there_are_ten() {
        let are_too_many = |conclusive, inconclusive| {
            let seen = seen(conclusive, &vec!["down"; inconclusive]);
            seen.are_too_many(&Options::NONE)
        };
        assert!(!are_too_many(0, 9) && are_too_many(0, 10));
        assert!(!are_too_many(10, 10) && are_too_many(10, 11));
        let strict = Options {
            inconclusive: Some(0.1),
            ..Options::NONE
        };
        assert!(seen(80, &["down"; 10]).are_too_many(&strict));
        assert!(!seen(90, &["down"; 10]).are_too_many(&strict));
    }
}
