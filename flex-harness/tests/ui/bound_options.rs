use flex_harness::assert_tail_bound;

fn main() {
    let x = 1.0;
    assert_tail_bound!(x < _, nam = "a", tail = light);
    assert_tail_bound!(x < _, name = "a", name = "b");
    assert_tail_bound!(x < _, name = "");
    assert_tail_bound!(x < _, confidence = 1.0);
    assert_tail_bound!(x < _, confidence = 99.9);
    assert_tail_bound!(x < 0.5, domain = 0.0..=1.0, confidence = 0.9);
    assert_tail_bound!(x < _, name);
    assert_tail_bound!(x < _, 3);
    assert_tail_bound!(x < _ "message");
    assert_tail_bound!(x < _, "message", x);
    // In the place of an expression, all mistakes are reported too.
    let unit = assert_tail_bound!(_ < _, name = "");
}
