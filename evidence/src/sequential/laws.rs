//! Claims that hold, just so or with something to spare, and laws for which they do.

use flex_core::sequential::{Allowed, Claim, LawClaim, MeanClaim, NoWorseClaim, Outside, PairedBy};
use flex_core::tail::{Domain, Side};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution as _, StandardNormal, StudentT};

use super::simulate::Draw;
use crate::distribution::{self, Distribution, TailKind};

/// A claim that holds.
pub struct Case {
    pub family: &'static str,
    pub law: String,
    pub claim: Claim,
    pub draw: Draw,
    /// The runs of a simulated test.
    pub runs: u64,
}

/// A law on the unit interval, with its mean.
pub struct UnitLaw {
    pub name: &'static str,
    pub mean: f64,
    pub sd: f64,
    pub draw: fn(&mut ChaCha8Rng) -> f64,
}

/// A draw of a beta law.
pub fn beta(a: f64, b: f64, rng: &mut ChaCha8Rng) -> f64 {
    rand_distr::Beta::new(a, b)
        .expect("positive shapes")
        .sample(rng)
}

fn yes(p: f64, rng: &mut ChaCha8Rng) -> f64 {
    f64::from(u8::from(rng.random::<f64>() < p))
}

/// Laws on the unit interval: smooth, lumpy, rare and constant.
pub const UNIT_LAWS: [UnitLaw; 11] = [
    UnitLaw {
        name: "uniform",
        mean: 0.5,
        sd: 0.2887,
        draw: |rng| rng.random(),
    },
    UnitLaw {
        name: "beta(2, 5)",
        mean: 2.0 / 7.0,
        sd: 0.1597,
        draw: |rng| beta(2.0, 5.0, rng),
    },
    UnitLaw {
        name: "beta(0.2, 0.8)",
        mean: 0.2,
        sd: 0.2828,
        draw: |rng| beta(0.2, 0.8, rng),
    },
    UnitLaw {
        name: "beta(9.9, 89.1), sd 0.03",
        mean: 0.1,
        sd: 0.03,
        draw: |rng| beta(9.9, 89.1, rng),
    },
    UnitLaw {
        name: "beta(50, 50)",
        mean: 0.5,
        sd: 0.0498,
        draw: |rng| beta(50.0, 50.0, rng),
    },
    UnitLaw {
        name: "0 or 1, a tenth",
        mean: 0.1,
        sd: 0.3,
        draw: |rng| yes(0.1, rng),
    },
    UnitLaw {
        name: "0 or 1, a hundredth",
        mean: 0.01,
        sd: 0.0995,
        draw: |rng| yes(0.01, rng),
    },
    UnitLaw {
        name: "half 0, half uniform",
        mean: 0.25,
        sd: 0.3227,
        draw: |rng| yes(0.5, rng) * rng.random::<f64>(),
    },
    UnitLaw {
        name: "tenths, binomial",
        mean: 0.3,
        sd: 0.1449,
        draw: |rng| (0..10).map(|_| yes(0.3, rng)).sum::<f64>() / 10.0,
    },
    UnitLaw {
        name: "constant",
        mean: 0.3,
        sd: 0.01,
        draw: |_| 0.3,
    },
    UnitLaw {
        name: "0.02, and 1 in a fiftieth",
        mean: 0.0396,
        sd: 0.1372,
        draw: |rng| 0.02 + 0.98 * yes(0.02, rng),
    },
];

/// A mean of values on the unit interval.
pub fn mean_claim(allowed: Allowed, margin: f64) -> Claim {
    Claim::Mean(MeanClaim {
        allowed,
        margin,
        domain: Domain::new(0.0, 1.0).expect("an interval"),
        outside: Outside::Refused,
    })
}

/// A claim about pairs, of which runs show the difference and 0.
pub fn no_worse(margin: f64) -> Claim {
    Claim::NoWorse(NoWorseClaim {
        worse: Side::Upper,
        margin,
        by: PairedBy::SignedRanks,
    })
}

