//! Records of runs of the tests in a source, as a search would have made them: every assertion with a number is flaky.

use std::path::Path;

use flex_core::bound::confidence::Confidence;
use flex_detect::diff::unified;
use flex_detect::menu::{OfferKind, Remedy};
use flex_detect::proposal::{FixOrder, changed, propose};
use flex_detect::record::{
    Knob, ObservedRun, ObservedSite, ObservedTest, Outcome, Reader, Record, RerunMarker, Role,
    Series, VERSION,
};
use flex_detect::source::literal::value;
use flex_detect::verdict::{JudgeRule, judge};
use flex_run::model::{Place, Runner};

/// The name of the source file.
pub const FILE: &str = "tests/source";

const RUNS: u32 = 24;

/// A number in a line of the source.
#[derive(Debug, Clone, Copy)]
pub struct Number<'a> {
    /// The column of its first byte.
    pub column: usize,
    /// Its text.
    pub text: &'a str,
    /// Its value.
    pub value: f64,
}

/// The last number of a line that is not a part of a name.
pub fn last_number(line: &str) -> Option<Number<'_>> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let mut numbers = Vec::new();
    let mut from = 0;
    while let Some(start) = line[from..].find(is_part).map(|at| from + at) {
        let mut end = line[start..]
            .find(|c| !is_part(c))
            .map_or(line.len(), |at| start + at);
        // The sign of an exponent belongs to it.
        let has_exponent = line[start..end].ends_with(['e', 'E'])
            && line[start..].starts_with(|c: char| c.is_ascii_digit());
        if has_exponent && line[end..].starts_with(['-', '+']) {
            let rest = &line[end + 1..];
            end += 1 + rest
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len());
        }
        let text = &line[start..end];
        if let Some(value) = value(text).filter(|value| value.is_finite()) {
            numbers.push(Number {
                column: start,
                text,
                value,
            });
        }
        from = end;
    }
    numbers.pop()
}

/// An assertion whose values stay on one side of a number in most runs.
pub fn site(line: (u32, &str), bound: f64, knob: Knob) -> ObservedSite {
    let is_lower = line.1.contains('>');
    let scale = if bound == 0.0 { 1.0 } else { bound.abs() };
    // Between 0 and 1, and over the bound in one of seven runs.
    let spread =
        |run: u32| f64::from(run * 7 % 11) / 11.0 - f64::from(u32::from(run % 7 == 6)) * 1.5;
    let values: Vec<(u32, f64)> = (0..RUNS)
        .map(|run| match is_lower {
            true => (run, bound + scale * spread(run)),
            false => (run, bound - scale * spread(run)),
        })
        .collect();
    let fails = |value: f64| {
        if is_lower {
            value < bound
        } else {
            value > bound
        }
    };
    ObservedSite {
        id: line.1.trim().into(),
        place: Place::new(FILE, line.0),
        span: None,
        text: String::new(),
        form: "assert".to_owned(),
        within: None,
        is_hard: false,
        failed: values
            .iter()
            .filter(|(_, it)| fails(*it))
            .map(|(run, _)| *run)
            .collect(),
        series: vec![Series {
            knob: Some(knob),
            values,
            ..Series::new(if is_lower { Role::Lower } else { Role::Upper }, bound)
        }],
    }
}

/// What the runs of a test showed that has these assertions.
pub fn with_runs(mut test: ObservedTest, sites: Vec<ObservedSite>) -> ObservedTest {
    test.runs = (0..RUNS)
        .map(|index| {
            let failed_site = sites.iter().position(|site| site.failed.contains(&index));
            ObservedRun {
                index,
                outcome: Outcome::of(failed_site.is_some()),
                why: None,
                failed_site,
            }
        })
        .collect();
    test.seconds_per_run = 0.001;
    test.sites = sites;
    test
}

/// A source before and after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceChange {
    /// The source as it was.
    pub before: String,
    /// The source as it is with the change.
    pub after: String,
}

/// What `fix` makes of a source for these tests. A byte chooses: 255 is all that the whole of `fix` proposes, which takes
/// long; any other one change for each assertion.
pub fn changes(
    runner: Runner,
    choice: u8,
    source: &str,
    tests: Vec<ObservedTest>,
) -> Vec<SourceChange> {
    let record = Record {
        version: VERSION,
        runner,
        base: "fuzz".to_owned(),
        root: "".into(),
        rerun_marker: [
            None,
            Some(RerunMarker::Flaky),
            Some(RerunMarker::Rerunfailures),
        ][usize::from(choice / 8 % 3)],
        tests,
        reader: Reader::default(),
    };
    let changes = match choice {
        255 => proposed(&record, source),
        _ => one_by_one(&record, choice, source),
    };
    for change in &changes {
        changes_what_it_should(change);
    }
    changes
}

/// The patches that are proposed, each of which begins where the one before it ends.
fn proposed(record: &Record, source: &str) -> Vec<SourceChange> {
    let kinds = [
        None,
        Some(OfferKind::Learned),
        Some(OfferKind::Rerun),
        Some(OfferKind::Empirical),
    ];
    let order = FixOrder {
        confidence: Confidence::DEFAULT,
        choose: kinds[source.len() % 4],
        even_suspected: true,
    };
    let findings = judge(record, &JudgeRule::default());
    let mut read = |_: &Path| Ok(source.to_owned());
    let plan = propose(record, &findings, &order, |_| true, &mut read);
    let patches = plan.patches.into_iter();
    patches
        .map(|patch| SourceChange {
            before: patch.before,
            after: patch.after,
        })
        .collect()
}

/// One change for each assertion, or for each test.
fn one_by_one(record: &Record, choice: u8, source: &str) -> Vec<SourceChange> {
    let mut changes = Vec::new();
    for test in &record.tests {
        let sites = test.sites.iter().map(Some).chain([None]);
        for site in sites {
            let bound = site.and_then(|site| site.series.first()?.bound);
            let remedy = match (choice % 4, bound) {
                (1, Some(_)) => Remedy::Learned { series: 0 },
                (_, Some(bound)) => {
                    let numbers = [bound * 1.17 + 0.01, -bound - 1.0, 2e-12, 1e300];
                    let number = numbers[usize::from(choice / 4 % 4)];
                    Remedy::Number {
                        series: 0,
                        number,
                        limit: number,
                    }
                }
                (_, None) => Remedy::Reruns {
                    attempts: u64::from(choice / 4) + 2,
                },
            };
            if let Ok(after) = changed(record, source, (test, site), &remedy)
                && after != source
            {
                let before = source.to_owned();
                changes.push(SourceChange { before, after });
            }
        }
    }
    changes
}

/// A patch takes lines away only where it puts the line with another number or option in their place, and otherwise
/// adds imports and decorators.
fn changes_what_it_should(change: &SourceChange) {
    let diff = unified(FILE, &change.before, &change.after);
    let changed = |sign: char| {
        let lines = diff
            .lines()
            .skip(2)
            .filter_map(move |line| line.strip_prefix(sign));
        lines.map(str::trim).collect::<Vec<_>>()
    };
    let (gone, new) = (changed('-'), changed('+'));
    let is_added = |line: &&&str| {
        let starts = ["from ", "import ", "@", "\u{feff}from ", "\u{feff}import "];
        line.is_empty() || starts.iter().any(|start| line.starts_with(start))
    };
    let (added, other): (Vec<&&str>, Vec<&&str>) = new.iter().partition(is_added);
    assert!(other.len() <= gone.len(), "{diff}");
    assert!(gone.len() <= other.len() + added.len(), "{diff}");
}
