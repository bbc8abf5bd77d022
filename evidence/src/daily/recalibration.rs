//! Recalibration, for real: a crate of a hundred stochastic tests is calibrated again and again, and nothing changes.

use std::fmt::Write;
use std::time::{Duration, Instant};

use xtask::process::{output, printed};

use crate::page::{Bar, Section};
use crate::project::{Build, Project, VALUES, WITH_FLEX, build_flex};

/// Tests in the crate.
const TESTS: usize = 100;
/// Recalibrations, and those of them that make all runs.
const TIMES: usize = 20;
const FULL_TIMES: usize = 5;
/// What a recalibration may take of a calibration.
const PART: f64 = 0.05;

/// A further kind of values, and work that takes a few milliseconds, as small tests do.
const HEADS: &str = "
fn work() {
    let until = std::time::Instant::now() + std::time::Duration::from_millis(4);
    while std::time::Instant::now() < until {}
}

fn heads(rng: &mut TestRng, coins: u32) -> u32 {
    (rng.seed_u64() & ((1 << coins) - 1)).count_ones()
}
";

/// The kinds of tests: a name and a body. Each is there ten times, under ten names.
const KINDS: [(&str, &str); 10] = [
    ("normal", "let x = normal(rng); assert_tail_bound!(x < _);"),
    (
        "two_sided",
        "let bias = normal(rng); assert_tail_bound!(_ < bias < _);",
    ),
    (
        "three_sites",
        "let (x, y) = (normal(rng), -uniform(rng).ln()); assert_tail_bound!(x > _); assert_tail_bound!(y < _); \
         assert_tail_bound!(x + y < _);",
    ),
    (
        "cases",
        "for n in [1, 4, 16] { let mean = (0..n).map(|_| normal(rng)).sum::<f64>() / f64::from(n); \
         assert_tail_bound!(mean.abs() < _, case = n); }",
    ),
    (
        "heavy",
        "let x = (2.0 * normal(rng)).exp(); assert_tail_bound!(x < _);",
    ),
    (
        "power_law",
        "let x = uniform(rng).powf(-0.25); assert_tail_bound!(x < _);",
    ),
    (
        "lattice",
        "let x = heads(rng, 16); assert_tail_bound!(x < _);",
    ),
    (
        "accuracy",
        "let right = (0..200).filter(|_| uniform(rng) < 0.9).count() as f64 / 200.0; \
         assert_tail_bound!(right > _, domain = 0.0..=1.0);",
    ),
    (
        "rarely_reached",
        "let x = uniform(rng); if x < 0.4 { assert_tail_bound!(x > _); } assert_tail_bound!(x < _, name = \"always\");",
    ),
    (
        "close",
        "let got = [normal(rng), uniform(rng)]; assert_close!(got, [0.0, 0.5], abs = _);",
    ),
];

/// The section of the part `recalibration`.
pub fn section() -> Result<Section, String> {
    let seen = measure()?;
    let unchanged = TIMES - seen.changed;
    let part = seen.again.as_secs_f64() / TIMES as f64 / seen.first.as_secs_f64();
    let bars = [
        Bar {
            what: "recalibrations that left the file as it was, byte for byte".to_owned(),
            measured: format!("{unchanged} of {TIMES}"),
            bar: format!("{TIMES}"),
            kept: unchanged == TIMES,
        },
        Bar {
            what: "what one takes of the first calibration, everything included".to_owned(),
            measured: format!("{:.1}%", 100.0 * part),
            bar: format!("at most {:.0}%", 100.0 * PART),
            kept: part <= PART,
        },
        Bar {
            what: "recalibrations that left something for a review, `--full` among them".to_owned(),
            measured: seen.pending.to_string(),
            bar: "0".to_owned(),
            kept: seen.pending == 0,
        },
    ];
    let text = format!(
        "## Unchanged code, calibrated again

A real crate of {TESTS} stochastic tests with {sites} sites: one, two and three sites a test, both tails, cases, heavy
tails, counts, accuracies, tolerances, and a site that four runs in ten reach; a run takes 4 ms. `cargo flex calibrate`
wrote its bounds file ({} bytes) in {:.1} s, and then ran {TIMES} times more, each time under another seed, in {:.1} s
on average: three replayed runs of each test show that nothing changed. {FULL_TIMES} more made all runs (`--full`), and
kept {:.1}% of the entries; the others were learned anew, because the fresh runs alone leave some doubt whether they fit.

",
        seen.bytes,
        seen.first.as_secs_f64(),
        seen.again.as_secs_f64() / TIMES as f64,
        100.0 * seen.kept as f64 / (seen.sites * FULL_TIMES) as f64,
        sites = seen.sites,
    );
    Ok(Section::with_bars(text, &bars))
}

