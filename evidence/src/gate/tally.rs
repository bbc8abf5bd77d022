//! Tests that were selected, beside those that are affected.

use std::collections::BTreeSet;

use crate::page::Bar;

/// What was counted over all commits.
#[derive(Debug, Default)]
pub struct Tally {
    pub affected: usize,
    pub selected: usize,
    /// Affected tests that were not selected, each with its commit.
    pub missed: Vec<String>,
}

impl Tally {
    /// Counts a commit.
    pub fn add(&mut self, commit: &str, affected: &BTreeSet<String>, selected: &BTreeSet<String>) {
        self.affected += affected.len();
        self.selected += selected.len();
        let missed = affected.difference(selected);
        self.missed
            .extend(missed.map(|test| format!("{commit}: {test}")));
    }

    /// Selected tests for each affected one.
    pub fn ratio(&self) -> f64 {
        self.selected as f64 / self.affected.max(1) as f64
    }

    /// That none is missed, and few more are selected than are affected.
    pub fn bars(&self, how: &str, most: f64) -> [Bar; 2] {
        [
            Bar {
                what: format!("affected tests that are missed, {how}"),
                measured: match self.missed.is_empty() {
                    true => "0".to_owned(),
                    false => self.missed.join("; "),
                },
                bar: "0".to_owned(),
                kept: self.missed.is_empty() && self.affected > 0,
            },
            Bar {
                what: format!("selected for each affected test, {how}"),
                measured: format!("{:.2}", self.ratio()),
                bar: format!("≤ {most}"),
                kept: self.ratio() <= most,
            },
        ]
    }
}
