//! The record of a search, built from Python: tests with their sites, runs and values go in; a file, bytes for another
//! process and a report come out.
//!
//! Only this folder makes values of [`flex_detect::record`], and nothing in Python spells its fields.

mod cases;
pub mod file;
mod knob;
mod learned;
mod live;
mod repeats;
pub mod search;
mod test;
mod words;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use flex_core::paint::Paint;
use flex_detect::record::{ObservedTest, Outcome, Reader, Record, RerunMarker, VERSION};
use flex_detect::report;
use flex_detect::verdict::{JudgeRule, differs_when_repeated, judge};
use flex_run::model::Runner;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::text::Text;
use search::Search;

pub use knob::Knob;
pub use test::TestRecord;
use words::{RunOutcomes, outcomes_of, repeat_place};

/// The index of a run that failed, why it did, and the command that repeats it.
type FailedRun = (u32, String, String);

/// The record of all tests of a search.
#[pyclass]
#[derive(Debug)]
pub struct RecordBuilder {
    base: String,
    root: PathBuf,
    rerun_marker: Option<RerunMarker>,
    reader: Reader,
    tests: BTreeMap<String, ObservedTest>,
}

#[pymethods]
impl RecordBuilder {
    /// A record without tests. `rerun_marker` is the plugin by which the project already reruns tests, and `started` the
    /// folder where pytest was started, in which people paste commands.
    #[new]
    #[pyo3(signature = (base, root, rerun_marker=None, started=None))]
    fn new(
        base: Text,
        root: Text,
        rerun_marker: Option<&str>,
        started: Option<Text>,
    ) -> PyResult<Self> {
        let rerun_marker = match rerun_marker {
            None => None,
            Some("rerunfailures") => Some(RerunMarker::Rerunfailures),
            Some("flaky") => Some(RerunMarker::Flaky),
            Some(other) => {
                let words = format!("`{other}` is not known to rerun tests");
                return Err(PyValueError::new_err(words));
            }
        };
        Ok(RecordBuilder {
            base: base.0,
            root: root.into(),
            rerun_marker,
            reader: Reader {
                folder: started.map(PathBuf::from),
                manifest_path: None,
            },
            tests: BTreeMap::new(),
        })
    }

    /// Reads a file that [`write`](Self::write) wrote.
    #[staticmethod]
    fn read(file: PathBuf) -> PyResult<Self> {
        let text =
            std::fs::read_to_string(file).map_err(|error| PyOSError::new_err(error.to_string()))?;
        Ok(RecordBuilder::of(parsed(&text)?))
    }

    /// Writes the record in the place of a file, in one step.
    fn write(&self, file: PathBuf) -> PyResult<()> {
        let text = self.record(self.tests.values()).to_json();
        file::replace(&file, &text).map_err(|error| PyOSError::new_err(error.to_string()))
    }

