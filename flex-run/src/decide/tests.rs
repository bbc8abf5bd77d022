//! Claims, driven by values: what runs show goes in, and what came of each claim comes out.

use flex_core::tail::{Domain, Side};

use super::*;
use crate::model::{
    Asks, ClaimSpec, Claimed, Comparison, Draws, Hit, Limit, Operator, Place, SiteId,
};

const WHOLE: Allowance = Allowance {
    rate: 1e-4,
    is_shared: true,
};

/// A number between 0 and 1 that looks random, the same for the same index.
fn uniform(index: u32) -> f64 {
    let mut state = u64::from(index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((state ^ (state >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

fn mean_below(bound: f64) -> ClaimSpec {
    let limit = Limit::Declared(Comparison::new(Operator::Less, bound));
    ClaimSpec {
        domain: Domain::new(0.0, 1.0).ok(),
        ..ClaimSpec::new(Claimed::Mean(limit))
    }
}

fn site(name: &str, spec: ClaimSpec) -> Site {
    Site::new(SiteId::new(name), Asks::Claim(spec), Place::new("a.rs", 7))
}

fn run(draws: &[Option<Vec<f64>>]) -> RunRecord {
    let hit = |first: &Vec<f64>| Hit {
        draws: Draws {
            first: first.clone(),
            second: Vec::new(),
        },
        ..Hit::of(0.0)
    };
    RunRecord {
        hits: draws.iter().map(|drawn| drawn.as_ref().map(hit)).collect(),
        ..RunRecord::default()
    }
}

/// Makes runs until nothing more is needed; what came of the claims, and how many runs that took.
fn decided(
    sites: &[Site],
    most: u32,
    show: impl Fn(u32) -> Vec<Option<Vec<f64>>>,
) -> (Vec<Decided>, u32) {
    let mut claims = Claims::new(WHOLE, most);
    let mut made = 0;
    loop {
        claims.see(sites, &run(&show(made)));
        made += 1;
        if !claims.need_a_run() {
            return (claims.decided().collect(), made);
        }
    }
}

#[test]
fn runs_are_made_until_all_claims_are_decided() {
    let sites = [site("a", mean_below(0.6)), site("b", mean_below(0.9))];
    let (both, made) = decided(&sites, 3000, |run| {
        vec![Some(vec![uniform(run)]), Some(vec![uniform(run)])]
    });
    assert_eq!(
        [&both[0].outcome, &both[1].outcome],
        [&ClaimOutcome::Fine; 2]
    );
    // The one that is far from its bound is decided first, and then stands.
    assert!(both[1].runs < both[0].runs && both[0].runs == made);
    let spent: f64 = both.iter().map(|claim| claim.rate).sum();
    assert!(spent < 1e-4, "{spent}");
}

#[test]
fn a_mean_beyond_its_bound_is_broken() {
    let sites = [site("a", mean_below(0.3))];
    let (one, made) = decided(&sites, 3000, |run| vec![Some(vec![uniform(run)])]);
    assert_eq!(one[0].outcome, ClaimOutcome::Broken);
    assert!(made < 200, "{made}");
    let estimate = one[0].estimate.unwrap();
    assert!(estimate.low > 0.3 && estimate.high < 0.9, "{estimate:?}");
    assert!(one[0].evidence.broken > 1e4f64.ln() && !one[0].path.is_empty());
}

#[test]
fn claims_end_after_as_many_runs_as_they_may_have() {
    let spec = ClaimSpec {
        max_runs: Some(7),
        ..mean_below(0.5)
    };
    let sites = [site("a", spec)];
    let (one, made) = decided(&sites, 3000, |run| vec![Some(vec![uniform(run)])]);
    assert_eq!((&one[0].outcome, made), (&ClaimOutcome::Undecided, 7));
    // A site that no further run reaches does not go on for ever.
    let sites = [site("a", mean_below(0.5))];
    let (one, made) = decided(&sites, 9, |run| vec![(run == 0).then(|| vec![0.5])]);
    assert_eq!(
        (&one[0].outcome, one[0].runs, made),
        (&ClaimOutcome::Undecided, 1, 9)
    );
}

#[test]
fn a_cluster_counts_once_and_independent_draws_each_for_itself() {
    let show = |run: u32| vec![Some((0..10).map(|i| uniform(10 * run + i)).collect())];
    let clusters = [site("a", mean_below(0.6))];
    let independent = ClaimSpec {
        independent: true,
        ..mean_below(0.6)
    };
    let (cluster, _) = decided(&clusters, 3000, show);
    let (each, made) = decided(&[site("a", independent)], 3000, show);
    assert_eq!(
        [&cluster[0].outcome, &each[0].outcome],
        [&ClaimOutcome::Fine; 2]
    );
    let single = decided(&clusters, 3000, |run| vec![Some(vec![uniform(run)])]).1;
    assert!(made <= single.div_ceil(10) && each[0].draws == u64::from(10 * made));
}

#[test]
fn values_that_contradict_the_claim_are_not_counted() {
    let check = |value: f64, words: &str| {
        let sites = [site("a", mean_below(0.5))];
        let (one, _) = decided(&sites, 3000, |run| {
            vec![Some(vec![if run == 5 { value } else { 0.5 }])]
        });
        let ClaimOutcome::Undecidable(why) = &one[0].outcome else {
            panic!("{:?}", one[0].outcome);
        };
        assert!(why.contains(words), "{why}");
    };
    check(1.5, "1.5 lies outside of the domain");
    check(f64::NAN, "NaN");
}

#[test]
fn claims_that_later_runs_reach_have_a_share_too() {
    let sites = [site("a", mean_below(0.6)), site("b", mean_below(0.3))];
    let (both, _) = decided(&sites, 3000, |run| {
        let late = (run % 3 == 2).then(|| vec![uniform(run + 10_000)]);
        vec![Some(vec![uniform(run)]), late]
    });
    assert_eq!(both[1].outcome, ClaimOutcome::Broken);
    let spent: f64 = both.iter().map(|claim| claim.rate).sum();
    assert!(both[1].rate > 0.0 && spent <= 1e-4);
}

#[test]
fn no_claim_is_decided_about_nan() {
    // Higher values are better, and a NaN is not.
    let better = Claimed::NoWorse { worse: Side::Lower };
    for claimed in [better, Claimed::SameDistribution] {
        let sites = [site("a", ClaimSpec::new(claimed))];
        let mut claims = Claims::new(WHOLE, 3000);
        let mut record = run(&[Some(vec![f64::NAN])]);
        if let Some(hit) = &mut record.hits[0] {
            hit.draws.second = vec![0.5];
        }
        claims.see(&sites, &record);
        let outcome = claims.decided().next().map(|decided| decided.outcome);
        assert!(matches!(outcome, Some(ClaimOutcome::Undecidable(why)) if why.contains("NaN")));
    }
}
