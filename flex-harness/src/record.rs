//! A recording process: makes the runs that it is asked for and writes down what they showed.

use std::fs::File;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use flex_run::model::{Cause, FirstStack, Probe, RecordedRun, Site, Test, Took, Touch};
use flex_run::project::base::fresh_base;
use flex_run::project::env::RecordRequest;
use flex_run::wire::RecordWriter;

use crate::hang;
use crate::run::{End, Runs, panic_message};
use crate::test::StochasticTest;

/// Makes the runs that the environment asks for.
pub(crate) fn record(
    test: &'static StochasticTest,
    asked: &Test,
    request: &RecordRequest,
) -> io::Result<()> {
    let base = request.base.clone().unwrap_or_else(fresh_base);
    let writer = RecordWriter::new(File::create(&request.file)?, asked)?;
    // Shared with whoever notices that a run hangs.
    let writer = Arc::new(Mutex::new(writer));
    let writer_now = || writer.lock().unwrap_or_else(PoisonError::into_inner);
    let watch = hang::ends_record(asked, request, &writer);
    let mut runs = Runs::new(test, &asked.options, &base, request.phase, watch, false);
    runs.watch();
    let mut drew = 0;
    let mut sites: Vec<Site> = Vec::new();
    let started = Instant::now();
    let deadline = request
        .millis
        .map(|millis| started + Duration::from_millis(millis));
    // Whoever asks for a first part does not know yet how many runs the test wants.
    let most = match (request.parts, asked.options.runs) {
        (Some(parts), Some(runs)) => runs.div_ceil(parts) as usize,
        _ => usize::MAX,
    };
    let asked_runs = asked.options.runs_to_begin_with();
    let part = request.part.map(|part| part.runs(asked_runs).collect());
    for index in part.as_ref().unwrap_or(&request.runs).iter().take(most) {
        // A run that would probably not end in time is not begun.
        let takes = runs.slowest().or(request.slowest).unwrap_or_default();
        if deadline.is_some_and(|deadline| Instant::now() + takes >= deadline) {
            break;
        }
        if request.carefully {
            writer_now().begin(*index)?;
        }
        let run = runs.run(u64::from(*index));
        if sites.len() < runs.record.hits.len() {
            sites.extend(runs.recorder.sites_from(sites.len()));
        }
        drew += u64::from(run.drew);
        let failure = match &run.end {
            End::Done => runs.record.faults.first().map(|fault| fault.what.clone()),
            End::Error(error) => Some(format!("returned an error: {error}")),
            End::Panic(payload) => Some(panic_message(&**payload).to_owned()),
        };
        let run = RecordedRun {
            index: *index,
            drew: run.drew,
            failure,
        };
        writer_now().run(run, &sites, &runs.record)?;
        let is_fixed = || touched(&runs, drew).is_some_and(|(probe, _)| probe.touches().is_empty());
        if request.until_fixed && is_fixed() {
            break;
        }
    }
    if let Some((probe, stacks)) = touched(&runs, drew) {
        writer_now().probe(&probe);
        writer_now().stacks(&stacks);
    }
    let took = Took {
        all: started.elapsed(),
        slowest: runs.slowest(),
    };
    writer_now().end(&runs.recorder.mistakes(), took)
}

