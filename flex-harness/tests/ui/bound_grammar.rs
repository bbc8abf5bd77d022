use flex_harness::assert_tail_bound;

fn main() {
    let (x, y, z) = (1.0, 2.0, 3.0);
    assert_tail_bound!();
    assert_tail_bound!(x);
    assert_tail_bound!(x, name = "a");
    assert_tail_bound!(x == 1.0);
    assert_tail_bound!(x <);
    assert_tail_bound!(< x);
    assert_tail_bound!(x < y == z);
    assert_tail_bound!(x < _ && y < _);
    assert_tail_bound!(x < _ || y < _);
    assert_tail_bound!(0.0 < x < y < z);
    assert_tail_bound!(x < _ + 1.0);
    assert_tail_bound!(0..3 < _);
    assert_tail_bound!(x + < y);
}
