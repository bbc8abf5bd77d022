//! The exposed shares of tests: by the published list, by functions that are learned, and by probes.

use std::fmt::Write;

use flex_core::search::select::BitSet;
use flex_detect::trace::learn::{
    Corpus, Exposure, Functions, LearnRule, LearnedFunctions, LearningProject, Spread,
    characteristics, learn, split,
};
use flex_run::model::Cause;

use super::corpus::{RATES, corpus};
use crate::page::{Bar, Section};

const FOLDS: usize = 5;

/// The section of the part `learned`.
pub fn section() -> Result<Section, String> {
    let found = corpus()?;
    let projects: Vec<LearningProject<'_>> = found
        .projects
        .iter()
        .map(|project| LearningProject {
            name: &project.name,
            trace: &project.trace,
            labels: &found.labels,
        })
        .collect();
    let corpus = Corpus::new(&projects, &characteristics(&[]));
    let flaky = corpus.flaky();
    let mut text = format!(
        "## Which tests are exposed

The corpus: {}; and {} projects of planted tests, which fail in {} % of their runs. {} tests, {} of them flaky, {} \
functions. Of every cause there are at least {} flaky tests in each planted project.

Exposed shares of the flaky tests and of all tests. *all* is what the functions expose that were learned from all tests;
*least*, *mean* and *most* are over {FOLDS} folds of tests that nothing was learned from. The thesis's hand-made list
marks 43.82 % of its tests and exposes 92.27 % of its flaky ones.

| tests are selected by | β | functions | flaky: all | least | mean | most | of all tests: all | least | mean | most |
|---|---|---|---|---|---|---|---|---|---|---|
",
        found.packages.join(", "),
        RATES.len(),
        RATES.map(|rate| rate.to_string()).join(", "),
        corpus.tests.len(),
        flaky.count(),
        corpus.functions.len(),
        least_of_a_cause(&corpus),
    );
    let folds = split(&corpus, FOLDS);
    let everything = corpus.tests_that(|_| true);
    let fixed_row = |name: &str, functions: &str, selected: &BitSet| {
        let in_folds: Vec<Exposure> = folds
            .iter()
            .map(|fold| Exposure::new(selected, &flaky, fold))
            .collect();
        let all = Exposure::new(selected, &flaky, &everything);
        row(name, "", functions, &all, &in_folds)
    };
    text += &fixed_row("the published list", "8", &corpus.listed());
    let mut best: Option<LearnedFunctions> = None;
    for (name, functions, per_cause) in [
        ("all functions", Functions::All, false),
        ("all functions, per cause", Functions::All, true),
        ("C functions", Functions::C, false),
        ("C functions, per cause", Functions::C, true),
    ] {
        let learned = learn(
            &corpus,
            &LearnRule {
                functions,
                per_cause,
                beta: None,
                folds: FOLDS,
            },
        );
        let chosen = learned.functions.len().to_string();
        text += &row(
            name,
            &learned.beta.to_string(),
            &chosen,
            &learned.exposed,
            &learned.folds,
        );
        best = Some(learned);
    }
    let watched = corpus.not_fixed().ok_or("the traces have no probes")?;
    text += &fixed_row("probes: not fixed", "", &watched);
    text.push('\n');
    if let Some(learned) = &best {
        text += &described(learned, &corpus);
    }
    let seen = |cause: Cause| {
        let of_cause = corpus.tests_that(|test| test.label.causes.contains(&cause));
        Exposure::new(&watched, &of_cause, &everything)
    };
    let by_cause: Vec<String> = Cause::ALL
        .into_iter()
        .map(|cause| {
            let seen = seen(cause);
            format!("{cause} {} of {}", seen.flaky_exposed, seen.flaky)
        })
        .collect();
    let _ = writeln!(
        text,
        "Probes, by cause: {}. An order of hashes is not seen by a probe: the second run, under other hashes, is for that.\n",
        by_cause.join(", ")
    );
    let visible = corpus
        .tests_that(|test| test.label.is_flaky && !test.label.causes.contains(&Cause::HashOrder));
    let exposed = Exposure::new(&watched, &visible, &everything);
    let bar = Bar {
        what: "flaky tests that probes expose, all causes but the order of hashes".to_owned(),
        measured: format!("{} of {}", exposed.flaky_exposed, exposed.flaky),
        bar: "all".to_owned(),
        kept: exposed.flaky_exposed == exposed.flaky && exposed.flaky > 0,
    };
    Ok(Section::with_bars(text, &[bar]))
}

/// The fewest flaky tests of a cause in a planted project.
fn least_of_a_cause(corpus: &Corpus) -> usize {
    let tests = |cause: Cause| {
        corpus
            .tests_that(|test| test.label.causes.contains(&cause))
            .count()
    };
    Cause::ALL.into_iter().map(tests).min().unwrap_or(0) / RATES.len()
}

fn row(name: &str, beta: &str, functions: &str, all: &Exposure, folds: &[Exposure]) -> String {
    let cells = |share: fn(&Exposure) -> Option<f64>| {
        let spread = Spread::of(folds.iter().map(share));
        let cells = [
            share(all),
            spread.map(|spread| spread.least),
            spread.map(|spread| spread.mean),
            spread.map(|spread| spread.greatest),
        ];
        cells
            .map(|cell| cell.map_or("–".to_owned(), |share| format!("{:.1} %", 100.0 * share)))
            .join(" | ")
    };
    let (flaky, all) = (cells(Exposure::flaky_share), cells(Exposure::share));
    format!("| {name} | {beta} | {functions} | {flaky} | {all} |\n")
}

/// The functions that were learned.
fn described(learned: &LearnedFunctions, corpus: &Corpus) -> String {
    let solo = learned
        .functions
        .iter()
        .filter(|function| function.is_solo())
        .count();
    let cryptic = learned
        .functions
        .iter()
        .filter(|function| function.is_cryptic())
        .count();
    let names: Vec<String> = learned
        .functions
        .iter()
        .take(20)
        .map(|function| {
            format!(
                "`{}` ({} of {} flaky)",
                function.name, function.flaky, function.tests
            )
        })
        .collect();
    let left: Vec<String> = learned
        .unexposed
        .iter()
        .take(5)
        .map(|test| {
            let test = &corpus.tests[*test];
            format!("{} `{}`", corpus.projects[test.project], test.name)
        })
        .collect();
    let left = match learned.unexposed.len() {
        0 => "Every flaky test is exposed.".to_owned(),
        number => format!(
            "{number} flaky tests are not exposed, such as {}.",
            left.join(", ")
        ),
    };
    format!(
        "Functions of the last of these, with the tests that call them: {}{}. {solo} of {} are *solo* (flaky tests of one project at most), {cryptic} *cryptic* (no cause known). {left}\n\n",
        names.join(", "),
        if learned.functions.len() > 20 {
            ", …"
        } else {
            ""
        },
        learned.functions.len(),
    )
}
