//! What was learned, for people.

use flex_core::words::{block, count, percent, thousands};
use flex_detect::trace::learn::{ChosenFunction, Exposure, Functions, Spread};

use super::{Lesson, Row};
use crate::trace::fitted;

/// Tests that are listed of those that nothing exposes.
const LISTED: usize = 10;

/// Everything, 80 columns wide.
pub fn of(lesson: &Lesson<'_>) -> String {
    let mut words = block(&corpus(lesson));
    words += &format!(
        "  {:<15}{:>31}{:>31}\n",
        "", "exposed of the flaky tests", "exposed of all tests"
    );
    let heads = ["all", "least", "mean", "most"]
        .map(|head| format!("{head:>7}"))
        .concat();
    words += &format!("  {:<15}   {heads}   {heads}\n", "");
    for row in &lesson.rows {
        words += &of_row(row);
    }
    words.push('\n');
    words += &block(&format!(
        "Least, mean and most are over {} folds: tests that nothing was learned from. The split is fixed: test functions in the order of the traces, those with a flaky test and the others each by themselves, the i-th in fold i mod {}; parametrisations stay together.",
        lesson.rule.folds, lesson.rule.folds
    ));
    words += &chosen(lesson);
    words += &unexposed(lesson);
    words
}

fn corpus(lesson: &Lesson<'_>) -> String {
    let corpus = lesson.corpus;
    let which = match lesson.rule.functions {
        Functions::All => "",
        Functions::C => " written in C",
    };
    let mut said = format!(
        "{}, {}, {} flaky; {} functions.",
        count(corpus.projects.len(), "project", "projects"),
        count(corpus.tests.len(), "test", "tests"),
        corpus.flaky().count(),
        thousands(corpus.functions.len() as f64),
    );
    if corpus.unlabelled > 0 {
        let left_out = count(corpus.unlabelled, "test has", "tests have");
        said += &format!(" {left_out} no known outcome and are left out.");
    }
    let beta = match lesson.learned.tried.len() {
        1 => "as given",
        _ => {
            "the best of a sweep by the exposed share of flaky tests less that of others, mean over folds"
        }
    };
    said += &format!(
        " Learned from functions{which} with β = {}, {beta}",
        lesson.learned.beta
    );
    said += match lesson.rule.per_cause {
        true => "; for each cause by itself, and put together.",
        false => ".",
    };
    said
}

fn of_row(row: &Row) -> String {
    let shares = |share: fn(&Exposure) -> Option<f64>| {
        let spread = Spread::of(row.folds.iter().map(share));
        let cells = [
            share(&row.all),
            spread.map(|spread| spread.least),
            spread.map(|spread| spread.mean),
            spread.map(|spread| spread.greatest),
        ];
        let cell = |share: Option<f64>| format!("{:>7}", share.map_or("–".to_owned(), percent));
        cells.map(cell).concat()
    };
    let (flaky, all) = (shares(Exposure::flaky_share), shares(Exposure::share));
    format!("  {:<15}   {flaky}   {all}\n", row.name)
}

fn chosen(lesson: &Lesson<'_>) -> String {
    let functions = &lesson.learned.functions;
    if functions.is_empty() {
        return block("No function tells flaky tests from others.");
    }
    let mut words = format!(
        "  {:<44}{:>7}{:>7}{:>9}\n",
        "learned function", "flaky", "tests", "projects"
    );
    for function in functions {
        words += &format!(
            "  {:<44}{:>7}{:>7}{:>9}\n      {}\n",
            fitted(&function.name, 43),
            function.flaky,
            function.tests,
            function.projects,
            about(function, lesson.corpus.projects.len())
        );
    }
    let number = |fits: fn(&ChosenFunction) -> bool| functions.iter().filter(|f| fits(f)).count();
    words.push('\n');
    words
        + &block(&format!(
            "Of {}, {} solo (flaky tests of one project at most) and {} cryptic (no cause known; flex.toml can name one).",
            count(functions.len(), "function", "functions"),
            count(number(ChosenFunction::is_solo), "is", "are"),
            count(number(ChosenFunction::is_cryptic), "is", "are"),
        ))
}

/// What is known of a function of so many projects, in a line.
fn about(function: &ChosenFunction, projects: usize) -> String {
    let mut words = vec![match function.cause {
        Some(cause) => cause.to_string(),
        None => "cryptic".to_owned(),
    }];
    if function.is_solo() && projects > 1 {
        words.push("solo".to_owned());
    }
    if function.twins > 0 {
        let twins = count(function.twins, "other function", "other functions");
        words.push(format!("the same tests called {twins}"));
    }
    words.join(", ")
}

fn unexposed(lesson: &Lesson<'_>) -> String {
    let unexposed = &lesson.learned.unexposed;
    if unexposed.is_empty() {
        return "Every flaky test is exposed.\n".to_owned();
    }
    let flaky = count(unexposed.len(), "flaky test is", "flaky tests are");
    let mut words = format!("{flaky} not exposed:\n");
    for test in unexposed.iter().take(LISTED) {
        let test = &lesson.corpus.tests[*test];
        words += &format!("  {}\n", fitted(&test.name, 78));
    }
    if unexposed.len() > LISTED {
        words += &format!(
            "  and {} more; --json has them all\n",
            unexposed.len() - LISTED
        );
    }
    words
}
