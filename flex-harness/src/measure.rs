//! From what a test compares to numbers: any numeric type, durations, and sequences of them.

use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};
use std::time::Duration;

/// A value that a site can measure. Implement it for a number type of your own to use it in assertions.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number that flex can measure",
    note = "numbers and `Duration` are; implement `flex_harness::Measured` for a type of your own"
)]
pub trait Measured {
    /// Whether the value is a time, which says as much about the machine as about the code.
    const IS_TIME: bool = false;

    /// The least and the greatest number that the type can hold, if it has ends: a learned bound never lies behind them.
    const ENDS: Option<(f64, f64)> = None;

    /// The value as a number; a duration in seconds.
    fn measured(&self) -> f64;
}

macro_rules! numbers {
    ($($number:ty)*, $ends:expr) => {$(
        impl Measured for $number {
            const ENDS: Option<(f64, f64)> = $ends(<$number>::MIN as f64, <$number>::MAX as f64);

            fn measured(&self) -> f64 {
                *self as f64
            }
        }
        impl Measurements for $number {
            fn visit(&self, visit: &mut dyn FnMut(Item)) {
                visit(Item::Number(self.measured()));
            }
        }
    )*};
}
numbers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize, both);
numbers!(f64 f32, neither);

const fn both(least: f64, greatest: f64) -> Option<(f64, f64)> {
    Some((least, greatest))
}

/// A float may be infinite.
const fn neither(_: f64, _: f64) -> Option<(f64, f64)> {
    None
}

impl Measured for Duration {
    const IS_TIME: bool = true;
    const ENDS: Option<(f64, f64)> = Some((0.0, f64::INFINITY));

    fn measured(&self) -> f64 {
        self.as_secs_f64()
    }
}

impl<T: Measured + ?Sized> Measured for &T {
    const IS_TIME: bool = T::IS_TIME;
    const ENDS: Option<(f64, f64)> = T::ENDS;

    fn measured(&self) -> f64 {
        (**self).measured()
    }
}

impl<T: Measured + ?Sized> Measured for &mut T {
    const IS_TIME: bool = T::IS_TIME;
    const ENDS: Option<(f64, f64)> = T::ENDS;

    fn measured(&self) -> f64 {
        (**self).measured()
    }
}

/// A number as a site sees it.
#[derive(Debug, Clone, Copy)]
pub struct Measurement {
    /// The number.
    pub value: f64,
    /// Whether it is a time.
    pub is_time: bool,
    /// Whether it is the difference of two values, because the bound is not a literal.
    pub is_margin: bool,
    /// The least and the greatest number that its type can hold.
    pub ends: Option<(f64, f64)>,
}

/// Measures a value.
pub fn measured<T: Measured + ?Sized>(value: &T) -> Measurement {
    Measurement {
        value: value.measured(),
        is_time: T::IS_TIME,
        is_margin: false,
        ends: T::ENDS,
    }
}

/// By how much `left` is greater than `right`: the sample of a declared bound that is not a literal.
pub fn margin<L: Measured + ?Sized, R: Measured + ?Sized>(left: &L, right: &R) -> Measurement {
    let (left, right) = (measured(left), measured(right));
    Measurement {
        value: left.value - right.value,
        is_time: left.is_time || right.is_time,
        is_margin: true,
        ends: None,
    }
}

/// Something that `assert_close!` can compare: a number, or a slice, array or `Vec` of such things.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not something that `assert_close!` can compare",
    note = "numbers, and slices, arrays and `Vec`s of them are"
)]
pub trait Measurements {
    /// Shows the numbers in order, and where sequences begin and how long they are.
    fn visit(&self, visit: &mut dyn FnMut(Item));
}

/// What [`Measurements::visit`] shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Item {
    /// A number.
    Number(f64),
    /// A sequence of so many elements, which follow.
    Sequence(usize),
}

impl<T: Measurements> Measurements for [T] {
    fn visit(&self, visit: &mut dyn FnMut(Item)) {
        visit(Item::Sequence(self.len()));
        for element in self {
            element.visit(visit);
        }
    }
}

impl<T: Measurements, const N: usize> Measurements for [T; N] {
    fn visit(&self, visit: &mut dyn FnMut(Item)) {
        self.as_slice().visit(visit);
    }
}

impl<T: Measurements> Measurements for Vec<T> {
    fn visit(&self, visit: &mut dyn FnMut(Item)) {
        self.as_slice().visit(visit);
    }
}

impl<T: Measurements + ?Sized> Measurements for &T {
    fn visit(&self, visit: &mut dyn FnMut(Item)) {
        (**self).visit(visit);
    }
}

impl<T: Measurements + ?Sized> Measurements for &mut T {
    fn visit(&self, visit: &mut dyn FnMut(Item)) {
        (**self).visit(visit);
    }
}

impl<T: Measurements + ?Sized> Measurements for Box<T> {
    fn visit(&self, visit: &mut dyn FnMut(Item)) {
        (**self).visit(visit);
    }
}

