//! The truth table: every distribution, number of runs and setting.

use flex_core::bound::guard::Settling;

use super::cell::{Cell, simulate};
use super::rates::Tier;
use super::setting::{Setting, Variant};
use crate::distribution::{self, Distribution, TailKind};
use crate::parallel::in_parallel;

/// All cells of one distribution.
pub struct Row {
    pub distribution: Distribution,
    pub cells: Vec<(Setting, Cell)>,
}

impl Row {
    /// Returns true if a tier is promised to hold. Races hold for whatever the samples come from, a ceiling where the
    /// tail is regular.
    pub fn promises(&self, tier: Tier) -> bool {
        match tier {
            Tier::Race | Tier::Strays => true,
            Tier::Ceiling | Tier::All => self.distribution.tail != TailKind::Irregular,
        }
    }

    /// The cells of the default bound.
    pub fn default_cells(&self) -> impl Iterator<Item = &(Setting, Cell)> {
        let cells = self.cells.iter();
        cells.filter(|(setting, _)| setting.variant == Variant::Default)
    }

    /// The cell of a test with one site that is replayed.
    pub fn one_site(&self, runs: usize, confidence: f64, variant: Variant) -> Option<&Cell> {
        let wanted = (runs, confidence, 1, Settling::Replay, variant);
        let is_it = |s: &Setting| (s.runs, s.confidence, s.sites, s.settling, s.variant) == wanted;
        let cell = self.cells.iter().find(|(setting, _)| is_it(setting));
        cell.map(|(_, cell)| cell)
    }
}

/// Simulates everything, over all cores; the result does not depend on their number.
pub fn measure(calibrations: usize, runs: &[usize], settings: &[Setting]) -> Vec<Row> {
    let distributions = distribution::all();
    let deviations: Vec<f64> = distributions
        .iter()
        .map(Distribution::standard_deviation)
        .collect();
    let jobs: Vec<(usize, usize)> = (0..distributions.len())
        .flat_map(|d| runs.iter().map(move |n| (d, *n)))
        .collect();
    let done = in_parallel(&jobs, |(d, n)| {
        let seed = (*d as u64) << 32 | *n as u64;
        let given = (deviations[*d], seed);
        simulate(&distributions[*d], *n, settings, calibrations, given)
    });
    let mut rows: Vec<Row> = distributions
        .into_iter()
        .map(|distribution| Row {
            distribution,
            cells: Vec::new(),
        })
        .collect();
    for ((d, _), cells) in jobs.iter().zip(done) {
        rows[*d].cells.extend(cells);
    }
    rows
}
