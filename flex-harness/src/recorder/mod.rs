//! The recorder: what the sites of a running test show, on whichever thread they are hit.
//!
//! A recorder lives as long as its test in this process and knows every site that was hit. What a run showed is taken
//! out after it, so that the memory of a site does not grow with the runs. A recorder is found through a thread-local,
//! which [`Scope`] carries to other threads.

mod hit;
mod scope;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use flex_core::sample::Extremes;

use crate::assertion::Assertion;
use crate::entropy::Entropy;
use crate::measure::Measurement;
use flex_run::model::{
    Asks, Fault, Hit, MOST_CASES, RunRecord, Site, SiteId, SiteSpec, too_many_cases,
};
use hit::{SiteOptions, Wanted};
pub use hit::{asserted, close, declared, learned};
pub use scope::{Scope, scope};

/// What a test has shown so far.
#[derive(Debug, Clone)]
pub(crate) struct Recorder {
    recording: Arc<Mutex<Recording>>,
}

#[derive(Debug, Default)]
struct Recording {
    /// Which run is under way. Hits of threads that outlived theirs are refused.
    run: u64,
    light: bool,
    with_messages: bool,
    sites: Vec<KnownSite>,
    hits: Vec<Option<Hit>>,
    /// What made this run fail without stopping it.
    faults: Vec<Fault>,
    /// What is wrong with the test itself, whatever its values are.
    mistakes: Vec<String>,
}

/// A site that was hit, in the order of the first hits.
#[derive(Debug, Clone)]
struct KnownSite {
    assertion: &'static Assertion,
    /// The `name`, if it is not a literal.
    name: Option<String>,
    site: Site,
}

impl Recorder {
    /// A recorder for one test. Messages of assertions are wanted where somebody will read them.
    pub fn new(light: bool, with_messages: bool) -> Self {
        Recorder {
            recording: Arc::new(Mutex::new(Recording {
                light,
                with_messages,
                ..Recording::default()
            })),
        }
    }

    /// Lets `body` be the test that runs on this thread, with this entropy, and returns what it returns.
    pub fn during<T>(&self, entropy: Option<Entropy>, body: impl FnOnce() -> T) -> T {
        let run = {
            let mut recording = self.lock();
            recording.run += 1;
            recording.run
        };
        Scope {
            recorder: self.clone(),
            run,
            entropy,
        }
        .enter(body)
    }

    /// Takes out what the run showed. Hits that come later, from threads that live on, are refused.
    pub fn take(&self, into: &mut RunRecord) {
        let mut recording = self.lock();
        recording.run += 1;
        into.faults.clear();
        std::mem::swap(&mut recording.faults, &mut into.faults);
        std::mem::swap(&mut recording.hits, &mut into.hits);
        recording.hits.clear();
        recording.hits.resize(into.hits.len(), None);
    }

    /// The sites hit so far, from the given one on.
    pub fn sites_from(&self, first: usize) -> Vec<Site> {
        let recording = self.lock();
        let sites = recording.sites.iter().skip(first);
        sites.map(|known| known.site.clone()).collect()
    }

    /// What is wrong with the test itself.
    pub fn mistakes(&self) -> Vec<String> {
        self.lock().mistakes.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Recording> {
        self.recording
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recording {
    fn position(
        &self,
        assertion: &'static Assertion,
        wanted: Wanted<'_>,
        name: Option<&str>,
        case: Option<&str>,
    ) -> Option<usize> {
        let is_learned = matches!(wanted, Wanted::Learned(_));
        self.sites.iter().position(|known| {
            std::ptr::eq(known.assertion, assertion)
                && known.site.id.case.as_deref() == case
                && known.name.as_deref() == name
                && known.site.is_learned() == is_learned
        })
    }

    /// Registers a site, unless something is wrong with it.
    fn register(
        &mut self,
        assertion: &'static Assertion,
        wanted: Wanted<'_>,
        (name, case): (Option<String>, Option<String>),
        sample: Measurement,
        options: SiteOptions,
    ) -> Option<usize> {
        let dynamic = name.is_some() || case.is_some();
        let id = name
            .as_deref()
            .map_or_else(|| assertion.id(), SiteId::of_label);
        let id = id.with_case(case);
        let place = assertion.place();
        let what = format!("`{}` ({place})", assertion.text);
        if id.text.is_empty() {
            self.mistake(format!("{what} has an empty `name`"));
            return None;
        }
        let asks = match wanted {
            Wanted::Declared(bounds) => Asks::Declared(bounds.to_vec()),
            Wanted::Learned(tail) => {
                let (domain, confidence) = match (options.domain, options.confidence) {
                    (Ok(domain), Ok(confidence)) => (domain, confidence),
                    (Err(error), _) | (_, Err(error)) => {
                        self.mistake(format!("{what}: {error}"));
                        return None;
                    }
                };
                Asks::Learned(SiteSpec {
                    tail,
                    domain,
                    light: self.light,
                    confidence,
                })
            }
        };
        let site = Site {
            id,
            asks,
            place,
            text: assertion.text.to_owned(),
            form: assertion.form.to_owned(),
            distance: assertion.distance,
            is_time: sample.is_time,
            is_margin: sample.is_margin,
            is_hard: assertion.hard,
        };
        let mut known = self.sites.iter().map(|known| &known.site);
        if let Some(twin) = known.find(|known| known.key() == site.key()) {
            if !assertion.hard {
                let (other, id) = (&twin.place, site.id.label());
                self.mistake(format!(
                    "{what} and the assertion at {other} have the same id `{id}`; give one of them a `name = \"…\"`"
                ));
            }
            return None;
        }
        let is_dynamic = |known: &&KnownSite| known.name.is_some() || known.site.id.case.is_some();
        if dynamic && self.sites.iter().filter(is_dynamic).count() >= MOST_CASES {
            self.mistake(too_many_cases(&what));
            return None;
        }
        self.sites.push(KnownSite {
            assertion,
            name,
            site,
        });
        self.hits.push(None);
        Some(self.sites.len() - 1)
    }

    fn mistake(&mut self, what: String) {
        if !self.mistakes.contains(&what) {
            self.mistakes.push(what);
        }
    }

    /// Takes a value; whether the message of the assertion is wanted for it.
    fn see(&mut self, index: usize, value: f64, broken: bool) -> bool {
        let hit = &mut self.hits[index];
        match hit {
            None => {
                *hit = Some(Hit {
                    extremes: Extremes::new(value),
                    broken: u32::from(broken),
                    message: None,
                });
                self.with_messages
            }
            Some(hit) => {
                let before = hit.extremes;
                hit.extremes.push(value);
                hit.broken += u32::from(broken);
                self.with_messages && (broken || before != hit.extremes)
            }
        }
    }
}
