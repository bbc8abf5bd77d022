//! Laws with a density. Formulas are those of Johnson, Kotz & Balakrishnan (1994, 1995), *Continuous Univariate
//! Distributions*.

use super::{Law, laws, of_finite};
use crate::numeric::gamma::{beta_reg, gamma_upper};
use crate::numeric::normal::normal_sf;

laws! {
    Normal(mean, sd), "the standard deviation is above 0", "The normal law with this mean and standard deviation.":
        |law| law.sd > 0.0;
    Uniform(low, high), "the lower end is below the upper one", "All numbers between two ends alike.":
        |law| law.low < law.high;
    Exponential(rate), "the rate is above 0", "The exponential law with this rate; its mean is 1 / rate.":
        |law| law.rate > 0.0;
    Gamma(shape, scale), "shape and scale are above 0", "The gamma law with this shape and scale.":
        |law| law.shape > 0.0 && law.scale > 0.0;
    ChiSquared(freedom), "the degrees of freedom are above 0", "χ² with these degrees of freedom.":
        |law| law.freedom > 0.0;
    Beta(a, b), "both shapes are above 0", "The beta law with these shapes.":
        |law| law.a > 0.0 && law.b > 0.0;
    StudentT(freedom), "the degrees of freedom are above 0", "Student's t with these degrees of freedom.":
        |law| law.freedom > 0.0;
    Cauchy(median, scale), "the scale is above 0", "The Cauchy law with this median and scale.":
        |law| law.scale > 0.0;
    LogNormal(mu, sigma), "sigma is above 0", "The law of e^X for a normal X with mean mu and standard deviation sigma.":
        |law| law.sigma > 0.0;
    Weibull(scale, shape), "shape and scale are above 0", "The Weibull law with this scale and shape.":
        |law| law.shape > 0.0 && law.scale > 0.0;
}

/// The distribution function of a law on the real line.
trait OnReals {
    /// P(X ≤ x) for a finite x.
    fn at(&self, x: f64) -> f64;
}

macro_rules! on_reals {
    ($($law:ident)*) => {$(
        impl Law for $law {
            #[inline]
            fn cdf(&self, x: f64) -> f64 {
                of_finite(x, |x| self.at(x))
            }
        }
    )*};
}
on_reals!(Normal Uniform Exponential Gamma ChiSquared Beta StudentT Cauchy LogNormal Weibull);

impl OnReals for Normal {
    #[inline]
    fn at(&self, x: f64) -> f64 {
        normal_sf((self.mean - x) / self.sd)
    }
}

impl OnReals for Uniform {
    #[inline]
    fn at(&self, x: f64) -> f64 {
        ((x - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }
}

impl OnReals for Exponential {
    #[inline]
    fn at(&self, x: f64) -> f64 {
        -(-self.rate * x.max(0.0)).exp_m1()
    }
}

impl OnReals for Gamma {
    #[inline]
    fn at(&self, x: f64) -> f64 {
        1.0 - gamma_upper(self.shape, x.max(0.0) / self.scale)
    }
}

impl OnReals for ChiSquared {
    #[inline]
    fn at(&self, x: f64) -> f64 {
        1.0 - gamma_upper(self.freedom / 2.0, x.max(0.0) / 2.0)
    }
}

impl OnReals for Beta {
    #[inline]
    fn at(&self, x: f64) -> f64 {
        beta_reg(self.a, self.b, x.clamp(0.0, 1.0))
    }
}

impl OnReals for StudentT {
    #[inline]
    fn at(&self, x: f64) -> f64 {
        let outside = beta_reg(
            self.freedom / 2.0,
            0.5,
            self.freedom / (self.freedom + x * x),
        );
        match x < 0.0 {
            true => outside / 2.0,
            false => 1.0 - outside / 2.0,
        }
    }
}

impl OnReals for Cauchy {
    #[inline]
    fn at(&self, x: f64) -> f64 {
        0.5 + ((x - self.median) / self.scale).atan() / std::f64::consts::PI
    }
}

impl OnReals for LogNormal {
    #[inline]
    fn at(&self, x: f64) -> f64 {
        match x > 0.0 {
            true => normal_sf((self.mu - x.ln()) / self.sigma),
            false => 0.0,
        }
    }
}

impl OnReals for Weibull {
    #[inline]
    fn at(&self, x: f64) -> f64 {
        -(-(x.max(0.0) / self.scale).powf(self.shape)).exp_m1()
    }
}
