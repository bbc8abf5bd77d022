//! Tests that are shown to be fixed, and what that saved (docs/design/search.md, "What cannot vary").

use flex_core::words::count;

use crate::record::{ObservedTest, Record};
use crate::search::SearchRule;
use crate::verdict::differs_when_repeated;

/// A line that counts the tests in which nothing can differ, and the runs that a search by this rule would have made of
/// them besides; `None` if there are none.
pub fn fixed(record: &Record, rule: &SearchRule) -> Option<String> {
    let tests = record.tests.iter();
    let fixed: Vec<&ObservedTest> = tests
        .filter(|test| test.is_shown_fixed() && !differs_when_repeated(test))
        .collect();
    if fixed.is_empty() {
        return None;
    }
    let usual = rule.runs_if_equal();
    let saved = |test: &&ObservedTest| usual.saturating_sub(test.runs.len() + test.repeats.len());
    let saved: usize = fixed.iter().map(saved).sum();
    Some(format!(
        "{} of {} shown fixed, nothing in them varies: {} saved",
        fixed.len(),
        count(record.tests.len(), "test", "tests"),
        count(saved, "run", "runs")
    ))
}

#[cfg(test)]
mod tests {
    use flex_run::model::Probe;

    use super::*;
    use crate::record::{Outcome, Repeat, RepeatPlace};
    use crate::verdict::tests::{judged_record, test};

    #[test]
    fn what_was_not_rerun_is_counted() {
        let rule = SearchRule::default();
        let repeated = |value| ObservedTest {
            probe: Some(Probe::default()),
            repeats: vec![Repeat {
                index: 0,
                place: RepeatPlace::OtherHashes,
                outcome: Outcome::Pass,
                values: vec![(0, 0, value)],
            }],
            ..test(1, 1.0, |_| 0.5)
        };
        let watched = test(30, 1.0, |_| 0.5);
        let record = judged_record(vec![repeated(0.5), watched.clone(), repeated(0.5)]);
        let saved = 2 * (rule.runs_if_equal() - 2);
        let line = format!("2 of 3 tests shown fixed, nothing in them varies: {saved} runs saved");
        assert_eq!(fixed(&record, &rule), Some(line));
        let differs = judged_record(vec![repeated(0.75), watched]);
        assert_eq!(fixed(&differs, &rule), None);
    }
}
