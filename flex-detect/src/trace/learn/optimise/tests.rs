use super::super::labels::Label;
use super::*;

/// A corpus of tests (project, name, flaky, cause) and functions (name, cause, tests).
fn corpus(
    tests: &[(usize, &str, bool, Option<Cause>)],
    functions: &[(&str, bool, Option<Cause>, &[usize])],
) -> Corpus {
    let test = |(project, name, is_flaky, cause): &(usize, &str, bool, Option<Cause>)| CorpusTest {
        project: *project,
        name: (*name).to_owned(),
        label: Label {
            is_flaky: *is_flaky,
            causes: cause.iter().copied().collect(),
        },
        variability: None,
    };
    let function = |(name, is_c, cause, executed): &(&str, bool, Option<Cause>, &[usize])| {
        let mut executed_by = BitSet::new(tests.len());
        executed.iter().for_each(|test| executed_by.insert(*test));
        CorpusFunction {
            name: (*name).to_owned(),
            is_c: *is_c,
            cause: *cause,
            executed_by,
        }
    };
    Corpus {
        projects: vec!["p".to_owned(), "q".to_owned()],
        tests: tests.iter().map(test).collect(),
        functions: functions.iter().map(function).collect(),
        unlabelled: 0,
    }
}

const TIME: Option<Cause> = Some(Cause::Time);
const NETWORK: Option<Cause> = Some(Cause::Network);

/// Twelve tests of two projects, five of them flaky: 0, 1 and 6 by time, 2 by the network, 7 for no known reason.
fn example() -> Corpus {
    let tests: Vec<(usize, String, bool, Option<Cause>)> = (0..12)
        .map(|i| {
            let cause = match i {
                0 | 1 | 6 => TIME,
                2 => NETWORK,
                _ => None,
            };
            (
                i / 6,
                format!("t{i:02}"),
                matches!(i, 0 | 1 | 2 | 6 | 7),
                cause,
            )
        })
        .collect();
    let tests: Vec<_> = tests
        .iter()
        .map(|(p, name, flaky, cause)| (*p, name.as_str(), *flaky, *cause))
        .collect();
    corpus(
        &tests,
        &[
            ("type.now", true, TIME, &[0, 1, 6, 8]),
            ("a_twin (x.py)", false, None, &[0, 1, 6, 8]),
            ("connect", true, None, &[2, 3]),
            ("own (p: a.py)", false, None, &[0, 2]),
            (
                "everything",
                true,
                None,
                &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11],
            ),
            ("harmless", true, None, &[4, 9]),
        ],
    )
}

fn rule(functions: Functions, per_cause: bool, beta: Option<f64>) -> LearnRule {
    LearnRule {
        functions,
        per_cause,
        beta,
        folds: 5,
    }
}

#[test]
fn functions_are_chosen_and_described() {
    let learned = learn(&example(), &rule(Functions::All, false, Some(1.0)));
    // By hand for β = 1: type.now has 2·3/(5+4) = 6/9, own 2·2/(5+2) = 4/7, connect 2/7, everything 10/17. Then with own
    // 8/10 and with connect 8/11: own has no false alarm. Then connect adds only a false alarm.
    let names: Vec<&str> = learned.functions.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["type.now", "own (p: a.py)"]);
    let [now, own] = &learned.functions[..] else {
        panic!()
    };
    assert_eq!(
        (now.twins, now.flaky, now.tests, now.projects),
        (1, 3, 4, 2)
    );
    assert!(!now.is_solo() && !now.is_cryptic() && own.is_solo() && own.is_cryptic());
    assert_eq!(
        learned.exposed,
        Exposure {
            flaky_exposed: 4,
            flaky: 5,
            exposed: 5,
            tests: 12
        }
    );
    assert_eq!(learned.unexposed, [7]);
    assert_eq!(learned.folds.len(), 5);
}

#[test]
fn functions_in_c_alone_may_be_chosen() {
    let learned = learn(&example(), &rule(Functions::C, false, Some(1.0)));
    let names: Vec<&str> = learned.functions.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names, ["type.now", "connect"]);
    assert!(learned.functions.iter().all(|function| function.is_c));
}

#[test]
fn causes_are_learned_one_by_one_and_put_together() {
    let learned = learn(&example(), &rule(Functions::C, true, Some(1.0)));
    let names: Vec<&str> = learned.functions.iter().map(|f| f.name.as_str()).collect();
    // Time: type.now. Network: connect. Test 7 alone, without a cause: everything, 2/(1+8) of those that count.
    assert_eq!(names, ["type.now", "connect", "everything"]);
    assert_eq!(learned.unexposed, [] as [usize; 0]);
}

#[test]
fn a_sweep_chooses_the_smallest_of_the_best() {
    let learned = learn(&example(), &rule(Functions::C, false, None));
    assert_eq!(learned.tried.len(), 40);
    let best = learned
        .tried
        .iter()
        .map(Tried::gain)
        .fold(f64::NEG_INFINITY, f64::max);
    let first = learned
        .tried
        .iter()
        .find(|tried| tried.gain() == best)
        .unwrap();
    assert_eq!(learned.beta, first.beta);
    assert_eq!(learned.folds, first.folds);
}

#[test]
fn folds_are_disjoint_and_hold_every_test_once() {
    let tests: Vec<(usize, String, bool, Option<Cause>)> = (0..97)
        .map(|i| (i % 2, format!("t{}[{i}]", i / 3), i % 5 == 0, None))
        .collect();
    let tests: Vec<_> = tests
        .iter()
        .map(|(p, name, flaky, cause)| (*p, name.as_str(), *flaky, *cause))
        .collect();
    let corpus = corpus(&tests, &[]);
    let folds = split(&corpus, 5);
    for test in 0..97 {
        assert_eq!(folds.iter().filter(|fold| fold.contains(test)).count(), 1);
    }
    let fold_of = |test: usize| folds.iter().position(|fold| fold.contains(test));
    for (a, first) in corpus.tests.iter().enumerate() {
        for (b, second) in corpus.tests.iter().enumerate() {
            let function =
                |test: &CorpusTest| (test.project, test.name.split('[').next().map(str::to_owned));
            if function(first) == function(second) {
                assert_eq!(fold_of(a), fold_of(b), "{} {}", first.name, second.name);
            }
        }
    }
}

#[test]
fn nothing_to_learn_from_is_no_trouble() {
    let empty = learn(&corpus(&[], &[]), &LearnRule::default());
    assert_eq!(
        (empty.functions.len(), empty.exposed),
        (0, Exposure::default())
    );
    let sound = learn(
        &corpus(&[(0, "t", false, None)], &[("f", true, None, &[0])]),
        &LearnRule::default(),
    );
    assert_eq!(sound.functions, []);
}
