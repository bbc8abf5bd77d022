//! Laws on whole numbers. Formulas are those of Johnson, Kemp & Kotz (2005), *Univariate Discrete Distributions*.

use super::{Law, laws, of_finite};
use crate::numeric::gamma::{beta_reg, gamma_upper};

laws! {
    Bernoulli(probability), "the probability is between 0 and 1", "1 with this probability, and else 0.":
        |law| (0.0..=1.0).contains(&law.probability);
    Binomial(trials, probability), "the trials are a whole number from 0 up, and the probability is between 0 and 1",
        "How many of so many trials succeed, each with this probability.":
        |law| law.trials >= 0.0 && law.trials.fract() == 0.0 && (0.0..=1.0).contains(&law.probability);
    Poisson(mean), "the mean is above 0", "The Poisson law with this mean.":
        |law| law.mean > 0.0;
    Geometric(probability), "the probability is above 0 and at most 1", "How many trials fail before the first that succeeds.":
        |law| law.probability > 0.0 && law.probability <= 1.0;
    DiscreteUniform(low, high), "the ends are whole numbers, the lower one first", "All whole numbers from `low` to `high` alike.":
        |law| law.low <= law.high && law.low.fract() == 0.0 && law.high.fract() == 0.0;
}

/// The distribution function of a law on whole numbers, at each of them.
trait OnIntegers {
    /// P(X ≤ k) for a whole number.
    fn up_to(&self, k: f64) -> f64;
}

macro_rules! on_integers {
    ($($law:ident)*) => {$(
        impl Law for $law {
            #[inline]
            fn cdf(&self, x: f64) -> f64 {
                of_finite(x.floor(), |k| self.up_to(k))
            }

            #[inline]
            fn cdf_below(&self, x: f64) -> f64 {
                of_finite(x.ceil() - 1.0, |k| self.up_to(k))
            }
        }
    )*};
}
on_integers!(Bernoulli Binomial Poisson Geometric DiscreteUniform);

impl OnIntegers for Bernoulli {
    #[inline]
    fn up_to(&self, k: f64) -> f64 {
        match k {
            k if k < 0.0 => 0.0,
            k if k < 1.0 => 1.0 - self.probability,
            _ => 1.0,
        }
    }
}

impl OnIntegers for Binomial {
    #[inline]
    fn up_to(&self, k: f64) -> f64 {
        match k {
            k if k < 0.0 => 0.0,
            k if k >= self.trials => 1.0,
            k => beta_reg(self.trials - k, k + 1.0, 1.0 - self.probability),
        }
    }
}

impl OnIntegers for Poisson {
    #[inline]
    fn up_to(&self, k: f64) -> f64 {
        match k {
            k if k < 0.0 => 0.0,
            k => gamma_upper(k + 1.0, self.mean),
        }
    }
}

impl OnIntegers for Geometric {
    #[inline]
    fn up_to(&self, k: f64) -> f64 {
        match k < 0.0 {
            true => 0.0,
            false => -((k + 1.0) * (-self.probability).ln_1p()).exp_m1(),
        }
    }
}

impl OnIntegers for DiscreteUniform {
    #[inline]
    fn up_to(&self, k: f64) -> f64 {
        ((k - self.low + 1.0) / (self.high - self.low + 1.0)).clamp(0.0, 1.0)
    }
}
