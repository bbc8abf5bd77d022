//! `flex-harness plan`: what a number of runs can show, and what it costs.

use std::io::{self, Write};

use clap::{Args, Subcommand};
use flex_core::bound::ceiling::runs_without_extrapolation;
use flex_core::bound::confidence::{Confidence, DEFAULT_EFFORT, divide};
use flex_core::bound::guard::{GuardPlan, MOST_RUNS, NoGuard};
use flex_core::search::reruns::{CampaignTest, Outcomes, campaign, trials, trials_table};
use serde_json::{Value, json};

use crate::exit::{Exit, Failure};
use flex_core::words::{duration, percent, plain, short, thousands, wrapped};

/// Says how many runs are needed, what they can show, and what they cost.
///
/// Example: flex-harness plan catch --rate 0.01 --confidence 0.99
#[derive(Debug, Args)]
pub struct PlanArgs {
    #[command(subcommand)]
    what: What,

    /// Print one JSON object instead of words
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Runs needed to see a test fail that fails at a given rate.
    ///
    /// Example: flex-harness plan catch --rate 0.01 --confidence 0.99
    Catch {
        /// The failure rate to catch
        #[arg(long, value_name = "RATE", value_parser = rate, allow_hyphen_values = true)]
        rate: f64,
        /// The probability of catching it
        #[arg(long, value_name = "C", default_value = "0.99")]
        confidence: Confidence,
    },
    /// Runs that a calibration needs, and what its bound can then catch.
    ///
    /// Example: flex-harness plan calibrate --confidence 0.9999 --sites 3
    Calibrate {
        /// The probability that a run of unchanged code passes
        #[arg(long, value_name = "C", default_value_t = Confidence::DEFAULT)]
        confidence: Confidence,
        /// Learned sites of the test
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
        sites: u16,
        /// Expected extra runs per run that the test's guards may cost
        #[arg(long, value_name = "RUNS", default_value_t = DEFAULT_EFFORT, value_parser = rate, allow_hyphen_values = true)]
        effort: f64,
    },
    /// Expected reruns and time of a campaign that ends each test at its first disagreement.
    ///
    /// Example: flex-harness plan campaign --tests 200 --runs 459 --seconds 1.5
    Campaign {
        /// How many tests
        #[arg(long, value_name = "N", default_value_t = 1)]
        tests: u32,
        /// The most runs of each
        #[arg(long, value_name = "N")]
        runs: u64,
        /// The mean duration of a run, in seconds
        #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = rate, allow_hyphen_values = true)]
        seconds: f64,
        /// The probability that a run fails
        #[arg(long, value_name = "P", default_value_t = 0.01, value_parser = rate, allow_hyphen_values = true)]
        fail: f64,
        /// The probability that a run is skipped
        #[arg(long, value_name = "P", default_value_t = 0.0, value_parser = rate, allow_hyphen_values = true)]
        skip: f64,
    },
}

/// Runs the command.
pub fn run(args: &PlanArgs) -> Result<Exit, Failure> {
    let (json, words) = match &args.what {
        What::Catch { rate, confidence } => catch(*rate, *confidence)?,
        What::Calibrate {
            confidence,
            sites,
            effort,
        } => calibrate(*confidence, usize::from(*sites), *effort)?,
        What::Campaign {
            tests,
            runs,
            seconds,
            fail,
            skip,
        } => cost(*tests, *runs, *seconds, (*fail, *skip))?,
    };
    let mut output = io::stdout().lock();
    if args.json {
        serde_json::to_writer(&mut output, &json)?;
        writeln!(output)?;
    } else {
        write!(output, "{words}")?;
    }
    Ok(Exit::Fine)
}

const RATES: [f64; 7] = [0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001];
const CONFIDENCES: [f64; 5] = [0.9, 0.95, 0.99, 0.999, 0.9999];

fn catch(rate: f64, confidence: Confidence) -> Result<(Value, String), Failure> {
    let runs = trials(rate, confidence.value()).map_err(usage)?;
    let mut words = wrapped(&format!(
        "A test that fails in {}% of its runs shows it within {} with probability {}%.",
        plain(exact(100.0 * rate)),
        count(runs as f64, "run"),
        plain(exact(100.0 * confidence.value()))
    ));
    words += "  fails in";
    for confidence in CONFIDENCES {
        words += &format!("{:>9}", format!("{}%", short(100.0 * confidence)));
    }
    words.push('\n');
    for (rate, row) in RATES.iter().zip(trials_table(&RATES, &CONFIDENCES)) {
        words += &format!("  {:<8}", percent(*rate));
        for runs in row {
            words += &format!(
                "{:>9}",
                runs.map_or("–".to_owned(), |n| thousands(n as f64))
            );
        }
        words.push('\n');
    }
    let json = json!({ "rate": rate, "confidence": confidence.value(), "runs": runs });
    Ok((json, words))
}

fn calibrate(
    confidence: Confidence,
    sites: usize,
    effort: f64,
) -> Result<(Value, String), Failure> {
    let shares = divide(confidence, effort, &vec![None; sites]).map_err(usage)?;
    let share = shares[0];
    let rate = share.confidence.false_alarm_rate();
    let plan = |runs: usize| GuardPlan::choose(runs, 0.5 * rate, share.effort);
    let asked = format!(
        "Confidence {confidence}, {}, effort {effort}:",
        count(sites as f64, "learned site")
    );
    let needed = match plan(1) {
        Ok(_) => 1,
        Err(NoGuard::TooFewRuns { needed, .. }) if needed < MOST_RUNS => needed,
        Err(NoGuard::NoEffort) => {
            // Without a guard, the ceiling has the whole budget.
            let certain = runs_without_extrapolation(rate);
            let words = wrapped(&format!(
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
            return Ok((json, words));
        }
        Err(why) => return Err(usage(why)),
    };
    let certain = runs_without_extrapolation(0.5 * rate);
    let mut words = wrapped(&format!(
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
        match plan(runs) {
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
    Ok((json, words))
}

fn cost(
    tests: u32,
    runs: u64,
    seconds: f64,
    (fail, skip): (f64, f64),
) -> Result<(Value, String), Failure> {
    if fail + skip > 1.0 {
        return Err(usage(format!(
            "a run cannot fail with probability {fail} and be skipped with probability {skip}"
        )));
    }
    let outcomes = Outcomes::new((1.0 - fail - skip).max(0.0), fail).map_err(usage)?;
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
    Ok((json, words))
}

/// A product that ends in a rounding error, without it: 100 × 0.07 is 7.
fn exact(number: f64) -> f64 {
    format!("{number:.12e}").parse().unwrap_or(number)
}

/// A number of things, with an s for more than one.
fn count(number: f64, thing: &str) -> String {
    let s = if number == 1.0 { "" } else { "s" };
    format!("{} {thing}{s}", thousands(number))
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err(format!("`{text}` is not a number of at least 0")),
    }
}

fn usage(error: impl ToString) -> Failure {
    Failure::input(error, "see `flex-harness plan --help`")
}
