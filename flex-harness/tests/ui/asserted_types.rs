//! The errors are those of a plain test.

struct Opaque;

#[flex_harness::stochastic_test]
fn recorded() {
    let (x, n) = (1.0, 2usize);
    assert!(1.0 < "a");
    assert!(n < 0.5);
    assert!(x + 1.0 < n + 1);
    std::assert!(x > Some(x), "{}", x);
    assert!(Opaque < Opaque);
    assert!(x.missing() < 1.0);
    assert!(x < undefined);
    approx::assert_abs_diff_eq!(x, "a", epsilon = 0.5);
}

fn main() {}
