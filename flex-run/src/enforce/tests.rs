//! Enforcement, driven by values: what a run shows goes in, and what comes after it is looked at.

use std::path::PathBuf;

use flex_bounds::TestId;
use flex_bounds::file::{BoundsFile, Entry, Key, Learned, Provenance, Replay, ReplayedRun, Sides};
use flex_bounds::options::Options;
use flex_core::calibration::{Calibration, CalibrationPlan, SiteId, SiteSpec, Step};
use flex_core::sample::Extremes;
use flex_core::seed::SeedRequest;
use flex_core::tail::{Side, Tail};

use super::*;
use crate::model::{Asks, Hit, Place, RunRecord, Site, Test};
use crate::project::env::Settings;

/// A value that looks normal, the same for the same number.
fn value(number: u64) -> f64 {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678;
    let mut sum = 0.0;
    for _ in 0..12 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        sum += (state >> 11) as f64 / (1u64 << 53) as f64;
    }
    sum - 6.0
}

/// What calibration run `run` of a site showed.
fn calibrated(site: u64, run: u32) -> f64 {
    value(1_000_000 * (site + 1) + u64::from(run))
}

fn sites(count: usize) -> Vec<Site> {
    let site = |index: usize| {
        let asks = Asks::Learned(SiteSpec::new(Tail::Upper));
        let id = SiteId::new(format!("s{index}"));
        Site::new(id, asks, Place::new("a.rs", 7))
    };
    (0..count).map(site).collect()
}

fn record(values: &[f64]) -> RunRecord {
    let hit = |value: &f64| Some(Hit::of(*value));
    RunRecord {
        hits: values.iter().map(hit).collect(),
        ..RunRecord::default()
    }
}

/// A test with so many sites, calibrated in a hundred runs of which two are replayed.
struct Fixture {
    entries: BoundsFile,
    options: Options,
    sites: Vec<Site>,
}

impl Fixture {
    fn new(count: usize) -> Self {
        let sites = sites(count);
        let mut calibration = Calibration::new(CalibrationPlan::default());
        for run in 0..100 {
            let hits: Vec<_> = sites
                .iter()
                .zip(0..)
                .map(|(site, index)| {
                    let shown = Extremes::new(calibrated(index, run));
                    (&site.id, SiteSpec::new(Tail::Upper), shown)
                })
                .collect();
            calibration.push_folded(run, false, &hits).unwrap();
        }
        let Step::Done(done) = calibration.step().unwrap() else {
            panic!("the runs are enough");
        };
        let mut entries = BoundsFile::default();
        for (site, index) in done.sites.iter().zip(0..) {
            let key = Key {
                test: TestId::pytest("t"),
                site: site.id.clone(),
                variant: None,
            };
            let replay = Replay {
                base: "then".to_owned(),
                always: false,
                runs: [3, 96]
                    .map(|run| ReplayedRun {
                        run,
                        shown: Some(Extremes::new(calibrated(index, run))),
                    })
                    .to_vec(),
            };
            let provenance = Provenance {
                replay: Some(replay),
                base: Some("then".to_owned()),
                ..Provenance::default()
            };
            let entry = Entry::of_calibration(key, site, provenance);
            entries.insert(entry).unwrap();
        }
        Fixture {
            entries,
            options: Options::NONE,
            sites,
        }
    }

    /// The same with entries that are changed one by one.
    fn with(mut self, change: impl Fn(&mut Entry)) -> Self {
        let mut changed = BoundsFile::default();
        for entry in self.entries.entries() {
            let mut entry = entry.clone();
            change(&mut entry);
            changed.insert(entry).unwrap();
        }
        self.entries = changed;
        self
    }

    fn guard(&self, site: usize) -> f64 {
        let entry = &self.entries.entries()[site];
        let (_, learned) = entry.sides.iter().next().unwrap();
        learned.guard().unwrap().bound
    }

    fn enforcement(&self) -> Enforcement {
        let test = Test {
            fingerprint: "f".to_owned(),
            selection: "t".to_owned(),
            options: self.options,
            ..Test::new(TestId::pytest("t"))
        };
        let settings = Settings::default();
        let seed = SeedRequest {
            base: "now".to_owned(),
            run: None,
        };
        Enforcement::new(test, settings, seed, self.entries.clone(), PathBuf::new())
    }

