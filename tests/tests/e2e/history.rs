//! `FLEX_HISTORY`, `drift`, `ingest` and `calibrate --with-history`: a crate whose values move over many runs of its tests.
//!
//! All seeds are fixed. Most runs are made by the test program itself, as CI makes them one by one.

use std::fs;
use std::ops::Range;
use std::path::PathBuf;

use flex_tests::project::{NORMAL, Project, TestProgram};
use serde_json::Value;

const TESTS: &str = r#"
#[cfg(test)]
mod tests {
    use super::*;
    use flex_harness::{assert_tail_bound, stochastic_test};

    #[stochastic_test]
    fn panics(rng: &mut TestRng) {
        let error = normal(rng, 0.0);
        assert_tail_bound!(error < _);
        assert!(knob("SHIFT") < 5.0, "by itself");
    }

    // Nothing is run again, as with tests that take minutes.
    #[stochastic_test(effort = 0.0)]
    fn moves(rng: &mut TestRng) {
        let error = normal(rng, knob("SHIFT"));
        assert_tail_bound!(error < _);
    }
"#;

/// A project with a place for its history, which is empty.
fn project(name: &str) -> (Project, PathBuf) {
    let library = format!("{NORMAL}{TESTS}}}\n");
    let project = Project::new(name, "", &[("src/lib.rs", library.as_str())]);
    let history = project.path("history");
    let _ = fs::remove_dir_all(&history);
    (project, history)
}

/// Runs a test so many times, as CI would; how often it was red.
fn ci(
    program: &TestProgram<'_>,
    history: &str,
    runs: Range<u32>,
    (shift, commit): (&str, &str),
) -> usize {
    runs.filter(|run| {
        let seed = format!("run{run:05}");
        let env = [
            ("FLEX_HISTORY", history),
            ("FLEX_SEED", &seed),
            ("FLEX_COMMIT", commit),
            ("FLEX_KEEP", "0"),
            ("SHIFT", shift),
        ];
        program.test("tests::moves", &env).code != 0
    })
    .count()
}

/// All lines of a history.
fn lines(history: &PathBuf) -> Vec<Value> {
    let files = fs::read_dir(history).expect("the folder is there");
    let texts = files.map(|file| fs::read_to_string(file.expect("a file").path()).expect("text"));
    let text: String = texts.collect();
    let line = |line: &str| serde_json::from_str(line).expect("a line is JSON");
    text.lines().map(line).collect()
}

#[test]
fn what_moves_too_little_for_any_run_is_found_over_many() {
    let (project, folder) = project("e2e-history");
    let history = folder.to_str().expect("a path of ours is text");
    let collects = [("FLEX_HISTORY", history)];
    let calibrate = ["flex", "calibrate", "--seed", "a", "--full"];
    project
        .cargo(&calibrate, &collects)
        .says(0, &["2 tests calibrated"]);
    let drift = ["flex", "drift", "--history", history];
    project
        .cargo(&drift, &[])
        .says(2, &["there are no runs in this history", "FLEX_HISTORY"]);

    let program = project.program(&["--lib"]);
    // What a test showed before it panicked is kept, since calibration has learned from it, too.
    let panics = [
        ("FLEX_HISTORY", history),
        ("SHIFT", "9"),
        ("GITHUB_SHA", "c0ffee"),
    ];
    program
        .test("tests::panics", &panics)
        .says(101, &["by itself"]);
    let is_error = |line: &&Value| line["verdict"] == "error";
    let all = lines(&folder);
    let panicked = all.iter().find(is_error).expect("it is kept");
    assert_eq!(panicked["values"][0]["tail"], "upper", "{panicked}");
    assert_eq!(panicked["commit"], "c0ffee", "{panicked}");
    assert!(panicked["fingerprint"].is_string() && panicked["platform"].is_string());

    ci(&program, history, 0..120, ("0", "aaaa1111"));
    project
        .cargo(&drift, &[])
        .says(0, &["nothing has moved: 3 series of values"]);
    // Most runs of worse code are green; all of them are kept.
    let red = ci(&program, history, 120..170, ("1", "bbbb2222"));
    assert!(red < 5, "{red} of 50 runs are red");
    let kept = lines(&folder)
        .iter()
        .filter(|line| line["test"] == "tests::moves")
        .count();
    assert_eq!(kept, 171, "170 runs and a calibration");

    let found = project.cargo(&drift, &[]);
    found.says(
        1,
        &[
            "tests::moves: error<_",
            "higher by about ",
            "noticed at bbbb2222 (",
            "moved here",
            "check it: cargo flex calibrate",
            "1 of 3 series of values moved",
        ],
    );
    let json = project
        .cargo(&[&drift[..], &["--json"]].concat(), &[])
        .json();
    let series = json["series"].as_array().expect("a list");
    let moved = series
        .iter()
        .find(|one| one["test"] == "tests::moves")
        .expect("it is there");
    assert_eq!(
        (&moved["runs"], &moved["calibrated"]),
        (&170.into(), &100.into())
    );
    let since = moved["drift"]["since"]["run"].as_u64().expect("a number");
    assert!((115..=125).contains(&since), "{since}");

    // All files become one, and nothing counts twice.
    let one = project.path("one.jsonl");
    let _ = fs::remove_file(&one);
    let one = one.to_str().expect("a path of ours is text");
    let ingest = ["flex", "ingest", history, "--history", one];
    project
        .cargo(&ingest, &[])
        .says(0, &["173 lines added", "0 there already"]);
    project
        .cargo(&ingest, &[])
        .says(0, &["0 lines added", "173 there already"]);
    let of_one = [
        "flex",
        "drift",
        "--history",
        one,
        "--history",
        history,
        "--json",
    ];
    assert_eq!(project.cargo(&of_one, &[]).json(), json);

    // What shards of a calibration showed is a calibration, too.
    let shards = project.path("shards");
    let _ = fs::remove_dir_all(&shards);
    let shards = shards.to_str().expect("a path of ours is text");
    for shard in ["1/2", "2/2"] {
        let made = [
            "flex",
            "calibrate",
            "--seed",
            "s",
            "--full",
            "--shard",
            shard,
            "--out",
            shards,
        ];
        project.cargo(&made, &[]).says(0, &[]);
        if shard == "1/2" {
            // A plan of what is missing lies beside them then, and is no line that anybody forgot to fill.
            let from = ["flex", "calibrate", "--from", shards];
            project.cargo(&from, &[]).says(5, &["plan.json"]);
        }
    }
    let said = project.cargo(&["flex", "ingest", shards, "--history", one], &[]);
    said.says(0, &["2 lines added"]);
    assert!(!said.err.contains("plan.json"), "{said}");
    let text = fs::read_to_string(one).expect("it is there");
    let of_shards = text
        .lines()
        .rev()
        .find(|line| line.contains("\"test\":\"tests::moves\""));
    let of_shards: Value = serde_json::from_str(of_shards.expect("it is there")).expect("JSON");
    let values = of_shards["sites"][0]["series"][0]["values"].as_array();
    assert_eq!(values.map(Vec::len), Some(100), "{of_shards}");
    fs::write(
        one,
        text.lines().take(173).collect::<Vec<&str>>().join("\n"),
    )
    .expect("it is written");

    // Calibration does not use what moved.
    let with_history = format!("--with-history={one}");
    let pooled = [&calibrate[..], &["--exact", "tests::moves", &with_history]].concat();
    project.cargo(&pooled, &[]).says(
        0,
        &["no values of earlier runs are used", "which may have moved"],
    );
    // Once it was calibrated again, the question begins anew.
    project
        .cargo(
            &["flex", "calibrate", "--seed", "b", "--full", "--accept"],
            &[("SHIFT", "1"), collects[0]],
        )
        .says(0, &["2 tests calibrated"]);
    project.cargo(&drift, &[]).says(0, &["nothing has moved"]);
}

#[test]
fn a_history_brings_ceilings_closer() {
    let (project, folder) = project("e2e-history-pooled");
    let history = folder.to_str().expect("a path of ours is text");
    let calibrate = [
        "flex",
        "calibrate",
        "--seed",
        "a",
        "--full",
        "--exact",
        "tests::moves",
    ];
    project
        .cargo(&calibrate, &[])
        .says(0, &["1 test calibrated"]);
    let ceiling = || {
        let entry = project.entries("tests::moves").remove(0);
        let line = entry
            .lines()
            .find_map(|line| line.strip_prefix("ceiling = "));
        let number: f64 = line.expect("it has a ceiling").parse().expect("a number");
        (number, entry)
    };
    let (alone, _) = ceiling();
    let program = project.program(&["--lib"]);
    ci(&program, history, 0..300, ("0", "aaaa1111"));
    let pooled = [&calibrate[..], &["--with-history"]].concat();
    project.cargo(&pooled, &[("FLEX_HISTORY", history)]).says(
        0,
        &["history: ceilings rest on 300 values of earlier runs too"],
    );
    let (closer, entry) = ceiling();
    assert!(
        entry.contains("\nearlier = 300\n") && entry.contains("\nsamples = 100\n"),
        "{entry}"
    );
    // The median is 0, and the quantile that is promised lies at 3.8.
    assert!(closer - 3.8 < 0.7 * (alone - 3.8), "{alone} {closer}");
    // It is an entry like any other.
    project
        .cargo(
            &["flex", "calibrate", "--check", "--exact", "tests::moves"],
            &[],
        )
        .says(0, &[]);
    program
        .test("tests::moves", &[("FLEX_SEED", "x")])
        .says(0, &[]);
    project
        .cargo(&["flex", "calibrate", "--with-history"], &[])
        .says(2, &["no history is named"]);
}

#[test]
fn benchmarks_become_bounds_that_the_next_run_is_held_against() {
    let (project, _) = project("e2e-history-benchmarks");
    let history = project.path("benches.jsonl");
    let _ = fs::remove_file(&history);
    let history = history.to_str().expect("a path of ours is text");
    let ingest = [
        "flex",
        "ingest",
        "--criterion=criterion",
        "--history",
        history,
    ];
    // What criterion writes of a run whose iterations take so many nanoseconds.
    let bench = |nanoseconds: f64| {
        let folder = "criterion/sort/merge/new";
        let named = r#"{"group_id":"sort","function_id":"merge","full_id":"sort/merge","title":"sort/merge"}"#;
        project.write(&format!("{folder}/benchmark.json"), named);
        let iters: Vec<f64> = (1..=10).map(|index| f64::from(index) * 100.0).collect();
        let times: Vec<f64> = iters
            .iter()
            .map(|iterations| iterations * nanoseconds)
            .collect();
        let sample = format!(r#"{{"sampling_mode":"Linear","iters":{iters:?},"times":{times:?}}}"#);
        project.write(&format!("{folder}/sample.json"), &sample);
    };
    project
        .cargo(&ingest, &[])
        .says(2, &["criterion is not there", "cargo bench"]);
    for run in 0..20 {
        bench(250.0 + f64::from(run * 7 % 20));
        let said = project.cargo(&ingest, &[]);
        match run {
            19 => said.says(0, &["sort/merge: below ", "from 20 runs"]),
            _ => said.says(0, &["so far; a bound needs 20"]),
        };
    }
    assert!(
        project
            .read("flex-benchmarks.toml")
            .contains("target = \"criterion\"")
    );
    let check = [&ingest[..], &["--check"]].concat();
    project
        .cargo(&check, &[])
        .says(0, &["1 benchmark kept its bound, 0 did not"]);
    bench(25_000.0);
    project.cargo(&check, &[]).says(
        1,
        &[
            "sort/merge: took 25 µs, beyond ",
            "0 benchmarks kept their bounds, 1 did not",
        ],
    );

    // The same for files of pytest-benchmark; a bound of one does not stand for the other.
    let ingest = [
        &["flex", "ingest", "--pytest-benchmark=session.json"][..],
        &["--history", history],
    ]
    .concat();
    let session = |day: u32, seconds: f64| {
        let stats = format!(r#"{{"median":{seconds}}}"#);
        let benchmark =
            format!(r#"{{"fullname":"test_x.py::test_sort","name":"t","stats":{stats}}}"#);
        let text = format!(
            r#"{{"benchmarks":[{benchmark}],"datetime":"2026-11-{day:02}T10:00:00+00:00","version":"5.1.0"}}"#
        );
        project.write("session.json", &text);
    };
    project
        .cargo(&ingest, &[])
        .says(2, &["session.json is not there"]);
    project.write("session.json", "[");
    project
        .cargo(&ingest, &[])
        .says(0, &["warning: session.json was left out"]);
    for run in 1..=20 {
        session(run, 0.002 + 1e-5 * f64::from(run * 7 % 20));
        project
            .cargo(&ingest, &[])
            .says(0, &["test_x.py::test_sort: "]);
    }
    assert!(
        project
            .read("flex-benchmarks.toml")
            .contains("target = \"criterion\"")
    );
    session(21, 0.2);
    let check = [&ingest[..], &["--check"]].concat();
    project
        .cargo(&check, &[])
        .says(1, &["test_x.py::test_sort: took 200 ms, beyond "]);
    project
        .cargo(&["flex", "drift", "--history", history], &[])
        .says(0, &["nothing has moved"]);
}
