use flex_harness::prelude::*;

fn main() {
    let (x, flag) = (1.0, true);
    assert_mean!("one" < 1.0);
    assert_mean!(flag < 1.0);
    assert_rate!(x > 0.9);
    assert_rate!([1, 2] > 0.9);
    assert_distributed!(x, 5);
    assert_mean!(x < 1.0, domain = 5);
    assert_mean!(x < 1.0, max_runs = 1.5);
}
