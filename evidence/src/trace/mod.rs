//! `cargo xtask trace`: which tests can vary at all, and what it costs and saves to know.

mod corpus;
mod fixed;
mod learned;
mod overhead;
mod packages;
mod recall;
mod searched;
mod strategies;
mod unchanged;

use crate::page::{Page, Part};

/// The page on probes and tracing.
pub struct TracePage;

impl Page for TracePage {
    fn name(&self) -> &'static str {
        "trace"
    }

    fn about(&self) -> &'static str {
        "which tests of real packages are fixed, what probes see of planted ones, what probes and tracing cost, which \
         tests functions expose, and what strategies of rerunning find and cost; needs Linux, CPython 3.10 or 3.11, \
         and 3.12 or newer"
    }

    fn takes(&self) -> &'static str {
        "25 minutes"
    }

    fn parts(&self) -> &'static [Part] {
        &[
            Part {
                name: "packages",
                about: "Tests of real packages that are shown to be fixed, run again",
                measure: |_| fixed::section(),
            },
            Part {
                name: "recall",
                about: "Planted tests of every cause",
                measure: |_| recall::section(),
            },
            Part {
                name: "unchanged",
                about: "Outcomes and failure texts with and without probes and tracing",
                measure: |_| unchanged::section(),
            },
            Part {
                name: "overhead",
                about: "Processor time under probes and with all calls traced",
                measure: |_| overhead::section(),
            },
            Part {
                name: "detect",
                about: "The search for flaky tests with and without probes",
                measure: |_| searched::section(),
            },
            Part {
                name: "learned",
                about: "Exposed shares of the published list, of learned functions and of probes",
                measure: |_| learned::section(),
            },
            Part {
                name: "strategies",
                about: "What strategies of rerunning find and cost",
                measure: |_| strategies::section(),
            },
        ]
    }

    fn template(&self) -> &'static str {
        "# Which tests can vary at all, measured

Made by `cargo xtask trace`, which fails if a bar is missed. Times differ from machine to machine; which tests are exposed
does not.

{packages}
{recall}
{unchanged}
{overhead}
{detect}
{learned}
{strategies}"
    }
}
