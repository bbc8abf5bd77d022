//! Recalibration, for real: a crate of fifty stochastic tests is calibrated again and again, and nothing changes.

use std::fmt::Write;

use xtask::process::{output, printed};

use crate::page::{Bar, Section};
use crate::project::{Build, Project, VALUES, WITH_FLEX, build_flex};

/// Tests in the crate.
const TESTS: usize = 50;
/// Recalibrations.
const TIMES: usize = 20;

/// A further kind of values.
const HEADS: &str = "
fn heads(rng: &mut TestRng, coins: u32) -> u32 {
    (rng.seed_u64() & ((1 << coins) - 1)).count_ones()
}
";

/// The kinds of tests: a name and a body. Each is there five times, under five names.
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
    let unchanged = TIMES - seen.changed.len();
    let bars = [
        Bar {
            what: "recalibrations that left the file as it was, byte for byte".to_owned(),
            measured: format!("{unchanged} of {TIMES}"),
            bar: format!("{TIMES}"),
            kept: unchanged == TIMES,
        },
        Bar {
            what: "recalibrations that left something for a review".to_owned(),
            measured: seen.pending.to_string(),
            bar: "0".to_owned(),
            kept: seen.pending == 0,
        },
    ];
    let text = format!(
        "## Unchanged code, calibrated again

A real crate of {TESTS} stochastic tests with {} sites: one, two and three sites a test, both tails, cases, heavy tails,
counts, accuracies, tolerances, and a site that four runs in ten reach. `cargo flex calibrate` wrote its bounds file ({}
bytes), and then ran {TIMES} times more, each time under another seed.

",
        seen.sites, seen.bytes
    );
    Ok(Section::with_bars(text, &bars))
}

/// The bounds file, and what recalibrations did to it.
struct Recalibration {
    sites: usize,
    bytes: usize,
    /// Recalibrations after which the file was another.
    changed: Vec<String>,
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
                "\n#[stochastic_test]\nfn {name}_{copy}(rng: &mut TestRng) {{ {body} }}"
            );
        }
    }
    let files = [("src/lib.rs", ""), ("tests/fifty.rs", source.as_str())];
    let project = Project::new("recalibration", WITH_FLEX, &files)?;
    calibrate(&project, "first")?;
    let first = project.read("flex-bounds.toml")?;
    let mut seen = Recalibration {
        sites: first.matches("[[bound]]").count(),
        bytes: first.len(),
        changed: Vec::new(),
        pending: 0,
    };
    for time in 1..=TIMES {
        let seed = format!("again {time}");
        seen.pending += usize::from(!calibrate(&project, &seed)?);
        let text = project.read("flex-bounds.toml")?;
        if text != first {
            seen.changed.push(seed);
            project.write("flex-bounds.toml", &first)?;
        }
    }
    Ok(seen)
}

/// Calibrates all tests under a seed; returns whether nothing is left for a review.
fn calibrate(project: &Project, seed: &str) -> Result<bool, String> {
    let output = output(&mut project.calibrate(Build::Release, &["--seed", seed]))?;
    match output.status.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => Err(format!(
            "calibration under the seed `{seed}`:\n{}",
            printed(&output)
        )),
    }
}
