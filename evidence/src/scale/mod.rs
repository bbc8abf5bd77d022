//! `cargo xtask scale`: what goes past one machine and past one run: histories of CI, shards, engines.

mod clusters;
mod drift;
mod history;
mod merge;
mod oracle;
mod paper;
mod sleeping;
mod workers;

use crate::page::{Page, Part};

/// The page on many machines and many runs.
pub struct ScalePage;

impl Page for ScalePage {
    fn name(&self) -> &'static str {
        "scale"
    }

    fn about(&self) -> &'static str {
        "what drift finds in the history of CI and how soon, ceilings that rest on it, shards of clusters that lose machines, what engines cost"
    }

    fn takes(&self) -> &'static str {
        "45 minutes"
    }

    fn parts(&self) -> &'static [Part] {
        &[
            Part {
                name: "drift",
                about: "Values that move over CI runs: false alarms and delays, beside an oracle",
                measure: |size| Ok(drift::section(size)),
            },
            Part {
                name: "history",
                about: "Ceilings that rest on values of earlier runs too",
                measure: |size| Ok(history::section(size)),
            },
            Part {
                name: "clusters",
                about: "Bounds files of Slurm and Dask that lose tasks, nodes and workers, beside that of one machine",
                measure: clusters::section,
            },
            Part {
                name: "workers",
                about: "What engines cost beside runs of a second, and the speed-up of 4, 16 and 64 workers",
                measure: workers::section,
            },
            Part {
                name: "merge",
                about: "Putting together 10,000 sites with 1,000 runs each from 64 shards: time and memory",
                measure: |_| merge::section(),
            },
            Part {
                name: "paper",
                about: "What a million tests would cost, by measured constants",
                measure: paper::section,
            },
        ]
    }

    fn template(&self) -> &'static str {
        "# Past one machine and one run

Written by `cargo xtask scale`, which fails if a bar is missed. Seeds are fixed.

## Drift over CI runs

{drift}
## Ceilings from the history

{history}
## Clusters that lose tasks, nodes and workers

{clusters}
## Many workers

{workers}
## Many shards put together

{merge}
## A million tests, on paper

{paper}"
    }

    fn has_quick_form(&self) -> bool {
        true
    }
}
