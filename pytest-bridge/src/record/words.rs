//! The words by which Python names roles, outcomes and places.

use flex_detect::record::{ObservedTest, Outcome, RepeatPlace, Role};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The indices of runs, and how they ended.
pub type RunOutcomes = Vec<(u32, &'static str)>;

/// Returns how the runs of a test ended, in their order.
pub fn outcomes_of(test: &ObservedTest) -> RunOutcomes {
    let word = |outcome| match outcome {
        Outcome::Pass => "pass",
        Outcome::Fail => "fail",
        Outcome::Skip => "skip",
    };
    let runs = test.runs.iter();
    runs.map(|run| (run.index, word(run.outcome))).collect()
}

pub fn role_of(word: &str) -> PyResult<Role> {
    Ok(match word {
        "upper" => Role::Upper,
        "lower" => Role::Lower,
        "absolute" => Role::Absolute,
        "relative" => Role::Relative,
        "places" => Role::Places,
        "decimal" => Role::Decimal,
        "significant" => Role::Significant,
        "ulps" => Role::Ulps,
        _ => return Err(PyValueError::new_err(format!("`{word}` is not a role"))),
    })
}

pub fn outcome_of(word: &str) -> PyResult<Outcome> {
    match word {
        "pass" => Ok(Outcome::Pass),
        "fail" => Ok(Outcome::Fail),
        "skip" => Ok(Outcome::Skip),
        _ => Err(PyValueError::new_err(format!("`{word}` is not an outcome"))),
    }
}

pub fn repeat_place(word: &str) -> PyResult<RepeatPlace> {
    match word {
        "other-process" => Ok(RepeatPlace::OtherProcess),
        "other-hashes" => Ok(RepeatPlace::OtherHashes),
        _ => Err(PyValueError::new_err(format!(
            "`{word}` is not a place of repeats"
        ))),
    }
}
