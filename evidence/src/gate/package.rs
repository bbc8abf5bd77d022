//! Releases of a package as a history: is every test selected of which an outcome or a value differs?

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use flex_tests::history::{commit, git};
use serde_json::Value;
use xtask::process::{run, succeed};
use xtask::python::Python;

use super::changed::{LAST, copy, selected, words};
use super::tally::Tally;
use crate::page::{Bar, Section};
use crate::program::{fresh_folder, in_environment, json, list, prepare, text};

/// A package of Python alone, whose tests need nothing else.
const PACKAGE: &str = "cachetools";

/// Releases, the oldest first.
const VERSIONS: [&str; 6] = ["5.3.3", "5.5.2", "6.2.6", "7.0.6", "7.3.2", "8.0.0"];

/// Settings of our own: those of the package change with every release, and would select everything.
const SETTINGS: &str = "[tool.pytest.ini_options]\npythonpath = [\"src\"]\n";

/// The section of the part `package`.
pub fn section() -> Result<Section, String> {
    let python = prepare()?;
    let sources = fresh_folder("gate/sources")?;
    let folder = fresh_folder("gate/package")?;
    let flex = |args: &[&str]| {
        let mut command = in_environment(&python, &folder);
        command.args(args);
        command
    };
    let trace = folder.with_extension("trace.json").display().to_string();
    git(&folder, &["init", "-q", "-b", "main"]).map_err(words)?;
    std::fs::write(folder.join("pyproject.toml"), SETTINGS).map_err(words)?;
    std::fs::write(folder.join(".gitignore"), "__pycache__\n.pytest_cache\n").map_err(words)?;

    let mut text = format!(
        "Releases of {PACKAGE}: sources and tests of each are a commit, without build files, which would select everything. \
         What differs is what `compare` sees in 3 pairs of runs: another outcome, or another value in an assertion; new \
         tests count, too.\n\n\
         | from | to | tests | differ or new | selected by names | by a trace |\n|---|---|---|---|---|---|\n"
    );
    let (mut names, mut traced) = (Tally::default(), Tally::default());
    for (number, version) in VERSIONS.iter().enumerate() {
        let before = number.checked_sub(1).map(|before| VERSIONS[before]);
        if before.is_some() {
            succeed(&mut flex(&[
                "trace", "--full", "--pytest", "tests", "--out", &trace,
            ]))?;
        }
        release(&python, &sources, &folder, version)?;
        let Some(before) = before else { continue };
        let compare = ["compare", "--base", "HEAD~1", "--pytest", "tests", "--json"];
        let pairs = ["--seed", "package", "--pairs", "3", "--max-pairs", "3"];
        let compared = json(&mut flex(&[&compare[..], &pairs[..]].concat()))?;
        let differ = differing(&compared);
        let select = |more: &[&str]| {
            let args = [
                &["gate", "select", "--pytest", "tests", "--json"],
                &LAST[..],
                more,
            ]
            .concat();
            selected(&mut flex(&args))
        };
        let by_names = select(&[])?;
        let by_trace = select(&["--trace", &trace])?;
        let all = list(&compared["tests"]).count() + list(&compared["added"]).count();
        let step = format!("{before} to {version}");
        names.add(&step, &differ, &by_names);
        traced.add(&step, &differ, &by_trace);
        let _ = writeln!(
            text,
            "| {before} | {version} | {all} | {} | {} | {} |",
            differ.len(),
            by_names.len(),
            by_trace.len()
        );
    }
    text.push('\n');
    let bar = |how: &str, tally: &Tally| {
        let [missed, _] = tally.bars(how, f64::INFINITY);
        missed
    };
    let bars: [Bar; 2] = [bar("by names", &names), bar("by a trace", &traced)];
    Ok(Section::with_bars(text, &bars))
}

/// Makes a release the next commit.
fn release(python: &Python, sources: &Path, folder: &Path, version: &str) -> Result<(), String> {
    let pinned = format!("{PACKAGE}=={version}");
    let words_of_pip = [
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--no-binary",
        ":all:",
        "--dest",
    ];
    run(python.run(&words_of_pip).arg(sources).arg(pinned))?;
    let name = format!("{PACKAGE}-{version}");
    let archive = sources.join(format!("{name}.tar.gz"));
    succeed(
        python
            .run(&["-m", "tarfile", "-e"])
            .arg(archive)
            .arg(sources),
    )?;
    for part in ["src", "tests"] {
        let _ = std::fs::remove_dir_all(folder.join(part));
        copy(&sources.join(&name).join(part), &folder.join(part))?;
    }
    commit(folder, version).map_err(words)
}

/// The functions of tests of which something differs, or that are new.
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
    let names = tests.map(|test| text(&test["name"]));
    let added = list(&compared["added"]).map(|test| text(&test["name"]));
    names.chain(added).map(|name| function(&name)).collect()
}
