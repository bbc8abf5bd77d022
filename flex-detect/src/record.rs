//! What the assertions of existing tests compared, run by run: the file between whoever runs tests and whoever judges.
//!
//! JSON, with `version = 1`. Numbers that JSON does not know are the texts `nan`, `inf` and `-inf`. Lines are counted
//! from 1, columns in bytes from 0, as Python's `ast` has them.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// The version of the format.
pub const VERSION: u32 = 1;

/// What all tests of one search showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`VERSION`].
    pub version: u32,
    /// Who ran the tests.
    pub harness: Harness,
    /// The base seed.
    pub base: String,
    /// The folder that files are relative to.
    pub root: PathBuf,
    /// The marker by which the project already reruns tests, if it has one.
    #[serde(default)]
    pub rerun_marker: Option<RerunMarker>,
    /// The tests.
    pub tests: Vec<ObservedTest>,
}

/// Who runs tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Harness {
    /// `cargo test`.
    Cargo,
    /// pytest.
    Pytest,
}

/// What a project reruns its tests with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RerunMarker {
    /// pytest-rerunfailures: `@pytest.mark.flaky(reruns=2)`.
    Rerunfailures,
    /// flaky: `@flaky(max_runs=3)`.
    Flaky,
}

/// What one test showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObservedTest {
    /// The path without the crate; for pytest the node id.
    pub name: String,
    /// The package; nothing for pytest.
    #[serde(default)]
    pub package: String,
    /// The cargo target; `None` for pytest.
    #[serde(default)]
    pub target: Option<String>,
    /// The source file.
    pub file: PathBuf,
    /// The line of the function, its decorators included.
    pub line: u32,
    /// The function with its decorators, where that is known.
    #[serde(default)]
    pub span: Option<Span>,
    /// Whether it is annotated as a stochastic test.
    #[serde(default)]
    pub is_stochastic: bool,
    /// What the seeds of its runs are, up to the index, such as `k3J9@calibrate`; `None` for the record's base and
    /// `@detect`. Tests that were run at another time, or for something else, have their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<String>,
    /// The command that repeats one run, with `{seed}` where the seed stands; `None` if no seed controls the test.
    pub replay: Option<String>,
    /// How long a run takes.
    pub seconds_per_run: f64,
    /// Whether the first run had the seeds that the source states, and all others different ones.
    #[serde(default)]
    pub first_as_written: bool,
    /// The seeds that the source states and that were varied.
    #[serde(default)]
    pub literal_seeds: Vec<LiteralSeed>,
    /// Randomness that no seed was seen to control, such as `numpy.random.default_rng() at tests/test_a.py:12`.
    #[serde(default)]
    pub unseeded: Vec<String>,
    /// What the reader should know besides: draws at import time, shared fixtures.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Every run, by index.
    pub runs: Vec<ObservedRun>,
    /// Its assertions that compare numbers.
    pub sites: Vec<ObservedSite>,
    /// Runs that were made again under the same seed.
    #[serde(default)]
    pub repeats: Vec<Repeat>,
}

/// How one run went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObservedRun {
    /// Its index, which decides its seed.
    pub index: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// Why it failed, in one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The index of the site that failed it, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_site: Option<usize>,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It passed.
    Pass,
    /// It failed.
    Fail,
    /// It was skipped.
    Skip,
}

/// An assertion, and what it compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObservedSite {
    /// Its identity in the test.
    pub id: String,
    /// The source file.
    pub file: PathBuf,
    /// The assertion in the file.
    pub line: u32,
    /// The whole assertion, where that is known.
    #[serde(default)]
    pub span: Option<Span>,
    /// Its source, in one line.
    pub text: String,
    /// The function that asserts: `assert`, `unittest.assertLess`, `numpy.testing.assert_allclose`, `assert_tail_bound!`, …
    pub form: String,
    /// The function around it as it was when it was run, where spans are to be trusted only as long as it stays so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Written>,
    /// Whether a failure stops the run.
    pub is_hard: bool,
    /// Runs that it failed.
    pub failed: Vec<u32>,
    /// What it compares: a series for each number that could be another one. The first is what failures are about.
    pub series: Vec<Series>,
}

