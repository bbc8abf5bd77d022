//! The corpus: what `detect` says of each of its tests, what `fix` does about it, and fresh runs of what was mended.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use flex_core::bound::declared::clopper_pearson;
use serde_json::Value;
use xtask::process::{output, printed, root};
use xtask::python::Python;

use crate::page::{Bar, Section};
use crate::program::{self, fresh_folder, in_environment, json, list, prepare, text};
use crate::project::Project;

/// Fresh runs of each patched test.
const RUNS: usize = 2000;

/// The confidences of patches: the default, and one at which so many runs show failures.
const CONFIDENCES: [&str; 2] = ["0.9999", "0.99"];

/// The section of the part `corpus`.
pub fn section() -> Result<Section, String> {
    let tests = measure(&prepare()?)?;
    let mut text = format!(
        "## The corpus: searched, mended, and searched again

The tests of `tests/corpus`: `detect --tight`, `fix --apply` at a confidence of 0.9999, and {RUNS} fresh runs of each
under another seed; then the same at 0.99. A patch promises that unchanged code fails in at most 1 − confidence of its
runs. That is kept if no more failures are seen than chance allows at that rate, at a level of 1 in 1000; the bounds
themselves keep their promise in 95% of all cases. What looks like a bug is not patched.

| test | verdict | failures | at 0.9999 | failures of {RUNS} | at 0.99 | failures of {RUNS} |
|---|---|---|---|---|---|---|
"
    );
    let mut bars = Vec::new();
    for test in &tests {
        let (failed, runs) = test.before;
        let name = test.test.rsplit("::").next().unwrap_or(&test.test);
        let _ = write!(
            text,
            "| {name} ({}) | {} | {failed} of {runs} |",
            test.language, test.verdict
        );
        for patch in &test.patches {
            let _ = write!(
                text,
                " {}: {} | {} |",
                patch.option, patch.number, patch.failures
            );
            let low = clopper_pearson(patch.failures as usize, RUNS, 0.998).0;
            bars.push(Bar {
                what: format!("{name} fails as promised"),
                measured: format!("{} of {RUNS}", patch.failures),
                bar: format!("≤ {:.2}%", 100.0 * patch.promised),
                kept: low <= patch.promised,
            });
        }
        if test.patches.is_empty() {
            let looks = test.look_here.as_deref();
            let words = looks.map_or("no patch".to_owned(), |looks| format!("look here: {looks}"));
            let _ = write!(text, " {words} | | | |");
        }
        text.push('\n');
    }
    text.push('\n');
    Ok(Section::with_bars(text, &bars))
}

/// One test: searched, and mended where `fix` has a patch.
struct Mended {
    language: &'static str,
    test: String,
    /// The verdict of `detect`.
    verdict: String,
    /// Failures in the runs of the first search, and these runs.
    before: (u64, u64),
    /// The patch at each confidence, if `fix` wrote one.
    patches: Vec<Patch>,
    /// A suspected bug, in the words of `fix`.
    look_here: Option<String>,
}

/// A patch, and fresh runs of the patched test.
struct Patch {
    option: String,
    number: String,
    /// The false-alarm rate that was promised.
    promised: f64,
    /// Failures in fresh runs of the patched test.
    failures: u64,
}

/// Searches, mends and searches again, in both languages.
fn measure(python: &Python) -> Result<Vec<Mended>, String> {
    let mut mended = rust()?.measure()?;
    mended.extend(pytest(python)?.measure()?);
    Ok(mended)
}

/// The tests in one language, in a folder where they may be changed.
struct Language {
    name: &'static str,
    command: Box<dyn Fn() -> Command>,
    /// The arguments by which `detect` finds them.
    which: &'static [&'static str],
    /// The same for `fix`, which knows how tests are built from what `detect` recorded.
    which_to_fix: &'static [&'static str],
    /// The tests as they were.
    sources: Vec<(PathBuf, String)>,
}

/// Reads a file of the corpus.
fn corpus(file: &str) -> Result<String, String> {
    let path = root().join("tests/corpus").join(file);
    std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
}

