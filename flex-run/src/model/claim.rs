//! Claims: what a site says of all runs together, such as a mean, to be decided by as many runs as that needs.

use flex_bounds::claim::Family;
use flex_bounds::file::Entry;
use flex_core::bound::confidence::Confidence;
use flex_core::sequential::{
    Allowed, Claim, LawClaim, MeanClaim, NoWorseClaim, Outside, PairedBy, RateClaim,
};
use flex_core::tail::{Domain, Side, Tail};

use super::comparison::Comparison;
use super::{About, SiteSpec};

/// Runs after which a claim stays undecided, unless somebody says otherwise.
pub const MOST_RUNS: u32 = 3000;

/// The margin of a rate, unless somebody says otherwise.
const RATE_MARGIN: f64 = 0.03;

/// What the source says of a site that claims something of all runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClaimSpec {
    /// What is claimed.
    pub claimed: Claimed,
    /// The values that a run can show; for means.
    pub domain: Option<Domain>,
    /// How far beyond what is claimed is still called fine.
    pub margin: Option<f64>,
    /// The site's own confidence.
    pub confidence: Option<Confidence>,
    /// Runs after which it stays undecided.
    pub max_runs: Option<u32>,
    /// Whether it fails the test if it stays undecided.
    pub undecided_fails: bool,
    /// Whether several values of a run are independent of each other. If not, they count as one.
    pub independent: bool,
}

/// What is claimed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Claimed {
    /// The mean keeps a limit.
    Mean(Limit),
    /// How often something is true keeps a limit.
    Rate(Limit),
    /// Values are drawn from a law. What runs show is where they lie in it.
    Distributed,
    /// Two values are drawn from the same law.
    SameDistribution,
    /// The first of two values is not worse than the second, by more than the margin.
    NoWorse {
        /// The side on which values are worse.
        worse: Side,
    },
}

/// What a mean or a rate keeps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// A bound that is written out.
    Declared(Comparison),
    /// It stays where it was: its bounds, above, below or both, are learned.
    Learned(Tail),
    /// It is near to a number.
    Near {
        /// The number.
        of: f64,
        /// How far from it is still allowed.
        within: f64,
    },
}

impl Limit {
    /// The values that are allowed, if the source says so.
    fn allowed(self) -> Result<Allowed, &'static str> {
        match self {
            Limit::Declared(Comparison { operator, bound }) => Ok(match operator.side() {
                Side::Upper => Allowed::AtMost(bound),
                Side::Lower => Allowed::AtLeast(bound),
            }),
            Limit::Near { of, within } => Ok(Allowed::Between(of - within, of + within)),
            Limit::Learned(_) => Err("its bound is learned, and was not yet"),
        }
    }
}

impl ClaimSpec {
    /// A claim of which nothing else is said.
    pub fn new(claimed: Claimed) -> Self {
        ClaimSpec {
            claimed,
            domain: None,
            margin: None,
            confidence: None,
            max_runs: None,
            undecided_fails: false,
            independent: false,
        }
    }

    /// Which kind of claim it is.
    pub fn family(&self) -> Family {
        match self.claimed {
            Claimed::Mean(_) => Family::Mean,
            Claimed::Rate(_) => Family::Rate,
            Claimed::Distributed => Family::Distributed,
            Claimed::SameDistribution => Family::SameDistribution,
            Claimed::NoWorse { .. } => Family::NoWorse,
        }
    }

    /// The bound that is written out.
    pub fn declared(&self) -> Option<f64> {
        match self.claimed {
            Claimed::Mean(Limit::Declared(comparison))
            | Claimed::Rate(Limit::Declared(comparison)) => Some(comparison.bound),
            _ => None,
        }
    }

    /// What is to be learned, if its bound is.
    pub fn learns(&self) -> Option<SiteSpec> {
        let margin = self.margin;
        let (tail, about) = match self.claimed {
            Claimed::Mean(Limit::Learned(tail)) => (tail, About::Mean { margin }),
            Claimed::Rate(Limit::Learned(tail)) => (tail, About::Rate { margin }),
            _ => return None,
        };
        Some(SiteSpec {
            domain: self.domain,
            confidence: self.confidence,
            about,
            ..SiteSpec::new(tail)
        })
    }

