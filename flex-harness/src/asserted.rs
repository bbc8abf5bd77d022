//! Plain assertions of a stochastic test: what they compare, as a sample, if it is numbers.
//!
//! Methods are looked up on the wrapper first and on a reference to it second. So numbers find the inherent method, and
//! all other types find the one of a trait, which measures nothing; no bound is ever asked of a user's type.

use std::any::type_name;
use std::ops::Deref;

use crate::measure::{Measured, Measurement, margin, measured};
use flex_run::model::{Comparison, Distance, Operator};

/// Both sides of an assertion.
#[derive(Debug)]
pub struct Operands<'a, L: ?Sized, R: ?Sized>(pub &'a L, pub &'a R);

/// Which number of a comparison is the sample.
#[derive(Debug, Clone, Copy)]
pub enum Sampled {
    /// The left side; the other is a literal.
    Left,
    /// The right side; the other is a literal.
    Right,
    /// Left − right.
    Margin,
}

impl<L: Measured + ?Sized, R: Measured + ?Sized> Operands<'_, L, R> {
    /// The sample of a comparison, and the bound that it is to keep.
    pub fn __flex_sample(
        &self,
        sampled: Sampled,
        bound: Comparison,
    ) -> Option<(Measurement, Comparison)> {
        let sample = match sampled {
            Sampled::Left => measured(self.0),
            Sampled::Right => measured(self.1),
            Sampled::Margin => margin(self.0, self.1),
        };
        Some((sample, bound))
    }

    /// The sample of an assertion of approx, and the bound that it is to keep.
    pub fn __flex_distance(&self, nearness: Nearness) -> Option<(Measurement, Comparison)> {
        let (left, right) = (measured(self.0), measured(self.1));
        let is_single = is_single::<L>() && is_single::<R>();
        let (distance, bound) = nearness.of(left.value, right.value, is_single)?;
        let (value, bound) = if nearness.is_literal {
            (distance, bound)
        } else {
            (distance - bound, 0.0)
        };
        let sample = Measurement {
            value,
            is_time: left.is_time || right.is_time,
            is_margin: !nearness.is_literal,
            ends: None,
        };
        Some((sample, Comparison::new(Operator::AtMost, bound)))
    }
}

/// What is compared is not numbers.
pub trait NotMeasured {
    /// There is no sample.
    fn __flex_sample(&self, _: Sampled, _: Comparison) -> Option<(Measurement, Comparison)> {
        None
    }

    /// There is no sample.
    fn __flex_distance(&self, _: Nearness) -> Option<(Measurement, Comparison)> {
        None
    }

    /// There is no number.
    fn __flex_value(&self) -> f64 {
        f64::NAN
    }
}

impl<L: ?Sized, R: ?Sized> NotMeasured for &Operands<'_, L, R> {}
impl<T: ?Sized> NotMeasured for &Operand<'_, T> {}

/// One side of an assertion, or an option of it.
#[derive(Debug)]
pub struct Operand<'a, T: ?Sized>(pub &'a T);

impl<T: Measured + ?Sized> Operand<'_, T> {
    /// The number.
    pub fn __flex_value(&self) -> f64 {
        self.0.measured()
    }
}

impl<T: Scalar> Operand<'_, T> {
    /// A copy, so that the other side may change the variable, as it may in a plain comparison.
    pub fn __flex_held(&self) -> Copied<T> {
        Copied(*self.0)
    }
}

/// What is not copied when it is compared.
pub trait NotScalar<'a, T: ?Sized> {
    /// The reference.
    fn __flex_held(&self) -> &'a T;
}

impl<'a, T: ?Sized> NotScalar<'a, T> for &Operand<'a, T> {
    fn __flex_held(&self) -> &'a T {
        self.0
    }
}

/// A copy that is used like a reference.
#[derive(Debug)]
pub struct Copied<T>(T);

impl<T> Deref for Copied<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// The types that the compiler compares itself.
pub trait Scalar: Copy {}

macro_rules! scalars {
    ($($scalar:ty)*) => {$( impl Scalar for $scalar {} )*};
}
scalars!(f64 f32 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize bool char);

/// What an assertion of approx asks for.
#[derive(Debug, Clone, Copy)]
pub struct Nearness {
    /// What is bounded.
    pub distance: Distance,
    /// Absolute differences up to this are none.
    pub epsilon: Option<f64>,
    /// The bound; else it is approx's own.
    pub bound: Option<f64>,
    /// Whether the bound is a literal. If not, the sample is the margin.
    pub is_literal: bool,
}

