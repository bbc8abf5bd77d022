//! Statistical assertions for tests of randomised code: bounds are learned, and hold with a stated false-alarm rate.
//!
//! ```no_run
//! # // A stochastic test is a `#[test]`, which a documentation test does not run.
//! use flex_harness::prelude::*;
//! use rand::RngExt;
//!
//! #[stochastic_test(confidence = 0.9999)]
//! fn the_mean_is_close_to_a_half(rng: &mut TestRng) {
//!     let values: Vec<f64> = (0..1000).map(|_| rng.random()).collect();
//!     let mean = values.iter().sum::<f64>() / values.len() as f64;
//!     assert_tail_bound!(_ < mean - 0.5 < _, name = "bias"); // both bounds are learned
//!     assert_tail_bound!(mean < 0.6);                        // declared: flex measures how often this fails
//!     assert_close!(mean, 0.5, abs = _);                     // a learned tolerance
//! }
//! ```
//!
//! `cargo flex calibrate` (or, without the command line, `FLEX_MODE=calibrate cargo test`) runs the test under many
//! seeds, learns how far a correct run can stray, and writes that into `flex-bounds.toml`, which is committed. From
//! then on `cargo test` and `cargo nextest run` enforce it: unchanged code fails in at most 1 of 10,000 runs, and a
//! failure says how rare the value is and how to repeat it.
//!
//! - A learned bound has two tiers. Beyond the *guard* a value is in doubt: a run of the calibration is made again, and
//!   if that shows a change, reruns under fresh seeds are scored until their sum clears the test or shows a regression.
//!   Beyond the *ceiling*, it fails at once.
//! - An assertion never stops a run: it records its value, and the verdict comes after the run. Plain `assert!` and the
//!   assertions of the crate approx stay what they are; [`stochastic_test`] says which of them are recorded.
//! - Everything that a test draws comes from its [`TestRng`], so `FLEX_SEED=… cargo test` repeats a verdict exactly.
//!   Libraries that want a seed get one from [`TestRng::seed_u64`]; for those that take none there is
//!   `entropy = controlled` (Linux, feature `entropy`).
//! - Assertions may stand in helper functions, closures and loops, and on other threads within a [`scope`].
//!
//! What holds of all runs together is claimed by [`assert_mean!`], [`assert_rate!`], [`assert_distributed!`],
//! [`assert_same_distribution!`] and [`assert_no_worse!`]: a test with such an assertion is run as often as the question
//! needs, and no oftener. What they compare with is declared, and needs no calibration; a mean or a rate is learned where
//! it is `_`, as in `assert_mean!(error < _)`.
//!
//! The macros are documented at [`stochastic_test`], [`assert_tail_bound!`] and [`assert_close!`], the environment
//! variables in `flex_run::project::env`.

// Not `forbid`: the module that replaces functions of libc must be an exception.
#![deny(unsafe_code)]

mod asserted;
mod assertion;
mod claim;
#[cfg(feature = "main")]
mod custom_main;
mod enforce;
mod entropy;
mod hang;
mod harness;
mod identity;
mod making;
mod measure;
mod observed;
#[cfg(all(feature = "probes", target_os = "linux", not(miri)))]
mod probe;
mod processor_time;
mod record;
mod recorder;
#[cfg(all(feature = "probes", target_os = "linux", not(miri)))]
mod replaced;
#[cfg(not(all(feature = "probes", target_os = "linux", not(miri))))]
#[path = "replaced/elsewhere.rs"]
mod replaced;
mod replay;
mod rng;
mod run;
mod test;
mod time_ratio;

pub use claim::Outcomes;
pub use flex_core::law::{Law, discrete};
pub use flex_macros::{
    assert_close, assert_distributed, assert_mean, assert_no_worse, assert_rate,
    assert_same_distribution, assert_tail_bound, assert_time, stochastic_test,
};
pub use measure::{IntoDomain, Item, Measured, Measurements};
pub use recorder::{Scope, rng, scope};
pub use rng::TestRng;

/// What a test needs: `use flex_harness::prelude::*;`.
pub mod prelude {
    pub use crate::{
        Measured, TestRng, assert_close, assert_distributed, assert_mean, assert_no_worse,
        assert_rate, assert_same_distribution, assert_tail_bound, assert_time, inconclusive,
        stochastic_test,
    };
}

/// Distributions for [`assert_distributed!`], by their parameters.
pub mod laws {
    pub use flex_core::law::{
        Bernoulli, Beta, Binomial, Cauchy, ChiSquared, DiscreteUniform, Exponential, Gamma,
        Geometric, LogNormal, Normal, Poisson, StudentT, Uniform, Weibull,
    };
}

/// What the macros expand to. Not for use by hand.
#[doc(hidden)]
pub mod __private {
    pub use crate::asserted::{Nearness, NotMeasured, NotScalar, Operand, Operands, Sampled};
    pub use crate::assertion::{Assertion, Extras, Tolerance};
    pub use crate::claim::{
        BareClaim, ClaimSettings, Drawn, DrawnByIterator, NoDraws, Stated, draws, draws_of_two,
        forms,
    };
    pub use crate::identity::Identity;
    pub use crate::measure::{IntoDomain, Measurement, margin, measured};
    pub use crate::observed::ObservedPlainTest;
    pub use crate::recorder::{asserted, claimed, close, declared, inconclusive, learned};
    pub use crate::rng::TestRng;
    pub use crate::test::{Ending, Registration, StochasticTest};
    pub use crate::time_ratio::time_ratio;
    pub use flex_bounds::claim::Family;
    pub use flex_bounds::options::Options;
    pub use flex_core::tail::Tail;
    pub use flex_macros::observed;
    pub use flex_run::model::{Comparison, Distance, Operator};
    pub use inventory;

    #[cfg(feature = "main")]
    pub use crate::custom_main::main;
    pub use crate::harness::run;
}

/// Ends this run of a stochastic test as inconclusive: it tells nothing of the code, such as when the network was down.
///
/// The run counts neither as passed nor as failed, in claims as in learned bounds, and another is made in its place. How
/// many there were, and why, is said with the verdict. If they are more than half of all runs (the option `inconclusive`),
/// once there are ten, the test fails: nothing can be decided.
///
/// ```
/// # fn ask(_: u64) -> std::io::Result<bool> { Ok(true) }
/// use flex_harness::prelude::*;
///
/// #[stochastic_test]
/// fn answers(rng: &mut TestRng) {
///     let solved = match ask(rng.seed_u64()) {
///         Ok(solved) => solved,
///         Err(error) => inconclusive!("the service did not answer: {error}"),
///     };
///     assert_rate!(solved > 0.9);
/// }
/// # fn main() {}
/// ```
///
/// Leaving runs out is sound only if whether a run is inconclusive does not depend on what it would have shown: a request
/// that times out because the answer is long is a failure, not an inconclusive run.
#[macro_export]
macro_rules! inconclusive {
    ($($message:tt)+) => {
        $crate::__private::inconclusive(::std::format!($($message)+))
    };
}

/// The main function of a test target with `harness = false`; needs the feature `main`.
#[cfg(feature = "main")]
#[macro_export]
macro_rules! main {
    () => {
        fn main() -> ::std::process::ExitCode {
            $crate::__private::main()
        }
    };
}

/// The main function of a test target with `harness = false`; needs the feature `main`.
#[cfg(not(feature = "main"))]
#[macro_export]
macro_rules! main {
    () => {
        ::core::compile_error!(
            "`flex_harness::main!()` needs the feature `main`: flex-harness = { version = \"…\", features = [\"main\"] }"
        );
    };
}
