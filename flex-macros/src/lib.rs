//! The macros of `flex-harness`, which re-exports them. They know no statistics.

#![forbid(unsafe_code)]

mod approx;
mod assert_time;
mod asserted;
mod attributes;
mod claim;
mod close;
mod comparison;
mod details;
mod features;
mod numbering;
mod observed;
mod places;
mod printed;
mod quoted;
mod runtime;
mod settings;
mod site;
mod spelling;
mod stochastic_test;
mod syntax;
mod tail_bound;
mod test_options;
mod tokens;

/// The compiler's tokens. Unit tests run outside of the compiler, where there are none but those of proc-macro2.
#[cfg(not(test))]
use proc_macro as token;
use proc_macro::TokenStream;
#[cfg(test)]
use proc_macro2 as token;

use crate::quoted::quote;
use crate::syntax::{Error, Result};
use crate::token::TokenStream as Tokens;

/// Makes a function a test that is run under many seeds.
///
/// The function takes `&mut TestRng`, from which it draws all its randomness, or nothing; it returns `()` or
/// `Result<(), E>` with `E: Debug`. It becomes an ordinary `#[test]`, so that `cargo test`, other test runners and
/// editors find it, and is registered for targets with `harness = false`.
///
/// ```
/// use flex_harness::prelude::*;
///
/// /// The mean of 100 uniform numbers.
/// fn mean(rng: &mut TestRng) -> f64 {
///     let numbers = (0..100).map(|_| (rng.seed_u64() >> 11) as f64 / (1u64 << 53) as f64);
///     numbers.sum::<f64>() / 100.0
/// }
///
/// #[stochastic_test(confidence = 0.9999)]
/// fn mean_is_near_one_half(rng: &mut TestRng) {
///     let mean = mean(rng);
///     assert_tail_bound!(_ < mean - 0.5 < _);
/// }
/// # fn main() {}
/// ```
///
/// # Options
///
/// Numbers may be constant expressions; words may be quoted.
///
/// | option | meaning |
/// |---|---|
/// | `confidence = 0.9999` | a run of unchanged code passes all learned bounds of the test with at least this probability |
/// | `runs = 100` | calibration runs to begin with |
/// | `max_runs = 3000` | calibration runs at most |
/// | `tail = light` | a promise: the tails are at most exponential. Bounds are tighter, and wrong if it is not kept. `tail = any` promises nothing, where `flex.toml` says otherwise |
/// | `effort = 0.3` | extra runs that enforcement may spend, per run; 0.0 for none |
/// | `on_ceiling = warn` | a value beyond a ceiling is no failure; `fail` is the default |
/// | `replay = always` | a run of the calibration is made again in every run of the test, which sees changes that no value shows; runs of under 20 ms do so unless `replay = doubt` |
/// | `attempts = 4` | a run that fails by itself is made again under the next seed, up to 4 runs in all; see [below](#attempts) |
/// | `timeout = 60` | seconds after which a run that has not ended counts as hanging; by default none for the first run, then 60, or 20 times the slowest run so far |
/// | `inconclusive = 0.5` | the share of runs that may be inconclusive, once there are ten of those; beyond it the test fails, since nothing can be decided |
/// | `overlap = true` | runs of this test may overlap in time: in processes of a calibration, and on threads of this one where a claim is decided or a doubt settled |
/// | `runs_in_parallel = 8` | so many of them are under way at once on threads; otherwise as many as there are processors. The verdict is that of one run after the other |
/// | `keep_runs = true` | runs are kept under `target/flex` until the verdict is there, so that a test that was interrupted goes on where it was |
/// | `time_limit = 600` | seconds after which no further run is begun for claims; what is open then stays undecided |
/// | `runtime = "tokio"` | runs an `async fn`, on the thread of the test and with a runtime of its own for each run; see [below](#async) |
/// | `entropy = controlled` | what the operating system gives follows the seed: `rand::rng()`, `HashMap` order; on Linux, with the feature `entropy`. `entropy = system` leaves it alone |
///
/// # Async
///
/// An `async fn` says what runs it. `runtime = "tokio"` makes a runtime of tokio for each run, with one thread, all drivers
/// that tokio's features have, and with `start_paused = true` a clock that jumps to the next timer (tokio's feature
/// `test-util`). Any other runtime is a function that takes a future and returns its value: `runtime = smol::block_on`,
/// `runtime = |test| my_runtime().block_on(test)`. Tasks that run on other threads enter the test's [`scope`].
///
/// ```
/// use flex_harness::prelude::*;
/// # fn block_on<F: Future>(test: F) -> F::Output {
/// #     let mut context = std::task::Context::from_waker(std::task::Waker::noop());
/// #     match std::pin::pin!(test).poll(&mut context) {
/// #         std::task::Poll::Ready(value) => value,
/// #         std::task::Poll::Pending => unreachable!(),
/// #     }
/// # }
///
/// #[stochastic_test(runtime = block_on)]
/// async fn answers_are_quick(rng: &mut TestRng) {
///     let hops = async { rng.seed_u64() % 7 }.await;
///     assert_tail_bound!(hops < _);
/// }
/// # fn main() {}
/// ```
///
/// # Attempts
///
/// `attempts = 4` is for a test that may fail now and then, and whose cause nobody removes: one run of four must not
/// fail by itself. A run fails by itself if it panics, returns an error, breaks a declared bound, or has values that
/// cannot be compared. It is then made again under the next seed. Learned bounds are judged on the first run that does
/// not fail by itself; each of the reruns that confirm a value has as many attempts. If all attempts fail, the test
/// fails with the words of the last one.
///
/// A fault that fails a run with probability p fails the test with probability p⁴ only: attempts hide what is rare.
/// Learned bounds are judged on a run that did not fail, and learned from such runs alone.
/// Calibration and detection make no further attempts, and so see the true rate; nor does the replay of a single run.
///
/// # Plain assertions
///
/// An existing test needs only the attribute: calibration reports how often its `assert!(error < 0.05)` fails, with an
/// interval, and what the tail of its values says where none did. This holds for `assert!` and `debug_assert!` with one
/// comparison by `<`, `<=`, `>` or `>=`, with or without a message, and for `assert_abs_diff_eq!`,
/// `assert_relative_eq!` and `assert_ulps_eq!` of the crate [approx] (0.5).
///
/// ```
/// use flex_harness::prelude::*;
///
/// #[stochastic_test]
/// fn estimate_is_good(rng: &mut TestRng) {
///     let (estimate, truth) = estimate(rng);
///     assert!((estimate - truth).abs() < 0.05);
///     assert!(estimate > truth / 2.0, "estimated {estimate} for {truth}");
/// }
/// # fn estimate(rng: &mut TestRng) -> (f64, f64) { (rng.seed_u64() as f64, 1.0) }
/// # fn main() {}
/// ```
///
/// They stay what they are: one that fails stops the run, with the message and at the place that it has without flex.
/// What is recorded is the value, if the other side is a literal, and else the margin: left − right; for approx's
/// macros, the absolute difference if `epsilon` is their only option, and else what the macro bounds: the difference
/// relative to the larger value, or the number of units in the last place, which is 0 within `epsilon`.
///
/// Left alone are:
///
/// - comparisons of anything but numbers: what is compared is [`Measured`], or it is not recorded;
/// - conditions other than one comparison, such as `a < b && b < c`;
/// - conditions without a message that the compiler would print on more than one line (78 characters), or that hold
///   blocks: their message could not be kept;
/// - assertions in other functions that the test calls, in the arguments of other macros and in `macro_rules!`, in
///   constants and in `const fn`. Functions, closures and blocks within the test are looked into;
/// - assertions on threads that have not entered the test's [`scope`].
///
/// [approx]: https://docs.rs/approx
/// [`Measured`]: https://docs.rs/flex-harness/latest/flex_harness/trait.Measured.html
/// [`scope`]: https://docs.rs/flex-harness/latest/flex_harness/fn.scope.html
///
/// # Other attributes
///
/// `#[ignore]`, `#[cfg(…)]`, `#[cfg_attr(…)]`, lints and doc comments work as on any test. `#[should_panic]` is an
/// error: it would turn every failure that flex finds into a pass. So are `async`, generics and other parameters; put
/// those into a function that the test calls.
#[proc_macro_attribute]
pub fn stochastic_test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let expansion = stochastic_test::expand(same(arguments), same(item));
    same(expansion.unwrap_or_else(Error::into_compile_error))
}

