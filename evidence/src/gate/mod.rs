//! `cargo xtask gate`: what a change affects, whether it makes tests flaky or worse, and which commit it was.

mod banked;
mod bisected;
mod changed;
mod library;
mod package;
mod python;
mod rust;
mod simulated;
mod tally;

use crate::page::{Page, Part};

/// The page on gate, compare and bisect.
pub struct GatePage;

impl Page for GatePage {
    fn name(&self) -> &'static str {
        "gate"
    }

    fn about(&self) -> &'static str {
        "which tests the gate selects over histories with known answers and over releases of a package, how it spends \
         its time bank, what compare and bisect say of planted and of real changes; needs git and the registries of \
         Python and Rust"
    }

    fn takes(&self) -> &'static str {
        "15 minutes"
    }

    fn parts(&self) -> &'static [Part] {
        &[
            Part {
                name: "python",
                about: "A history of Python with known answers: selection by names, traces and replay; flakiness",
                measure: |_| python::section(),
            },
            Part {
                name: "rust",
                about: "The same in Rust: selection by names and replay; flakiness",
                measure: |_| rust::section(),
            },
            Part {
                name: "package",
                about: "Releases of a package, as a history",
                measure: |_| package::section(),
            },
            Part {
                name: "bank",
                about: "Time banks: how well they are kept, and what they find",
                measure: |_| banked::section(),
            },
            Part {
                name: "compare",
                about: "Simulated changes: false alarms and pairs",
                measure: |size| Ok(simulated::section(size)),
            },
            Part {
                name: "library",
                about: "Two releases of a library of distributions, compared",
                measure: |_| library::section(),
            },
            Part {
                name: "bisect",
                about: "Planted commits: simulated histories, and a real one",
                measure: |_| bisected::section(),
            },
        ]
    }

    fn template(&self) -> &'static str {
        "# The gate, compare and bisect, measured

Made by `cargo xtask gate`, which fails if a bar is missed. Seeds are fixed. Times differ from machine to machine.

## A history of Python

{python}
## A history of Rust

{rust}
## Releases of a package

{package}
## Time banks

{bank}
## compare, simulated

{compare}
## compare, on a library

{library}
## bisect

{bisect}"
    }
}
