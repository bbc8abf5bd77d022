//! What the runs of one version of a test showed, whoever made them.

use std::collections::BTreeMap;

use flex_core::tail::Side;
use flex_run::calibrate::Recorded;
use flex_run::model::{Place, ProcessRecord, Site, SiteId, TestId, value_on};
use serde::{Deserialize, Serialize};

use crate::record::{ObservedSite, ObservedTest, Outcome, Role, Series};

/// What is compared: a side of an assertion, or something that every run has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "KeyJson", from = "KeyJson")]
pub struct SeriesKey {
    /// What the values are.
    pub what: What,
    /// The assertion; `None` for what every run has.
    pub site: Option<SiteId>,
    /// Whether the bound of the assertion is written out.
    pub is_declared: bool,
    /// Which of several equal ones of its assertion it is, from 0 on.
    pub nth: u32,
}

/// What the values of a series are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum What {
    /// 1 if the run failed, else 0.
    Failed,
    /// How long runs took, in seconds.
    Seconds,
    /// Values that an assertion holds against a number.
    #[serde(untagged)]
    Asserted(Role),
}

impl SeriesKey {
    /// Whether runs fail.
    pub const FAILED: SeriesKey = SeriesKey::of_every_run(What::Failed);

    /// How long runs take.
    pub const SECONDS: SeriesKey = SeriesKey::of_every_run(What::Seconds);

    const fn of_every_run(what: What) -> Self {
        SeriesKey {
            what,
            site: None,
            is_declared: false,
            nth: 0,
        }
    }

    /// The side on which values are worse.
    pub fn worse(&self) -> Side {
        match self.what {
            What::Asserted(Role::Lower) => Side::Lower,
            _ => Side::Upper,
        }
    }

    /// The series, for people.
    pub fn label(&self) -> String {
        let what = match self.what {
            What::Failed => return "runs that fail".to_owned(),
            What::Seconds => return "seconds".to_owned(),
            What::Asserted(Role::Upper) => "",
            What::Asserted(Role::Lower) => " (lower)",
            What::Asserted(Role::Absolute | Role::Places | Role::Decimal) => " (absolute)",
            What::Asserted(Role::Relative | Role::Significant) => " (relative)",
            What::Asserted(Role::Ulps) => " (ulps)",
        };
        let site = self.site.as_ref();
        let case = site.and_then(|site| site.case.as_deref());
        let case = case.map(|case| format!(" [{case}]")).unwrap_or_default();
        format!(
            "{}{case}{what}",
            site.map(SiteId::label).unwrap_or_default()
        )
    }
}

/// What is known of a series besides its values.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesFacts {
    /// Where its assertion is; where the test is, for what every run has.
    pub place: Place,
    /// The source of its assertion, as far as it is known.
    pub text: String,
}

/// What a series saw in a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    /// The value.
    pub value: f64,
    /// The bound that it was held against, if that is one number; `None` if the value is the distance from its bound.
    pub bound: Option<f64>,
}

/// One run of a test.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SeenRun {
    /// Why it failed, if it did.
    pub failure: Option<String>,
    /// What its assertions saw.
    pub values: BTreeMap<SeriesKey, Value>,
}

impl SeenRun {
    /// What two runs under the same seed saw differently first: the series, and both values. Durations always differ.
    fn first_difference(&self, other: &SeenRun) -> Option<(&SeriesKey, f64, Option<f64>)> {
        let differs = |(key, value): (_, &Value)| {
            let again = other.values.get(key).map(|again| again.value);
            let is_same =
                |again: f64| again == value.value || (again.is_nan() && value.value.is_nan());
            let is_compared = *key != SeriesKey::SECONDS;
            (is_compared && !again.is_some_and(is_same)).then_some((key, value.value, again))
        };
        self.values.iter().find_map(differs)
    }

    /// The same in words; `None` if there is no difference.
    pub fn differs_from(&self, other: &SeenRun) -> Option<(String, String)> {
        let (key, value, again) = self.first_difference(other)?;
        let again = again.map_or("nothing".to_owned(), |again| format!("{again:?}"));
        Some((
            format!("`{}`", key.label()),
            format!("{value:?} and {again}"),
        ))
    }
}

/// What runs of one version of a test showed.
#[derive(Debug, Clone, PartialEq)]
pub struct SeenTest {
    /// Which test it is.
    pub id: TestId,
    /// The package; `None` for pytest.
    pub package: Option<String>,
    /// Where it is.
    pub place: Place,
    /// What its assertions are.
    pub series: BTreeMap<SeriesKey, SeriesFacts>,
    /// Its runs by index, without those that were skipped.
    pub runs: BTreeMap<u32, SeenRun>,
    /// How long a run takes.
    pub seconds_per_run: f64,
    /// Whether nothing in it runs beside others: it measures time.
    pub measures_time: bool,
}

impl SeenTest {
    /// What the processes of a cargo test recorded. `None` if none of them came as far as telling which test it is.
    pub fn of_recorded(recorded: &Recorded) -> Option<Self> {
        let first = recorded.records.first()?;
        let mut seen = SeenTest {
            id: first.test.id.clone(),
            package: first.test.package.clone(),
            place: first.test.place.clone(),
            series: BTreeMap::new(),
            runs: BTreeMap::new(),
            seconds_per_run: first.seconds_per_run().unwrap_or(0.0),
            measures_time: false,
        };
        for record in &recorded.records {
            seen.take_record(record);
        }
        for (run, how) in recorded.deaths.iter().chain(&recorded.vanished) {
            let failure = Some(how.clone());
            seen.runs.entry(*run).or_default().failure = failure;
        }
        Some(seen)
    }

