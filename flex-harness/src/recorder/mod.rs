//! The recorder: what the sites of a running test show, on whichever thread they are hit.
//!
//! A recorder lives as long as its test in this process and knows every site that was hit. What a run showed is taken
//! out after it, so that the memory of a site does not grow with the runs. A recorder is found through a thread-local,
//! which [`Scope`] carries to other threads.

mod hit;
mod scope;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use flex_core::calibration::SiteSpec;
use flex_core::sample::Extremes;

use crate::entropy::Entropy;
use crate::measure::Measurement;
use crate::site::Site;
use flex_run::model::run::{
    Fault, Kind, MOST_CASES, RunRecord, Seen, SiteRecord, Written, too_many_cases,
};
use hit::{Options, Wanted};
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
    seen: Vec<Option<Seen>>,
    /// What made this run fail without stopping it.
    faults: Vec<Fault>,
    /// What is wrong with the test itself, whatever its values are.
    mistakes: Vec<String>,
}

/// A site that was hit, in the order of the first hits.
#[derive(Debug, Clone)]
struct KnownSite {
    site: &'static Site,
    record: SiteRecord,
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
        std::mem::swap(&mut recording.seen, &mut into.seen);
        recording.seen.clear();
        recording.seen.resize(into.seen.len(), None);
    }

    /// The sites hit so far, from the given one on.
    pub fn sites_from(&self, first: usize) -> Vec<SiteRecord> {
        let recording = self.lock();
        let sites = recording.sites.iter().skip(first);
        sites.map(|known| known.record.clone()).collect()
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
        site: &'static Site,
        wanted: Wanted,
        name: Option<&str>,
        case: Option<&str>,
    ) -> Option<usize> {
        self.sites.iter().position(|known| {
            std::ptr::eq(known.site, site)
                && known.record.case.as_deref() == case
                && name.is_none_or(|name| known.record.id == name)
                && matches!(
                    (known.record.kind, wanted),
                    (Kind::Learned(_), Wanted::Learned(_))
                        | (Kind::Declared(_), Wanted::Declared(_))
                )
        })
    }

    /// Takes a site up, unless something is wrong with it.
    fn learn_to_know(
        &mut self,
        site: &'static Site,
        wanted: Wanted,
        (name, case): (Option<String>, Option<String>),
        sample: Measurement,
        options: Options,
    ) -> Option<usize> {
        let dynamic = name.is_some() || case.is_some();
        let id = name.unwrap_or_else(|| site.id());
        let place = format!("`{}` ({}:{})", site.text, site.file, site.line);
        if id.is_empty() {
            self.mistake(format!("{place} has an empty `name`"));
            return None;
        }
        let kind = match wanted {
            Wanted::Declared(ends) => Kind::Declared(ends),
            Wanted::Learned(tail) => {
                let (domain, confidence) = match (options.domain, options.confidence) {
                    (Ok(domain), Ok(confidence)) => (domain, confidence),
                    (Err(error), _) | (_, Err(error)) => {
                        self.mistake(format!("{place}: {error}"));
                        return None;
                    }
                };
                Kind::Learned(SiteSpec {
                    tail,
                    domain,
                    light: self.light,
                    confidence,
                })
            }
        };
        let records = || self.sites.iter().map(|known| &known.record);
        let twin = records()
            .filter(|known| known.is_learned() == matches!(kind, Kind::Learned(_)))
            .find(|known| known.id == id && known.case == case);
        if let Some(twin) = twin {
            if site.hard {
                return None;
            }
            let other = twin.place.clone();
            self.mistake(format!(
                "{place} and the assertion at {other} have the same id `{id}`; give one of them a `name = \"…\"`"
            ));
            return None;
        }
        let cases =
            |known: &&KnownSite| known.record.case.is_some() || known.record.id != known.site.id();
        if dynamic && self.sites.iter().filter(cases).count() >= MOST_CASES {
            self.mistake(too_many_cases(&place));
            return None;
        }
        let record = SiteRecord {
            id,
            case,
            kind,
            is_time: sample.is_time,
            is_margin: sample.is_margin,
            is_hard: site.hard,
            place: format!("{}:{}", site.file, site.line),
            written: Written {
                text: site.text.to_owned(),
                form: site.form.to_owned(),
                distance: site.distance,
            },
        };
        self.sites.push(KnownSite { site, record });
        self.seen.push(None);
        Some(self.sites.len() - 1)
    }

    fn mistake(&mut self, what: String) {
        if !self.mistakes.contains(&what) {
            self.mistakes.push(what);
        }
    }

    /// Takes a value; whether the message of the assertion is wanted for it.
    fn see(&mut self, index: usize, value: f64, broken: bool) -> bool {
        let seen = &mut self.seen[index];
        match seen {
            None => {
                *seen = Some(Seen {
                    extremes: Extremes::new(value),
                    broken: u32::from(broken),
                    message: None,
                });
                self.with_messages
            }
            Some(seen) => {
                let before = seen.extremes;
                seen.extremes.push(value);
                seen.broken += u32::from(broken);
                self.with_messages && (broken || before != seen.extremes)
            }
        }
    }
}
