//! The cost of recording an assertion, and of a search beside the bare runs of its test.

use serde_json::Value;
use xtask::process::capture;
use xtask::python::Python;

use crate::page::{Bar, Section};
use crate::program::prepare;

/// The section of the part `cost`.
pub fn section() -> Result<Section, String> {
    let cost = measure(&prepare()?)?;
    let text = format!(
        "## What it costs

Processor time, in one go. Recording: a loop over an assertion within one run, with and without it. Searching: a test of
{:.1} ms, searched with {} runs and with {}, beside as many calls of its function; what is repeated to see whether
values are controlled is counted as cost.

",
        cost.bare_milliseconds, cost.runs.0, cost.runs.1
    );
    let mut bars: Vec<Bar> = cost
        .recording
        .iter()
        .map(|(form, microseconds)| Bar {
            what: format!("recording `{form}`"),
            measured: format!("{microseconds:.2} µs"),
            bar: "≤ 3 µs".to_owned(),
            kept: *microseconds <= 3.0,
        })
        .collect();
    bars.push(Bar {
        what: "a search beside its bare runs".to_owned(),
        measured: format!("{:.3}", cost.ratio),
        bar: "≤ 1.05".to_owned(),
        kept: cost.ratio <= 1.05,
    });
    Ok(Section::with_bars(text, &bars))
}

/// The cost of a search, measured by `pytest-bridge/bench`.
struct SearchCost {
    /// Forms of assertions, with the microseconds that recording adds.
    recording: Vec<(String, f64)>,
    /// Runs of the shorter and of the longer search.
    runs: (u64, u64),
    bare_milliseconds: f64,
    /// The processor time of a search beside that of its bare runs.
    ratio: f64,
}

/// Measures in the environment of this interpreter.
fn measure(python: &Python) -> Result<SearchCost, String> {
    let recording = printed(python, "pytest-bridge/bench/recording.py")?;
    let searching = printed(python, "pytest-bridge/bench/searching.py")?;
    let forms = recording.as_object().into_iter().flatten();
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    let added = |(form, cost): (&String, &Value)| {
        let nanoseconds = number(&cost["recorded"]) - number(&cost["bare"]);
        (form.clone(), nanoseconds / 1000.0)
    };
    let runs = |index: usize| searching["runs"][index].as_u64().unwrap_or(0);
    Ok(SearchCost {
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
