//! What closes a report: notes, FLASH's table of the tests, and a last line that counts.

use std::collections::BTreeMap;
use std::fmt::Write;

use flex_core::paint::{Ink, Paint};
use flex_core::visible::visible;
use flex_core::words::{block, count, short};

use crate::verdict::{Diagnosis, Finding, Findings, JudgedTest};

/// What tests say besides, each said once.
pub(super) fn notes(findings: &Findings) -> String {
    let mut tests: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for test in &findings.tests {
        for note in &test.notes {
            tests.entry(note).or_default().push(test.name());
        }
    }
    let said = tests.iter().map(|(note, tests)| {
        let more = match tests.len() {
            1 => String::new(),
            many => format!(" and {} more", many - 1),
        };
        let (test, note) = (visible(tests[0]), visible(note));
        block(&format!("note: {test}{more}: {note}"))
    });
    said.collect()
}

/// One line a test: runs by how they ended, assertions by whether they varied, runs that reached them, and the range of
/// the gravest of them. Tests in which nothing varies or fails are counted, unless all are asked for.
pub(super) fn table(findings: &Findings, all: bool) -> String {
    let tests = findings.tests.iter();
    let (told, quiet): (Vec<&JudgedTest>, Vec<&JudgedTest>) =
        tests.partition(|test| all || varies_or_fails(test));
    let mut text = String::new();
    if !told.is_empty() {
        text += "assertions  varied  constant  pass  fail  skip  runs: mean  most  range\n";
    }
    for test in &told {
        text += &shortened(&visible(test.name()), 80);
        text.push('\n');
        let gravest = test.gravest().and_then(|finding| finding.figures.range);
        text += &row(&[*test], gravest);
    }
    if !told.is_empty() && findings.tests.len() > 1 {
        let _ = writeln!(text, "all {} tests", findings.tests.len());
        text += &row(&findings.tests.iter().collect::<Vec<_>>(), None);
    }
    if !told.is_empty() {
        text += LEGEND;
    }
    if !quiet.is_empty() {
        let runs: usize = quiet.iter().map(|test| test.runs).sum();
        let (one, many) = match told.is_empty() {
            true => ("test", "tests"),
            false => ("more test", "more tests"),
        };
        let line = block(&format!(
            "{} in which nothing varies or fails, {}; -v lists them",
            count(quiet.len(), one, many),
            count(runs, "run", "runs")
        ));
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// What the columns are.
const LEGEND: &str = "\
varied, constant: assertions whose values differ from run to run, or do not;
pass, fail, skip: runs of the test; runs: how many reached an assertion, on
average and at most; range: values of the assertion to look at first
";

fn varies_or_fails(test: &JudgedTest) -> bool {
    test.failed > 0
        || test
            .findings
            .iter()
            .any(|finding| finding.figures.varies || finding.is_notable())
}

fn row(tests: &[&JudgedTest], range: Option<(f64, f64)>) -> String {
    let sum =
        |number: fn(&JudgedTest) -> usize| tests.iter().map(|test| number(test)).sum::<usize>();
    let judged = || tests.iter().flat_map(|test| &test.findings);
    let reached = || judged().map(|finding| finding.figures.runs);
    let assertions = judged().count();
    let mean = reached().sum::<usize>() as f64 / assertions.max(1) as f64;
    let varied = judged().filter(|finding| finding.figures.varies).count();
    let is_skipped = |finding: &&Finding| finding.verdict == Diagnosis::Skipped;
    let constant = assertions - varied - judged().filter(is_skipped).count();
    let range = match range {
        Some((low, high)) if low == high => short(low),
        Some((low, high)) => format!("{}..{}", short(low), short(high)),
        None => String::new(),
    };
    let row = format!(
        "{assertions:>10}  {varied:>6}  {constant:>8}  {:>4}  {:>4}  {:>4}  {mean:>10.1}  {:>4}",
        sum(|test| test.passed),
        sum(|test| test.failed),
        sum(|test| test.skipped),
        reached().max().unwrap_or(0),
    );
    match row.len() + 2 + range.len() {
        _ if range.is_empty() => format!("{row}\n"),
        // What does not fit stands below, whole.
        81.. => format!("{row}\n{range:>80}\n"),
        _ => format!("{row}  {range}\n"),
    }
}

/// How many of each kind were found.
pub(super) fn last_line(findings: &Findings, paint: Paint) -> String {
    const WORDS: [&str; 6] = [
        "flaky",
        "golden",
        "uncontrolled",
        "broken",
        "second mode",
        "risky",
    ];
    let of = |word: &str| {
        let told = findings.iter().filter(|finding| finding.is_notable());
        let number = told.filter(|finding| finding.word() == word).count();
        (number > 0).then(|| format!("{number} {word}"))
    };
    let found: Vec<String> = WORDS.into_iter().filter_map(of).collect();
    let found = match found.is_empty() {
        true => format!("{} in", paint.word(Ink::Good, "nothing found")),
        false => format!("{} of", paint.word(Ink::Bad, &found.join(", "))),
    };
    let runs: usize = findings.tests.iter().map(|test| test.runs).sum();
    format!(
        "{found} {} in {}, {}\n",
        count(findings.iter().count(), "assertion", "assertions"),
        count(findings.tests.len(), "test", "tests"),
        count(runs, "run", "runs")
    )
}

/// A name with its beginning left out where it is too long.
fn shortened(name: &str, width: usize) -> String {
    match name.chars().count().checked_sub(width) {
        None | Some(0) => name.to_owned(),
        Some(over) => format!("…{}", name.chars().skip(over + 1).collect::<String>()),
    }
}
