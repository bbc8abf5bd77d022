//! What is said of one assertion: the verdict, what it rests on, and remarks.

use std::fmt;

use flex_run::model::Place;

/// What is to be said of one assertion, or of the outcome of a test.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The test's index in the record.
    pub test: usize,
    /// The site's index in the test; `None` for the outcome of the test itself.
    pub site: Option<usize>,
    /// Where the assertion is, or the test.
    pub place: Place,
    /// The assertion in one line; `outcome` for the test itself.
    pub text: String,
    /// Which of its cases, where it has any.
    pub case: Option<String>,
    /// Whether it compared nothing that could be recorded.
    pub is_condition: bool,
    /// The verdict.
    pub verdict: Diagnosis,
    /// Steady, but more likely to fail than was asked for.
    pub is_risky: bool,
    /// What the verdict rests on.
    pub figures: Figures,
    /// What is to be said besides.
    pub remarks: Vec<Remark>,
}

/// What is to be said of an assertion first.
#[derive(Debug, Clone, PartialEq)]
pub enum Diagnosis {
    /// Every run showed the same value and passed.
    Constant,
    /// Its values vary, and no run failed.
    Steady,
    /// Some runs fail.
    Flaky,
    /// It passes only under the seed that the source states.
    Golden,
    /// The same seed shows another value.
    Uncontrolled(Randomness),
    /// Every run fails.
    Broken,
    /// A cluster of values lies far from the rest, which is probably a bug.
    SecondMode(Cluster),
    /// No run reached it.
    Skipped,
}

/// The randomness that no seed controls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Randomness {
    /// The order of hashes: only another order changed the run.
    HashOrder,
    /// Generators that were seen to be made without a seed.
    Unseeded(Vec<String>),
    /// What the test was seen to touch, and no seed decides; one of these, or several.
    Touched(Vec<String>),
    /// State that runs share: the same process and another one disagree.
    SharedState,
    /// Nobody knows.
    Unknown,
}

/// Values that lie apart from the rest.
#[derive(Debug, Clone, PartialEq)]
pub struct Cluster {
    /// Their runs, in ascending order.
    pub runs: Vec<u32>,
    /// Their least and greatest value.
    pub range: (f64, f64),
    /// The least and greatest value of the rest.
    pub rest: (f64, f64),
}

/// What a verdict rests on.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// Varied runs that reached the assertion.
    pub runs: usize,
    /// Those of them that it failed, in ascending order.
    pub failed: Vec<u32>,
    /// The 95 % interval of its failure rate (Clopper & Pearson 1934).
    pub interval: (f64, f64),
    /// Where no run failed: the probability of failure that the fitted tail has, or why it has none.
    pub tail: Option<Result<TailFigures, String>>,
    /// The bound that failures are about, in the unit of the values.
    pub bound: Option<f64>,
    /// The least and greatest finite value of the varied runs.
    pub range: Option<(f64, f64)>,
    /// Whether varied runs showed different values; of an outcome, whether they ended differently.
    pub varies: bool,
    /// The varied run whose value came nearest to failing, or failed by most.
    pub nearest: Option<u32>,
    /// What happened under the seeds that the source states; `None` if no run had them or reached the assertion.
    pub as_written: Option<AsWritten>,
    /// Why its first failing run failed, in one line.
    pub why: Option<String>,
}

/// The probability of failure as the fitted tail has it; sides of the same assertion add up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TailFigures {
    /// As the values suggest it.
    pub estimate: f64,
    /// Not exceeded with a posterior probability of 97.5 %.
    pub upper_limit: f64,
}

/// What the run with the seeds of the source showed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AsWritten {
    /// Whether it failed the assertion.
    pub failed: bool,
    /// The value, where there is one.
    pub value: Option<f64>,
}

