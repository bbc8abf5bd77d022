//! The time to build a crate that uses flex, beside one that uses proptest.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

use xtask::process::{capture, succeed, target};

use super::process_cost::ProcessCost;
use crate::page::Section;
use crate::project::{self, Project};
use crate::statistics::median;

/// Builds of each crate.
const REPEATS: usize = 3;

/// What flex may cost at most, as a share of proptest's processor time.
const BAR: f64 = 0.9;

/// The section of the part `build-time`.
pub fn section() -> Result<Section, String> {
    let built = measure()?;
    let mut text = format!(
        "## Building

A crate with one test and one dev-dependency; `cargo test --no-run` in an empty target folder, sources already downloaded,
median of three, in turn; not incremental, as crates of a registry are built. Bar: flex takes at most {BAR} of proptest's
processor time.

| dev-dependency | seconds | processor seconds | crates |
|---|---|---|---|
"
    );
    for b in &built {
        let _ = writeln!(
            text,
            "| {} | {:.1} | {:.1} | {} |",
            b.what, b.wall, b.cpu, b.crates
        );
    }
    let [flex, proptest] = built;
    let ratio = flex.cpu / proptest.cpu;
    let _ = writeln!(text, "\nRatio of the processor times: {ratio:.2}.");
    let missed = (ratio > BAR).then(|| {
        format!(
            "building: {:.1} processor seconds, proptest {:.1}",
            flex.cpu, proptest.cpu
        )
    });
    Ok(Section {
        text,
        missed: missed.into_iter().collect(),
        ..Section::default()
    })
}

/// A build from clean: medians, in seconds.
struct BuildTime {
    what: &'static str,
    wall: f64,
    /// Of all processes together, where the system tells.
    cpu: f64,
    crates: usize,
}

/// The manifest and the source of a crate that uses flex.
const FLEX: (&str, &str) = (
    project::WITH_FLEX,
    "#[cfg(test)]
mod tests {
    use flex_harness::prelude::*;

    #[stochastic_test]
    fn small(rng: &mut TestRng) {
        let x = rng.seed_u64() as f64;
        assert_tail_bound!(x < _);
    }
}
",
);

/// The manifest and the source of a crate that uses proptest.
const PROPTEST: (&str, &str) = (
    "[dev-dependencies]\nproptest = \"1\"\n",
    "#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn small(x in 0u64..100) {
            prop_assert!(x < 100);
        }
    }
}
",
);

/// Builds both crates, in turn.
fn measure() -> Result<[BuildTime; 2], String> {
    let crates = [
        ("flex-harness", "build-flex", FLEX),
        ("proptest", "build-proptest", PROPTEST),
    ];
    let mut projects = Vec::new();
    for (what, folder, (manifest, source)) in crates {
        let project = Project::new(folder, manifest, &[("src/lib.rs", source)])?;
        // What is not on this computer yet is fetched before the clock starts.
        succeed(
            project
                .cargo(&["fetch", "--quiet"])
                .env_remove("CARGO_NET_OFFLINE"),
        )?;
        projects.push((what, project, Vec::new(), Vec::new()));
    }
    let folder = target().join("harness/from-clean");
    for _ in 0..REPEATS {
        for (_, project, walls, cpus) in &mut projects {
            let _ = fs::remove_dir_all(&folder);
            let mut command = project.cargo(&["test", "--no-run", "--quiet"]);
            // Crates of a registry are never built incrementally, but those of a path are, unless told otherwise.
            command.env("CARGO_TARGET_DIR", &folder);
            command.env("CARGO_INCREMENTAL", "0");
            let cost = ProcessCost::of(|| succeed(&mut command))?;
            walls.push(cost.wall);
            cpus.push(cost.cpu);
        }
    }
    let _ = fs::remove_dir_all(&folder);
    let mut built = Vec::new();
    for (what, project, walls, cpus) in projects {
        built.push(BuildTime {
            what,
            wall: median(&walls),
            cpu: median(&cpus),
            crates: dependencies(&project)?,
        });
    }
    built.try_into().map_err(|_| "two builds".to_owned())
}

/// Counts the crates that are built for a crate, besides itself.
fn dependencies(project: &Project) -> Result<usize, String> {
    let mut tree = project.cargo(&[
        "tree",
        "--prefix=none",
        "--no-dedupe",
        "--edges=normal,build,dev",
    ]);
    let tree = capture(&mut tree, "")?;
    let crates: BTreeSet<&str> = tree
        .lines()
        .map(|line| line.split(" (").next().unwrap_or(line))
        .collect();
    Ok(crates.len() - 1)
}
