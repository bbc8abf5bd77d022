//! What holds a mean or a rate where it was (docs/design/sequential.md, "Learned means and rates").

use flex_core::sequential::{Allowed, Claim, Held, MeanClaim, Outside, RateClaim};
use flex_core::tail::{Domain, Side};

use super::{Entry, HeldBound, Learned, Sides};
use crate::claim::Family;
use crate::round::{nearest, outward, outward_by};

impl HeldBound {
    /// One side of what was learned, rounded so that nothing is promised that was not.
    pub(super) fn of_calibration(
        held: &Held,
        side: Side,
        is_rate: bool,
        stated: Option<Domain>,
    ) -> Self {
        let Held { claim, mean, .. } = *held;
        let bound = match (claim.allowed, side) {
            (Allowed::AtMost(bound) | Allowed::AtLeast(bound), _)
            | (Allowed::Between(bound, _), Side::Lower)
            | (Allowed::Between(_, bound), Side::Upper) => bound,
        };
        let width = claim.domain.upper() - claim.domain.lower();
        let limit = |side: Side| match stated.map(|domain| domain.end(side)) {
            Some(stated) if stated.is_finite() => stated,
            _ => outward_by(side, claim.domain.end(side), width, None, None),
        };
        let learned = Domain::new(limit(Side::Lower), limit(Side::Upper));
        let bound = outward(side, bound, mean, None, Some(claim.domain));
        HeldBound {
            bound,
            margin: nearest(claim.margin, claim.margin),
            mean: nearest(mean, (bound - mean).abs()),
            limits: (!is_rate).then(|| learned.unwrap_or(claim.domain)),
        }
    }

    /// Where the values of a mean or of a rate end.
    pub(super) fn ends(&self) -> Domain {
        self.limits.unwrap_or_else(rates)
    }
}

/// The values that a rate can have.
fn rates() -> Domain {
    Domain::new(0.0, 1.0).expect("0 is smaller than 1")
}

impl Entry {
    /// Whether its bound is for a mean or a rate instead of the values of each run; a refusal is for neither.
    pub fn family(&self) -> Option<Family> {
        self.sides.iter().find_map(|(_, learned)| match learned {
            Learned::Mean(_) => Some(Family::Mean),
            Learned::Rate(_) => Some(Family::Rate),
            _ => None,
        })
    }

    /// What is claimed of the mean or the rate that it holds, with the margin that the source states, if it does.
    pub fn claim(&self, stated: Option<f64>) -> Option<Claim> {
        let (allowed, held) = match &self.sides {
            Sides::Upper(upper) => (Allowed::AtMost(upper.held()?.bound), upper.held()?),
            Sides::Lower(lower) => (Allowed::AtLeast(lower.held()?.bound), lower.held()?),
            Sides::Both { lower, upper } => {
                let allowed = Allowed::Between(lower.held()?.bound, upper.held()?.bound);
                (allowed, upper.held()?)
            }
        };
        let domain = held.ends();
        let room = |(side, learned): (Side, &Learned)| {
            let bound = learned.held().map_or(0.0, |held| held.bound);
            (domain.end(side) - bound).abs()
        };
        let room = self.sides.iter().map(room).fold(f64::INFINITY, f64::min);
        let margin = stated.unwrap_or(held.margin).min(0.5 * room);
        Some(match self.family()? {
            Family::Rate => Claim::Rate(RateClaim { allowed, margin }),
            _ => Claim::Mean(MeanClaim {
                allowed,
                margin,
                domain,
                outside: match self.domain == Some(domain) {
                    true => Outside::Refused,
                    false => Outside::Clipped,
                },
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::tests::{entry, file};

    fn held(bound: f64) -> HeldBound {
        HeldBound {
            bound,
            margin: 0.02,
            mean: 0.101,
            limits: Domain::new(0.0, 0.5).ok(),
        }
    }

    /// The entry as it reads back, or why it does not.
    fn read(sides: Sides) -> Result<Entry, String> {
        let mut entry = entry("mean(error<_)");
        entry.sides = sides;
        let written = file([entry.clone()]);
        assert_eq!(written.to_string().parse(), Ok(written));
        Ok(entry)
    }

    #[test]
    fn a_held_mean_reads_back_and_is_a_claim() {
        let entry = read(Sides::Upper(Learned::Mean(held(0.125)))).unwrap();
        let text = file([entry.clone()]).to_string();
        for line in [
            "bound = 0.125\n",
            "margin = 0.02\n",
            "mean = 0.101\n",
            "limits = [0.0, 0.5]\n",
            "strategy = \"mean\"\n",
        ] {
            assert!(text.contains(line), "{text}");
        }
        let Some(Claim::Mean(claim)) = entry.claim(None) else {
            panic!("{entry:?}");
        };
        assert_eq!(claim.allowed, Allowed::AtMost(0.125));
        assert_eq!((claim.margin, claim.outside), (0.02, Outside::Clipped));
        // What is stated counts, as far as there is room for it.
        let margin = |stated| match entry.claim(Some(stated)) {
            Some(Claim::Mean(claim)) => claim.margin,
            other => panic!("{other:?}"),
        };
        assert_eq!([margin(0.001), margin(9.0)], [0.001, 0.1875]);
    }

    #[test]
    fn both_sides_and_rates_read_back() {
        let sides = Sides::Both {
            lower: Learned::Mean(held(0.08)).into(),
            upper: Learned::Mean(held(0.125)).into(),
        };
        let Some(Claim::Mean(claim)) = read(sides).unwrap().claim(None) else {
            panic!("a mean");
        };
        assert_eq!(claim.allowed, Allowed::Between(0.08, 0.125));
        let rate = HeldBound {
            limits: None,
            ..held(0.9)
        };
        let entry = read(Sides::Lower(Learned::Rate(rate))).unwrap();
        assert_eq!(entry.family(), Some(Family::Rate));
        let allowed = Allowed::AtLeast(0.9);
        let margin = 0.02;
        assert_eq!(
            entry.claim(None),
            Some(Claim::Rate(RateClaim { allowed, margin }))
        );
    }

    #[test]
    fn what_no_runs_could_decide_is_refused() {
        let mut entry = entry("mean(error<_)");
        let mut check = |held: HeldBound, words: &str| {
            entry.sides = Sides::Upper(Learned::Mean(held));
            let error = entry.check().unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        };
        check(held(0.5), "does not lie between");
        check(held(f64::NAN), "must be a finite number");
        let negative = HeldBound {
            margin: -1.0,
            ..held(0.2)
        };
        check(negative, "must be 0 or more");
        let open = HeldBound {
            limits: Domain::new(0.0, f64::INFINITY).ok(),
            ..held(0.2)
        };
        check(open, "a limit is inf");
    }
}
