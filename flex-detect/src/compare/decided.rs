//! What came of a comparison: the values behind the table, the JSON and the file in the target folder.

use flex_run::model::{Place, Runner, TestId};
use serde::{Deserialize, Serialize};

use super::matching::Renamed;
use super::pair::Pair;
use super::seen::SeriesKey;
use super::series::{FINE, Margin, SeriesPairs};
use super::summary::{Moments, correlation};
use super::verdict::SeriesVerdict;
use crate::record::{RecordError, json};

/// The version of the format.
pub const VERSION: u32 = 1;

/// A comparison of two versions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// [`VERSION`].
    pub version: u32,
    /// Whoever ran the tests.
    #[serde(rename = "harness", with = "json::RunnerJson")]
    pub runner: Runner,
    /// The old version.
    pub old: Revision,
    /// The new version.
    pub new: Revision,
    /// The base seed; runs have those of `@detect`.
    pub base: String,
    /// The probability that anything is called worse or better that has not changed, for all series together.
    pub alpha: f64,
    /// The difference that does not matter.
    #[serde(default)]
    pub margin: Option<Margin>,
    /// The tests that both versions have.
    pub tests: Vec<ComparedTest>,
    /// Tests that only the old version has.
    #[serde(with = "test_ids")]
    pub gone: Vec<TestId>,
    /// Tests that only the new version has.
    #[serde(with = "test_ids")]
    pub added: Vec<TestId>,
}

/// A version of the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// How it was named; `None` for the working tree.
    pub name: Option<String>,
    /// The commit; for the working tree the one that it is based on.
    pub commit: String,
}

impl Compared {
    /// Reads the JSON of a comparison.
    pub fn parse(text: &str) -> Result<Self, RecordError> {
        json::versioned(text, VERSION)
    }

    /// All series with their tests.
    pub fn series(&self) -> impl Iterator<Item = (&ComparedTest, &DecidedSeries)> {
        let of_test = |test| Iterator::map(ComparedTest::series_of(test), move |one| (test, one));
        self.tests.iter().flat_map(of_test)
    }

    /// Whether a series has this verdict.
    pub fn has(&self, verdict: SeriesVerdict) -> bool {
        self.series().any(|(_, decided)| decided.verdict == verdict)
    }
}

/// What came of one test.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedTest {
    /// Which test it is.
    #[serde(flatten, with = "json::TestIdJson")]
    pub id: TestId,
    /// The package; `None` for pytest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// Where it is.
    #[serde(flatten, with = "json::PlaceJson")]
    pub place: Place,
    /// Runs that both versions made.
    pub pairs: u32,
    /// What both versions assert.
    pub series: Vec<DecidedSeries>,
    /// What only the old version asserts.
    pub gone: Vec<SeriesKey>,
    /// What only the new version asserts.
    pub added: Vec<SeriesKey>,
    /// Assertions that have another identity, and see the same.
    pub renamed: Vec<Renamed>,
    /// If the same seed shows something else each time: an example.
    pub uncontrolled: Option<String>,
    /// What the reader should know besides.
    pub notes: Vec<String>,
    /// Why nothing came of it.
    pub error: Option<String>,
}

impl ComparedTest {
    /// A test that could not be compared.
    pub fn failed(id: TestId, package: Option<String>, error: String) -> Self {
        ComparedTest {
            id,
            package,
            place: Place::default(),
            pairs: 0,
            series: Vec::new(),
            gone: Vec::new(),
            added: Vec::new(),
            renamed: Vec::new(),
            uncontrolled: None,
            notes: Vec::new(),
            error: Some(error),
        }
    }

    fn series_of(&self) -> std::slice::Iter<'_, DecidedSeries> {
        self.series.iter()
    }

    /// The test, for people.
    pub fn label(&self) -> String {
        match (&self.package, self.id.target()) {
            (Some(package), Some(target)) => format!("{package} {target} {}", self.id.name()),
            _ => self.id.name().to_owned(),
        }
    }
}

