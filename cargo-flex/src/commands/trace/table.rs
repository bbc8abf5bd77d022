//! What tests touched, as a table for people.

use flex_core::words::{count, duration, thousands, wrapped};
use flex_detect::record::Outcome;
use flex_detect::trace::{Trace, TracedTest};
use flex_run::model::{Cause, Touch, Variability};

use crate::trace::fitted;

/// A line for each test and each thing that it touched, those that can vary first, and totals.
pub fn of(trace: &Trace) -> String {
    let mut tests: Vec<&TracedTest> = trace.tests.iter().collect();
    tests.sort_by_key(|test| rank(test.variability()));
    let mut words = String::new();
    for test in tests {
        words += &of_test(test);
    }
    words + "\n" + &Totals::of(trace).words(trace)
}

fn rank(variability: Option<Variability>) -> u8 {
    match variability {
        Some(Variability::CanVary) => 0,
        Some(Variability::Controlled) => 1,
        None => 2,
        Some(Variability::Fixed) => 3,
    }
}

fn of_test(test: &TracedTest) -> String {
    let package = test.package.iter().map(String::as_str);
    let name: Vec<&str> = package
        .chain(test.id.target())
        .chain([test.id.name()])
        .collect();
    let ended = match test.outcome {
        Outcome::Pass => "",
        Outcome::Fail => "failed, ",
        Outcome::Skip => "skipped, ",
    };
    let verdict = format!("{ended}{}", word(test.variability()));
    let mut words = format!(
        "{:<46} {:>12}  {verdict}\n",
        fitted(&name.join(" "), 46),
        duration(test.seconds)
    );
    let touches = test.probe.iter().flat_map(|probe| probe.touches());
    touches.for_each(|touch| words += &of_touch(touch));
    words
}

fn word(variability: Option<Variability>) -> &'static str {
    variability.map_or("not watched", Variability::as_str)
}

fn of_touch(touch: &Touch) -> String {
    let times = match touch.count {
        1 => String::new(),
        count => format!(", {} times", thousands(count as f64)),
    };
    let seeded = if touch.seeded { ", seeded" } else { "" };
    let line = format!("    {:<12} {touch}{times}{seeded}", touch.cause.as_str());
    wrapped(&line, 80, "                 ") + "\n"
}

/// How many tests there are of each kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Totals {
    pub seconds: f64,
    pub can_vary: usize,
    pub controlled: usize,
    pub fixed: usize,
    pub not_watched: usize,
    touching: [usize; Cause::ALL.len()],
}

impl Totals {
    pub fn of(trace: &Trace) -> Self {
        let tests = || trace.tests.iter();
        let kind = |variability| {
            tests()
                .filter(|test| test.variability() == variability)
                .count()
        };
        let touches = |test: &TracedTest, cause| {
            let mut touches = test.probe.iter().flat_map(|probe| probe.touches());
            touches.any(|touch| touch.cause == cause)
        };
        Totals {
            seconds: tests().map(|test| test.seconds).sum(),
            can_vary: kind(Some(Variability::CanVary)),
            controlled: kind(Some(Variability::Controlled)),
            fixed: kind(Some(Variability::Fixed)),
            not_watched: kind(None),
            touching: Cause::ALL.map(|cause| tests().filter(|test| touches(test, cause)).count()),
        }
    }

    /// How many tests touch something of this kind.
    pub fn touching(&self, cause: Cause) -> usize {
        let at = Cause::ALL.iter().position(|known| *known == cause);
        at.map_or(0, |at| self.touching[at])
    }

    fn words(&self, trace: &Trace) -> String {
        let mut kinds = vec![
            format!("{} can vary", self.can_vary),
            format!("{} controlled", self.controlled),
            format!("{} fixed", self.fixed),
        ];
        if self.not_watched > 0 {
            kinds.push(format!("{} not watched", self.not_watched));
        }
        let mut words = format!(
            "{} in {}: {}\n",
            count(trace.tests.len(), "test", "tests"),
            duration(self.seconds),
            kinds.join(", ")
        );
        for cause in Cause::ALL {
            let tests = self.touching(cause);
            if tests > 0 {
                words += &format!(
                    "  {:<12} {}\n",
                    cause.as_str(),
                    count(tests, "test", "tests")
                );
            }
        }
        words
    }
}

#[cfg(test)]
mod tests {
    use flex_detect::trace::VERSION;
    use flex_run::model::{Place, Probe, Runner, TestId};

    use super::*;

    fn test(name: &str, probe: Option<Probe>) -> TracedTest {
        TracedTest {
            id: TestId::pytest(name),
            package: None,
            place: Place::new("a.py", 1),
            outcome: Outcome::Pass,
            seconds: 0.25,
            probe,
            calls: Vec::new(),
        }
    }

    fn touch(cause: Cause, what: &str, seeded: bool, count: u64) -> Touch {
        Touch {
            cause,
            what: what.to_owned(),
            seeded,
            count,
            place: Some(Place::new("pool.py", 41)),
        }
    }

    #[test]
    fn a_table_has_all_tests_and_fits_80_columns() {
        let thread = touch(Cause::Concurrency, "thread start", false, 3);
        let draw = touch(Cause::Randomness, "numpy.random.default_rng()", true, 1);
        let long = "a/long/path/to/some/tests/test_everything.py::TestAll::test_nothing[1-2]";
        let trace = Trace {
            version: VERSION,
            runner: Runner::Pytest,
            root: "/p".into(),
            is_full: false,
            files: Vec::new(),
            functions: Vec::new(),
            tests: vec![
                test("a.py::fixed", Some(Probe::default())),
                test(long, Some([thread, draw.clone()].into_iter().collect())),
                test("a.py::drawn", Some([draw].into_iter().collect())),
                test("a.py::unseen", None),
            ],
        };
        let text = of(&trace);
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
        let verdicts: Vec<&str> = text
            .lines()
            .filter(|line| line.contains(" ms  "))
            .map(|line| line.rsplit("  ").next().unwrap())
            .collect();
        assert_eq!(verdicts, ["can vary", "controlled", "not watched", "fixed"]);
        for line in [
            "    concurrency  thread start at pool.py:41, 3 times\n",
            "    randomness   numpy.random.default_rng() at pool.py:41, seeded\n",
            "4 tests in 1 s: 1 can vary, 1 controlled, 1 fixed, 1 not watched\n",
            "  randomness   2 tests\n",
        ] {
            assert!(text.contains(line), "{line} is not in:\n{text}");
        }
    }
}