    /// What an entry says that is to be decided, if it was learned for what the source asks.
    pub fn learned_by(&self, entry: &Entry) -> Option<Claim> {
        let spec = self.learns()?;
        let is_same = entry.family() == Some(self.family())
            && entry.tail() == spec.tail
            && entry.domain == spec.domain
            && self.confidence.is_none_or(|own| own == entry.confidence);
        entry.claim(self.margin).filter(|_| is_same)
    }

    /// What is to be decided; or what is missing for that.
    pub fn claim(&self) -> Result<Claim, &'static str> {
        Ok(match self.claimed {
            Claimed::Mean(limit) => {
                let allowed = limit.allowed()?;
                let domain = self.domain.ok_or(NO_DOMAIN)?;
                Claim::Mean(MeanClaim {
                    allowed,
                    margin: self.margin.unwrap_or_else(|| mean_margin(limit, domain)),
                    domain,
                    outside: Outside::Refused,
                })
            }
            Claimed::Rate(limit) => {
                let allowed = limit.allowed()?;
                Claim::Rate(RateClaim {
                    allowed,
                    margin: self.margin.unwrap_or_else(|| rate_margin(allowed)),
                })
            }
            Claimed::Distributed => Claim::Distributed(self.law()),
            Claimed::SameDistribution => Claim::SameDistribution(self.law()),
            Claimed::NoWorse { worse } => Claim::NoWorse(NoWorseClaim {
                worse,
                margin: self.margin.unwrap_or(0.0),
                by: PairedBy::SignedRanks,
            }),
        })
    }

    fn law(&self) -> LawClaim {
        self.margin
            .map_or(LawClaim::DEFAULT, |margin| LawClaim { margin })
    }
}

const NO_DOMAIN: &str = "the mean of values that may be anything cannot be bounded by any number of runs; state the range \
                         that they never leave, as `domain = 0.0..=1.0` or `domain=(0, 1)`";

/// A tenth of what is allowed, or of the way to the nearer end of the domain.
fn mean_margin(limit: Limit, domain: Domain) -> f64 {
    match limit {
        Limit::Near { within, .. } => within / 10.0,
        Limit::Learned(_) => 0.0,
        Limit::Declared(Comparison { bound, .. }) => {
            let ends = [bound - domain.lower(), domain.upper() - bound];
            let nearest = ends[0].min(ends[1]);
            match nearest.is_finite() && nearest > 0.0 {
                true => nearest / 10.0,
                false => 0.0,
            }
        }
    }
}

/// Less than the usual margin where there is no room for it.
fn rate_margin(allowed: Allowed) -> f64 {
    let room = match allowed {
        Allowed::AtMost(most) => 1.0 - most,
        Allowed::AtLeast(least) => least,
        Allowed::Between(least, most) => least.min(1.0 - most),
    };
    RATE_MARGIN.min(room / 2.0).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Operator;

    fn mean(limit: Limit, domain: Option<(f64, f64)>) -> ClaimSpec {
        ClaimSpec {
            domain: domain.map(|(low, high)| Domain::new(low, high).unwrap()),
            ..ClaimSpec::new(Claimed::Mean(limit))
        }
    }

    #[test]
    fn margins_leave_room_in_the_domain() {
        let below = |bound| Limit::Declared(Comparison::new(Operator::Less, bound));
        let check = |spec: ClaimSpec, expected: f64| {
            let Claim::Mean(claim) = spec.claim().unwrap() else {
                panic!("a mean");
            };
            assert!((claim.margin - expected).abs() < 1e-12, "{}", claim.margin);
        };
        check(mean(below(0.01), Some((0.0, 1.0))), 0.001);
        check(mean(below(0.95), Some((0.0, 1.0))), 0.005);
        check(mean(below(2.0), Some((0.0, f64::INFINITY))), 0.2);
        let near = Limit::Near {
            of: 0.0,
            within: 0.5,
        };
        check(mean(near, Some((-1.0, 1.0))), 0.05);
        let rate = |bound| {
            let limit = Limit::Declared(Comparison::new(Operator::Greater, bound));
            match ClaimSpec::new(Claimed::Rate(limit)).claim() {
                Ok(Claim::Rate(claim)) => claim.margin,
                _ => panic!("a rate"),
            }
        };
        assert_eq!(rate(0.9), 0.03);
        assert_eq!(rate(0.02), 0.01);
    }

    #[test]
    fn a_mean_needs_a_domain() {
        let below = Limit::Declared(Comparison::new(Operator::Less, 1.0));
        assert_eq!(mean(below, None).claim(), Err(NO_DOMAIN));
    }
}
