//! A time bank: how many trials each test is worth, so that most flaky tests are found.
//!
//! A test that is flaky fails at an unknown rate. Of rates it is assumed that small ones are more common than large ones:
//! Beta(½, 3), by which half of the flaky tests fail in fewer than 8 % of their runs. The n-th trial of a test finds
//! something with probability E[p (1 − p)ⁿ⁻¹], and costs what a run takes; trials are bought in the order of what they
//! find per second. Since the gain falls with every trial, no other choice of as many seconds finds more
//! (Dantzig 1957, for what can be divided).

/// The first parameter of the distribution of rates.
const ALPHA: f64 = 0.5;

/// The second parameter.
const BETA: f64 = 3.0;

/// How many trials each test gets: at most `most`, and in all no more seconds than `bank`. `seconds` is what a run of each
/// test takes; `None` where all trials are to be made.
pub fn allocate(seconds: &[f64], most: u32, bank: Option<f64>) -> Vec<u32> {
    let Some(bank) = bank else {
        return vec![most; seconds.len()];
    };
    let costs: Vec<f64> = seconds.iter().map(|seconds| seconds.max(1e-6)).collect();
    // All trials whose gain per second is at least λ; the right λ is found by halving.
    let trials_at = |lambda: f64| -> Vec<u32> {
        let trials = costs.iter().map(|cost| trials_worth(lambda * cost, most));
        trials.collect()
    };
    let spent = |trials: &[u32]| -> f64 {
        let each = trials.iter().zip(&costs);
        each.map(|(trials, cost)| f64::from(*trials) * cost).sum()
    };
    let all = trials_at(0.0);
    if spent(&all) <= bank {
        return all;
    }
    let (mut low, mut high) = (-80.0_f64, 80.0_f64);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        match spent(&trials_at(middle.exp())) <= bank {
            true => high = middle,
            false => low = middle,
        }
    }
    let mut trials = trials_at(high.exp());
    // What is left is too little for everybody; the cheapest come first.
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by(|a, b| costs[*a].total_cmp(&costs[*b]));
    let mut left = bank - spent(&trials);
    for index in order {
        let more = ((left / costs[index]).floor().max(0.0) as u32)
            .min(most - trials[index])
            .min(1);
        trials[index] += more;
        left -= f64::from(more) * costs[index];
    }
    trials
}

/// The share of what is left that may be spent on measuring one of so many tests whose durations nobody knows: a test that
/// takes longer is no match for the others.
pub fn share_of_measuring(tests: usize) -> f64 {
    1.0 / tests.clamp(1, 4) as f64
}

/// The number of trials that each find something with at least this probability.
fn trials_worth(least: f64, most: u32) -> u32 {
    // Gains fall, so that the last one that is worth it is found by halving.
    let (mut worth, mut beyond) = (0, most + 1);
    while beyond - worth > 1 {
        let middle = worth + (beyond - worth) / 2;
        match gain(middle) >= least {
            true => worth = middle,
            false => beyond = middle,
        }
    }
    worth
}

/// The probability that the n-th trial is the first that fails: B(α + 1, β + n − 1) / B(α, β), nearly.
fn gain(trial: u32) -> f64 {
    // Γ(β + n − 1) / Γ(α + β + n) falls like a power; Stirling's formula is exact enough from the first trial on.
    let n = f64::from(trial);
    let power = (BETA + n - 1.0).ln() * (BETA + n - 1.5)
        - (ALPHA + BETA + n).ln() * (ALPHA + BETA + n - 0.5);
    (power + ALPHA + 1.0).exp()
}

/// The number of trials by which a failure rate is seen at least once with some confidence: the least n with
/// (1 − rate)ⁿ ≤ 1 − confidence.
pub fn trials_to_catch(rate: f64, confidence: f64) -> u32 {
    let trials = ((1.0 - confidence).ln() / (-rate).ln_1p()).ceil();
    trials.clamp(1.0, f64::from(u32::MAX)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_of_a_percent_needs_459_trials() {
        assert_eq!(trials_to_catch(0.01, 0.99), 459);
        assert_eq!(trials_to_catch(0.5, 0.5), 1);
    }

    #[test]
    fn small_tests_have_all_trials_before_large_ones_have_ten() {
        let trials = allocate(&[0.002, 120.0, 0.002, 1.0], 459, Some(600.0));
        assert_eq!((trials[0], trials[2]), (459, 459));
        assert!(trials[1] < 10 && trials[3] > 50, "{trials:?}");
    }

    #[test]
    fn no_more_is_spent_than_there_is_and_little_is_left() {
        let seconds: Vec<f64> = (0..40).map(|i| 0.002 * 1.32_f64.powi(i)).collect();
        for bank in [0.001, 1.0, 60.0, 600.0, 1e6] {
            let trials = allocate(&seconds, 459, Some(bank));
            let spent: f64 = trials
                .iter()
                .zip(&seconds)
                .map(|(n, s)| f64::from(*n) * s)
                .sum();
            assert!(spent <= bank, "{bank}: {spent}");
        }
        assert_eq!(allocate(&[1.0, 2.0], 7, None), [7, 7]);
        assert_eq!(allocate(&[], 7, Some(3.0)), [] as [u32; 0]);
    }

    #[test]
    fn no_exchange_of_trials_finds_more() {
        let seconds = [0.01, 0.1, 1.0, 7.0];
        let trials = allocate(&seconds, 459, Some(60.0));
        let last = |i: usize| gain(trials[i]) / seconds[i];
        let next = |i: usize| gain(trials[i] + 1) / seconds[i];
        for i in 0..4 {
            for j in 0..4 {
                if i != j && trials[j] < 459 && trials[i] > 1 {
                    assert!(last(i) * 1.5 >= next(j), "{trials:?} {i} {j}");
                }
            }
        }
    }
}
