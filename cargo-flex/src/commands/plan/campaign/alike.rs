//! Tests that are alike.

use flex_core::search::reruns::{CampaignTest, OutcomeRates, campaign};
use flex_core::words::{duration, percent, thousands};
use serde_json::json;

use super::super::planned::{Planned, count, usage};
use crate::exit::Failure;

/// Says what a campaign is expected to cost and to find.
pub fn plan(
    tests: u32,
    runs: u64,
    seconds: f64,
    (fail, skip): (f64, f64),
) -> Result<Planned, Failure> {
    if fail + skip > 1.0 {
        return Err(usage(format!(
            "a run cannot fail with probability {fail} and be skipped with probability {skip}"
        )));
    }
    let outcomes = OutcomeRates::new((1.0 - fail - skip).max(0.0), fail).map_err(usage)?;
    let test = CampaignTest { outcomes, seconds };
    let one = campaign(&[test], runs);
    let (all_runs, all_seconds) = (f64::from(tests) * one.runs, f64::from(tests) * one.seconds);
    let unveiled = outcomes.unveiled(runs);
    let confirming = outcomes.expected_reruns_after_failure(runs.saturating_sub(1));
    let words = format!(
        "{}, at most {} each, ended by the first disagreement:\n\n  expected runs      {} ({:.1} a test)\n  expected time      {}\n  after a failure    {confirming:.1} reruns until one passes, or none does\n  found to be flaky  {} of tests like this\n",
        count(f64::from(tests), "test"),
        count(runs as f64, "run"),
        thousands(all_runs),
        one.runs,
        duration(all_seconds),
        percent(unveiled),
    );
    let json = json!({
        "tests": tests,
        "runs": runs,
        "expected_runs": all_runs,
        "expected_seconds": all_seconds,
        "expected_reruns_after_failure": confirming,
        "unveiled": unveiled,
    });
    Ok(Planned { json, words })
}