/// Records what the assertions of a plain test compare. `cargo flex detect` writes it into a copy of the sources.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn observed(_: TokenStream, item: TokenStream) -> TokenStream {
    same(observed::expand(same(item)))
}

/// Asserts that a value keeps a bound, which is learned (`_`) or declared (written out).
///
/// It belongs in a [`stochastic_test`](macro@stochastic_test), or in a function that one calls. It never stops the run:
/// it records the value, and the verdict comes after the run, over all assertions of the test.
///
/// ```
/// use flex_harness::prelude::*;
///
/// #[stochastic_test]
/// fn sketch_is_accurate(rng: &mut TestRng) {
///     let (error, recall) = measure(rng);
///     assert_tail_bound!(error < _);                      // learned: how far a correct run can stray
///     assert_tail_bound!(recall > _, domain = 0.0..=1.0); // learned, for the lower tail
///     assert_tail_bound!(_ < error - 0.01 < _);           // learned, on both sides
///     assert_tail_bound!(error < 0.05);                   // declared: how often does this fail?
///     assert_tail_bound!(0.0 <= error < _);               // declared below, learned above
/// }
/// # fn measure(rng: &mut TestRng) -> (f64, f64) { (rng.seed_u64() as f64, 0.5) }
/// # fn main() {}
/// ```
///
/// The operators are `<`, `<=`, `>` and `>=`; a learned bound may be reached under either of a pair. Operands are any
/// expressions of a type that is [`Measured`], evaluated once and in order. A declared comparison is made in their own
/// type. If neither side is a literal, what is recorded is the margin: left − right.
///
/// # Options
///
/// ```
/// use flex_harness::prelude::*;
///
/// #[stochastic_test]
/// fn every_size_is_accurate(rng: &mut TestRng) {
///     for size in [100, 1_000, 10_000] {
///         let error = error(size, rng);
///         assert_tail_bound!(error < _, name = "error", case = size, "with {size} items: {}", describe(error));
///     }
/// }
/// # fn error(_: usize, rng: &mut TestRng) -> f64 { rng.seed_u64() as f64 }
/// # fn describe(error: f64) -> f64 { error }
/// # fn main() {}
/// ```
///
/// | option | meaning |
/// |---|---|
/// | `name = "…"` | names the bound in the bounds file, where it otherwise goes by its text; any other expression makes one bound for each value |
/// | `case = size` | one bound for each value, at most 100 in a test, so that different distributions are not mixed |
/// | `domain = 0.0..=1.0` | no value is ever outside of this range; for learned bounds. Integers and `Duration` know the ends of their type |
/// | `confidence = 0.999` | the share of this assertion, instead of an equal share of the test's; for learned bounds |
///
/// Options and message are evaluated only when they are needed.
///
/// [`Measured`]: https://docs.rs/flex-harness/latest/flex_harness/trait.Measured.html
#[proc_macro]
pub fn assert_tail_bound(input: TokenStream) -> TokenStream {
    expanded(tail_bound::expand(same(input)))
}

