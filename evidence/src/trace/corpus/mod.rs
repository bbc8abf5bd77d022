//! The corpus: tests of real packages, and planted tests that fail now and then, all of them traced.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use flex_detect::record::{ObservedRun, ObservedTest, Outcome, Reader, Record, VERSION};
use flex_detect::trace::Trace;
use flex_detect::trace::learn::Labels;
use flex_run::model::{Cause, Place, Runner, TestId};
use xtask::process::capture;
use xtask::python::Python;

use crate::program::{fresh_folder, in_environment};
use crate::project::build_flex;
use crate::pytest::wheel;

/// Parts of real packages whose tests are run, relative to where they are installed.
pub const PACKAGES: [(&str, &str); 4] = [
    ("toolz", "toolz/tests"),
    ("networkx classes", "networkx/classes/tests"),
    ("networkx generators", "networkx/generators/tests"),
    ("numpy", "numpy/random/tests/test_random.py"),
];

/// How often the planted tests of each project fail, in percent.
pub const RATES: [u32; 5] = [1, 2, 5, 10, 30];

/// The planted tests; the rate of a project is put before them.
const PLANTED: &str = include_str!("planted.py");

/// A traced project.
pub struct TracedProject {
    pub name: String,
    pub trace: Trace,
    /// How the planted tests fail when they are rerun in one process, as a record of a hundred runs of each; those of
    /// real packages never do.
    pub rates: Record,
}

/// The projects, and which of their tests are flaky.
pub struct Corpus {
    pub projects: Vec<TracedProject>,
    pub labels: Labels,
    /// The packages, with their versions and how many tests they have.
    pub packages: Vec<String>,
}

/// Returns the corpus, made once.
pub fn corpus() -> Result<&'static Corpus, String> {
    static CORPUS: OnceLock<Result<Corpus, String>> = OnceLock::new();
    CORPUS.get_or_init(make).as_ref().map_err(Clone::clone)
}

fn make() -> Result<Corpus, String> {
    build_flex()?;
    let python = Python::usual()?.environment(
        "trace",
        &["pytest>=8", "numpy", "hypothesis", "networkx", "toolz"],
    )?;
    xtask::plugin::install(&python, &wheel()?)?;
    let folder = fresh_folder("detect/trace")?;
    let question = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let installed = capture(&mut python.run(&["-c", question]), "")?;
    let mut table = "project,test,flaky,cause\n".to_owned();
    let (mut projects, mut packages) = (Vec::new(), Vec::new());
    for (name, tests) in PACKAGES {
        let package = tests.split('/').next().unwrap_or_default();
        let question = format!("import {package}; print({package}.__version__)");
        let version = capture(&mut python.run(&["-c", &question]), "")?;
        let path = Path::new(installed.trim()).join(tests);
        let trace = traced(&python, &folder, name, &path)?;
        packages.push(format!(
            "{package} {} (`{tests}`, {} tests)",
            version.trim(),
            trace.tests.len()
        ));
        projects.push(project(name.to_owned(), trace, 0, &mut table));
    }
    for rate in RATES {
        let name = format!("planted-{rate}");
        let tests = folder.join(&name);
        fs::create_dir_all(&tests)
            .and_then(|()| fs::write(tests.join("pytest.ini"), "[pytest]\n"))
            .and_then(|()| {
                fs::write(
                    tests.join("test_planted.py"),
                    format!("RATE = {rate}\n\n{PLANTED}"),
                )
            })
            .map_err(|error| error.to_string())?;
        let trace = traced(&python, &folder, &name, &tests)?;
        projects.push(project(name, trace, rate, &mut table));
    }
    let labels = Labels::of_csv(&table).map_err(|error| error.to_string())?;
    Ok(Corpus {
        projects,
        labels,
        packages,
    })
}

/// Traces tests twice: with all calls, for what they execute, and without, for how long they take.
fn traced(python: &Python, folder: &Path, name: &str, tests: &Path) -> Result<Trace, String> {
    let once = |more: &[&str], file: &str| {
        let file = folder.join(format!("{name}-{file}.json"));
        let mut command = in_environment(python, folder);
        command
            .args(["trace", "--json", "--pytest"])
            .arg(tests)
            .args(more);
        capture(command.arg("--out").arg(&file), "")?;
        let text = fs::read_to_string(&file).map_err(|error| error.to_string())?;
        Trace::parse(&text).map_err(|error| format!("{}: {error}", file.display()))
    };
    let (mut full, plain) = (once(&["--full"], "full")?, once(&[], "probes")?);
    for test in &mut full.tests {
        if let Some(same) = plain.tests.iter().find(|plain| plain.id == test.id) {
            (test.seconds, test.probe) = (same.seconds, same.probe.clone());
        }
    }
    Ok(full)
}

/// Labels the tests of a project, whose planted ones fail so often.
fn project(name: String, trace: Trace, rate: u32, table: &mut String) -> TracedProject {
    let mut observed = Vec::new();
    for test in &trace.tests {
        let node = test.id.name();
        let cause = cause_of(node).filter(|_| rate > 0);
        let cause_name = cause.map_or("", Cause::as_str);
        *table += &format!(
            "{name},\"{}\",{},{cause_name}\n",
            node.replace('"', "\"\""),
            cause.is_some()
        );
        // Reruns in one process have one order of hashes.
        if cause.is_some_and(|cause| cause != Cause::HashOrder) {
            observed.push(failing(node, rate));
        }
    }
    let rates = Record {
        version: VERSION,
        runner: Runner::Pytest,
        base: String::new(),
        root: trace.root.clone(),
        rerun_marker: None,
        tests: observed,
        reader: Reader::default(),
    };
    TracedProject { name, trace, rates }
}

/// The cause of a planted test, by its name.
fn cause_of(node: &str) -> Option<Cause> {
    let (_, name) = node.split_once("test_planted.py::test_")?;
    let of_name = |cause: &Cause| name.starts_with(&cause.as_str().replace('-', "_"));
    Cause::ALL.into_iter().find(of_name)
}

/// A record of a hundred runs, so many of which failed.
fn failing(node: &str, failures: u32) -> ObservedTest {
    let run = |index: u32| ObservedRun {
        index,
        outcome: Outcome::of(index < failures),
        why: None,
        failed_site: None,
    };
    ObservedTest {
        runs: (0..100).map(run).collect(),
        ..ObservedTest::new(TestId::pytest(node), Place::new("test_planted.py", 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_tests_are_named_by_their_cause() {
        let check = |node: &str, expected| assert_eq!(cause_of(node), expected, "{node}");
        check(
            "test_planted.py::test_async_wait_sleep",
            Some(Cause::AsyncWait),
        );
        check(
            "test_planted.py::test_hash_order_of_a_set",
            Some(Cause::HashOrder),
        );
        check("test_planted.py::test_sound_clock", None);
        check("tests/test_other.py::test_time_now", None);
        let planted =
            PLANTED.matches("\ndef test_").count() - PLANTED.matches("\ndef test_sound").count();
        let named = PLANTED
            .lines()
            .filter_map(|line| line.strip_prefix("def test_"));
        let named =
            named.filter(|name| cause_of(&format!("test_planted.py::test_{name}")).is_some());
        assert_eq!(named.count(), planted, "every planted test has a cause");
    }
}
