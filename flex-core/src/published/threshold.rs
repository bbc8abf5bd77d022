//! Which threshold to fit a tail over: stopping rules for a sequence of tests, ForwardStop and StrongStop (G'Sell, Wager,
//! Chouldechova & Tibshirani 2016), applied to thresholds by Bader, Yan & Zhang (2018).
//!
//! Each rule turns p-values, in the order in which the hypotheses are tested, into values that are compared with one
//! level. G'Sell's guarantee is for hypotheses that are false first: thresholds from the lowest upward.

/// The level of the single tests, and γ of the rule over all of them.
pub const LEVEL: f64 = 0.05;

/// ForwardStop: the mean of −ln(1 − p) over the tests up to each. A p-value of 1 makes it infinite from there on.
pub fn forward_stop(p_values: &[f64]) -> Vec<f64> {
    let mut sum = 0.0;
    p_values
        .iter()
        .enumerate()
        .map(|(index, p)| {
            sum -= (-p.clamp(0.0, 1.0)).ln_1p();
            sum / (index + 1) as f64
        })
        .collect()
}

/// StrongStop: exp(Σ_{j ≥ k} ln p_j / j) · m/k over the tests from each on. A p-value of 0 makes it 0 up to there.
pub fn strong_stop(p_values: &[f64]) -> Vec<f64> {
    let count = p_values.len() as f64;
    let mut sum = 0.0;
    let mut values: Vec<f64> = p_values
        .iter()
        .enumerate()
        .rev()
        .map(|(index, p)| {
            let rank = (index + 1) as f64;
            sum += p.clamp(0.0, 1.0).ln() / rank;
            sum.exp() * count / rank
        })
        .collect();
    values.reverse();
    values
}

/// The rule by which thresholds are rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThresholdRule {
    /// That of the paper: of l thresholds from the lowest upward, the first k are rejected, with the largest k for which
    /// exp(Σ_{j ≥ k} ln p_j / j) ≤ γ k / l.
    #[default]
    StrongStop,
    /// From the highest threshold downward, the last is taken whose own p-value and ForwardStop are both above γ.
    ///
    /// ForwardStop alone would not do in this direction: it averages, so that one good fit at the top covers for a dozen
    /// bad ones below it.
    ForwardStop,
}

impl ThresholdRule {
    /// The lowest threshold that is not rejected, of p-values from the highest threshold downward.
    pub fn lowest_accepted(self, p_values: &[f64]) -> Option<usize> {
        let stops = self.values(p_values);
        match self {
            ThresholdRule::ForwardStop => {
                let accepted = |(p, stop): (&f64, &f64)| *p > LEVEL && *stop > LEVEL;
                p_values.iter().zip(&stops).rposition(accepted)
            }
            ThresholdRule::StrongStop => {
                let rejected = stops.iter().position(|stop| *stop <= LEVEL);
                rejected.unwrap_or(stops.len()).checked_sub(1)
            }
        }
    }

    /// What is compared with [`LEVEL`], of p-values from the highest threshold downward.
    pub fn values(self, p_values: &[f64]) -> Vec<f64> {
        match self {
            ThresholdRule::ForwardStop => forward_stop(p_values),
            ThresholdRule::StrongStop => {
                // What is no number is no fit.
                let upward = p_values.iter().rev().map(|p| p.max(0.0));
                let mut values = strong_stop(&upward.collect::<Vec<_>>());
                values.reverse();
                values
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(got: &[f64], want: &[f64]) {
        assert_eq!(got.len(), want.len());
        for (got, want) in got.iter().zip(want) {
            let same = got == want || (got - want).abs() < 1e-12;
            assert!(same, "{got} {want}");
        }
    }

    #[test]
    fn forward_stop_averages_what_came_before() {
        let ln2 = 2f64.ln();
        check(&forward_stop(&[0.5, 0.0, 0.75]), &[ln2, ln2 / 2.0, ln2]);
        check(
            &forward_stop(&[0.5, 1.0, 0.5]),
            &[ln2, f64::INFINITY, f64::INFINITY],
        );
        check(&forward_stop(&[]), &[]);
    }

    #[test]
    fn strong_stop_looks_at_what_comes_after() {
        let root = 0.5f64.sqrt();
        check(&strong_stop(&[0.5, 0.5]), &[root, root]);
        check(&strong_stop(&[0.5, 0.0, 1.0]), &[0.0, 0.0, 1.0]);
        check(&strong_stop(&[]), &[]);
    }

    #[test]
    fn the_lowest_threshold_that_fits_is_chosen() {
        let forward = |p_values: &[f64]| ThresholdRule::ForwardStop.lowest_accepted(p_values);
        assert_eq!(forward(&[0.5, 0.3, 0.2]), Some(2));
        assert_eq!(forward(&[0.5, 0.3, 0.01, 0.0]), Some(1));
        assert_eq!(forward(&[0.04, 0.01]), None);
        assert_eq!(forward(&[]), None);
    }

    #[test]
    fn the_papers_rule_rejects_from_the_lowest_threshold_upward() {
        let strong = |p_values: &[f64]| ThresholdRule::StrongStop.lowest_accepted(p_values);
        assert_eq!(strong(&[0.5, 0.3, 0.2]), Some(2));
        // Upward 0, 1e-9, 0.3, 0.5: exp(ln 0.5 / 4 + ln 0.3 / 3) = 0.563 is above 0.05 · 3 / 4; with ln 1e-9 / 2 added,
        // 1.8e-5 is below 0.05 · 2 / 4.
        assert_eq!(strong(&[0.5, 0.3, 1e-9, 0.0]), Some(1));
        // A single low p-value is borne by the good ones above it.
        assert_eq!(strong(&[0.5, 0.5, 0.5, 0.04]), Some(3));
        assert_eq!(strong(&[0.0, 0.5]), None);
        assert_eq!(strong(&[f64::NAN, 0.5]), None);
        assert_eq!(strong(&[]), None);
    }

    #[test]
    fn one_good_fit_after_many_bad_ones_is_not_believed() {
        let mut p_values = vec![0.0; 20];
        p_values.push(0.06);
        let rule = ThresholdRule::ForwardStop;
        assert_eq!(rule.lowest_accepted(&p_values), None, "it is 0.003");
    }

    #[test]
    fn a_p_value_that_is_not_a_number_is_never_accepted() {
        let rule = ThresholdRule::ForwardStop;
        assert_eq!(rule.lowest_accepted(&[0.5, f64::NAN, 0.5]), Some(0));
    }
}