/// The largest difference between `got` and `want`, relative to `want` if so asked; or why they cannot be compared.
pub(crate) fn difference(
    got: &(impl Measurements + ?Sized),
    want: &(impl Measurements + ?Sized),
    relative: bool,
) -> Result<f64, String> {
    let mut wanted = Vec::new();
    want.visit(&mut |item| wanted.push(item));
    let mut wanted = wanted.into_iter();
    let mut largest = Ok(0.0f64);
    // The place of the number at hand, for messages.
    let mut place = 0usize;
    got.visit(&mut |got| {
        let Ok(so_far) = largest else { return };
        largest = match (got, wanted.next()) {
            (Item::Sequence(got), Some(Item::Sequence(want))) if got == want => Ok(so_far),
            (Item::Sequence(got), Some(Item::Sequence(want))) => {
                Err(format!("lengths differ: got {got}, want {want}"))
            }
            (Item::Number(got), Some(Item::Number(want))) => {
                let at = place;
                place += 1;
                difference_of_numbers(got, want, relative)
                    .map(|difference| so_far.max(difference))
                    .ok_or_else(|| match at {
                        0 => format!("got {got}, want {want}"),
                        _ => format!("element {at}: got {got}, want {want}"),
                    })
            }
            _ => Err("shapes differ: a number stands where the other has a sequence".to_owned()),
        };
    });
    if largest.is_ok() && wanted.next().is_some() {
        return Err("shapes differ: a number stands where the other has a sequence".to_owned());
    }
    largest
}

/// |got − want|, or |got − want| / |want|; `None` if either is NaN.
fn difference_of_numbers(got: f64, want: f64, relative: bool) -> Option<f64> {
    if got.is_nan() || want.is_nan() {
        return None;
    }
    // Equal infinities differ by nothing; so do equal zeros, relative to themselves.
    if got == want {
        return Some(0.0);
    }
    let difference = (got - want).abs();
    // A finite number is infinitely far from an infinite one, relative to it too.
    Some(if relative && difference.is_finite() {
        difference / want.abs()
    } else {
        difference
    })
}

/// A range that can be the domain of a metric, like `0.0..=1.0` or `0..`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a domain",
    note = "a domain is a range of numbers, like `0.0..=1.0` or `0.0..`"
)]
pub trait IntoDomain {
    /// The ends; infinite where the range has none.
    fn into_domain(self) -> (f64, f64);
}

macro_rules! domains {
    ($($range:ident { $($lower:ident)? , $($upper:ident)? })*) => {$(
        impl<T: Measured> IntoDomain for $range<T> {
            fn into_domain(self) -> (f64, f64) {
                let (lower, upper) = (f64::NEG_INFINITY, f64::INFINITY);
                $(let lower = { let _ = lower; self.$lower.measured() };)?
                $(let upper = { let _ = upper; self.$upper.measured() };)?
                (lower, upper)
            }
        }
    )*};
}
domains! {
    Range { start, end }
    RangeFrom { start, }
    RangeTo { , end }
    RangeToInclusive { , end }
}

impl<T: Measured> IntoDomain for RangeInclusive<T> {
    fn into_domain(self) -> (f64, f64) {
        (self.start().measured(), self.end().measured())
    }
}

impl IntoDomain for RangeFull {
    fn into_domain(self) -> (f64, f64) {
        (f64::NEG_INFINITY, f64::INFINITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_measured() {
        assert_eq!(measured(&3u8).value, 3.0);
        assert_eq!(measured(&-3i128).value, -3.0);
        assert_eq!(measured(&&0.5f32).value, 0.5);
        let time = measured(&Duration::from_millis(1500));
        assert!(time.is_time && time.value == 1.5);
        assert_eq!(time.ends, Some((0.0, f64::INFINITY)));
        assert_eq!(measured(&&3u8).ends, Some((0.0, 255.0)));
        assert_eq!(measured(&3i8).ends, Some((-128.0, 127.0)));
        assert_eq!(measured(&3.0f32).ends, None);
        assert_eq!(margin(&2usize, &5usize).value, -3.0);
    }

    #[test]
    fn the_largest_difference_counts() {
        let check = |relative, expected| {
            let got = difference(&[1.0, 2.5, 4.0], &vec![1.0, 2.0, 8.0], relative);
            assert_eq!(got, Ok(expected));
        };
        check(false, 4.0);
        check(true, 0.5);
        assert_eq!(difference(&3, &5, false), Ok(2.0));
        assert_eq!(
            difference(&[[1.0, 2.0]], &vec![vec![1.0, 2.5]], false),
            Ok(0.5)
        );
        assert_eq!(difference(&[0.0f64; 0], &[0.0f64; 0], true), Ok(0.0));
    }

    #[test]
    fn what_cannot_be_compared_says_why() {
        let check = |got: &[f64], want: &[f64], words: &str| {
            let error = difference(got, want, false).unwrap_err();
            assert!(error.contains(words), "{error}");
        };
        check(&[1.0], &[1.0, 2.0], "lengths differ: got 1, want 2");
        check(&[1.0, f64::NAN], &[1.0, 2.0], "element 1: got NaN, want 2");
        let shapes = difference(&1.0, &[1.0], false).unwrap_err();
        assert!(shapes.contains("shapes differ"), "{shapes}");
    }

    #[test]
    fn infinities_are_far_from_all_but_themselves() {
        let inf = f64::INFINITY;
        assert_eq!(difference(&inf, &inf, true), Ok(0.0));
        assert_eq!(difference(&inf, &-inf, true), Ok(inf));
        assert_eq!(difference(&1.0, &inf, true), Ok(inf));
        assert_eq!(difference(&0.0, &0.0, true), Ok(0.0));
        assert_eq!(difference(&1.0, &0.0, true), Ok(inf));
    }

    #[test]
    fn ranges_are_domains() {
        assert_eq!((0.0..=1.0).into_domain(), (0.0, 1.0));
        assert_eq!((0..5).into_domain(), (0.0, 5.0));
        assert_eq!((0.0..).into_domain(), (0.0, f64::INFINITY));
        assert_eq!((..2u8).into_domain(), (f64::NEG_INFINITY, 2.0));
        assert_eq!((..=2.0).into_domain(), (f64::NEG_INFINITY, 2.0));
    }
}
