//! What strategies of rerunning the corpus find and cost.

use std::fmt::Write;

use flex_core::search::strategies::{RerunStrategy, SearchEnds, Terms, price};
use flex_detect::search::SearchRule;
use flex_detect::trace::campaign::{Rates, campaign_tests};
use flex_detect::trace::learn::characteristics;

use super::corpus::{RATES, corpus};
use crate::page::{Bar, Section};

/// The most runs of a test that are shown.
const RUNS: [u64; 7] = [2, 5, 10, 20, 50, 100, 170];

/// The section of the part `strategies`.
pub fn section() -> Result<Section, String> {
    let found = corpus()?;
    let mut tests = Vec::new();
    for project in &found.projects {
        let rates = Rates::Measured(std::slice::from_ref(&project.rates));
        let (of_project, _) = campaign_tests(&project.trace, &characteristics(&[]), rates)
            .map_err(|error| error.to_string())?;
        tests.extend(of_project);
    }
    let terms = Terms::default();
    let seconds: f64 = tests.iter().map(|test| test.seconds).sum();
    let mut text = format!(
        "## What strategies find and cost

The same corpus: {} tests that take {seconds:.1} s in all. Failure rates are as planted, durations as measured in a run
under probes; a run with all calls traced is priced at {} times a plain one, one under probes at {} times. In all
strategies the first disagreement ends a test. The thesis's selection made 47 % fewer reruns and took 12 % more time.

| strategy | tests |{} runs, {} at most | 80 % found by |
|---|---|{}---|---|
",
        tests.len(),
        terms.tracing,
        terms.probing,
        RUNS.map(|runs| format!(" n = {runs} |")).concat(),
        RUNS[RUNS.len() - 1],
        "---|".repeat(RUNS.len()),
    );
    let most = RUNS[RUNS.len() - 1];
    let everything = price(RerunStrategy::Everything, &tests, most, &terms);
    for strategy in RerunStrategy::ALL {
        let cells = RUNS.map(|runs| {
            let whole = price(RerunStrategy::Everything, &tests, runs, &terms);
            let price = price(strategy, &tests, runs, &terms);
            format!(
                " {:.1}, {:.0} % |",
                price.found,
                100.0 * price.seconds / whole.seconds
            )
        });
        let last = price(strategy, &tests, most, &terms);
        let reached = last
            .seconds_to(0.8 * everything.found)
            .map_or("never".to_owned(), |seconds| {
                format!("{:.1} % of the time", 100.0 * seconds / everything.seconds)
            });
        let _ = writeln!(
            text,
            "| {} | {} |{} {:.0} | {reached} |",
            strategy.as_str(),
            last.tests,
            cells.concat(),
            last.runs
        );
    }
    let ours = price(RerunStrategy::Probes, &tests, most, &terms);
    let share = ours.seconds / everything.seconds;
    let detect = SearchEnds::new(&SearchRule::default().stop).price(&tests, &terms);
    let hashes: f64 = RATES
        .iter()
        .map(|rate| 2.0 * f64::from(*rate) / 100.0 * (1.0 - f64::from(*rate) / 100.0))
        .sum();
    let _ = writeln!(
        text,
        "
Cells are expected flaky tests found, and the time as a share of rerunning everything as often. `detect` as it is, under
probes and on until every failure rate is known to be below 2 %, finds {:.1} in {:.0} runs and {:.0} % of the time of
rerunning everything at most {most} times. The {} planted tests that depend on the order of hashes are not among these:
reruns in one process never show them; the second run of a fixed test, under other hashes, shows {hashes:.1} of them.
",
        detect.found,
        detect.runs,
        100.0 * detect.seconds / everything.seconds,
        RATES.len(),
    );
    let bars = [
        Bar {
            what: format!("flaky tests found under probes, at most {most} runs"),
            measured: format!("{:.2}", ours.found),
            bar: format!("≥ {:.2}, as rerunning everything", everything.found),
            // A test of which the first 30 runs fail is given up: for a rate of 30 %, once in 10¹⁵ searches.
            kept: ours.found >= everything.found - 1e-9,
        },
        Bar {
            what: "their time, watching included, as a share of rerunning everything".to_owned(),
            measured: format!("{share:.2}"),
            bar: "< 1 (the thesis: 1.12)".to_owned(),
            kept: share < 1.0,
        },
    ];
    Ok(Section::with_bars(text, &bars))
}
