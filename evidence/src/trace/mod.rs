//! `cargo xtask trace`: which tests can vary at all, and what it costs and saves to know.

mod corpus;
mod learned;
mod strategies;

use crate::page::{Page, Part};

/// The page on probes and tracing.
pub struct TracePage;

impl Page for TracePage {
    fn name(&self) -> &'static str {
        "trace"
    }

    fn about(&self) -> &'static str {
        "which tests probes and functions expose, and what strategies of rerunning find and cost; needs Linux"
    }

    fn takes(&self) -> &'static str {
        "10 minutes"
    }

    fn parts(&self) -> &'static [Part] {
        &[
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

{learned}
{strategies}"
    }
}
