//! Assertions wherever a statement or an expression can stand.

#![deny(warnings)]

use flex_harness::prelude::*;

fn generic<T: Measured + PartialOrd, const N: usize>(value: T, bound: T) {
    assert_tail_bound!(value < bound);
    assert_tail_bound!(value < _, case = N);
    assert_tail_bound!([0; N].len() < N + 1);
}

struct Holder<'a, T>(&'a T);

impl<T: Measured> Holder<'_, T> {
    const LIMIT: f64 = 3.0;

    fn method(&self) {
        assert_tail_bound!(self.0 < _);
        assert_tail_bound!(self.0.measured() < Self::LIMIT);
    }
}

fn timed(values: &[u64]) {
    let mut buffer = Vec::new();
    assert_time!(values.iter().sum::<u64>() / values.iter().product::<u64>() < _);
    assert_time!(
        {
            buffer.clear();
            buffer.extend_from_slice(values);
        } / values.to_vec()
            < 1e9,
        name = "buffer",
        "with {} values",
        values.len()
    );
    assert_time!(0.0 <= (values.len()) / values.is_empty() < _, name = "chain");
}

async fn asynchronous() {
    async fn value() -> f64 {
        1.0
    }
    assert_tail_bound!(0.0 < value().await < _);
    assert_close!(value().await, value().await, abs = _);
}

fn fallible(values: &[f64]) -> Option<f64> {
    assert_tail_bound!(*values.first()? < _, "first of {}", values.len());
    for (i, value) in values.iter().enumerate() {
        match i {
            0 => assert_tail_bound!(*value < _, name = format!("value {i}")),
            1 => assert_close!(value, values[0], rel = _),
            _ => break,
        }
    }
    let check = |x: f64| assert_tail_bound!(x < _);
    check(1.0);
    (values.len() > 3).then(|| assert_tail_bound!(values[3] < 1.0))?;
    Some(1.0)
}

macro_rules! small {
    ($($value:expr),*) => {
        $(assert_tail_bound!($value < _, name = stringify!($value));)*
    };
}

#[stochastic_test]
fn everything(rng: &mut TestRng) -> Result<(), Box<dyn std::error::Error>> {
    generic::<f64, 3>(1.0, 2.0);
    Holder(&1).method();
    drop(asynchronous());
    fallible(&[rng.fork().seed_u64() as f64]);
    timed(&[1, 2, 3]);
    let n = rng.seed_u64();
    small!(n, n + 1);
    assert_tail_bound!(n as f64 - 1.0 < _);
    assert_tail_bound!(if n < 3 { n } else { 3 } < _);
    assert_tail_bound!(n << 2 >> 1 < _);
    assert_tail_bound!(std::iter::empty::<f64>().sum::<f64>() < _);
    assert_tail_bound!("3".parse::<u8>()? < _);
    Ok(())
}
