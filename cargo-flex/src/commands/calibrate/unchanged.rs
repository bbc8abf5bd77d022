//! Tests that do what they did at their last calibration: a few of its runs are replayed before a hundred are made.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::Mutex;

use flex_bounds::file::BoundsFile;
use flex_core::words::count;
use flex_run::calibrate::{CalibrationSettings, Gate, ReplayFirst, ReplayTimeouts, replay_all};

use super::args::CalibrateArgs;
use super::projects::Projects;
use crate::cargo::FoundTest;
use crate::session::{for_each, locked};

/// Says how many tests are unchanged, if any is.
pub fn say_unchanged(errors: &mut impl Write, unchanged: usize) -> io::Result<()> {
    if unchanged == 0 {
        return Ok(());
    }
    let tests = count(unchanged, "test is", "tests are");
    writeln!(
        errors,
        "{tests} unchanged: three runs of the last calibration show the same"
    )
}

/// Tests that did what they did then.
#[derive(Default)]
pub struct Unchanged(BTreeSet<(String, String, String)>);

impl Unchanged {
    /// Replays runs of all tests whose entries know some, in one process for each program.
    pub fn find(
        args: &CalibrateArgs,
        tests: &[FoundTest<'_>],
        projects: &Projects,
        gate: &Gate,
        jobs: usize,
    ) -> Self {
        let found = Mutex::new(BTreeSet::new());
        let timeouts = ReplayTimeouts {
            run: args.timeout,
            all: args.deadline(),
        };
        let program =
            |test: &FoundTest<'_>| (test.program.package.clone(), test.program.target.clone());
        let programs: Vec<&[FoundTest<'_>]> =
            tests.chunk_by(|a, b| program(a) == program(b)).collect();
        for_each(programs, jobs, |tests| {
            let asked = questions(args, tests, projects);
            let named: Vec<(&str, &ReplayFirst)> = asked
                .iter()
                .map(|(test, replay)| (test.name.as_str(), replay))
                .collect();
            let same = replay_all(&tests[0].program.program, &named, timeouts, gate);
            for ((test, _), _) in asked.iter().zip(same).filter(|(_, same)| *same) {
                locked(&found).insert(key(test));
            }
        });
        Unchanged(found.into_inner().unwrap_or_default())
    }

    /// The same by what shards replayed.
    pub fn of_shards(
        args: &CalibrateArgs,
        tests: &[FoundTest<'_>],
        projects: &Projects,
        is_same: impl Fn(&FoundTest<'_>, &ReplayFirst) -> bool,
    ) -> Self {
        let program = |test: &FoundTest<'_>| test.program.store().path().to_owned();
        let mut found = BTreeSet::new();
        for of_file in tests.chunk_by(|a, b| program(a) == program(b)) {
            let asked = questions(args, of_file, projects);
            let same = asked.iter().filter(|(test, replay)| is_same(test, replay));
            found.extend(same.map(|(test, _)| key(test)));
        }
        Unchanged(found)
    }

    /// Whether a test did what it did then.
    pub fn contains(&self, test: &FoundTest<'_>) -> bool {
        self.0.contains(&key(test))
    }
}

fn key(test: &FoundTest<'_>) -> (String, String, String) {
    let (package, target, name) = test.sort_key();
    (package.to_owned(), target.to_owned(), name.to_owned())
}

/// The tests of a program whose entries know runs to replay, with those.
pub fn questions<'a, 'p>(
    args: &CalibrateArgs,
    tests: &'a [FoundTest<'p>],
    projects: &Projects,
) -> Vec<(&'a FoundTest<'p>, ReplayFirst)> {
    // A file that cannot be read as it is, such as one with a merge conflict, knows nothing.
    let file: BoundsFile = tests[0].program.store().read().unwrap_or_default();
    let ask = |test: &'a FoundTest<'p>| {
        let settings = CalibrationSettings {
            runs: args.runs,
            tight: args.tight,
            variant: projects.variant(test).map(str::to_owned),
            ..CalibrationSettings::default()
        };
        Some((test, ReplayFirst::of(&file, &test.id(), &settings)?))
    };
    tests.iter().filter_map(ask).collect()
}
