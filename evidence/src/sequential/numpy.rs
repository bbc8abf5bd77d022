//! NumPy's generators, and copies with a bug, tested by pytest as a user would: one session, in which each test is there
//! once for every seed.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::Command;

use serde_json::Value;

use crate::page::{Bar, Section, Size};
use crate::pytest::with_plugin;

const TESTS: &str = include_str!("numpy.py");

/// What came of the tests of one generator.
#[derive(Default)]
struct Generator {
    red: u64,
    fine: u64,
    tests: u64,
    draws: f64,
}

pub fn section(size: Size) -> Result<Section, String> {
    let (sound_seeds, bug_seeds) = (size.of(1000), 20);
    let seen = tested(sound_seeds, bug_seeds)?;
    let mut text = format!(
        "`assert distributed(draws, law)` in pytest on generators of NumPy, against the laws of scipy, {sound_seeds} seeds each, at a
confidence of 0.9999 for all of them together, until they are called fine: within a Kolmogorov distance of 0.1. A run
draws 100 values.

| generator | red | fine | mean draws |
|---|---|---|---|
"
    );
    let (mut alarms, mut tests, mut missed) = (0, 0, 0);
    for (name, seen) in of("test_sound", &seen) {
        alarms += seen.red;
        tests += seen.tests;
        let draws = seen.draws / seen.tests as f64;
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {draws:.0} |",
            seen.red, seen.fine
        );
    }
    let _ = write!(
        text,
        "
Copies with a bug, {bug_seeds} seeds each, at the same level, with a margin of 0.002: a bug that moves a law by less than the
margin may be called fine.

| copy | red | mean draws |
|---|---|---|
"
    );
    for (name, seen) in of("test_bug", &seen) {
        missed += seen.tests - seen.red;
        tests += seen.tests;
        let draws = seen.draws / seen.tests as f64;
        let _ = writeln!(
            text,
            "| {name} | {} of {} | {draws:.0} |",
            seen.red, seen.tests
        );
    }
    let wanted =
        of("test_sound", &seen).count() * sound_seeds + of("test_bug", &seen).count() * bug_seeds;
    let bars = [
        Bar {
            what: "tests that told what came of them".to_owned(),
            measured: tests.to_string(),
            bar: wanted.to_string(),
            kept: tests == wanted as u64 && tests > 0,
        },
        Bar {
            what: "false alarms on NumPy's generators".to_owned(),
            measured: alarms.to_string(),
            bar: "0".to_owned(),
            kept: alarms == 0,
        },
        Bar {
            what: "seeds under which a bug was missed".to_owned(),
            measured: missed.to_string(),
            bar: "0".to_owned(),
            kept: missed == 0,
        },
    ];
    Ok(Section::with_bars(text + "\n", &bars))
}

/// The generators of one test, in the order of their names.
fn of<'a>(
    test: &'static str,
    seen: &'a BTreeMap<(String, String), Generator>,
) -> impl Iterator<Item = (&'a str, &'a Generator)> {
    let of_test = move |((of, name), seen): (&'a (String, String), &'a Generator)| {
        (of == test).then_some((name.as_str(), seen))
    };
    seen.iter().filter_map(of_test)
}

/// Runs the session, and puts together what its tests told, by test and generator.
fn tested(
    sound_seeds: usize,
    bug_seeds: usize,
) -> Result<BTreeMap<(String, String), Generator>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    std::fs::write(folder.path().join("test_numpy.py"), TESTS)
        .map_err(|error| error.to_string())?;
    let options = [
        "-q",
        "--tb=short",
        "-p",
        "no:randomly",
        "-p",
        "no:cacheprovider",
    ];
    let output = Command::new(with_plugin()?.exe)
        .args(["-m", "pytest", "--flex-seed=numpy"])
        .args(options)
        .env("SOUND_SEEDS", sound_seeds.to_string())
        .env("BUG_SEEDS", bug_seeds.to_string())
        .env("FLEX_LOG", "json")
        .env_remove("CI")
        .current_dir(folder.path())
        .output()
        .map_err(|error| format!("cannot run pytest: {error}"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    let mut seen: BTreeMap<(String, String), Generator> = BTreeMap::new();
    let told = printed
        .lines()
        .filter(|line| line.starts_with("{\"verdict\""));
    for line in told {
        let verdict: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let name = verdict["test"].as_str().unwrap_or_default();
        let (test, parameters) = name.split_once('[').ok_or("a test without parameters")?;
        let test = test.rsplit("::").next().unwrap_or_default();
        let (generator, _) = parameters.rsplit_once('-').ok_or("a test without a seed")?;
        let is_red = verdict["verdict"] == "fail";
        let claim = match is_red {
            true => &verdict["problems"][0],
            false => &verdict["claims"][0],
        };
        let seen = seen
            .entry((test.to_owned(), generator.to_owned()))
            .or_default();
        seen.tests += 1;
        seen.red += u64::from(is_red);
        seen.fine += u64::from(claim["outcome"] == "fine");
        seen.draws += claim["draws"].as_f64().unwrap_or_default();
    }
    match seen.is_empty() {
        true => Err(format!("pytest told nothing: {printed}")),
        false => Ok(seen),
    }
}
