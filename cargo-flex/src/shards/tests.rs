use std::path::{Path, PathBuf};

use flex_core::seed::Phase;
use flex_detect::record::{ObservedRun, ObservedTest, Outcome, Reader, Record, VERSION};
use flex_run::calibrate::Recorded;
use flex_run::model::{Place, ProcessRecord, RecordedRun, Runner, Test, TestId};
use flex_shard::file::{Frame, Header, ShardContent, ShardKind};
use flex_shard::platform::Platform;

use super::*;
use crate::exit::Exit;

const COMMAND: &str = "gate check";

/// A shard that is to be made in this folder, of this round, whose file is told from others by this id.
fn making(folder: &Path, round: u32, id: &str) -> Making {
    Making {
        header: Header {
            flex: env!("CARGO_PKG_VERSION").to_owned(),
            command: COMMAND.to_owned(),
            phase: Phase::Detect.as_str().to_owned(),
            base: "b".to_owned(),
            shard: "1/1".parse().unwrap(),
            round,
            runs: None,
            max_runs: None,
            against: None,
            id: id.to_owned(),
            host: "host".to_owned(),
            pid: 7,
            platform: Platform::here(None),
            again: "flex".to_owned(),
        },
        folder: folder.to_owned(),
        plan: None,
    }
}

fn source(making: Option<Making>, putting: Option<Putting>) -> Source {
    let root = || Ok(PathBuf::from("."));
    Source::asked((making, putting), None, root).unwrap().0
}

fn put_together(folder: &Path) -> Source {
    let folders = [folder.to_owned()];
    let putting = Putting::asked((&folders, None), COMMAND, Phase::Detect, None);
    source(None, putting.unwrap())
}

/// What a session showed that made so many runs of a test.
fn record(runs: u32) -> Record {
    let run = |index| ObservedRun {
        index,
        outcome: Outcome::Pass,
        why: None,
        failed_site: None,
    };
    let test = ObservedTest {
        runs: (0..runs).map(run).collect(),
        ..ObservedTest::new(TestId::pytest("t.py::test_a"), Place::default())
    };
    Record {
        version: VERSION,
        runner: Runner::Pytest,
        base: "b".to_owned(),
        root: PathBuf::new(),
        rerun_marker: None,
        tests: vec![test],
        reader: Reader::default(),
    }
}

#[test]
fn of_a_test_that_is_there_twice_what_has_more_runs_counts() {
    // Files come in the order of their ids, which are random.
    for [first, second] in [[Some(3), None], [None, Some(3)], [Some(2), Some(3)]] {
        let folder = tempfile::tempdir().unwrap();
        for (id, runs) in [("a", first), ("b", second)] {
            let source = source(Some(making(folder.path(), 1, id)), None);
            let Source::Shard(keeping) = &source else {
                panic!("it makes a shard");
            };
            let record = record(runs.unwrap_or_default());
            let name_of = |name| runs.map(|_| name);
            let shown = shown(&record, ["t.py::test_a"], name_of);
            let place = |name: &str| (key_of_node(name, false), ShardKind::Runs);
            keeping.keep_record(&record, &shown, place).unwrap();
        }
        let Source::Shards(playing) = put_together(folder.path()) else {
            panic!("it puts shards together");
        };
        let records = playing.records(|_| true, |_| ShardKind::Runs).unwrap();
        let tests = &records["t.py::test_a"].tests;
        assert_eq!(tests[0].runs.len(), 3, "{first:?} {second:?}");
    }
}

