//! The page about the tests of a bounds file, for Python.

use std::path::{Path, PathBuf};

use flex_core::words::quoted;
use flex_report::{FoundText, KeptFiles, Report, Sources, SuiteFacts};
use flex_run::calibrate::pending_store;
use flex_run::kept::Kept;
use flex_run::model::Runner;
use flex_run::project::commits::checked_out;
use flex_run::project::date::now;
use flex_run::store::Store;
use flex_run::text_file;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::environment::Environment;

/// Returns the page, and what could not be read for it. `tests` is where the tests are, for commands.
#[pyfunction]
pub fn report(
    bounds_file: PathBuf,
    folder: PathBuf,
    environment: &Environment,
    tests: &str,
) -> PyResult<(String, Vec<String>)> {
    let read = |store: &Store| {
        let file = store.read();
        file.map_err(|error| PyValueError::new_err(error.to_string()))
    };
    let store = Store::at(&bounds_file);
    let name = bounds_file.parent().and_then(Path::file_name);
    let tests = quoted(tests);
    let suite = SuiteFacts {
        name: name.unwrap_or_default().to_string_lossy().into_owned(),
        package: None,
        runner: Runner::Pytest,
        bounds: read(&store)?,
        pending: read(&pending_store(&store))?,
        bounds_file: bounds_file.display().to_string(),
        variant: environment.settings.variant.clone(),
        budget: environment.project.config.false_alarms,
        review: format!("flex-harness review --pytest {tests}"),
        fix: format!("flex-harness fix --pytest {tests}"),
    };
    let text = |name: &str| -> FoundText {
        let path = folder.join(name);
        let text = text_file::read_text(&path).map_err(|error| error.to_string());
        (path, text.transpose())
    };
    let kept = KeptFiles::read(Kept::within(&folder).texts());
    let sources = Sources {
        commits: checked_out(bounds_file.parent().unwrap_or(Path::new("."))),
        ..Sources::read(kept, text("detect.json"), text("compare.json"))
    };
    let report = Report::build(&[suite], &sources, now());
    Ok((report.html(), report.notes().to_vec()))
}