    /// Runs a test whose first run shows `first` and every other one what `now` says of the run; returns the verdict
    /// and the runs that were made after the first.
    fn judge(
        &self,
        first: &[f64],
        now: impl Fn(&WantedRun, usize) -> f64,
    ) -> (Judgement, Vec<WantedRun>) {
        let mut enforcement = self.enforcement();
        let mut verdict = enforcement.see(&self.sites, &record(first));
        let mut made = Vec::new();
        while let Verdict::Run(wanted) = verdict {
            let values: Vec<f64> = (0..self.sites.len())
                .map(|site| now(&wanted, site))
                .collect();
            made.push(wanted);
            verdict = enforcement.see(&self.sites, &record(&values));
            assert!(made.len() <= 101, "a race ends");
        }
        let failure = match verdict {
            Verdict::Fail(failure) => Some(*failure),
            _ => None,
        };
        let judgement = Judgement {
            failure,
            strays: enforcement.cleared_strays().len(),
            changed: enforcement.changed(),
        };
        (judgement, made)
    }
}

struct Judgement {
    failure: Option<FailedTest>,
    strays: usize,
    changed: Option<String>,
}

impl Judgement {
    fn cause(&self) -> Option<&ProblemCause> {
        Some(&self.failure.as_ref()?.problems()[0].cause)
    }
}

/// What unchanged code shows: replays what it showed, everything else a value of its own.
fn unchanged(wanted: &WantedRun, site: usize) -> f64 {
    match wanted {
        WantedRun::Rerun(index) => value(777 + 31 * index + site as u64),
        WantedRun::Replay { base, run } => {
            assert_eq!(base, "then");
            calibrated(site as u64, *run)
        }
    }
}

/// The same, moved.
fn moved(by: f64) -> impl Fn(&WantedRun, usize) -> f64 {
    move |wanted, site| unchanged(wanted, site) + by
}

fn is_replay(wanted: &WantedRun) -> bool {
    matches!(wanted, WantedRun::Replay { run: 3 | 96, .. })
}

#[test]
fn a_value_within_its_guard_asks_for_nothing() {
    let (judged, made) = Fixture::new(2).judge(&[0.0, -1.0], unchanged);
    assert!(judged.failure.is_none() && made.is_empty());
}

#[test]
fn unchanged_code_is_cleared_by_one_replay_for_all_sites() {
    let fixture = Fixture::new(3);
    let first: Vec<f64> = (0..3).map(|site| fixture.guard(site) + 0.1).collect();
    let (judged, made) = fixture.judge(&first, unchanged);
    assert!(judged.failure.is_none() && judged.changed.is_none());
    assert!(made.len() == 1 && is_replay(&made[0]), "{made:?}");
}

#[test]
fn a_value_that_is_not_finite_fails_at_once_unless_its_like_was_accepted() {
    let without_ceiling = |entry: &mut Entry| {
        let learned = entry.sides.get(Side::Upper).unwrap();
        entry.sides = Sides::Upper(Learned::Guard {
            guard: learned.guard().unwrap().clone(),
            fit: None,
            reason: None,
        });
    };
    for fixture in [Fixture::new(1), Fixture::new(1).with(without_ceiling)] {
        for value in [f64::NAN, f64::INFINITY] {
            let (judged, made) = fixture.judge(&[value], unchanged);
            let cause = judged.cause();
            assert!(
                matches!(cause, Some(ProblemCause::NotFinite(_))),
                "{cause:?}"
            );
            assert!(made.is_empty());
            let words = judged.failure.unwrap().to_string();
            assert!(words.contains("which no bound lets pass"), "{words}");
        }
        // As far as can be on the side that passes.
        let (judged, made) = fixture.judge(&[f64::NEG_INFINITY], unchanged);
        assert!(judged.failure.is_none() && made.is_empty());
    }
    // Accepted values are as likely as they were, which a replay and a race tell.
    let accepted = Fixture::new(1).with(|entry| {
        without_ceiling(entry);
        entry.accepted = true;
        entry.not_finite = 8;
    });
    assert!(accepted.judge(&[f64::NAN], unchanged).0.failure.is_none());
}

#[test]
fn last_bits_of_another_processor_are_no_change() {
    let fixture = Fixture::new(1);
    let first = [fixture.guard(0) + 0.1];
    let (judged, made) = fixture.judge(&first, |wanted, site| unchanged(wanted, site) + 1e-8);
    assert!(judged.failure.is_none() && made.len() == 1);
}

