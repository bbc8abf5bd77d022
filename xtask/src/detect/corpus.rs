//! The corpus: what `detect` says of each of its tests, what `fix` does about it, and fresh runs of what was mended.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::process::{self, root, target};
use crate::project::{Project, output, words};
use crate::python::Python;

/// Fresh runs of each patched test.
pub const RUNS: usize = 2000;

/// What became of one test.
pub struct Mended {
    pub language: &'static str,
    pub test: String,
    /// What `detect` says of it.
    pub verdict: String,
    /// Failures in the runs of the first search, and these runs.
    pub before: (u64, u64),
    /// What `fix` chose, if it chose something.
    pub chosen: Option<Chosen>,
    /// What looks like a bug, in the words of `fix`.
    pub look_here: Option<String>,
}

/// What was patched, and what came of it.
pub struct Chosen {
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
    /// What tells the program which tests they are.
    which: &'static [&'static str],
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
    let texts: Vec<(&str, &str)> = texts.iter().map(|(f, t)| (*f, t.as_str())).collect();
    let manifest = "[dependencies]\nrand = \"0.10\"\n\n[dev-dependencies]\napprox = \"0.5\"\n\
                    flex-harness = { path = \"{flex}/flex-harness\" }\n";
    let project = Project::new("corpus", manifest, &texts)?;
    Ok(Half {
        language: "Rust",
        command: Box::new(move || project.program(&program())),
        which: &["--release"],
    })
}

fn pytest(python: &Python) -> Result<Half, String> {
    let folder = fresh_folder("corpus")?;
    let text = corpus("python/test_corpus.py")?;
    std::fs::write(folder.join("test_corpus.py"), text).map_err(|error| error.to_string())?;
    let python = python.clone();
    Ok(Half {
        language: "Python",
        command: Box::new(move || in_environment(&python, &folder)),
        which: &["--pytest", "."],
    })
}

impl Half {
    fn measure(&self) -> Result<Vec<Mended>, String> {
        let found = self.json(&["detect", "--seed", "corpus", "--tight"])?;
        // `fix` reads what was found; it knows by itself how its tests are built.
        let which: &[&str] = match self.language {
            "Rust" => &[],
            _ => self.which,
        };
        let menus = json(&mut self.program(&["fix", "--json"], which))?;
        let applied = output(&mut self.program(&["fix", "--apply", "--allow-dirty"], which))?;
        if !applied.status.success() && applied.status.code() != Some(1) {
            return Err(format!("fix failed:\n{}", words(&applied)));
        }
        let runs = RUNS.to_string();
        let fresh = [
            "detect",
            "--seed",
            "fresh",
            "--runs",
            &runs,
            "--max-runs",
            &runs,
        ];
        let fresh = self.json(&fresh)?;
        let mut mended = Vec::new();
        for test in list(&found["tests"]) {
            let name = text(&test["name"]);
            let menu = list(&menus["assertions"]).find(|menu| text(&menu["test"]) == name);
            let chosen = menu.and_then(|menu| list(&menu["menu"]).find(|o| o["chosen"] == true));
            let again = list(&fresh["tests"]).find(|test| text(&test["name"]) == name);
            let failures = again.and_then(|test| test["failed"].as_u64());
            mended.push(Mended {
                language: self.language,
                test: name.rsplit("::").next().unwrap_or(&name).to_owned(),
                verdict: text(&test["verdict"]),
                before: (
                    test["failed"].as_u64().unwrap_or(0),
                    test["runs"].as_u64().unwrap_or(0),
                ),
                chosen: chosen.zip(failures).map(|(offer, failures)| Chosen {
                    option: text(&offer["option"]),
                    number: offer["number"].to_string(),
                    promised: 1.0 - offer["confidence"].as_f64().unwrap_or(0.0),
                    failures,
                }),
                look_here: menu
                    .and_then(|menu| list(&menu["look_here"]).next().map(|l| text(&l["text"]))),
            });
        }
        Ok(mended)
    }

    fn program(&self, args: &[&str], which: &[&str]) -> Command {
        let mut command = (self.command)();
        command.args(args).args(which);
        command
    }

    fn json(&self, args: &[&str]) -> Result<Value, String> {
        json(self.program(args, self.which).arg("--json"))
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
