//! `cargo xtask truth`: is the engine right about its own false-alarm rate?
//!
//! Calibrations are simulated on distributions whose tail probabilities are known, and every learned bound is judged
//! by its exact false-alarm rate. Seeds are fixed, so that the same engine writes the same page.

mod again;
mod bars;
mod cell;
mod csv;
mod law;
mod power;
mod published;
mod rates;
mod report;
mod setting;
mod shapes;
mod stopping;
mod table;

use crate::page::{Page, Part, Section, Size};
use again::Again;
use setting::{RUNS, Variant, settings};

/// The page on false-alarm rates.
pub struct TruthPage;

impl Page for TruthPage {
    fn name(&self) -> &'static str {
        "truth"
    }

    fn about(&self) -> &'static str {
        "whether the engine keeps its false-alarm rate, by simulated calibrations on known distributions"
    }

    fn takes(&self) -> &'static str {
        "20 minutes"
    }

    fn parts(&self) -> &'static [Part] {
        &[
            Part {
                name: "cells",
                about: "Every distribution, number of runs, confidence and number of sites",
                measure: |size| Ok(cells(size)),
            },
            Part {
                name: "power",
                about: "What is caught of a shift, beside the first edition and an oracle",
                measure: |size| Ok(power::section(size.of(300))),
            },
            Part {
                name: "stopping",
                about: "Calibrations that go on until their ceiling is tight",
                measure: |size| Ok(stopping::section(size.of(CALIBRATIONS) / 4)),
            },
            Part {
                name: "published",
                about: "The published method beside the default",
                measure: |size| Ok(published::section(size.of(CALIBRATIONS) / 5)),
            },
        ]
    }

    fn template(&self) -> &'static str {
        "# Is flex right about its own false-alarm rate?

{cells}{power}{published}{stopping}
## What remains weak

- **A mode that no sample has shown.** A jump that happens in 1 of 500 runs is in none of 100 samples four times out
  of five. No single-run bound can know of it; the ceiling then fails as often as the jump happens. The rows marked
  *irregular* show it, and this is why the bars for the ceiling, alone or together with the guard, are set for regular
  tails only. The guard is not affected: a jump that does not repeat is cleared.
- **Wide but rare contamination** (1 in 100, ten times as wide) looks like a regular tail until a sample shows it.
- **The price of soundness at few runs.** At n = 100 and C = 0.9999 the ceiling lies several times as far out as the
  true quantile; it is there for catastrophes. The guard does the daily work.
- **Tests with many sites** have little effort for each: with 20 sites the guard is close to the largest sample.
"
    }

    fn has_quick_form(&self) -> bool {
        true
    }
}

/// Calibrations in each cell of the full table.
const CALIBRATIONS: usize = 2000;

/// Simulates the whole table, and its worst cells again.
fn cells(size: Size) -> Section {
    let calibrations = size.of(CALIBRATIONS);
    let rows = table::measure(calibrations, &RUNS, &settings(&Variant::ALL));
    let again = again::look_again(&rows, 10 * calibrations);
    let mut missed = bars::missed_bars(&rows);
    missed.extend(again.iter().filter_map(Again::missed));
    missed.extend(bars::missed_design(&rows));
    Section {
        text: report::section(&rows, &again, calibrations),
        missed,
        files: vec![("truth.csv", csv::csv(&rows))],
    }
}
