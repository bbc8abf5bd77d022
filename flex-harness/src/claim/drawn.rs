//! From what a test measures to the numbers of a claim: one value or several, in whatever holds them.
//!
//! Methods are looked up on the wrapper first, on a reference to it second and on a mutable one last. So numbers and
//! sequences of them find the inherent method, iterators that of a trait, and all other types the one that says what is
//! wrong with them.

use std::cell::Cell;
use std::fmt;

use crate::measure::{Item, Measured, Measurements};

/// What a claim is about: a value of the run, or several.
pub struct Drawn<T>(Cell<Option<T>>);

impl<T> fmt::Debug for Drawn<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Drawn")
    }
}

impl<T> Drawn<T> {
    /// Wraps what was drawn.
    pub fn new(drawn: T) -> Self {
        Drawn(Cell::new(Some(drawn)))
    }

    fn take(&self) -> Option<T> {
        self.0.take()
    }
}

impl<T: Measurements> Drawn<T> {
    /// The numbers.
    pub fn __flex_numbers(self) -> Vec<f64> {
        let mut numbers = Vec::new();
        if let Some(drawn) = self.take() {
            drawn.visit(&mut |item| {
                if let Item::Number(number) = item {
                    numbers.push(number);
                }
            });
        }
        numbers
    }
}

impl<T: Outcomes> Drawn<T> {
    /// 1 for what is true, and 0 for what is not.
    pub fn __flex_outcomes(self) -> Vec<f64> {
        let mut outcomes = Vec::new();
        if let Some(drawn) = self.take() {
            drawn.visit(&mut |is_true| outcomes.push(f64::from(u8::from(is_true))));
        }
        outcomes
    }
}

/// Iterators.
pub trait DrawnByIterator<I> {
    /// The numbers.
    fn __flex_numbers(self) -> Vec<f64>
    where
        I: IntoIterator<Item: Measured>;

    /// 1 for what is true, and 0 for what is not.
    fn __flex_outcomes(self) -> Vec<f64>
    where
        I: IntoIterator<Item: Outcomes>;
}

impl<I: IntoIterator> DrawnByIterator<I> for &Drawn<I> {
    fn __flex_numbers(self) -> Vec<f64>
    where
        I: IntoIterator<Item: Measured>,
    {
        let drawn = self.take().into_iter().flatten();
        drawn.map(|value| value.measured()).collect()
    }

    fn __flex_outcomes(self) -> Vec<f64>
    where
        I: IntoIterator<Item: Outcomes>,
    {
        let drawn = self.take().into_iter().flatten();
        drawn
            .flat_map(|value| Drawn::new(value).__flex_outcomes())
            .collect()
    }
}

/// What is neither; calling a method of it is an error of the compiler, with these words.
pub trait NoDraws<T> {
    /// There are no numbers.
    fn __flex_numbers(self) -> Vec<f64>
    where
        T: Numbers;

    /// There are no outcomes.
    fn __flex_outcomes(self) -> Vec<f64>
    where
        T: Outcomes;
}

impl<T> NoDraws<T> for &mut Drawn<T> {
    fn __flex_numbers(self) -> Vec<f64>
    where
        T: Numbers,
    {
        Vec::new()
    }

    fn __flex_outcomes(self) -> Vec<f64>
    where
        T: Outcomes,
    {
        Vec::new()
    }
}

/// One number, or several.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number, nor several",
    note = "numbers are, and slices, arrays, `Vec`s and iterators of them; implement `flex_harness::Measured` for a type of your own",
    note = "an iterator that is in a variable is used up: write `{{ draws }} < 0.1`"
)]
pub trait Numbers {}

impl<T: Measurements> Numbers for T {}

/// Something that is true or not, or several such things.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not something that is true or not",
    note = "`bool` is, and slices, arrays, `Vec`s and iterators of it are; compare numbers first, as in `(error < 0.1) > 0.9`",
    note = "an iterator that is in a variable is used up: write `{{ solved }} > 0.9`"
)]
pub trait Outcomes {
    /// Shows each of them in order.
    fn visit(&self, visit: &mut dyn FnMut(bool));
}

impl Outcomes for bool {
    fn visit(&self, visit: &mut dyn FnMut(bool)) {
        visit(*self);
    }
}

impl<T: Outcomes> Outcomes for [T] {
    fn visit(&self, visit: &mut dyn FnMut(bool)) {
        self.iter().for_each(|outcome| outcome.visit(visit));
    }
}

impl<T: Outcomes, const N: usize> Outcomes for [T; N] {
    fn visit(&self, visit: &mut dyn FnMut(bool)) {
        self.as_slice().visit(visit);
    }
}

impl<T: Outcomes> Outcomes for Vec<T> {
    fn visit(&self, visit: &mut dyn FnMut(bool)) {
        self.as_slice().visit(visit);
    }
}

impl<T: Outcomes + ?Sized> Outcomes for &T {
    fn visit(&self, visit: &mut dyn FnMut(bool)) {
        (**self).visit(visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_holds_numbers_is_drawn() {
        assert_eq!(Drawn::new(0.5f32).__flex_numbers(), [0.5]);
        assert_eq!(Drawn::new([1u8, 2]).__flex_numbers(), [1.0, 2.0]);
        assert_eq!(Drawn::new(&vec![1.5, 2.5]).__flex_numbers(), [1.5, 2.5]);
        let squares = (1..=3).map(|i| i * i);
        assert_eq!(Drawn::new(squares).__flex_numbers(), [1.0, 4.0, 9.0]);
        assert_eq!(Drawn::new(true).__flex_outcomes(), [1.0]);
        assert_eq!(Drawn::new([true, false]).__flex_outcomes(), [1.0, 0.0]);
        let even = (1..=3).map(|i| i % 2 == 0);
        assert_eq!(Drawn::new(even).__flex_outcomes(), [0.0, 1.0, 0.0]);
    }
}
