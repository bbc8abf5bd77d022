//! How long tests take, by what was seen of them last.

use std::path::PathBuf;

use flex_detect::record::Record;
use flex_detect::trace::{Durations, Trace, smallest_first};
use flex_run::model::TestId;
use flex_run::text_file;
use pyo3::prelude::*;

/// Returns the places of tests in a list with those first that take the least time, by the trace and the record in these
/// files; a file that is not there or cannot be read says nothing. Tests of which nothing is known come last.
#[pyfunction]
pub fn by_duration(tests: Vec<String>, trace: PathBuf, record: PathBuf) -> Vec<usize> {
    let read = |file: PathBuf| text_file::read_text(&file).ok().flatten();
    let trace = read(trace).and_then(|text| Trace::parse(&text).ok());
    let record = read(record).and_then(|text| Record::parse(&text).ok());
    let durations = Durations::known(trace.as_ref(), record.as_ref());
    let ids: Vec<TestId> = tests.into_iter().map(TestId::pytest).collect();
    let mut places: Vec<usize> = (0..ids.len()).collect();
    smallest_first(&mut places, |place| durations.of(None, &ids[*place]));
    places
}
