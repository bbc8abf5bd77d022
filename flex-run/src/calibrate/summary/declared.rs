//! Sites of which nothing is learned: declared bounds, and claims about all runs.

use std::fmt;

use flex_core::words::{count, percent, plain, short, thousands};

use super::super::outcome::{ClaimSite, DeclaredSite, TestCalibration};
use super::layout::paragraph;

impl TestCalibration {
    /// How often a declared bound is broken.
    pub(super) fn declared(&self, f: &mut fmt::Formatter<'_>, site: &DeclaredSite) -> fmt::Result {
        let broken = site.broken.len();
        let mut words = format!(
            "{broken} of {} break it",
            count(site.samples, "run", "runs")
        );
        for (side, bound, rate) in &site.rates {
            let which = if site.rates.len() > 1 {
                format!(" {side} {}", plain(*bound))
            } else {
                String::new()
            };
            let (low, high) = rate.interval;
            words += &format!(";{which} rate {} to {}", percent(low), percent(high));
            if let Some(tail) = rate.from_tail {
                words += &format!(
                    ", by the tail {} (at most {})",
                    percent(tail.estimate),
                    percent(tail.upper_limit)
                );
            }
        }
        paragraph(f, &format!("declared {}", site.name), &words)?;
        match site.broken.first() {
            Some(run) => self.replay(f, *run),
            None => Ok(()),
        }
    }

    /// What a claim showed, and the runs that decisions about it take.
    pub(super) fn claim(&self, f: &mut fmt::Formatter<'_>, site: &ClaimSite) -> fmt::Result {
        let runs = count(site.runs, "run", "runs");
        let Some((mean, sd)) = site.shown else {
            return paragraph(f, &format!("claim {}", site.name), &runs);
        };
        let about = |runs: Option<u32>| match runs {
            Some(runs) => format!("about {runs}"),
            None => "more than there may be".to_owned(),
        };
        let mut words = format!(
            "{} in {runs}, which scatter by {}; runs to a decision: {} as it is",
            short(mean),
            short(sd),
            about(site.now)
        );
        let mut said = String::new();
        for (truth, runs) in &site.found {
            let truth = short(*truth);
            // Where nothing scatters, values beyond the bound look like the bound.
            if truth != said {
                words += &format!(", {} if it were {truth}", about(*runs));
                said = truth;
            }
        }
        let once = |rate: f64| thousands((1.0 / rate).round());
        words += &format!(
            "; wrongly broken once in {} tests, wrongly fine once in {}",
            once(site.levels.broken),
            once(site.levels.fine)
        );
        paragraph(f, &format!("claim {}", site.name), &words)
    }
}
