use flex_harness::prelude::*;

fn main() {
    let (x, y, flag) = (1.0, 2.0, true);
    assert_mean!();
    assert_mean!(x);
    assert_mean!(0.0 < x < 1.0);
    assert_mean!(1.0 < 2.0);
    assert_mean!(0.0 < x < _);
    assert_mean!(x < _, draws = independent);
    assert_mean!(x, within = _, of = 0.0);
    assert_mean!(x, within = 0.1);
    assert_mean!(x < 1.0, within = 0.1, of = 0.0);
    assert_mean!(x < 1.0, margin = -0.1);
    assert_mean!(x < 1.0, max_runs = 0);
    assert_mean!(x < 1.0, undecided = maybe);
    assert_mean!(x < 1.0, draws = many);
    assert_mean!(x < 1.0, better = higher);
    assert_mean!(x < 1.0, confidence = 99.9);
    assert_rate!(flag > 90);
    assert_rate!(flag > 1.5);
    assert_rate!(flag > 0.9, domain = 0.0..=1.0);
    assert_distributed!(x);
    assert_distributed!(x, _);
    assert_same_distribution!(x, y, magrin = 0.1);
    assert_no_worse!(x, y, better = larger);
    assert_no_worse!(x, y, name = "");
}
