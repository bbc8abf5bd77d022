//! The whole way of a user: annotate, calibrate, enforce, break, replay. All seeds are fixed.

mod outcomes;
mod sources;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::process::{output, printed, succeed};

use crate::page::Section;
use crate::project::{Build, Project, build_flex};
use outcomes::{SeedVerdicts, WholeCommand, outcomes};
use sources::HOMES;

/// Seeds of unchanged and of broken code, and how many of the latter must be red.
const GREEN_SEEDS: usize = 1000;
const RED_SEEDS: usize = 100;
const RED_BAR: usize = 85;

/// The section of the part `end-to-end`.
pub fn section() -> Result<Section, String> {
    let seen = measure()?;
    let mut text = format!(
        "## From annotation to replay

A fresh crate has five stochastic tests at C = 0.9999, each in three homes: a unit test in `src`, a file in `tests`, and
a `harness = false` target. Their values are sums of twelve uniform numbers, whose standard deviation is 1 exactly. All
are so quick that a calibration run is replayed in every run, but `in_doubt`, which says `replay = doubt`. `cargo flex
calibrate` learns from 100 runs of each. The unchanged code is then judged under {GREEN_SEEDS} seeds. Then one constant
in `src/lib.rs` moves the values by 2 standard deviations (in `one_of_three`, those of one site of three), and
{RED_SEEDS} seeds judge again. Bars: green {GREEN_SEEDS} of {GREEN_SEEDS}, red at least {RED_BAR} of {RED_SEEDS}.

| home | test | unchanged: green | 2 sd worse: red |
|---|---|---|---|
"
    );
    for row in &seen.rows {
        let _ = writeln!(
            text,
            "| {} | `{}` | {} of {GREEN_SEEDS} | {} of {RED_SEEDS} |",
            row.home, row.test, row.green, row.red
        );
    }
    let _ = writeln!(
        text,
        "
Every failure prints one line that replays it. That line, run by a shell as it stands, failed again with exactly the same
report (value, bounds, picture, every rerun) for {} of {} tests.

The seeds above ran the test programs themselves, which is quicker. For five seeds the whole commands gave their verdicts
too, on unchanged and on broken code:

| command | verdicts | the same |
|---|---|---|",
        seen.replayed,
        seen.rows.len()
    );
    for whole in &seen.whole {
        let _ = writeln!(
            text,
            "| `{}` | {} + {} | {} + {} |",
            whole.command, whole.verdicts[0], whole.verdicts[1], whole.same[0], whole.same[1]
        );
    }
    Ok(Section {
        text,
        missed: seen.problems,
        ..Section::default()
    })
}

/// The outcomes of all tests.
struct EndToEnd {
    rows: Vec<TestRow>,
    whole: Vec<WholeCommand>,
    replayed: usize,
    problems: Vec<String>,
}

/// One test in one home.
struct TestRow {
    home: &'static str,
    test: String,
    green: usize,
    red: usize,
}

/// Goes the whole way with one crate.
fn measure() -> Result<EndToEnd, String> {
    build_flex()?;
    let project = sources::project()?;
    succeed(&mut project.calibrate(Build::Dev, &["--seed", "end to end"]))?;
    let mut seen = EndToEnd {
        rows: Vec::new(),
        whole: ["cargo test", "cargo nextest run"]
            .map(WholeCommand::new)
            .into(),
        replayed: 0,
        problems: Vec::new(),
    };
    let intact = outcomes(&project, GREEN_SEEDS)?;
    for whole in &mut seen.whole {
        whole.compare(&project, &intact, 0)?;
    }
    sources::break_code(&project)?;
    let broken = outcomes(&project, RED_SEEDS)?;
    for whole in &mut seen.whole {
        whole.compare(&project, &broken, 1)?;
    }
    for (home, target) in HOMES {
        let tests = intact[0].keys().filter(|(found, _)| found == target);
        for key in tests {
            let count = |outcomes: &SeedVerdicts, passed| {
                outcomes
                    .iter()
                    .filter(|by| by.get(key) == Some(&passed))
                    .count()
            };
            seen.rows.push(TestRow {
                home,
                test: key.1.clone(),
                green: count(&intact, true),
                red: count(&broken, false),
            });
        }
    }
    seen.replay(&project, &broken)?;
    seen.find_problems();
    Ok(seen)
}

impl EndToEnd {
    /// Fails every test once and runs the line that it prints, word by word.
    fn replay(&mut self, project: &Project, broken: &SeedVerdicts) -> Result<(), String> {
        let programs: BTreeMap<String, PathBuf> = project.build(Build::Dev)?;
        for (key, _) in broken
            .iter()
            .flatten()
            .filter(|(_, passed)| !**passed)
            .collect::<BTreeMap<_, _>>()
        {
            let seed = broken.iter().position(|by| by.get(key) == Some(&false));
            let (target, test) = key;
            let mut first = project.program(&programs[target]);
            first.args(["--exact", test]);
            first.env("FLEX_SEED", seed.unwrap_or(0).to_string());
            let first = printed(&output(&mut first)?);
            let line = report(&first).find_map(|line| line.strip_prefix("replay: "));
            let line = line.ok_or_else(|| format!("{test} prints no replay line"))?;
            let mut shell = project.program(Path::new("sh"));
            let again = output(put_cargo_on_path(shell.args(["-c", line])))?;
            if !again.status.success() && report(&printed(&again)).eq(report(&first)) {
                self.replayed += 1;
            } else {
                self.problems
                    .push(format!("{target} {test}: `{line}` shows something else"));
            }
        }
        Ok(())
    }

    fn find_problems(&mut self) {
        for row in &self.rows {
            if row.green < GREEN_SEEDS || row.red < RED_BAR {
                self.problems.push(format!(
                    "{}, {}: green {} of {GREEN_SEEDS}, red {} of {RED_SEEDS}",
                    row.home, row.test, row.green, row.red
                ));
            }
        }
        for whole in &self.whole {
            if whole.same != whole.verdicts {
                self.problems
                    .push(format!("`{}` gives other verdicts", whole.command));
            }
        }
        if self.rows.len() != 5 * HOMES.len() {
            self.problems
                .push(format!("{} tests were found", self.rows.len()));
        }
    }
}

/// The lines of a failure report: the values, the reruns, the picture and the replay line.
fn report(printed: &str) -> impl Iterator<Item = &str> {
    let lines = printed.lines().map(str::trim);
    lines
        .skip_while(|line| !line.starts_with("flex: "))
        .take_while(|line| !line.starts_with("hint: "))
}

/// The line says `cargo`, which is the one that runs us.
fn put_cargo_on_path(command: &mut Command) -> &mut Command {
    let own = Path::new(env!("CARGO")).parent().map(Path::to_owned);
    let known = std::env::var_os("PATH").unwrap_or_default();
    let all = own.into_iter().chain(std::env::split_paths(&known));
    match std::env::join_paths(all) {
        Ok(path) => command.env("PATH", path),
        Err(_) => command,
    }
}
