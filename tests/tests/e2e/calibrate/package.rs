//! A package whose tests show every kind of finding.

use flex_tests::project::{NORMAL, Project};

const TESTS: &str = r#"
use std::collections::HashMap;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use flex_harness::prelude::*;
use findings::normal;
use rand::RngExt;

#[test]
fn ordinary() {
    std::fs::write("ordinary-test-ran", "").unwrap();
}

#[stochastic_test]
fn panics_sometimes(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    assert_tail_bound!(x < _);
    assert!(x < 1.0, "x is {x}");
}

#[stochastic_test]
fn always_panics(rng: &mut TestRng) {
    let _: u64 = rng.random();
    panic!("never works");
}

#[stochastic_test]
fn deterministic() {
    let x = 3.0;
    assert_tail_bound!(x < _);
}

#[stochastic_test]
fn shares_state(rng: &mut TestRng) {
    static MODEL: OnceLock<f64> = OnceLock::new();
    let model = MODEL.get_or_init(|| normal(rng, 0.0));
    assert_tail_bound!(model + normal(rng, 0.0) < _, name = "loss");
}

#[stochastic_test]
fn draws_by_itself(_rng: &mut TestRng) {
    let x: f64 = rand::rng().random();
    assert_tail_bound!(x < _);
}

#[stochastic_test]
fn depends_on_hash_order(rng: &mut TestRng) {
    let map: HashMap<u32, f64> = (0..100).map(|i| (i, normal(rng, 0.0))).collect();
    let sum: f64 = map.values().take(10).sum();
    assert_tail_bound!(sum < _);
}

/// In which order threads get a lock, nobody decides.
#[stochastic_test]
fn depends_on_the_schedule(rng: &mut TestRng) {
    let scale: f64 = rng.random();
    let order = std::sync::Mutex::new(0u64);
    std::thread::scope(|scope| {
        for thread in 1..=4 {
            let order = &order;
            scope.spawn(move || {
                for _ in 0..5000 {
                    let mut order = order.lock().unwrap();
                    *order = order.wrapping_mul(31).wrapping_add(thread);
                    drop(order);
                    std::thread::yield_now();
                }
            });
        }
    });
    let order = order.into_inner().unwrap() as f64;
    assert_tail_bound!(scale + order < _);
}

#[stochastic_test(runs = 10, max_runs = 10)]
fn has_thirty_sites(rng: &mut TestRng) {
    assert_tail_bound!(_ < normal(rng, 0.0) < _, name = "bias");
    for case in 0..29 {
        assert_tail_bound!(normal(rng, 0.0) < _, case = case, name = "each");
    }
}

#[stochastic_test]
fn aborts(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    assert_tail_bound!(x < _);
    if x > 1.5 {
        std::process::abort();
    }
}

#[stochastic_test]
fn exits(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    assert_tail_bound!(x < _);
    if x > 1.5 {
        std::process::exit(0);
    }
}

#[stochastic_test]
fn measures_time(rng: &mut TestRng) {
    let start = Instant::now();
    std::hint::black_box(normal(rng, 0.0));
    assert_tail_bound!(start.elapsed() < _, name = "took");
    assert_tail_bound!(Duration::from_secs(2) < Duration::from_secs(3));
}

fn helper(x: f64) {
    assert_tail_bound!(x < _);
}

#[stochastic_test]
fn in_many_places(rng: &mut TestRng) {
    for _ in 0..3 {
        assert_tail_bound!(normal(rng, 0.0) < _, name = "loop");
    }
    for size in [10, 2] {
        assert_tail_bound!(f64::from(size) * normal(rng, 0.0) < _, case = size, name = "cases");
    }
    let closure = |x: f64| assert_tail_bound!(x + 0.5 < _);
    closure(normal(rng, 0.0));
    helper(normal(rng, 0.0));
    let scope = flex_harness::scope();
    let mut fork = rng.fork();
    std::thread::spawn(move || scope.enter(|| assert_tail_bound!(normal(&mut fork, 0.0) < _, name = "thread")))
        .join()
        .unwrap();
}

mod twin {
    use flex_harness::prelude::*;
    pub fn check(x: f64) {
        assert_tail_bound!(x < _, name = "same");
    }
}

#[stochastic_test]
fn has_twins(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _, name = "same");
    twin::check(normal(rng, 0.0));
}

#[stochastic_test]
fn hits_on_another_thread(rng: &mut TestRng) {
    let mut fork = rng.fork();
    let thread = std::thread::spawn(move || assert_tail_bound!(normal(&mut fork, 0.0) < _));
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

#[stochastic_test]
fn has_too_many_cases(rng: &mut TestRng) {
    for i in 0..101 {
        assert_tail_bound!(normal(rng, 0.0) < _, name = "x", case = i);
    }
}

#[stochastic_test]
fn has_too_many_names(rng: &mut TestRng) {
    let number: u64 = rng.random();
    assert_tail_bound!(normal(rng, 0.0) < _, name = format!("x {number}"));
}

#[stochastic_test]
fn has_an_empty_name(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _, name = String::new());
}

#[stochastic_test]
fn has_odd_names(rng: &mut TestRng) {
    for case in ["", "two\nlines", "\u{1f}", "a \"quoted\" word", "]"] {
        assert_tail_bound!(normal(rng, 0.0) < _, name = "it's", case = case);
    }
}

#[stochastic_test]
fn has_a_wrong_domain(rng: &mut TestRng) {
    let most = -1.0;
    assert_tail_bound!(normal(rng, 0.0) < _, name = "x", domain = 0.0..most);
}

#[stochastic_test]
fn leaves_its_domain(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _, name = "x", domain = 0.0..=1.0);
}

#[ignore]
#[stochastic_test]
fn is_never_negative(rng: &mut TestRng) {
    let count = (30.0 + 12.0 * normal(rng, 0.0)).max(0.0) as u8;
    assert_tail_bound!(count > _);
}

#[stochastic_test]
fn spends_too_much(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _, name = "x", confidence = 0.99);
}

#[stochastic_test]
fn is_sometimes_reached(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    if x > 0.0 {
        assert_tail_bound!(x < _);
    }
}

#[stochastic_test]
fn gives_nan(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    assert_tail_bound!(if x > 2.0 { f64::NAN } else { x } < _, name = "x");
}

#[stochastic_test]
fn has_a_second_mode(rng: &mut TestRng) {
    let x = normal(rng, 0.0);
    assert_tail_bound!(if x > 2.0 { x + 50.0 } else { x } < _, name = "x");
}

#[stochastic_test]
fn is_uniform(rng: &mut TestRng) {
    assert_tail_bound!(rng.random::<f64>() < _, name = "x");
}

#[stochastic_test]
fn always_gives_nan(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) * f64::NAN < _, name = "x");
}

#[stochastic_test(runs = 20, max_runs = 20)]
fn is_slow(rng: &mut TestRng) {
    std::thread::sleep(Duration::from_millis(100));
    assert_tail_bound!(normal(rng, 0.0) < _, name = "x");
}

#[ignore]
#[stochastic_test]
fn is_ignored(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < _, name = "x");
}

#[stochastic_test]
fn breaks_a_declared_bound(rng: &mut TestRng) {
    assert_tail_bound!(normal(rng, 0.0) < 1.0);
}
"#;

/// The package, not calibrated.
pub fn project() -> Project {
    Project::new(
        "findings",
        "",
        &[("src/lib.rs", NORMAL), ("tests/findings.rs", TESTS)],
    )
}
