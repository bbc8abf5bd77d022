//! Real tests without a flaw, in which `detect` must find nothing.

use serde_json::Value;
use xtask::python::Python;

use crate::page::{Bar, Section};
use crate::program::{fresh_folder, in_environment, json, list, prepare, text};

/// The tests.
const TESTS: &str = include_str!("sound.py");

/// The section of the part `sound`.
pub fn section() -> Result<Section, String> {
    let sound = measure(&prepare()?)?;
    let text = format!(
        "## Real tests without a flaw

200 deterministic tests and 50 that are random and sound, in pytest (`evidence/src/detect/sound.py`), searched under two
seeds: {} runs of {} tests.

",
        sound.runs, sound.tests
    );
    let bars = [Bar {
        what: "sound tests of which anything is told".to_owned(),
        measured: match sound.told.is_empty() {
            true => format!("0 of {}", sound.tests),
            false => sound.told.join("; "),
        },
        bar: "0".to_owned(),
        kept: sound.told.is_empty() && sound.tests == 500,
    }];
    Ok(Section::with_bars(text, &bars))
}

/// The answers about sound tests.
struct SoundTests {
    tests: usize,
    runs: u64,
    /// Those of which something was said.
    told: Vec<String>,
}

/// Searches them, under several seeds.
fn measure(python: &Python) -> Result<SoundTests, String> {
    let folder = fresh_folder("detect/sound")?;
    std::fs::write(folder.join("test_sound.py"), TESTS).map_err(|error| error.to_string())?;
    let mut sound = SoundTests {
        tests: 0,
        runs: 0,
        told: Vec::new(),
    };
    for seed in ["a", "b"] {
        let mut command = in_environment(python, &folder);
        let found = json(command.args(["detect", "--pytest", ".", "--json", "--seed", seed]))?;
        for test in list(&found["tests"]) {
            sound.tests += 1;
            sound.runs += test["runs"].as_u64().unwrap_or(0);
            let is_fine =
                |verdict: &Value| ["constant", "steady"].contains(&text(verdict).as_str());
            if !is_fine(&test["verdict"]) {
                let (name, verdict) = (text(&test["name"]), text(&test["verdict"]));
                sound
                    .told
                    .push(format!("{name}: {verdict} under seed {seed}"));
            }
        }
    }
    Ok(sound)
}
