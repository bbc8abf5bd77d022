//! Writers of bounds files that are killed, that get errors from the system, and many at once.

use std::fmt::Write;
use std::path::PathBuf;

use flex_tests::crash::strace::{self, Traced};
use flex_tests::crash::{self, Tally, once, store};
use tempfile::TempDir;
use xtask::plugin;
use xtask::process::{self, target};

use crate::page::{Bar, Section, Size};
use crate::project::{Build, Project, VALUES, WITH_FLEX};
use crate::pytest::with_plugin;

const TESTS: &str = "
#[stochastic_test(runs = 10)]
fn first(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng) < _);
}

#[stochastic_test(runs = 10)]
fn second(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng) > _);
}
";

/// Kills of pytest: as many as `pytest-bridge/tests/test_crash.py` makes if it is asked for a long run.
const OF_PYTEST: u64 = 40;

/// The section of the part `kills`.
pub fn kills(size: Size) -> Result<Section, String> {
    can_trace()?;
    let of = |full: usize| size.of(full) as u64;
    let writers = store::kill(&writer()?, folder()?.path(), of(9700))?;
    let [in_process, on_command_line] = calibrations([of(200), of(60)])?;
    of_pytest("killed")?;
    let rows = [
        ("the store, without a pause", Some(writers), writers.kills),
        ("`FLEX_MODE=calibrate`", Some(in_process), in_process.kills),
        (
            "`cargo flex calibrate`",
            Some(on_command_line),
            on_command_line.kills,
        ),
        ("`pytest --flex=calibrate`", None, OF_PYTEST),
    ];
    let mut text =
        "| writer | kills | the old file | the new file | killed between creating and renaming |\n\
                    |---|---|---|---|---|\n"
            .to_owned();
    let mut all = 0;
    for (what, tally, kills) in rows {
        let cell = |count: fn(&Tally) -> u64| {
            tally
                .as_ref()
                .map_or("".to_owned(), |it| count(it).to_string())
        };
        let (old, new) = (cell(|it| it.old), cell(|it| it.new));
        let between = cell(|it| it.left_behind);
        let _ = writeln!(text, "| {what} | {kills} | {old} | {new} | {between} |");
        all += kills;
    }
    text +=
        "\nFor the store, the old file is the one of the last update that was acknowledged.\n\n";
    let bar = of(10_000);
    let bars = [
        Bar {
            what: "kills".to_owned(),
            measured: all.to_string(),
            bar: format!("≥ {bar}"),
            kept: all >= bar,
        },
        // Anything else ends the command with an error.
        none("acknowledged updates lost, files torn"),
    ];
    Ok(Section::with_bars(text, &bars))
}

/// Kills calibrations of a real crate: in the process of the test, and in that of the command line.
fn calibrations([in_process, on_command_line]: [u64; 2]) -> Result<[Tally; 2], String> {
    let source = format!("{VALUES}{TESTS}");
    let files = [("src/lib.rs", ""), ("tests/tests.rs", &source)];
    let project = Project::new("killed", WITH_FLEX, &files)?;
    let first = ["--seed", "fixed", "first"];
    process::succeed(&mut project.calibrate(Build::Dev, &first))?;
    let bounds = project.path("flex-bounds.toml");
    let old = project.read("flex-bounds.toml")?;
    let programs = project.build(Build::Dev)?;
    let mut own = project.program(programs.get("tests").ok_or("cargo built no tests")?);
    own.args(["--exact", "second"])
        .env("FLEX_MODE", "calibrate")
        .env("FLEX_SEED", "fixed")
        .env("CARGO_MANIFEST_DIR", project.path(""))
        .env("CARGO_PKG_NAME", "killed");
    let own = once::kill(&own, Traced::All, &bounds, in_process)?;
    project.write("flex-bounds.toml", &old)?;
    let second = project.calibrate(Build::Dev, &["--seed", "fixed", "second"]);
    let line = once::kill(&second, Traced::First, &bounds, on_command_line)?;
    Ok([own, line])
}

/// The section of the part `faults`.
pub fn faults() -> Result<Section, String> {
    can_trace()?;
    let endings = crash::faults::each_call(&writer()?, folder()?.path())?;
    let text = format!(
        "An update makes {} system calls. With a fault in one of them, {} updates were acknowledged all the same, {} were \
         refused, {} were killed before they replaced the file and {} after.\n\n",
        endings.calls,
        endings.acknowledged,
        endings.refused,
        endings.killed_before,
        endings.killed_after
    );
    Ok(Section::with_bars(
        text,
        &[none("files that are neither old nor new")],
    ))
}

/// The section of the part `crowd`.
pub fn crowd() -> Result<Section, String> {
    let folder = folder()?;
    let file = folder.path().join("flex-bounds.toml");
    store::crowd(&writer()?, &file, (64, 40), || Ok(()))?;
    of_pytest("many")?;
    let text = "64 processes update one file 40 times each, all at once. Then 56 processes do so 20 times each while 8 \
                sessions of pytest calibrate\ntheir tests into the same file.\n\n";
    Ok(Section::with_bars(text.to_owned(), &[none("updates lost")]))
}

/// Runs those of the plugin's tests about crashes that have a word in their names, with as many kills as the page says.
fn of_pytest(word: &str) -> Result<(), String> {
    let words = ["-m", "pytest", "-q", "tests/test_crash.py", "-k", word];
    let mut tests = plugin::in_bridge(&with_plugin()?, &words);
    let program = target().join("release/flex-harness");
    process::run(tests.env("FLEX_LONG", "1").env("FLEX_HARNESS", program))
}

/// Builds our programs, all at once, and returns the path of the writer that does nothing else.
fn writer() -> Result<PathBuf, String> {
    let packages = ["--package=cargo-flex", "--package=flex-tests"];
    let mut cargo = process::cargo(&["build", "--release", "--bins"]);
    process::run(cargo.args(packages))?;
    Ok(target().join("release/bounds-writer"))
}

fn folder() -> Result<TempDir, String> {
    TempDir::new().map_err(|error| error.to_string())
}

fn can_trace() -> Result<(), String> {
    match strace::is_usable() {
        true => Ok(()),
        false => Err("strace is needed, and the right to trace processes".to_owned()),
    }
}

/// A bar that is kept wherever the command came to its end.
fn none(what: &str) -> Bar {
    Bar {
        what: what.to_owned(),
        measured: "0".to_owned(),
        bar: "0".to_owned(),
        kept: true,
    }
}
