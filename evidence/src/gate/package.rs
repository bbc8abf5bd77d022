//! Releases of a package as a history: is every test selected of which an outcome or a value differs?

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use flex_tests::history::{commit, git};
use serde_json::Value;
use xtask::process::{run, succeed};
use xtask::python::Python;

use super::changed::{LAST, copy, selected, words};
use super::tally::Tally;
use crate::page::{Bar, Section};
use crate::program::{fresh_folder, in_environment, json, list, prepare, text};

/// Packages of Python alone, and releases of theirs, the oldest first.
const PACKAGES: [(&str, &[&str]); 2] = [
    ("cachetools", &["6.2.6", "7.0.6", "8.0.0"]),
    ("humanize", &["3.14.0", "4.4.0"]),
];

/// What the tests of these need besides.
const NEEDED: &str = "freezegun";

/// Settings of our own: those of a package change with every release, and would select everything.
const SETTINGS: &str = "[tool.pytest.ini_options]\npythonpath = [\"src\"]\n";

/// The section of the part `package`.
pub fn section() -> Result<Section, String> {
    let python = prepare()?;
    run(python.run(&["-m", "pip", "install", "--quiet"]).arg(NEEDED))?;
    let mut page = "Sources of each release are a commit, with the tests of the release before it, so that some of them fail \
         or see other values; then come its tests. Build files are left out, which would select everything. What differs is \
         what `compare` sees in 3 pairs of runs: another outcome, or another value in an assertion.\n\n\
         | package | from | to | tests | differ | selected by names | by a trace |\n|---|---|---|---|---|---|---|\n"
        .to_owned();
    let (mut names, mut traced) = (Tally::default(), Tally::default());
    for (package, versions) in PACKAGES {
        let releases = Releases::of(&python, package)?;
        releases.take(versions[0], &["src", "tests"])?;
        for pair in versions.windows(2) {
            let [before, version] = pair else { continue };
            let trace = releases.trace()?;
            releases.take(version, &["src"])?;
            let (all, differ) = releases.differing()?;
            let by_names = releases.selected(&[])?;
            let by_trace = releases.selected(&["--trace", &trace])?;
            let step = format!("{package} {version}");
            names.add(&step, &differ, &by_names);
            traced.add(&step, &differ, &by_trace);
            let counts =
                [differ.len(), by_names.len(), by_trace.len()].map(|count| count.to_string());
            let _ = writeln!(
                page,
                "| {package} | {before} | {version} | {all} | {} |",
                counts.join(" | ")
            );
            releases.take(version, &["tests"])?;
        }
    }
    page.push('\n');
    let bar = |how: &str, tally: &Tally| {
        let [missed, _] = tally.bars(how, f64::INFINITY);
        missed
    };
    let bars: [Bar; 2] = [bar("by names", &names), bar("by a trace", &traced)];
    Ok(Section::with_bars(page, &bars))
}

/// A repository of releases.
struct Releases<'a> {
    python: &'a Python,
    package: &'static str,
    sources: PathBuf,
    folder: PathBuf,
}

impl<'a> Releases<'a> {
    fn of(python: &'a Python, package: &'static str) -> Result<Self, String> {
        let sources = fresh_folder(&format!("gate/sources-{package}"))?;
        let folder = fresh_folder(&format!("gate/package-{package}"))?;
        git(&folder, &["init", "-q", "-b", "main"]).map_err(words)?;
        std::fs::write(folder.join("pyproject.toml"), SETTINGS).map_err(words)?;
        std::fs::write(folder.join(".gitignore"), "__pycache__\n.pytest_cache\n").map_err(words)?;
        Ok(Releases {
            python,
            package,
            sources,
            folder,
        })
    }

    /// Makes parts of a release the next commit.
    fn take(&self, version: &str, parts: &[&str]) -> Result<(), String> {
        let released = self.python.released(self.package, version, &self.sources)?;
        for part in parts {
            let _ = std::fs::remove_dir_all(self.folder.join(part));
            copy(&released.join(part), &self.folder.join(part))?;
        }
        commit(&self.folder, version).map_err(words)
    }

    fn flex(&self, args: &[&str]) -> Command {
        let mut command = in_environment(self.python, &self.folder);
        command.args(args);
        command
    }

    /// Traces the tests as they are; returns the file.
    fn trace(&self) -> Result<String, String> {
        let trace = self
            .folder
            .with_extension("trace.json")
            .display()
            .to_string();
        let args = ["trace", "--full", "--pytest", "tests", "--out", &trace];
        succeed(&mut self.flex(&args))?;
        Ok(trace)
    }

    /// The number of tests, and those of which something differs from the commit before.
    fn differing(&self) -> Result<(usize, BTreeSet<String>), String> {
        let compare = ["compare", "--base", "HEAD~1", "--pytest", "tests", "--json"];
        let pairs = ["--seed", "package", "--pairs", "3", "--max-pairs", "3"];
        let compared = json(&mut self.flex(&[&compare[..], &pairs[..]].concat()))?;
        Ok((list(&compared["tests"]).count(), differing(&compared)))
    }

    fn selected(&self, more: &[&str]) -> Result<BTreeSet<String>, String> {
        let args = [
            &["gate", "select", "--pytest", "tests", "--json"],
            &LAST[..],
            more,
        ];
        selected(&mut self.flex(&args.concat()))
    }
}

/// The functions of tests of which something differs.
fn differing(compared: &Value) -> BTreeSet<String> {
    let function = |name: &str| {
        let name = name.split('[').next().unwrap_or_default();
        let (_, function) = name.split_once("::").unwrap_or(("", name));
        function.replace("::", ".")
    };
    let differs = |test: &&Value| {
        let is_other = list(&test["series"]).any(|series| series["verdict"] != "identical");
        let parts = ["gone", "added"].map(|part| list(&test[part]).count());
        // What differs from run to run of one version says nothing.
        (is_other || parts != [0, 0] || !test["error"].is_null()) && test["uncontrolled"].is_null()
    };
    let tests = list(&compared["tests"]).filter(differs);
    tests.map(|test| function(&text(&test["name"]))).collect()
}
