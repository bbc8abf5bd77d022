//! Which threshold to fit a tail over: stopping rules for a sequence of tests, ForwardStop and StrongStop (G'Sell, Wager,
//! Chouldechova & Tibshirani 2016), applied to thresholds by Bader, Yan & Zhang (2018).
//!
//! Each rule turns p-values, in the order in which the hypotheses are tested, into values that are compared with one
//! level. The published tool tests from the highest threshold downward, and so does [`lowest_accepted`]. G'Sell's
//! guarantee is for hypotheses that are false first, which is the other direction.

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

/// The last of the tests that is accepted, by its own p-value and by ForwardStop, both above [`LEVEL`].
///
/// With p-values from the highest threshold downward, that is the lowest accepted threshold. ForwardStop alone would
/// not do in this direction: it averages, so that one good fit at the top covers for a dozen bad ones below it.
pub fn lowest_accepted(p_values: &[f64]) -> Option<usize> {
    let stops = forward_stop(p_values);
    let accepted = |(p, stop): (&f64, &f64)| *p > LEVEL && *stop > LEVEL;
    p_values.iter().zip(&stops).rposition(accepted)
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
        assert_eq!(lowest_accepted(&[0.5, 0.3, 0.2]), Some(2));
        assert_eq!(lowest_accepted(&[0.5, 0.3, 0.01, 0.0]), Some(1));
        assert_eq!(lowest_accepted(&[0.04, 0.01]), None);
        assert_eq!(lowest_accepted(&[]), None);
    }

    #[test]
    fn one_good_fit_after_many_bad_ones_is_not_believed() {
        let mut p_values = vec![0.0; 20];
        p_values.push(0.06);
        assert_eq!(lowest_accepted(&p_values), None, "ForwardStop is 0.003");
    }

    #[test]
    fn a_p_value_that_is_not_a_number_is_never_accepted() {
        assert_eq!(lowest_accepted(&[0.5, f64::NAN, 0.5]), Some(0));
    }
}
