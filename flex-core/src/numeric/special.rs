//! Ranks and quantiles of the binomial and the beta distribution.

use crate::numeric::gamma::{beta_reg, ln_beta};
use crate::numeric::normal::normal_isf;

/// P(Bin(n, p) ≤ r), which is 1 − I_p(r+1, n−r).
pub(crate) fn binomial_cdf(n: usize, p: f64, r: usize) -> f64 {
    if r >= n {
        1.0
    } else {
        beta_reg((n - r) as f64, (r + 1) as f64, 1.0 - p)
    }
}

/// The largest r with P(Bin(n, p) ≤ r) ≤ `probability`, or `None` if even r = 0 is too likely.
///
/// A normal approximation lands within a few steps; the recurrence of the probability mass walks the rest, so that
/// one incomplete beta function is enough.
pub(crate) fn largest_rank_within(n: usize, p: f64, probability: f64) -> Option<usize> {
    let none = (n as f64) * (-p).ln_1p();
    if n == 0 || none > probability.ln() {
        return None;
    }
    let mean = n as f64 * p;
    let z = -normal_isf(probability);
    let skew = (1.0 - 2.0 * p) / 6.0 * (z * z - 1.0);
    let guess = mean + z * (mean * (1.0 - p)).sqrt() + skew - 0.5;
    let mut r = (guess.max(0.0) as usize).min(n - 1);
    let mut below = binomial_cdf(n, p, r);
    let mut mass = binomial_mass(n, p, r);
    let odds = p / (1.0 - p);
    if below <= probability {
        loop {
            let next = mass * (n - r) as f64 / (r + 1) as f64 * odds;
            if below + next > probability || r + 1 >= n {
                return Some(r);
            }
            r += 1;
            below += next;
            mass = next;
        }
    }
    while r > 0 {
        below -= mass;
        mass *= r as f64 / ((n - r + 1) as f64 * odds);
        r -= 1;
        if below <= probability {
            return Some(r);
        }
    }
    None
}

/// P(Bin(n, p) = r).
fn binomial_mass(n: usize, p: f64, r: usize) -> f64 {
    let (n, r) = (n as f64, r as f64);
    let choose = -ln_beta(r + 1.0, n - r + 1.0) - (n + 1.0).ln();
    (choose + r * p.ln() + (n - r) * (-p).ln_1p()).exp()
}

/// The quantile of Beta(a, b) at `probability`, by Newton's method in the logit.
///
/// The logit of a beta variable is nearly normal, so the start is close and the steps are few; steps are limited,
/// so that the skewed case of a small `a` converges too.
pub(crate) fn beta_quantile(a: f64, b: f64, probability: f64) -> f64 {
    let spread = (1.0 / a + 1.0 / b).sqrt();
    let ln_beta_ab = ln_beta(a, b);
    let mut logit = (a / b).ln() - normal_isf(probability) * spread;
    for _ in 0..60 {
        let x = 1.0 / (1.0 + (-logit).exp());
        let ln_density = a * x.ln() + b * (-x).ln_1p() - ln_beta_ab;
        let step = (beta_reg(a, b, x) - probability) / ln_density.exp();
        let step = step.clamp(-spread, spread);
        logit -= step;
        if step.abs() <= 1e-12 * (1.0 + logit.abs()) {
            break;
        }
    }
    1.0 / (1.0 + (-logit).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_agree_with_a_plain_search() {
        for n in [1, 2, 10, 30, 100, 1000, 3000] {
            for p in [1e-4, 1e-3, 0.01, 0.1, 0.22, 0.5, 0.9] {
                for probability in [0.05, 0.025] {
                    let plain = (0..n)
                        .take_while(|r| binomial_cdf(n, p, *r) <= probability)
                        .last();
                    let got = largest_rank_within(n, p, probability);
                    assert_eq!(got, plain, "n {n}, p {p}");
                }
            }
        }
    }

    #[test]
    fn beta_quantiles_agree_with_scipy() {
        // scipy.stats.beta.ppf
        for (a, b, probability, expected) in [
            (21.0, 80.0, 0.0625, 0.148_969_716_921_730_56),
            (1.0, 100.0, 0.5, 0.006_907_504_562_964_099),
            (65.0, 936.0, 0.9375, 0.077_252_291_658_485_31),
            (9.0, 42.0, 0.4375, 0.163_987_912_678_635_88),
        ] {
            let got = beta_quantile(a, b, probability);
            assert!((got / expected - 1.0).abs() < 1e-10, "{got} {expected}");
        }
    }
}
