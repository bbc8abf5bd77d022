//! What the sites of a test have shown, whichever thread hit them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use flex_core::bound::confidence::Confidence;
use flex_core::tail::{Domain, Tail};

use crate::assertion::{Assertion, Extras};
use crate::measure::Measurement;
use flex_run::model::{
    About, Asks, ClaimSpec, Comparison, Draws, Fault, Hit, MOST_CASES, Site, SiteId, SiteSpec,
    too_many_cases,
};

/// What a test has shown so far, and the run that is under way.
#[derive(Debug, Default)]
pub(super) struct Recording {
    /// Which run is under way. Hits of threads that outlived theirs are refused.
    pub run: u64,
    /// The seed of that run.
    pub seed: [u8; 32],
    /// How many streams of random numbers [`rng`](crate::rng()) has handed out in that run.
    pub streams: u64,
    pub light: bool,
    pub with_messages: bool,
    pub sites: Vec<KnownSite>,
    pub hits: Vec<Option<Hit>>,
    /// What made this run fail without stopping it.
    pub faults: Vec<Fault>,
    /// Why this run tells nothing of the code, if it said so.
    pub inconclusive: Option<String>,
    /// What is wrong with the test itself, whatever its values are.
    pub mistakes: Vec<String>,
}

/// A site that was hit, in the order of the first hits.
#[derive(Debug, Clone)]
pub(super) struct KnownSite {
    assertion: &'static Assertion,
    /// The `name`, if it is not a literal.
    name: Option<String>,
    pub site: Site,
}

/// What a hit asks for, before the options are looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum HitAsks<'a> {
    Learned(Tail),
    Declared(&'a [Comparison]),
    Claim(&'a ClaimSpec),
}

/// The options of a learned site, checked.
pub(super) struct SiteOptions {
    pub domain: Result<Option<Domain>, String>,
    pub confidence: Result<Option<Confidence>, String>,
}

impl SiteOptions {
    pub fn of(extras: &Extras<'_>) -> Self {
        let domain = extras.domain.map(|domain| domain());
        let confidence = extras.confidence.map(|confidence| confidence());
        SiteOptions {
            domain: domain
                .map(|(lower, upper)| Domain::new(lower, upper))
                .transpose(),
            confidence: confidence.map(Confidence::new).transpose(),
        }
    }
}

/// The ends of the values; a ratio of times is not below 0.
fn ends(assertion: &Assertion, sample: Measurement) -> Option<(f64, f64)> {
    match assertion.is_of_times() && !sample.is_margin {
        true => Some((0.0, f64::INFINITY)),
        false => sample.ends,
    }
}

/// The recording, whatever became of threads that held it.
pub(super) fn locked(recording: &Mutex<Recording>) -> MutexGuard<'_, Recording> {
    recording.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Recording {
    pub fn position(
        &self,
        assertion: &'static Assertion,
        wanted: HitAsks<'_>,
        name: Option<&str>,
        case: Option<&str>,
    ) -> Option<usize> {
        let is_learned = matches!(wanted, HitAsks::Learned(_));
        self.sites.iter().position(|known| {
            std::ptr::eq(known.assertion, assertion)
                && known.site.id.case.as_deref() == case
                && known.name.as_deref() == name
                && known.site.is_learned() == is_learned
        })
    }

    /// A claim that was hit before, and its index.
    pub fn claim(
        &self,
        assertion: &'static Assertion,
        name: Option<&str>,
        case: Option<&str>,
    ) -> Option<(usize, ClaimSpec)> {
        self.sites.iter().enumerate().find_map(|(index, known)| {
            let is_it = std::ptr::eq(known.assertion, assertion)
                && known.site.id.case.as_deref() == case
                && known.name.as_deref() == name;
            Some((index, *known.site.claim().filter(|_| is_it)?))
        })
    }

    /// Registers a site, unless something is wrong with it.
    pub fn register(
        &mut self,
        assertion: &'static Assertion,
        wanted: HitAsks<'_>,
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
            HitAsks::Declared(bounds) => Asks::Declared(bounds.to_vec()),
            HitAsks::Claim(claim) => Asks::Claim(*claim),
            HitAsks::Learned(tail) => {
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
                    about: About::Runs,
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
            is_time: sample.is_time || assertion.is_of_times(),
            is_margin: sample.is_margin,
            ends: ends(assertion, sample).and_then(|(lower, upper)| Domain::new(lower, upper).ok()),
            is_hard: assertion.hard,
        };
        let twin = |known: &KnownSite| known.site.key() == site.key();
        if let Some(index) = self.sites.iter().position(twin) {
            let known = &self.sites[index];
            if std::ptr::eq(known.assertion, assertion) && known.name == name {
                // Another thread hit it first, while this one looked at its options.
                return Some(index);
            }
            if !assertion.hard {
                let (other, id) = (&known.site.place, site.id.label());
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

    pub fn mistake(&mut self, what: String) {
        if !self.mistakes.contains(&what) {
            self.mistakes.push(what);
        }
    }

    /// Takes what a claim drew; whether the message of the assertion is wanted.
    pub fn draw(&mut self, index: usize, draws: Draws) -> bool {
        let hit = &mut self.hits[index];
        let is_first = hit.is_none();
        Hit::draw(hit, draws);
        self.with_messages && is_first
    }

    /// Takes a value; whether the message of the assertion is wanted for it.
    pub fn see(&mut self, index: usize, value: f64, broken: bool) -> bool {
        let hit = &mut self.hits[index];
        match hit {
            None => {
                *hit = Some(Hit {
                    broken: u32::from(broken),
                    ..Hit::of(value)
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
