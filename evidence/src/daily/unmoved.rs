//! Suites that did not move: what `cargo flex calibrate --check` finds in them by mistake, simulated.

use std::fmt::Write;

use flex_core::drift::LEVEL;

use super::runs::{CHECK_RUNS, LEARNED_RUNS, seeded};
use super::values::{TAILS, Values, contradiction, learn};
use crate::page::{Bar, Section};
use crate::parallel::in_parallel;

/// Checks of a whole suite, each against a calibration of its own, and the sites of the suite.
const CHECKS: usize = 1000;
const SUITE: usize = 500;

/// Numbers of sites that share the level with one that did not move, as in smaller suites: what is counted there tells
/// how careful the level of the whole suite is.
const SMALLER: [usize; 2] = [1, 10];

/// The section of the part `unmoved`.
pub fn section() -> Section {
    let checks = measure();
    let red: Vec<&Unmoved> = checks.iter().filter(|c| !c.found.is_empty()).collect();
    let quiet = checks.len() - red.len();
    let bars = [Bar {
        what: format!("checks of {SUITE} unmoved sites that find nothing"),
        measured: format!("{quiet} of {CHECKS}"),
        bar: format!("≥ {} of {CHECKS}", CHECKS - CHECKS / 1000),
        kept: quiet >= CHECKS - CHECKS / 1000,
    }];
    let text = format!(
        "## Nothing moved

A suite of {SUITE} sites, a seventh of them of each kind above, calibrated with {} runs and checked with {CHECK_RUNS}; {CHECKS}
checks, each against a calibration of its own. A check counts as red if it finds anything at any site, for whatever
reason. The level, {LEVEL}, allows {:.0} red check on average; counts, ties and the limits that the probabilities are bounded
by leave less.

",
        LEARNED_RUNS[0],
        LEVEL * CHECKS as f64
    );
    let mut section = Section::with_bars(text, &bars);
    for check in red {
        let _ = writeln!(section.text, "\nRed: {}.", check.found.join("; "));
    }
    let compared = checks.len() * SUITE;
    let [alone, of_ten] = [0, 1].map(|i| checks.iter().map(|c| c.among_few[i]).sum::<usize>());
    let _ = writeln!(
        section.text,
        "
How careful that is shows in the single sites: of {compared} comparisons, {alone} would be red at the level {LEVEL}, where {:.0}
are allowed, and {of_ten} at a tenth of it, where {:.0} are.",
        LEVEL * compared as f64,
        0.1 * LEVEL * compared as f64
    );
    section
}

/// A check of a suite that did not move.
struct Unmoved {
    /// The reasons why it is red.
    found: Vec<String>,
    /// Sites that would be red among so few.
    among_few: [usize; SMALLER.len()],
}

/// Checks suites of values of every kind. Seeds are fixed.
fn measure() -> Vec<Unmoved> {
    let checks: Vec<usize> = (0..CHECKS).collect();
    in_parallel(&checks, |check| {
        let mut rng = seeded("unmoved", *check);
        let (mut found, mut among_few) = (Vec::new(), [0; SMALLER.len()]);
        for site in 0..SUITE {
            let values = Values::ALL[site % Values::ALL.len()];
            let tail = TAILS[site % TAILS.len()];
            let (old, _) = learn(&values.runs(LEARNED_RUNS[0], 0.0, &mut rng), tail);
            let (new, samples) = learn(&values.runs(CHECK_RUNS, 0.0, &mut rng), tail);
            let against = contradiction(&old, &new, &samples, SUITE);
            found.extend(against.map(|why| format!("{}: {why}", values.name())));
            for (sites, count) in SMALLER.iter().zip(&mut among_few) {
                *count += usize::from(contradiction(&old, &new, &samples, *sites).is_some());
            }
        }
        Unmoved { found, among_few }
    })
}
