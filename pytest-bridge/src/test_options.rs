//! The options of a test, as the marker `stochastic` takes them: the engine's table, which Python has no copy of.

use flex_bounds::options::{OptionValue, Options, Rule, TABLE, TestOption};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

/// The options that Python has, each with a value as it is written there.
fn of_python() -> impl Iterator<Item = (&'static TestOption, &'static str)> {
    TABLE
        .iter()
        .filter_map(|option| Some((option, option.in_python?)))
}

/// Returns the options of the marker, each with a value as it is written.
#[pyfunction]
pub fn test_options() -> Vec<(&'static str, &'static str)> {
    of_python()
        .map(|(option, example)| (option.name, example))
        .collect()
}

/// Reads what a marker says; `None` says nothing.
pub fn read(stated: &Bound<'_, PyDict>) -> PyResult<Options> {
    let mut options = Options::NONE;
    for (name, value) in stated {
        let name: String = name.extract()?;
        let Some((option, _)) = of_python().find(|(option, _)| option.name == name) else {
            let known: Vec<&str> = of_python().map(|(option, _)| option.name).collect();
            return Err(PyValueError::new_err(format!(
                "stochastic knows no option {name}; it knows {}",
                known.join(", ")
            )));
        };
        if !value.is_none() {
            let set = |value| {
                let set = options.set(option.name, value);
                set.map_err(PyValueError::new_err)
            };
            value_of(option, &value).and_then(set).map_err(|error| {
                let words = error.value(stated.py()).to_string();
                PyValueError::new_err(format!("stochastic({name}={value}): {words}"))
            })?;
        }
    }
    Ok(options)
}

fn value_of(option: &TestOption, value: &Bound<'_, PyAny>) -> PyResult<OptionValue> {
    Ok(match option.rule {
        Rule::Probability | Rule::NotNegative | Rule::Positive => {
            OptionValue::Number(value.extract()?)
        }
        Rule::Count => OptionValue::Count(value.extract()?),
        Rule::Flag => OptionValue::Flag(value.extract()?),
        Rule::Word([default, other]) => {
            let word = value.cast::<PyString>().ok();
            let word = word.and_then(|word| word.extract::<String>().ok());
            let known = word.and_then(|word| option.of_word(&word));
            known.ok_or_else(|| {
                PyValueError::new_err(format!("it is neither '{default}' nor '{other}'"))
            })?
        }
    })
}