impl Nearness {
    /// The distance and its bound, unless the bound is no number.
    fn of(self, a: f64, b: f64, is_single: bool) -> Option<(f64, f64)> {
        let machine_epsilon = if is_single {
            f64::from(f32::EPSILON)
        } else {
            f64::EPSILON
        };
        let difference = if a == b { 0.0 } else { (a - b).abs() };
        let epsilon = self.epsilon.unwrap_or(machine_epsilon);
        let (distance, default) = match self.distance {
            Distance::Absolute => (difference, machine_epsilon),
            Distance::Relative if difference <= epsilon => (0.0, machine_epsilon),
            Distance::Relative if difference.is_infinite() => (difference, machine_epsilon),
            Distance::Relative => (difference / a.abs().max(b.abs()), machine_epsilon),
            Distance::Ulps if difference <= epsilon => (0.0, 4.0),
            Distance::Ulps if difference.is_nan() => (difference, 4.0),
            Distance::Ulps if a.signum() != b.signum() => (f64::INFINITY, 4.0),
            Distance::Ulps => (ulps(a, b, is_single), 4.0),
        };
        let bound = self.bound.unwrap_or(default);
        (!bound.is_nan()).then_some((distance, bound))
    }
}

fn ulps(a: f64, b: f64, is_single: bool) -> f64 {
    if is_single {
        // These came from such numbers, so nothing is lost.
        let (a, b) = (a as f32, b as f32);
        f64::from(a.to_bits().abs_diff(b.to_bits()))
    } else {
        a.to_bits().abs_diff(b.to_bits()) as f64
    }
}

/// Whether the type is `f32`, or a reference to it.
fn is_single<T: ?Sized>() -> bool {
    let name = type_name::<T>();
    name.trim_start_matches('&').trim_start_matches("mut ") == "f32"
}

#[cfg(test)]
#[expect(
    clippy::needless_borrow,
    reason = "what is not measured needs the reference"
)]
mod tests {
    use super::*;

    const BOUND: Comparison = Comparison {
        operator: Operator::Less,
        bound: 1.0,
    };

    /// What the expansion asks for, as a number.
    macro_rules! sample {
        ($left:expr, $right:expr) => {
            (&Operands(&$left, &$right))
                .__flex_sample(Sampled::Margin, BOUND)
                .map(|(sample, _)| sample.value)
        };
    }

    #[test]
    fn numbers_have_samples() {
        let unclear = 3.0;
        assert_eq!(sample!(unclear, 1.0), Some(2.0));
        assert_eq!(sample!(&3u8, &&1u8), Some(2.0));
    }

    #[test]
    fn other_types_have_none() {
        fn generic<T: PartialOrd>(left: T, right: T) -> Option<f64> {
            sample!(left, right)
        }
        assert_eq!(sample!("a", "b"), None);
        assert_eq!(sample!(*"a", *"b"), None);
        assert_eq!(sample!(Some(1.0), Some(2.0)), None);
        assert_eq!(sample!('a', 1.0), None);
        assert_eq!(generic(1.0, 2.0), None);
    }

    #[test]
    fn scalars_are_copied_and_others_are_not() {
        let mut x = 1.0;
        let held = (&Operand(&x)).__flex_held();
        x += 1.0;
        assert!(*held < x);
        let text = String::from("a");
        let held: &String = (&Operand(&text)).__flex_held();
        assert!(std::ptr::eq(held, &text));
    }

    #[test]
    fn distances_are_those_of_approx() {
        let check = |distance, epsilon, (a, b): (f64, f64), expected: (f64, f64)| {
            let nearness = Nearness {
                distance,
                epsilon,
                bound: None,
                is_literal: true,
            };
            assert_eq!(
                nearness.of(a, b, false),
                Some(expected),
                "{distance:?} {a} {b}"
            );
        };
        let machine = f64::EPSILON;
        let inf = f64::INFINITY;
        check(Distance::Absolute, None, (1.0, 3.5), (2.5, machine));
        check(Distance::Absolute, None, (inf, inf), (0.0, machine));
        check(Distance::Relative, None, (-2.0, -4.0), (0.5, machine));
        check(Distance::Relative, Some(2.0), (-2.0, -4.0), (0.0, machine));
        check(Distance::Relative, None, (1.0, inf), (inf, machine));
        let next = |x: f64| x.next_up().next_up();
        check(Distance::Ulps, None, (1e9, next(1e9)), (2.0, 4.0));
        check(Distance::Ulps, None, (next(-1e9), -1e9), (2.0, 4.0));
        check(Distance::Ulps, None, (-1.0, 1.0), (inf, 4.0));
    }

    #[test]
    fn single_precision_has_its_own_epsilon_and_ulps() {
        let distance =
            |nearness| (&Operands(&1000.0f32, &1000.0f32.next_up())).__flex_distance(nearness);
        let nearness = Nearness {
            distance: Distance::Ulps,
            epsilon: None,
            bound: None,
            is_literal: true,
        };
        let (sample, bound) = distance(nearness).unwrap();
        assert_eq!((sample.value, bound.bound), (1.0, 4.0));
        let relative = Nearness {
            distance: Distance::Relative,
            ..nearness
        };
        let (_, bound) = distance(relative).unwrap();
        assert_eq!(bound.bound, f64::from(f32::EPSILON));
    }
}
