//! The optimiser: β by a sweep, functions by greed, the whole held against tests that it did not see.

use std::collections::BTreeMap;

use flex_core::search::select::{BitSet, Labelled, betas, choose, folds};
use flex_run::model::Cause;

use super::corpus::{Corpus, CorpusFunction, CorpusTest};
use super::exposure::{Exposure, Spread};

/// The functions that may be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Functions {
    /// All.
    All,
    /// Those that are written in C.
    C,
}

/// How to learn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LearnRule {
    /// The functions that may be chosen.
    pub functions: Functions,
    /// Whether functions are chosen for each cause by itself, and put together.
    pub per_cause: bool,
    /// How much more recall counts than precision; `None` for what a sweep finds best.
    pub beta: Option<f64>,
    /// Into how many folds the tests are split.
    pub folds: usize,
}

impl Default for LearnRule {
    fn default() -> Self {
        LearnRule {
            functions: Functions::All,
            per_cause: false,
            beta: None,
            folds: 5,
        }
    }
}

/// What was learned.
#[derive(Debug, Clone, PartialEq)]
pub struct LearnedFunctions {
    /// How much more recall counts than precision.
    pub beta: f64,
    /// What every β that was tried gave.
    pub tried: Vec<Tried>,
    /// What the functions of each fold's other tests expose in that fold, for this β.
    pub folds: Vec<Exposure>,
    /// The functions that all tests together lead to, in the order in which they were chosen.
    pub functions: Vec<ChosenFunction>,
    /// What these expose.
    pub exposed: Exposure,
    /// The flaky tests that they do not expose, by their index.
    pub unexposed: Vec<usize>,
}

/// What a β gave, over folds.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// The β.
    pub beta: f64,
    /// What is exposed in each fold.
    pub folds: Vec<Exposure>,
}

impl Tried {
    /// The mean over folds of the exposed share of flaky tests less that of others, which decides between values of β.
    pub fn gain(&self) -> f64 {
        Spread::of(self.folds.iter().map(Exposure::youden))
            .map_or(f64::NEG_INFINITY, |spread| spread.mean)
    }
}

/// A function that was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct ChosenFunction {
    /// Its name, with its class and file.
    pub name: String,
    /// Whether it is written in C.
    pub is_c: bool,
    /// The cause that it is known to tell of.
    pub cause: Option<Cause>,
    /// Other functions that the same tests executed, so that they would have done as well.
    pub twins: usize,
    /// Flaky tests that executed it.
    pub flaky: usize,
    /// Tests that executed it.
    pub tests: usize,
    /// Projects with a flaky test that executed it.
    pub projects: usize,
}

impl ChosenFunction {
    /// Whether it exposes flaky tests of one project at most.
    pub fn is_solo(&self) -> bool {
        self.projects <= 1
    }

    /// Whether nobody knows what it has to do with flakiness.
    pub fn is_cryptic(&self) -> bool {
        self.cause.is_none()
    }
}

/// Learns from a corpus.
pub fn learn(corpus: &Corpus, rule: &LearnRule) -> LearnedFunctions {
    let optimiser = Optimiser::new(corpus, rule);
    let folds = split(corpus, rule.folds);
    let tried: Vec<Tried> = match rule.beta {
        Some(beta) => vec![optimiser.tried(beta, &folds)],
        None => betas().map(|beta| optimiser.tried(beta, &folds)).collect(),
    };
    // Of equals the first, which is the smallest.
    let best = tried
        .iter()
        .reduce(|best, next| match next.gain() > best.gain() {
            true => next,
            false => best,
        });
    let (beta, in_folds) = best.map_or((1.0, Vec::new()), |best| (best.beta, best.folds.clone()));
    let everything = corpus.tests_that(|_| true);
    let chosen = optimiser.choose(beta, &everything);
    let selected = optimiser.union(&chosen);
    let missed = optimiser
        .flaky
        .iter()
        .filter(|test| !selected.contains(*test));
    LearnedFunctions {
        beta,
        folds: in_folds,
        functions: chosen
            .iter()
            .map(|feature| optimiser.described(*feature))
            .collect(),
        exposed: Exposure::new(&selected, &optimiser.flaky, &everything),
        unexposed: missed.collect(),
        tried,
    }
}

