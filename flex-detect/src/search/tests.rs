use super::*;

const BOUND: Limits = Limits {
    lower: None,
    upper: Some(0.9),
};

/// A value in [0, 1) for each run: multiples of the golden ratio, which are spread evenly.
fn value(index: u32) -> f64 {
    (f64::from(index) * 0.618_033_988_749_895).fract()
}

fn shown(index: u32, outcome: Outcome) -> SearchedRun {
    SearchedRun {
        index,
        as_written: false,
        outcome,
        hits: vec![("x<0.9".into(), BOUND, value(index))],
    }
}

/// Drives a search; returns why it ended and after how many runs.
fn drive(rule: SearchRule, mut show: impl FnMut(u32) -> SearchedRun) -> (SearchEnd, usize) {
    let mut search = Search::new(rule);
    let mut made = 0;
    loop {
        match search.step() {
            SearchStep::Done(end) => return (end, made),
            SearchStep::Collect(wanted) => {
                // Nobody promises an order.
                for index in wanted.into_iter().rev() {
                    search.push(show(index)).unwrap();
                    made += 1;
                }
            }
        }
    }
}

fn check(rule: SearchRule, show: impl FnMut(u32) -> SearchedRun, expected: (SearchEnd, usize)) {
    assert_eq!(drive(rule, show), expected);
}

#[test]
fn searches_end_when_enough_is_known() {
    use Outcome::{Fail, Pass, Skip};
    let usual = SearchRule::default();
    let fast = SearchRule {
        fast: true,
        ..usual
    };
    let rule = SearchEnd::Rule;
    check(
        usual,
        |i| shown(i, Fail),
        (rule(ConvergenceEnd::AlwaysFailed), 30),
    );
    check(usual, |i| shown(i, Skip), (SearchEnd::Skipped, 30));
    let rarely = |i: u32| shown(i, if i % 50 == 3 { Fail } else { Pass });
    check(usual, rarely, (rule(ConvergenceEnd::MostRuns), 500));
    check(fast, rarely, (SearchEnd::Disagreement, 30));
    let late = |i: u32| shown(i, if i == 65 { Fail } else { Pass });
    check(fast, late, (SearchEnd::Disagreement, 70));
    let mut healthy = drive(usual, |i| shown(i, Pass));
    assert_eq!(healthy.0, rule(ConvergenceEnd::RareFailures));
    assert!((230..=260).contains(&healthy.1), "{healthy:?}");
    healthy = drive(fast, |i| shown(i, Pass));
    assert_eq!(healthy.0, rule(ConvergenceEnd::RareFailures));
}

#[test]
fn the_run_as_written_stands_apart() {
    use Outcome::{Fail, Pass, Skip};
    let golden = |i: u32| SearchedRun {
        as_written: i == 0,
        ..shown(i, if i == 0 { Pass } else { Fail })
    };
    for fast in [false, true] {
        let rule = SearchRule {
            fast,
            ..SearchRule::default()
        };
        check(
            rule,
            golden,
            (SearchEnd::Rule(ConvergenceEnd::AlwaysFailed), 30),
        );
    }
    // Only the seeds of the source are skipped: the search goes on.
    let mut search = Search::new(SearchRule::default());
    search.push(golden(0)).unwrap();
    search.push(shown(1, Skip)).unwrap();
    assert!(matches!(search.step(), SearchStep::Collect(wanted) if wanted.len() == 28));
}

#[test]
fn one_skipped_run_is_enough() {
    let mut search = Search::new(SearchRule::default());
    search.push(shown(0, Outcome::Skip)).unwrap();
    assert_eq!(search.step(), SearchStep::Done(SearchEnd::Skipped));
}

#[test]
fn tight_goes_on_where_something_may_be_patched() {
    let tight = SearchRule {
        tight: true,
        most_tight: 900,
        ..SearchRule::default()
    };
    let exponential = |i: u32, bound: f64| {
        let value = -(1.0 - value(i)).ln();
        let limits = Limits {
            lower: None,
            upper: Some(bound),
        };
        let outcome = if value > bound {
            Outcome::Fail
        } else {
            Outcome::Pass
        };
        SearchedRun {
            hits: vec![("x".into(), limits, value)],
            ..shown(i, outcome)
        }
    };
    let (end, runs) = drive(tight, |i| exponential(i, 3.0));
    assert_eq!(end, SearchEnd::Rule(ConvergenceEnd::MostRuns));
    assert!((501..=900).contains(&runs), "{runs}");
    let (_, runs) = drive(tight, |i| exponential(i, 1e4));
    assert!(runs < 300, "{runs}");
}

#[test]
fn bounds_that_differ_are_an_error_and_no_end() {
    let mut search = Search::new(SearchRule::default());
    for index in 0..30 {
        let limits = Limits {
            lower: None,
            upper: Some(f64::from(index / 29)),
        };
        let run = SearchedRun {
            hits: vec![("x<y".into(), limits, 0.5)],
            ..shown(index, Outcome::Fail)
        };
        let taken = search.push(run.clone());
        let expected = match index {
            29 => Err(NotTaken::Values {
                run: index,
                site: "x<y".into(),
            }),
            _ => Ok(()),
        };
        assert_eq!(taken, expected);
        // One that was taken is told apart from one of which only the outcome counts.
        assert_eq!(search.push(run), Err(NotTaken::Repeated(index)));
    }
    let all = SearchStep::Done(SearchEnd::Rule(ConvergenceEnd::AlwaysFailed));
    assert_eq!(search.step(), all);
}

#[test]
fn time_that_is_up_ends_a_search() {
    let mut search = Search::new(SearchRule::default());
    search.push(shown(0, Outcome::Pass)).unwrap();
    search.out_of_time();
    assert_eq!(
        search.step(),
        SearchStep::Done(SearchEnd::Rule(ConvergenceEnd::OutOfTime))
    );
}

#[test]
fn a_run_that_touches_nothing_ends_the_search() {
    let mut search = Search::new(SearchRule::default());
    search.shown_fixed();
    assert!(
        matches!(search.step(), SearchStep::Collect(_)),
        "no run was made yet"
    );
    search
        .push(SearchedRun {
            index: 0,
            as_written: false,
            outcome: Outcome::Pass,
            hits: Vec::new(),
        })
        .unwrap();
    assert_eq!(search.step(), SearchStep::Done(SearchEnd::Fixed));
}

#[test]
fn what_a_search_would_cost_is_known_beforehand() {
    let made = |outcome| {
        let run = SearchedRun {
            index: 0,
            as_written: false,
            outcome,
            hits: Vec::new(),
        };
        Search::runs_if_all_are_like(SearchRule::default(), &run)
    };
    assert_eq!(made(Outcome::Pass), 230);
    assert_eq!(made(Outcome::Fail), 30);
    assert_eq!(made(Outcome::Skip), 30);
}
