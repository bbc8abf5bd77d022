use flex_harness::prelude::*;

fn work() -> u64 {
    7
}

fn main() {
    // A comparison of two times, and no other.
    assert_time!();
    assert_time!(work() < _);
    assert_time!(work() / work());
    assert_time!(work() / work() / work() < _);
    assert_time!(0.5 < 1.5);
    assert_time!(work() / work() < _, nmae = "a");
    assert_time!(work() / work() < 1.5, confidence = 0.9);
}
