//! `cargo xtask truth`: is the engine right about its own false-alarm rate?
//!
//! Calibrations are simulated on distributions whose tail probabilities are known, and every learned bound is judged
//! by its exact false-alarm rate. Seeds are fixed, so that the same engine writes the same page.

mod again;
mod attempts;
mod authors;
mod bars;
mod cell;
mod csv;
mod dependence;
mod driven;
mod law;
mod modes;
mod power;
mod published;
mod rates;
mod recalibration;
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
                name: "dependence",
                about: "Sites of one test that depend on each other",
                measure: |size| Ok(dependence::section(size.of(CALIBRATIONS))),
            },
            Part {
                name: "modes",
                about: "Bugs that hit a part of the seeds",
                measure: |size| Ok(modes::section(size.of(CALIBRATIONS))),
            },
            Part {
                name: "recalibration",
                about: "Bounds that are calibrated again and again while the code moves",
                measure: |size| Ok(recalibration::section(size.of(CALIBRATIONS))),
            },
            Part {
                name: "attempts",
                about: "Tests that fail by themselves and have further attempts",
                measure: |size| Ok(attempts::section(size.of(CALIBRATIONS))),
            },
            Part {
                name: "stopping",
                about: "Calibrations that go on until their ceiling is tight",
                measure: |size| Ok(stopping::section(size.of(CALIBRATIONS) / 2)),
            },
            Part {
                name: "published",
                about: "The published method beside the default",
                measure: |size| Ok(published::section(size.of(CALIBRATIONS) / 2)),
            },
        ]
    }

    fn template(&self) -> &'static str {
        "# Is flex right about its own false-alarm rate?

{cells}{power}{modes}{dependence}{recalibration}{attempts}{stopping}{published}
## What remains weak

- **A mode that no sample has shown.** A jump that happens in 1 of 500 runs is in none of 100 samples four times out
  of five. No single-run bound can know of it; the ceiling then fails as often as the jump happens. The rows marked
  *irregular* show it, and this is why the bars for the ceiling, alone or together with the races, are set for regular
  tails only. Races are not affected: a jump that does not repeat is cleared.
- **Wide but rare contamination** (1 in 100, ten times as wide) looks like a regular tail until a sample shows it.
- **The price of soundness at few runs.** At n = 100 and C = 0.9999 the ceiling lies some 15 times as far out as the
  true quantile; it is there for catastrophes. Replay and race do the daily work.
- **Unlucky calibrations.** The promise is kept by 99 of 100. The rate of the other one can be many times its budget, so
  that the *mean* rate over calibrations of 30 samples exceeds it for some distributions (column *rate* above).
- **Without a replay**, the race of reruns looks for shifts of all values and loses to the first edition where a
  distribution has a sharp lower end (exponential at 2 sd).
- **Bugs that hit a tenth of the seeds or fewer** are hardly ever caught by one run. `review` shows what strayed.
- **Tests with many sites and few runs** exceed their effort: the least that can be doubted of 30 samples is 1 in 31, for
  each of 20 sites.
"
    }

    fn has_quick_form(&self) -> bool {
        true
    }
}

/// Calibrations in each cell of the full table, and sequences, tests or calibrations of the other parts.
const CALIBRATIONS: usize = 1000;

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
