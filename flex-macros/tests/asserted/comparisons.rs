//! What is recorded of a comparison.

use super::*;

struct Walk {
    best: f64,
    name: String,
}

impl Walk {
    fn step(&mut self) -> f64 {
        self.best += 1.0;
        self.best
    }

    fn end(self) -> f64 {
        self.best
    }
}

fn walk() -> Walk {
    Walk {
        best: 1.0,
        name: "walk".to_owned(),
    }
}

check!(
    literal_bounds_are_ends,
    {
        let (x, n) = (0.25, 7u64);
        assert!(x < 0.5);
        assert!(0.5 >= x);
        assert!(x > -1.0);
        assert!(5_000 <= n * 1_000);
        assert!(x < 0.05);
    },
    [
        "x<0.5: kept .. < 0.25 < 0.5",
        "0.5>=x: kept .. < 0.25 <= 0.5",
        "x>-1.0: kept -1 < 0.25 < ..",
        "5_000<=n*1_000: kept 5000 <= 7000 < ..",
        "x<0.05: broken .. < 0.25 < 0.05",
    ]
);

check!(
    other_bounds_are_margins,
    {
        let (x, y) = (3.0f32, 5.0f32);
        assert!(x < y);
        assert!(&y >= &x);
        assert!((x - 1.5).abs() > (y - 1.0).sqrt(), "{x} and {}", y);
    },
    [
        "x<y: kept .. < -2 < 0",
        "&y>=&x: kept 0 <= 2 < ..",
        "(x-1.5).abs()>(y-1.0).sqrt(): broken 0 < -0.5 < ..",
    ]
);

check!(
    times_are_numbers,
    {
        use std::time::Duration;
        assert!(Duration::from_millis(1) > Duration::from_secs(1));
    },
    ["Duration::from_millis(1)>Duration::from_secs(1): broken 0 < -0.999 < .."]
);

check!(
    not_a_number_is_broken,
    {
        assert!(id(f64::NAN) < 1.0);
    },
    ["id(f64::NAN)<1.0: broken .. < NaN < 1"]
);

check!(
    equal_texts_are_numbered,
    {
        let x = 1.0;
        let check = |x: f64| assert!(x < 2.0);
        check(x);
        fn nested(x: f64) {
            if x > 0.0 {
                assert!(x < 2.0)
            } else {
                unreachable!()
            }
        }
        nested(x);
    },
    ["x<2.0: kept .. < 1 < 2", "x<2.0#2: kept .. < 1 < 2"]
);

check!(
    paths_and_brackets_do_not_matter,
    {
        let x = 1.0;
        std::assert!(x < 1.1);
        ::core::assert![x < 1.2];
        debug_assert! { x < 1.3 }
        core::debug_assert!(x < 1.4,);
        ::std::debug_assert!(x < 0.5, "with {x:?} and {n}", n = 3);
    },
    [
        "x<1.1: kept .. < 1 < 1.1",
        "x<1.2: kept .. < 1 < 1.2",
        "x<1.3: kept .. < 1 < 1.3",
        "x<1.4: kept .. < 1 < 1.4",
        "x<0.5: broken .. < 1 < 0.5",
    ]
);

check!(
    other_types_are_not_recorded,
    {
        fn generic<T: PartialOrd>(left: T, right: T) {
            assert!(left < right);
        }
        generic(1.0, 2.0);
        let walk = walk();
        assert!(walk.name < String::from("x"));
        assert!(*"a" < *"b");
        assert!(Some(1.0) < Some(2.0));
        assert!([1, 2][..] <= [1, 3][..]);
        assert!('a' < 'b');
        assert!(walk.name > String::from("x"), "{}", walk.name);
    },
    [
        "left<right: kept nothing",
        "walk.name<String::from(\"x\"): kept nothing",
        "*\"a\"<*\"b\": kept nothing",
        "Some(1.0)<Some(2.0): kept nothing",
        "[1,2][..]<=[1,3][..]: kept nothing",
        "'a'<'b': kept nothing",
        "walk.name>String::from(\"x\"): broken nothing",
    ]
);

check!(
    what_is_no_single_comparison_is_left_alone,
    {
        let (x, y) = (1.0f64, 2.0);
        assert!(x < y && y < 3.0);
        assert!(x < y || y < 3.0);
        assert!(!(x > y));
        assert!((x < y));
        assert!(x.max(y) == y);
        assert!(1 < 2);
        assert!([x].iter().all(|x| *x < 3.0));
        assert!(matches!(x, 1.0));
        assert_eq!(x < y, true);
        assert!(x > y || false, "no");
    },
    []
);

check!(
    operands_are_evaluated_once_and_in_order,
    {
        let order = RefCell::new(Vec::new());
        let say = |value: f64| {
            order.borrow_mut().push(value);
            value
        };
        assert!(say(1.0) < say(2.0));
        assert!(say(3.0) <= say(4.0), "{}", say(0.0));
        assert_eq!(order.take(), [1.0, 2.0, 3.0, 4.0]);
    },
    [
        "say(1.0)<say(2.0): kept .. < -1 < 0",
        "say(3.0)<=say(4.0): kept .. < -1 <= 0"
    ]
);

check!(
    the_right_side_may_change_the_left_one,
    {
        let mut walk = walk();
        assert!(walk.best < walk.step());
        assert!(
            walk.best < {
                walk.best += 2.0;
                walk.best
            },
            ""
        );
        let mut n = 3;
        assert!(
            n > {
                n -= 1;
                n
            },
            ""
        );
        assert!(
            walk.best < {
                let mut best = walk.step();
                best += 1.0;
                best
            },
            ""
        );
        assert!(walk.best > walk.end());
    },
    [
        "walk.best<walk.step(): kept .. < -1 < 0",
        "walk.best<{walk.best+=2.0;walk.best}: kept .. < -2 < 0",
        "n>{n-=1;n}: kept 0 < 1 < ..",
        "walk.best<{letmutbest=walk.step();best+=1.0;best}: kept .. < -2 < 0",
        "walk.best>walk.end(): broken 0 < 0 < ..",
    ]
);

check!(
    temporaries_are_gone_when_it_panics,
    {
        use std::sync::Mutex;
        let mutex = Mutex::new(1.0);
        let caught = catch_unwind(AssertUnwindSafe(|| assert!(*mutex.lock().unwrap() < 0.5)));
        assert!(caught.is_err() && !mutex.is_poisoned());
    },
    ["*mutex.lock().unwrap()<0.5: broken .. < 1 < 0.5"]
);

check!(
    types_may_be_known_later,
    {
        let late = "3".parse().unwrap();
        assert!(late > 0.5);
        let _: f64 = late;
        let values = [1.0f64, 2.0];
        assert!(2.5 < values.iter().sum());
        assert!(values[0] < values.iter().sum());
        assert!(values.len() < 1 << 2);
    },
    [
        "late>0.5: kept 0.5 < 3 < ..",
        "2.5<values.iter().sum(): kept 2.5 < 3 < ..",
        "values[0]<values.iter().sum(): kept .. < -2 < 0",
        "values.len()<1<<2: kept .. < -2 < 0",
    ]
);
