//! Recalibration, for real: a crate of fifty stochastic tests is calibrated again and again, and nothing changes.

use std::fmt::Write;

use crate::project::{Build, Project, output, words};

pub const TESTS: usize = 50;
pub const TIMES: usize = 20;

const MANIFEST: &str = r#"
[dev-dependencies]
flex-harness = { path = "{flex}/flex-harness" }
"#;

const HEAD: &str = r#"
use flex_harness::prelude::*;

fn uniform(rng: &mut TestRng) -> f64 {
    ((rng.seed_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

fn normal(rng: &mut TestRng) -> f64 {
    (0..12).map(|_| uniform(rng)).sum::<f64>() - 6.0
}

fn heads(rng: &mut TestRng, coins: u32) -> u32 {
    (rng.seed_u64() & ((1 << coins) - 1)).count_ones()
}
"#;

/// What a kind of test is called, and its body. Each is there five times, under five names.
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

/// What was seen.
pub struct Recalibration {
    pub sites: usize,
    pub bytes: usize,
    /// Recalibrations after which the file was another.
    pub changed: Vec<String>,
    /// Recalibrations that found something for a review.
    pub pending: usize,
}

pub fn measure() -> Result<Recalibration, String> {
    let mut source = HEAD.to_owned();
    for copy in 0..TESTS / KINDS.len() {
        for (name, body) in KINDS {
            let _ = writeln!(
                source,
                "\n#[stochastic_test]\nfn {name}_{copy}(rng: &mut TestRng) {{ {body} }}"
            );
        }
    }
    let files = [("src/lib.rs", ""), ("tests/fifty.rs", source.as_str())];
    let project = Project::new("recalibration", MANIFEST, &files)?;
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

/// Calibrates all tests under a seed; whether nothing is left for a review.
fn calibrate(project: &Project, seed: &str) -> Result<bool, String> {
    let output = output(&mut project.calibrate(Build::Release, &["--seed", seed]))?;
    match output.status.code() {
        Some(0) => Ok(true),
        Some(1) => Ok(false),
        _ => Err(format!(
            "calibration under the seed `{seed}`:\n{}",
            words(&output)
        )),
    }
}
