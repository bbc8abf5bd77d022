//! Seeds: 256 bits that decide every random choice of a run (docs/design/seeds.md, "Derivation").
//!
//! The derivation is fixed for good, so that a replay line keeps its meaning across versions:
//!
//! ```text
//! field(text) = length of text in bytes as 8 bytes, little endian ‖ text
//! key         = SHA-256("flex seed 1" ‖ field(base) ‖ field(phase) ‖ field(target) ‖ field(test))
//! seed(i)     = SHA-256(key ‖ i as 8 bytes, little endian)
//! ```
//!
//! Lengths keep fields apart, so that no two tests share a seed. One hash block makes the seed of a run.

mod sha256;

use std::fmt;
use std::str::FromStr;

use crate::visible::visible;

pub use sha256::sha256;

/// What runs are made for. Each phase has seeds of its own, so that a bound is never enforced on the runs it was
/// learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// An ordinary test run, with its confirmation runs.
    Enforce,
    /// Learning bounds.
    Calibrate,
    /// Looking for flaky assertions.
    Detect,
    /// Comparing a fresh calibration with the bounds file.
    Check,
}

impl Phase {
    const ALL: [Phase; 4] = [
        Phase::Enforce,
        Phase::Calibrate,
        Phase::Detect,
        Phase::Check,
    ];

    /// The word used in seeds and in replay lines.
    pub fn as_str(self) -> &'static str {
        match self {
            Phase::Enforce => "enforce",
            Phase::Calibrate => "calibrate",
            Phase::Detect => "detect",
            Phase::Check => "check",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The seeds of one test in one phase, by run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seeds {
    key: [u8; 32],
}

impl Seeds {
    /// The seeds of `test` in `target`, from the base that `FLEX_SEED` sets. Tests without a target pass "".
    pub fn new(base: &str, phase: Phase, target: &str, test: &str) -> Self {
        let mut message = b"flex seed 1".to_vec();
        for field in [base, phase.as_str(), target, test] {
            message.extend((field.len() as u64).to_le_bytes());
            message.extend(field.as_bytes());
        }
        Seeds {
            key: sha256(&message),
        }
    }

    /// The seed of run `i`.
    pub fn run(&self, i: u64) -> [u8; 32] {
        let mut message = [0; 40];
        message[..32].copy_from_slice(&self.key);
        message[32..].copy_from_slice(&i.to_le_bytes());
        sha256(&message)
    }
}

/// What `FLEX_SEED` asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeedRequest {
    /// The base, any text without `@`.
    pub base: String,
    /// Replay exactly this run instead of a whole verdict.
    pub run: Option<(Phase, u64)>,
}

impl FromStr for SeedRequest {
    type Err = String;

    /// Reads `TEXT` or `TEXT@PHASE:RUN`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |why: String| {
            Err(format!(
                "`{}` is not a seed: {why}; write any text without `@`, or `TEXT@calibrate:57` to replay run 57",
                visible(text)
            ))
        };
        let Some((base, run)) = text.split_once('@') else {
            return if text.is_empty() {
                wrong("it is empty".to_owned())
            } else {
                Ok(SeedRequest {
                    base: text.to_owned(),
                    run: None,
                })
            };
        };
        let Some((phase, index)) = run.split_once(':') else {
            return wrong(format!("`{}` names no run", visible(run)));
        };
        let Some(phase) = Phase::ALL.into_iter().find(|p| p.as_str() == phase) else {
            return wrong(format!("`{}` is not a phase", visible(phase)));
        };
        match index.parse() {
            Ok(index) if !base.is_empty() => Ok(SeedRequest {
                base: base.to_owned(),
                run: Some((phase, index)),
            }),
            Ok(_) => wrong("the text before `@` is empty".to_owned()),
            Err(_) => wrong(format!("`{index}` is not the number of a run")),
        }
    }
}

impl fmt::Display for SeedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.base)?;
        match self.run {
            Some((phase, run)) => write!(f, "@{phase}:{run}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PINNED: [(&str, Phase, &str, &str, u64, &str); 5] = [
        (
            "k3J9",
            Phase::Enforce,
            "test:sketch",
            "sketch_error_is_small",
            0,
            "7d738fa14a28e5bfd5fd109c92cdff2b79419d36ab0f29b55a43875ff5db56ea",
        ),
        (
            "k3J9",
            Phase::Enforce,
            "test:sketch",
            "sketch_error_is_small",
            1,
            "044bad66ca359fd896ad20b6184b657c1e06588d40117cef415d4df64b4dd8e9",
        ),
        (
            "k3J9",
            Phase::Calibrate,
            "test:sketch",
            "sketch_error_is_small",
            57,
            "0339e9ada937e319e20a446ef1160157491dc13397a6ba2f31a55d90c822fc35",
        ),
        (
            "",
            Phase::Detect,
            "",
            "tests/test_a.py::test_b[é]",
            1099511627776,
            "334c2cdf8ecd6cb14bb8007ae31f4abfad8c4765044cb13ce98f1949f9b184c4",
        ),
        (
            "9f2c4e1a",
            Phase::Check,
            "lib",
            "tests::größe",
            12,
            "80c18d0a76beaa9aed1e672e8cfdbfca2d87c83dfe66bfe51e159bc99399b025",
        ),
    ];

    /// These seeds are promised for good. They were computed from the documented derivation with Python's hashlib.
    #[test]
    fn seeds_never_change() {
        let hex = |seed: [u8; 32]| seed.map(|byte| format!("{byte:02x}")).concat();
        for (base, phase, target, test, run, expected) in PINNED {
            let seed = Seeds::new(base, phase, target, test).run(run);
            assert_eq!(hex(seed), expected, "{base} {phase} {target} {test} {run}");
        }
    }

    #[test]
    fn fields_do_not_run_into_each_other() {
        let seed = |target, test| Seeds::new("b", Phase::Enforce, target, test);
        assert_ne!(seed("a", "bc"), seed("ab", "c"));
    }

    #[test]
    fn requests_read_back_as_themselves() {
        for text in [
            "9f2c4e1a",
            "any text: really",
            "b@calibrate:57",
            "b@enforce:0",
        ] {
            let request: SeedRequest = text.parse().unwrap();
            assert_eq!(request.to_string(), text);
        }
        for wrong in [
            "",
            "@calibrate:1",
            "b@",
            "b@calibrate",
            "b@learn:1",
            "b@check:-1",
        ] {
            let message = wrong.parse::<SeedRequest>().unwrap_err();
            assert!(message.contains("is not a seed"), "{message}");
        }
    }
}
