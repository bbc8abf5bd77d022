//! A crate that calls what takes no seed.

use flex_tests::project::Project;

const MANIFEST: &str = r#"
[[test]]
name = "custom"
harness = false

[features]
controlled = ["flex-harness/entropy"]

[dependencies.fastrand]
version = "2"

[dependencies.getrandom_0_2]
package = "getrandom"
version = "0.2"

[dependencies.getrandom_0_3]
package = "getrandom"
version = "0.3"

[dependencies.getrandom_0_4]
package = "getrandom"
version = "0.4"

[dependencies.rand_0_8]
package = "rand"
version = "0.8"

[dependencies.rand_0_9]
package = "rand"
version = "0.9"
"#;

/// What takes no seed, by name.
const SOURCES: &str = r#"
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::thread;

fn filled(fill: impl FnOnce(&mut [u8])) -> u64 {
    let mut bytes = [0; 8];
    fill(&mut bytes);
    u64::from_le_bytes(bytes)
}

pub fn reached() -> Vec<(&'static str, u64)> {
    let map: HashMap<u64, ()> = (0..1000).map(|i| (i, ())).collect();
    let order = map.keys().take(6).fold(0, |order, key| 1000 * order + key);
    vec![
        ("HashMap", order),
        ("RandomState", RandomState::new().hash_one(1)),
        ("rand 0.9", rand_0_9::random()),
        ("rand 0.10", rand::random()),
        ("getrandom 0.3", filled(|bytes| getrandom_0_3::fill(bytes).unwrap())),
        ("getrandom 0.4", filled(|bytes| getrandom_0_4::fill(bytes).unwrap())),
    ]
}

pub fn reached_by_number() -> Vec<(&'static str, u64)> {
    vec![
        ("rand 0.8", rand_0_8::random()),
        ("getrandom 0.2", filled(|bytes| getrandom_0_2::getrandom(bytes).unwrap())),
    ]
}

pub fn in_scopes() -> Vec<(&'static str, u64)> {
    let start = |_| {
        let scope = flex_harness::scope();
        thread::spawn(move || scope.enter(rand::random::<u64>))
    };
    let threads: Vec<_> = (0..4).map(start).collect();
    let names = ["thread 0", "thread 1", "thread 2", "thread 3"];
    names.into_iter().zip(threads.into_iter().map(|thread| thread.join().unwrap())).collect()
}

pub fn not_reached() -> Vec<(&'static str, u64)> {
    vec![
        ("fastrand", fastrand::u64(..)),
        ("thread", thread::spawn(rand::random::<u64>).join().unwrap()),
    ]
}

pub fn print(values: Vec<(&'static str, u64)>) {
    for (name, value) in values {
        println!("\nvalue: {name}: {value}");
    }
}
"#;

const TESTS: &str = r#"
use flex_harness::prelude::*;
use seedless::{in_scopes, not_reached, print, reached, reached_by_number};

#[stochastic_test(entropy = controlled)]
fn controlled() {
    print(reached());
    print(reached_by_number());
    print(in_scopes());
}

#[stochastic_test(entropy = "controlled")]
fn controlled_in_vain() {
    print(not_reached());
}

#[stochastic_test(entropy = controlled)]
fn controlled_panic() {
    println!("before the panic");
    panic!("the words of the panic");
}

#[stochastic_test]
fn stochastic() {
    print(reached());
}

#[stochastic_test(entropy = controlled)]
fn learned_reached() {
    for (name, value) in reached() {
        assert_tail_bound!(value < _, name = name);
    }
}

#[stochastic_test(entropy = controlled)]
fn learned_in_vain() {
    let [(_, value), _] = not_reached().try_into().unwrap();
    assert_tail_bound!(value < _);
}

#[test]
fn ordinary() {
    print(reached());
    print(reached_by_number());
}
"#;

/// The crate, with tests under libtest and under a main function of ours.
pub fn project() -> Project {
    let custom = format!("{TESTS}\nflex_harness::main!();");
    Project::new(
        "seedless",
        MANIFEST,
        &[
            ("src/lib.rs", SOURCES),
            ("tests/libtest.rs", TESTS),
            ("tests/custom.rs", &custom),
        ],
    )
}
