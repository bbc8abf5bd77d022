//! The tests of pytest: it lists them itself.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flex_gate::select::{SelectionReason, TestTarget};

use crate::exit::Failure;
use crate::git::Repository;
use crate::pytest::{in_caches, with_python};
use crate::terminal;

/// What pytest knows of tests that failed, below the root that it finds.
const LAST_FAILED: &str = ".pytest_cache/v/cache/lastfailed";

/// The test functions at a path, without their parameters.
pub struct Collected {
    pub tests: Vec<TestTarget>,
    /// How many cases each of them has.
    cases: Vec<usize>,
}

impl Collected {
    /// How many cases a test has.
    pub fn cases(&self, index: usize) -> usize {
        self.cases[index]
    }
}

/// Lets pytest list the tests at a path.
pub fn collected(repository: &Repository, path: &Path) -> Result<Collected, Failure> {
    let cannot = |error| {
        Failure::build(
            format!("cannot run python: {error}"),
            "activate the environment of the tests",
        )
    };
    let output = with_python(|python| {
        let mut command = Command::new(python);
        command
            .args(["-m", "pytest", "--collect-only", "-q", "--color=no"])
            .arg(path);
        command
            .stdin(Stdio::null())
            .stderr(Stdio::inherit())
            .output()
    });
    let output = output.map_err(cannot)?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.code() {
        Some(0 | 5) => {}
        // Some files cannot be imported; what they hold is not known, and the others are.
        Some(1 | 2) => {
            let errors = said.lines().filter(|line| line.starts_with("ERROR "));
            for line in errors {
                writeln!(
                    terminal::stderr(),
                    "warning: not collected: {}",
                    &line["ERROR ".len()..]
                )?;
            }
        }
        _ => {
            return Err(Failure::build(
                format!("pytest could not collect the tests ({})", output.status),
                "see above; `python -m pytest --collect-only` says it too",
            ));
        }
    }
    let top = repository
        .top()
        .canonicalize()
        .unwrap_or_else(|_| repository.top().to_owned());
    let here = std::env::current_dir().unwrap_or_default();
    // Plugins may shuffle them.
    let mut found: BTreeMap<String, (TestTarget, usize)> = BTreeMap::new();
    for line in said.lines() {
        let Some((file, function)) = line.split_once("::") else {
            continue;
        };
        let function = function.split('[').next().unwrap_or_default();
        // Node ids are relative to the root that pytest finds.
        let Some(file) = here
            .ancestors()
            .map(|folder| folder.join(file))
            .find(|file| file.is_file())
        else {
            continue;
        };
        let file = file.canonicalize().unwrap_or(file);
        let Ok(relative) = file.strip_prefix(&top) else {
            continue;
        };
        let relative = relative.to_string_lossy().replace('\\', "/");
        let id = format!("{}::{function}", shown_from(&file, &here));
        let target = || TestTarget {
            id: id.clone(),
            file: relative,
            function: function.replace("::", "."),
            package: None,
        };
        found.entry(id.clone()).or_insert_with(|| (target(), 0)).1 += 1;
    }
    let (tests, cases) = found.into_values().unzip();
    Ok(Collected { tests, cases })
}

/// A file as it is called from a folder, if it is below that.
fn shown_from(file: &Path, here: &Path) -> String {
    let here = here.canonicalize().unwrap_or_else(|_| here.to_owned());
    let relative = file
        .strip_prefix(&here)
        .map_or_else(|_| file.to_owned(), Path::to_owned);
    relative.to_string_lossy().replace('\\', "/")
}

/// Selects tests that failed when they were run last, too.
pub fn add_failed(path: &Path, tests: &[TestTarget], reasons: &mut [Option<SelectionReason>]) {
    let failed: Vec<PathBuf> = in_caches(path, LAST_FAILED);
    let text = failed
        .iter()
        .find_map(|file| std::fs::read_to_string(file).ok());
    let known: BTreeMap<String, serde_json::Value> = text
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    let known: BTreeSet<&str> = known
        .keys()
        .map(|id| id.split('[').next().unwrap_or_default())
        .collect();
    for (test, reason) in tests.iter().zip(reasons) {
        let is_it = |id: &&&str| test.id == **id || test.id.ends_with(&format!("/{id}"));
        if reason.is_none() && known.iter().any(|id| is_it(&id)) {
            *reason = Some(SelectionReason::LastFailed);
        }
    }
}
