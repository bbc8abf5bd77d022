//! Two releases of statrs, compared: 0.8.0 mends samples of `Uniform`, which 0.7.0 draws from [min, max + 1)
//! (as the changelog of its release 0.8.0 says).

use std::fmt::Write;
use std::path::Path;

use flex_tests::history::{commit, git};
use xtask::process::root;

use super::changed::words;
use super::rust::cargo_flex;
use crate::page::{Bar, Section};
use crate::program::{fresh_folder, json, list, text};
use crate::project::build_flex;

const LIB: &str = r#"
#[cfg(test)]
mod tests {
    use flex_harness::prelude::*;
    use rand::{SeedableRng, StdRng};
    use statrs::distribution::{Distribution, Exponential, Gamma, Normal, Uniform};

    fn mean_of(rng: &mut TestRng, law: &dyn Fn(&mut StdRng) -> f64) -> f64 {
        let mut rng: StdRng = SeedableRng::from_seed(&[rng.seed_u64() as usize][..]);
        (0..20).map(|_| law(&mut rng)).sum::<f64>() / 20.0
    }

    #[stochastic_test]
    fn uniform(rng: &mut TestRng) {
        let law = Uniform::new(0.0, 1.0).unwrap();
        let mean = mean_of(rng, &|rng| law.sample(rng));
        assert_tail_bound!(mean < _);
    }

    #[stochastic_test]
    fn normal(rng: &mut TestRng) {
        let law = Normal::new(0.0, 1.0).unwrap();
        let mean = mean_of(rng, &|rng| law.sample(rng));
        assert_tail_bound!(mean < _);
    }

    #[stochastic_test]
    fn exponential(rng: &mut TestRng) {
        let law = Exponential::new(2.0).unwrap();
        let mean = mean_of(rng, &|rng| law.sample(rng));
        assert_tail_bound!(mean < _);
    }

    #[stochastic_test]
    fn gamma(rng: &mut TestRng) {
        let law = Gamma::new(3.0, 1.0).unwrap();
        let mean = mean_of(rng, &|rng| law.sample(rng));
        assert_tail_bound!(mean < _);
    }
}
"#;

/// The releases.
const VERSIONS: [&str; 2] = ["0.7.0", "0.8.0"];

/// The test that is to see the change.
const CHANGED: &str = "tests::uniform";

fn release(folder: &Path, version: &str) -> Result<(), String> {
    let flex = root().display();
    let manifest = format!(
        "[package]\nname = \"library\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n[dependencies]\n\
         rand = \"0.3\"\nstatrs = \"={version}\"\n\n[dev-dependencies]\nflex-harness = {{ path = \"{flex}/flex-harness\" }}\n"
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).map_err(words)?;
    commit(folder, version).map_err(words)
}

/// The section of the part `library`.
pub fn section() -> Result<Section, String> {
    build_flex()?;
    let folder = fresh_folder("gate/library")?;
    git(&folder, &["init", "-q", "-b", "main"]).map_err(words)?;
    std::fs::write(folder.join(".gitignore"), "Cargo.lock\n").map_err(words)?;
    std::fs::create_dir_all(folder.join("src")).map_err(words)?;
    std::fs::write(folder.join("src/lib.rs"), LIB).map_err(words)?;
    for version in VERSIONS {
        release(&folder, version)?;
    }
    let args = ["compare", "--base", "HEAD~1", "--seed", "library", "--json"];
    let compared = json(&mut cargo_flex(&folder, &args))?;
    let [old, new] = VERSIONS;
    let mut page = format!(
        "statrs {old} and {new}: means of 20 draws, asserted to be small. The change log of {new} says that samples of \
         `Uniform` were drawn from [min, max + 1) before, and that nothing else of the four is drawn otherwise.\n\n\
         | test | verdict | pairs | old mean | new mean |\n|---|---|---|---|---|\n"
    );
    let (mut found, mut identical, mut others) = (None, 0, Vec::new());
    for test in list(&compared["tests"]) {
        let name = text(&test["name"]);
        for series in list(&test["series"]) {
            let (verdict, pairs) = (text(&series["verdict"]), series["decided_by"].as_u64());
            let mean = |version: &str| series[version]["mean"].as_f64().unwrap_or(f64::NAN);
            let _ = writeln!(
                page,
                "| {name} | {verdict} | {} | {:.4} | {:.4} |",
                pairs.unwrap_or_default(),
                mean("old"),
                mean("new")
            );
            match (name.as_str(), verdict.as_str()) {
                (CHANGED, _) => found = Some(verdict),
                (_, "identical") if test["pairs"] == 3 => identical += 1,
                _ => others.push(name.clone()),
            }
        }
    }
    page.push('\n');
    let bars = [
        Bar {
            what: "the samples of `Uniform`".to_owned(),
            measured: found.clone().unwrap_or_else(|| "nothing".to_owned()),
            bar: "better".to_owned(),
            kept: found.as_deref() == Some("better"),
        },
        Bar {
            what: "others that are identical in 3 pairs".to_owned(),
            measured: format!("{identical} of {}", identical + others.len()),
            bar: "3 of 3".to_owned(),
            kept: identical == 3 && others.is_empty(),
        },
    ];
    Ok(Section::with_bars(page, &bars))
}
