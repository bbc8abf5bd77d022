//! What one test showed: Python adds sites, series and values while runs are made, and says how each run ended.

use flex_core::search::convergence::Limits;
use flex_core::tail::Tail;
use flex_detect::record::{
    LiteralSeed, ObservedRun, ObservedSite, ObservedTest, PytestReplay, RepeatPlace, Role,
    RunnerReplay, Series, SourceText,
};
use flex_detect::search::SearchedRun;
use flex_run::model::{Place, SiteId, TestId};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use super::cases::Cases;
use super::knob::{Knob, SpanTuple, span_of};
use super::learned;
use super::live::LiveSeries;
use super::repeats::take_repeats;
use super::words::{RunOutcomes, outcome_of, outcomes_of, role_of};
use crate::probe::Probe;
use crate::text::Text;

/// What the runs of one test show, one run at a time.
#[pyclass]
#[derive(Debug)]
pub struct TestRecord {
    test: ObservedTest,
    live: Vec<LiveSeries>,
    cases: Cases,
    run: u32,
}

/// A hit of an assertion: its identity, the limits that hold for it, and the value.
type Hit = (String, Option<f64>, Option<f64>, f64);

/// What a run is made again with: an ini file, options with their values, and the number that decides the order of hashes.
type ReplayTuple = (Option<Text>, Vec<(Text, Option<Text>)>, Option<u32>);

#[pymethods]
impl TestRecord {
    /// A test without runs.
    #[new]
    fn new(name: Text, file: Text, line: u32) -> Self {
        TestRecord {
            test: ObservedTest::new(TestId::pytest(name.0), Place::new(file.0, line)),
            live: Vec::new(),
            cases: Cases::default(),
            run: 0,
        }
    }

