//! What there is to say of a test besides its sites.

use std::fmt;

use flex_core::words::{count, percent, run_list};

use super::super::outcome::{LearnedSite, TestCalibration, Uncontrolled};
use super::layout::paragraph;

impl TestCalibration {
    pub(super) fn notes(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.failures.is_empty() {
            self.failing(f)?;
        }
        if let Some(words) = self.observed.inconclusive().in_words() {
            paragraph(f, "inconclusive", &words)?;
        }
        if self.is_deterministic {
            let words = match self.is_pytest() {
                true => "no value varied; a plain test would do",
                false => {
                    "no run drew a random number, and no value varied; a plain #[test] would do"
                }
            };
            paragraph(f, "deterministic", words)?;
        } else if self.sites.is_empty() && self.claims.is_empty() {
            paragraph(
                f,
                "note",
                "no learned site was hit: there is nothing to learn",
            )?;
        }
        for shared in &self.shared {
            paragraph(f, "warning", shared)?;
        }
        if let Some(uncontrolled) = &self.uncontrolled {
            paragraph(f, "uncontrolled randomness", &self.two_values(uncontrolled))?;
        }
        if self.runs > self.asked {
            let words = format!(
                "{} were asked for to begin with; so few are not enough for a bound (--max-runs ends it earlier)",
                count(self.asked as usize, "run", "runs")
            );
            paragraph(f, "note", &words)?;
        }
        if self.ran_out_of_time {
            let words = "the time was up before there were as many runs as wanted";
            paragraph(f, "note", words)?;
        }
        if let Some(words) = self.earlier_in_words() {
            paragraph(f, "history", &words)?;
        }
        if let Some(why) = self.kept {
            let words = format!("{why}, so the bounds file keeps what it has of this test");
            paragraph(f, "not written", &words)?;
        }
        for removed in &self.removed {
            let words = format!("{removed}: the site was not hit any more");
            paragraph(f, "entry removed", &words)?;
        }
        Ok(())
    }

    /// What was made of earlier runs, if anybody asked for them.
    fn earlier_in_words(&self) -> Option<String> {
        let left_out = self.left_out.as_ref()?;
        let most = |of: fn(&LearnedSite) -> u32| self.sites.iter().map(of).max().unwrap_or(0);
        let values = |earlier: u32| count(earlier as usize, "value", "values");
        let used = most(|site| site.in_force().earlier);
        let found = most(|site| site.entry.earlier);
        let mut words = match (used, found) {
            (0, 0) => "no values of earlier runs are used".to_owned(),
            (0, found) => format!(
                "{} of earlier runs are not worth a new bound",
                values(found)
            ),
            (used, _) => format!("ceilings rest on {} of earlier runs too", values(used)),
        };
        if !left_out.is_empty() {
            words += &format!("; left out: {}", left_out.join("; "));
        }
        Some(words)
    }

    /// Runs that failed by themselves.
    fn failing(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs: Vec<u32> = self.failures.iter().map(|(run, _)| *run).collect();
        let mut words = format!(
            "{} of {} ({}): {}",
            runs.len(),
            count(self.runs as usize, "run", "runs"),
            percent(runs.len() as f64 / f64::from(self.runs.max(1))),
            run_list(&runs),
        );
        if let Some(attempts) = self.attempts() {
            words += &format!(
                "; {} would pass with confidence {}",
                count(attempts as usize, "attempt", "attempts"),
                self.confidence
            );
        }
        paragraph(f, "failed by themselves", &words)?;
        let (run, why) = &self.failures[0];
        let why = why.lines().next().unwrap_or_default();
        paragraph(f, "such as", why)?;
        self.replay(f, *run)
    }

    fn two_values(&self, uncontrolled: &Uncontrolled) -> String {
        let value = |value: Option<f64>| value.map_or("not reached".to_owned(), |v| v.to_string());
        let what = match &uncontrolled.site {
            Some(site) => format!(
                "{site} is {} and then {}",
                value(uncontrolled.values.0),
                value(uncontrolled.values.1)
            ),
            None => "the test fails in one process and not in another".to_owned(),
        };
        let causes = if self.is_pytest() {
            "A generator made without a seed (`default_rng()`), the hash of a string, time or threads do that; take the fixture `flex_rng` or `flex_seed`, and set PYTHONHASHSEED."
        } else if self.controls_entropy {
            "Time, addresses, threads or `fastrand`, which `entropy = controlled` does not reach, do that."
        } else {
            "Hash order, `rand::rng()`, time or threads do that; on Linux, `entropy = controlled` makes the first two follow the seed."
        };
        format!(
            "under the same seed (run {}), {what}. {causes} The bound holds if every run draws anew, but no failure can be replayed",
            uncontrolled.run
        )
    }
}
