use super::*;

const UPPER: Limits = Limits {
    lower: None,
    upper: Some(100.0),
};

/// A value in [0, 1) for each run, the same whoever asks.
pub(super) fn value(run: u32) -> f64 {
    let mut state = u64::from(run)
        .wrapping_add(1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for _ in 0..3 {
        state ^= state >> 31;
        state = state.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    (state >> 11) as f64 / (1u64 << 53) as f64
}

pub(super) fn run(index: u32, failed: bool, value: f64, limits: Limits) -> WatchedRun {
    WatchedRun {
        index,
        failed,
        hits: vec![("x".into(), limits, value)],
    }
}

/// Drives the machine to its end.
fn drive(rule: StopRule, mut show: impl FnMut(u32) -> WatchedRun) -> WatchedTest {
    let mut watch = ConvergenceWatch::new(rule);
    loop {
        match watch.step() {
            WatchStep::Done(watched) => return watched,
            WatchStep::Collect(count) => {
                let wanted: Vec<u32> = watch.wanted().collect();
                assert_eq!(wanted.len(), count as usize);
                for index in wanted {
                    watch.push(&show(index)).unwrap();
                }
            }
        }
    }
}

#[test]
fn a_constant_test_ends_at_once_if_thirty_equal_runs_are_trusted() {
    let early = StopRule {
        assurance: Some(Assurance::EARLY),
        ..StopRule::default()
    };
    let watched = drive(early, |i| run(i, false, 0.5, UPPER));
    assert_eq!((watched.end, watched.runs), (ConvergenceEnd::Constant, 30));
    let careful = drive(StopRule::default(), |i| run(i, false, 0.5, UPPER));
    assert_eq!(
        (careful.end, careful.runs),
        (ConvergenceEnd::RareFailures, 230)
    );
    let once = drive(early, |index| WatchedRun {
        hits: run(index, false, 0.5, UPPER)
            .hits
            .into_iter()
            .filter(|_| index == 7)
            .collect(),
        ..run(index, false, 0.5, UPPER)
    });
    assert_ne!(
        once.end,
        ConvergenceEnd::Constant,
        "a site that one run hit is not constant"
    );
    let broken = drive(StopRule::default(), |i| run(i, true, 0.5, UPPER));
    assert_eq!(
        (broken.end, broken.runs),
        (ConvergenceEnd::AlwaysFailed, 30)
    );
    let flaky = drive(StopRule::default(), |i| run(i, i % 50 == 3, 0.5, UPPER));
    assert_eq!((flaky.end, flaky.runs), (ConvergenceEnd::MostRuns, 500));
}

#[test]
fn without_a_failure_the_catch_decides() {
    let near = Limits {
        lower: None,
        upper: Some(1.0),
    };
    let watched = drive(StopRule::default(), |i| run(i, false, value(i), near));
    assert_eq!(watched.end, ConvergenceEnd::RareFailures);
    assert!((230..=500).contains(&watched.runs), "{}", watched.runs);
    let strict = StopRule {
        most: 600,
        assurance: Some(Assurance {
            catch: 0.01,
            ..Assurance::default()
        }),
        ..StopRule::default()
    };
    let watched = drive(strict, |i| run(i, false, value(i), near));
    assert!(watched.runs >= 459, "{}", watched.runs);
}

#[test]
fn bounds_far_out_in_the_tail_end_early_if_asked_to() {
    let early = StopRule {
        assurance: Some(Assurance::EARLY),
        ..StopRule::default()
    };
    let watched = drive(early, |i| run(i, false, value(i), UPPER));
    assert_eq!(watched.end, ConvergenceEnd::RareTail);
    assert!(watched.runs < 100, "{}", watched.runs);
    let both = Limits {
        lower: Some(-100.0),
        upper: Some(100.0),
    };
    let watched = drive(early, |i| run(i, false, value(i), both));
    assert_eq!(watched.end, ConvergenceEnd::RareTail);
    let one_near = Limits {
        lower: Some(0.0),
        upper: Some(100.0),
    };
    let watched = drive(early, |i| run(i, false, value(i), one_near));
    assert_eq!(watched.end, ConvergenceEnd::RareFailures);
    let watched = drive(StopRule::default(), |i| run(i, false, value(i), UPPER));
    assert_eq!(watched.end, ConvergenceEnd::RareFailures);
}

#[test]
fn a_site_without_bounds_says_nothing_of_failures() {
    let watched = drive(StopRule::default(), |i| {
        run(i, false, value(i), Limits::default())
    });
    assert_eq!(watched.end, ConvergenceEnd::RareFailures);
    let none = drive(StopRule::default(), |index| WatchedRun {
        index,
        failed: false,
        hits: vec![],
    });
    assert_eq!((none.end, none.runs), (ConvergenceEnd::RareFailures, 230));
}

#[test]
fn values_that_drift_do_not_converge() {
    let watched = drive(StopRule::PUBLISHED, |i| {
        run(i, false, f64::from(i) + value(i), Limits::default())
    });
    assert_eq!((watched.end, watched.runs), (ConvergenceEnd::MostRuns, 500));
    let nan = drive(StopRule::default(), |i| run(i, true, f64::NAN, UPPER));
    assert_eq!((nan.end, nan.runs), (ConvergenceEnd::AlwaysFailed, 30));
    let rarely = drive(StopRule::default(), |i| {
        let value = if i == 7 { f64::NAN } else { value(i) };
        run(i, i == 7, value, UPPER)
    });
    assert_eq!(rarely.end, ConvergenceEnd::MostRuns);
}

#[test]
fn the_order_of_arrival_does_not_matter_and_time_can_be_up() {
    let show = |i| run(i, i == 40, value(i), UPPER);
    let expected = drive(StopRule::PUBLISHED, show);
    let mut watch = ConvergenceWatch::new(StopRule::PUBLISHED);
    for index in (0..200).rev() {
        watch.push(&show(index)).unwrap();
    }
    assert_eq!(watch.step(), WatchStep::Done(expected));

    let mut watch = ConvergenceWatch::new(StopRule::default());
    for index in (0..17).chain(20..25) {
        watch.push(&show(index)).unwrap();
    }
    watch.out_of_time();
    let WatchStep::Done(watched) = watch.step() else {
        panic!("the time is up");
    };
    assert_eq!((watched.end, watched.runs), (ConvergenceEnd::OutOfTime, 17));
}

#[test]
fn a_run_that_is_set_aside_counts_for_nothing() {
    // The first run fails and shows another value; all others are equal, and one of them fails too.
    let drive = |rule: StopRule, others_fail: bool| {
        let mut watch = ConvergenceWatch::new(rule);
        watch.set_aside(0).unwrap();
        assert_eq!(watch.set_aside(0), Err(PushError::Repeated(0)));
        loop {
            if let WatchStep::Done(watched) = watch.step() {
                return watched;
            }
            for index in watch.wanted().collect::<Vec<u32>>() {
                watch.push(&run(index, others_fail, 0.5, UPPER)).unwrap();
            }
        }
    };
    let early = StopRule {
        assurance: Some(Assurance::EARLY),
        ..StopRule::default()
    };
    let constant = drive(early, false);
    assert_eq!(
        (constant.end, constant.runs),
        (ConvergenceEnd::Constant, 30)
    );
    assert_eq!(constant.interval, clopper_pearson(0, 29, 0.95));
    let broken = drive(StopRule::default(), true);
    assert_eq!(
        (broken.end, broken.runs),
        (ConvergenceEnd::AlwaysFailed, 30)
    );
    assert_eq!(broken.failed.len(), 29);
}
