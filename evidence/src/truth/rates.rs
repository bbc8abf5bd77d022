//! The true false-alarm rates of a learned bound, tier by tier.

use flex_bounds::file::Learned;
use flex_core::bound::SideBound;
use flex_core::bound::guard::Settling;
use flex_core::bound::race::Race;

use super::law::{cells, law};

/// The tiers of an upper bound, as far as it has them.
#[derive(Clone, Copy, Default)]
pub struct Tiers<'a> {
    /// Values beyond this are in doubt, and enter this race.
    pub guard: Option<(f64, &'a Race)>,
    pub strays: Option<&'a Race>,
    pub ceiling: Option<f64>,
}

impl<'a> From<&'a SideBound> for Tiers<'a> {
    fn from(bound: &'a SideBound) -> Self {
        let guard = bound.guard.as_ref().ok();
        Tiers {
            guard: guard.map(|guard| (guard.bound, &guard.race)),
            strays: guard.and_then(|guard| guard.strays.as_ref()),
            ceiling: bound.ceiling.as_ref().ok().map(|ceiling| ceiling.bound),
        }
    }
}

impl<'a> From<&'a Learned> for Tiers<'a> {
    /// The tiers as the bounds file has them, rounded.
    fn from(learned: &'a Learned) -> Self {
        let guard = learned.guard();
        Tiers {
            guard: guard.map(|guard| (guard.bound, &guard.race)),
            strays: guard.and_then(|guard| guard.strays.as_ref()),
            ceiling: learned.ceiling(),
        }
    }
}

/// The probabilities that a run of code that is as good as before fails, by what makes it fail.
#[derive(Debug, Clone, Copy, Default)]
pub struct TrueRates {
    /// The race of values that are in doubt.
    ///
    /// Unchanged code that can be replayed never comes to it. The race must hold for code that changed and is as good,
    /// every run of which may enter it.
    pub race: f64,
    /// The race of values beyond all samples.
    pub strays: f64,
    /// One value beyond the ceiling.
    pub ceiling: f64,
}

/// Which tier of a bound, or all together: each may break its promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    Race,
    Strays,
    Ceiling,
    All,
}

impl Tier {
    /// All tiers.
    pub const ALL: [Tier; 4] = [Tier::Race, Tier::Strays, Tier::Ceiling, Tier::All];

    /// The word for it in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Tier::Race => "race",
            Tier::Strays => "strays",
            Tier::Ceiling => "ceiling",
            Tier::All => "all together",
        }
    }

    /// Its part of the false-alarm rate (docs/design/bound.md, "The promise").
    pub fn part(self) -> f64 {
        match self {
            Tier::Race | Tier::Strays => 0.1,
            Tier::Ceiling => 0.8,
            Tier::All => 1.0,
        }
    }
}

impl TrueRates {
    /// The rates of a bound of an upper tail, if P(X > x) is `beyond`.
    pub fn of<'a>(
        bound: impl Into<Tiers<'a>>,
        settling: Settling,
        beyond: impl Fn(f64) -> f64,
    ) -> TrueRates {
        let tiers: Tiers<'a> = bound.into();
        let mut rates = TrueRates {
            ceiling: tiers.ceiling.map_or(0.0, &beyond),
            ..TrueRates::default()
        };
        if let Some((guard, race)) = tiers.guard {
            let from = match settling {
                Settling::Replay => f64::NEG_INFINITY,
                Settling::Reruns => guard,
            };
            let all = cells(race, f64::NEG_INFINITY, &beyond);
            rates.race = law(race, &cells(race, from, &beyond), &all).lost;
        }
        if let Some(strays) = tiers.strays {
            let all = cells(strays, f64::NEG_INFINITY, &beyond);
            rates.strays = law(strays, &[0.0, all[1]], &all).lost;
        }
        rates
    }

    /// The rate of a tier; of all together it is at most the sum.
    pub fn get(&self, tier: Tier) -> f64 {
        match tier {
            Tier::Race => self.race,
            Tier::Strays => self.strays,
            Tier::Ceiling => self.ceiling,
            Tier::All => self.race + self.strays + self.ceiling,
        }
    }

    /// Whether a tier exceeds its part of a budget; at its budget to the last digit it does not.
    pub fn exceeds(&self, tier: Tier, budget: f64) -> bool {
        self.get(tier) > tier.part() * budget * (1.0 + 1e-9)
    }
}
