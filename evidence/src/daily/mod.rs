//! `cargo xtask daily`: the bars of daily use. What a check finds, what a recalibration changes, what merges.

mod merging;
mod moved;
mod recalibration;
mod runs;
mod unmoved;
mod values;

pub use values::learn;

use crate::page::{Page, Part};

/// The page on daily use.
pub struct DailyPage;

impl Page for DailyPage {
    fn name(&self) -> &'static str {
        "daily"
    }

    fn about(&self) -> &'static str {
        "daily use: what a check finds, what a recalibration changes, what merges; needs git"
    }

    fn takes(&self) -> &'static str {
        "10 minutes"
    }

    fn parts(&self) -> &'static [Part] {
        &[
            Part {
                name: "moved",
                about: "Values that moved, and checks that find it",
                measure: |_| Ok(moved::section()),
            },
            Part {
                name: "unmoved",
                about: "Suites that did not move, and checks that find nothing",
                measure: |_| Ok(unmoved::section()),
            },
            Part {
                name: "recalibration",
                about: "A hundred tests, calibrated again and again",
                measure: |_| recalibration::section(),
            },
            Part {
                name: "merging",
                about: "Bounds files of two branches",
                measure: |_| merging::section(),
            },
        ]
    }

    fn template(&self) -> &'static str {
        "# Daily use, measured

Written by `cargo xtask daily`, which fails if a bar is missed. Seeds are fixed, so the counts are the same each time.

{moved}
{unmoved}
{recalibration}
{merging}"
    }
}