/// Asserts that two values differ by no more than a tolerance, which is learned (`_`) or declared (written out).
///
/// The values are numbers, or slices, arrays or `Vec`s of them; of these, the largest difference counts. The tolerance
/// is absolute (`abs`) or relative to the second value (`rel`). Like
/// [`assert_tail_bound!`](macro@assert_tail_bound), it never stops the run, and has the same options and message.
///
/// ```
/// use flex_harness::prelude::*;
///
/// #[stochastic_test]
/// fn solver_finds_the_solution(rng: &mut TestRng) {
///     let want = [1.0, 2.0, 3.0];
///     let got = solve(rng);
///     assert_close!(got, want, abs = _);                  // learned
///     assert_close!(got[0], 1.0, rel = _, name = "first");
///     assert_close!(got, want, abs = 1e-3, "from {want:?}"); // declared: how often does this fail?
///     assert_close!(got[1], want[1], abs = got[0] / 100.0);
/// }
/// # fn solve(rng: &mut TestRng) -> Vec<f64> { vec![rng.seed_u64() as f64, 2.0, 3.0] }
/// # fn main() {}
/// ```
#[proc_macro]
pub fn assert_close(input: TokenStream) -> TokenStream {
    expanded(close::expand(same(input)))
}

/// Asserts a bound on how long something takes, beside something else that does the same work.
///
/// ```
/// use flex_harness::prelude::*;
///
/// #[stochastic_test]
/// fn the_new_sort_is_quicker(rng: &mut TestRng) {
///     let numbers: Vec<u64> = (0..1000).map(|_| rng.seed_u64()).collect();
///     assert_time!(sort(&numbers) / reference_sort(&numbers) < _); // learned
///     assert_time!(sort(&numbers) / reference_sort(&numbers) < 1.5, name = "declared");
/// }
/// # fn sort(numbers: &[u64]) -> Vec<u64> { let mut v = numbers.to_vec(); v.sort_unstable(); v }
/// # fn reference_sort(numbers: &[u64]) -> Vec<u64> { let mut v = numbers.to_vec(); v.sort(); v }
/// # fn main() {}
/// ```
///
/// What is bounded is a ratio, which hardly depends on the machine: both sides are evaluated in turn, some twenty times
/// each and quick ones in batches, and the median of the ratios of neighbours counts. Time is processor time of this
/// thread on Linux and macOS, so that what else the machine does hardly matters, and the time of a clock elsewhere; work
/// on other threads is not counted. Neither side may use up what it needs: each is evaluated many times. What they return
/// is neither optimised away nor timed while it is dropped.
///
/// Such a test is calibrated and searched with nothing beside it, and no replay can repeat its values. Operators, options
/// and messages are those of [`assert_tail_bound!`](macro@assert_tail_bound).
#[proc_macro]
pub fn assert_time(input: TokenStream) -> TokenStream {
    expanded(assert_time::expand(same(input)))
}