#[test]
fn code_that_moved_loses_the_race_and_the_failure_says_what_changed() {
    let fixture = Fixture::new(1);
    let (judged, made) = fixture.judge(&[4.0], moved(2.5));
    let Some(ProblemCause::Regression(raced)) = judged.cause() else {
        panic!("it moved by two and a half standard deviations");
    };
    assert!(is_replay(&made[0]) && made.len() == 1 + raced.reruns.len());
    let replay = raced.replay.as_ref().unwrap();
    let difference = &replay.differences[0];
    let by = difference.now.unwrap() - difference.then.unwrap();
    assert!((by - 2.5).abs() < 1e-6, "{by}");
    let last = raced.reruns.last().unwrap();
    assert!(last.sum >= raced.fail && raced.start > raced.clear);
    let words = judged.failure.unwrap().to_string();
    for expected in [
        "regression",
        "behaviour changed",
        "of the calibration gave",
        "walk",
        "beyond all 100 samples",
    ] {
        assert!(words.contains(expected), "{words}");
    }
}

#[test]
fn code_that_changed_and_is_as_good_passes_with_a_note() {
    let fixture = Fixture::new(1);
    // Other draws of the same distribution.
    let other = |wanted: &WantedRun, site: usize| match wanted {
        WantedRun::Rerun(_) => unchanged(wanted, site),
        WantedRun::Replay { run, .. } => value(99 + u64::from(*run)),
    };
    let (judged, made) = fixture.judge(&[fixture.guard(0) + 0.1], other);
    assert!(judged.failure.is_none());
    assert!((2..30).contains(&made.len()), "{}", made.len());
    let note = judged.changed.unwrap();
    assert!(
        note.contains("behaviour changed") && note.contains("--flex=calibrate"),
        "{note}"
    );
}

#[test]
fn once_a_replay_differs_every_site_is_looked_at() {
    let fixture = Fixture::new(2);
    // The second site moved, and its first value does not show it; the first site is in doubt by chance.
    let first = [fixture.guard(0) + 0.1, 0.0];
    let now = |wanted: &WantedRun, site: usize| {
        unchanged(wanted, site) + if site == 1 { 3.0 } else { 0.0 }
    };
    let (judged, _) = fixture.judge(&first, now);
    let failure = judged.failure.unwrap();
    assert_eq!(failure.problems()[0].site, SiteId::new("s1"));
    assert!(failure.to_string().contains("within the guard"));
}

#[test]
fn what_is_replayed_always_misses_nothing() {
    let fixture = Fixture::new(1).with(|entry| entry.replay.as_mut().unwrap().always = true);
    let (judged, made) = fixture.judge(&[-0.5], unchanged);
    assert!(judged.failure.is_none() && made.len() == 1);
    let (judged, _) = fixture.judge(&[-0.5], moved(2.0));
    assert!(matches!(judged.cause(), Some(ProblemCause::Regression(_))));
}

#[test]
fn what_cannot_be_replayed_races_at_once() {
    let fixture = Fixture::new(1).with(|entry| entry.replay = None);
    let (judged, made) = fixture.judge(&[fixture.guard(0) + 0.1], unchanged);
    assert!(judged.failure.is_none());
    assert!(!made.is_empty() && !made.iter().any(is_replay));
    let (judged, made) = fixture.judge(&[3.0], moved(3.0));
    assert!(
        matches!(judged.cause(), Some(ProblemCause::Regression(raced)) if raced.replay.is_none())
    );
    assert!(!made.iter().any(is_replay));
}

#[test]
fn entries_that_know_other_runs_clear_nothing() {
    // One entry waits for a review, and still knows the runs of the calibration before.
    let fixture = Fixture::new(2).with(|entry| {
        if entry.key.site == SiteId::new("s1") {
            entry.replay.as_mut().unwrap().base = "before".to_owned();
        }
    });
    let (judged, made) = fixture.judge(&[fixture.guard(0) + 0.1, 0.0], unchanged);
    assert!(judged.failure.is_none() && !made.iter().any(is_replay));
}