/// A part of a source file, and what stood there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Its first line.
    pub line: u32,
    /// Its lines, without the end of the last one; lines end with `\n`.
    pub text: String,
}

/// What was compared with one number of an assertion: the most extreme value of each run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// What the number means.
    pub role: Role,
    /// The bound that the values are held against, in their own unit: 0.5e-7 for `places=7`. 0 for a margin.
    #[serde(with = "maybe_float")]
    pub bound: Option<f64>,
    /// Whether the values are differences from a bound that is computed in each run.
    #[serde(default)]
    pub is_margin: bool,
    /// Whether a value that equals the bound fails, where the operator is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_strict: Option<bool>,
    /// The number in the source, where one can be written.
    #[serde(default)]
    pub knob: Option<Knob>,
    /// The values by run; several hits and all elements of an array are folded to the one nearest to failing.
    #[serde(with = "floats")]
    pub values: Vec<(u32, f64)>,
}

/// What a number of an assertion means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Values are to stay below.
    Upper,
    /// Values are to stay above.
    Lower,
    /// An absolute tolerance: the values are absolute differences, less what the relative tolerance allows.
    Absolute,
    /// A relative tolerance: the values are relative differences, as the function in question defines them.
    Relative,
    /// unittest's `places`: |a − b| rounded to so many decimal places is 0.
    Places,
    /// numpy's `decimal`: |a − b| < 1.5 · 10^−decimal.
    Decimal,
    /// numpy's `significant`: the difference, in units of the number's own power of ten, < 10^−(significant−1).
    Significant,
    /// Units in the last place.
    Ulps,
}

/// A number in the source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Knob {
    /// The number as it stands there; for one that is left out, its default.
    pub text: String,
    /// How it is given.
    #[serde(flatten)]
    pub given: Given,
}

/// How a number is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "given", rename_all = "kebab-case")]
pub enum Given {
    /// Written in the assertion, positionally or by keyword.
    Literal {
        /// The number, its sign included.
        span: Span,
    },
    /// A name that is bound once, to a literal, in the same function or module.
    Constant {
        /// The name.
        name: String,
        /// The number where the name is bound, in the file of the site.
        span: Span,
        /// A line that uses the name for something else than a bound or tolerance of this sort, if there is one:
        /// another number would change that too.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        also_in: Option<u32>,
    },
    /// Left out, so that the default holds.
    Default {
        /// The keyword.
        keyword: String,
        /// Where `, keyword=value` would be inserted: after the last argument.
        line: u32,
        /// The column there.
        column: u32,
    },
    /// In Rust sources, which are searched when a patch is made.
    Source,
}

/// A part of a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// First line.
    pub line: u32,
    /// Column of its first byte.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Column after its last byte.
    pub end_column: u32,
}

/// A seed that the source states.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LiteralSeed {
    /// The call: `numpy.random.seed`, `random_state`.
    pub call: String,
    /// The source file, if it is one of the project's.
    pub file: PathBuf,
    /// The line of the call.
    pub line: u32,
    /// The number.
    pub value: i64,
}

/// A run that was made again under the same seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Repeat {
    /// Its index.
    pub index: u32,
    /// Where.
    pub place: RepeatPlace,
    /// How it ended this time.
    pub outcome: Outcome,
    /// Values by site and series.
    #[serde(with = "site_floats")]
    pub values: Vec<(usize, usize, f64)>,
}

/// Where a run was repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RepeatPlace {
    /// Later in the same process.
    SameProcess,
    /// In another process, all else equal.
    OtherProcess,
    /// In another process with another order of hashes (`PYTHONHASHSEED`).
    OtherHashes,
}

/// Why a record cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecordError {
    /// Not JSON, or not a record: what and where.
    Unreadable(String),
    /// Written by a newer flex.
    Newer(u32),
}

