//! Planted tests of every cause: whether probes see what they touch.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use flex_detect::record::{ObservedTest, Record};
use flex_detect::verdict::differs_when_repeated;
use flex_run::model::Cause;
use xtask::process::{cargo, output, printed, root, run};

use crate::page::{Bar, Section};
use crate::program::fresh_folder;
use crate::pytest::with_plugin;

/// The planted tests of Python; the class says the cause.
const PYTHON: &str = "pytest-bridge/tests/varying_forms.py";

/// The planted tests of Rust.
const RUST: &str = "tests/tests/e2e/probes/planted.rs";

/// What the planted tests of Python use.
const FILES: [(&str, &str); 3] = [
    (
        "job.py",
        "import time\n\n\ndef is_early():\n    return time.time() % 1 < 0.9\n",
    ),
    ("reads_clock.py", "import time\n\nSTARTED = time.time()\n"),
    ("words.txt", "a\n"),
];

/// The section of the part `recall`.
pub fn section() -> Result<Section, String> {
    let python = of_python()?;
    let rust = of_rust()?;
    let mut text = format!(
        "## Planted tests of every cause

Tests that touch one source of variation each, in every way that we know (`{PYTHON}`, `{RUST}`): how many of them are
seen to touch it. What an order of hashes decides touches nothing, and is found by the run under another order. The
tests of Rust are asserted one by one by `cargo test -p flex-tests --test e2e probes`, which was run for this page;
their hashes are random numbers.

| cause | Python: seen | Rust: seen |
|---|---|---|
"
    );
    let mut bars = Vec::new();
    for cause in Cause::ALL {
        let of_rust = rust.get(cause.as_str()).copied();
        let (seen, planted) = python.get(cause.as_str()).copied().unwrap_or((0, 0));
        let words = of_rust.map_or("–".to_owned(), |planted| {
            format!("{planted} of {planted}")
        });
        let _ = writeln!(text, "| {cause} | {seen} of {planted} | {words} |");
        bars.push(Bar {
            what: format!("planted tests that are seen, {cause}"),
            measured: format!(
                "{} of {}",
                seen + of_rust.unwrap_or(0),
                planted + of_rust.unwrap_or(0)
            ),
            bar: "all, of at least five in each language".to_owned(),
            kept: seen == planted && planted >= 5 && of_rust.is_none_or(|planted| planted >= 5),
        });
    }
    text.push('\n');
    Ok(Section::with_bars(text, &bars))
}

/// Tests of Python that are seen and that there are, by cause.
fn of_python() -> Result<BTreeMap<&'static str, (usize, usize)>, String> {
    let folder = fresh_folder("trace/planted")?;
    let write = |name: &str, text: &str| {
        fs::write(folder.join(name), text).map_err(|error| error.to_string())
    };
    write(
        "pytest.ini",
        "[pytest]\nasyncio_default_fixture_loop_scope = function\n",
    )?;
    for (name, text) in FILES {
        write(name, text)?;
    }
    write("test_planted.py", &read(PYTHON)?)?;
    let mut command = with_plugin()?.run(&["-m", "pytest", "-q", "-p", "no:randomly"]);
    let options = [
        "--flex=record",
        "--flex-seed=planted",
        "--flex-runs=2",
        "--flex-max-runs=2",
    ];
    command
        .current_dir(&folder)
        .args(options)
        .arg("--flex-record=found.json");
    let ended = output(&mut command)?;
    if !matches!(ended.status.code(), Some(0 | 1)) {
        return Err(format!("{command:?} failed:\n{}", printed(&ended)));
    }
    let text = fs::read_to_string(folder.join("found.json")).map_err(|error| error.to_string())?;
    let record = Record::parse(&text).map_err(|error| error.to_string())?;
    let mut found: BTreeMap<&'static str, (usize, usize)> = BTreeMap::new();
    for test in &record.tests {
        if let Some(cause) = planted_cause(test) {
            let (seen, planted) = found.entry(cause.as_str()).or_default();
            *seen += usize::from(is_seen(test, cause));
            *planted += 1;
        }
    }
    Ok(found)
}

/// The cause that the class of a test names: `async-wait` for `TestAsyncWait`.
fn planted_cause(test: &ObservedTest) -> Option<Cause> {
    let class = test.name().split("::").nth(1)?.strip_prefix("Test")?;
    let is_named = |cause: &Cause| cause.as_str().replace('-', "") == class.to_lowercase();
    Cause::ALL.into_iter().find(is_named)
}

fn is_seen(test: &ObservedTest, cause: Cause) -> bool {
    let mut touches = test.probe.iter().flat_map(|probe| probe.touches());
    match cause {
        Cause::HashOrder => differs_when_repeated(test),
        _ => touches.any(|touch| touch.cause == cause && !touch.seeded),
    }
}

/// Tests of Rust by cause, each of which was seen.
fn of_rust() -> Result<BTreeMap<String, usize>, String> {
    let programs = [
        "build",
        "--locked",
        "--bin=cargo-flex",
        "--bin=flex-harness",
    ];
    run(&mut cargo(&programs))?;
    run(&mut cargo(&[
        "test",
        "--locked",
        "--package=flex-tests",
        "--test=e2e",
        "--",
        "probes",
    ]))?;
    let source = read(RUST)?;
    let list = source
        .split_once("PLANTED")
        .and_then(|(_, rest)| rest.split_once("];\n"));
    let (list, _) = list.ok_or("the planted tests of Rust are not where they were")?;
    let mut found = BTreeMap::new();
    for group in list.split("&[").skip(2).zip(list.split("&[").skip(1)) {
        let (names, before) = group;
        let cause = before.rsplit('"').nth(1).unwrap_or_default();
        let names = names.split("],").next().unwrap_or_default();
        if Cause::named(cause).is_some() {
            found.insert(cause.to_owned(), names.matches('"').count() / 2);
        }
    }
    Ok(found)
}

fn read(file: &str) -> Result<String, String> {
    fs::read_to_string(root().join(file)).map_err(|error| format!("{file}: {error}"))
}
