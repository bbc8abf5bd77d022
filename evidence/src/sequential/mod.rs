//! `cargo xtask sequential`: claims about many runs, beside the truth, the best that is possible, and their peers.

mod compared;
mod exact;
mod false_alarms;
mod holding;
mod laws;
mod learned;
mod means;
mod numpy;
mod pairs;
mod peers;
mod power;
mod question;
mod rates;
mod sampled;
mod samplers;
mod simulate;

use crate::page::{Page, Part};

/// The page on claims about many runs.
pub struct SequentialPage;

impl Page for SequentialPage {
    fn name(&self) -> &'static str {
        "sequential"
    }

    fn about(&self) -> &'static str {
        "false alarms and runs needed of claims about means, rates, pairs and laws; needs Python"
    }

    fn takes(&self) -> &'static str {
        "25 minutes"
    }

    fn parts(&self) -> &'static [Part] {
        &[
            Part {
                name: "false-alarms",
                about: "Claims that hold, on ten laws and more for each family",
                measure: |size| Ok(false_alarms::section(size)),
            },
            Part {
                name: "power",
                about: "Claims that do not: runs needed, beside a fixed sample and the best that is possible",
                measure: |size| Ok(power::section(size)),
            },
            Part {
                name: "compared",
                about: "Two things under the same seeds",
                measure: |size| Ok(compared::section(size)),
            },
            Part {
                name: "learned",
                about: "Means and rates that stay where they were",
                measure: |size| Ok(learned::section(size)),
            },
            Part {
                name: "samplers",
                about: "rand_distr's generators, and copies with a bug",
                measure: |size| Ok(samplers::section(size)),
            },
            Part {
                name: "numpy",
                about: "NumPy's generators, and copies with a bug, in pytest",
                measure: |size| numpy::section(size),
            },
            Part {
                name: "peers",
                about: "The same questions asked of TensorFlow Probability",
                measure: |size| peers::section(size),
            },
        ]
    }

    fn template(&self) -> &'static str {
        "# Claims about many runs

Written by `cargo xtask sequential`, which fails if a bar is missed. Seeds are fixed. The method is in
[design/sequential.md](../design/sequential.md).

## False alarms

{false-alarms}
## Runs needed

{power}
## Two things under the same seeds

{compared}
## Learned means and rates

{learned}
## Published samplers

{samplers}
{numpy}
## Beside TensorFlow Probability

{peers}"
    }

    fn has_quick_form(&self) -> bool {
        true
    }
}
