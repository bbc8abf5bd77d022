//! Without a message, the message is the compiler's text of the condition, whatever its formatting in the source.
//!
//! rustfmt leaves what is in braces as it is.

use super::*;

check! { of_calls, {
    let x = 3.0f64;
    assert!( x.powi( 2 ).max(id::<f64>(1.0,))<f64::min( 1.0,-x ) );
}, ["x.powi(2).max(id::<f64>(1.0))<f64::min(1.0,-x): broken .. < 12 < 0"] }

check! { of_operators, {
    let (x, v) = (3.0f64, [1, 2]);
    assert!(-x*2.0+(1.0-x)/4.0>=v[..1][0]as f64%3.0);
}, ["-x*2.0+(1.0-x)/4.0>=v[..1][0]asf64%3.0: broken 0 <= -7.5 < .."] }

check! { of_literals, {
    assert!("a\"\n".len() > [b'a',0x10,].len()+(1,'\t').0+3_0usize);
}, ["\"a\\\"\\n\".len()>[b'a',0x10].len()+(1,'\\t').0+3_0usize: broken 0 < -30 < .."] }

check! { of_closures, {
    let v = [1.0, -1.0];
    assert!(v.iter().filter(|&&x|x>0.0).map(move|x|(x,1)).fold(0,|_,(_,b)|b)<1);
}, ["v.iter().filter(|&&x|x>0.0).map(move|x|(x,1)).fold(0,|_,(_,b)|b)<1: broken .. < 1 < 1"] }

check! { of_macros, {
    assert!(vec![1,2 ,3].len()<[0;2].len());
}, ["vec![1,2,3].len()<[0;2].len(): broken .. < 1 < 0"] }

check! { of_one_full_line, {
    let a_long_name_that_nearly_fills_a_line = 3.0;
    assert!(a_long_name_that_nearly_fills_a_line < id(1.0) + id(1.00000000000000000000000));
}, ["a_long_name_that_nearly_fills_a_line<id(1.0)+id(1.00000000000000000000000): broken .. < 1 < 0"] }

check! { of_more_than_a_line_are_left_alone, {
    let a_long_name_that_nearly_fills_a_line = 3.0;
    assert!(a_long_name_that_nearly_fills_a_line < id(1.0) + id(1.000000000000000000000000));
}, [] }

check! { of_blocks_are_left_alone, {
    assert!(if id(true) { 3 } else { 4 } < 2);
}, [] }

check! { of_others_are_what_they_were, {
    assert!(vec![1,2 ,3].is_empty());
}, [] }

check! { of_approx_are_its_own, {
    let x = 1.25f64;
    approx::assert_abs_diff_eq!( x . abs(),vec![1.0,2.0][0] , epsilon=0.1+0.1);
}, ["abs_diff_eq(x.abs(),vec![1.0,2.0][0],epsilon=0.1+0.1): broken .. < 0.05 <= 0"] }

#[test]
fn with_braces_are_no_formats() {
    mod braces {
        use super::*;

        #[stochastic_test]
        fn recorded() {
            assert!("{x} {{".len() < 2);
        }

        pub fn run() {
            (__flex_recorded.body)(&mut ()).unwrap();
        }
    }
    let end = end_of(braces::run).unwrap();
    assert!(
        end.ends_with("assertion failed: \"{x} {{\".len() < 2"),
        "{end}"
    );
    assert_eq!(HITS.take().len(), 1);
}
