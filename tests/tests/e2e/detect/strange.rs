//! Plain tests of crates that know nothing of flex: their assertions are seen, and which of them cannot vary, while no seed
//! decides what they draw.

use std::collections::BTreeMap;

use flex_tests::Said;
use flex_tests::project::Project;
use serde_json::Value;

use super::{assertions, detect};

/// A crate that knows nothing of flex. What it draws, no seed decides.
const STRANGE: &str = r#"
use std::hash::{BuildHasher, RandomState};

pub fn drawn() -> f64 {
    RandomState::new().hash_one(1) as f64 / 2f64.powi(64)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::LazyLock;
    use std::time::Instant;

    use rand::RngExt;

    use super::*;

    #[test]
    fn below() {
        assert!(drawn() >= 0.0);
        assert!(drawn() < 0.5, "far");
    }

    #[test]
    fn equal() {
        assert_eq!(1 + 1, 2);
        let half = 0.5;
        assert!(half < 1.0);
    }

    #[test]
    #[should_panic]
    fn too_much() {
        assert!([1, 2].len() < 2);
    }

    #[test]
    fn ordered() {
        let map: HashMap<u8, u8> = (0..8).map(|key| (key, key)).collect();
        assert!(map.keys().next().is_some());
    }

    #[test]
    fn timed() {
        assert!(Instant::now().elapsed().as_secs_f64() < 3600.0);
    }

    #[test]
    fn generated() {
        assert!(rand::rng().random::<f64>() < 2.0);
    }

    #[test]
    fn drawn_once() {
        static SEED: LazyLock<f64> = LazyLock::new(drawn);
        assert!(*SEED < 2.0);
    }
}
"#;

const STRANGE_MANIFEST: &str = "[package]\nname = \"strange\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dev-dependencies]\nrand = \"0.10\"\n";

/// The line of the library that holds this text.
fn line_of(text: &str) -> Option<u64> {
    let at = STRANGE.lines().position(|line| line.contains(text))?;
    u64::try_from(at + 1).ok()
}

// That forty runs all pass, or all fail, has a probability below 1e-11.
#[test]
#[cfg(unix)]
fn assertions_are_seen_in_crates_that_know_nothing_of_flex() {
    let project = Project::new(
        "seen-in-strange-crates",
        "",
        &[
            ("src/lib.rs", "use flex_harness as _;\n"),
            ("strange/Cargo.toml", STRANGE_MANIFEST),
            ("strange/src/lib.rs", STRANGE),
        ],
    );
    let said = detect(&project, &["-p", "strange", "--max-runs", "40", "--json"]);
    said.says(1, &[]);
    let found = assertions(&said);
    let below = &found["lib tests::below"];
    let shown: Vec<_> = below
        .iter()
        .map(|a| {
            (
                a["verdict"].as_str(),
                a["line"].as_u64(),
                a["bound"].as_f64(),
            )
        })
        .collect();
    let far = line_of("drawn() < 0.5");
    assert_eq!(
        shown,
        [
            (Some("steady"), line_of("drawn() >= 0.0"), Some(0.0)),
            (Some("flaky"), far, Some(0.5))
        ],
        "{said}"
    );
    assert_eq!(below[1]["file"].as_str(), Some("strange/src/lib.rs"));
    // No seed decides what it draws, whatever it is linked with now.
    assert!(below[1]["replay"].is_null(), "{said}");
    assert_eq!(project.read("strange/src/lib.rs"), STRANGE);
    let menu = project.cargo(&["flex", "fix", "--record", "detect.json"], &[]);
    let all = menu.to_string();
    let expected = format!("strange/src/lib.rs:{}: drawn()<0.5", far.unwrap());
    assert!(all.contains(&expected), "{all}");
    if cfg!(target_os = "linux") {
        check_probes(&project, &said);
    }
}

/// What touches nothing is run twice, and nothing else is; what a seed would decide elsewhere is left to chance here.
fn check_probes(project: &Project, said: &Said) {
    said.says(
        1,
        &["7 tests searched; 2 tests shown to be fixed, 76 runs saved"],
    );
    let record: Value =
        serde_json::from_str(&project.read("detect.json")).expect("the record is JSON");
    let found: BTreeMap<&str, (usize, &Value)> = record["tests"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|test| {
            let name = test["name"].as_str().unwrap_or_default();
            let runs = test["runs"].as_array().map_or(0, Vec::len);
            (name, (runs, &test["probe"]))
        })
        .collect();
    for (name, cause) in [
        ("tests::equal", None),
        ("tests::too_much", None),
        ("tests::below", Some("randomness")),
        ("tests::ordered", Some("randomness")),
        ("tests::generated", Some("randomness")),
        ("tests::drawn_once", Some("randomness")),
        ("tests::timed", Some("time")),
    ] {
        let (runs, probe) = found[name];
        let touches = probe.as_array().map_or(&[][..], Vec::as_slice);
        let causes = touches.iter().filter_map(|touch| touch["cause"].as_str());
        assert!(probe.is_array() && causes.eq(cause), "{name}: {probe}");
        let is_seeded = touches.iter().any(|touch| touch["seeded"] == true);
        assert!(!is_seeded, "{name}: {probe}");
        assert_eq!(runs == 2, cause.is_none(), "{name}: {runs} runs");
    }
}
