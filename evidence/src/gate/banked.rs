//! Time banks: how well real ones are kept, and what simulated ones find beside an even split.

use std::fmt::Write;
use std::process::Command;
use std::time::Instant;

use flex_gate::bank::allocate;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Beta, Distribution as _};
use xtask::process::{output, printed};

use super::changed::words;
use super::rust::{cargo_flex, with_lock_file};
use crate::page::{Bar, Section};
use crate::program::{fresh_folder, in_environment, prepare};

/// Seconds of the real banks.
const SECONDS: f64 = 30.0;

/// Simulated suites.
const SUITES: usize = 200;

/// Seconds of the simulated banks, that of the guide in the middle, and trials of a test at most.
const BANKS: [f64; 3] = [60.0, GUIDE, 3600.0];
const GUIDE: f64 = 600.0;
const MOST: u32 = 459;

/// Seconds of runs, from 2 ms to 2 minutes.
const DURATIONS: (f64, f64) = (0.002, 120.0);

/// Draws a failure rate.
type Rate = fn(&mut ChaCha8Rng) -> f64;

/// The section of the part `bank`.
pub fn section() -> Result<Section, String> {
    let mut text = format!(
        "Real banks of {SECONDS} s: 20 tests that sleep from 2 ms to 3 s, of which no duration is known; the whole command is \
         timed, starting Python and measuring included. One test more sleeps for two minutes.\n\n\
         | runner | seconds | of the bank |\n|---|---|---|\n"
    );
    let mut bars = Vec::new();
    for (runner, took) in [("pytest", of_pytest()?), ("cargo", of_cargo()?)] {
        let share = took / SECONDS;
        let _ = writeln!(text, "| {runner} | {took:.1} | {share:.3} |");
        bars.push(Bar {
            what: format!("share of a time bank that is used, {runner}"),
            measured: format!("{share:.3}"),
            bar: "≤ 1.05".to_owned(),
            kept: share <= 1.05,
        });
    }
    let _ = write!(
        text,
        "\n{SUITES} simulated suites of 20 to 200 tests, durations from 2 ms to 2 minutes (even in their logarithm), of which \
         a tenth are flaky; {MOST} trials of a test at most. Expected numbers of flaky tests that are found, for two laws of \
         failure rates: the one that the allocation assumes, and another. An even split gives each test the same time, or the \
         same number of trials. By the law that is assumed no allocation finds more than the bank does, so that the ratio says \
         how much there is to gain.\n\n\
         | bank | rates | flaky | same time | same trials | the bank finds | beside same time | beside same trials |\n\
         |---|---|---|---|---|---|---|---|\n"
    );
    let laws: [(&str, Rate); 2] = [
        ("Beta(½, 3)", |rng| {
            let law = Beta::new(0.5, 3.0);
            law.map_or(f64::NAN, |law| law.sample(rng))
        }),
        ("0.1% to 50%, even in their logarithm", |rng| {
            even_in_logarithm(rng, (0.001, 0.5))
        }),
    ];
    for bank in BANKS {
        for (name, rate) in laws {
            let found = simulated(rate, bank);
            let Found {
                flaky,
                time,
                trials,
                ours,
            } = found;
            let (beside_time, beside_trials) = (ours / time, ours / trials);
            let shown = match trials < 0.05 {
                true => "–".to_owned(),
                false => format!("{beside_trials:.1}"),
            };
            let _ = writeln!(
                text,
                "| {bank} s | {name} | {flaky} | {time:.1} | {trials:.1} | {ours:.1} | {beside_time:.2} | {shown} |"
            );
            if bank == GUIDE {
                for (how, ratio) in [("time", beside_time), ("trials", beside_trials)] {
                    bars.push(Bar {
                        what: format!(
                            "flaky tests found beside an even split of {how}, rates {name}"
                        ),
                        measured: format!("{ratio:.2}"),
                        bar: "≥ 1.2".to_owned(),
                        kept: ratio >= 1.2,
                    });
                }
            }
        }
    }
    Ok(Section::with_bars(text + "\n", &bars))
}

fn even_in_logarithm(rng: &mut ChaCha8Rng, (low, high): (f64, f64)) -> f64 {
    low * (high / low).powf(rng.random::<f64>())
}

/// The number of flaky tests in all suites, and how many of them are found.
#[derive(Default)]
struct Found {
    flaky: usize,
    /// By the same time for each.
    time: f64,
    /// By the same number of trials of each.
    trials: f64,
    /// By the allocation of a bank.
    ours: f64,
}

