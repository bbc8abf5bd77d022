//! How an entry of the bounds file came about (docs/design/README.md, "Strategies").

use std::fmt;
use std::str::FromStr;

/// How a bound was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// The ceiling extrapolates the fitted tail (Peak over Threshold).
    Tail,
    /// The ceiling is an order statistic of the samples.
    Order,
    /// There is a guard and no ceiling.
    Guard,
    /// The bound is the bootstrapped extreme of the samples.
    Empirical,
    /// No bound: the test is rerun on failure.
    Rerun,
    /// The declared bound is fine.
    Keep,
    /// The mean over runs stays where it was.
    Mean,
    /// How often something is true stays where it was.
    Rate,
    /// Nothing could be learned; the reason says why.
    Refuse,
}

impl Strategy {
    const ALL: [Strategy; 9] = [
        Strategy::Tail,
        Strategy::Order,
        Strategy::Guard,
        Strategy::Empirical,
        Strategy::Rerun,
        Strategy::Keep,
        Strategy::Mean,
        Strategy::Rate,
        Strategy::Refuse,
    ];

    /// The word used in files and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Strategy::Tail => "tail",
            Strategy::Order => "order",
            Strategy::Guard => "guard",
            Strategy::Empirical => "empirical",
            Strategy::Rerun => "rerun",
            Strategy::Keep => "keep",
            Strategy::Mean => "mean",
            Strategy::Rate => "rate",
            Strategy::Refuse => "refuse",
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Strategy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Strategy::ALL
            .into_iter()
            .find(|strategy| strategy.as_str() == text)
            .ok_or_else(|| {
                let known: Vec<&str> = Strategy::ALL
                    .iter()
                    .map(|strategy| strategy.as_str())
                    .collect();
                let known = known.join("`, `");
                format!("`{text}` is not a strategy: it is one of `{known}`")
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_strategy_reads_back_as_itself() {
        for strategy in Strategy::ALL {
            assert_eq!(strategy.as_str().parse(), Ok(strategy));
        }
        assert!("Tail".parse::<Strategy>().is_err());
    }
}