    /// Adds an assertion with the function around it, as first line and text, in a case, and returns its index.
    #[pyo3(signature = (id, file, line, span, text, form, within, case=None))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn site(
        &mut self,
        id: Text,
        file: Text,
        line: u32,
        span: SpanTuple,
        text: Text,
        form: Text,
        within: (u32, Text),
        case: Option<Text>,
    ) -> usize {
        let (first, around) = within;
        self.test.sites.push(ObservedSite {
            id: SiteId::of_label(&id.0).with_case(case.map(|case| case.0)),
            place: Place::new(file.0, line),
            span: Some(span_of(span)),
            text: text.0,
            form: form.0,
            within: Some(SourceText {
                line: first,
                text: around.0,
            }),
            is_hard: true,
            failed: Vec::new(),
            series: Vec::new(),
        });
        self.test.sites.len() - 1
    }

    /// Adds what a site compares with one number, and returns its index among the series of all sites.
    #[pyo3(signature = (site, role, bound, knob=None, *, is_margin=false, is_strict=None, is_alternative=false))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn series(
        &mut self,
        site: usize,
        role: &str,
        bound: f64,
        knob: Option<&Knob>,
        is_margin: bool,
        is_strict: Option<bool>,
        is_alternative: bool,
    ) -> PyResult<usize> {
        let role = role_of(role)?;
        let known = self.test.sites.get_mut(site).ok_or_else(no_site)?;
        known.series.push(Series {
            role,
            bound: Some(bound),
            is_margin,
            is_strict,
            knob: knob.map(|knob| knob.number.clone()),
            values: Vec::new(),
        });
        self.live.push(LiveSeries {
            site,
            index: known.series.len() - 1,
            value: None,
            is_alternative,
            was_bounded: false,
        });
        Ok(self.live.len() - 1)
    }

    /// Begins a run.
    fn start(&mut self, run: u32) {
        self.run = run;
        for live in &mut self.live {
            live.value = None;
        }
    }

    /// Comes to a case, which is a subtest, and returns whether it has sites of its own.
    fn enter(&mut self, case: Text) -> bool {
        self.cases.enter(&case.0, self.run)
    }

    /// Makes one site of an assertion's cases that a single run had, when all runs have been made.
    fn fold_lone_cases(&mut self) {
        self.cases.fold_lone(&mut self.test);
    }

    /// Takes a value and the bound that it is held against; of a run, the value nearest to failing counts.
    fn see(&mut self, series: usize, value: f64, bound: f64) {
        let Some(live) = self.live.get_mut(series) else {
            return;
        };
        let series = &mut self.test.sites[live.site].series[live.index];
        let is_other = live.was_bounded || series.bound != Some(bound);
        if is_other && !live.was_bounded {
            live.become_margin(series);
        }
        let value = if is_other { value - bound } else { value };
        let is_nearer = |held: f64| match series.role {
            Role::Lower => value < held,
            _ => value > held,
        };
        if live
            .value
            .is_none_or(|held| value.is_nan() || is_nearer(held))
        {
            live.value = Some(value);
        }
    }

    /// Whether a value of the run under way is at its limit or beyond, in a series of this site.
    fn is_beyond(&self, site: usize) -> bool {
        let mut of_site = self.live.iter().filter(|live| live.site == site);
        of_site.any(|live| {
            let limits = limits(self.series_of(live));
            live.value.is_some_and(|value| {
                let above = limits.lower.is_none_or(|lower| value > lower);
                let below = limits.upper.is_none_or(|upper| value < upper);
                !(above && below)
            })
        })
    }

    /// Ends the run: `pass`, `fail` or `skip`, why in one line, the site that failed it, if it was one, and others that
    /// failed after it.
    #[pyo3(signature = (outcome, why=None, failed_site=None, others=Vec::new()))]
    fn end(
        &mut self,
        outcome: &str,
        why: Option<Text>,
        failed_site: Option<usize>,
        others: Vec<usize>,
    ) -> PyResult<()> {
        let outcome = outcome_of(outcome)?;
        for site in failed_site.into_iter().chain(others) {
            let site = self.test.sites.get_mut(site).ok_or_else(no_site)?;
            if site.failed.last() != Some(&self.run) {
                site.failed.push(self.run);
            }
        }
        for live in &self.live {
            if let Some(value) = live.value {
                let series = &mut self.test.sites[live.site].series[live.index];
                series.values.push((self.run, value));
            }
        }
        self.test.runs.push(ObservedRun {
            index: self.run,
            outcome,
            why: why.map(|why| why.0),
            failed_site,
        });
        Ok(())
    }

    /// Takes a hit of a learned site, with the least and the greatest value, on the sides of its tail.
    fn learned(
        &mut self,
        id: (Text, Option<Text>),
        place: (Text, u32),
        text: Text,
        tail: &str,
        extremes: (f64, f64),
    ) -> PyResult<()> {
        let id = SiteId::of_label(&id.0.0).with_case(id.1.map(|case| case.0));
        let place = Place::new(place.0.0, place.1);
        let tail: Tail = tail.parse().map_err(PyValueError::new_err)?;
        for (series, value) in learned::series(&mut self.test, (id, place, text.0), tail, extremes)
        {
            learned::see(&mut self.live, series, value);
        }
        Ok(())
    }

    /// Takes the processor time that a run took.
    fn took(&mut self, run: u32, seconds: f64) {
        self.test.processor_seconds.push((run, seconds));
    }

    /// Returns what the last run showed, by site and series.
    fn values(&self) -> Vec<(usize, usize, f64)> {
        let live = self.live.iter();
        let mut values: Vec<_> = live
            .filter_map(|live| live.value.map(|value| (live.site, live.index, value)))
            .collect();
        values.sort_by_key(|(site, index, _)| (*site, *index));
        values
    }

    /// Returns what a search takes of the last run: a series, its lower and its upper limit, and the value.
    fn hits(&self) -> Vec<Hit> {
        let hits = self.search_hits().into_iter();
        hits.map(|(id, limits, value)| (id.to_string(), limits.lower, limits.upper, value))
            .collect()
    }

    /// Returns how the runs ended, in their order.
    fn outcomes(&self) -> RunOutcomes {
        outcomes_of(&self.test)
    }

    /// Takes what is known of the test when its runs have been made. Seeds that the source states are a call, a file, a
    /// line and a number. Refused are options that no command which repeats a run may have.
    #[pyo3(signature = (*, span, is_stochastic, replay, seconds_per_run, literal_seeds, unseeded, probe, min_passes, notes))]
    #[expect(clippy::too_many_arguments, reason = "they have names in Python")]
    fn describe(
        &mut self,
        span: Option<SpanTuple>,
        is_stochastic: bool,
        replay: ReplayTuple,
        seconds_per_run: f64,
        literal_seeds: Vec<(Text, Text, u32, i64)>,
        unseeded: Vec<Text>,
        probe: Option<&Probe>,
        min_passes: Option<u32>,
        notes: Vec<Text>,
    ) -> PyResult<()> {
        let seed = |(call, file, line, value): (Text, Text, u32, i64)| LiteralSeed {
            call: call.0,
            place: Place::new(file.0, line),
            value,
        };
        let test = &mut self.test;
        test.span = span.map(span_of);
        test.is_stochastic = is_stochastic;
        test.seconds_per_run = seconds_per_run;
        test.first_as_written = !literal_seeds.is_empty();
        test.literal_seeds = literal_seeds.into_iter().map(seed).collect();
        test.unseeded = unseeded.into_iter().map(|words| words.0).collect();
        test.probe = probe.map(|probe| probe.probe.clone());
        test.min_passes = min_passes;
        test.notes = notes.into_iter().map(|words| words.0).collect();
        let (config, options, hash_seed) = replay;
        let options = options.into_iter();
        let replay = RunnerReplay::Pytest(PytestReplay {
            config: config.map(|file| file.0),
            options: options
                .map(|(name, value)| (name.0, value.map(|value| value.0)))
                .collect(),
            hash_seed,
        });
        replay
            .check(&test.id, test.package.as_deref())
            .map_err(PyValueError::new_err)?;
        test.replay = Some(replay);
        Ok(())
    }

    /// Takes runs of this test that were made again later in the same process.
    fn take_repeats(&mut self, again: &TestRecord) {
        take_repeats(&mut self.test, &again.test, RepeatPlace::SameProcess);
    }
}

