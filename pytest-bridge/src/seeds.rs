//! Seeds for Python, by the derivation that Rust tests have.

use flex_core::seed::{Phase, SeedRequest};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The seeds of one test in one phase.
#[pyclass(frozen)]
#[derive(Debug)]
pub struct Seeds {
    seeds: flex_core::seed::Seeds,
}

#[pymethods]
impl Seeds {
    #[new]
    fn new(base: &str, phase: &str, test: &str) -> PyResult<Self> {
        let seeds = flex_core::seed::Seeds::new(base, phase_of(phase)?, "", test);
        Ok(Seeds { seeds })
    }

    /// The 32 bytes that decide every random choice of run `i`.
    fn run(&self, i: u64) -> [u8; 32] {
        self.seeds.run(i)
    }
}

/// A base that nobody had before.
#[pyfunction]
pub fn fresh_base() -> String {
    flex_run::project::base::fresh_base()
}

/// Reads `TEXT` or `TEXT@calibrate:57`: the base, and the one run to replay.
#[pyfunction]
pub fn parse_seed(text: &str) -> PyResult<(String, Option<(&'static str, u64)>)> {
    let seed: SeedRequest = text.parse().map_err(PyValueError::new_err)?;
    let run = seed.run.map(|(phase, run)| (phase.as_str(), run));
    Ok((seed.base, run))
}

pub fn phase_of(word: &str) -> PyResult<Phase> {
    // Whatever stands behind the `@` of a seed is a phase.
    let seed: Result<SeedRequest, String> = format!("base@{word}:0").parse();
    let phase = seed.ok().and_then(|seed| seed.run).map(|(phase, _)| phase);
    phase.ok_or_else(|| PyValueError::new_err(format!("`{word}` is not a phase")))
}
