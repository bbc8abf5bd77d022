//! Laws: distributions by their distribution functions, which draws are held against.

mod continuous;
mod discrete;

pub use continuous::{
    Beta, Cauchy, ChiSquared, Exponential, Gamma, LogNormal, Normal, StudentT, Uniform, Weibull,
};
pub use discrete::{Bernoulli, Binomial, DiscreteUniform, Geometric, Poisson};

/// A distribution, by its distribution function: the probability of a value that is at most x.
///
/// Closures `|x: f64| …` are laws. Implement it for a law of your own, or write `|x: f64| law.cdf(x)` for one of another crate;
/// for those of statrs and rand_distr, flex-harness has features.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a law that flex knows the distribution function of",
    note = "write it as a closure, `|x: f64| …`, take one of `flex_harness::laws`, or implement `flex_harness::Law`",
    note = "types of statrs and rand_distr need flex-harness's feature of that name; of rand_distr only those tell their law that are normal or have no parameters: `assert_same_distribution!(draw, law.sample(rng))` takes all"
)]
pub trait Law {
    /// P(X ≤ x).
    fn cdf(&self, x: f64) -> f64;

    /// P(X < x): less than P(X ≤ x) where the law is discrete.
    fn cdf_below(&self, x: f64) -> f64 {
        self.cdf(x)
    }
}

impl<F: Fn(f64) -> f64> Law for F {
    fn cdf(&self, x: f64) -> f64 {
        self(x)
    }
}

/// A law on whole numbers, by its distribution function: see [`discrete`].
#[derive(Debug, Clone, Copy)]
pub struct Discrete<F>(F);

/// The law on whole numbers that has this distribution function.
///
/// ```
/// use flex_core::law::{Law, discrete};
///
/// let die = discrete(|k: f64| (k / 6.0).clamp(0.0, 1.0));
/// assert_eq!((die.cdf_below(3.0), die.cdf(3.0)), (2.0 / 6.0, 3.0 / 6.0));
/// ```
pub fn discrete<F: Fn(f64) -> f64>(cdf: F) -> Discrete<F> {
    Discrete(cdf)
}

impl<F: Fn(f64) -> f64> Law for Discrete<F> {
    fn cdf(&self, x: f64) -> f64 {
        (self.0)(x.floor())
    }

    fn cdf_below(&self, x: f64) -> f64 {
        (self.0)(x.ceil() - 1.0)
    }
}

/// Parameters that no law of this name has, and what they must be.
fn checked<L>(law: L, is_kept: bool, rule: &str) -> Result<L, String> {
    match is_kept {
        true => Ok(law),
        false => Err(format!("there is no such distribution: {rule}")),
    }
}

/// A distribution function by its values at finite numbers; at NaN there is none.
fn of_finite(x: f64, cdf: impl FnOnce(f64) -> f64) -> f64 {
    match x {
        f64::NEG_INFINITY => 0.0,
        f64::INFINITY => 1.0,
        x if x.is_nan() => f64::NAN,
        x => cdf(x),
    }
}

/// Declares laws: their parameters, which must keep a rule, and their distribution function.
macro_rules! laws {
    ($law:ident($($parameter:ident),*), $rule:literal, $doc:literal: |$own:ident| $kept:expr; $($rest:tt)*) => {
        #[doc = $doc]
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $law { $($parameter: f64),* }

        impl $law {
            #[doc = concat!("The law; ", $rule, ".")]
            #[inline]
            pub fn new($($parameter: f64),*) -> Result<Self, String> {
                let $own = $law { $($parameter),* };
                let is_finite = [$($parameter),*].iter().all(|parameter| parameter.is_finite());
                $crate::law::checked($own, is_finite && $kept, $rule)
            }
        }

        $crate::law::laws! { $($rest)* }
    };
    () => {};
}
use laws;

#[cfg(test)]
mod tests;
