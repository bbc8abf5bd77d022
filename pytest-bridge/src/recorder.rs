//! What the sites of a running test show, and how that is written down for a calibration.

use std::borrow::Cow;
use std::time::Duration;

use flex_core::bound::confidence::Confidence;
use flex_core::tail::{Domain, Tail};
use flex_run::model::SiteSpec;
use flex_run::model::{
    About, Asks, Draws, Gathered, Hit, MOST_CASES, Place, RecordedRun, RunRecord, Site, SiteId,
    Took, too_many_cases,
};
use flex_run::wire::{self, RecordWriter};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::claim;
use crate::probe::Probe;
use crate::test::Test;
use crate::text::Text;

/// What the runs of one test show, one run at a time.
#[pyclass]
#[derive(Debug, Clone, Default)]
pub struct Recorder {
    light: bool,
    pub sites: Vec<Site>,
    pub record: RunRecord,
    pub mistakes: Vec<String>,
}

#[pymethods]
impl Recorder {
    #[new]
    fn new(light: bool) -> Self {
        Recorder {
            light,
            ..Recorder::default()
        }
    }

    /// A run begins.
    fn start(&mut self) {
        self.record.inconclusive = None;
        self.record.hits.clear();
        self.record.hits.resize(self.sites.len(), None);
    }

    /// The index of a learned site, which is taken up if it is new.
    #[pyo3(signature = (id, case, tail, domain, confidence, place, ends=None))]
    #[expect(
        clippy::too_many_arguments,
        reason = "what Python knows of a site, named there"
    )]
    fn site(
        &mut self,
        id: String,
        case: Option<String>,
        tail: &str,
        domain: Option<(f64, f64)>,
        confidence: Option<f64>,
        place: (String, u32),
        ends: Option<(f64, f64)>,
    ) -> PyResult<usize> {
        let place = Place::new(place.0, place.1);
        let id = SiteId::of_label(&id).with_case(case);
        let tail: Tail = tail.parse().map_err(PyValueError::new_err)?;
        let domain = domain.map(|(lower, upper)| Domain::new(lower, upper));
        let confidence = confidence.map(Confidence::new);
        let asks = Asks::Learned(SiteSpec {
            tail,
            domain: domain.transpose().map_err(PyValueError::new_err)?,
            light: self.light,
            confidence: confidence.transpose().map_err(PyValueError::new_err)?,
            about: About::Runs,
        });
        let site = Site {
            ends: ends.and_then(|(lower, upper)| Domain::new(lower, upper).ok()),
            ..Site::new(id, asks, place)
        };
        self.register(site, "tail, domain or confidence")
    }

    /// The index of a site that claims something of all runs, which is taken up if it is new.
    #[pyo3(signature = (id, case, family, compared, options, place))]
    fn claim(
        &mut self,
        id: String,
        case: Option<String>,
        family: &str,
        compared: Option<(String, Option<f64>)>,
        options: &Bound<'_, PyDict>,
        place: (String, u32),
    ) -> PyResult<usize> {
        let compared = compared.as_ref().map(|(sign, bound)| (&**sign, *bound));
        let asks = Asks::Claim(claim::read(family, compared, options)?);
        let id = SiteId::of_label(&id).with_case(case);
        let site = Site::new(id, asks, Place::new(place.0, place.1));
        self.register(site, "its bound or its options")
    }

    /// What a claim drew; of two things, or of where values begin and end in their law, both.
    #[pyo3(signature = (index, first, second=Vec::new()))]
    fn draw(&mut self, index: usize, first: Vec<f64>, second: Vec<f64>) {
        if let Some(hit) = self.record.hits.get_mut(index) {
            Hit::draw(hit, Draws { first, second });
        }
    }

    /// A hit: the least and the greatest of the values that were compared, which may be one.
    fn see(&mut self, index: usize, least: f64, greatest: f64) {
        let Some(hit) = self.record.hits.get_mut(index) else {
            return;
        };
        match hit {
            Some(hit) => {
                hit.extremes.push(least);
                hit.extremes.push(greatest);
            }
            None => {
                let mut first = Hit::of(least);
                first.extremes.push(greatest);
                *hit = Some(first);
            }
        }
    }

    /// Takes what another process recorded of one run, in the place of this one; why it failed by itself, if it did.
    fn absorb(&mut self, record: &[u8]) -> PyResult<Option<String>> {
        let record =
            wire::read(record).map_err(|error| PyValueError::new_err(error.to_string()))?;
        for mistake in &record.mistakes {
            self.mistake(mistake.clone());
        }
        self.start();
        if let Some((_, why)) = record.inconclusive.last() {
            self.record.inconclusive = Some(why.clone());
            return Ok(None);
        }
        let failure = match record.runs().last() {
            Some((run, _)) => run.failure.clone(),
            None => return Ok(Some("the process made no run".to_owned())),
        };
        self.gather(|gathered| gathered.take_last(&record));
        Ok(failure)
    }

    /// Why the run tells nothing of the code, if it said so.
    #[getter]
    fn get_inconclusive(&self) -> Option<&str> {
        self.record.inconclusive.as_deref()
    }

    #[setter]
    fn set_inconclusive(&mut self, why: Text) {
        self.record.inconclusive = Some(why.0);
    }

    /// What is wrong with the test itself, whatever its values are.
    #[getter]
    fn mistakes(&self) -> Vec<String> {
        self.mistakes.clone()
    }

    /// Something is wrong with the test itself.
    fn add_mistake(&mut self, what: String) {
        self.mistake(what);
    }
}