fn rust() -> Result<Language, String> {
    let mut texts = Vec::new();
    for file in ["src/lib.rs", "tests/assertions.rs", "tests/hashing.rs"] {
        texts.push((file, corpus(&format!("rust/{file}"))?));
    }
    let files: Vec<(&str, &str)> = texts.iter().map(|(f, t)| (*f, t.as_str())).collect();
    let manifest = "[dependencies]\nrand = \"0.10\"\n\n[dev-dependencies]\napprox = \"0.5\"\n\
                    flex-harness = { path = \"{flex}/flex-harness\" }\n";
    let project = Project::new("corpus", manifest, &files)?;
    let sources = texts.iter().map(|(f, t)| (project.path(f), t.clone()));
    Ok(Language {
        name: "Rust",
        which: &["--release"],
        which_to_fix: &[],
        sources: sources.collect(),
        command: Box::new(move || project.program(&program::path())),
    })
}

fn pytest(python: &Python) -> Result<Language, String> {
    let folder = fresh_folder("detect/corpus")?;
    let source = (
        folder.join("test_corpus.py"),
        corpus("python/test_corpus.py")?,
    );
    let python = python.clone();
    Ok(Language {
        name: "Python",
        command: Box::new(move || in_environment(&python, &folder)),
        which: &["--pytest", "."],
        which_to_fix: &["--pytest", "."],
        sources: vec![source],
    })
}

impl Language {
    fn measure(&self) -> Result<Vec<Mended>, String> {
        self.restore()?;
        let record = fresh_folder(&format!("detect/corpus-{}", self.name))?.join("found.json");
        let record = record.display().to_string();
        let search = ["detect", "--seed", "corpus", "--tight", "--record", &record];
        let found = self.answer(&search, self.which)?;
        let mut mended: Vec<Mended> = list(&found["tests"])
            .map(|test| self.judged(test))
            .collect();
        for confidence in CONFIDENCES {
            self.mend(confidence, &record, &mut mended)?;
        }
        Ok(mended)
    }

    /// Reads the answer of the first search about a test.
    fn judged(&self, test: &Value) -> Mended {
        let count = |value: &Value| value.as_u64().unwrap_or(0);
        Mended {
            language: self.name,
            test: text(&test["name"]),
            verdict: text(&test["verdict"]),
            before: (count(&test["failed"]), count(&test["runs"])),
            patches: Vec::new(),
            look_here: None,
        }
    }

    /// Patches the tests as they were, and makes fresh runs of them.
    fn mend(&self, confidence: &str, record: &str, mended: &mut [Mended]) -> Result<(), String> {
        self.restore()?;
        let fix = ["fix", "--record", record, "--confidence", confidence];
        let menus = self.answer(&fix, self.which_to_fix)?;
        let mut apply = self.program(&fix, self.which_to_fix);
        let applied = output(apply.args(["--apply", "--allow-dirty"]))?;
        if !matches!(applied.status.code(), Some(0 | 1)) {
            return Err(format!("fix failed:\n{}", printed(&applied)));
        }
        let runs = RUNS.to_string();
        let seed = format!("fresh {confidence}");
        let again = [
            "detect",
            "--seed",
            &seed,
            "--runs",
            &runs,
            "--max-runs",
            &runs,
        ];
        let again = self.answer(&again, self.which)?;
        for test in mended {
            let named = |value: &&Value| text(&value["name"]) == test.test;
            let is_its = |menu: &&Value| text(&menu["test"]) == test.test;
            let Some(menu) = list(&menus["assertions"]).find(is_its) else {
                continue;
            };
            test.look_here = list(&menu["look_here"]).next().map(|l| text(&l["what"]));
            let chosen = list(&menu["menu"]).find(|offer| offer["chosen"] == true);
            let failed = list(&again["tests"])
                .find(named)
                .map(|test| &test["failed"]);
            if let (Some(offer), Some(failures)) = (chosen, failed.and_then(Value::as_u64)) {
                test.patches.push(Patch {
                    option: text(&offer["option"]),
                    number: offer["number"].to_string(),
                    promised: 1.0 - offer["confidence"].as_f64().unwrap_or(0.0),
                    failures,
                });
            }
        }
        Ok(())
    }

    fn restore(&self) -> Result<(), String> {
        for (path, source) in &self.sources {
            std::fs::write(path, source)
                .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        }
        Ok(())
    }

    fn program(&self, args: &[&str], which: &[&str]) -> Command {
        let mut command = (self.command)();
        command.args(args).args(which);
        command
    }

    fn answer(&self, args: &[&str], which: &[&str]) -> Result<Value, String> {
        json(self.program(args, which).arg("--json"))
    }
}
