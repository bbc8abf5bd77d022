use super::*;

/// The race as a recursion over hits and misses, written down as it stands (docs/design/bound.md, "The guard").
fn recursion(needed: Hits, q: f64) -> (f64, f64) {
    fn from(hits: usize, misses: usize, needed: usize, q: f64) -> (f64, f64) {
        if hits >= needed {
            return (1.0, 0.0);
        }
        if 2 * misses >= hits {
            return (0.0, 0.0);
        }
        let hit = from(hits + 1, misses, needed, q);
        let miss = from(hits, misses + 1, needed, q);
        (
            q * hit.0 + (1.0 - q) * miss.0,
            1.0 + q * hit.1 + (1.0 - q) * miss.1,
        )
    }
    let (regression, reruns) = from(1, 0, needed.get() as usize, q);
    (q * regression, q * reruns)
}

#[test]
fn the_polynomials_are_the_recursion() {
    for needed in Hits::descending() {
        for q in [1e-6, 0.01, 0.2, 0.5, 0.8, 1.0] {
            let (rate, reruns) = recursion(needed, q);
            assert!((regression_rate(needed, q) / rate - 1.0).abs() < 1e-12);
            assert!((extra_runs(needed, q) - reruns).abs() < 1e-12 * reruns.max(1.0));
        }
    }
}

#[test]
fn the_state_machine_walks_the_recursion() {
    // All 2^k continuations: their weights add up to F(q) and to the expected reruns.
    let q: f64 = 0.3;
    for needed in Hits::descending().skip(5) {
        let mut undecided = vec![(Race::start(needed), q)];
        let (mut rate, mut reruns) = (0.0, 0.0);
        while let Some((race, weight)) = undecided.pop() {
            match race.step() {
                RaceStep::Regression => rate += weight,
                RaceStep::Cleared => {}
                RaceStep::Rerun => {
                    reruns += weight;
                    let (mut hit, mut miss) = (race, race);
                    hit.hit();
                    miss.miss();
                    undecided.push((hit, weight * q));
                    undecided.push((miss, weight * (1.0 - q)));
                }
            }
        }
        let expected = recursion(needed, q);
        assert!((rate - expected.0).abs() < 1e-15);
        assert!((reruns - expected.1).abs() < 1e-15);
    }
}

#[test]
fn no_race_takes_longer_than_it_says() {
    fn longest(race: Race) -> u32 {
        match race.step() {
            RaceStep::Rerun => {
                let (mut hit, mut miss) = (race, race);
                hit.hit();
                miss.miss();
                1 + longest(hit).max(longest(miss))
            }
            _ => 0,
        }
    }
    for needed in Hits::descending() {
        assert_eq!(
            needed.most_reruns(),
            longest(Race::start(needed)),
            "{needed}"
        );
    }
}

#[test]
fn only_possible_numbers_of_hits_exist() {
    assert_eq!(Hits::new(0), None);
    assert_eq!(Hits::new(13), None);
    assert_eq!(Hits::new(300), None);
    assert_eq!(Hits::new(12).map(Hits::get), Some(12));
}

#[test]
fn what_never_happens_costs_nothing() {
    for needed in Hits::descending() {
        assert_eq!(regression_rate(needed, 0.0), 0.0);
        assert_eq!(extra_runs(needed, 0.0), 0.0);
    }
}

#[test]
fn one_miss_clears_a_single_hit_and_an_ended_race_stays_ended() {
    let mut race = Race::start(Hits(3));
    assert_eq!(race.miss(), RaceStep::Cleared);
    assert_eq!(race.hit(), RaceStep::Cleared);
    assert_eq!((race.hits(), race.misses()), (1, 1));
    assert_eq!(Race::start(Hits(1)).step(), RaceStep::Regression);
}

#[test]
fn the_level_solves_for_the_budget() {
    for needed in Hits::descending() {
        for budget in [0.4, 0.005, 5e-5, 1e-9, 1e-14] {
            let a = level(needed, budget);
            let rate = recursion(needed, a).0;
            assert!(
                (rate / budget - 1.0).abs() < 1e-10,
                "{needed} {budget} {rate}"
            );
        }
    }
}

#[test]
fn averages_over_a_beta_are_integrals() {
    let (a, b): (f64, f64) = (5.0, 40.0);
    let steps = 200_000;
    for needed in [1, 2, 5, 12].map(Hits) {
        let (mut sum, mut mass) = (0.0, 0.0);
        for i in 0..steps {
            let q = (i as f64 + 0.5) / steps as f64;
            let density = q.powf(a - 1.0) * (1.0 - q).powf(b - 1.0);
            sum += density * recursion(needed, q).1;
            mass += density;
        }
        let got = mean_extra_runs(needed, a, b);
        assert!((got - sum / mass).abs() < 1e-9, "{got}");
    }
}
