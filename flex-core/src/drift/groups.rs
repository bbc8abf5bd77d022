//! Do groups of values differ? A rank test, for values that should not depend on the process that made them.

use crate::numeric::gamma::gamma_upper;
use crate::sorted::sort;

/// The probability that groups of values from one distribution differ as much as these (Kruskal & Wallis 1952, with
/// their correction for ties and the χ² approximation); 1 if there is nothing to compare. NaN ranks above all numbers.
pub fn kruskal_wallis(groups: &[&[f64]]) -> f64 {
    let filled: Vec<&[f64]> = groups.iter().copied().filter(|g| !g.is_empty()).collect();
    if filled.len() < 2 {
        return 1.0;
    }
    let mut ranked: Vec<(f64, usize)> = Vec::new();
    for (group, values) in filled.iter().enumerate() {
        for value in *values {
            // Minus zero is zero, and all NaNs are one value.
            let value = if value.is_nan() {
                f64::NAN
            } else {
                value + 0.0
            };
            ranked.push((value, group));
        }
    }
    sort(&mut ranked, |(a, _), (b, _)| a.total_cmp(b).is_lt());
    let n = ranked.len() as f64;
    let mut rank_sums = vec![0.0; filled.len()];
    let mut ties = 0.0;
    let mut from = 0;
    while from < ranked.len() {
        let value = ranked[from].0;
        let same = |(other, _): &&(f64, usize)| other.total_cmp(&value).is_eq();
        let count = ranked[from..].iter().take_while(same).count();
        let rank = from as f64 + 0.5 * (count as f64 + 1.0);
        for (_, group) in &ranked[from..from + count] {
            rank_sums[*group] += rank;
        }
        let tied = count as f64;
        ties += tied * tied * tied - tied;
        from += count;
    }
    let between: f64 = rank_sums
        .iter()
        .zip(&filled)
        .map(|(sum, values)| sum * sum / values.len() as f64)
        .sum();
    let untied = 12.0 / (n * (n + 1.0)) * between - 3.0 * (n + 1.0);
    let correction = 1.0 - ties / (n * n * n - n);
    if correction <= 0.0 {
        return 1.0;
    }
    let statistic = (untied / correction).max(0.0);
    let freedom = (filled.len() - 1) as f64;
    if statistic == 0.0 {
        return 1.0;
    }
    gamma_upper(0.5 * freedom, 0.5 * statistic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_agree_with_scipy() {
        // scipy.stats.kruskal(...).pvalue
        let check = |groups: &[&[f64]], expected: f64| {
            let got = kruskal_wallis(groups);
            assert!((got - expected).abs() < 1e-10, "{got} {expected}");
        };
        check(&SCIPY_A, SCIPY_A_P);
        check(&SCIPY_B, SCIPY_B_P);
    }

    const SCIPY_A: [&[f64]; 3] = [
        &[2.9, 3.0, 2.5, 2.6, 3.2],
        &[3.8, 2.7, 4.0, 2.4],
        &[2.8, 3.4, 3.7, 2.2, 2.0],
    ];
    const SCIPY_A_P: f64 = 0.6799647735788936;
    const SCIPY_B: [&[f64]; 2] = [&[1.0, 2.0, 2.0, 3.0], &[2.0, 3.0, 3.0, 4.0, 4.0, 4.0]];
    const SCIPY_B_P: f64 = 0.04630159491510988;

    #[test]
    fn where_there_is_nothing_to_compare_nothing_differs() {
        assert_eq!(kruskal_wallis(&[]), 1.0);
        assert_eq!(kruskal_wallis(&[&[1.0, 2.0], &[]]), 1.0);
        assert_eq!(kruskal_wallis(&[&[1.0; 5], &[1.0; 9]]), 1.0);
        assert_eq!(kruskal_wallis(&[&[f64::NAN; 5], &[f64::NAN; 9]]), 1.0);
        assert_eq!(kruskal_wallis(&[&[0.0], &[-0.0]]), 1.0);
    }

    #[test]
    fn a_constant_per_group_is_no_chance() {
        let groups: Vec<Vec<f64>> = (0..5).map(|group| vec![f64::from(group); 20]).collect();
        let groups: Vec<&[f64]> = groups.iter().map(Vec::as_slice).collect();
        assert!(kruskal_wallis(&groups) < 1e-15);
    }
}
