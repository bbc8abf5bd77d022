//! A fixed split into folds, for cross-validation.

/// The fold of each of many, by the group that it belongs to; groups with a flaky test are spread evenly, and so are all
/// others.
///
/// Groups are taken in the order of their first member: the i-th of those with a flaky test goes to fold i mod k, and so
/// does the i-th of those without. Nothing is drawn, so that the split is the same each time, and members of one group,
/// such as the parametrisations of a test, are never on both sides.
pub fn folds<G: Ord>(members: &[(G, bool)], k: usize) -> Vec<usize> {
    let mut flaky: Vec<&G> = members
        .iter()
        .filter(|(_, flaky)| *flaky)
        .map(|(group, _)| group)
        .collect();
    flaky.sort();
    flaky.dedup();
    let mut known = std::collections::BTreeMap::new();
    let mut next = [0usize; 2];
    let mut split = Vec::with_capacity(members.len());
    for (group, _) in members {
        let stratum = usize::from(flaky.binary_search(&group).is_ok());
        split.push(*known.entry(group).or_insert_with(|| {
            next[stratum] += 1;
            (next[stratum] - 1) % k.max(1)
        }));
    }
    split
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_stay_together_and_strata_are_spread() {
        let members = [
            ("a", false),
            ("b", true),
            ("b", false),
            ("c", true),
            ("d", false),
            ("a", false),
            ("e", true),
            ("f", false),
        ];
        // Flaky groups b, c, e; others a, d, f.
        assert_eq!(folds(&members, 2), [0, 0, 0, 1, 1, 0, 0, 0]);
        assert_eq!(folds(&members, 1), [0; 8]);
        assert_eq!(folds(&members, 0), [0; 8], "never a division by zero");
        assert_eq!(folds::<&str>(&[], 5), []);
    }

    #[test]
    fn every_fold_has_its_share_of_both_kinds() {
        let members: Vec<(usize, bool)> = (0..1000).map(|i| (i, i % 7 == 3)).collect();
        let split = folds(&members, 5);
        for fold in 0..5 {
            let of = |flaky| {
                (0..1000)
                    .filter(|i| split[*i] == fold && members[*i].1 == flaky)
                    .count()
            };
            assert!((28..=29).contains(&of(true)), "{}", of(true));
            assert!((171..=172).contains(&of(false)), "{}", of(false));
        }
    }
}
