//! What tests touched, for programs.

use flex_detect::record::Outcome;
use flex_detect::report::touches;
use flex_detect::trace::{Trace, TracedTest};
use flex_run::model::Cause;
use serde_json::{Value, json};

use super::table::Totals;

/// Everything that was seen, but for the functions that tests executed: the trace file has these.
pub fn of(trace: &Trace) -> Value {
    let totals = Totals::of(trace);
    let causes = Cause::ALL.map(|cause| (cause.as_str().to_owned(), totals.touching(cause).into()));
    json!({
        "root": trace.root,
        "calls_traced": trace.is_full,
        "tests": trace.tests.iter().map(test).collect::<Vec<_>>(),
        "totals": {
            "tests": trace.tests.len(),
            "seconds": totals.seconds,
            "can_vary": totals.can_vary,
            "controlled": totals.controlled,
            "fixed": totals.fixed,
            "not_watched": totals.not_watched,
            "tests_by_cause": Value::Object(causes.into_iter().collect()),
        },
    })
}

fn test(test: &TracedTest) -> Value {
    json!({
        "package": test.package,
        "target": test.id.target(),
        "name": test.id.name(),
        "file": test.place.file,
        "line": test.place.line,
        "outcome": match test.outcome {
            Outcome::Pass => "pass",
            Outcome::Fail => "fail",
            Outcome::Skip => "skip",
        },
        "seconds": test.seconds,
        "variability": test.variability().map(|variability| variability.as_str()),
        "touches": test.probe.as_ref().map(touches),
        "functions": trace_functions(test),
    })
}

/// How many functions the test executed, where that is known.
fn trace_functions(test: &TracedTest) -> Option<usize> {
    (!test.calls.is_empty()).then_some(test.calls.len())
}
