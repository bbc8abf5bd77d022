//! Prices as tables for people.

use crate::called;
use flex_core::search::strategies::{RerunStrategy, StrategyPrice};
use flex_core::words::{block, count, duration, percent, thousands};

use super::plot::plot;
use super::priced::{Priced, PricedProject};

/// The numbers of runs that tables show.
const SHOWN: [u64; 7] = [2, 5, 10, 20, 50, 100, 170];

/// The share of what rerunning everything finds, by which strategies are compared.
const MOST: f64 = 0.8;

/// All prices.
pub fn of(priced: &Priced) -> String {
    let mut words = block(&assumptions(priced));
    for project in &priced.projects {
        words += &of_project(project, priced);
    }
    words
}

fn assumptions(priced: &Priced) -> String {
    let mut said = match priced.assumed {
        Some((share, fail)) => format!(
            "Assumed: {} of all tests are flaky, each of those that are not shown to be fixed with the same probability, and a flaky test fails in {} of its runs. --rates RECORD has what was measured.",
            percent(share),
            percent(fail)
        ),
        None => "Failure rates are those of the records.".to_owned(),
    };
    if priced.unknown > 0 {
        let tests = count(priced.unknown, "test is", "tests are");
        said += &format!(" {tests} in no record and counted as never failing.");
    }
    if !priced.is_full {
        said += &format!(
            " Calls were not traced, so that `selected` are the tests that touched something that can differ; `{} trace --full` tells which functions they call.",
            called::name()
        );
    }
    said + &format!(
        " A traced run takes {} times as long as a plain one, and one under probes {} times.",
        priced.terms.tracing, priced.terms.probing
    )
}

fn of_project(project: &PricedProject, priced: &Priced) -> String {
    let prices =
        RerunStrategy::ALL.map(|strategy| project.price(strategy, priced.runs, &priced.terms));
    let [everything, ..] = &prices;
    let mut words = block(&format!(
        "{}: {}, at most {} of each, ended by the first disagreement:",
        project.name,
        count(project.tests.len(), "test", "tests"),
        count(priced.runs as usize, "run", "runs"),
    ));
    words += &format!(
        "  {:<15}{:>7}{:>8}{:>11}{:>14}{:>7}{:>14}\n",
        "strategy", "tests", "found", "runs", "time", "", "80% found by"
    );
    for (strategy, price) in RerunStrategy::ALL.into_iter().zip(&prices) {
        let reached = price.seconds_to(MOST * everything.found);
        words += &format!(
            "  {:<15}{:>7}{:>8}{:>11}{:>14}{:>7}{:>14}\n",
            strategy.as_str(),
            thousands(price.tests as f64),
            found(price.found),
            thousands(price.runs),
            duration(price.seconds),
            share(price.seconds, everything.seconds),
            reached.map_or("never".to_owned(), duration),
        );
    }
    let detect = project.detect(&priced.terms);
    words += &format!(
        "  {:<15}{:>7}{:>8}{:>11}{:>14}{:>7}\n\n",
        "detect",
        thousands(project.tests.len() as f64),
        found(detect.found),
        thousands(detect.runs),
        duration(detect.seconds),
        share(detect.seconds, everything.seconds),
    );
    words += &block(
        "`detect` is the search as it is: under probes, and on until every failure rate is known to be below 2%.",
    );
    words += &by_runs(project, priced);
    words += &plot(&prices);
    words.push('\n');
    words
}

/// What is found and how long that takes, by the most runs of a test.
fn by_runs(project: &PricedProject, priced: &Priced) -> String {
    let row = |head: &str, cell: &dyn Fn(u64) -> String| {
        let cells = SHOWN.map(|runs| format!("{:>8}", cell(runs))).concat();
        format!("  {head:<20}{cells}\n")
    };
    let at = |strategy, runs| project.price(strategy, runs, &priced.terms);
    let mut words = row("runs at most", &|runs| runs.to_string());
    for strategy in RerunStrategy::ALL {
        // In another order everything is the same in the end.
        if strategy == RerunStrategy::SmallestFirst {
            continue;
        }
        let name = strategy.as_str();
        words += &row(&format!("{name}: found"), &|runs| {
            found(at(strategy, runs).found)
        });
        if strategy != RerunStrategy::Everything {
            words += &row("  time, of everything", &|runs| {
                let everything: StrategyPrice = at(RerunStrategy::Everything, runs);
                share(at(strategy, runs).seconds, everything.seconds)
            });
        }
    }
    words + "\n"
}

fn found(tests: f64) -> String {
    match tests {
        0.0 => "0".to_owned(),
        tests if tests < 0.05 => "<0.1".to_owned(),
        tests => format!("{tests:.1}"),
    }
}

/// A part of a whole in percent; nothing of nothing is not known.
fn share(part: f64, whole: f64) -> String {
    match whole > 0.0 {
        true => format!("{:.0}%", 100.0 * part / whole),
        false => "–".to_owned(),
    }
}
