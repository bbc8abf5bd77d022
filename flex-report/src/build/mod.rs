//! From what is known to the report: bounds files, samples, findings and comparisons, put together by test and site.

mod claim;
mod compared;
mod declared;
mod history;
mod known;
mod learned;
mod observed;
mod side;
mod test;

use std::collections::BTreeMap;
use std::path::PathBuf;

use flex_bounds::file::BoundsFile;
use flex_bounds::suite::SuiteBudget;
use flex_detect::compare::Compared;
use flex_detect::record::{Record, RecordError};
use flex_detect::verdict::{Findings, JudgeRule, judge};
use flex_run::model::{Runner, TestId};

use crate::kept::KeptFiles;
use crate::model::{Report, Suite, VERSION, Versions};
use crate::threads::mapped;
use known::Known;
use test::build_test;

/// What tells of all suites.
#[derive(Debug, Default)]
pub struct Sources {
    /// What runs left behind.
    pub kept: KeptFiles,
    /// What the last search saw, and calibrations of declared bounds.
    pub record: Option<Record>,
    /// The last comparison.
    pub compared: Option<Compared>,
    /// Since when the working tree was at which commit, the newest first: seconds since 1970, and the commit.
    pub commits: Vec<(u64, String)>,
}

/// A file by its name, and what is in it, or why that cannot be read; `None` if there is none.
pub type FoundText = (PathBuf, Option<Result<String, String>>);

impl Sources {
    /// Reads the record of a search and a comparison. What cannot be read is left out, with a word about it.
    pub fn read(mut kept: KeptFiles, record: FoundText, compared: FoundText) -> Self {
        let record = read(record, Record::parse, &mut kept.notes);
        let compared = read(compared, Compared::parse, &mut kept.notes);
        Sources {
            kept,
            record,
            compared,
            commits: Vec::new(),
        }
    }
}

fn read<T>(
    (path, text): FoundText,
    parse: impl Fn(&str) -> Result<T, RecordError>,
    notes: &mut Vec<String>,
) -> Option<T> {
    let parsed = text?.and_then(|text| parse(&text).map_err(|error| error.to_string()));
    parsed
        .map_err(|why| notes.push(format!("{} was left out: {why}", path.display())))
        .ok()
}

/// What is known of one bounds file.
#[derive(Debug)]
pub struct SuiteFacts {
    /// What people call it: a package, or a folder.
    pub name: String,
    /// The package; `None` for pytest.
    pub package: Option<String>,
    /// Whoever runs its tests.
    pub runner: Runner,
    /// The bounds file, for people.
    pub bounds_file: String,
    /// Its entries.
    pub bounds: BoundsFile,
    /// Entries that wait for a review.
    pub pending: BoundsFile,
    /// The kind of machine.
    pub variant: Option<String>,
    /// What a run of all tests may spend.
    pub budget: Option<SuiteBudget>,
    /// The command that reviews bounds, without the decision.
    pub review: String,
    /// The command that mends flaky assertions.
    pub fix: String,
}

impl Report {
    /// Puts together what is known at this time, in seconds since 1970.
    pub fn build(suites: &[SuiteFacts], sources: &Sources, made_at: u64) -> Report {
        let findings = sources
            .record
            .as_ref()
            .map(|record| judge(record, &JudgeRule::default()));
        let suites = suites
            .iter()
            .map(|facts| suite(facts, sources, findings.as_ref()));
        Report {
            version: VERSION,
            made_at,
            suites: suites.filter(|suite| !suite.tests.is_empty()).collect(),
            notes: sources.kept.notes.clone(),
        }
    }

    /// One report with the suites of another behind its own.
    pub fn beside(mut self, other: Report) -> Report {
        self.suites.extend(other.suites);
        self.notes.extend(other.notes);
        self
    }
}

fn suite(facts: &SuiteFacts, sources: &Sources, findings: Option<&Findings>) -> Suite {
    let mut tests: BTreeMap<TestId, Known<'_>> = BTreeMap::new();
    let is_its = |package: &Option<String>| *package == facts.package;
    for entry in facts.bounds.entries() {
        let known = tests.entry(entry.key.test.clone()).or_default();
        known.entries.push(entry);
    }
    for entry in facts.pending.entries() {
        let known = tests.entry(entry.key.test.clone()).or_default();
        known.pending.push(entry);
    }
    for (key, calibrations) in &sources.kept.calibrations {
        if is_its(&key.package) {
            let known = tests.entry(key.id.clone()).or_default();
            known.calibrations.extend(calibrations);
        }
    }
    for (key, verdicts) in &sources.kept.verdicts {
        if is_its(&key.package) {
            let known = tests.entry(key.id.clone()).or_default();
            known.verdicts.extend(verdicts);
        }
    }
    if let (Some(record), Some(findings)) = (&sources.record, findings) {
        for (observed, judged) in record.tests.iter().zip(&findings.tests) {
            if is_its(&observed.package) && record.runner == facts.runner {
                let known = tests.entry(observed.id.clone()).or_default();
                known.observed = Some((observed, judged));
            }
        }
    }
    let compared = sources
        .compared
        .as_ref()
        .filter(|compared| compared.runner == facts.runner);
    for test in compared.iter().flat_map(|compared| &compared.tests) {
        if is_its(&test.package) {
            let known = tests.entry(test.id.clone()).or_default();
            known.compared = Some(test);
        }
    }
    let tests: Vec<(TestId, Known<'_>)> = tests.into_iter().collect();
    let tests = mapped(&tests, |(id, known)| {
        build_test(id, known, facts, &sources.commits)
    });
    Suite {
        name: facts.name.clone(),
        runner: match facts.runner {
            Runner::Cargo => "cargo",
            Runner::Pytest => "pytest",
        },
        bounds_file: facts.bounds_file.clone(),
        variant: facts.variant.clone(),
        budget: facts.budget.map(|budget| budget.rate()),
        false_alarm_rate: 0.0 + facts.bounds.false_alarm_rate(facts.variant.as_deref()),
        compared: compared.map(|compared| Versions {
            old: version(compared.old.name.as_deref(), &compared.old.commit),
            new: version(compared.new.name.as_deref(), &compared.new.commit),
            alpha: compared.alpha,
        }),
        tests,
    }
}

/// A version, for people.
fn version(name: Option<&str>, commit: &str) -> String {
    let commit: String = commit.chars().take(9).collect();
    match name {
        Some(name) => format!("{name} ({commit})"),
        None => format!("the working tree on {commit}"),
    }
}
