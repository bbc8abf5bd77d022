//! The true false-alarm rates of a learned bound, tier by tier.

use flex_core::bound::SideBound;
use flex_core::bound::guard::Settling;

use super::law::{Moved, law};

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
    /// The rates of a bound of an upper tail, if values are distributed like this.
    pub fn of(bound: &SideBound, values: Moved<'_>, settling: Settling) -> TrueRates {
        let ceiling = bound.ceiling.as_ref();
        let mut rates = TrueRates {
            ceiling: ceiling.map_or(0.0, |ceiling| values.beyond(ceiling.bound)),
            ..TrueRates::default()
        };
        if let Ok(guard) = &bound.guard {
            let from = match settling {
                Settling::Replay => f64::NEG_INFINITY,
                Settling::Reruns => guard.bound,
            };
            let cells = values.cells(&guard.race, f64::NEG_INFINITY);
            rates.race = law(&guard.race, &values.cells(&guard.race, from), &cells).lost;
            if let Some(strays) = &guard.strays {
                let cells = values.cells(strays, f64::NEG_INFINITY);
                rates.strays = law(strays, &[0.0, cells[1]], &cells).lost;
            }
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
