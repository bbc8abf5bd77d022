//! What adding flex costs in building, beside what adding proptest costs.

use std::fs;
use std::time::Instant;

use super::{children_seconds, median};
use crate::process::target;
use crate::project::{Project, succeed};

const REPEATS: usize = 3;

/// Seconds of a build from clean, medians.
pub struct BuildTime {
    pub what: &'static str,
    pub wall: f64,
    /// Of all processes together, where the system tells.
    pub cpu: f64,
    pub crates: usize,
}

const FLEX: (&str, &str) = (
    "[dev-dependencies]\nflex-harness = { path = \"{flex}/flex-harness\" }\n",
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

pub fn measure() -> Result<[BuildTime; 2], String> {
    let kinds = [
        ("flex-harness", "build-flex", FLEX),
        ("proptest", "build-proptest", PROPTEST),
    ];
    let mut projects = Vec::new();
    for (what, folder, (manifest, source)) in kinds {
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
            let (started, cpu) = (Instant::now(), children_seconds());
            succeed(&mut command)?;
            walls.push(started.elapsed().as_secs_f64());
            cpus.push(children_seconds() - cpu);
        }
    }
    let _ = fs::remove_dir_all(&folder);
    let mut built = Vec::new();
    for (what, project, walls, cpus) in projects {
        let mut tree = project.cargo(&[
            "tree",
            "--prefix=none",
            "--no-dedupe",
            "--edges=normal,build,dev",
        ]);
        let tree = crate::process::capture(&mut tree, "")?;
        let crates: std::collections::BTreeSet<&str> = tree
            .lines()
            .map(|line| line.split(" (").next().unwrap_or(line))
            .collect();
        built.push(BuildTime {
            what,
            wall: median(walls),
            cpu: median(cpus),
            crates: crates.len() - 1,
        });
    }
    built.try_into().map_err(|_| "two builds".to_owned())
}
