//! The whole way of a user: annotate, calibrate, enforce, break, replay. All seeds are fixed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::project::{Build, Project, output, succeed, words};

const GREEN_SEEDS: usize = 200;
const RED_SEEDS: usize = 100;
const RED_BAR: usize = 95;

/// Seeds that also go through `cargo test` and `cargo nextest run` themselves.
const WHOLE_SEEDS: usize = 5;

const MANIFEST: &str = r#"
[dev-dependencies]
flex-harness = { path = "{flex}/flex-harness", features = ["main"] }

[[test]]
name = "custom"
harness = false
"#;

/// Twelve uniform numbers: their sum has mean 6 and standard deviation 1 exactly.
const LIBRARY: &str = r#"
/// What a regression moves, in standard deviations.
const SHIFT: f64 = 0.0;

fn standard(mut bits: impl FnMut() -> u64) -> f64 {
    let uniform = |bits: u64| (bits >> 11) as f64 / (1u64 << 53) as f64;
    (0..12).map(|_| uniform(bits())).sum::<f64>() - 6.0
}

pub fn steady(bits: impl FnMut() -> u64) -> f64 {
    standard(bits)
}

pub fn drifting(bits: impl FnMut() -> u64) -> f64 {
    standard(bits) + SHIFT
}

#[cfg(test)]
mod tests {
    use crate::{drifting, steady};
{tests}
}
"#;

const TESTS: &str = r#"
use flex_harness::prelude::*;

#[stochastic_test(confidence = 0.9999)]
fn upper(rng: &mut TestRng) {
    let x = drifting(|| rng.seed_u64());
    assert_tail_bound!(x < _);
}

#[stochastic_test(confidence = 0.9999)]
fn lower(rng: &mut TestRng) {
    let x = -drifting(|| rng.seed_u64());
    assert_tail_bound!(x > _);
}

#[stochastic_test(confidence = 0.9999)]
fn two_sided(rng: &mut TestRng) {
    let x = drifting(|| rng.seed_u64());
    assert_tail_bound!(_ < x < _);
}

#[stochastic_test(confidence = 0.9999)]
fn one_of_three(rng: &mut TestRng) {
    let (x, y) = (steady(|| rng.seed_u64()), steady(|| rng.seed_u64()));
    let z = drifting(|| rng.seed_u64());
    assert_tail_bound!(x < _);
    assert_tail_bound!(y > _);
    assert_tail_bound!(_ < z < _);
}
"#;

/// Where tests live, with the target that holds them there.
const HOMES: [(&str, &str); 3] = [
    ("unit test in `src`", "end_to_end"),
    ("`tests/*.rs`", "enforced"),
    ("`harness = false`", "custom"),
];

/// What was seen.
pub struct EndToEnd {
    pub rows: Vec<Row>,
    pub whole: Vec<Whole>,
    pub replayed: usize,
    pub problems: Vec<String>,
}

/// One test in one home.
pub struct Row {
    pub home: &'static str,
    pub test: String,
    pub green: usize,
    pub red: usize,
}

/// A test command as users type it.
pub struct Whole {
    pub command: &'static str,
    /// Verdicts of unchanged and of broken code.
    pub verdicts: [usize; 2],
    /// Those that were the same as under the test program itself.
    pub same: [usize; 2],
}

/// Verdicts by seed, target and test: whether it passed.
type Verdicts = Vec<BTreeMap<(String, String), bool>>;