#[test]
fn cases_of_a_test_are_there_together_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let source = source(Some(making(folder.path(), 1, "a")), None);
    let Source::Shard(keeping) = &source else {
        panic!("it makes a shard");
    };
    let mut record = record(2);
    let cases = ["t.py::test_a[1]", "t.py::test_a[2]"];
    record.tests = cases
        .map(|case| ObservedTest {
            id: TestId::pytest(case),
            ..record.tests[0].clone()
        })
        .into();
    let function = |_| Some("t.py::test_a");
    let place = |name: &str| (key_of_node(name, false), ShardKind::Runs);
    let shown = shown(&record, ["t.py::test_a", "t.py::test_gone"], function);
    keeping.keep_record(&record, &shown, place).unwrap();
    let Source::Shards(playing) = put_together(folder.path()) else {
        panic!("it puts shards together");
    };
    // There is one frame for each of them.
    let keys = playing.shards().tests().map(|key| key.test.as_str());
    assert_eq!(
        keys.collect::<Vec<_>>(),
        ["t.py::test_a", "t.py::test_gone"]
    );
    let records = playing.records(|_| true, |_| ShardKind::Runs).unwrap();
    let held = records["t.py::test_a"].tests.iter().map(ObservedTest::name);
    assert_eq!(held.collect::<Vec<_>>(), cases);
    assert!(records["t.py::test_gone"].tests.is_empty());
}

#[test]
fn all_shards_of_the_first_round_must_be_there_and_whole() {
    let folder = tempfile::tempdir().unwrap();
    let lost = || match put_together(folder.path()) {
        Source::Shards(playing) => playing.lost().unwrap(),
        _ => panic!("it puts shards together"),
    };
    let make = |round, id, is_whole: bool| {
        let source = source(Some(making(folder.path(), round, id)), None);
        if !is_whole {
            source.was_short();
        }
        source.end(0, &[], false).unwrap();
    };
    make(2, "second", true);
    assert_eq!(lost(), Some(Exit::MoreRuns));
    make(1, "first, cut", false);
    assert_eq!(lost(), Some(Exit::MoreRuns));
    make(1, "first", true);
    assert_eq!(lost(), None);
}

#[test]
fn a_run_that_ended_otherwise_is_a_finding_where_a_seed_controls_the_test() {
    let folder = tempfile::tempdir().unwrap();
    let test = Test {
        package: Some("p".to_owned()),
        ..Test::new(TestId::cargo("lib", "a"))
    };
    let key = TestKey::of(&test);
    for (id, failure) in [("a", None), ("b", Some("it fails".to_owned()))] {
        let mut record = ProcessRecord::new(test.clone());
        let run = RecordedRun {
            index: 4,
            drew: true,
            failure,
        };
        record.push(run, []).unwrap();
        let source = source(Some(making(folder.path(), 1, id)), None);
        let Source::Shard(keeping) = &source else {
            panic!("it makes a shard");
        };
        let frame = Frame {
            test: key.clone(),
            kind: ShardKind::Runs,
            content: ShardContent::Recorded(Recorded {
                records: vec![record],
                deaths: Vec::new(),
                vanished: None,
                hung: None,
            }),
        };
        keeping.write(&frame).unwrap();
    }
    for is_controlled in [true, false] {
        let source = put_together(folder.path());
        source.answers(&key).unwrap();
        let Source::Shards(playing) = &source else {
            panic!("it puts shards together");
        };
        let ended = playing.ended(|test| is_controlled && *test == key).unwrap();
        assert_eq!(ended, (None, is_controlled));
    }
}

#[test]
fn what_decides_something_is_refused_in_a_shard_alone() {
    let mut args = MakingArgs::default();
    assert!(args.refuse("detect", &[("--json", true)]).is_ok());
    args.shard = "1/2".parse().ok();
    let refused = args.refuse("detect", &[("--record", false), ("--json", true)]);
    assert!(refused.unwrap_err().to_string().contains("--json is for"));
}

#[test]
fn a_plan_without_shards_is_refused() {
    let plan = PathBuf::from("plan.json");
    let asked = Putting::asked((&[], Some(&plan)), COMMAND, Phase::Detect, None);
    assert!(asked.unwrap_err().to_string().contains("--plan plan.json"));
}