/// The bounds file, and what recalibrations did to it.
struct Recalibration {
    sites: usize,
    bytes: usize,
    /// The time of the first calibration, and of all that replay.
    first: Duration,
    again: Duration,
    /// Recalibrations after which the file was another.
    changed: usize,
    /// Entries that those which make all runs kept.
    kept: usize,
    /// Recalibrations that found something for a review.
    pending: usize,
}

fn measure() -> Result<Recalibration, String> {
    build_flex()?;
    let mut source = format!("{VALUES}{HEADS}");
    for copy in 0..TESTS / KINDS.len() {
        for (name, body) in KINDS {
            let _ = writeln!(
                source,
                "\n#[stochastic_test]\nfn {name}_{copy}(rng: &mut TestRng) {{ work(); {body} }}"
            );
        }
    }
    let files = [("src/lib.rs", ""), ("tests/hundred.rs", source.as_str())];
    let project = Project::new("recalibration", WITH_FLEX, &files)?;
    // Building is not what is measured.
    project.build(Build::Release)?;
    let begun = Instant::now();
    calibrate(&project, &["--seed", "first"])?;
    let took = begun.elapsed();
    let first = project.read("flex-bounds.toml")?;
    let mut seen = Recalibration {
        sites: first.matches("[[bound]]").count(),
        bytes: first.len(),
        first: took,
        again: Duration::ZERO,
        changed: 0,
        kept: 0,
        pending: 0,
    };
    for time in 1..=TIMES {
        let begun = Instant::now();
        let is_done = calibrate(&project, &["--seed", &format!("again {time}")])?;
        seen.again += begun.elapsed();
        seen.pending += usize::from(!is_done);
        seen.changed += usize::from(project.read("flex-bounds.toml")? != first);
        project.write("flex-bounds.toml", &first)?;
    }
    for time in 1..=FULL_TIMES {
        let is_done = calibrate(&project, &["--full", "--seed", &format!("full {time}")])?;
        seen.pending += usize::from(!is_done);
        seen.kept += kept(&first, &project.read("flex-bounds.toml")?);
        project.write("flex-bounds.toml", &first)?;
    }
    Ok(seen)
}

/// How many entries of a bounds file have the same race as before, hence the same numbers.
fn kept(before: &str, after: &str) -> usize {
    let numbers = |entry: &str| -> Vec<String> {
        let of_bound = |line: &&str| {
            let keys = ["ceiling", "guard", "race", "lower", "upper", "quantiles"];
            keys.iter().any(|key| line.starts_with(key))
        };
        entry.lines().filter(of_bound).map(str::to_owned).collect()
    };
    let entries =
        |text: &str| -> Vec<Vec<String>> { text.split("[[bound]]").skip(1).map(numbers).collect() };
    let (before, after) = (entries(before), entries(after));
    before.iter().zip(&after).filter(|(a, b)| a == b).count()
}

/// Calibrates all tests; returns whether nothing is left for a review.
fn calibrate(project: &Project, options: &[&str]) -> Result<bool, String> {
    let output = output(&mut project.calibrate(Build::Release, options))?;
    match output.status.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => Err(format!(
            "calibration with {options:?}:\n{}",
            printed(&output)
        )),
    }
}
