//! The crate whose tests are calibrated, enforced, broken and replayed.

use crate::project::Project;

/// Where tests live, with the target that holds them there.
pub const HOMES: [(&str, &str); 3] = [
    ("unit test in `src`", "end_to_end"),
    ("`tests/*.rs`", "enforced"),
    ("`harness = false`", "custom"),
];

/// Makes the crate.
pub fn project() -> Result<Project, String> {
    let unit = TESTS.replace('\n', "\n    ");
    let outside = format!("use end_to_end::{{drifting, steady}};\n{TESTS}");
    Project::new(
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
    )
}

/// Moves the values of the library by two standard deviations.
pub fn break_code(project: &Project) -> Result<(), String> {
    project.replace("src/lib.rs", "SHIFT: f64 = 0.0", "SHIFT: f64 = 2.0")
}

/// The rest of its manifest.
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

/// The tests, wherever they live.
const TESTS: &str = r#"
use flex_harness::prelude::*;

#[stochastic_test(confidence = 0.9999)]
fn upper(rng: &mut TestRng) {
    let x = drifting(|| rng.seed_u64());
    assert_tail_bound!(x < _);
}

#[stochastic_test(confidence = 0.9999, replay = doubt)]
fn in_doubt(rng: &mut TestRng) {
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