pub fn measure() -> Result<EndToEnd, String> {
    let unit = TESTS.replace('\n', "\n    ");
    let outside = format!("use end_to_end::{{drifting, steady}};\n{TESTS}");
    let project = Project::new(
        "end-to-end",
        MANIFEST,
        &[
            ("src/lib.rs", &LIBRARY.replace("{tests}", &unit)),
            ("tests/enforced.rs", &outside),
            (
                "tests/custom.rs",
                &format!("{outside}\nflex_harness::main!();\n"),
            ),
        ],
    )?;
    succeed(&mut project.calibrate(Build::Dev, &["--seed", "end to end"]))?;
    let mut seen = EndToEnd {
        rows: Vec::new(),
        whole: ["cargo test", "cargo nextest run"].map(Whole::new).into(),
        replayed: 0,
        problems: Vec::new(),
    };
    let intact = verdicts(&project, GREEN_SEEDS)?;
    for whole in &mut seen.whole {
        whole.compare(&project, &intact, 0)?;
    }
    project.replace("src/lib.rs", "SHIFT: f64 = 0.0", "SHIFT: f64 = 4.0")?;
    let broken = verdicts(&project, RED_SEEDS)?;
    for whole in &mut seen.whole {
        whole.compare(&project, &broken, 1)?;
    }
    for (home, target) in HOMES {
        let tests = intact[0].keys().filter(|(place, _)| place == target);
        for key in tests {
            let count = |verdicts: &Verdicts, passed| {
                verdicts
                    .iter()
                    .filter(|by| by.get(key) == Some(&passed))
                    .count()
            };
            seen.rows.push(Row {
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

/// Runs the test programs themselves under the seeds 0, 1, …
fn verdicts(project: &Project, seeds: usize) -> Result<Verdicts, String> {
    let programs = project.build(Build::Dev)?;
    (0..seeds)
        .map(|seed| {
            let mut found = BTreeMap::new();
            for (target, exe) in &programs {
                let mut command = project.program(exe);
                let output = output(command.env("FLEX_SEED", seed.to_string()))?;
                let printed = words(&output);
                let tests = printed.lines().filter_map(|line| {
                    let (name, word) = line.strip_prefix("test ")?.split_once(" ... ")?;
                    Some(((target.clone(), name.trim().to_owned()), word == "ok"))
                });
                found.extend(tests);
            }
            Ok(found)
        })
        .collect()
}

impl Whole {
    fn new(command: &'static str) -> Self {
        Whole {
            command,
            verdicts: [0; 2],
            same: [0; 2],
        }
    }

    /// Compares the verdicts of this command with those of the test programs, under a few seeds.
    fn compare(&mut self, project: &Project, known: &Verdicts, at: usize) -> Result<(), String> {
        let args: &[&str] = match self.command {
            "cargo test" => &["test", "--no-fail-fast"],
            _ => &["nextest", "run", "--no-fail-fast", "--status-level=all"],
        };
        for (seed, known) in known.iter().take(WHOLE_SEEDS).enumerate() {
            let mut command = project.cargo(args);
            let printed = words(&output(command.env("FLEX_SEED", seed.to_string()))?);
            let count = |passed: bool| {
                let is = |line: &&str| match (line.strip_prefix("test "), passed) {
                    (Some(rest), true) => rest.ends_with("... ok"),
                    (Some(rest), false) => rest.ends_with("... FAILED"),
                    // nextest names failures again at its end, after the summary.
                    (None, true) => line.trim_start().starts_with("PASS ["),
                    (None, false) => line.trim_start().starts_with("FAIL ["),
                };
                let before_summary = |line: &&str| !line.trim_start().starts_with("Summary [");
                printed
                    .lines()
                    .take_while(before_summary)
                    .filter(is)
                    .count()
            };
            let expected = |passed| known.values().filter(|p| **p == passed).count();
            let (reds, greens) = (count(false), count(true));
            self.verdicts[at] += known.len();
            self.same[at] += reds.min(expected(false)) + greens.min(expected(true));
        }
        Ok(())
    }
}

impl EndToEnd {
    /// Fails every test once and runs the line that it prints, word by word.
    fn replay(&mut self, project: &Project, broken: &Verdicts) -> Result<(), String> {
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
            let first = words(&output(&mut first)?);
            let line = report(&first).find_map(|line| line.strip_prefix("replay: "));
            let line = line.ok_or_else(|| format!("{test} prints no replay line"))?;
            let mut shell = project.program(Path::new("sh"));
            let again = output(put_cargo_on_path(shell.args(["-c", line])))?;
            if !again.status.success() && report(&words(&again)).eq(report(&first)) {
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
        if self.rows.len() != 4 * HOMES.len() {
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
