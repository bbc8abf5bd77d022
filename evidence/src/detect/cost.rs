//! What recording an assertion costs, and what a search costs beside the bare runs of its test.

use serde_json::Value;

use crate::process::capture;
use crate::python::Python;

/// What was measured, by `pytest-bridge/bench`.
pub struct Cost {
    /// Forms of assertions, with the microseconds that recording adds.
    pub recording: Vec<(String, f64)>,
    /// Runs of the shorter and of the longer search.
    pub runs: (u64, u64),
    pub bare_milliseconds: f64,
    /// The processor time of a search beside that of its bare runs.
    pub ratio: f64,
}

/// Measures in the environment of this interpreter.
pub fn measure(python: &Python) -> Result<Cost, String> {
    let recording = printed(python, "pytest-bridge/bench/recording.py")?;
    let searching = printed(python, "pytest-bridge/bench/searching.py")?;
    let forms = recording.as_object().into_iter().flatten();
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let added = |(form, cost): (&String, &Value)| {
        let nanoseconds = number(&cost["recorded"]) - number(&cost["bare"]);
        (form.clone(), nanoseconds / 1000.0)
    };
    let runs = |index: usize| searching["runs"][index].as_u64().unwrap_or(0);
    Ok(Cost {
        recording: forms.map(added).collect(),
        runs: (runs(0), runs(1)),
        bare_milliseconds: number(&searching["bare_milliseconds"]),
        ratio: number(&searching["ratio"]),
    })
}

fn printed(python: &Python, script: &str) -> Result<Value, String> {
    let text = capture(&mut python.run(&[script]), "")?;
    serde_json::from_str(&text).map_err(|error| format!("{script}: {error}"))
}
