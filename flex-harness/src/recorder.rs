//! The recorder: what the sites of a running test show, on whichever thread they are hit.
//!
//! A recorder lives as long as its test in this process and knows every site that was hit. What a run showed is taken
//! out after it, so that the memory of a site does not grow with the runs. A recorder is found through a thread-local,
//! which [`Scope`] carries to other threads.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use flex_core::calibration::SiteSpec;
use flex_core::confidence::Confidence;
use flex_core::sample::Extremes;
use flex_core::tail::{Domain, Tail};

use crate::entropy::Entropy;
use crate::measure::{Measurement, Measurements, difference};
use crate::site::{Ends, Extras, Site, Tolerance};

/// Cases of sites that one test may have.
pub(crate) const MOST_CASES: usize = 100;

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
pub(crate) struct KnownSite {
    pub site: &'static Site,
    pub id: String,
    pub case: Option<String>,
    pub kind: Kind,
    pub is_time: bool,
    /// Whether the samples are differences of two values.
    pub is_margin: bool,
}

impl KnownSite {
    /// Whether its bound is learned.
    pub fn is_learned(&self) -> bool {
        matches!(self.kind, Kind::Learned(_))
    }
}

/// What the source asks of a site.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Learned(SiteSpec),
    Declared(Ends),
}

/// What a site saw in one run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    pub extremes: Extremes,
    /// Hits that broke the declared bound.
    pub broken: u32,
    /// The message of the assertion at the last hit that was more extreme than all before.
    pub message: Option<String>,
}

/// A failure that no bound decides: lengths that differ, NaN where numbers are compared.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fault {
    /// The index of the site.
    pub site: usize,
    pub what: String,
}