impl TestRecord {
    /// The last run, as a search takes it.
    pub fn searched(&self, as_written: bool) -> Option<SearchedRun> {
        let run = self.test.runs.last()?;
        Some(SearchedRun {
            index: run.index,
            as_written,
            outcome: run.outcome,
            hits: self.search_hits(),
        })
    }

    /// Takes everything out, so that nothing is kept twice.
    pub fn take(&mut self) -> ObservedTest {
        let name = Text(self.test.name().to_owned());
        let place = self.test.place.clone();
        let empty = TestRecord::new(name, Text(place.file), place.line);
        std::mem::replace(self, empty).test
    }

    fn search_hits(&self) -> Vec<(SiteId, Limits, f64)> {
        let mut hits = Vec::new();
        let mut live: Vec<&LiveSeries> = self.live.iter().collect();
        live.sort_by_key(|live| (live.site, live.index));
        for live in live.into_iter().filter(|live| !live.is_alternative) {
            if let Some(value) = live.value {
                let mut id = self.test.sites[live.site].id.clone();
                // Each series is a site of its own for the search, and another one once its limits are others. Its
                // cases are one, so that runs are enough for the test and not for each of them.
                if live.was_bounded {
                    id.text.push_str(" (margin)");
                }
                let limits = limits(self.series_of(live));
                id.case = match self.cases.is_empty() {
                    true => (live.index > 0).then(|| live.index.to_string()),
                    false => Some(format!("{} {limits:?}", live.index)),
                };
                hits.push((id, limits, value));
            }
        }
        hits
    }

    fn series_of(&self, live: &LiveSeries) -> &Series {
        &self.test.sites[live.site].series[live.index]
    }
}

fn limits(series: &Series) -> Limits {
    match series.role {
        Role::Lower => Limits {
            lower: series.bound,
            upper: None,
        },
        _ => Limits {
            lower: None,
            upper: series.bound,
        },
    }
}

fn no_site() -> PyErr {
    PyIndexError::new_err("there is no such site")
}
