//! `cargo xtask report`: the page of a report at scale: how long it takes to make, and how soon it is seen.

mod made;
mod seen;

use crate::page::{Page, Part};

/// The page on the page of a report.
pub struct ReportPage;

impl Page for ReportPage {
    fn name(&self) -> &'static str {
        "report"
    }

    fn about(&self) -> &'static str {
        "how long the page of a report takes to make and to be seen, for 1,000 and 10,000 sites; needs Chromium, Node.js and Linux"
    }

    fn takes(&self) -> &'static str {
        "5 minutes"
    }

    fn parts(&self) -> &'static [Part] {
        &[
            Part {
                name: "made",
                about: "Time and memory of `report`, and the size of its page",
                measure: made::section,
            },
            Part {
                name: "seen",
                about: "The first paint of the page in a browser without a window",
                measure: seen::section,
            },
        ]
    }

    fn template(&self) -> &'static str {
        "# The page of a report

Written by `cargo xtask report`, which fails if a bar is missed. What is shown are tests of one site each, calibrated by the
machines that do so for real on values that are drawn from fixed seeds; nothing is compiled
(`tests/src/bin/report-project`). What the page looks like and does is tested by `cargo xtask test`, in the same browser.

## Making it

{made}
## Seeing it

{seen}
How long newcomers take to see one is on [the page of the first minutes](first-minutes.md).
"
    }

    fn has_quick_form(&self) -> bool {
        true
    }
}
