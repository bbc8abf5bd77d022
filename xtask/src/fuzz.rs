//! Fuzzing: builds the targets of `fuzz` with libFuzzer, on stable Rust, and runs them.
//!
//! The inputs that a target was found to treat differently are kept under the target folder, beside those of the
//! committed corpora, so that each run goes on where the one before it ended.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::process::{self, root, target};
use crate::python::Python;

/// How long a target is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    /// So many seconds.
    Seconds(u64),
    /// So many executions.
    Executions(u64),
}

/// What a run of a target showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fuzzed {
    /// Inputs that were tried.
    pub executions: u64,
    /// Inputs that are treated each in a way of its own.
    pub corpus: usize,
    /// The input that shows that something does not hold, if there is one.
    pub finding: Option<PathBuf>,
}

/// What makes the compiler count which branches an input takes. The options are those of cargo-fuzz, without sanitizers:
/// there is hardly any `unsafe` to watch. Its `--cfg fuzzing` is left out too, since proc-macro2 forgets all places in a
/// source under it.
const COVERAGE: &[&str] = &[
    "--cfg=libfuzzer",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cdebug-assertions",
    "-Coverflow-checks",
    "-Ccodegen-units=1",
];

/// The names of all targets, in order.
pub fn targets() -> Result<Vec<String>, String> {
    let folder = root().join("fuzz/fuzz_targets");
    let files = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let names = files.flatten().map(|file| file.path());
    let names = names.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()));
    let mut names: Vec<String> = names.collect();
    names.sort();
    Ok(names)
}

/// Builds all targets, and returns the folder with their programs.
pub fn build() -> Result<PathBuf, String> {
    let version = process::capture(Command::new("rustc").arg("-vV"), "")?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.ok_or("rustc does not say what it builds for")?;
    let folder = target().join("fuzz");
    let words = ["build", "--release", "--locked", "--package=flex-fuzz"];
    let mut cargo = process::cargo(&words);
    // With a target of its own, programs that run while building are not instrumented.
    cargo.arg("--bins").arg("--target").arg(host);
    cargo.arg("--target-dir").arg(&folder);
    process::run(cargo.env("RUSTFLAGS", COVERAGE.join(" ")))
        .map_err(|error| format!("{error}\nhint: libFuzzer needs a compiler of C++"))?;
    Ok(folder.join(host).join("release"))
}

/// Runs one target, up to its first finding.
pub fn run(programs: &Path, name: &str, length: Length) -> Result<Fuzzed, String> {
    let grown = corpus(name);
    let findings = target().join("fuzz/findings");
    for folder in [&grown, &findings] {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let mut command = Command::new(programs.join(name));
    command.arg(match length {
        Length::Seconds(seconds) => format!("-max_total_time={seconds}"),
        Length::Executions(executions) => format!("-runs={executions}"),
    });
    command.args(["-max_len=2048", "-timeout=20", "-rss_limit_mb=2048"]);
    command.args(["-print_final_stats=1", "-verbosity=0"]);
    let prefix = findings.join(format!("{name}-"));
    command.arg(format!("-artifact_prefix={}", prefix.display()));
    command
        .arg(&grown)
        .arg(root().join("fuzz/corpus").join(name));
    let output = process::output(command.stdin(Stdio::null()))?;
    let said = process::printed(&output);
    let after = |words: &str| said.lines().find_map(|line| line.split_once(words));
    let written = after("Test unit written to ").map(|(_, path)| PathBuf::from(path));
    if !output.status.success() && written.is_none() {
        return Err(format!("{name} failed: {}\n{said}", output.status));
    }
    if written.is_some() {
        eprint!("{said}");
    }
    let executions = after("stat::number_of_executed_units:");
    Ok(Fuzzed {
        executions: executions
            .and_then(|(_, number)| number.trim().parse().ok())
            .ok_or_else(|| format!("{name} does not say how far it came:\n{said}"))?,
        corpus: fs::read_dir(&grown).map_or(0, Iterator::count),
        finding: written,
    })
}

/// Asks Python whether the sources that `python_source` patched are Python still, and returns their number.
pub fn check_python(programs: &Path) -> Result<u64, String> {
    let patches = target().join("fuzz/patches.jsonl");
    let _ = fs::remove_file(&patches);
    let mut again = Command::new(programs.join("python_source"));
    // Without further runs, the inputs there are are made once more.
    again
        .args(["-runs=0", "-verbosity=0"])
        .arg(corpus("python_source"));
    again.arg(root().join("fuzz/corpus/python_source"));
    process::succeed(again.env("FLEX_FUZZ_PATCHES", &patches))?;
    let text = fs::read_to_string(&patches).map_err(|error| error.to_string())?;
    let mut checker = Python::usual()?.run(&["fuzz/python_patches.py"]);
    let count = process::capture(&mut checker, &text)?;
    let count = count.trim().parse();
    count.map_err(|_| "python_patches.py does not say how many it read".to_owned())
}

/// Where inputs of a target are kept from run to run.
fn corpus(name: &str) -> PathBuf {
    target().join("fuzz/corpus").join(name)
}
