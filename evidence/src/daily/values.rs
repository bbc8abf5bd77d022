//! Values whose standard deviation is known, and the entries that the engine learns from them.

use flex_bounds::TestId;
use flex_bounds::change::{Change, NewSamples};
use flex_bounds::file::{Entry, Key, Provenance};
use flex_core::bound::ceiling::Promise;
use flex_core::calibration::{Calibration, CalibrationPlan, SiteId, SiteSpec, Step};
use flex_core::sample::{Extremes, Samples};
use flex_core::tail::Tail;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Binomial, Distribution, Exp1, Poisson, StandardNormal, StudentT};

/// All tails that an assertion can have.
pub const TAILS: [Tail; 3] = [Tail::Upper, Tail::Lower, Tail::Both];

/// A kind of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    Normal,
    Exponential,
    Uniform,
    Lognormal,
    StudentT4,
    /// Counts with mean 4.
    Poisson,
    /// Heads of 16 coins.
    Binomial,
}

impl Values {
    /// All kinds.
    pub const ALL: [Values; 7] = [
        Values::Normal,
        Values::Exponential,
        Values::Uniform,
        Values::Lognormal,
        Values::StudentT4,
        Values::Poisson,
        Values::Binomial,
    ];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Values::Normal => "normal",
            Values::Exponential => "exponential",
            Values::Uniform => "uniform",
            Values::Lognormal => "lognormal",
            Values::StudentT4 => "Student's t, 4 degrees",
            Values::Poisson => "Poisson, mean 4",
            Values::Binomial => "binomial, 16 coins",
        }
    }

    /// Returns true for whole numbers, of which many are equal.
    pub fn is_count(self) -> bool {
        matches!(self, Values::Poisson | Values::Binomial)
    }

    /// The standard deviation; of the counts it is 2, so that moving by it stays on their lattice.
    fn deviation(self) -> f64 {
        use std::f64::consts::E;
        match self {
            Values::Normal | Values::Exponential => 1.0,
            Values::Uniform => 12f64.sqrt().recip(),
            Values::Lognormal => ((E - 1.0) * E).sqrt(),
            Values::StudentT4 => 2f64.sqrt(),
            Values::Poisson | Values::Binomial => 2.0,
        }
    }

    fn draw(self, rng: &mut ChaCha8Rng) -> f64 {
        match self {
            Values::Normal => StandardNormal.sample(rng),
            Values::Exponential => Exp1.sample(rng),
            Values::Uniform => rng.random(),
            Values::Lognormal => {
                let x: f64 = StandardNormal.sample(rng);
                x.exp()
            }
            Values::StudentT4 => StudentT::new(4.0).expect("a positive number").sample(rng),
            Values::Poisson => Poisson::new(4.0).expect("a positive mean").sample(rng),
            Values::Binomial => Binomial::new(16, 0.5).expect("a probability").sample(rng) as f64,
        }
    }

    /// Returns what so many runs show, moved by so many standard deviations.
    pub fn runs(self, runs: usize, moved: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let shift = moved * self.deviation();
        (0..runs).map(|_| self.draw(rng) + shift).collect()
    }
}

/// Calibrates a site from runs that show one value each. Returns its entry, rounded as in the file, and
/// the samples of its sides, at which a comparison looks.
pub fn learn(values: &[f64], tail: Tail) -> (Entry, Vec<Samples>) {
    let runs = u32::try_from(values.len()).expect("few runs");
    let plan = CalibrationPlan {
        min_runs: runs,
        max_runs: runs,
        ..CalibrationPlan::default()
    };
    let mut calibration = Calibration::new(plan);
    let site = SiteId::new("x");
    for (run, value) in (0..).zip(values) {
        let hit = (&site, SiteSpec::new(tail), Extremes::new(*value));
        calibration
            .push_folded(run, false, &[hit])
            .expect("every run is like the first");
    }
    let Ok(Step::Done(calibrated)) = calibration.step() else {
        panic!("no more runs are allowed");
    };
    let key = Key {
        test: TestId::pytest("simulated"),
        site,
        variant: None,
    };
    let site = &calibrated.sites[0];
    let entry = Entry::of_calibration(key, site, Provenance::default());
    (entry, site.samples.clone())
}

/// Says what speaks against an entry, if anything does, when so many sites share the level and no run missed this one.
pub fn contradiction(
    old: &Entry,
    new: &Entry,
    samples: &[Samples],
    sites: usize,
) -> Option<String> {
    let seen = NewSamples {
        sides: samples,
        missed: 0,
        promise: Promise::Assured,
    };
    Change::contradiction(old, new, seen, sites)
}
