//! Where assertions are recorded, and as what.

use super::*;

check!(
    other_macros_are_not_looked_into,
    {
        macro_rules! small {
            (block $block:block) => {
                $block
            };
            ($x:expr) => {
                assert!($x < 3.0)
            };
        }
        small!(1.0);
        small!(block { assert!(1.0 < id(2.0)) });
        let _ = vec![assert!(1.0 < id(2.0))];
        if !{
            assert!(2.0 < id(3.0));
            false
        } {}
    },
    ["2.0<id(3.0): kept 2 < 3 < .."]
);

check!(
    constants_are_left_to_the_compiler,
    {
        const LIMIT: usize = {
            assert!(size_of::<u8>() < 2);
            1
        };
        static ZERO: [u8; {
            assert!(LIMIT < 2);
            1
        }] = [0; {
            assert!(LIMIT < 3);
            1
        }];
        const fn small(n: usize) -> usize {
            assert!(n < 10);
            n
        }
        struct Holder<const N: usize>;
        impl<const N: usize> Holder<N> {
            const OK: () = assert!(N < 10);
            fn check(&self) {
                assert!(N < 20);
            }
        }
        enum Kind {
            One = {
                assert!(LIMIT < 4);
                1
            },
        }
        const { assert!(LIMIT < 5) };
        let _ = id((1, const { assert!(LIMIT < 5) }));
        let _: Holder<
            {
                assert!(LIMIT < 6);
                1
            },
        > = Holder;
        let pointer: *const u8 = &raw const ZERO[0];
        assert!(pointer.is_null() as u8 <= small(1) as u8);
        let () = Holder::<3>::OK;
        Holder::<3>.check();
        assert!(ZERO.len() < Kind::One as usize);
    },
    [
        "pointer.is_null()asu8<=small(1)asu8: kept .. < -1 <= 0",
        "N<20: kept .. < 3 < 20",
        "ZERO.len()<Kind::Oneasusize: broken .. < 0 < 0",
    ]
);

#[test]
fn lines_are_those_of_the_assertions() {
    #[rustfmt::skip]
    mod lines {
        use super::*;

        pub const FIRST: u32 = line!() + 4;

        #[stochastic_test]
        fn recorded() {
            assert!(id(1.0) < 2.0);
            std::assert!(
                id(1.0) < 2.0
            );
            approx::assert_abs_diff_eq!(1.0, 1.0);
        }

        pub fn run() {
            (__flex_recorded.body)(&mut ()).unwrap();
        }
    }
    lines::run();
    let lines: Vec<u32> = HITS
        .take()
        .iter()
        .map(|(line, _)| line - lines::FIRST)
        .collect();
    assert_eq!(lines, [0, 1, 4]);
}
