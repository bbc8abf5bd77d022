//! Plain assertions wherever a statement or an expression can stand, and whatever they compare.

#![forbid(unsafe_code)]
#![deny(warnings, unused_qualifications)]
#![warn(clippy::pedantic)]

use std::collections::HashMap;
use std::time::{Duration, Instant};

use approx::{assert_abs_diff_eq, assert_relative_eq, assert_ulps_eq};
use flex_harness::prelude::*;

#[derive(Debug, PartialEq, PartialOrd)]
struct Version {
    major: u32,
    name: String,
}

trait Sized2 {
    fn size(&self) -> usize;

    fn is_small(&self) {
        assert!(self.size() < 10);
    }
}

impl Sized2 for Version {
    fn size(&self) -> usize {
        self.name.len()
    }
}

#[stochastic_test]
fn everything(rng: &mut TestRng) -> Result<(), Box<dyn std::error::Error>> {
    fn generic<T: PartialOrd + Copy, M: Measured + PartialOrd>(values: &[T], low: M, high: M)
    where
        T: std::fmt::Debug,
    {
        assert!(values[0] <= values[values.len() - 1], "{values:?}");
        assert!(low <= high);
    }
    async fn asynchronous() {
        async fn value() -> f64 {
            1.0
        }
        assert!(value().await < 2.0);
        let future: &(dyn Future<Output = ()> + Send) = &async {
            assert!(value().await <= value().await);
        };
        let _ = future;
    }
    macro_rules! small {
        ($value:expr) => {
            assert!($value < 3)
        };
    }

    let mut map = HashMap::from([("a", vec![1, 2])]);
    let v = vec![0];
    let k = "a";
    assert!(v.len() < map.get(k).unwrap().len());
    assert!(map.len() < map.entry("b").or_default().len() + 3);
    let old = Version {
        major: 1,
        name: "a".to_owned(),
    };
    let new = Version {
        major: 2,
        name: "b".to_owned(),
    };
    assert!(old < new);
    assert!(old.name < new.name);
    assert!(&old <= &new && old.major < new.major);
    assert!(old.major < new.major, "{old:?} {}", new.major);
    let x = rng.seed_u64() as f64;
    assert!(Some(x) > None);
    assert!(x >= 0.0 as _);
    assert!(rng.fork().seed_u64() as f64 >= rng.seed_u64() as f64 * 0.0);
    assert!("3".parse::<u8>()? < 4);
    match v.len() {
        0 => assert!(x < 0.0),
        1 => assert!(x >= 0.0),
        _ => std::assert! { x > 3.0 },
    }
    let start = Instant::now();
    assert!(start.elapsed() < Duration::from_secs(3600));
    assert!(start <= Instant::now());
    let check = |y: f64| assert!(y <= x + y);
    check(1.0);
    let ((), ()) = (assert!(x > -1.0), assert_abs_diff_eq!(x, x));
    assert_relative_eq!(x, x + x * 0.0, max_relative = 1e-3 * 2.0);
    assert_ulps_eq!(x, x, epsilon = f64::EPSILON, max_ulps = 3);
    let () = assert_abs_diff_eq!(x, x).clone();
    assert_abs_diff_eq!(
        [x, x][..],
        [x, x][..],
        epsilon = if x > 0.0 { 1.0 } else { 2.0 }
    );
    if let [first, ..] = &v[..] {
        assert!(*first < 1)
    }
    generic(&['a', 'b'], 1.0, 2.0);
    new.is_small();
    small!(2);
    std::thread::scope(|scope| {
        scope.spawn(|| assert!(x >= 0.0));
    });
    loop {
        assert!(x >= if x >= 0.0 { break } else { 1.0 });
    }
    drop(asynchronous());
    assert!(
        old.name < {
            drop(new);
            String::from("b")
        },
        "moved"
    );
    Ok(assert!(x >= 0.0))
}