    /// Returns everything, for another process.
    fn to_bytes(&self) -> Cow<'static, [u8]> {
        Cow::Owned(self.record(self.tests.values()).to_json().into_bytes())
    }

    /// Takes the tests of another process that are not known yet.
    fn absorb(&mut self, bytes: &[u8]) -> PyResult<()> {
        let text =
            str::from_utf8(bytes).map_err(|error| PyValueError::new_err(error.to_string()))?;
        for test in parsed(text)?.tests {
            self.tests.entry(test.name().to_owned()).or_insert(test);
        }
        Ok(())
    }

    /// Takes what a test showed, and leaves nothing of it behind.
    fn add(&mut self, mut test: PyRefMut<'_, TestRecord>) {
        let test = test.take();
        self.tests.insert(test.name().to_owned(), test);
    }

    /// Returns how the runs of every test ended, and how long one takes.
    fn outcomes(&self) -> BTreeMap<&str, (RunOutcomes, f64)> {
        let tests = self.tests.iter();
        tests
            .map(|(name, test)| (name.as_str(), (outcomes_of(test), test.seconds_per_run)))
            .collect()
    }

    /// Returns the tests in which nothing can differ, by what their runs touched.
    fn shown_fixed(&self) -> Vec<&str> {
        let tests = self.tests.values();
        let fixed = tests.filter(|test| test.is_shown_fixed());
        fixed.map(ObservedTest::name).collect()
    }

    /// Returns those of them that showed something else when they were repeated.
    fn differing(&self) -> Vec<&str> {
        let tests = self.tests.values();
        let differing = tests.filter(|test| test.is_shown_fixed() && differs_when_repeated(test));
        differing.map(ObservedTest::name).collect()
    }

    /// Takes runs that were made again at a place: `other-process` or `other-hashes`.
    fn take_repeats(&mut self, repeated: &RecordBuilder, place: &str) -> PyResult<()> {
        let place = repeat_place(place)?;
        for (name, again) in &repeated.tests {
            if let Some(test) = self.tests.get_mut(name) {
                repeats::take_repeats(test, again, place);
            }
        }
        Ok(())
    }

    /// Returns the report for people, in colour if they see it, and whether there is something to find.
    #[pyo3(signature = (probability=None, verbose=false, is_painted=false))]
    fn judge(&self, probability: Option<f64>, verbose: bool, is_painted: bool) -> (String, bool) {
        let record = self.record(self.tests.values());
        let findings = judge(&record, &JudgeRule { probability });
        let text = report::text(&findings, verbose, Paint::when(is_painted));
        (text, findings.has_findings())
    }

    /// Returns a line that counts the tests in which nothing can differ, and the runs that a search did not make of them.
    fn fixed(&self, search: &Search) -> Option<String> {
        report::fixed(&self.record(self.tests.values()), search.rule())
    }

    /// Returns the runs of one test that failed, with why and what repeats each, and how many it has; `None` if there is
    /// nothing to find.
    #[pyo3(signature = (name, probability=None))]
    fn findings_of(&self, name: &str, probability: Option<f64>) -> Option<(Vec<FailedRun>, usize)> {
        let test = self.tests.get(name)?;
        let findings = judge(&self.record([test]), &JudgeRule { probability });
        findings.has_findings().then(|| {
            let failed = test.runs.iter().filter(|run| run.outcome == Outcome::Fail);
            let failed = failed.map(|run| {
                let replay = report::replay(findings.tests.first()?, run.index)?;
                let why = run.why.clone().unwrap_or_default();
                Some((run.index, why, replay.to_string()))
            });
            (failed.flatten().collect(), test.runs.len())
        })
    }

    /// The number of runs of all tests.
    #[getter]
    fn runs(&self) -> usize {
        self.tests.values().map(|test| test.runs.len()).sum()
    }

    fn __len__(&self) -> usize {
        self.tests.len()
    }

    fn __contains__(&self, name: &str) -> bool {
        self.tests.contains_key(name)
    }
}

impl RecordBuilder {
    /// Each test as a record that has no other, with its name and the number of its runs.
    pub fn texts(&self) -> impl Iterator<Item = (&str, String, u64)> {
        let tests = self.tests.iter();
        tests.map(|(name, test)| {
            let text = self.record([test]).to_json();
            (name.as_str(), text, test.runs.len() as u64)
        })
    }

    /// Takes a test.
    pub fn insert(&mut self, test: ObservedTest) {
        self.tests.insert(test.name().to_owned(), test);
    }

    fn of(record: Record) -> Self {
        let tests = record.tests.into_iter();
        RecordBuilder {
            base: record.base,
            root: record.root,
            rerun_marker: record.rerun_marker,
            reader: record.reader,
            tests: tests.map(|test| (test.name().to_owned(), test)).collect(),
        }
    }

    fn record<'a>(&self, tests: impl IntoIterator<Item = &'a ObservedTest>) -> Record {
        Record {
            version: VERSION,
            runner: Runner::Pytest,
            base: self.base.clone(),
            root: self.root.clone(),
            rerun_marker: self.rerun_marker,
            tests: tests.into_iter().cloned().collect(),
            reader: self.reader.clone(),
        }
    }
}

fn parsed(text: &str) -> PyResult<Record> {
    Record::parse(text).map_err(|error| PyValueError::new_err(error.to_string()))
}
