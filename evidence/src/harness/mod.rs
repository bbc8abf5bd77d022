//! `cargo xtask harness`: the bars of the harness, measured on real crates that use flex as users do.

mod build_time;
mod end_to_end;
mod false_alarms;
mod memory;
mod probes;
mod process_cost;
mod speed;

use crate::page::{Page, Part};

/// The page on the harness.
pub struct HarnessPage;

impl Page for HarnessPage {
    fn name(&self) -> &'static str {
        "harness"
    }

    fn about(&self) -> &'static str {
        "the harness on real crates: green, red and replayed, false alarms counted, speed, memory, build time; \
         needs Linux and cargo-nextest"
    }

    fn takes(&self) -> &'static str {
        "10 minutes"
    }

    /// Times come first, while nothing else has warmed the machine.
    fn parts(&self) -> &'static [Part] {
        &[
            Part {
                name: "build-time",
                about: "What adding flex costs in building",
                measure: |_| build_time::section(),
            },
            Part {
                name: "speed",
                about: "What flex costs beside the test itself",
                measure: |_| speed::section(),
            },
            Part {
                name: "probes",
                about: "What counting costs that tells which tests can vary",
                measure: |_| probes::section(),
            },
            Part {
                name: "memory",
                about: "The memory of a calibration",
                measure: |_| memory::section(),
            },
            Part {
                name: "end-to-end",
                about: "Annotate, calibrate, enforce, break, replay",
                measure: |_| end_to_end::section(),
            },
            Part {
                name: "false-alarms",
                about: "False alarms of many calibrations, counted",
                measure: |_| false_alarms::section(),
            },
        ]
    }

    /// The page begins with what matters most.
    fn template(&self) -> &'static str {
        "# The harness, measured

Written by `cargo xtask harness`, which fails if a bar is missed. Everything here happened in real crates that have
flex as a dev-dependency, with the real `cargo flex calibrate`, `cargo test` and `cargo nextest run`; seeds are fixed,
so the counts are the same each time. Times come from a shared machine with 2 cores: each table was measured in one
run, its rows in turn, and only differences and ratios mean something.

{end-to-end}
{false-alarms}
{speed}
{probes}
{memory}
{build-time}"
    }
}
