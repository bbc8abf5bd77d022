//! Real tests without a flaw, in which `detect` must find nothing.

use serde_json::Value;

use super::corpus::{fresh_folder, in_environment, json, list, text};
use crate::python::Python;

const TESTS: &str = include_str!("sound.py");

/// What was said of sound tests.
pub struct Sound {
    pub tests: usize,
    pub runs: u64,
    /// Those of which something was said.
    pub told: Vec<String>,
}

/// Searches them, under several seeds.
pub fn measure(python: &Python) -> Result<Sound, String> {
    let folder = fresh_folder("sound")?;
    std::fs::write(folder.join("test_sound.py"), TESTS).map_err(|error| error.to_string())?;
    let mut sound = Sound {
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
