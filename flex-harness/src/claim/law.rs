//! Laws that values are held against: whatever implements [`Law`], and with their features, the types of other crates.
//!
//! Methods are looked up on the wrapper first, on a reference to it second and on a mutable one last. So laws find the
//! inherent method, types of statrs and rand_distr that of a trait, and all others the one that says what is wrong.

use std::fmt;

use flex_core::law::Law;
use flex_run::model::Draws;

/// The law that an assertion states.
pub struct Stated<'a, L: ?Sized>(pub &'a L);

impl<L: ?Sized> fmt::Debug for Stated<'_, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Stated")
    }
}

impl<L: Law + ?Sized> Stated<'_, L> {
    /// Where in the law the values lie that a run drew.
    pub fn __flex_places(self, values: &[f64]) -> Draws {
        places(self.0, values)
    }
}

/// What is no law; calling the method is an error of the compiler, with the words of [`Law`].
pub trait NoLaw<L: ?Sized> {
    /// There are no places.
    fn __flex_places(self, values: &[f64]) -> Draws
    where
        L: Law;
}

impl<L: ?Sized> NoLaw<L> for &mut Stated<'_, L> {
    fn __flex_places(self, values: &[f64]) -> Draws
    where
        L: Law,
    {
        places(self.0, values)
    }
}

fn places(law: &(impl Law + ?Sized), values: &[f64]) -> Draws {
    Draws {
        first: values.iter().map(|value| law.cdf_below(*value)).collect(),
        second: values.iter().map(|value| law.cdf(*value)).collect(),
    }
}

/// Laws of statrs: whatever has one of its distribution functions.
#[cfg(feature = "statrs")]
mod of_statrs {
    use super::{Draws, Stated, places};
    use flex_core::law::discrete;
    use statrs::distribution::{ContinuousCDF, DiscreteCDF};

    /// Continuous laws.
    pub trait Continuous {
        /// Where in the law the values lie.
        fn __flex_places(self, values: &[f64]) -> Draws;
    }

    impl<L: ContinuousCDF<f64, f64> + ?Sized> Continuous for &Stated<'_, L> {
        fn __flex_places(self, values: &[f64]) -> Draws {
            // Some of them panic at NaN, of which the claim itself will tell.
            let cdf = |x: f64| if x.is_nan() { x } else { self.0.cdf(x) };
            places(&cdf, values)
        }
    }

    /// Laws on counts.
    pub trait Counting {
        /// Where in the law the values lie.
        fn __flex_places(self, values: &[f64]) -> Draws;
    }

    impl<L: DiscreteCDF<u64, f64> + ?Sized> Counting for &Stated<'_, L> {
        fn __flex_places(self, values: &[f64]) -> Draws {
            let cdf = |k: f64| match k {
                k if k.is_nan() => k,
                k if k < 0.0 => 0.0,
                k => self.0.cdf(k as u64),
            };
            places(&discrete(cdf), values)
        }
    }

    /// Laws on whole numbers.
    pub trait Whole {
        /// Where in the law the values lie.
        fn __flex_places(self, values: &[f64]) -> Draws;
    }

    impl<L: DiscreteCDF<i64, f64> + ?Sized> Whole for &Stated<'_, L> {
        fn __flex_places(self, values: &[f64]) -> Draws {
            let cdf = |k: f64| if k.is_nan() { k } else { self.0.cdf(k as i64) };
            places(&discrete(cdf), values)
        }
    }
}

/// Laws of rand_distr: those that tell what they are.
#[cfg(feature = "rand_distr")]
mod of_rand_distr {
    use super::{Draws, Stated, places};
    use flex_core::law::{Exponential, Law, Normal, Uniform};

    /// A generator that tells its law.
    pub trait Told {
        /// The law.
        fn law(&self) -> Result<impl Law, String>;
    }

    impl Told for rand_distr::Normal<f64> {
        fn law(&self) -> Result<impl Law, String> {
            // A negative one turns the law around, which is the same.
            Normal::new(self.mean(), self.std_dev().abs())
        }
    }

    impl Told for rand_distr::Normal<f32> {
        fn law(&self) -> Result<impl Law, String> {
            Normal::new(f64::from(self.mean()), f64::from(self.std_dev().abs()))
        }
    }

    impl Told for rand_distr::StandardNormal {
        fn law(&self) -> Result<impl Law, String> {
            Normal::new(0.0, 1.0)
        }
    }

    impl Told for rand_distr::Exp1 {
        fn law(&self) -> Result<impl Law, String> {
            Exponential::new(1.0)
        }
    }