/// What is to be said of an assertion besides its verdict.
#[derive(Debug, Clone, PartialEq)]
pub enum Remark {
    /// Runs whose value is NaN or infinite.
    NotFinite(Vec<u32>),
    /// Failing runs whose value is the end of its domain, 0 or 1.
    AtEnd {
        /// The end.
        end: f64,
        /// The runs.
        runs: Vec<u32>,
    },
    /// A cluster far from the rest, where something else is the verdict.
    SecondMode(Cluster),
    /// The same seed shows another value, where something else is the verdict: by so much at most.
    Uncontrolled {
        /// The source.
        source: Randomness,
        /// The largest difference of two values under one seed; infinite if one is not a number.
        difference: f64,
    },
    /// A run that was made again under its seed ended otherwise.
    OtherOutcome(Vec<u32>),
    /// It fails under the seeds that the source states.
    FailsAsWritten,
    /// It fails whenever it is reached, which is in so many of so many runs.
    FailsWhenReached {
        /// Runs that reached it.
        reached: usize,
        /// Runs there are.
        of: usize,
    },
    /// Runs that it failed and that passed nonetheless.
    Caught(Vec<u32>),
    /// Only the run with the seeds of the source reached it.
    OnlyAsWritten,
}

/// What counts as a finding.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JudgeRule {
    /// Assertions that never failed are *risky* if the fitted tail estimates a failure probability above this. Its upper
    /// limit is shown beside, and where no tail can be fitted, nothing is claimed beyond what was counted.
    pub probability: Option<f64>,
}

impl Finding {
    /// The assertion, with its case in brackets.
    pub fn named(&self) -> String {
        let case = self.case.iter().map(|case| format!(" [{case}]"));
        self.text.clone() + &case.collect::<String>()
    }

    /// Whether it can fail a build: flaky, golden, broken and risky ones do; those that are uncontrolled or have a second
    /// mode do if some run failed, or ended otherwise under the same seed. A second mode that passes and values that
    /// differ without consequence are told, and are no reason to stop anybody.
    pub fn is_finding(&self) -> bool {
        let otherwise = |remark: &Remark| matches!(remark, Remark::OtherOutcome(_));
        self.is_risky
            || match self.verdict {
                Diagnosis::Flaky | Diagnosis::Golden | Diagnosis::Broken => true,
                Diagnosis::SecondMode(_) | Diagnosis::Uncontrolled(_) => {
                    !self.figures.failed.is_empty() || self.remarks.iter().any(otherwise)
                }
                Diagnosis::Constant | Diagnosis::Steady | Diagnosis::Skipped => false,
            }
    }

    /// Whether there is something to say: a finding, or a verdict that is no reason to fail.
    pub fn is_notable(&self) -> bool {
        let told = matches!(
            self.verdict,
            Diagnosis::SecondMode(_) | Diagnosis::Uncontrolled(_)
        );
        told || self.is_finding()
    }

    /// The word for the verdict; `risky` for one that only the asked probability makes a finding.
    pub fn word(&self) -> &'static str {
        match self.verdict {
            Diagnosis::Steady if self.is_risky => "risky",
            ref verdict => verdict.word(),
        }
    }

    /// The graver, the smaller.
    pub(super) fn rank(&self) -> usize {
        let grave = match self.verdict {
            Diagnosis::Broken => 0,
            Diagnosis::Golden => 1,
            Diagnosis::Uncontrolled(_) => 2,
            Diagnosis::SecondMode(_) => 3,
            Diagnosis::Flaky => 4,
            Diagnosis::Steady => 5,
            Diagnosis::Constant => 6,
            Diagnosis::Skipped => 7,
        };
        grave + if self.is_finding() { 0 } else { 8 }
    }
}

impl Diagnosis {
    /// The word used in reports.
    pub fn word(&self) -> &'static str {
        match self {
            Diagnosis::Constant => "constant",
            Diagnosis::Steady => "steady",
            Diagnosis::Flaky => "flaky",
            Diagnosis::Golden => "golden",
            Diagnosis::Uncontrolled(_) => "uncontrolled",
            Diagnosis::Broken => "broken",
            Diagnosis::SecondMode(_) => "second mode",
            Diagnosis::Skipped => "skipped",
        }
    }
}

/// State that runs share, in words.
pub(super) const SHARED_STATE: &str = "state shared between runs";

impl fmt::Display for Randomness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Randomness::HashOrder => f.write_str("the order of hashes"),
            Randomness::Unseeded(sources) => f.write_str(&sources.join("; ")),
            Randomness::Touched(sources) => f.write_str(&sources.join(", or ")),
            Randomness::SharedState => f.write_str(SHARED_STATE),
            Randomness::Unknown => f.write_str("unknown"),
        }
    }
}