impl std::fmt::Display for RecordError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            RecordError::Unreadable(why) => write!(f, "not a record of flex: {why}"),
            RecordError::Newer(version) => write!(
                f,
                "version {version} of the format is newer than this flex, which knows version {VERSION}"
            ),
        }
    }
}

impl std::error::Error for RecordError {}

impl Record {
    /// Reads a record.
    pub fn parse(text: &str) -> Result<Self, RecordError> {
        #[derive(Deserialize)]
        struct Head {
            version: u32,
        }
        let unreadable = |error: serde_json::Error| RecordError::Unreadable(error.to_string());
        let head: Head = serde_json::from_str(text).map_err(unreadable)?;
        if head.version > VERSION {
            return Err(RecordError::Newer(head.version));
        }
        serde_json::from_str(text).map_err(unreadable)
    }

    /// The record as text.
    pub fn to_json(&self) -> String {
        // Every field has a form in JSON: numbers that have none are texts.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}

/// A number, or the name of one that JSON does not know.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Float(pub f64);

impl Serialize for Float {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            value if value.is_finite() => serializer.serialize_f64(value),
            value if value.is_nan() => serializer.serialize_str("nan"),
            value if value > 0.0 => serializer.serialize_str("inf"),
            _ => serializer.serialize_str("-inf"),
        }
    }
}

impl<'de> Deserialize<'de> for Float {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Number(f64),
            Name(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Number(value) => Ok(Float(value)),
            Written::Name(name) => match name.as_str() {
                "nan" => Ok(Float(f64::NAN)),
                "inf" => Ok(Float(f64::INFINITY)),
                "-inf" => Ok(Float(f64::NEG_INFINITY)),
                _ => Err(serde::de::Error::custom(format!(
                    "`{name}` is not a number"
                ))),
            },
        }
    }
}

mod maybe_float {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Float;

    pub fn serialize<S: Serializer>(value: &Option<f64>, s: S) -> Result<S::Ok, S::Error> {
        value.map(Float).serialize(s)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<f64>, D::Error> {
        Ok(Option::<Float>::deserialize(d)?.map(|value| value.0))
    }
}

mod floats {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Float;

    pub fn serialize<S: Serializer>(values: &[(u32, f64)], s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(values.iter().map(|(run, value)| (run, Float(*value))))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<(u32, f64)>, D::Error> {
        let values: Vec<(u32, Float)> = Vec::deserialize(d)?;
        Ok(values
            .into_iter()
            .map(|(run, value)| (run, value.0))
            .collect())
    }
}

mod site_floats {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Float;

    type Values = Vec<(usize, usize, f64)>;

    pub fn serialize<S: Serializer>(values: &Values, s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(
            values
                .iter()
                .map(|(site, series, value)| (site, series, Float(*value))),
        )
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Values, D::Error> {
        let values: Vec<(usize, usize, Float)> = Vec::deserialize(d)?;
        Ok(values
            .into_iter()
            .map(|(site, series, value)| (site, series, value.0))
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_the_journey() {
        let series = Series {
            role: Role::Upper,
            bound: Some(f64::INFINITY),
            is_margin: false,
            is_strict: None,
            knob: Some(Knob {
                text: "0.1".to_owned(),
                given: Given::Default {
                    keyword: "atol".to_owned(),
                    line: 3,
                    column: 20,
                },
            }),
            values: vec![(0, 0.1), (1, f64::NAN), (2, f64::NEG_INFINITY), (3, 1e-300)],
        };
        let text = serde_json::to_string(&series).unwrap();
        let back: Series = serde_json::from_str(&text).unwrap();
        assert_eq!(format!("{back:?}"), format!("{series:?}"));
        assert!(serde_json::from_str::<Series>(&text.replace("\"nan\"", "\"many\"")).is_err());
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let newer = Record::parse(r#"{"version": 2, "surprise": true}"#);
        assert_eq!(newer, Err(RecordError::Newer(2)));
        for text in ["", "<<<<<<< HEAD", "{\"version\": 1}", "[]"] {
            assert!(
                matches!(Record::parse(text), Err(RecordError::Unreadable(_))),
                "{text}"
            );
        }
    }
}
