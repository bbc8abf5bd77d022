use super::*;

/// Checks an upper bound, and the lower bound that mirrors it.
fn check(bound: f64, median: f64, step: Option<f64>, expected: f64) {
    let upper = outward(Side::Upper, bound, median, step, None);
    assert_eq!(upper.to_bits(), expected.to_bits(), "{bound}: {upper}");
    let lower = outward(Side::Lower, -bound, -median, step, None);
    assert_eq!(lower.to_bits(), (-expected).to_bits(), "-{bound}: {lower}");
}

#[test]
fn the_unit_is_within_a_hundredth_of_the_distance_from_the_median() {
    check(0.093_123_4, 0.012, None, 0.0932);
    check(1_000.312_34, 1_000.1, None, 1_000.313);
    check(1_234_567.0, 0.0, None, 1_240_000.0);
    check(1.0, 0.0, None, 1.0);
    check(9.996, 0.0, None, 10.0);
    check(99.999, -1.0, None, 100.0);
    check(1.234_56e300, 0.0, None, 1.24e300);
    check(1.234_56e-300, 0.0, None, 1.24e-300);
}

#[test]
fn negative_bounds_round_towards_zero_and_past_it() {
    check(-1.239, -10.0, None, -1.23);
    check(-9.996, -20.0, None, -9.9);
    check(-0.004, -100.0, None, -0.0);
    check(0.004, -100.0, None, 1.0);
}

#[test]
fn what_is_a_short_decimal_already_does_not_move() {
    for bound in [0.1, 0.3, 0.57, 1.15, 2.3e-8, 8.41e22] {
        check(bound, 0.0, None, bound);
    }
    // The nearest float to 0.1 + 0.2 is above 0.3.
    check(0.1 + 0.2, 0.0, None, 0.301);
}

#[test]
fn lattice_bounds_move_by_less_than_a_hundredth_of_the_step() {
    check(17.0, 3.0, Some(1.0), 17.0);
    check(100.0 / 3.0, 3.0, Some(1.0 / 3.0), 33.334);
    check(1.0, 0.75, Some(1000.0), 1.0);
}

#[test]
fn nothing_moves_where_rounding_is_pointless() {
    let tight = 1.0_f64.next_up();
    for (bound, median, step) in [
        (0.123_456, 0.123_456, None),
        (0.123_456, 1.0, None),
        (tight, 1.0, None),
        (5e-324, 0.0, None),
        (0.0, -1.0, None),
        (f64::NAN, 0.0, None),
        (f64::INFINITY, 0.0, None),
        (0.123_456, f64::NAN, None),
        (0.123_456, f64::NEG_INFINITY, None),
        (0.123_456, 0.0, Some(f64::NAN)),
        (0.123_456, 0.0, Some(f64::INFINITY)),
        (0.123_456, 0.0, Some(0.0)),
        (0.123_456, 0.0, Some(1e-300)),
        (f64::MAX, f64::MIN, None),
        (f64::MAX, 0.0, None),
    ] {
        check(bound, median, step, bound);
    }
}

#[test]
fn people_write_short_numbers_that_cost_at_most_a_tenth() {
    for (bound, median, expected) in [
        (0.093_123, 0.012, 0.1),
        (0.031_2, 0.0, 0.032),
        (0.031_2, 0.01, 0.032),
        (17.0, 3.0, 17.0),
        (38.2, 8.0, 40.0),
        (1_000.312_34, 1_000.1, 1_000.32),
        (1.234e-12, 0.0, 1.3e-12),
        (0.5, 0.0, 0.5),
        (0.5f64.next_up(), 0.0, 0.51),
        (-1.239, -10.0, -1.0),
        (0.25, 0.5, 0.25),
        (f64::NAN, 0.0, f64::NAN),
    ] {
        let got = by_hand(Side::Upper, bound, median, None);
        assert_eq!(got.to_bits(), expected.to_bits(), "{bound}: {got}");
        let mirrored = by_hand(Side::Lower, -bound, -median, None);
        assert_eq!(
            mirrored.abs().to_bits(),
            expected.abs().to_bits(),
            "-{bound}"
        );
    }
    let domain = Domain::new(0.0, 1.0).ok();
    assert_eq!(by_hand(Side::Upper, 0.987, 0.5, domain), 0.99);
    assert_eq!(by_hand(Side::Lower, 0.003, 0.5, domain), 0.003);
    assert_eq!(by_hand(Side::Lower, 0.003, 0.5, None), 0.0);
    assert_eq!(by_hand(Side::Upper, 1.0, 0.5, domain), 1.0);
}

#[test]
fn information_is_rounded_to_a_thousandth_of_the_spread() {
    assert_eq!(nearest(0.123_456_789, 0.5), 0.1235);
    assert_eq!(nearest(-1_000.123_456, 0.5), -1_000.123_5);
    assert_eq!(nearest(3e-9, 0.5), 0.0);
    assert_eq!(nearest(0.1, 0.0), 0.1);
    assert_eq!(nearest(1e300, 1e-300), 1e300);
}

#[test]
fn the_domain_is_never_left_and_its_end_not_reached_by_rounding() {
    let domain = Domain::new(0.0, 1.0).ok();
    assert_eq!(outward(Side::Upper, 0.999_87, 0.5, None, None), 1.0);
    assert_eq!(outward(Side::Upper, 0.999_87, 0.5, None, domain), 0.9999);
    assert_eq!(outward(Side::Lower, 2.09e-9, 0.5, None, domain), 2e-9);
    assert_eq!(outward(Side::Upper, 1.0, 0.5, None, domain), 1.0);
    assert_eq!(outward(Side::Upper, 2.0, 0.5, None, domain), 1.0);
}