/// The tests of each fold. Parametrisations of one test are in one fold; the rule is that of
/// [`folds`](flex_core::search::select::folds), by project and name.
pub fn split(corpus: &Corpus, k: usize) -> Vec<BitSet> {
    let group = |test: &CorpusTest| {
        let function = test.name.split('[').next().unwrap_or_default();
        ((test.project, function.to_owned()), test.label.is_flaky)
    };
    let members: Vec<_> = corpus.tests.iter().map(group).collect();
    let mut split = vec![BitSet::new(corpus.tests.len()); k.max(1)];
    for (test, fold) in folds(&members, k).into_iter().enumerate() {
        split[fold].insert(test);
    }
    split
}

struct Optimiser<'a> {
    corpus: &'a Corpus,
    per_cause: bool,
    flaky: BitSet,
    /// Sets of tests, each with the functions that exactly these executed, the one to name first.
    features: Vec<BitSet>,
    twins: Vec<Vec<&'a CorpusFunction>>,
}

impl<'a> Optimiser<'a> {
    fn new(corpus: &'a Corpus, rule: &LearnRule) -> Self {
        let may_be_chosen =
            |function: &&CorpusFunction| rule.functions == Functions::All || function.is_c;
        let mut alike: BTreeMap<&BitSet, Vec<&CorpusFunction>> = BTreeMap::new();
        for function in corpus.functions.iter().filter(may_be_chosen) {
            alike
                .entry(&function.executed_by)
                .or_default()
                .push(function);
        }
        for functions in alike.values_mut() {
            // Those with a cause say more than those of the library, and these more than those of a project.
            functions.sort_by_key(|function| (function.cause.is_none(), !function.is_c));
        }
        let mut alike: Vec<_> = alike.into_iter().collect();
        alike.sort_by(|(_, a), (_, b)| a[0].name.cmp(&b[0].name));
        Optimiser {
            corpus,
            per_cause: rule.per_cause,
            flaky: corpus.flaky(),
            features: alike.iter().map(|(tests, _)| (*tests).clone()).collect(),
            twins: alike.into_iter().map(|(_, functions)| functions).collect(),
        }
    }

    /// The features that the counted tests lead to.
    fn choose(&self, beta: f64, counted: &BitSet) -> Vec<usize> {
        let of = |wanted: &dyn Fn(&CorpusTest) -> bool| {
            let is_other = |test: &CorpusTest| test.label.is_flaky && !wanted(test);
            let mut labelled = Labelled {
                flaky: self
                    .corpus
                    .tests_that(|test| test.label.is_flaky && wanted(test)),
                counted: self.corpus.tests_that(|test| !is_other(test)),
            };
            labelled.counted.intersect(counted);
            choose(&self.features, &labelled, beta)
        };
        if !self.per_cause {
            return of(&|_| true);
        }
        let of_cause = |cause: Cause| of(&|test| test.label.causes.contains(&cause));
        let mut chosen: Vec<usize> = Cause::ALL.into_iter().flat_map(of_cause).collect();
        chosen.extend(of(&|test| test.label.causes.is_empty()));
        let mut known = BitSet::new(self.features.len());
        chosen.retain(|feature| {
            let is_new = !known.contains(*feature);
            known.insert(*feature);
            is_new
        });
        chosen
    }

    fn union(&self, features: &[usize]) -> BitSet {
        let mut tests = BitSet::new(self.corpus.tests.len());
        features
            .iter()
            .for_each(|feature| tests.unite(&self.features[*feature]));
        tests
    }

    fn tried(&self, beta: f64, folds: &[BitSet]) -> Tried {
        let held_out = |(index, fold): (usize, &BitSet)| {
            let mut others = BitSet::new(self.corpus.tests.len());
            let other = folds
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != index);
            other.for_each(|(_, tests)| others.unite(tests));
            let selected = self.union(&self.choose(beta, &others));
            Exposure::new(&selected, &self.flaky, fold)
        };
        Tried {
            beta,
            folds: folds.iter().enumerate().map(held_out).collect(),
        }
    }

    fn described(&self, feature: usize) -> ChosenFunction {
        let (functions, tests) = (&self.twins[feature], &self.features[feature]);
        let mut flaky = tests.clone();
        flaky.intersect(&self.flaky);
        let mut projects: Vec<usize> = flaky
            .iter()
            .map(|test| self.corpus.tests[test].project)
            .collect();
        projects.sort_unstable();
        projects.dedup();
        ChosenFunction {
            name: functions[0].name.clone(),
            is_c: functions[0].is_c,
            cause: functions[0].cause,
            twins: functions.len() - 1,
            flaky: flaky.count(),
            tests: tests.count(),
            projects: projects.len(),
        }
    }
}

#[cfg(test)]
mod tests;
