//! What was learned, for programs.

use flex_detect::trace::learn::{ChosenFunction, Exposure, Functions, Spread, Tried};
use serde_json::{Value, json};

use super::{Lesson, Row};

/// Everything.
pub fn of(lesson: &Lesson<'_>) -> Value {
    let (corpus, learned) = (lesson.corpus, &lesson.learned);
    let tried = |tried: &Tried| {
        json!({
            "beta": tried.beta,
            "gain": Some(tried.gain()).filter(|gain| gain.is_finite()),
            "flaky_exposed": spread(tried.folds.iter().map(Exposure::flaky_share)),
            "exposed": spread(tried.folds.iter().map(Exposure::share)),
        })
    };
    let unexposed = learned.unexposed.iter().map(|test| {
        let test = &corpus.tests[*test];
        json!({ "project": corpus.projects[test.project], "test": test.name })
    });
    json!({
        "projects": corpus.projects,
        "tests": corpus.tests.len(),
        "flaky": corpus.flaky().count(),
        "without_outcome": corpus.unlabelled,
        "functions": match lesson.rule.functions {
            Functions::All => "all",
            Functions::C => "c",
        },
        "per_cause": lesson.rule.per_cause,
        "folds": lesson.rule.folds,
        "beta": learned.beta,
        "strategies": lesson.rows.iter().map(row).collect::<Vec<_>>(),
        "learned": learned.functions.iter().map(function).collect::<Vec<_>>(),
        "unexposed": unexposed.collect::<Vec<_>>(),
        "tried": learned.tried.iter().map(tried).collect::<Vec<_>>(),
    })
}

fn row(row: &Row) -> Value {
    json!({
        "strategy": row.name,
        "all": exposure(&row.all),
        "folds": row.folds.iter().map(exposure).collect::<Vec<_>>(),
        "flaky_exposed": spread(row.folds.iter().map(Exposure::flaky_share)),
        "exposed": spread(row.folds.iter().map(Exposure::share)),
    })
}

fn exposure(exposure: &Exposure) -> Value {
    json!({
        "flaky_exposed": exposure.flaky_exposed,
        "flaky": exposure.flaky,
        "exposed": exposure.exposed,
        "tests": exposure.tests,
    })
}

fn spread(shares: impl Iterator<Item = Option<f64>>) -> Value {
    let spread = Spread::of(shares);
    spread.map_or(
        Value::Null,
        |spread| json!({ "least": spread.least, "mean": spread.mean, "greatest": spread.greatest }),
    )
}

fn function(function: &ChosenFunction) -> Value {
    json!({
        "function": function.name,
        "is_c": function.is_c,
        "cause": function.cause.map(|cause| cause.as_str()),
        "twins": function.twins,
        "flaky": function.flaky,
        "tests": function.tests,
        "projects": function.projects,
        "solo": function.is_solo(),
        "cryptic": function.is_cryptic(),
    })
}