/// Asserts a bound on the mean of a value over all runs.
///
/// A test with such an assertion is run as often as the question needs, each time under a seed of its own, and no
/// oftener: until there is evidence that the mean is beyond the bound, which fails the test, or that it is not, which
/// passes. Looking after every run costs nothing: a mean that keeps the bound fails the test with probability 1 − C at
/// most, however long it runs. Like [`assert_tail_bound!`](macro@assert_tail_bound), it never stops a run, and has a
/// message.
///
/// ```
/// use flex_harness::prelude::*;
///
/// #[stochastic_test]
/// fn estimator_is_good(rng: &mut TestRng) {
///     let (error, bias) = measure(rng);
///     assert_mean!(error < 0.01, domain = 0.0..=1.0);
///     assert_mean!(bias, within = 0.005, of = 0.0, domain = -1.0..=1.0);
/// }
/// # fn measure(rng: &mut TestRng) -> (f64, f64) { (rng.seed_u64() as f64, 0.0) }
/// # fn main() {}
/// ```
///
/// The value is a number, or several: an array, a slice, a `Vec` or an iterator. Several values of a run count as one,
/// their mean, unless they are `draws = independent`.
///
/// # Options
///
/// | option | meaning |
/// |---|---|
/// | `domain = 0.0..=1.0` | no value is ever outside of this range, on which the arithmetic rests. A mean that is too large is found if there is a lower end, that it is fine if there is an upper one |
/// | `within = 0.005, of = 0.0` | in place of a comparison: the mean is between −0.005 and 0.005 |
/// | `margin = 0.001` | how far beyond the bound a mean may be and still pass: what is nearer to the bound takes long to decide |
/// | `max_runs = 1000` | runs after which the claim stays undecided; by default the test's `max_runs`, or 3000 |
/// | `undecided = fail` | a claim that stays undecided fails the test; by default it passes, with a note |
/// | `draws = independent` | several values of a run are independent of each other, so that each counts |
/// | `confidence = 0.999` | the share of this assertion, instead of an equal share of the test's |
/// | `name`, `case` | as for [`assert_tail_bound!`](macro@assert_tail_bound#options) |
#[proc_macro]
pub fn assert_mean(input: TokenStream) -> TokenStream {
    expanded(claim::expand(&claim::MEAN, same(input)))
}

/// Asserts a bound on how often something is true, over as many runs as that takes.
///
/// ```
/// use flex_harness::prelude::*;
///
/// #[stochastic_test]
/// fn agent_solves_its_tasks(rng: &mut TestRng) {
///     assert_rate!(solves(rng) > 0.9, margin = 0.03);
/// }
/// # fn solves(rng: &mut TestRng) -> bool { rng.seed_u64() > 0 }
/// # fn main() {}
/// ```
///
/// The value is a `bool`, or an array, a slice, a `Vec` or an iterator of them. With `margin = 0.03`, which is the
/// default, a rate of 0.87 or less is not called fine, except with probability 0.01. Options are those of
/// [`assert_mean!`](macro@assert_mean#options), without `domain`, `within` and `of`.
#[proc_macro]
pub fn assert_rate(input: TokenStream) -> TokenStream {
    expanded(claim::expand(&claim::RATE, same(input)))
}

