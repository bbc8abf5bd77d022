//! Files of others, as they write them.

use flex_bounds::file::BoundsFile;
use flex_core::bound::confidence::Confidence;

use super::*;
use crate::history::{History, MeasuredBenchmark};

const BENCHMARK: &str = r#"{"group_id":"sort","function_id":"merge","value_str":"1000","throughput":null,"full_id":"sort/merge/1000","directory_name":"sort/merge/1000","title":"sort/merge/1000"}"#;

/// What criterion writes of a run whose iterations take so many nanoseconds, more or less.
fn sample(nanoseconds: f64) -> String {
    let times: Vec<String> = (1..=10)
        .map(|index| {
            format!(
                "{:?}",
                f64::from(index) * 100.0 * (nanoseconds + f64::from(index % 3) - 1.0)
            )
        })
        .collect();
    let iters: Vec<String> = (1..=10)
        .map(|index| format!("{:.1}", f64::from(index) * 100.0))
        .collect();
    let (iters, times) = (iters.join(","), times.join(","));
    format!(r#"{{"sampling_mode":"Linear","iters":[{iters}],"times":[{times}]}}"#)
}

fn at(at: u64) -> Origin {
    Origin {
        at,
        commit: Some(format!("c{at}")),
    }
}

fn history(lines: &[String]) -> History {
    let mut history = History::default();
    history.add("lines", Ok(&lines.join("\n")));
    assert!(history.notes.is_empty(), "{:?}", history.notes);
    history.ordered()
}

#[test]
fn a_run_of_criterion_is_one_value() {
    let line = criterion_line(BENCHMARK, &sample(250.0), &at(5)).unwrap();
    let measured = &benchmarks(&history(std::slice::from_ref(&line)))[0];
    assert_eq!(
        (&*measured.by, &*measured.name),
        ("criterion", "sort/merge/1000")
    );
    assert_eq!(measured.seconds, [250e-9]);
    // The same file, read on another day of another commit, is the same run.
    let again = criterion_line(BENCHMARK, &sample(250.0), &at(9)).unwrap();
    assert_eq!(benchmarks(&history(&[line, again]))[0].seconds.len(), 1);
    for (benchmark, sample) in [
        ("{}", &*sample(1.0)),
        (BENCHMARK, r#"{"iters":[1.0],"times":[]}"#),
        (BENCHMARK, r#"{"iters":[0.0],"times":[1.0]}"#),
        (BENCHMARK, "["),
    ] {
        criterion_line(benchmark, sample, &at(1)).unwrap_err();
    }
}

#[test]
fn a_session_of_pytest_benchmark_is_a_value_for_each_benchmark() {
    let text = r#"{"machine_info":{"node":"n"},"commit_info":{"id":"4f2a91c0","time":"2026-11-01T10:00:00Z","dirty":false,"project":"p","branch":"main"},"benchmarks":[{"group":null,"name":"test_a","fullname":"test_x.py::test_a","params":null,"stats":{"min":0.1,"max":0.4,"mean":0.2,"median":0.15,"rounds":3,"data":[0.1,0.2,0.4]}},{"name":"test_b","fullname":"test_x.py::test_b","stats":{"median":0.5}}],"datetime":"2026-11-18T20:04:05.123456+00:00","version":"5.1.0"}"#;
    let lines = pytest_benchmark_lines(text, &at(1)).unwrap();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].contains(r#""commit":"4f2a91c0""#), "{}", lines[0]);
    assert!(lines[0].contains(r#""at":1795032245"#), "{}", lines[0]);
    let measured = benchmarks(&history(&lines));
    let seconds: Vec<f64> = measured
        .iter()
        .flat_map(|one| one.seconds.clone())
        .collect();
    assert_eq!(seconds, [0.2, 0.5]);
    pytest_benchmark_lines("{\"benchmarks\": 3}", &at(1)).unwrap_err();
}

#[test]
fn bounds_are_learned_of_runs_and_held_against_the_next_one() {
    let settings = BoundsSettings {
        confidence: Confidence::DEFAULT,
        variant: None,
    };
    let mut file = BoundsFile::default();
    let run = |index: u64| {
        // Between 240 and 260 nanoseconds, evenly, in an order without a trend.
        let nanoseconds = 240.0 + 20.0 * ((index * 7919 % 100) as f64 / 100.0);
        criterion_line(BENCHMARK, &sample(nanoseconds), &at(index)).unwrap()
    };
    let all = |runs: u64| (0..runs).map(run).collect::<Vec<String>>();
    let of = |lines: &[String]| -> MeasuredBenchmark { benchmarks(&history(lines)).remove(0) };
    assert_eq!(
        of(&all(19)).learn(&mut file, &settings),
        "sort/merge/1000: 19 runs so far; a bound needs 20"
    );
    let words = of(&all(60)).learn(&mut file, &settings);
    assert!(words.starts_with("sort/merge/1000: below "), "{words}");
    assert_eq!(file.entries().len(), 1);
    assert!(!file.entries()[0].is_edited());
    let words = of(&all(70)).learn(&mut file, &settings);
    assert_eq!(words, "sort/merge/1000: kept, of 60 runs");

    assert_eq!(of(&all(61)).check(&file, &settings), Checked::Kept);
    let slow = criterion_line(BENCHMARK, &sample(900.0), &at(99)).unwrap();
    let Checked::Beyond(words) = of(&[slow]).check(&file, &settings) else {
        panic!("it is not kept");
    };
    assert!(
        words.starts_with("sort/merge/1000: took 900 ns, beyond "),
        "{words}"
    );
    assert_eq!(
        of(&all(1)).check(&BoundsFile::default(), &settings),
        Checked::Unknown
    );

    // Runs that became slower teach nothing.
    let slower = (60..160)
        .map(|index| criterion_line(BENCHMARK, &sample(300.0 + index as f64), &at(index)).unwrap());
    let moved: Vec<String> = all(60).into_iter().chain(slower).collect();
    let words = of(&moved).learn(&mut file, &settings);
    assert!(
        words.contains("moved, so that nothing is learned"),
        "{words}"
    );
}

#[test]
fn junit_files_have_lines_in_properties() {
    let line = r#"{"version":1,"at":5,"test":"test_a.py::test_b","file":"test_a.py","line":3,"seed":"s","values":[]}"#;
    let escaped = line.replace('"', "&quot;");
    let xml = format!(
        r#"<?xml version="1.0"?><testsuites><testsuite name="pytest"><testcase classname="test_a" name="test_b"><properties><property name="flex" value="{escaped}"/><property name="other" value="{escaped}"/></properties></testcase><testcase classname="test_a" name="plain"/></testsuite></testsuites>"#
    );
    assert_eq!(junit_lines(&xml), Ok((vec![line.to_owned()], 1)));
    for wrong in [
        "<testsuites/>",
        "<a",
        "<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>",
    ] {
        junit_lines(wrong).unwrap_err();
    }
}

#[test]
fn lines_are_those_of_flex_and_count_once() {
    let line = r#"{"version":1,"at":5,"test":"t","file":"","line":0,"values":[]}"#;
    let newer = line.replace("\"version\":1", "\"version\":2");
    let text = format!("{line}\n\nnoise\n{newer}\n[1]\n{line}\n");
    let (lines, others) = history_lines(&text);
    assert_eq!((lines.len(), others), (2, 3));
    assert_eq!(new_lines(&[], lines.clone()), [line]);
    assert!(new_lines(&[line], lines).is_empty());
}
