//! What the assertions record, seen by a recorder that stands in for the one of `flex-harness`.

#![expect(missing_docs, reason = "a test")]

extern crate flex_harness as real;
/// The macros expand to paths into this crate.
extern crate self as flex_harness;

use std::cell::RefCell;
use std::time::Duration;

use real::{assert_close, assert_tail_bound};

pub mod __private {
    pub use real::__private::{
        Assertion, Comparison, Distance, Extras, IntoDomain, Measurement, Operator, Tail,
        Tolerance, margin, measured,
    };
    pub use recorder::{close, declared, learned};

    use crate::recorder;
}

/// A value between its bounds: `0 < 3 <= 5`.
fn shown(value: f64, bounds: &[__private::Comparison]) -> String {
    use __private::Operator::{AtLeast, AtMost, Greater, Less};
    let (mut lower, mut upper) = ("..".to_owned(), "..".to_owned());
    let (mut above, mut below) = ("<", "<");
    for bound in bounds {
        let (end, operator) = match bound.operator {
            Less | AtMost => (&mut upper, &mut below),
            Greater | AtLeast => (&mut lower, &mut above),
        };
        *end = bound.bound.to_string();
        if matches!(bound.operator, AtMost | AtLeast) {
            *operator = "<=";
        }
    }
    format!("{lower} {above} {value} {below} {upper}")
}

mod recorder {
    use super::shown;
    use super::{HITS, Hit};
    use real::__private::{Assertion, Comparison, Extras, Measurement, Tail, Tolerance};

    pub fn learned(site: &'static Assertion, tail: Tail, sample: Measurement, extras: Extras<'_>) {
        record(site, format!("{tail:?} {}", sample.value), extras);
    }

    pub fn declared(
        site: &'static Assertion,
        kept: bool,
        sample: Measurement,
        bounds: &[Comparison],
        extras: Extras<'_>,
    ) {
        let kept = if kept { "kept" } else { "broken" };
        let what = format!("{kept} {}", shown(sample.value, bounds));
        record(site, what, extras);
    }

    pub fn close<T: std::fmt::Debug + ?Sized, U: std::fmt::Debug + ?Sized>(
        site: &'static Assertion,
        got: &T,
        want: &U,
        relative: bool,
        tolerance: Tolerance,
        extras: Extras<'_>,
    ) {
        let kind = if relative { "rel" } else { "abs" };
        record(
            site,
            format!("{got:?} {want:?} {kind} {tolerance:?}"),
            extras,
        );
    }

    fn record(site: &'static Assertion, what: String, extras: Extras<'_>) {
        let mut said = Vec::new();
        said.extend(site.name.map(|name| format!("name {name}")));
        said.extend(extras.name.map(|name| format!("name {}", name())));
        said.extend(extras.case.map(|case| format!("case {}", case())));
        said.extend(extras.domain.map(|domain| format!("domain {:?}", domain())));
        said.extend(
            extras
                .confidence
                .map(|confidence| format!("confidence {}", confidence())),
        );
        said.extend(extras.message.map(|message| message()));
        HITS.with_borrow_mut(|hits| {
            hits.push(Hit {
                site,
                what,
                said: said.join(", "),
            });
        });
    }
}

struct Hit {
    site: &'static real::__private::Assertion,
    what: String,
    said: String,
}

thread_local! {
    static HITS: RefCell<Vec<Hit>> = const { RefCell::new(Vec::new()) };
}

fn hits(body: impl FnOnce()) -> Vec<Hit> {
    body();
    HITS.take()
}

/// What the body records, as the given text.
#[track_caller]
fn check(body: impl FnOnce(), expected: &str) {
    let hits = hits(body);
    let what = hits.iter().map(|hit| hit.what.as_str());
    assert_eq!(what.collect::<Vec<_>>().join("; "), expected);
}

#[test]
fn learned_bounds_know_their_tail() {
    let x = 2.5;
    check(|| assert_tail_bound!(x < _), "Upper 2.5");
    check(|| assert_tail_bound!(x <= _), "Upper 2.5");
    check(|| assert_tail_bound!(_ > x), "Upper 2.5");
    check(|| assert_tail_bound!(_ >= x), "Upper 2.5");
    check(|| assert_tail_bound!(x > _), "Lower 2.5");
    check(|| assert_tail_bound!(x >= _), "Lower 2.5");
    check(|| assert_tail_bound!(_ < x), "Lower 2.5");
    check(|| assert_tail_bound!(_ < x < _), "Both 2.5");
    check(|| assert_tail_bound!(_ >= x > _), "Both 2.5");
    let n = 3u8;
    check(|| assert_tail_bound!(n as f64 - x < _), "Upper 0.5");
    check(
        || assert_tail_bound!(Duration::from_millis(5) < _),
        "Upper 0.005",
    );
}

