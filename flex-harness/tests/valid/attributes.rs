//! Stochastic tests with all that may stand around them.

#![forbid(unsafe_code)]
#![deny(warnings, missing_docs, unused_qualifications)]

mod generator {
    pub use flex_harness::TestRng as Renamed;
}

const CONFIDENCE: f64 = 0.999;
const RUNS: u32 = 50;

/// Documented.
#[flex_harness::stochastic_test(confidence = CONFIDENCE, runs = RUNS, max_runs = 2 * RUNS, effort = 0.0, timeout = 90.0 * CONFIDENCE)]
fn constants(_: &mut generator::Renamed) {}

/// Documented, as it is public.
#[flex_harness::stochastic_test(tail = light, on_ceiling = fail, overlap = false, attempts = 4, timeout = 60,)]
#[ignore = "slow"]
pub fn ignored(_rng: &mut flex_harness::TestRng) {}

#[flex_harness::stochastic_test()]
#[cfg_attr(not(debug_assertions), ignore, expect(unused_variables))]
#[cfg_attr(debug_assertions, ignore = "slow", expect(unused_variables))]
fn r#match(rng: &mut flex_harness::TestRng) -> Result<(), u8> {
    Err(1)
}

#[flex_harness::stochastic_test]
#[cfg(any())]
fn not_there(rng: NoSuchType) {}

#[flex_harness::stochastic_test]
#[expect(non_snake_case, reason = "a lint on the name")]
fn Name() {
    #![expect(unused_mut)]
    let mut x = 1;
    flex_harness::assert_tail_bound!(x < _);
}

/// What `macro_rules!` passes on is in invisible brackets.
macro_rules! tests {
    ($($(#[$meta:meta])* $vis:vis fn $name:ident($rng:pat, $type:ty) $body:block)*) => {$(
        $(#[$meta])*
        $vis fn $name($rng: $type) -> Result<(), u8> $body
    )*};
}

tests! {
    /// Passed on.
    #[flex_harness::stochastic_test(runs = RUNS)]
    #[ignore = "slow"]
    pub(crate) fn passed_on(_, &mut flex_harness::TestRng) { Ok(()) }
    #[flex_harness::stochastic_test]
    fn private(_rng, &mut generator::Renamed) { Ok(()) }
}

fn at_once<F: Future>(test: F) -> F::Output {
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(test).poll(&mut context) {
        std::task::Poll::Ready(value) => value,
        std::task::Poll::Pending => unreachable!("it waits for nothing"),
    }
}

#[flex_harness::stochastic_test(runtime = at_once)]
async fn asynchronous(rng: &mut flex_harness::TestRng) -> Result<(), u8> {
    flex_harness::assert_tail_bound!(async { rng.seed_u64() }.await < _);
    Ok(())
}

#[flex_harness::stochastic_test(runs = 20, runtime = |test| at_once(test))]
async fn by_a_closure() {}
