//! Runs that a calibration needs, and what its bound can then catch.

use flex_core::bound::ceiling::runs_without_extrapolation;
use flex_core::bound::confidence::{Confidence, divide};
use flex_core::bound::guard::{GuardPlan, MOST_RUNS, NoGuard};
use flex_core::words::{block, percent};
use serde_json::json;

use super::planned::{Planned, count, usage};
use crate::exit::Failure;

/// Says how many runs are needed, and what they give.
pub fn plan(confidence: Confidence, sites: usize, effort: f64) -> Result<Planned, Failure> {
    let shares = divide(confidence, effort, &vec![None; sites]).map_err(usage)?;
    let share = shares[0];
    let rate = share.confidence.false_alarm_rate();
    let guard = |runs: usize| GuardPlan::choose(runs, 0.5 * rate, share.effort);
    let asked = format!(
        "Confidence {confidence}, {}, effort {effort}:",
        count(sites as f64, "learned site")
    );
    let needed = match guard(1) {
        Ok(_) => 1,
        Err(NoGuard::TooFewRuns { needed, .. }) if needed < MOST_RUNS => needed,
        Err(NoGuard::NoEffort) => {
            // Without a guard, the ceiling has the whole budget.
            let certain = runs_without_extrapolation(rate);
            let words = block(&format!(
                "{asked} no guard, a ceiling only. From {} on it is an order statistic; before, it extrapolates the tail.",
                count(certain, "run")
            ));
            let json = json!({
                "confidence": confidence.value(),
                "sites": sites,
                "effort": effort,
                "guard_needs": null,
                "order_statistic_needs": certain,
                "at": [],
            });
            return Ok(Planned { json, words });
        }
        Err(why) => return Err(usage(why)),
    };
    let certain = runs_without_extrapolation(0.5 * rate);
    let mut words = block(&format!(
        "{asked} a guard needs {}; 100 are the default. From {} on the ceiling is an order statistic; before, it extrapolates the tail.",
        count(needed as f64, "run"),
        count(certain, "run"),
    ));
    words += "  runs   hits   power at 1, 2, 3, 4 sd         extra runs\n";
    let mut at = vec![30, 50, 100, 300, 1000, 3000, needed];
    at.sort_unstable();
    at.dedup();
    let mut rows = Vec::new();
    for runs in at {
        match guard(runs) {
            Ok(plan) => {
                let power = plan.power.map(|p| format!("{:>7}", percent(p))).concat();
                words += &format!(
                    "  {runs:<6} {:>4} {power}  {:>15.2}\n",
                    plan.hits, plan.extra_runs
                );
                rows.push(json!({
                    "runs": runs,
                    "hits": plan.hits.get(),
                    "power": plan.power,
                    "extra_runs": plan.extra_runs,
                }));
            }
            Err(_) => words += &format!("  {runs:<6} too few for a guard\n"),
        }
    }
    let json = json!({
        "confidence": confidence.value(),
        "sites": sites,
        "effort": effort,
        "guard_needs": needed,
        "order_statistic_needs": certain,
        "at": rows,
    });
    Ok(Planned { json, words })
}
