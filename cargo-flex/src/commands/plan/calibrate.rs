//! Runs that a calibration needs, and what its bound can then catch.

use flex_core::bound::ceiling::runs_without_extrapolation;
use flex_core::bound::confidence::{Confidence, divide};
use flex_core::bound::guard::{GuardPlan, NoGuard, Settling};
use flex_core::bound::{CEILING_PART, Question};
use flex_core::tail::Tail;
use flex_core::words::{block, percent};
use serde_json::json;

use super::planned::{Planned, count, usage};
use crate::exit::Failure;

/// Says how many runs are needed, and what they give.
pub fn plan(confidence: Confidence, sites: usize, effort: f64) -> Result<Planned, Failure> {
    let shares = divide(confidence, effort, &vec![None; sites]).map_err(usage)?;
    let share = shares[0];
    let rate = share.confidence.false_alarm_rate();
    // Sites that have nothing to do with each other are in doubt together no more often than the effort allows.
    let doubted = 1.0 - (1.0 - effort.min(1.0)).powf(1.0 / sites as f64);
    let guard = |runs: u32, settling: Settling| {
        let mut question = Question::new(Tail::Upper, share.confidence);
        question.share.effort = match settling {
            Settling::Replay => doubted,
            Settling::Reruns => share.effort,
        };
        (question.settling, question.together) = (settling, sites as u32);
        GuardPlan::choose(runs, &question)
    };
    let asked = format!(
        "Confidence {confidence}, {}, effort {effort}:",
        count(sites as f64, "learned site")
    );
    let certain = runs_without_extrapolation(match effort > 0.0 {
        true => CEILING_PART * rate,
        false => rate,
    });
    let needed = match guard(1, Settling::Replay) {
        Ok(_) => 1,
        Err(NoGuard::TooFewRuns { needed, .. }) => needed,
        Err(NoGuard::NoEffort) => {
            // Without a guard, the ceiling has the whole budget.
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
    let mut words = block(&format!(
        "{asked} a guard needs {}; 100 are the default. From {} on the ceiling is an order statistic; before, it extrapolates the tail.",
        count(needed as f64, "run"),
        count(certain, "run"),
    ));
    words += &block(
        "What one run catches of a shift in one site by 0.5, 1, 2 and 3 standard deviations, for normal values:",
    );
    words += "  runs    if runs can be replayed      if they cannot\n";
    let mut rows = Vec::new();
    for runs in [needed as u32, 30, 100, 300, 1000, 3000] {
        let plans = [Settling::Replay, Settling::Reruns].map(|settling| guard(runs, settling));
        let [Ok(replay), Ok(reruns)] = plans else {
            words += &format!("  {runs:<6} too few for a guard\n");
            continue;
        };
        let caught = |power: f64| match power < 0.001 {
            true => "<0.1%".to_owned(),
            false => percent(power),
        };
        let power = |plan: &GuardPlan| plan.power.map(|p| format!("{:>7}", caught(p))).concat();
        words += &format!("  {runs:<6}{}  {}\n", power(&replay), power(&reruns));
        rows.push(json!({
            "runs": runs,
            "power": replay.power,
            "power_without_replay": reruns.power,
            "extra_runs": replay.extra_runs,
            "extra_runs_without_replay": reruns.extra_runs,
        }));
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