/// What is known of one series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DecidedSeries {
    /// What is compared.
    #[serde(flatten)]
    pub key: SeriesKey,
    /// Where it is asserted.
    #[serde(flatten, with = "json::PlaceJson")]
    pub place: Place,
    /// The source of the assertion, as far as it is known.
    pub text: String,
    /// The verdict.
    pub verdict: SeriesVerdict,
    /// The pairs that it was decided by; all of them, if it was not.
    pub decided_by: usize,
    /// Pairs with equal values.
    pub equal: usize,
    /// The e-value against "unchanged", as a natural logarithm; it decides at −ln of `level`.
    pub ln_e_value: Option<f64>,
    /// Its share of α.
    pub level: Option<f64>,
    /// What the old code showed.
    pub old: MeanAndSd,
    /// What the new code showed.
    pub new: MeanAndSd,
    /// The correlation of both.
    pub correlation: Option<f64>,
    /// The median of new less old, and the ends of an interval that holds the true one with 99 %, whenever one looks.
    #[serde(with = "shift")]
    pub shift: Option<[f64; 3]>,
    /// All pairs: run, old, new.
    #[serde(with = "pairs")]
    pub pairs: Vec<Pair>,
}

/// The mean and the standard deviation of the values that are finite.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MeanAndSd {
    /// The mean.
    #[serde(with = "json::float")]
    pub mean: f64,
    /// The standard deviation.
    #[serde(with = "json::float")]
    pub sd: f64,
}

impl From<Moments> for MeanAndSd {
    fn from(moments: Moments) -> Self {
        MeanAndSd {
            mean: moments.mean,
            sd: moments.sd,
        }
    }
}

impl DecidedSeries {
    pub(super) fn of(key: &SeriesKey, place: Place, text: String, series: &SeriesPairs) -> Self {
        let pairs = &series.pairs;
        let evidence = series.evidence();
        DecidedSeries {
            key: key.clone(),
            place,
            text,
            verdict: series.verdict(),
            decided_by: series.decided_by().unwrap_or(pairs.len()),
            equal: pairs.iter().filter(|pair| pair.is_equal()).count(),
            ln_e_value: evidence.map(|(value, _)| value),
            level: evidence.map(|(_, level)| level),
            old: Moments::of(pairs.iter().map(|pair| pair.old)).into(),
            new: Moments::of(pairs.iter().map(|pair| pair.new)).into(),
            correlation: correlation(pairs),
            shift: series.shift(FINE),
            pairs: pairs.clone(),
        }
    }
}

mod test_ids {
    use flex_run::model::TestId;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::record::json::TestIdJson;

    #[derive(Serialize, Deserialize)]
    struct One(#[serde(with = "TestIdJson")] TestId);

    pub fn serialize<S: Serializer>(ids: &[TestId], s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(ids.iter().cloned().map(One))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<TestId>, D::Error> {
        let ids: Vec<One> = Vec::deserialize(d)?;
        Ok(ids.into_iter().map(|one| one.0).collect())
    }
}

mod shift {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::record::json::Float;

    pub fn serialize<S: Serializer>(shift: &Option<[f64; 3]>, s: S) -> Result<S::Ok, S::Error> {
        shift.map(|ends| ends.map(Float)).serialize(s)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Option<[f64; 3]>, D::Error> {
        let shift = Option::<[Float; 3]>::deserialize(d)?;
        Ok(shift.map(|ends| ends.map(|end| end.0)))
    }
}

mod pairs {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Pair;
    use crate::record::json::Float;

    pub fn serialize<S: Serializer>(pairs: &[Pair], s: S) -> Result<S::Ok, S::Error> {
        let pair = |pair: &Pair| (pair.run, Float(pair.old), Float(pair.new));
        s.collect_seq(pairs.iter().map(pair))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vec<Pair>, D::Error> {
        let pairs: Vec<(u32, Float, Float)> = Vec::deserialize(d)?;
        let pair = |(run, old, new): (u32, Float, Float)| Pair {
            run,
            old: old.0,
            new: new.0,
        };
        Ok(pairs.into_iter().map(pair).collect())
    }
}
