//! What a search by detect's own rule finds and costs: it goes on after the first disagreement, until the failure rate is
//! known to be small (docs/design/search.md, "When a search may stop").

use super::{StrategyPrice, StrategyTest, Terms};
use crate::bound::declared::clopper_pearson;
use crate::search::convergence::StopRule;
use crate::search::reruns::OutcomeRates;

/// Where a search may end: after so many runs, with at most so many failures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchEnds {
    first: u32,
    most: u32,
    ends: Vec<(u32, Option<usize>)>,
}

/// What a search finds and costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Searched {
    /// The probability that its runs disagree.
    pub found: f64,
    /// Expected runs.
    pub runs: f64,
}

impl SearchEnds {
    /// The ends of a search by this rule, for a test whose values have converged or that has none.
    pub fn new(rule: &StopRule) -> Self {
        let catch = rule.assurance.map_or(0.0, |assurance| assurance.catch);
        let (first, most) = (rule.first.max(1), rule.most.max(1));
        let steps = (first..=most).step_by(rule.step.max(1) as usize);
        let mut allowed = None;
        let mut ends = Vec::new();
        for runs in steps {
            let rare = |failures: usize| {
                failures <= runs as usize
                    && clopper_pearson(failures, runs as usize, 0.98).1 <= catch
            };
            while rare(allowed.map_or(0, |allowed| allowed + 1)) {
                allowed = Some(allowed.map_or(0, |allowed| allowed + 1));
            }
            ends.push((runs, allowed));
        }
        SearchEnds { first, most, ends }
    }

    /// The price of searching tests under probes by this rule; those that are fixed are run twice.
    pub fn price(&self, tests: &[StrategyTest], terms: &Terms) -> StrategyPrice {
        let mut price = StrategyPrice {
            tests: tests.len(),
            ..StrategyPrice::default()
        };
        for test in tests {
            let (found, runs) = test.weighted(|outcomes| match test.is_fixed {
                true => (outcomes.unveiled(2), 2.0),
                false => {
                    let searched = self.of(outcomes);
                    (searched.found, searched.runs)
                }
            });
            price.found += found;
            price.runs += runs;
            price.seconds += runs * test.seconds * terms.probing;
            price.course.push((price.seconds, price.found));
        }
        price
    }

    /// What a search finds and costs, where a skip counts as a pass.
    pub fn of(&self, outcomes: OutcomeRates) -> Searched {
        let fail = outcomes.fail();
        let limit = self.ends.iter().filter_map(|(_, allowed)| *allowed).max();
        let limit = limit.map_or(0, |limit| limit + 1);
        // The probability of each number of failures so far, in searches that go on; the last is for all that are more
        // than could ever end one.
        let mut going = vec![0.0; limit + 1];
        going[0] = 1.0;
        let mut searched = Searched {
            found: 0.0,
            runs: 0.0,
        };
        let mut end = |chance: f64, runs: u32, disagree: bool| {
            searched.runs += chance * f64::from(runs);
            searched.found += if disagree { chance } else { 0.0 };
        };
        // All of so many runs failed, which is part of the last but for the first few runs.
        let all_failed = |runs: u32| fail.powf(f64::from(runs));
        let mut ends = self.ends.iter().peekable();
        let mut gave_up = false;
        for runs in 1..=self.most {
            for failures in (0..=limit).rev() {
                let stay = if failures == limit { 1.0 } else { 1.0 - fail };
                let from = if failures > 0 {
                    going[failures - 1] * fail
                } else {
                    0.0
                };
                going[failures] = going[failures] * stay + from;
            }
            let allowed = match ends.next_if(|(at, _)| *at == runs) {
                Some((_, allowed)) => *allowed,
                None => None,
            };
            if runs == self.first && limit < runs as usize {
                let chance = all_failed(runs).min(going[limit]);
                going[limit] -= chance;
                end(chance, runs, false);
                gave_up = true;
            }
            for (failures, chance) in going.iter_mut().enumerate().take(limit) {
                if allowed.is_some_and(|allowed| failures <= allowed) {
                    end(std::mem::take(chance), runs, failures > 0);
                }
            }
        }
        for (failures, chance) in going.into_iter().enumerate() {
            let alike = if gave_up || failures < limit {
                0.0
            } else {
                all_failed(self.most)
            };
            end(alike, self.most, false);
            end((chance - alike).max(0.0), self.most, failures > 0);
        }
        searched
    }
}