#[test]
fn declared_bounds_that_are_literals_are_the_ends() {
    let x = 0.25f32;
    check(|| assert_tail_bound!(x < 0.05), "broken .. < 0.25 < 0.05");
    check(|| assert_tail_bound!(0.05 > x), "broken .. < 0.25 < 0.05");
    check(|| assert_tail_bound!(x > -0.05), "kept -0.05 < 0.25 < ..");
    check(|| assert_tail_bound!(-0.05 < x), "kept -0.05 < 0.25 < ..");
    check(
        || assert_tail_bound!(0.1 < x < 0.9),
        "kept 0.1 < 0.25 < 0.9",
    );
    check(
        || assert_tail_bound!(0.9 > x > 0.5),
        "broken 0.5 < 0.25 < 0.9",
    );
    check(|| assert_tail_bound!(x <= 0.25), "kept .. < 0.25 <= 0.25");
    let n = 7_000_000_000u64;
    check(
        || assert_tail_bound!(n < 5_000_000_000),
        "broken .. < 7000000000 < 5000000000",
    );
}

#[test]
fn other_declared_bounds_are_margins() {
    let (x, low, high) = (3.0, 1.0, 5.0);
    check(|| assert_tail_bound!(x < high), "kept .. < -2 < 0");
    check(|| assert_tail_bound!(x > high), "broken 0 < -2 < ..");
    check(|| assert_tail_bound!(low < x < high), "kept .. < -2 < 0");
    check(
        || assert_tail_bound!(low < x + 1.0 < high),
        "kept .. < -1 < 0",
    );
    check(
        || assert_tail_bound!(high > x > low + 1.5),
        "kept 0 < 0.5 < ..",
    );
    check(|| assert_tail_bound!(0.0 < x < high), "kept .. < -2 < 0");
    let times = [3u64, 5].map(Duration::from_secs);
    check(
        || assert_tail_bound!(times[0] < times[1]),
        "kept .. < -2 < 0",
    );
}

#[test]
fn chains_can_be_half_learned() {
    let (x, low) = (3, 1);
    check(|| assert_tail_bound!(0 < x < _), "kept 0 < 3 < ..; Upper 3");
    check(
        || assert_tail_bound!(_ < x < 2),
        "broken .. < 3 < 2; Lower 3",
    );
    check(
        || assert_tail_bound!(low < x < _),
        "kept .. < -2 < 0; Upper 3",
    );
}

#[test]
fn operands_are_evaluated_once_and_in_order() {
    let order = RefCell::new(Vec::new());
    let say = |value: f64| {
        order.borrow_mut().push(value);
        value
    };
    check(
        || assert_tail_bound!(say(1.0) < say(2.0) < say(3.0)),
        "kept .. < -1 < 0",
    );
    check(
        || assert_tail_bound!(say(4.0) > say(5.0)),
        "broken 0 < -1 < ..",
    );
    check(
        || assert_tail_bound!(0.0 < say(6.0) < _),
        "kept 0 < 6 < ..; Upper 6",
    );
    check(
        || assert_close!(say(7.0), say(8.0), abs = say(9.0)),
        "7.0 8.0 abs Computed(9.0)",
    );
    assert_eq!(
        *order.borrow(),
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]
    );
}

#[test]
fn closeness_has_a_tolerance() {
    let got = vec![1.0, 2.0];
    check(
        || assert_close!(got, [1.0, 2.0], abs = _),
        "[1.0, 2.0] [1.0, 2.0] abs Learned",
    );
    check(
        || assert_close!(got[..1], [1.0], rel = 1e-9),
        "[1.0] [1.0] rel Literal(1e-9)",
    );
    check(
        || assert_close!(1, 2, name = "a", abs = 2u8 + 1,),
        "1 2 abs Computed(3.0)",
    );
    check(
        || assert_close!(1.0f32, 2.0f32, rel = 0),
        "1.0 2.0 rel Literal(0.0)",
    );
}

#[test]
fn details_are_carried_over() {
    let check = |body: fn(f64), expected: &str| {
        let hits = hits(|| body(0.5));
        assert_eq!(hits[0].said, expected);
    };
    check(|x| assert_tail_bound!(x < _), "");
    check(|x| assert_tail_bound!(x < _, name = "a"), "name a");
    check(
        |x| assert_tail_bound!(x < _, name = format!("n{x}"), case = x),
        "name n0.5, case 0.5",
    );
    check(
        |x| {
            assert_tail_bound!(
                x < _,
                domain = 0.0..=1.0,
                confidence = 1.0 - 0.25,
                "{x} of {}",
                1 < 2
            )
        },
        "domain (0.0, 1.0), confidence 0.75, 0.5 of true",
    );
    check(|x| assert_tail_bound!(x < 0.9, "plain"), "plain");
    check(
        |x| assert_close!(x, 1.0, domain = 0.., abs = _, "{y}", y = x),
        "domain (0.0, inf), 0.5",
    );
}

