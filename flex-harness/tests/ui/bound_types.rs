use flex_harness::assert_tail_bound;

struct Opaque;

fn main() {
    let (x, n) = (1.0, 2usize);
    assert_tail_bound!("text" < _);
    assert_tail_bound!(Opaque < _);
    assert_tail_bound!(x + 1.0 < n + 1);
    assert_tail_bound!(n < 0.5);
    assert_tail_bound!(&x < 0.5);
    assert_tail_bound!("a" < "b");
    assert_tail_bound!(x < _, domain = (0.0, 1.0));
    assert_tail_bound!(x < _, confidence = "high");
    assert_tail_bound!(x < _, case = Opaque);
}
