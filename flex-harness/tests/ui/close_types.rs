use flex_harness::assert_close;

fn main() {
    assert_close!("a", "b", abs = _);
    assert_close!(1.0, Some(2.0), abs = _);
    assert_close!(1.0, 2.0, abs = "c");
}
