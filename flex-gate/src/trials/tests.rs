use super::*;

const UNKNOWN: Before = Before::Absent;

#[test]
fn a_stable_test_excludes_a_rate() {
    let verdict = TrialVerdict::of(&[false; 459], false, UNKNOWN);
    assert_eq!(verdict.words(), "459 runs, < 0.65% at 95%");
    assert!(!verdict.blocks());
}

#[test]
fn a_flaky_test_has_the_interval_of_trials_that_end_at_the_first_failure() {
    let mut failed = vec![false; 36];
    failed.push(true);
    let TrialVerdict::Flaky {
        runs,
        failed,
        interval,
        ..
    } = TrialVerdict::of(&failed, false, UNKNOWN)
    else {
        panic!("it is flaky");
    };
    assert_eq!((runs, failed), (37, 1));
    // scipy: 1 - 0.975**(1/37), 1 - 0.025**(1/36)
    assert!(
        (interval.0 - 0.000_684_031_024_7).abs() < 1e-12,
        "{interval:?}"
    );
    assert!(
        (interval.1 - 0.097_393_755_91).abs() < 1e-10,
        "{interval:?}"
    );
}

#[test]
fn what_failed_before_too_does_not_block() {
    let before = Before::Failed {
        runs: 100,
        failed: 1,
    };
    let old = TrialVerdict::of(&[false, true], false, before.clone());
    assert_eq!((old.blocks(), old.name()), (false, "was flaky before too"));
    let broken = TrialVerdict::of(&[true; 10], false, Before::Stable { runs: 10 });
    assert!(broken.blocks());
    assert_eq!(TrialVerdict::of(&[], false, before), TrialVerdict::NotBegun);
    assert_eq!(
        TrialVerdict::of(&[false; 2], true, UNKNOWN),
        TrialVerdict::Fixed { runs: 2 }
    );
}