/// Asserts that values are drawn from a stated distribution, over as many runs as that takes.
///
/// The second value is the distribution: one of [`flex_harness::laws`], anything else that implements [`Law`], or its
/// distribution function as a closure.
///
/// ```
/// use flex_harness::laws::Normal;
/// use flex_harness::prelude::*;
///
/// #[stochastic_test]
/// fn sampler_draws_from_its_law(rng: &mut TestRng) -> Result<(), String> {
///     assert_distributed!(draw(rng), Normal::new(0.0, 1.0)?);
///     assert_distributed!(uniform(rng), |x: f64| x.clamp(0.0, 1.0));
///     assert_distributed!((0..100).map(|_| draw(rng)), Normal::new(0.0, 1.0)?, draws = independent);
///     Ok(())
/// }
/// # fn draw(rng: &mut TestRng) -> f64 { rng.seed_u64() as f64 }
/// # fn uniform(rng: &mut TestRng) -> f64 { rng.seed_u64() as f64 / 2f64.powi(64) }
/// # fn main() {}
/// ```
///
/// `margin = 0.1`, which is the default, is the largest difference of two distribution functions that is called fine.
/// The other options are those of [`assert_rate!`](macro@assert_rate).
///
/// [`Law`]: https://docs.rs/flex-harness/latest/flex_harness/trait.Law.html
/// [`flex_harness::laws`]: https://docs.rs/flex-harness/latest/flex_harness/laws/index.html
#[proc_macro]
pub fn assert_distributed(input: TokenStream) -> TokenStream {
    expanded(claim::expand(&claim::DISTRIBUTED, same(input)))
}

/// Asserts that two values are drawn from the same distribution, whichever it is.
///
/// ```
/// use flex_harness::prelude::*;
///
/// #[stochastic_test]
/// fn the_fast_sampler_draws_like_the_slow_one(rng: &mut TestRng) {
///     assert_same_distribution!(fast(rng), slow(rng));
/// }
/// # fn fast(rng: &mut TestRng) -> f64 { rng.seed_u64() as f64 }
/// # fn slow(rng: &mut TestRng) -> f64 { rng.seed_u64() as f64 }
/// # fn main() {}
/// ```
///
/// Options are those of [`assert_distributed!`](macro@assert_distributed).
#[proc_macro]
pub fn assert_same_distribution(input: TokenStream) -> TokenStream {
    expanded(claim::expand(&claim::SAME_DISTRIBUTION, same(input)))
}

/// Asserts that a value is no worse than another one of the same run by more than a margin: that a new version keeps up
/// with a reference.
///
/// ```
/// use flex_harness::prelude::*;
///
/// #[stochastic_test]
/// fn the_new_solver_keeps_up(rng: &mut TestRng) {
///     let seed = rng.seed_u64();
///     assert_no_worse!(new_error(seed), old_error(seed), margin = 0.01);
///     assert_no_worse!(new_score(seed), old_score(seed), margin = 0.01, better = higher);
/// }
/// # fn new_error(seed: u64) -> f64 { seed as f64 }
/// # fn old_error(seed: u64) -> f64 { seed as f64 }
/// # fn new_score(seed: u64) -> f64 { seed as f64 }
/// # fn old_score(seed: u64) -> f64 { seed as f64 }
/// # fn main() {}
/// ```
///
/// Values are errors or costs: lower is better, unless `better = higher`. Without `margin`, nothing is allowed. The
/// other options are those of [`assert_rate!`](macro@assert_rate).
#[proc_macro]
pub fn assert_no_worse(input: TokenStream) -> TokenStream {
    expanded(claim::expand(&claim::NO_WORSE, same(input)))
}

/// The expansion of an assertion, which stands where an expression can; so do its errors.
fn expanded(expansion: Result<Tokens>) -> TokenStream {
    same(expansion.unwrap_or_else(|error| {
        let errors = error.into_compile_error();
        quote!([errors] { #errors })
    }))
}

/// The same tokens, which have another type in unit tests.
fn same<From: Into<To>, To>(tokens: From) -> To {
    tokens.into()
}
