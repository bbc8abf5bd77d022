//! How long tests take, by what was seen of them last.

use std::collections::BTreeMap;

use flex_run::model::TestId;

use super::Trace;
use super::learn::key;
use crate::record::Record;

/// The seconds that a run of each test takes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Durations {
    seconds: BTreeMap<String, f64>,
}

impl Durations {
    /// What a trace and a record know. Where both do the trace counts: it has nothing but one run of each test.
    pub fn known(trace: Option<&Trace>, record: Option<&Record>) -> Self {
        let mut durations = Durations::default();
        for test in record.iter().flat_map(|record| &record.tests) {
            durations.add(test.package.as_deref(), &test.id, test.seconds_per_run);
        }
        for test in trace.iter().flat_map(|trace| &trace.tests) {
            durations.add(test.package.as_deref(), &test.id, test.seconds);
        }
        durations
    }

    /// Adds a test.
    pub fn add(&mut self, package: Option<&str>, id: &TestId, seconds: f64) {
        self.seconds.insert(key(package, id), seconds);
    }

    /// How long a test takes, if that is known.
    pub fn of(&self, package: Option<&str>, id: &TestId) -> Option<f64> {
        self.seconds.get(&key(package, id)).copied()
    }
}

/// Puts the tests that take the least time first, and those of which nothing is known last, else in their order.
pub fn smallest_first<T>(tests: &mut [T], seconds: impl Fn(&T) -> Option<f64>) {
    let known = |test: &T| seconds(test).unwrap_or(f64::INFINITY);
    tests.sort_by(|a, b| known(a).total_cmp(&known(b)));
}

#[cfg(test)]
mod tests {
    use flex_run::model::{Place, Runner};

    use super::*;
    use crate::record::Outcome;
    use crate::trace::{TracedTest, VERSION};

    #[test]
    fn the_shortest_come_first_and_the_unknown_last() {
        let test = |name: &str, seconds: f64| TracedTest {
            id: TestId::pytest(name),
            package: None,
            place: Place::new("a.py", 1),
            outcome: Outcome::Pass,
            seconds,
            probe: None,
            calls: Vec::new(),
        };
        let trace = Trace {
            version: VERSION,
            runner: Runner::Pytest,
            root: "/p".into(),
            is_full: false,
            files: Vec::new(),
            functions: Vec::new(),
            tests: vec![test("slow", 2.0), test("fast", 0.1), test("also fast", 0.1)],
        };
        let durations = Durations::known(Some(&trace), None);
        let mut names = ["new", "slow", "fast", "newer", "also fast"];
        let of = |name: &&str| durations.of(None, &TestId::pytest(*name));
        smallest_first(&mut names, of);
        assert_eq!(names, ["fast", "also fast", "slow", "new", "newer"]);
    }
}
