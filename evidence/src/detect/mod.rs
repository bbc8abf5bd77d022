//! `cargo xtask detect`: the bars of the search for flaky tests.

mod clusters;
mod corpus;
mod cost;
mod finding;
mod held_out;
mod library;
mod offered;
mod planted;
mod simulated;
mod sound;
mod sound_suites;

use crate::page::{Page, Part};

/// The page on the search for flaky tests.
pub struct DetectPage;

impl Page for DetectPage {
    fn name(&self) -> &'static str {
        "detect"
    }

    fn about(&self) -> &'static str {
        "what `detect` finds and leaves alone, what `fix` promises and keeps, scikit-learn's own tests, suites not seen before, cost"
    }

    fn takes(&self) -> &'static str {
        "25 minutes"
    }

    fn parts(&self) -> &'static [Part] {
        &[
            Part {
                name: "finding",
                about: "Simulated tests, flaky and sound",
                measure: |_| Ok(finding::section()),
            },
            Part {
                name: "clusters",
                about: "Samples of healthy values, and clusters that are seen in them",
                measure: |_| Ok(clusters::section()),
            },
            Part {
                name: "offered",
                about: "Menus for simulated assertions: what looks like a bug, and what is offered first",
                measure: |_| Ok(offered::section()),
            },
            Part {
                name: "sound",
                about: "Real tests without a flaw",
                measure: |_| sound::section(),
            },
            Part {
                name: "corpus",
                about: "The corpus: searched, mended, and searched again",
                measure: |_| corpus::section(),
            },
            Part {
                name: "library",
                about: "Tests of scikit-learn",
                measure: |_| library::section(),
            },
            Part {
                name: "held-out",
                about: "Suites that nobody had looked at",
                measure: |_| held_out::section(),
            },
            Part {
                name: "cost",
                about: "What recording and searching cost",
                measure: |_| cost::section(),
            },
        ]
    }

    fn template(&self) -> &'static str {
        "# The search for flaky tests, measured

Written by `cargo xtask detect`, which fails if a bar is missed. Seeds are fixed, so the counts are the same each time.

{finding}
{clusters}
{offered}
{sound}
{corpus}
{library}
{held-out}
{cost}"
    }
}
