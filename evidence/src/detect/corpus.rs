//! The corpus: what `detect` says of each of its tests, what `fix` does about it, and fresh runs of what was mended.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::process::{self, root, target};
use crate::project::{Project, output, words};
use crate::python::Python;

/// Fresh runs of each patched test.
pub const RUNS: usize = 2000;

/// The confidences of patches: the default, and one at which so many runs show failures.
const CONFIDENCES: [&str; 2] = ["0.9999", "0.99"];

/// What became of one test.
pub struct Mended {
    pub language: &'static str,
    pub test: String,
    /// What `detect` says of it.
    pub verdict: String,
    /// Failures in the runs of the first search, and these runs.
    pub before: (u64, u64),
    /// What `fix` wrote, if it wrote something, at each confidence.
    pub patches: Vec<Patch>,
    /// What looks like a bug, in the words of `fix`.
    pub look_here: Option<String>,
}

/// What was patched, and what came of it.
pub struct Patch {
    pub option: String,
    pub number: String,
    /// The false-alarm rate that was promised.
    pub promised: f64,
    /// Failures in fresh runs of the patched test.
    pub failures: u64,
}

/// Searches, mends and searches again, in both languages.
pub fn measure(python: &Python) -> Result<Vec<Mended>, String> {
    let mut mended = rust()?.measure()?;
    mended.extend(pytest(python)?.measure()?);
    Ok(mended)
}

/// The tests in one language, in a folder where they may be changed.
struct Half {
    language: &'static str,
    command: Box<dyn Fn() -> Command>,
    /// What tells `detect` which tests they are.
    which: &'static [&'static str],
    /// The same for `fix`, which knows how tests are built from what `detect` recorded.
    which_to_fix: &'static [&'static str],
    /// The tests as they were.
    sources: Vec<(PathBuf, String)>,
}

fn corpus(file: &str) -> Result<String, String> {
    let path = root().join("tests/corpus").join(file);
    std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
}

fn rust() -> Result<Half, String> {
    let files = ["src/lib.rs", "tests/assertions.rs", "tests/hashing.rs"];
    let mut texts = Vec::new();
    for file in files {
        texts.push((file, corpus(&format!("rust/{file}"))?));
    }
    let borrowed: Vec<(&str, &str)> = texts.iter().map(|(f, t)| (*f, t.as_str())).collect();
    let manifest = "[dependencies]\nrand = \"0.10\"\n\n[dev-dependencies]\napprox = \"0.5\"\n\
                    flex-harness = { path = \"{flex}/flex-harness\" }\n";
    let project = Project::new("corpus", manifest, &borrowed)?;
    let sources = texts.iter().map(|(f, t)| (project.path(f), t.clone()));
    Ok(Half {
        language: "Rust",
        which: &["--release"],
        which_to_fix: &[],
        sources: sources.collect(),
        command: Box::new(move || project.program(&program())),
    })
}

fn pytest(python: &Python) -> Result<Half, String> {
    let folder = fresh_folder("corpus")?;
    let source = (
        folder.join("test_corpus.py"),
        corpus("python/test_corpus.py")?,
    );
    let python = python.clone();
    Ok(Half {
        language: "Python",
        command: Box::new(move || in_environment(&python, &folder)),
        which: &["--pytest", "."],
        which_to_fix: &["--pytest", "."],
        sources: vec![source],
    })
}

impl Half {
    fn measure(&self) -> Result<Vec<Mended>, String> {
        self.restore()?;
        let record = fresh_folder(&format!("corpus-{}", self.language))?.join("found.json");
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

    /// What the first search says of a test.
    fn judged(&self, test: &Value) -> Mended {
        let count = |value: &Value| value.as_u64().unwrap_or(0);
        Mended {
            language: self.language,
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
            return Err(format!("fix failed:\n{}", words(&applied)));
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

/// Our program, built for this.
pub fn program() -> PathBuf {
    target().join("release/flex-harness")
}

/// Our program in a folder with tests of pytest, where `python` is that of an environment.
pub fn in_environment(python: &Python, folder: &Path) -> Command {
    let mut command = Command::new(program());
    let bin = python
        .exe
        .parent()
        .expect("an interpreter lies in a folder");
    let known = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(bin.to_owned()).chain(std::env::split_paths(&known));
    command
        .current_dir(folder)
        .env("PATH", std::env::join_paths(paths).unwrap_or_default())
        // The order of hashes is a part of what is measured.
        .env("PYTHONHASHSEED", "1");
    for name in ["FLEX_SEED", "FLEX_RUNS", "FLEX_MODE"] {
        command.env_remove(name);
    }
    command
}

/// An empty folder under the target folder.
pub fn fresh_folder(name: &str) -> Result<PathBuf, String> {
    let folder = target().join("detect").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    Ok(folder)
}

/// What a command answers as JSON; findings are an answer too.
pub fn json(command: &mut Command) -> Result<Value, String> {
    let Output {
        status,
        stdout,
        stderr,
    } = output(command)?;
    if !matches!(status.code(), Some(0 | 1)) {
        let said = String::from_utf8_lossy(&stderr).into_owned();
        return Err(format!("{command:?} failed ({status}):\n{said}"));
    }
    serde_json::from_slice(&stdout).map_err(|error| format!("{command:?}: {error}"))
}

/// Builds our program, and the environment that it is measured in.
pub fn prepare() -> Result<Python, String> {
    process::run(&mut process::cargo(&[
        "build",
        "--release",
        "--package=cargo-flex",
    ]))?;
    crate::pytest::with_plugin()
}

/// The elements of a list.
pub fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A text.
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
