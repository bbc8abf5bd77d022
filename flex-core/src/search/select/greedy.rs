//! The greedy choice of features: start with none, add the one that raises F_β most, stop without gain.

use super::BitSet;

/// Which tests are flaky, and which count at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labelled {
    /// The tests to be found.
    pub flaky: BitSet,
    /// The tests that count; others are neither hits nor false alarms.
    pub counted: BitSet,
}

/// F_β of a selection: (1 + β²) hits / (β² flaky + selected), for so many hits, flaky tests and selected tests.
///
/// The weighted harmonic mean of precision and recall, in which recall counts β times as much (van Rijsbergen 1979); the
/// usual (1+β²)TP / ((1+β²)TP + β²FN + FP) with FN = flaky − TP and FP = selected − TP. 0 where nothing is found.
pub fn f_beta(beta: f64, hits: usize, flaky: usize, selected: usize) -> f64 {
    if hits == 0 {
        return 0.0;
    }
    let square = beta * beta;
    (1.0 + square) * hits as f64 / (square * flaky as f64 + selected as f64)
}

/// The values of β that a sweep tries: 1 to 25, and squares from 36 to 400.
pub fn betas() -> impl Iterator<Item = f64> {
    (1..=25)
        .chain((6..=20).map(|root| root * root))
        .map(f64::from)
}