/// A law of differences that is symmetric about 0, and whether it has one peak.
pub type Symmetric = (&'static str, bool, fn(&mut ChaCha8Rng) -> f64);

/// Laws of differences.
pub const SYMMETRIC: [Symmetric; 10] = [
    ("normal", true, |rng| StandardNormal.sample(rng)),
    ("Laplace", true, |rng| {
        either(rng) * -rng.random::<f64>().max(1e-300).ln()
    }),
    ("uniform", true, |rng| 2.0 * rng.random::<f64>() - 1.0),
    ("Cauchy", true, |rng| {
        rand_distr::Cauchy::new(0.0, 1.0)
            .expect("a scale")
            .sample(rng)
    }),
    ("t with 3 degrees", true, |rng| {
        StudentT::new(3.0).expect("degrees").sample(rng)
    }),
    ("logistic", true, |rng| {
        let u = rng.random::<f64>().clamp(1e-300, 1.0 - 1e-16);
        (u / (1.0 - u)).ln()
    }),
    ("-1 or 1", false, either),
    ("-2 to 2, ties and zeros", false, |rng| {
        (5.0 * rng.random::<f64>()).floor() - 2.0
    }),
    ("nine tenths zeros", false, |rng| {
        either(rng) * yes(0.1, rng) * rng.random::<f64>()
    }),
    ("two clusters", false, |rng| {
        let z: f64 = StandardNormal.sample(rng);
        either(rng) * (5.0 + z)
    }),
];

fn either(rng: &mut ChaCha8Rng) -> f64 {
    2.0 * yes(0.5, rng) - 1.0
}

/// Names of distributions with a known distribution function.
const KNOWN: [&str; 12] = [
    "normal",
    "exponential",
    "uniform",
    "logistic",
    "t with 4 degrees",
    "gamma 0.5",
    "lognormal 1",
    "beta 2, 5",
    "Poisson 4",
    "Poisson 0.5",
    "binomial 20, 0.1",
    "geometric 0.3",
];

/// The distribution function before and at a value.
pub fn place(law: &Distribution, x: f64) -> (f64, f64) {
    let at = 1.0 - law.beyond(x);
    match law.tail {
        TailKind::Discrete => ((1.0 - law.beyond(x.next_down())).min(at), at),
        _ => (at, at),
    }
}

/// Everything that is simulated.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |family, law: String, claim, runs, draw: Draw| {
        cases.push(Case {
            family,
            law,
            claim,
            draw,
            runs,
        });
    };
    for law in UNIT_LAWS {
        let UnitLaw {
            name,
            mean,
            sd,
            draw,
        } = law;
        let shown = move || -> Draw { Box::new(move |rng| (draw(rng), None)) };
        let room = 0.1 * sd;
        let at = Allowed::AtMost(mean);
        add(
            "mean",
            format!("{name}, at the bound"),
            mean_claim(at, room),
            300,
            shown(),
        );
        let inside = Allowed::AtMost(mean + room);
        add(
            "mean",
            format!("{name}, inside"),
            mean_claim(inside, room),
            300,
            shown(),
        );
        let both = Allowed::Between(mean, mean + room);
        add(
            "mean",
            format!("{name}, at the lower of two"),
            mean_claim(both, 0.5 * room.min(mean)),
            300,
            shown(),
        );
    }
    for (name, has_one_peak, draw) in SYMMETRIC {
        add(
            "no worse",
            format!("{name}, at the margin"),
            no_worse(0.5),
            200,
            Box::new(move |rng| (draw(rng) + 0.5, Some(0.0))),
        );
        if has_one_peak {
            add(
                "no worse",
                format!("{name}, inside"),
                no_worse(0.5),
                200,
                Box::new(move |rng| (draw(rng) + 0.4, Some(0.0))),
            );
        }
    }
    for law in distribution::named(&KNOWN) {
        let name = law.name;
        let draw: Draw = Box::new(move |rng| {
            let (before, at) = place(&law, law.draw(rng));
            (before, Some(at))
        });
        add(
            "distributed",
            name.to_owned(),
            Claim::Distributed(LawClaim::DEFAULT),
            100,
            draw,
        );
    }
    for law in distribution::named(&KNOWN) {
        let name = law.name;
        let draw: Draw = Box::new(move |rng| (law.draw(rng), Some(law.draw(rng))));
        add(
            "same",
            name.to_owned(),
            Claim::SameDistribution(LawClaim::DEFAULT),
            100,
            draw,
        );
    }
    cases
}
