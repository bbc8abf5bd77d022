//! What stands above a test: reruns in the words of the project's own plugin or in ours, and `@stochastic` for learned
//! numbers.

use super::place::SourceFile;
use crate::record::{ObservedSite, ObservedTest, RerunMarker, Series};
use crate::source::{Edit, NoPlace, python, rust};
use flex_run::model::Runner;

/// The edits that make a test be run so many times until it passes, and what they say: in the marker that the project
/// uses already, else in ours.
pub fn rerun(
    source: &SourceFile,
    test: &ObservedTest,
    attempts: u64,
) -> Result<(Vec<Edit>, String), String> {
    let said = |why: NoPlace| format!("{}: {why}", test.place.file);
    let reruns = attempts.saturating_sub(1);
    let (name, decorator, option, number) = match (source.runner, source.marker) {
        (Runner::Cargo, _) if test.is_stochastic => {
            let edit = rust::attribute::option(&source.text, test, "attempts", attempts);
            let words = format!("#[stochastic_test(attempts = {attempts})]");
            return Ok((vec![edit.map_err(said)?], words));
        }
        (Runner::Cargo, _) => {
            return Err(format!(
                "cargo reruns no tests; nextest does, with retries = {reruns} in .config/nextest.toml, and flex does \
                 where the test draws from its rng: #[stochastic_test(attempts = {attempts})]"
            ));
        }
        (Runner::Pytest, Some(RerunMarker::Rerunfailures)) => {
            ("flaky", "pytest.mark.flaky", "reruns", reruns)
        }
        (Runner::Pytest, Some(RerunMarker::Flaky)) => ("flaky", "flaky", "max_runs", attempts),
        (Runner::Pytest, None) => ("stochastic", "stochastic", "attempts", attempts),
    };
    let text = &source.text;
    let (start, decorators) = python::decorators(text, test).map_err(said)?;
    if let Some(edit) = python::decorator_option(decorators, name, option, number) {
        let mut edit = edit.map_err(said)?;
        edit.range = start + edit.range.start..start + edit.range.end;
        return Ok((vec![edit], format!("{option} becomes {number}")));
    }
    let import = match source.marker {
        Some(RerunMarker::Rerunfailures) => python::import_module(text, "pytest", start),
        Some(RerunMarker::Flaky) => python::import_names(text, "flaky", &["flaky"], start),
        None => python::import_names(text, "pytest_flex", &["stochastic"], start),
    };
    let decorator = format!("@{decorator}({option}={number})");
    let mut edits = vec![python::decorate(text, test, &decorator).map_err(said)?];
    edits.extend(import);
    Ok((edits, decorator))
}

/// The edits that leave a number to flex.
pub fn learned(
    source: &SourceFile,
    test: &ObservedTest,
    site: &ObservedSite,
    series: &Series,
) -> Result<Vec<Edit>, NoPlace> {
    match source.runner {
        Runner::Pytest => learned_in_python(source, test, site, series),
        Runner::Cargo => {
            let assertion = rust::RustAssertion::find(&source.text, site)?;
            rust::learn(&source.text, &assertion, series)
        }
    }
}

fn learned_in_python(
    source: &SourceFile,
    test: &ObservedTest,
    site: &ObservedSite,
    series: &Series,
) -> Result<Vec<Edit>, NoPlace> {
    let knob = series
        .knob
        .as_ref()
        .filter(|_| site.place.file == test.place.file);
    let knob = knob
        .ok_or_else(|| NoPlace::NoNumber("the number is not in the file of its test".to_owned()))?;
    let text = &source.text;
    python::as_run(text, site)?;
    let mut edits = vec![python::NumberInPython::find(text, knob)?.learn(knob)?];
    let (start, _) = python::decorators(text, test)?;
    let mut names = vec!["learned"];
    if !test.is_stochastic {
        names.push("stochastic");
        edits.push(python::decorate(text, test, "@stochastic")?);
    }
    edits.extend(python::import_names(text, "pytest_flex", &names, start));
    Ok(edits)
}