#[test]
fn a_replay_that_fails_by_itself_is_a_change_and_no_failure() {
    let fixture = Fixture::new(1);
    let mut enforcement = fixture.enforcement();
    let first = record(&[fixture.guard(0) + 0.1]);
    let Verdict::Run(WantedRun::Replay { .. }) = enforcement.see(&fixture.sites, &first) else {
        panic!("the value is in doubt");
    };
    let Some(Verdict::Run(WantedRun::Rerun(1))) = enforcement.see_failure(&RunRecord::default())
    else {
        panic!("a race follows");
    };
    // A rerun that fails by itself is an ordinary failure.
    assert_eq!(enforcement.see_failure(&RunRecord::default()), None);
}

#[test]
fn a_stray_is_not_cleared_by_a_replay_and_kept_for_a_review() {
    let fixture = Fixture::new(1);
    let (judged, made) = fixture.judge(&[4.5], unchanged);
    assert!(judged.failure.is_none() && is_replay(&made[0]));
    assert!(
        made.len() > 5,
        "it takes some reruns to see that it was alone"
    );
    assert_eq!(judged.strays, 1);
    let (none, _) = fixture.judge(&[fixture.guard(0) + 0.1], unchanged);
    assert_eq!(none.strays, 0);
}

#[test]
fn a_new_mode_of_many_runs_is_found_though_replays_miss_it() {
    let fixture = Fixture::new(1);
    let half = |wanted: &WantedRun, site: usize| match wanted {
        WantedRun::Rerun(index) if index % 2 == 0 => 5.0,
        _ => unchanged(wanted, site),
    };
    let (judged, _) = fixture.judge(&[5.0], half);
    assert!(matches!(judged.cause(), Some(ProblemCause::NewMode(_))));
    assert!(judged.failure.unwrap().to_string().contains("a new mode"));
}

#[test]
fn attempts_are_given_to_runs_that_fail_by_themselves() {
    let mut fixture = Fixture::new(1);
    fixture.options.attempts = Some(3);
    let mut enforcement = fixture.enforcement();
    let next = |index| Some(Verdict::Run(WantedRun::Rerun(index)));
    assert_eq!(enforcement.see_failure(&RunRecord::default()), next(1));
    assert_eq!(enforcement.see_failure(&RunRecord::default()), next(2));
    assert_eq!(enforcement.see_failure(&RunRecord::default()), None);
    let mut enforcement = fixture.enforcement();
    assert_eq!(enforcement.see_failure(&RunRecord::default()), next(1));
    assert_eq!(
        enforcement.see(&fixture.sites, &record(&[0.0])),
        Verdict::Pass
    );
}

#[test]
fn a_verdict_as_json_tells_the_replay_and_the_walk() {
    let fixture = Fixture::new(1);
    let (judged, _) = fixture.judge(&[fixture.guard(0) + 1.5], moved(2.5));
    let json = judged.failure.unwrap().json();
    for expected in [
        "\"cause\":\"regression\"",
        "\"replayed\":{\"base\":\"then\"",
        "\"same\":false",
        "\"sums\":[",
        "\"fail\":",
    ] {
        assert!(json.contains(expected), "{json}");
    }
}

#[test]
fn what_tells_nothing_is_made_again_and_decides_nothing() {
    let fixture = Fixture::new(1);
    let mut enforcement = fixture.enforcement();
    // Of the run that is judged, the next one takes the place; of a replay, the same.
    let next = enforcement.see_inconclusive("down");
    assert_eq!(next, Verdict::Run(WantedRun::Rerun(1)));
    let replay = enforcement.see(&fixture.sites, &record(&[fixture.guard(0) + 0.1]));
    let Verdict::Run(replay) = replay else {
        panic!("{replay:?}");
    };
    assert!(is_replay(&replay));
    assert_eq!(
        enforcement.see_inconclusive("down"),
        Verdict::Run(replay.clone())
    );
    let passed = enforcement.see(&fixture.sites, &record(&[unchanged(&replay, 0)]));
    assert_eq!(passed, Verdict::Pass);
    let notes = enforcement.notes().concat();
    assert!(notes.contains("2 of 4 runs were inconclusive"), "{notes}");

    let mut enforcement = fixture.enforcement();
    for run in 1..10 {
        let next = enforcement.see_inconclusive("down");
        assert_eq!(next, Verdict::Run(WantedRun::Rerun(run)));
    }
    let Verdict::Fail(failure) = enforcement.see_inconclusive("down") else {
        panic!("nothing was seen");
    };
    let words = failure.to_string();
    assert!(words.contains("could not be decided"), "{words}");
    assert!(
        failure
            .json()
            .contains(r#""inconclusive":{"runs":10,"of":10"#)
    );
}
