//! How much of a tolerance values need, for numbers and arrays of Python.

use std::iter::{once, repeat};

use flex_detect::closeness::{Closeness, Needed};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Returns what the neediest pair of values needs of the absolute tolerance and of the relative one, given the other.
///
/// Values are a number, or the bytes of an array of double precision.
#[pyfunction]
pub fn needed(
    actual: &Bound<'_, PyAny>,
    expected: &Bound<'_, PyAny>,
    rtol: f64,
    atol: f64,
    adds: bool,
    larger: bool,
    equal_nan: bool,
) -> PyResult<Option<(f64, f64)>> {
    let closeness = Closeness {
        rtol,
        atol,
        adds,
        larger,
        equal_nan,
    };
    let found = match (Values::of(actual)?, Values::of(expected)?) {
        (Values::One(a), Values::One(b)) => closeness.needed(once((a, b))),
        (Values::Many(a), Values::One(b)) => closeness.needed(doubles(a).zip(repeat(b))),
        (Values::One(a), Values::Many(b)) => closeness.needed(repeat(a).zip(doubles(b))),
        (Values::Many(a), Values::Many(b)) if a.len() != b.len() => {
            return Err(PyValueError::new_err("arrays of different sizes"));
        }
        (Values::Many(a), Values::Many(b)) => closeness.needed(doubles(a).zip(doubles(b))),
    };
    Ok(found.map(|Needed { absolute, relative }| (absolute, relative)))
}

enum Values<'py> {
    One(f64),
    Many(&'py [u8]),
}

impl<'py> Values<'py> {
    fn of(value: &'py Bound<'_, PyAny>) -> PyResult<Self> {
        match value.cast::<PyBytes>() {
            Ok(bytes) => Ok(Values::Many(bytes.as_bytes())),
            Err(_) => value.extract().map(Values::One),
        }
    }
}

fn doubles(bytes: &[u8]) -> impl Iterator<Item = f64> + Clone {
    let (doubles, _) = bytes.as_chunks();
    doubles.iter().map(|double| f64::from_ne_bytes(*double))
}