/// What one run showed: what each known site saw, and what went wrong.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RunRecord {
    pub seen: Vec<Option<Seen>>,
    pub faults: Vec<Fault>,
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
    pub fn sites_from(&self, first: usize) -> Vec<KnownSite> {
        self.lock()
            .sites
            .get(first..)
            .map(<[_]>::to_vec)
            .unwrap_or_default()
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

impl RunRecord {
    /// Nothing yet.
    pub fn new() -> Self {
        RunRecord {
            seen: Vec::new(),
            faults: Vec::new(),
        }
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Scope>> = const { RefCell::new(None) };
}

/// The running test, to be carried to a thread of its own: see [`scope`].
///
/// Where entropy is controlled, each call of [`scope`] and each clone is a stream of its own.
#[derive(Debug)]
pub struct Scope {
    recorder: Recorder,
    run: u64,
    entropy: Option<Entropy>,
}

impl Clone for Scope {
    fn clone(&self) -> Self {
        Scope {
            recorder: self.recorder.clone(),
            run: self.run,
            entropy: self.entropy.as_ref().map(Entropy::split),
        }
    }
}

/// The test that runs on this thread. Assertions on another thread belong to it once that thread has entered.
///
/// ```
/// # fn spread(rng: &mut flex_harness::TestRng) {
/// use flex_harness::assert_tail_bound;
///
/// let scope = flex_harness::scope();
/// let mut rng = rng.fork();
/// let worker = std::thread::spawn(move || scope.enter(|| assert_tail_bound!(rng.seed_u64() < _)));
/// worker.join().unwrap();
/// # }
/// ```
///
/// # Panics
///
/// If no stochastic test runs on this thread.
pub fn scope() -> Scope {
    CURRENT
        .with_borrow(Clone::clone)
        .unwrap_or_else(|| panic!("{NO_TEST}"))
}

/// Runs are counted from 1 on.
const IN_A_MESSAGE: u64 = 0;

const NO_TEST: &str = "flex: no stochastic test runs on this thread; call `flex_harness::scope()` in the test and \
                       `scope.enter(|| …)` in the thread, or annotate the test with `#[stochastic_test]`";

impl Scope {
    /// Runs `body` as a part of the test.
    pub fn enter<T>(&self, body: impl FnOnce() -> T) -> T {
        /// Puts back what was there before, also when `body` panics.
        struct Restore(Option<Scope>);
        impl Drop for Restore {
            fn drop(&mut self) {
                CURRENT.set(self.0.take());
            }
        }
        let _restore = Restore(CURRENT.replace(Some(self.clone())));
        match &self.entropy {
            Some(entropy) => entropy.during(body),
            None => body(),
        }
    }

    /// The same test and run. Unlike a clone it has no stream of entropy, so a hit draws nothing.
    fn for_one_hit(&self) -> Scope {
        Scope {
            recorder: self.recorder.clone(),
            run: self.run,
            entropy: None,
        }
    }

    /// Makes a message. Calibration makes none, so an assertion in one could never be calibrated.
    fn within_message(&self, message: &dyn Fn() -> String) -> String {
        let hits_nothing = Scope {
            run: IN_A_MESSAGE,
            ..self.for_one_hit()
        };
        hits_nothing.enter(message)
    }

    /// The recording, for one hit of `site`; `None` if the run is over and the site can do without.
    fn lock(&self, site: &Site) -> Option<MutexGuard<'_, Recording>> {
        if self.run == IN_A_MESSAGE && !site.hard {
            panic!(
                "flex: `{}` ({}:{}) stands in the message of another assertion; move it out of there",
                site.text, site.file, site.line
            );
        }
        let recording = self.recorder.lock();
        if recording.run == self.run {
            return Some(recording);
        }
        drop(recording);
        if site.hard {
            return None;
        }
        panic!(
            "flex: `{}` ({}:{}) was hit by a thread that outlived its run of the test; join the thread in the test",
            site.text, site.file, site.line
        );
    }
}

/// A hit of a site whose bound is learned.
pub fn learned(site: &'static Site, tail: Tail, sample: Measurement, extras: Extras<'_>) {
    hit(site, Wanted::Learned(tail), sample, false, extras);
}

/// A hit of a site whose bound is written out; `kept` says whether the value kept it.
pub fn declared(
    site: &'static Site,
    kept: bool,
    sample: Measurement,
    ends: Ends,
    extras: Extras<'_>,
) {
    hit(site, Wanted::Declared(ends), sample, !kept, extras);
}

/// A hit of `assert_close!`.
pub fn close(
    site: &'static Site,
    got: &(impl Measurements + ?Sized),
    want: &(impl Measurements + ?Sized),
    relative: bool,
    tolerance: Tolerance,
    extras: Extras<'_>,
) {
    let difference = difference(got, want, relative);
    let value = *difference.as_ref().unwrap_or(&f64::NAN);
    let sample = |value| Measurement {
        value,
        is_time: false,
        is_margin: matches!(tolerance, Tolerance::Computed(_)),
    };
    let upper = |bound| Ends {
        lower: None,
        upper: Some(bound),
    };
    let index = match tolerance {
        Tolerance::Learned => hit(
            site,
            Wanted::Learned(Tail::Upper),
            sample(value),
            false,
            extras,
        ),
        Tolerance::Literal(bound) => hit(
            site,
            Wanted::Declared(upper(bound)),
            sample(value),
            breaks(value, bound),
            extras,
        ),
        Tolerance::Computed(bound) => hit(
            site,
            Wanted::Declared(upper(0.0)),
            sample(value - bound),
            breaks(value, bound),
            extras,
        ),
    };
    if let (Err(what), Some(index)) = (difference, index) {
        let scope = scope();
        if let Some(mut recording) = scope.lock(site) {
            recording.faults.push(Fault { site: index, what });
        }
    }
}

/// A hit of a plain assertion. Without a sample it compares no numbers, and outside of a running test nobody asks.
pub fn asserted(site: &'static Site, kept: bool, sample: Option<(Measurement, Ends)>) {
    if let Some((sample, ends)) = sample {
        let wanted = Wanted::Declared(ends);
        hit(site, wanted, sample, !kept, Extras::default());
    }
}

/// A tolerance that is not a number is kept by nothing.
fn breaks(difference: f64, tolerance: f64) -> bool {
    difference.is_nan() || tolerance.is_nan() || difference > tolerance
}

/// What a hit asks for, before the options are looked at.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Wanted {
    Learned(Tail),
    Declared(Ends),
}