fn simulated(rate: Rate, bank: f64) -> Found {
    let mut rng = ChaCha8Rng::seed_from_u64(16);
    let mut all = Found::default();
    for _ in 0..SUITES {
        let tests = rng.random_range(20..=200);
        let seconds: Vec<f64> = (0..tests)
            .map(|_| even_in_logarithm(&mut rng, DURATIONS))
            .collect();
        let each = bank / tests as f64;
        let same_time = |test: usize| ((each / seconds[test]) as u32).min(MOST);
        let same_trials = same_trials(&seconds, bank);
        let ours = allocate(&seconds, MOST, Some(bank));
        for test in 0..tests {
            if rng.random::<f64>() < 0.1 {
                let rate = rate(&mut rng);
                // A test fails and passes: both must be seen.
                let found = |trials: u32| {
                    let trials = f64::from(trials);
                    (1.0 - (1.0 - rate).powf(trials) - rate.powf(trials)).max(0.0)
                };
                all.flaky += 1;
                all.time += found(same_time(test));
                all.trials += found(same_trials[test]);
                all.ours += found(ours[test]);
            }
        }
    }
    all
}

/// All tests in turn, as often as the time allows; the last turn goes as far as it does.
fn same_trials(seconds: &[f64], bank: f64) -> Vec<u32> {
    let turns = ((bank / seconds.iter().sum::<f64>()) as u32).min(MOST);
    let mut left = bank - f64::from(turns) * seconds.iter().sum::<f64>();
    let mut is_over = turns == MOST;
    let last = |seconds: &f64| {
        is_over |= *seconds > left;
        left -= if is_over { 0.0 } else { *seconds };
        turns + u32::from(!is_over)
    };
    seconds.iter().map(last).collect()
}

/// How long each of the tests sleeps, in milliseconds.
fn sleeps() -> Vec<u64> {
    let steps = (0..20).map(|step| 2.0 * 1500_f64.powf(f64::from(step) / 19.0));
    steps
        .map(|sleep| sleep.round() as u64)
        .chain([120_000])
        .collect()
}

fn of_pytest() -> Result<f64, String> {
    let python = prepare()?;
    let folder = fresh_folder("gate/bank-python")?;
    // They draw, so that nobody takes them for fixed.
    let tests = sleeps().into_iter().map(|sleep| {
        format!("def test_{sleep}():\n    time.sleep({sleep} / 1000)\n    assert random.random() < 2\n\n")
    });
    let source = format!(
        "import random\nimport time\n\n{}",
        tests.collect::<String>()
    );
    std::fs::write(folder.join("test_sleep.py"), source).map_err(words)?;
    std::fs::write(folder.join("pytest.ini"), "[pytest]\n").map_err(words)?;
    let names = sleeps()
        .into_iter()
        .map(|sleep| format!("test_sleep.py::test_{sleep}"));
    timed(in_environment(&python, &folder).arg("check").args(names))
}

fn of_cargo() -> Result<f64, String> {
    let folder = fresh_folder("gate/bank-rust")?;
    let tests = sleeps().into_iter().map(|sleep| {
        format!(
            "#[test]\nfn sleeps_{sleep}() {{\n    std::thread::sleep(std::time::Duration::from_millis({sleep}));\n    \
             let _ = std::hash::RandomState::new();\n}}\n\n"
        )
    });
    flex_tests::history::git(&folder, &["init", "-q"]).map_err(words)?;
    std::fs::create_dir_all(folder.join("src")).map_err(words)?;
    let manifest =
        "[package]\nname = \"bank\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";
    std::fs::write(folder.join("Cargo.toml"), manifest).map_err(words)?;
    std::fs::write(folder.join("src/lib.rs"), tests.collect::<String>()).map_err(words)?;
    with_lock_file(&folder)?;
    let names: Vec<String> = sleeps()
        .into_iter()
        .map(|sleep| format!("sleeps_{sleep}"))
        .collect();
    timed(cargo_flex(&folder, &["check"]).args(names))
}

/// The seconds of a command with a time bank.
fn timed(command: &mut Command) -> Result<f64, String> {
    command.args(["--time-bank", &format!("{SECONDS}s")]);
    let began = Instant::now();
    let ended = output(command)?;
    match ended.status.code() {
        Some(0) => Ok(began.elapsed().as_secs_f64()),
        _ => Err(format!("{command:?} failed:\n{}", printed(&ended))),
    }
}
