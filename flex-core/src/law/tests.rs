//! Distribution functions against those of scipy 1.17: `law.cdf(x)`, with the call that made the law.

use super::*;

fn check(law: Result<impl Law, String>, expected: &[(f64, f64)]) {
    let law = law.unwrap();
    for &(x, probability) in expected {
        let error = (law.cdf(x) - probability).abs();
        assert!(error < 1e-12, "{x}: {} for {probability}", law.cdf(x));
    }
    assert_eq!(
        (law.cdf(f64::NEG_INFINITY), law.cdf(f64::INFINITY)),
        (0.0, 1.0)
    );
    assert!(law.cdf(f64::NAN).is_nan() && law.cdf_below(f64::NAN).is_nan());
}

#[test]
fn distribution_functions_are_those_of_scipy() {
    // scipy.stats.norm(1, 2)
    check(
        Normal::new(1.0, 2.0),
        &[
            (-3.0, 0.022750131948179195),
            (0.5, 0.4012936743170763),
            (1.0, 0.5),
            (6.0, 0.9937903346742238),
        ],
    );
    // uniform(-1, 4)
    check(
        Uniform::new(-1.0, 3.0),
        &[(-2.0, 0.0), (0.0, 0.25), (2.5, 0.875), (4.0, 1.0)],
    );
    // expon(scale=2)
    check(
        Exponential::new(0.5),
        &[
            (-1.0, 0.0),
            (0.1, 0.048770575499286),
            (3.0, 0.7768698398515702),
        ],
    );
    // gamma(2.5, scale=1.5)
    check(
        Gamma::new(2.5, 1.5),
        &[
            (0.0, 0.0),
            (0.3, 0.00467040676412957),
            (4.0, 0.6234323552910233),
            (20.0, 0.9999337681365768),
        ],
    );
    // chi2(3)
    check(
        ChiSquared::new(3.0),
        &[
            (0.5, 0.08110858834532418),
            (3.0, 0.6083748237289109),
            (12.0, 0.9926168394946402),
        ],
    );
    // beta(0.5, 2)
    check(
        Beta::new(0.5, 2.0),
        &[
            (0.0, 0.0),
            (0.1, 0.45853026072441494),
            (0.7, 0.9621590305141866),
            (1.0, 1.0),
        ],
    );
    // t(4)
    check(
        StudentT::new(4.0),
        &[
            (-3.0, 0.019970984035859413),
            (0.0, 0.5),
            (0.5, 0.6783350184090684),
            (6.0, 0.9980587314765197),
        ],
    );
    // cauchy(1, 2)
    check(
        Cauchy::new(1.0, 2.0),
        &[
            (-10.0, 0.05724914704870018),
            (1.0, 0.5),
            (4.0, 0.8128329581890013),
        ],
    );
    // lognorm(0.8, scale=exp(0.5))
    check(
        LogNormal::new(0.5, 0.8),
        &[
            (-1.0, 0.0),
            (0.5, 0.06792379675498926),
            (3.0, 0.7728499431612219),
        ],
    );
    // weibull_min(1.5, scale=2)
    check(
        Weibull::new(2.0, 1.5),
        &[
            (0.2, 0.03112800565992458),
            (2.0, 0.6321205588285577),
            (5.0, 0.9808000398449904),
        ],
    );
    // bernoulli(0.3)
    check(
        Bernoulli::new(0.3),
        &[(-1.0, 0.0), (0.0, 0.7), (0.5, 0.7), (1.0, 1.0)],
    );
    // binom(10, 0.3)
    check(
        Binomial::new(10.0, 0.3),
        &[
            (-1.0, 0.0),
            (0.0, 0.028247524900000005),
            (3.0, 0.6496107184000002),
            (9.0, 0.9999940951),
            (10.0, 1.0),
        ],
    );
    // poisson(4.2)
    check(
        Poisson::new(4.2),
        &[
            (0.0, 0.014995576820477707),
            (4.0, 0.5898270213105775),
            (4.5, 0.5898270213105775),
            (15.0, 0.9999911250824249),
        ],
    );
    // geom(0.25, loc=-1)
    check(
        Geometric::new(0.25),
        &[
            (-1.0, 0.0),
            (0.0, 0.24999999999999997),
            (5.0, 0.822021484375),
        ],
    );
    // randint(1, 7)
    check(
        DiscreteUniform::new(1.0, 6.0),
        &[
            (0.0, 0.0),
            (1.0, 0.16666666666666666),
            (3.0, 0.5),
            (6.0, 1.0),
            (7.0, 1.0),
        ],
    );
}

#[test]
fn discrete_laws_jump() {
    let law = Binomial::new(10.0, 0.3).unwrap();
    for k in 0..=10 {
        let k = f64::from(k);
        assert_eq!(law.cdf_below(k), law.cdf(k - 1.0));
        assert_eq!(law.cdf_below(k + 0.5), law.cdf(k + 0.5));
        assert!(law.cdf_below(k) < law.cdf(k));
    }
    let normal = Normal::new(0.0, 1.0).unwrap();
    assert_eq!(normal.cdf_below(0.5), normal.cdf(0.5));
}

#[test]
fn parameters_that_no_law_has_are_refused() {
    let error = Normal::new(0.0, -1.0).unwrap_err();
    assert_eq!(
        error,
        "there is no such distribution: the standard deviation is above 0"
    );
    assert!(Binomial::new(2.5, 0.5).is_err() && Beta::new(f64::NAN, 1.0).is_err());
}