    /// What the runs of one process showed.
    pub fn take_record(&mut self, record: &ProcessRecord) {
        self.measures_time |= record.sites.iter().any(|site| site.is_time);
        let keys: Vec<Vec<(SeriesKey, Side)>> = record.sites.iter().map(keys_of).collect();
        for (site, keys) in record.sites.iter().zip(&keys) {
            for (key, _) in keys {
                self.know(key, &site.place, &site.text);
            }
        }
        for (run, hits) in record.runs() {
            let mut seen = SeenRun {
                failure: run.failure.clone(),
                ..SeenRun::default()
            };
            if record.failed(run, hits) && seen.failure.is_none() {
                seen.failure = Some("a declared bound is broken".to_owned());
            }
            for hit in hits {
                let site = record.site(hit);
                for (key, side) in &keys[hit.site as usize] {
                    let bounds = site.declared().iter();
                    let mut of_side = bounds.filter(|bound| bound.operator.side() == *side);
                    let value = Value {
                        value: value_on(*side, hit.extremes),
                        bound: of_side.next().map(|bound| bound.bound),
                    };
                    seen.values.insert(key.clone(), value);
                }
            }
            self.runs.insert(run.index, seen);
        }
    }

    /// What pytest recorded of a test. `None` if all its runs were skipped.
    pub fn of_observed(test: &ObservedTest) -> Option<Self> {
        let mut seen = SeenTest {
            id: test.id.clone(),
            package: test.package.clone(),
            place: test.place.clone(),
            series: BTreeMap::new(),
            runs: BTreeMap::new(),
            seconds_per_run: test.seconds_per_run,
            measures_time: false,
        };
        for run in &test.runs {
            if run.outcome == Outcome::Skip {
                continue;
            }
            let why = || run.why.clone().unwrap_or_default();
            let failure = (run.outcome == Outcome::Fail).then(why);
            let values = BTreeMap::new();
            seen.runs.insert(run.index, SeenRun { failure, values });
        }
        for (run, seconds) in &test.processor_seconds {
            let value = Value {
                value: *seconds,
                bound: None,
            };
            if let Some(run) = seen.runs.get_mut(run) {
                run.values.insert(SeriesKey::SECONDS, value);
            }
        }
        for site in &test.sites {
            for (index, series) in site.series.iter().enumerate() {
                // Tolerances of one assertion measure the same distance, the first of them the one that it fails by.
                let is_tolerance = |role: Role| !matches!(role, Role::Upper | Role::Lower);
                let first = site.series.first().map(|first| first.role);
                if index > 0 && first.is_some_and(is_tolerance) && is_tolerance(series.role) {
                    continue;
                }
                let key = key_of(site, index, series);
                seen.know(&key, &site.place, &site.text);
                for (run, value) in &series.values {
                    let value = Value {
                        value: *value,
                        bound: series.bound.filter(|_| !series.is_margin),
                    };
                    if let Some(run) = seen.runs.get_mut(run) {
                        run.values.insert(key.clone(), value);
                    }
                }
            }
        }
        (!seen.runs.is_empty()).then_some(seen)
    }

    fn know(&mut self, key: &SeriesKey, place: &Place, text: &str) {
        self.series
            .entry(key.clone())
            .or_insert_with(|| SeriesFacts {
                place: place.clone(),
                text: text.to_owned(),
            });
    }
}

/// The series of a site: one for each side on which values can be too extreme.
fn keys_of(site: &Site) -> Vec<(SeriesKey, Side)> {
    let mut sides = site.sides();
    sides.dedup();
    let key = |side: Side| {
        let role = match side {
            Side::Upper => Role::Upper,
            Side::Lower => Role::Lower,
        };
        let key = SeriesKey {
            what: What::Asserted(role),
            site: Some(site.id.clone()),
            is_declared: !site.is_learned(),
            nth: 0,
        };
        (key, side)
    };
    sides.into_iter().map(key).collect()
}

fn key_of(site: &ObservedSite, index: usize, series: &Series) -> SeriesKey {
    let before = site.series[..index].iter();
    SeriesKey {
        what: What::Asserted(series.role),
        site: Some(site.id.clone()),
        is_declared: site.form != LEARNED,
        nth: before.filter(|other| other.role == series.role).count() as u32,
    }
}

/// The form of a site whose bound is learned, in a record of pytest.
pub const LEARNED: &str = "learned()";

/// A key as it stands in JSON: the site by its label.
#[derive(Serialize, Deserialize)]
struct KeyJson {
    what: What,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    case: Option<String>,
    #[serde(default)]
    is_declared: bool,
    #[serde(default)]
    nth: u32,
}

impl From<SeriesKey> for KeyJson {
    fn from(key: SeriesKey) -> Self {
        KeyJson {
            what: key.what,
            id: key.site.as_ref().map(SiteId::label),
            case: key.site.and_then(|site| site.case),
            is_declared: key.is_declared,
            nth: key.nth,
        }
    }
}

impl From<KeyJson> for SeriesKey {
    fn from(json: KeyJson) -> Self {
        let site = json.id.as_deref().map(SiteId::of_label);
        SeriesKey {
            what: json.what,
            site: site.map(|site| site.with_case(json.case)),
            is_declared: json.is_declared,
            nth: json.nth,
        }
    }
}
