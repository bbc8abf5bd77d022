//! The tests of cargo programs: annotated ones by their markers, all others by libtest's list.

use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};

use super::markers::{FoundTest, scan};
use super::program::Program;
use crate::exit::Failure;
use crate::terminal;

/// A test of a cargo program.
#[derive(Clone)]
pub struct CargoTest<'a> {
    pub found: FoundTest<'a>,
    pub kind: TestKind,
}

/// The two kinds of tests, which are run in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestKind {
    /// Annotated: it makes runs and tells what they showed.
    Stochastic,
    /// A plain `#[test]`: a process for each run, of which the outcome is known. Whether its entropy follows a seed.
    Plain { controlled: bool },
}

impl<'p> AsRef<FoundTest<'p>> for CargoTest<'p> {
    fn as_ref(&self) -> &FoundTest<'p> {
        &self.found
    }
}

impl CargoTest<'_> {
    /// Package, target and path.
    pub fn key(&self) -> (&str, &str, &str) {
        self.found.sort_key()
    }
}

/// All tests of these programs.
pub fn all_tests(programs: &[Program]) -> Result<Vec<CargoTest<'_>>, Failure> {
    let mut tests = Vec::new();
    for program in programs {
        let scanned = scan(program)?;
        let stochastic: BTreeSet<String> =
            scanned.tests.iter().map(|test| test.name.clone()).collect();
        tests.extend(scanned.tests.into_iter().map(|found| CargoTest {
            found,
            kind: TestKind::Stochastic,
        }));
        // A program of another kind would do who knows what if it were asked.
        if !scanned.has_libtest {
            if stochastic.is_empty() {
                let (package, target) = program.key();
                writeln!(
                    terminal::notes(),
                    "note: {package} {target} has a harness of its own; its tests are left out"
                )?;
            }
            continue;
        }
        let ignored = listed(program, &["--ignored"])?;
        for name in listed(program, &[])? {
            if !stochastic.contains(&name) {
                tests.push(CargoTest {
                    kind: TestKind::Plain {
                        controlled: scanned.controls_entropy,
                    },
                    found: FoundTest {
                        program,
                        ignored: ignored.contains(&name),
                        name,
                    },
                });
            }
        }
    }
    tests.sort_by(|a, b| a.key().cmp(&b.key()));
    Ok(tests)
}

/// The tests that libtest lists.
fn listed(program: &Program, more: &[&str]) -> Result<BTreeSet<String>, Failure> {
    let test_program = &program.program;
    let mut command = Command::new(&test_program.exe);
    command
        .args(["--list", "--format", "terse"])
        .args(more)
        .envs(test_program.env.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    if let Some(folder) = &test_program.folder {
        command.current_dir(folder);
    }
    let failed = |error: String| {
        Failure::build(
            format!(
                "cannot list the tests of {}: {error}",
                test_program.exe.display()
            ),
            "can it be run by hand with --list?",
        )
    };
    let output = command
        .output()
        .map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(output.status.to_string()));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let test = |line: &str| line.strip_suffix(": test").map(str::to_owned);
    Ok(text.lines().filter_map(test).collect())
}
