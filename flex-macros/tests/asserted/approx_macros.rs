//! The assertions of approx.

use super::*;
use approx::{assert_abs_diff_eq, assert_relative_eq, assert_ulps_eq};

check!(
    absolute_differences,
    {
        let x = 1.25f64;
        assert_abs_diff_eq!(x, x);
        assert_abs_diff_eq!(x, 1.0, epsilon = 0.5);
        assert_abs_diff_eq!(id(x), 1.0, epsilon = 1.0 / 2.0,);
        approx::assert_abs_diff_eq!(x.abs(), 1.0, epsilon = 0.1);
    },
    [
        "abs_diff_eq(x,x): kept .. < 0 <= 0.0000000000000002220446049250313",
        "abs_diff_eq(x,1.0,epsilon=0.5): kept .. < 0.25 <= 0.5",
        "abs_diff_eq(id(x),1.0,epsilon=1.0/2.0): kept .. < -0.25 <= 0",
        "abs_diff_eq(x.abs(),1.0,epsilon=0.1): broken .. < 0.25 <= 0.1",
    ]
);

check!(
    relative_differences,
    {
        let (x, y) = (100.0f32, 80.0f32);
        assert_relative_eq!(x, y, max_relative = 0.25);
        assert_relative_eq!(x, y, epsilon = 30.0);
        assert_relative_eq!(x, y, epsilon = 30.0, max_relative = 0.01);
        assert_relative_eq!(x, y, max_relative = x / 1000.0, epsilon = 1e-3);
    },
    [
        "relative_eq(x,y,max_relative=0.25): kept .. < 0.2 <= 0.25",
        "relative_eq(x,y,epsilon=30.0): kept .. < 20 <= 30",
        "relative_eq(x,y,epsilon=30.0,max_relative=0.01): kept .. < 0 <= 0.01",
        "relative_eq(x,y,max_relative=x/1000.0,epsilon=1e-3): broken .. < 0.09999999851 <= 0",
    ]
);

check!(
    units_in_the_last_place,
    {
        let x = 1000.0f32;
        assert_ulps_eq!(x, x.next_up());
        assert_ulps_eq!(x, x.next_up(), max_ulps = 1);
        assert_ulps_eq!(x, 1000.5, epsilon = 1.0);
        ::approx::assert_ulps_eq!(x, 1001.0);
    },
    [
        "ulps_eq(x,x.next_up()): kept .. < 1 <= 4",
        "ulps_eq(x,x.next_up(),max_ulps=1): kept .. < 1 <= 1",
        "ulps_eq(x,1000.5,epsilon=1.0): kept .. < 0.5 <= 1",
        "ulps_eq(x,1001.0): broken .. < 16384 <= 4",
    ]
);

check!(
    are_evaluated_once,
    {
        let count = Cell::new(0);
        let next = || {
            count.set(count.get() + 1);
            1.0
        };
        assert_relative_eq!(next(), next(), epsilon = next(), max_relative = next());
        assert_eq!(count.get(), 4);
    },
    ["relative_eq(next(),next(),epsilon=next(),max_relative=next()): kept .. < -1 <= 0"]
);

check!(
    of_other_types_are_not_recorded,
    {
        assert_abs_diff_eq!([1.0, 2.0][..], [1.0, 2.0][..]);
        let text = |x: f64| assert_abs_diff_eq!(Cell::new(x), Cell::new(1.0), epsilon = x);
        text(0.25);
    },
    [
        "abs_diff_eq([1.0,2.0][..],[1.0,2.0][..]): kept nothing",
        "abs_diff_eq(Cell::new(x),Cell::new(1.0),epsilon=x): broken nothing",
    ]
);

check!(
    may_hold_assertions,
    {
        macro_rules! checked {
            ($x:expr) => {{
                assert!($x > 3.0, "{} and {}", $x, 1);
                $x
            }};
        }
        assert_abs_diff_eq!(checked!(2.0), 1.0);
    },
    []
);
