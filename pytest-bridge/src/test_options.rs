//! The options of a test, as the marker `stochastic` takes them: one table, which Python has no copy of.

use flex_bounds::options::Options;
use flex_core::bound::confidence::Confidence;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// An option of a test.
struct TestOption {
    name: &'static str,
    /// A value, as it is written in Python.
    example: &'static str,
    /// Takes a value; the error says what is wrong with it.
    take: fn(&mut Options, &Bound<'_, PyAny>) -> PyResult<()>,
}

const TABLE: &[TestOption] = &[
    TestOption {
        name: "confidence",
        example: "0.9999",
        take: |options, value| {
            let confidence: f64 = value.extract()?;
            Confidence::new(confidence).map_err(PyValueError::new_err)?;
            options.confidence = Some(confidence);
            Ok(())
        },
    },
    TestOption {
        name: "runs",
        example: "100",
        take: |options, value| at_least_1(value, "run", &mut options.runs),
    },
    TestOption {
        name: "max_runs",
        example: "3000",
        take: |options, value| at_least_1(value, "run", &mut options.max_runs),
    },
    TestOption {
        name: "effort",
        example: "0.3",
        take: |options, value| {
            let effort: f64 = value.extract()?;
            options.effort = Some(effort);
            let words = "the effort is a number from 0 (no reruns) on";
            match (0.0..=1000.0).contains(&effort) {
                true => Ok(()),
                false => Err(PyValueError::new_err(words)),
            }
        },
    },
    TestOption {
        name: "tail",
        example: "'light'",
        take: |options, value| {
            options.light = Some(true);
            match word(value) {
                Some(word) if word == "light" => Ok(()),
                _ => Err(PyValueError::new_err(format!(
                    "tail={} is not 'light'",
                    value.repr()?
                ))),
            }
        },
    },
    TestOption {
        name: "on_ceiling",
        example: "'warn'",
        take: |options, value| {
            options.ceiling_warns = match word(value).as_deref() {
                Some("fail") => Some(false),
                Some("warn") => Some(true),
                _ => {
                    return Err(PyValueError::new_err(format!(
                        "on_ceiling={} is neither 'fail' nor 'warn'",
                        value.repr()?
                    )));
                }
            };
            Ok(())
        },
    },
    TestOption {
        name: "attempts",
        example: "4",
        take: |options, value| at_least_1(value, "attempt", &mut options.attempts),
    },
];

/// Returns the options of the marker, each with a value as it is written.
#[pyfunction]
pub fn test_options() -> Vec<(&'static str, &'static str)> {
    let each = |option: &TestOption| (option.name, option.example);
    TABLE.iter().map(each).collect()
}

/// Reads what a marker says; `None` says nothing.
pub fn read(stated: &Bound<'_, PyDict>) -> PyResult<Options> {
    let mut options = Options::NONE;
    for (name, value) in stated {
        let name: String = name.extract()?;
        let Some(option) = TABLE.iter().find(|option| option.name == name) else {
            let known: Vec<&str> = TABLE.iter().map(|option| option.name).collect();
            return Err(PyValueError::new_err(format!(
                "stochastic knows no option {name}; it knows {}",
                known.join(", ")
            )));
        };
        if !value.is_none() {
            (option.take)(&mut options, &value)
                .map_err(|error| explained(&name, &error, stated.py()))?;
        }
    }
    Ok(options)
}

/// Says which option is wrong, where the words do not.
fn explained(name: &str, error: &PyErr, py: Python<'_>) -> PyErr {
    let words = error.value(py).to_string();
    PyValueError::new_err(match words.starts_with(&format!("{name}=")) {
        true => words,
        false if error.is_instance_of::<PyValueError>(py) => format!("stochastic: {words}"),
        false => format!("stochastic: argument '{name}': {words}"),
    })
}

fn at_least_1(value: &Bound<'_, PyAny>, what: &str, option: &mut Option<u32>) -> PyResult<()> {
    let number: u32 = value.extract()?;
    *option = Some(number);
    match number {
        0 => Err(PyValueError::new_err(format!(
            "at least 1 {what} is needed"
        ))),
        _ => Ok(()),
    }
}

fn word(value: &Bound<'_, PyAny>) -> Option<String> {
    let text = value.cast::<PyString>().ok()?;
    text.extract().ok()
}