/// What runs touched, of which so many drew from what their seed decides; `None` where nobody can tell.
fn touched(runs: &Runs, drew: u64) -> Option<(Probe, Vec<FirstStack>)> {
    let (mut probe, stacks) = runs.touched()?;
    let is_known = probe.touches().iter().any(|touch| touch.seeded);
    if drew > 0 && !is_known {
        probe.add(Touch {
            cause: Cause::Randomness,
            what: "TestRng".to_owned(),
            seeded: true,
            count: drew,
            place: None,
        });
    }
    Some((probe, stacks))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assertion::{Assertion, Extras};
    use crate::identity::Identity;
    use crate::measure::measured;
    use crate::recorder::{declared, learned};
    use crate::test::StochasticTest;
    use flex_bounds::options::Options;
    use flex_core::calibration::SiteSpec;
    use flex_core::seed::Phase;
    use flex_core::tail::{Domain, Tail};
    use flex_run::model::{Asks, Comparison, Distance, Operator};
    use flex_run::project::config::Project;
    use flex_run::wire::{self, WireError};

    static SITE: Assertion = Assertion {
        text: "x<_",
        form: "assert_close!",
        distance: Some(Distance::Relative),
        name: None,
        nth: 1,
        here: || "",
        file: "a.rs",
        line: 7,
        hard: false,
    };

    static TEST: StochasticTest = StochasticTest {
        identity: Identity {
            path: "krate::tests::name",
            marker: "",
            file: "a.rs",
            line: 1,
            package: "package",
            manifest_dir: "",
            crate_name: "krate",
            binary: None,
            tmpdir: None,
            features: "",
            ignored: false,
        },
        options: Options {
            runs: Some(10),
            light: Some(true),
            overlap: Some(false),
            ..Options::NONE
        },
        fingerprint: "9f2c4e1a",
        body: |rng| {
            let x = rng.seed_u64() as f64;
            let case = || "a".to_owned();
            let extras = Extras {
                case: Some(&case),
                domain: Some(&|| (0.0, f64::INFINITY)),
                ..Extras::default()
            };
            learned(&SITE, Tail::Upper, measured(&x), extras);
            let bounds = [Comparison::new(Operator::Less, 1.0)];
            declared(&SITE, x < 1.0, measured(&x), &bounds, Extras::default());
            match x > 2f64.powi(63) {
                true => Err("too large".to_owned()),
                false => Ok(()),
            }
        },
    };

    /// What a process writes that makes six runs.
    fn recorded() -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let request = RecordRequest {
            file: folder.path().join("record"),
            base: Some("base".to_owned()),
            runs: vec![5, 0, 1, 2, 3, 4],
            phase: Phase::Calibrate,
            part: None,
            parts: None,
            millis: None,
            carefully: true,
            until_fixed: false,
            slowest: None,
        };
        let asked = TEST.in_project(&Project::default());
        record(&TEST, &asked, &request).unwrap();
        std::fs::read(&request.file).unwrap()
    }

    #[test]
    fn what_was_recorded_is_read() {
        let read = wire::read(&recorded()).unwrap();
        assert_eq!(read.test.name(), "tests::name");
        assert_eq!(read.test.options, TEST.options);
        let spec = SiteSpec {
            domain: Domain::new(0.0, f64::INFINITY).ok(),
            light: true,
            ..SiteSpec::new(Tail::Upper)
        };
        assert_eq!(read.sites[0].asks, Asks::Learned(spec));
        assert_eq!(read.sites[0].id.case.as_deref(), Some("a"));
        let site = &read.sites[0];
        assert_eq!((&*site.text, &*site.form), ("x<_", "assert_close!"));
        assert_eq!(site.distance, Some(Distance::Relative));
        assert_eq!(site.place.to_string(), "a.rs:7");
        assert!(matches!(read.sites[1].asks, Asks::Declared(_)));
        let runs: Vec<u32> = read.runs().map(|(run, _)| run.index).collect();
        assert_eq!(runs, [5, 0, 1, 2, 3, 4]);
        for (run, hits) in read.runs() {
            assert!(run.drew && hits.len() == 2 && hits[1].broken);
            let too_large = hits[0].extremes.least > 2f64.powi(63);
            assert_eq!(run.failure.is_some(), too_large);
        }
        assert!(read.took.is_some() && read.begun.is_none());
    }

    #[test]
    fn a_file_that_breaks_off_holds_the_runs_before() {
        let bytes = recorded();
        let mut before = 0;
        for end in 0..bytes.len() {
            let Ok(read) = wire::read(&bytes[..end]) else {
                assert_eq!(before, 0);
                continue;
            };
            let runs = read.runs().count();
            assert!((before..=before + 1).contains(&runs));
            assert!(read.runs().all(|(_, hits)| hits.len() == 2));
            assert_eq!(read.took, None);
            before = runs;
        }
        assert_eq!(before, 6);
        assert_eq!(wire::read(b"flex record 1\n"), Err(WireError::Version));
    }
}