impl Recorder {
    /// Lets runs be taken that somebody else recorded.
    pub fn gather<T>(&mut self, take: impl FnOnce(&mut Gathered) -> T) -> T {
        let mut gathered = Gathered {
            sites: std::mem::take(&mut self.sites),
            record: std::mem::take(&mut self.record),
        };
        let taken = take(&mut gathered);
        (self.sites, self.record) = (gathered.sites, gathered.record);
        taken
    }

    /// The index of a site, which is taken up if it is new; what it asks for stays the same, which is what in words.
    fn register(&mut self, site: Site, what: &str) -> PyResult<usize> {
        if let Some(index) = self.position(&site) {
            let known = &self.sites[index];
            if known.asks != site.asks {
                return Err(self.mistake(format!(
                    "`{}` ({}) differs in {what} from what it was at {}; give each its own `name`",
                    site.id.label(),
                    site.place,
                    known.place
                )));
            }
            return Ok(index);
        }
        let cases = self.sites.iter().filter(|known| known.id.case.is_some());
        if site.id.case.is_some() && cases.count() >= MOST_CASES {
            let site = format!("`{}` ({})", site.id.label(), site.place);
            return Err(self.mistake(too_many_cases(&site)));
        }
        Ok(self.add(site))
    }

    fn position(&self, site: &Site) -> Option<usize> {
        self.sites.iter().position(|known| known.id == site.id)
    }

    fn add(&mut self, site: Site) -> usize {
        self.sites.push(site);
        self.record.hits.push(None);
        self.sites.len() - 1
    }

    fn mistake(&mut self, what: String) -> PyErr {
        if !self.mistakes.contains(&what) {
            self.mistakes.push(what.clone());
        }
        PyValueError::new_err(what)
    }
}

/// The record of the runs that one process makes of one test, for [`Calibration`](crate::calibration::Calibration).
#[pyclass]
#[derive(Debug)]
pub struct Recording {
    writer: RecordWriter<Vec<u8>>,
}

#[pymethods]
impl Recording {
    #[new]
    fn new(test: &Test) -> PyResult<Self> {
        let writer = RecordWriter::new(Vec::new(), &test.test).map_err(unwritten)?;
        Ok(Recording { writer })
    }

    /// A run has ended, by itself with a failure or not.
    #[pyo3(signature = (index, failure, recorder))]
    fn run(&mut self, index: u32, failure: Option<&str>, recorder: &Recorder) -> PyResult<()> {
        let run = RecordedRun {
            index,
            drew: false,
            failure: failure.map(str::to_owned),
        };
        self.writer
            .run(run, &recorder.sites, &recorder.record)
            .map_err(unwritten)
    }

    /// Adds what the claims of the last run drew, for a process that decides them by single runs.
    fn draws(&mut self, recorder: &Recorder) {
        self.writer.draws(&recorder.record);
    }

    /// The record so far, after so many seconds of runs, with what all of them touched if that was watched.
    #[pyo3(signature = (seconds, recorder, probe=None))]
    fn record(
        &self,
        seconds: f64,
        recorder: &Recorder,
        probe: Option<&Probe>,
    ) -> PyResult<Cow<'static, [u8]>> {
        let took = Took {
            all: Duration::try_from_secs_f64(seconds).unwrap_or_default(),
            slowest: None,
        };
        let mut writer = self.writer.clone();
        if let Some(probe) = probe {
            writer.probe(&probe.probe);
        }
        writer.end(&recorder.mistakes, took).map_err(unwritten)?;
        Ok(Cow::Owned(writer.into_inner()))
    }
}

fn unwritten(error: std::io::Error) -> PyErr {
    PyOSError::new_err(error.to_string())
}