/// Records a hit and returns the index of its site, if it is one that can be recorded.
fn hit(
    site: &'static Site,
    wanted: Wanted,
    sample: Measurement,
    broken: bool,
    extras: Extras<'_>,
) -> Option<usize> {
    // A copy, since options and messages are the user's code and may enter scopes themselves.
    let Some(scope) = CURRENT.with_borrow(|scope| scope.as_ref().map(Scope::for_one_hit)) else {
        if site.hard {
            return None;
        }
        panic!("{NO_TEST} (`{}`, {}:{})", site.text, site.file, site.line);
    };
    let name = extras.name.map(|name| name());
    let case = extras.case.map(|case| case());
    let mut recording = scope.lock(site)?;
    let known = recording.position(site, wanted, name.as_deref(), case.as_deref());
    let index = match known {
        Some(index) => index,
        None => {
            // The options may hit sites.
            drop(recording);
            let options = Options::of(&extras);
            recording = scope.lock(site)?;
            recording.learn_to_know(site, wanted, (name, case), sample, options)?
        }
    };
    let wants_message = recording.see(index, sample.value, broken);
    drop(recording);
    if wants_message && let Some(message) = extras.message {
        let message = scope.within_message(message);
        if let Some(seen) = &mut scope.lock(site)?.seen[index] {
            seen.message = Some(message);
        }
    }
    Some(index)
}

/// The options of a learned site, checked.
struct Options {
    domain: Result<Option<Domain>, String>,
    confidence: Result<Option<Confidence>, String>,
}

impl Options {
    fn of(extras: &Extras<'_>) -> Self {
        let domain = extras.domain.map(|domain| domain());
        let confidence = extras.confidence.map(|confidence| confidence());
        Options {
            domain: domain
                .map(|(lower, upper)| Domain::new(lower, upper))
                .transpose(),
            confidence: confidence.map(Confidence::new).transpose(),
        }
    }
}

/// What is wrong with a site that has more than [`MOST_CASES`] cases.
pub(crate) fn too_many_cases(site: &str) -> String {
    format!(
        "{site} has more than {MOST_CASES} cases, each of which would need a bound of its own; use fewer values of `case` or `name`"
    )
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
                && known.case.as_deref() == case
                && name.is_none_or(|name| known.id == name)
                && matches!(
                    (known.kind, wanted),
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
        let same_kind = |known: &&KnownSite| {
            matches!(known.kind, Kind::Learned(_)) == matches!(kind, Kind::Learned(_))
        };
        let twin = self
            .sites
            .iter()
            .filter(same_kind)
            .find(|known| known.id == id && known.case == case);
        if let Some(twin) = twin {
            if site.hard {
                return None;
            }
            let other = format!("{}:{}", twin.site.file, twin.site.line);
            self.mistake(format!(
                "{place} and the assertion at {other} have the same id `{id}`; give one of them a `name = \"…\"`"
            ));
            return None;
        }
        let cases = |known: &&KnownSite| known.case.is_some() || known.id != known.site.id();
        if dynamic && self.sites.iter().filter(cases).count() >= MOST_CASES {
            self.mistake(too_many_cases(&place));
            return None;
        }
        self.sites.push(KnownSite {
            site,
            id,
            case,
            kind,
            is_time: sample.is_time,
            is_margin: sample.is_margin,
        });
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A site like that of a plain `assert!(x < 1.0)`.
    static PLAIN: Site = Site {
        text: "x<1.0",
        name: None,
        nth: 1,
        here: || "",
        file: "a.rs",
        line: 1,
        hard: true,
    };

    fn assert_plainly(value: f64) {
        let sample = Measurement {
            value,
            is_time: false,
            is_margin: false,
        };
        let ends = Ends {
            lower: None,
            upper: Some(1.0),
        };
        asserted(&PLAIN, value < 1.0, Some((sample, ends)));
        asserted(&PLAIN, true, None);
    }

    #[test]
    fn plain_assertions_are_recorded_as_declared() {
        let recorder = Recorder::new(false, true);
        let mut record = RunRecord::new();
        recorder.during(None, || [0.5, 2.0].map(assert_plainly));
        recorder.take(&mut record);
        let seen = record.seen[0].as_ref().unwrap();
        assert_eq!((seen.extremes.greatest, seen.broken), (2.0, 1));
        assert_eq!(recorder.sites_from(0)[0].id, "x<1.0");
    }

    #[test]
    fn plain_assertions_need_no_test() {
        assert_plainly(2.0);
        let recorder = Recorder::new(false, true);
        let mut record = RunRecord::new();
        let outlived = recorder.during(None, scope);
        recorder.take(&mut record);
        outlived.enter(|| assert_plainly(2.0));
        recorder.take(&mut record);
        assert!(record.seen.is_empty() && recorder.mistakes().is_empty());
    }
}
