//! Parts of the runs of a test, in whatever order, as often as they come, and with whatever is missing.
//!
//! Cases are drawn from a fixed seed, and no failures are stored: what fails here fails everywhere.

#![expect(
    clippy::unwrap_used,
    reason = "an input that cannot be made is a mistake in this file"
)]

mod made;

use std::collections::BTreeMap;

use flex_run::calibrate::Recorded;
use flex_run::model::ProcessRecord;
use flex_shard::union::{Made, Union, runs_of};
use made::made;
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::RngSeed;

/// The runs of each process; they may overlap, and be the same.
fn parts() -> impl Strategy<Value = Vec<Vec<u32>>> {
    let runs = btree_set(0..40u32, 1..15).prop_map(|runs| runs.into_iter().collect());
    vec(runs, 1..8)
}

fn union_of(parts: &[Vec<u32>], order: &[usize]) -> Union {
    let made = order.iter().map(|&place| made(place, &parts[place], None));
    Union::of(made.collect())
}

/// What each run shows, by whoever is said to have made it.
fn values(recorded: &[Recorded]) -> Vec<(u32, f64)> {
    let records = recorded.iter().flat_map(|recorded| &recorded.records);
    let runs = records.flat_map(ProcessRecord::runs);
    let mut values: Vec<(u32, f64)> = runs
        .flat_map(|(run, hits)| hits.iter().map(|hit| (run.index, hit.extremes.greatest)))
        .collect();
    values.sort_by_key(|(run, _)| *run);
    values
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        rng_seed: RngSeed::Fixed(20_261_118),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_run_is_there_once_in_whatever_order_files_come(
        parts in parts(),
        order in vec(any::<Index>(), 0..12),
    ) {
        // All parts, some of them again, in an order of their own.
        let mut places: Vec<usize> = (0..parts.len()).collect();
        for index in &order {
            let again = index.index(parts.len());
            places.insert(index.index(places.len()), again);
        }
        let union = union_of(&parts, &places);
        prop_assert!(union.conflicts.is_empty());
        let mut all: Vec<u32> = parts.concat();
        all.sort_unstable();
        all.dedup();
        prop_assert_eq!(&union.all_runs(), &all);
        let expected: Vec<(u32, f64)> = all.iter().map(|run| (*run, f64::from(*run))).collect();
        prop_assert_eq!(values(&union.runs(&all).unwrap()), expected);
        let straight: Vec<usize> = (0..parts.len()).collect();
        let kept = |union: &Union| -> Vec<Vec<u32>> {
            union.parts.iter().map(|part| runs_of(&part.recorded)).collect()
        };
        prop_assert_eq!(kept(&union), kept(&union_of(&parts, &straight)));
    }

    #[test]
    fn runs_that_nobody_made_are_named(parts in parts(), wanted in btree_set(0..50u32, 1..20)) {
        let order: Vec<usize> = (0..parts.len()).collect();
        let union = union_of(&parts, &order);
        let wanted: Vec<u32> = wanted.into_iter().collect();
        let made = parts.concat();
        let missing: Vec<u32> = wanted.iter().copied().filter(|run| !made.contains(run)).collect();
        match union.runs(&wanted) {
            Err(named) => prop_assert_eq!(named, missing),
            Ok(recorded) => {
                prop_assert!(missing.is_empty());
                let runs: Vec<u32> = values(&recorded).into_iter().map(|(run, _)| run).collect();
                prop_assert_eq!(runs, wanted);
            }
        }
    }

    #[test]
    fn a_run_that_is_not_the_same_twice_is_found_with_both_hosts(
        parts in parts(),
        which in any::<Index>(),
        is_first in any::<bool>(),
    ) {
        let all = parts.concat();
        let run = *which.get(&all);
        let mut pieces: Vec<Made> = (0..).zip(&parts).map(|(by, runs)| made(by, runs, None)).collect();
        let place = if is_first { 0 } else { pieces.len() };
        pieces.insert(place, made(99, &[run], Some(run)));
        let union = Union::of(pieces);
        prop_assert!(!union.conflicts.is_empty());
        let mut hosts: BTreeMap<u32, usize> = BTreeMap::new();
        for conflict in &union.conflicts {
            prop_assert_eq!(conflict.run, run);
            *hosts.entry(conflict.run).or_default() += 1;
            let both = [&conflict.hosts.0, &conflict.hosts.1];
            prop_assert!(both.iter().any(|host| *host == "host99"), "{both:?}");
            prop_assert_ne!(both[0], both[1]);
        }
    }
}