    impl Told for rand_distr::StandardUniform {
        fn law(&self) -> Result<impl Law, String> {
            Uniform::new(0.0, 1.0)
        }
    }

    impl Told for rand_distr::Open01 {
        fn law(&self) -> Result<impl Law, String> {
            Uniform::new(0.0, 1.0)
        }
    }

    impl Told for rand_distr::OpenClosed01 {
        fn law(&self) -> Result<impl Law, String> {
            Uniform::new(0.0, 1.0)
        }
    }

    /// Generators that tell their laws.
    pub trait Telling {
        /// Where in the law the values lie.
        fn __flex_places(self, values: &[f64]) -> Draws;
    }

    impl<L: Told> Telling for &Stated<'_, L> {
        fn __flex_places(self, values: &[f64]) -> Draws {
            match self.0.law() {
                Ok(law) => places(&law, values),
                // A standard deviation of 0 is one value, of which no law is known: NaN is refused with words.
                Err(_) => places(&|_: f64| f64::NAN, values),
            }
        }
    }
}

/// The ways to a law, for the macro, which brings all of them into the scope of an expression: nothing there is called so.
pub mod forms {
    pub use super::NoLaw as __FlexNoLaw;
    #[cfg(feature = "rand_distr")]
    pub use super::of_rand_distr::Telling as __FlexTelling;
    #[cfg(feature = "statrs")]
    pub use super::of_statrs::{
        Continuous as __FlexContinuous, Counting as __FlexCounting, Whole as __FlexWhole,
    };
}

#[cfg(test)]
mod tests {
    use super::Stated;
    use flex_core::law::{Law, Normal, Poisson};
    use flex_run::model::Draws;

    const VALUES: [f64; 6] = [-1.5, 0.0, 0.25, 1.0, 3.0, 40.0];

    #[track_caller]
    fn check(drawn: &Draws, law: &impl Law) {
        for (place, value) in VALUES.iter().enumerate() {
            let ours = [law.cdf_below(*value), law.cdf(*value)];
            for (ours, theirs) in ours.iter().zip([drawn.first[place], drawn.second[place]]) {
                assert!((ours - theirs).abs() < 1e-9, "{value}: {ours} {theirs}");
            }
        }
    }

    #[test]
    fn laws_of_ours_and_closures_say_where_values_lie() {
        let normal = Normal::new(0.5, 2.0).unwrap();
        check(&Stated(&normal).__flex_places(&VALUES), &normal);
        let cdf = |x: f64| normal.cdf(x);
        check(&Stated(&cdf).__flex_places(&VALUES), &normal);
        let poisson = Poisson::new(3.5).unwrap();
        check(&Stated(&poisson).__flex_places(&VALUES), &poisson);
    }

    #[cfg(feature = "statrs")]
    #[test]
    fn laws_of_statrs_are_those_of_ours() {
        use super::forms::*;
        use statrs::distribution;
        let theirs = distribution::Normal::new(0.5, 2.0).unwrap();
        let normal = Normal::new(0.5, 2.0).unwrap();
        check(&Stated(&theirs).__flex_places(&VALUES), &normal);
        let theirs = distribution::Poisson::new(3.5).unwrap();
        let poisson = Poisson::new(3.5).unwrap();
        check(&Stated(&theirs).__flex_places(&VALUES), &poisson);
        let theirs = distribution::DiscreteUniform::new(-1, 3).unwrap();
        let ours = flex_core::law::DiscreteUniform::new(-1.0, 3.0).unwrap();
        check(&Stated(&theirs).__flex_places(&VALUES), &ours);
        assert!(Stated(&theirs).__flex_places(&[f64::NAN]).first[0].is_nan());
    }

    #[cfg(feature = "rand_distr")]
    #[test]
    fn generators_of_rand_distr_tell_their_laws() {
        use super::forms::*;
        let theirs = rand_distr::Normal::new(0.5, 2.0).unwrap();
        let normal = Normal::new(0.5, 2.0).unwrap();
        check(&Stated(&theirs).__flex_places(&VALUES), &normal);
        let exponential = flex_core::law::Exponential::new(1.0).unwrap();
        check(
            &Stated(&rand_distr::Exp1).__flex_places(&VALUES),
            &exponential,
        );
        let constant = rand_distr::Normal::new(0.5, 0.0).unwrap();
        assert!(Stated(&constant).__flex_places(&[0.5]).first[0].is_nan());
    }
}
