//! The report as a value, which is also its JSON (docs/reference/report.schema.json): suites have tests, tests have sites,
//! and a site has all that is known of it.
//!
//! Numbers that JSON does not know are the texts `nan`, `inf` and `-inf`. What is not known is left out.

use flex_detect::record::Float;
use serde::Serialize;

/// The version of the format.
pub(crate) const VERSION: u32 = 1;

/// All that is known of the tests of some suites.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    pub(crate) version: u32,
    /// When it was made, in seconds since 1970.
    pub(crate) made_at: u64,
    pub(crate) suites: Vec<Suite>,
    /// What the reader should know besides, such as files that could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) notes: Vec<String>,
}

/// The tests of one bounds file.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Suite {
    pub name: String,
    pub runner: &'static str,
    pub bounds_file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// The probability of a false alarm that a run of the whole suite may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<f64>,
    /// What its bounds spend of it.
    pub false_alarm_rate: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compared: Option<Versions>,
    pub tests: Vec<Test>,
}

/// The versions of the last comparison.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Versions {
    pub old: String,
    pub new: String,
    pub alpha: f64,
}

/// A test.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Test {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    pub line: u32,
    /// `fixed`, `controlled`, `uncontrolled` or `unknown`.
    pub variability: &'static str,
    /// What its runs touched that can differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds_per_run: Option<f64>,
    /// Expected extra runs per run of unchanged code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extra_runs: Option<f64>,
    /// What its learned bounds spend.
    pub false_alarm_rate: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Last>,
    /// The command that learns its bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibrate: Option<String>,
    /// The command that makes a run of its calibration again, with `{run}` for the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
    /// Runs of the calibration that failed by themselves.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<(u32, String)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    pub sites: Vec<Site>,
}

/// How a test ended when it was last enforced.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Last {
    /// `pass`, `cleared`, `fail` or `error`.
    pub verdict: String,
    pub at: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
}

/// An assertion.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Site {
    pub site: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub case: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    /// `learned`, `declared`, `claim`, or `outcome` for a test that fails elsewhere than in an assertion.
    pub kind: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    #[serde(skip_serializing_if = "is_zero")]
    pub line: u32,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    pub verdict: &'static str,
    /// `bad`, `look`, `good` or `quiet`.
    pub grade: &'static str,
    /// What there is to say, a paragraph each.
    pub words: Vec<String>,
    pub runs: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibrated: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Probability>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub catches: Option<Catches>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sides: Vec<Side>,
    /// Quantiles of the samples that its entry keeps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quantiles: Vec<f64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub series: Vec<Series>,
    /// The most extreme samples, the farthest first: run and value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub extremes: Vec<(u32, Float)>,
    /// Runs that broke a declared bound.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed_runs: Vec<u32>,
    /// The command that makes one of these runs again, with `{run}`, if it is not that of the test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replay: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<Past>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub race: Option<Race>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pending: Option<Box<Pending>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compared: Vec<Compared>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub menu: Option<Box<Menu>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<Claim>,
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// How often unchanged code fails here.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Probability {
    /// `promised`: at most `high`; `counted`, with a 95 % interval; `tail`: read from the fitted tail.
    pub basis: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<f64>,
    pub low: f64,
    pub high: f64,
}

/// What a bound catches.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Catches {
    /// A shift of all values by so much, in their unit.
    pub shift: f64,
    /// The same in standard deviations.
    pub deviations: f64,
    /// The probability that one run of the test catches it.
    pub probability: f64,
    /// The probabilities for 1, 2 and 3 standard deviations.
    pub power: [f64; 3],
}

/// What holds for large or for small values.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Side {
    /// `upper` or `lower`.
    pub side: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guard: Option<Float>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<Float>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub declared: Option<Float>,
    /// What the mean of all values may not pass, for a learned mean or rate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<Float>,
    /// What that mean was at calibration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<Float>,
    /// The cuts of the race.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<Float>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fit: Option<Fit>,
    /// The tail by its probabilities: probability, near end, median and far end of where it is passed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub band: Vec<[f64; 4]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The generalised Pareto distribution of the largest samples.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Fit {
    pub threshold: f64,
    pub scale: f64,
    pub shape: f64,
    pub exceedances: u32,
}

/// Samples in the order of runs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Series {
    /// The sides that they are the samples of.
    pub sides: Vec<&'static str>,
    #[serde(flatten)]
    pub values: Values,
}

/// Values in the order of runs; what did not reach a site has none.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(crate) enum Values {
    /// As they are.
    Exact { values: Vec<Option<Float>> },
    /// For the page: in steps of a 65534th of their range.
    Packed {
        /// How many there are; the page may hold only the first of them.
        count: usize,
        low: f64,
        high: f64,
        /// Base64 of 16-bit numbers, little end first; 65535 is no value.
        data: String,
    },
}

/// What a site saw when its test was enforced.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Past {
    pub at: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    pub verdict: String,
    pub least: Float,
    pub greatest: Float,
    pub seed: String,
}

/// The walk of a race.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Race {
    pub at: u64,
    /// `regression`, `new mode` or whatever else was in doubt.
    pub cause: String,
    pub side: String,
    pub value: Float,
    pub bound: Float,
    pub reruns: Vec<Option<Float>>,
    /// The sums of scores, beginning with that of the first run.
    pub sums: Vec<i64>,
    pub clear: i64,
    pub fail: i64,
}

/// A new bound that waits for a review.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Pending {
    pub runs: u32,
    pub sides: Vec<Side>,
    pub quantiles: Vec<f64>,
    pub series: Vec<Series>,
    pub words: Vec<String>,
    pub accept: String,
    pub reject: String,
}

/// Old and new code under the same seeds.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Compared {
    pub what: String,
    pub verdict: String,
    pub pairs: usize,
    pub equal: usize,
    pub old_mean: Float,
    pub new_mean: Float,
    /// The median of new less old, and the ends of its 99 % interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shift: Option<[Float; 3]>,
    pub old: Values,
    pub new: Values,
}

/// What can be done about a flaky assertion, with prices.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Menu {
    /// The standard deviation of the values, in which power is measured.
    pub deviation: Float,
    pub offers: Vec<Offer>,
    pub suspicions: Vec<String>,
    pub command: String,
}

/// One thing that can be done.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Offer {
    pub option: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub change: String,
    pub false_alarms: Probability,
    pub seconds: f64,
    pub power: [f64; 3],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What came of a claim about all runs.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Claim {
    pub claim: String,
    /// The least and the greatest value that is allowed.
    pub allowed: [Option<Float>; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draws: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub false_alarm_rate: Option<Float>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub estimate: Option<Float>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[Float; 2]>,
}

impl Report {
    /// The whole report as JSON, in one line.
    pub fn json(&self) -> String {
        // Every field has a form in JSON: numbers that have none are texts.
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }

    /// Whether there is anything to show.
    pub fn is_empty(&self) -> bool {
        self.suites.iter().all(|suite| suite.tests.is_empty())
    }

    /// What the reader should know besides.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// How many tests it is about.
    pub fn test_count(&self) -> usize {
        self.tests().count()
    }

    pub(crate) fn tests(&self) -> impl Iterator<Item = &Test> {
        self.suites.iter().flat_map(|suite| &suite.tests)
    }

    pub(crate) fn sites(&self) -> impl Iterator<Item = &Site> {
        self.tests().flat_map(|test| &test.sites)
    }
}
