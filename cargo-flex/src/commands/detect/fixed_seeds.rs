//! What is said of tests whose sources state a seed.

use std::path::Path;

use flex_detect::source::rust::fixed_seeds;

use crate::cargo::{CargoTest, TestKind, sources_of_test};

/// Seeds that are named for one test.
const MOST: usize = 3;

/// A note for each seed that is written out in a test, or in a function of its sources that it names.
pub fn notes(test: &CargoTest<'_>, root: &Path) -> Vec<String> {
    let (files, texts): (Vec<String>, Vec<String>) =
        sources_of_test(&test.found, root).into_iter().unzip();
    let seeds = fixed_seeds(&texts, &test.found.name);
    let instead = match test.kind {
        TestKind::Stochastic => "take it from the run: `rng.seed_u64()`",
        TestKind::Plain { .. } => "`#[stochastic_test]` has one for each run: `rng.seed_u64()`",
    };
    seeds
        .iter()
        .take(MOST)
        .map(|seed| {
            let (file, line, call) = (&files[seed.source], seed.line, &seed.text);
            format!("{file}:{line}: {call}: a fixed seed hides what varies; {instead}")
        })
        .collect()
}
