//! Decorators on a test: reruns in the words of the project's own plugin, and `@stochastic` for learned numbers.

use super::place::Source;
use crate::record::{Harness, ObservedSite, ObservedTest, RerunMarker, Series};
use crate::source::{Edit, NoPlace, python};

/// The edits that make a test be run so many times until it passes, and what they say.
pub fn rerun(
    source: &Source,
    test: &ObservedTest,
    attempts: u64,
) -> Result<(Vec<Edit>, String), String> {
    let said = |why: NoPlace| format!("{}: {why}", test.file.display());
    let marker = match (source.harness, source.marker) {
        (Harness::Pytest, Some(marker)) => marker,
        (Harness::Pytest, None) => {
            return Err(format!(
                "the project uses no plugin that reruns tests; with pytest-rerunfailures it is \
                 @pytest.mark.flaky(reruns={})",
                attempts.saturating_sub(1)
            ));
        }
        (Harness::Cargo, _) => {
            return Err(format!(
                "cargo reruns no tests; nextest does, with retries = {} in .config/nextest.toml",
                attempts.saturating_sub(1)
            ));
        }
    };
    let (option, number) = match marker {
        RerunMarker::Rerunfailures => ("reruns", attempts.saturating_sub(1)),
        RerunMarker::Flaky => ("max_runs", attempts),
    };
    let (start, decorators) = python::decorators(&source.text, test).map_err(said)?;
    if let Some(edit) = other_number(start, decorators, option, number) {
        return Ok((vec![edit], format!("{option} becomes {number}")));
    }
    let (decorator, import) = match marker {
        RerunMarker::Rerunfailures => (
            format!("@pytest.mark.flaky({option}={number})"),
            python::import_module(&source.text, "pytest", start),
        ),
        RerunMarker::Flaky => (
            format!("@flaky({option}={number})"),
            python::import_names(&source.text, "flaky", &["flaky"], start),
        ),
    };
    let mut edits = vec![python::decorate(&source.text, test, &decorator).map_err(said)?];
    edits.extend(import);
    Ok((edits, decorator))
}

/// The edit of a number that a decorator has already.
fn other_number(start: usize, decorators: &str, option: &str, number: u64) -> Option<Edit> {
    let flaky = decorators.find("flaky(")?;
    let key = format!("{option}=");
    let at = flaky + decorators[flaky..].find(&key)? + key.len();
    let digits = decorators[at..].find(|c: char| !c.is_ascii_digit())?;
    (digits > 0).then(|| {
        let range = start + at..start + at + digits;
        Edit::replace(range, number.to_string())
    })
}

/// The edits that leave a number of a Python test to flex.
pub fn learned(
    source: &Source,
    test: &ObservedTest,
    site: &ObservedSite,
    series: &Series,
) -> Result<Vec<Edit>, NoPlace> {
    let knob = series.knob.as_ref().filter(|_| site.file == test.file);
    let knob = knob
        .ok_or_else(|| NoPlace::NoNumber("the number is not in the file of its test".to_owned()))?;
    let text = &source.text;
    python::as_run(text, site)?;
    let mut edits = vec![python::Place::find(text, knob)?.learn(knob)?];
    let (start, _) = python::decorators(text, test)?;
    let mut names = vec!["learned"];
    if !test.is_stochastic {
        names.push("stochastic");
        edits.push(python::decorate(text, test, "@stochastic")?);
    }
    edits.extend(python::import_names(text, "pytest_flex", &names, start));
    Ok(edits)
}
