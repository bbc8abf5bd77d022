use flex_harness::assert_tail_bound;

fn main() {
    let (x, y) = (1.0, 2.0);
    assert_tail_bound!(_ < _);
    assert_tail_bound!(_ < 0.5);
    assert_tail_bound!(0.1 < 0.5);
    assert_tail_bound!(_ < x > _);
    assert_tail_bound!(0.0 <= x >= y);
    assert_tail_bound!(x < _ < y);
    assert_tail_bound!(x < 0.5 < y);
    assert_tail_bound!(_ < 0.5 < _);
}