/// The features whose union has the greatest F_β that greed finds, in the order in which they were added.
///
/// Of features that raise it equally, the first is added.
pub fn choose(features: &[BitSet], labelled: &Labelled, beta: f64) -> Vec<usize> {
    let mut flaky = labelled.flaky.clone();
    flaky.intersect(&labelled.counted);
    let all = flaky.count();
    // A feature without a hit only ever selects more. Hits that are new get fewer with every feature that is added, so
    // those of an earlier round bound what a feature can still give; most need no second look.
    let mut candidates: Vec<(usize, usize)> = features
        .iter()
        .enumerate()
        .map(|(feature, tests)| (tests.count_common(&flaky), feature))
        .filter(|(hits, _)| *hits > 0)
        .collect();
    let mut covered = labelled.counted.emptied();
    let (mut chosen, mut hits, mut selected, mut best) = (Vec::new(), 0, 0, 0.0);
    loop {
        candidates.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        let mut winner: Option<(f64, usize, usize)> = None;
        for (most, feature) in &mut candidates {
            let bound = f_beta(beta, hits + *most, all, selected + *most);
            if bound <= best || winner.is_some_and(|(score, ..)| bound < score) {
                break;
            }
            let tests = &features[*feature];
            *most = covered.count_new(tests, &flaky);
            let new = covered.count_new(tests, &labelled.counted);
            let score = f_beta(beta, hits + *most, all, selected + new);
            let is_better = |(highest, first, _): (f64, usize, usize)| {
                score > highest || (score == highest && *feature < first)
            };
            if score > best && winner.is_none_or(is_better) {
                winner = Some((score, *feature, new));
            }
        }
        let Some((score, feature, new)) = winner else {
            return chosen;
        };
        hits += covered.count_new(&features[feature], &flaky);
        selected += new;
        covered.unite(&features[feature]);
        chosen.push(feature);
        best = score;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(limit: usize, numbers: impl IntoIterator<Item = usize>) -> BitSet {
        let mut set = BitSet::new(limit);
        numbers.into_iter().for_each(|number| set.insert(number));
        set
    }

    fn labelled(limit: usize, flaky: &[usize]) -> Labelled {
        Labelled {
            flaky: set(limit, flaky.iter().copied()),
            counted: set(limit, 0..limit),
        }
    }

    #[test]
    fn f_beta_is_what_its_definition_says() {
        // sklearn.metrics.fbeta_score(y_true, y_pred, beta=2) with 3 TP, 2 FP, 1 FN: 15 / 21.
        assert!((f_beta(2.0, 3, 4, 5) - 15.0 / 21.0).abs() < 1e-15);
        assert_eq!(f_beta(1.0, 4, 4, 4), 1.0);
        assert_eq!(f_beta(3.0, 0, 4, 9), 0.0);
        assert_eq!(
            f_beta(3.0, 0, 0, 0),
            0.0,
            "never a division of nothing by nothing"
        );
    }

    #[test]
    fn the_sweep_has_forty_values() {
        let betas: Vec<f64> = betas().collect();
        assert_eq!(
            (betas.len(), betas[0], betas[24], betas[25]),
            (40, 1.0, 25.0, 36.0)
        );
        assert_eq!(betas[39], 400.0);
    }

    #[test]
    fn a_worked_example() {
        // Tests 0, 1 and 2 of ten are flaky. By hand, for β = 1: A = {0, 1, 5} has 2·2/(3+3) = 2/3, B = {2} has 2/(3+1) =
        // 1/2, C = {0, 1, 2} ∪ {3 … 8} has 6/(3+9) = 1/2. A first; A ∪ B has 6/(3+4) = 6/7; C adds nothing to that.
        let features = [
            set(10, [0, 1, 5]),
            set(10, [2]),
            set(10, [0, 1, 2, 3, 4, 5, 6, 7, 8]),
            set(10, [7]),
        ];
        let labelled = labelled(10, &[0, 1, 2]);
        assert_eq!(choose(&features, &labelled, 1.0), [0, 1]);
        // Recall counts for almost everything: C alone has all three at once, and A ∪ B would have fewer to rerun, but
        // greed takes C first, after which nothing is gained.
        assert_eq!(choose(&features, &labelled, 400.0), [2]);
        assert_eq!(choose(&[], &labelled, 1.0), [] as [usize; 0]);
    }

    #[test]
    fn tests_that_do_not_count_are_neither_hits_nor_false_alarms() {
        let features = [set(6, [0, 3, 4, 5]), set(6, [0, 1])];
        let mut labelled = labelled(6, &[0, 3]);
        assert_eq!(choose(&features, &labelled, 1.0), [0]);
        labelled.counted = set(6, [0, 1, 2]);
        // Of those that count, the first feature selects test 0 alone.
        assert_eq!(choose(&features, &labelled, 1.0), [0]);
        labelled.counted = set(6, [0, 4, 5]);
        assert_eq!(choose(&features, &labelled, 1.0), [1]);
    }

    /// The same, without bounds or any other care for time.
    fn plainly(features: &[BitSet], labelled: &Labelled, beta: f64) -> (Vec<usize>, Vec<f64>) {
        let score = |chosen: &[usize]| {
            let mut covered = labelled.counted.emptied();
            chosen
                .iter()
                .for_each(|feature| covered.unite(&features[*feature]));
            covered.intersect(&labelled.counted);
            let mut flaky = labelled.flaky.clone();
            flaky.intersect(&labelled.counted);
            f_beta(
                beta,
                covered.count_common(&flaky),
                flaky.count(),
                covered.count(),
            )
        };
        let (mut chosen, mut scores) = (Vec::new(), vec![0.0]);
        loop {
            let mut best: Option<(f64, usize)> = None;
            for feature in 0..features.len() {
                let score = score(&[chosen.as_slice(), &[feature]].concat());
                if score > *scores.last().unwrap()
                    && best.is_none_or(|(highest, _)| score > highest)
                {
                    best = Some((score, feature));
                }
            }
            let Some((score, feature)) = best else {
                return (chosen, scores);
            };
            chosen.push(feature);
            scores.push(score);
        }
    }

    #[test]
    fn greed_agrees_with_the_plain_search_and_never_lowers_the_score() {
        // A fixed sequence (Knuth's MMIX constants) stands for chance.
        let mut state = 7u64;
        let mut draw = |below: u64| {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for _ in 0..60 {
            let tests = 20 + draw(120) as usize;
            let features: Vec<BitSet> = (0..40)
                .map(|_| {
                    let share = 1 + draw(9);
                    set(
                        tests,
                        (0..tests).filter(|_| draw(10) < share).collect::<Vec<_>>(),
                    )
                })
                .collect();
            let flaky = set(
                tests,
                (0..tests).filter(|_| draw(8) == 0).collect::<Vec<_>>(),
            );
            let counted = set(
                tests,
                (0..tests).filter(|_| draw(5) > 0).collect::<Vec<_>>(),
            );
            let labelled = Labelled { flaky, counted };
            for beta in [1.0, 3.0, 25.0] {
                let (chosen, scores) = plainly(&features, &labelled, beta);
                assert_eq!(choose(&features, &labelled, beta), chosen);
                assert!(scores.windows(2).all(|pair| pair[0] < pair[1]));
            }
        }
    }
}
