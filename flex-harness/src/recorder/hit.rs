//! Hits: what the macros call when an assertion is reached.

use flex_core::tail::Tail;

use super::recording::{HitAsks, SiteOptions};
use super::scope::{CURRENT, OBSERVED, Scope, no_test, scope};
use crate::assertion::{Assertion, Extras, Tolerance};
use crate::measure::{Measurement, Measurements, difference};
use flex_run::model::{Comparison, Fault, Operator};

/// A hit of a site whose bound is learned.
pub fn learned(site: &'static Assertion, tail: Tail, sample: Measurement, extras: Extras<'_>) {
    hit(site, HitAsks::Learned(tail), sample, false, extras);
}

/// A hit of a site whose bound is written out; `kept` says whether the value kept it.
pub fn declared(
    site: &'static Assertion,
    kept: bool,
    sample: Measurement,
    bounds: &[Comparison],
    extras: Extras<'_>,
) {
    hit(site, HitAsks::Declared(bounds), sample, !kept, extras);
}

/// A hit of `assert_close!`.
pub fn close(
    site: &'static Assertion,
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
        ends: None,
    };
    let at_most = |bound| [Comparison::new(Operator::AtMost, bound)];
    let index = match tolerance {
        Tolerance::Learned => hit(
            site,
            HitAsks::Learned(Tail::Upper),
            sample(value),
            false,
            extras,
        ),
        Tolerance::Literal(bound) => hit(
            site,
            HitAsks::Declared(&at_most(bound)),
            sample(value),
            breaks(value, bound),
            extras,
        ),
        Tolerance::Computed(bound) => hit(
            site,
            HitAsks::Declared(&at_most(0.0)),
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
pub fn asserted(site: &'static Assertion, kept: bool, sample: Option<(Measurement, Comparison)>) {
    if let Some((sample, bound)) = sample {
        let wanted = HitAsks::Declared(&[bound]);
        hit(site, wanted, sample, !kept, Extras::default());
    }
}

/// A tolerance that is not a number is kept by nothing.
fn breaks(difference: f64, tolerance: f64) -> bool {
    difference.is_nan() || tolerance.is_nan() || difference > tolerance
}

/// The running test; `None` if there is none and the site can do without.
pub(super) fn current(site: &'static Assertion) -> Option<Scope> {
    // A copy, since options and messages are the user's code and may enter scopes themselves.
    let of = |scope: &Option<Scope>| scope.as_ref().map(Scope::for_one_hit);
    let mut scope = CURRENT.with_borrow(of);
    if scope.is_none() && site.hard {
        scope = OBSERVED.with_borrow(of);
    }
    if scope.is_none() && !site.hard {
        let why = no_test();
        panic!("{why} (`{}`, {}:{})", site.text, site.file, site.line);
    }
    scope
}

/// Records a hit and returns the index of its site, if it is one that can be recorded.
fn hit(
    site: &'static Assertion,
    wanted: HitAsks<'_>,
    sample: Measurement,
    broken: bool,
    extras: Extras<'_>,
) -> Option<usize> {
    let scope = current(site)?;
    let name = extras.name.map(|name| name());
    let case = extras.case.map(|case| case());
    let mut recording = scope.lock(site)?;
    let known = recording.position(site, wanted, name.as_deref(), case.as_deref());
    let index = match known {
        Some(index) => index,
        None => {
            // The options may hit sites.
            drop(recording);
            let options = SiteOptions::of(&extras);
            recording = scope.lock(site)?;
            recording.register(site, wanted, (name, case), sample, options)?
        }
    };
    let wants_message = recording.see(index, sample.value, broken);
    drop(recording);
    if wants_message && let Some(message) = extras.message {
        let message = scope.within_message(message);
        if let Some(hit) = &mut scope.lock(site)?.hits[index] {
            hit.message = Some(message);
        }
    }
    Some(index)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::Recorder;
    use flex_run::model::RunRecord;

    /// A site like that of a plain `assert!(x < 1.0)`.
    static PLAIN: Assertion = Assertion {
        text: "x<1.0",
        form: "assert!",
        distance: None,
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
            ends: None,
        };
        let bound = Comparison::new(Operator::Less, 1.0);
        asserted(&PLAIN, value < 1.0, Some((sample, bound)));
        asserted(&PLAIN, true, None);
    }

    #[test]
    fn plain_assertions_are_recorded_as_declared() {
        let recorder = Recorder::new(false, true);
        let mut record = RunRecord::default();
        recorder.during([0; 32], None, || [0.5, 2.0].map(assert_plainly));
        recorder.take(&mut record);
        let hit = record.hit(0).unwrap();
        assert_eq!((hit.extremes.greatest, hit.broken), (2.0, 1));
        assert_eq!(recorder.sites_from(0)[0].id, "x<1.0".into());
    }

    #[test]
    fn threads_may_hit_a_site_for_the_first_time_together() {
        static SITE: Assertion = Assertion {
            hard: false,
            ..PLAIN
        };
        let recorder = Recorder::new(false, true);
        let mut record = RunRecord::default();
        // Each thread looks at the options, since neither found the site, before either registers it.
        let both = std::sync::Barrier::new(2);
        let domain = || {
            both.wait();
            (0.0, 1.0)
        };
        recorder.during([0; 32], None, || {
            let scope = scope();
            let hit = |value| {
                let sample = Measurement {
                    value,
                    is_time: false,
                    is_margin: false,
                    ends: None,
                };
                let extras = Extras {
                    domain: Some(&domain),
                    ..Extras::default()
                };
                scope.enter(|| learned(&SITE, Tail::Upper, sample, extras));
            };
            std::thread::scope(|threads| {
                threads.spawn(|| hit(0.25));
                threads.spawn(|| hit(0.5));
            });
        });
        recorder.take(&mut record);
        assert_eq!(recorder.mistakes(), Vec::<String>::new());
        let extremes = record.hit(0).unwrap().extremes;
        assert_eq!((extremes.least, extremes.greatest), (0.25, 0.5));
        assert_eq!(recorder.sites_from(0).len(), 1);
    }

    #[test]
    fn plain_assertions_need_no_test() {
        assert_plainly(2.0);
        let recorder = Recorder::new(false, true);
        let mut record = RunRecord::default();
        let outlived = recorder.during([0; 32], None, scope);
        recorder.take(&mut record);
        outlived.enter(|| assert_plainly(2.0));
        recorder.take(&mut record);
        assert!(record.hits.is_empty() && recorder.mistakes().is_empty());
    }
}