#[test]
fn texts_and_lines_are_those_of_the_source() {
    let hits = hits(|| {
        assert_tail_bound!(f64::max(1.0, 2.0,) < _, name = "a", "message");
        assert_close!(1.0, [2.0][0], case = 3, rel = _);
    });
    assert_eq!(hits[0].site.text, "f64::max(1.0,2.0)<_");
    assert_eq!(hits[1].site.text, "close(1.0,[2.0][0],rel=_)");
    assert_eq!(hits[1].site.line, hits[0].site.line + 1);
    assert!(hits[0].site.file.ends_with("expansion.rs"));
    assert_eq!(hits[0].site.nth, 0);
}

#[test]
fn a_comparison_may_come_from_another_macro() {
    macro_rules! bounded {
        ($comparison:expr) => {
            assert_tail_bound!($comparison, "{}", 1)
        };
        ($left:expr, $operator:tt, $right:expr) => {
            assert_tail_bound!($left $operator $right)
        };
    }
    check(|| bounded!(1 + 1 < 3), "kept .. < 2 < 3");
    check(|| bounded!(1 + 1 < _), "Upper 2");
    check(|| bounded!(1 + 1, <=, 2), "kept .. < 2 <= 2");
    check(|| bounded!(1 + 1, >, _), "Lower 2");
}

#[test]
fn names_of_the_user_do_not_clash() {
    mod core {}
    mod std {}
    struct Some;
    struct Option;
    let (site, left, here, extras, value) = (1.0, 2.0, 3.0, 4.0, 5.0);
    check(
        || assert_tail_bound!(site + left < here + extras + value, case = value, "{site}"),
        "kept .. < -9 < 0",
    );
    let _ = (Some, Option);
}

mod places {
    use real::assert_tail_bound;

    pub mod nested {
        pub fn helper() {
            real::assert_tail_bound!(size_of::<u8>() < _);
        }
    }

    pub fn generic<T: Default + Copy, const N: usize>() {
        let run = || [T::default(); N].map(|_| assert_tail_bound!(N < _));
        run();
    }

    pub struct Holder<T>(pub T);

    impl<T> Holder<Vec<T>> {
        pub fn method(&self) {
            assert_tail_bound!(self.0.len() < _);
        }
    }

    pub trait Tested {
        fn tested(&self);
        fn provided(&self) {
            assert_tail_bound!(1 + 1 < _);
        }
    }

    impl<T> Tested for Holder<T> {
        fn tested(&self) {
            let run = || assert_tail_bound!(1 + 1 < _);
            run();
        }
    }
}

#[test]
fn sites_know_the_function_around_them() {
    use places::{Holder, Tested};
    let here = |body: fn()| (hits(body)[0].site.here)();
    let check = |body, expected: &str| {
        let function = here(body).strip_suffix("::__flex_here");
        assert_eq!(function, Some(expected));
    };
    check(places::nested::helper, "expansion::places::nested::helper");
    // No generics of functions, so that all instances share one site.
    check(
        places::generic::<char, 1>,
        "expansion::places::generic::{{closure}}::{{closure}}",
    );
    check(
        || Holder(vec![1u8]).method(),
        "expansion::places::Holder<alloc::vec::Vec<_>>::method",
    );
    check(
        || Holder(1).tested(),
        "<expansion::places::Holder<_> as expansion::places::Tested>::tested::{{closure}}",
    );
    check(
        || Holder(1).provided(),
        "expansion::places::Tested::provided",
    );
}

#[test]
fn sites_know_how_they_are_written() {
    use real::__private::Distance;
    let check = |body: fn(), form: &str, distance| {
        let site = hits(body)[0].site;
        assert_eq!((site.form, site.distance), (form, distance));
    };
    check(
        || assert_tail_bound!(f64::from(1u8) < _),
        "assert_tail_bound!",
        None,
    );
    let close = "assert_close!";
    check(
        || assert_close!(1.0, 2.0, abs = _),
        close,
        Some(Distance::Absolute),
    );
    check(
        || assert_close!(1.0, 2.0, rel = 3.0),
        close,
        Some(Distance::Relative),
    );
}
