//! Plain assertions in a stochastic test: what is recorded of them, and that nothing else about them changes.

#![expect(missing_docs, reason = "a test")]
#![expect(
    clippy::assertions_on_constants,
    clippy::bool_assert_comparison,
    clippy::cmp_owned,
    clippy::neg_cmp_op_on_partial_ord,
    clippy::nonminimal_bool,
    clippy::op_ref,
    clippy::unwrap_used,
    reason = "odd assertions are what is tested"
)]

extern crate flex_harness as real;
/// The macros expand to paths into this crate.
extern crate self as flex_harness;

pub use real::__identity;

/// Stands in for the library: a test is run by hand, and what it records is kept here.
pub mod __private {
    pub use real::__private::{
        Assertion, Comparison, Distance, Ending, Identity, Measurement, Nearness, NotMeasured,
        NotScalar, Operand, Operands, Operator, Options, Sampled,
    };

    use crate::HITS;

    pub struct StochasticTest {
        pub identity: Identity,
        pub options: Options,
        pub fingerprint: &'static str,
        pub body: fn(&mut ()) -> Result<(), String>,
    }

    pub struct Registration(pub &'static StochasticTest);

    pub mod inventory {
        pub use crate::submit;
    }

    pub fn run(test: &'static StochasticTest) {
        let _ = (&test.identity, &test.options, test.fingerprint);
    }

    pub fn asserted(
        site: &'static Assertion,
        kept: bool,
        sample: Option<(Measurement, Comparison)>,
    ) {
        assert!(site.hard && site.file.contains("asserted"));
        let number = if site.nth > 1 {
            format!("#{}", site.nth)
        } else {
            String::new()
        };
        let sample = sample.map_or(
            "nothing".to_owned(),
            |(sample, Comparison { operator, bound })| {
                // Twelve digits are enough to tell values apart, and hide the last bits of a difference.
                let value = (sample.value * 1e12).round() / 1e12;
                match operator {
                    Operator::Less => format!(".. < {value} < {bound}"),
                    Operator::AtMost => format!(".. < {value} <= {bound}"),
                    Operator::Greater => format!("{bound} < {value} < .."),
                    Operator::AtLeast => format!("{bound} <= {value} < .."),
                }
            },
        );
        let kept = if kept { "kept" } else { "broken" };
        let hit = format!("{}{number}: {kept} {sample}", site.text);
        HITS.with_borrow_mut(|hits| hits.push((site.line, hit)));
    }
}

#[macro_export]
macro_rules! submit {
    ($registration:expr) => {
        const _: __private::Registration = $registration;
    };
}

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use real::stochastic_test;

thread_local! {
    static HITS: RefCell<Vec<(u32, String)>> = const { RefCell::new(Vec::new()) };
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
    static PANIC: Cell<Option<String>> = const { Cell::new(None) };
}

/// How the body ends: nothing, or the panic with its place.
fn end_of(body: impl FnOnce()) -> Option<String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let standard = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| match CAUGHT.get() {
            true => PANIC.set(Some(info.to_string())),
            false => standard(info),
        }));
    });
    CAUGHT.set(true);
    let end = catch_unwind(AssertUnwindSafe(body));
    CAUGHT.set(false);
    match end {
        Ok(()) => None,
        Err(payload) => {
            let kind = if payload.is::<&'static str>() {
                "static"
            } else {
                "made"
            };
            Some(format!("{kind} {}", PANIC.take().expect("the hook ran")))
        }
    }
}

/// A body as a plain function and as a stochastic test, from the same tokens: both must end alike.
macro_rules! check {
    ($name:ident, $body:tt, $expected:expr) => {
        mod $name {
            #![allow(unused_imports)]
            use super::*;

            fn plain() $body

            #[stochastic_test]
            fn recorded() $body

            pub fn ends() -> [Option<String>; 2] {
                let recorded = || (__flex_recorded.body)(&mut ()).unwrap();
                [end_of(plain), end_of(recorded)]
            }
        }

        #[test]
        fn $name() {
            let [plain, recorded] = $name::ends();
            assert_eq!(plain, recorded);
            let expected: &[&str] = &$expected;
            let hits = HITS.take();
            let hits: Vec<&str> = hits.iter().map(|(_, hit)| hit.as_str()).collect();
            assert_eq!(hits, expected);
        }
    };
}

fn id<T>(value: T) -> T {
    value
}

mod approx_macros;
mod comparisons;
mod places;
mod texts;
