use flex_harness::assert_close;

fn main() {
    let (got, want) = (1.0, 2.0);
    assert_close!();
    assert_close!(got);
    assert_close!(got,);
    assert_close!(got, abs = _);
    assert_close!(got, want);
    assert_close!(got, want, 1e-9);
    assert_close!(got, want, abs = _, rel = _);
    assert_close!(got, want, abs = _, abs = 1.0);
    assert_close!(got, want, asb = _);
    assert_close!(got, want, abs = _, nmae = "a");
    assert_close!(got, want, abs = -1e-9);
    assert_close!(got, want, abs = 1e-9, confidence = 0.9);
    assert_close!(got, want, abs = _, confidence = 1.5);
    assert_close!(got, _, abs = _);
}
