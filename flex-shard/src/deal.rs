//! Which tests a shard runs, where each is run by one shard from its beginning to its end: then its runs follow from what
//! those before show, as on one machine, and further rounds are needed only for what was lost.

use std::collections::BTreeMap;
use std::fmt;

use flex_run::project::part::Part;

use crate::plan::{Order, Plan};
use crate::{Shard, TestKey};

/// A test of a shard, with what is made of it.
pub type Dealt<T> = (T, Vec<Order>);

/// All runs of a test.
const WHOLE: Order = Order::Part(Part {
    place: 0,
    of: 1,
    most: None,
});

/// A plan names a test that is not here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gone(TestKey);

/// Whether all runs of a test are to be made that it asks for.
pub fn is_whole(orders: &[Order]) -> bool {
    orders.iter().any(|order| matches!(order, Order::Part(_)))
}

/// The tests of a shard: they go round all shards in the order of their keys, or are those that a plan names.
pub fn deal<T>(
    (shard, plan): (Shard, Option<&Plan>),
    tests: Vec<T>,
    key: impl Fn(&T) -> TestKey,
) -> Result<Vec<Dealt<T>>, Gone> {
    let mut by_key: BTreeMap<TestKey, T> = BTreeMap::new();
    for test in tests {
        by_key.insert(key(&test), test);
    }
    let Some(plan) = plan else {
        let is_ours = |number: usize| number % shard.total() as usize == shard.place() as usize;
        let all = by_key.into_values().enumerate();
        let ours = all.filter(|(number, _)| is_ours(*number));
        return Ok(ours.map(|(_, test)| (test, vec![WHOLE])).collect());
    };
    if let Some(gone) = plan
        .tests
        .iter()
        .find(|test| !by_key.contains_key(&test.key))
    {
        return Err(Gone(gone.key.clone()));
    }
    let ours = plan.share_of_whole_tests(shard).into_iter();
    let found = ours.filter_map(|(key, orders)| Some((by_key.remove(&key)?, orders)));
    Ok(found.collect())
}

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = &self.0;
        write!(f, "the plan names {key}, which is not here")
    }
}

impl std::error::Error for Gone {}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(test: &&str) -> TestKey {
        TestKey {
            package: String::new(),
            target: String::new(),
            test: (*test).to_owned(),
            old: false,
            compared: false,
        }
    }

    #[test]
    fn every_test_is_dealt_once_in_whatever_order_it_comes() {
        let names = ["e", "b", "a", "d", "c"];
        for total in [1, 2, 3, 9] {
            let mut all = Vec::new();
            for shard in Shard::all(total) {
                let ours = deal((shard, None), names.to_vec(), key).unwrap();
                assert!(ours.iter().all(|(_, orders)| is_whole(orders)));
                let backwards = deal((shard, None), names.into_iter().rev().collect(), key);
                assert_eq!(backwards.as_ref(), Ok(&ours));
                all.extend(ours.into_iter().map(|(name, _)| name));
            }
            all.sort_unstable();
            assert_eq!(all, ["a", "b", "c", "d", "e"]);
        }
    }

    #[test]
    fn a_plan_for_other_tests_is_refused() {
        let plan = r#"{"version": 1, "command": "detect", "phase": "detect", "base": "b", "round": 2, "runs": 0,
            "seconds": 0.0, "tests": [{"test": "gone", "all": true}]}"#;
        let plan: Plan = serde_json::from_str(plan).unwrap();
        let shard = Shard::new(0, 1).unwrap();
        let gone = deal((shard, Some(&plan)), vec!["a"], key).unwrap_err();
        assert!(gone.to_string().contains("gone, which is not here"));
        let ours = deal((shard, Some(&plan)), vec!["gone", "a"], key).unwrap();
        assert_eq!(ours, [("gone", vec![WHOLE])]);
    }
}
