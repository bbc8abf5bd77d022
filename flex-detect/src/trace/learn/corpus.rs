//! Traced tests of one project or several, with what is known of each, and which tests executed which function.

use std::collections::{BTreeMap, BTreeSet};

use flex_bounds::config::CharacteristicRule;
use flex_core::search::select::BitSet;
use flex_run::model::{Cause, Variability};

use super::characteristic::cause_of;
use super::labels::{Label, Labels, key};
use crate::trace::{Function, Trace};

/// A traced project, and what is known of its tests.
#[derive(Debug, Clone, Copy)]
pub struct LearningProject<'a> {
    /// Its name.
    pub name: &'a str,
    /// What its tests touched and executed.
    pub trace: &'a Trace,
    /// Which of them are flaky.
    pub labels: &'a Labels,
}

/// Traced tests that something is known of, and their functions.
#[derive(Debug, Clone, Default)]
pub struct Corpus {
    /// The names of the projects.
    pub projects: Vec<String>,
    /// The tests, in the order of the traces.
    pub tests: Vec<CorpusTest>,
    /// The functions, in the order of their names.
    pub functions: Vec<CorpusFunction>,
    /// How many traced tests nothing is known of; they are left out.
    pub unlabelled: usize,
}

/// A test of a corpus.
#[derive(Debug, Clone, PartialEq)]
pub struct CorpusTest {
    /// The index of its project.
    pub project: usize,
    /// Its name, as tables have it.
    pub name: String,
    /// What is known of it.
    pub label: Label,
    /// What its probe says; `None` where nobody could watch.
    pub variability: Option<Variability>,
}

/// A function that tests of a corpus executed.
#[derive(Debug, Clone, PartialEq)]
pub struct CorpusFunction {
    /// Its name, with its class, and the file if it is written in Python.
    pub name: String,
    /// Whether it is written in C.
    pub is_c: bool,
    /// The cause that it is known to tell of.
    pub cause: Option<Cause>,
    /// The tests that executed it.
    pub executed_by: BitSet,
}

impl Corpus {
    /// Brings projects together; `rules` name the functions whose cause is known.
    pub fn new(projects: &[LearningProject<'_>], rules: &[CharacteristicRule]) -> Self {
        let mut corpus = Corpus {
            projects: projects
                .iter()
                .map(|project| project.name.to_owned())
                .collect(),
            ..Corpus::default()
        };
        let mut executed: BTreeMap<String, (bool, Option<Cause>, Vec<usize>)> = BTreeMap::new();
        for (index, project) in projects.iter().enumerate() {
            let own = places_of_tests(project.trace);
            for test in &project.trace.tests {
                let name = key(test.package.as_deref(), &test.id);
                let Some(label) = project.labels.of(project.name, &name) else {
                    corpus.unlabelled += 1;
                    continue;
                };
                for (function, _) in project.trace.executed(test) {
                    let known = executed.entry(full_name(function, project.name, &own));
                    let (.., tests) = known.or_insert_with(|| {
                        (function.is_c(), cause_of(function, rules), Vec::new())
                    });
                    tests.push(corpus.tests.len());
                }
                corpus.tests.push(CorpusTest {
                    project: index,
                    name,
                    label: label.clone(),
                    variability: test.variability(),
                });
            }
        }
        let limit = corpus.tests.len();
        let function =
            |(name, (is_c, cause, tests)): (String, (bool, Option<Cause>, Vec<usize>))| {
                let mut executed_by = BitSet::new(limit);
                tests.into_iter().for_each(|test| executed_by.insert(test));
                CorpusFunction {
                    name,
                    is_c,
                    cause,
                    executed_by,
                }
            };
        corpus.functions = executed.into_iter().map(function).collect();
        corpus
    }

    /// The tests that fit.
    pub fn tests_that(&self, fits: impl Fn(&CorpusTest) -> bool) -> BitSet {
        let mut tests = BitSet::new(self.tests.len());
        let fitting = (0..self.tests.len()).filter(|test| fits(&self.tests[*test]));
        fitting.for_each(|test| tests.insert(test));
        tests
    }

    /// The flaky tests.
    pub fn flaky(&self) -> BitSet {
        self.tests_that(|test| test.label.is_flaky)
    }

    /// The tests that call a function whose cause is known.
    pub fn listed(&self) -> BitSet {
        let mut tests = BitSet::new(self.tests.len());
        let known = self
            .functions
            .iter()
            .filter(|function| function.cause.is_some());
        known.for_each(|function| tests.unite(&function.executed_by));
        tests
    }

    /// The tests that are not shown to be fixed; `None` if nobody could watch any.
    pub fn not_fixed(&self) -> Option<BitSet> {
        let is_watched = |test: &CorpusTest| test.variability.is_some();
        let not_fixed = |test: &CorpusTest| test.variability != Some(Variability::Fixed);
        self.tests
            .iter()
            .any(is_watched)
            .then(|| self.tests_that(not_fixed))
    }
}

/// The name of a function in all projects. Files of installed packages have the same name everywhere; those beside or
/// below the tests belong to their project, since every project may have a `tests/helpers.py`.
fn full_name(function: &Function, project: &str, own: &BTreeSet<&str>) -> String {
    let name = function.in_class();
    let file = function.file.as_str();
    let is_own = own.contains(file) || ancestors(file).any(|folder| own.contains(folder));
    match file {
        "" => name,
        file if is_own => format!("{name} ({project}: {file})"),
        file => format!("{name} ({file})"),
    }
}

/// The files with tests, and the folders that they are in.
fn places_of_tests(trace: &Trace) -> BTreeSet<&str> {
    let places = trace.tests.iter().map(|test| {
        let file = test.place.file.as_str();
        [Some(file), ancestors(file).next()]
    });
    places.flatten().flatten().chain(["conftest.py"]).collect()
}

/// The folders that a file is in, the innermost first.
fn ancestors(file: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(file.rsplit_once('/'), |(folder, _)| folder.rsplit_once('/'))
        .map(|(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_beside_tests_belong_to_their_project() {
        let own: BTreeSet<&str> = ["tests/unit/test_a.py", "tests/unit", "conftest.py"].into();
        let check = |class: &str, file: &str, expected: &str| {
            let function = Function {
                function: "wait".to_owned(),
                class: class.to_owned(),
                file: file.to_owned(),
                ..Function::default()
            };
            assert_eq!(full_name(&function, "p", &own), expected);
        };
        check("lock", "", "lock.wait");
        check("", "threading.py", "wait (threading.py)");
        check("Pool", "numpy/a.py", "Pool.wait (numpy/a.py)");
        check("", "tests/unit/b/c.py", "wait (p: tests/unit/b/c.py)");
        check("", "tests/other.py", "wait (tests/other.py)");
        check("", "conftest.py", "wait (p: conftest.py)");
    }
}
