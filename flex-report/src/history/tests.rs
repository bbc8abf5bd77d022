//! Histories as text, and what is said of them.

use std::fmt::Write as _;

use flex_run::model::Test;

use super::*;

/// A number between 0 and 1 that follows from a word. Nothing here is random.
fn uniform(word: &str) -> f64 {
    let hash = sha256(word.as_bytes());
    let first: [u8; 8] = std::array::from_fn(|index| hash[index]);
    (u64::from_le_bytes(first) >> 11) as f64 / (1u64 << 53) as f64
}

/// Nearly normal, with a standard deviation of 1.
fn normal(word: &str) -> f64 {
    let sum: f64 = (0..12).map(|part| uniform(&format!("{word} {part}"))).sum();
    sum - 6.0
}

/// The line of a run of a test.
fn run(test: &str, number: u64, fingerprint: &str, value: f64) -> String {
    let (at, commit) = (1000 + number * 60, number / 4);
    format!(
        r#"{{"verdict":"pass","package":"p","target":"lib","test":"{test}","file":"a.rs","line":3,"seed":"s{number}","version":1,"at":{at},"selection":"-p p -- --exact {test}","fingerprint":"{fingerprint}","platform":"{}","engine":"flex 0","commit":"c{commit:04}","values":[{{"site":"x<_","kind":"learned","tail":"upper","file":"a.rs","line":7,"least":{value:?},"greatest":{value:?}}}]}}"#,
        flex_run::history::platform()
    ) + "\n"
}

/// The line of a calibration of a hundred runs.
fn calibration(test: &str, number: u64, fingerprint: &str, shift: f64) -> String {
    let values: Vec<String> = (0..100)
        .map(|index| {
            format!(
                "{:?}",
                shift + normal(&format!("{test} {number} calibrated {index}"))
            )
        })
        .collect();
    format!(
        r#"{{"version":1,"by":"calibrate","at":{},"package":"p","target":"lib","test":"{test}","file":"a.rs","line":3,"selection":"","fingerprint":"{fingerprint}","base":"b{number}","runs":100,"seconds_per_run":0.1,"extra_runs":0.3,"sites":[{{"site":"x<_","kind":"learned","series":[{{"side":"upper","values":[{}]}}]}}]}}"#,
        1000 + number * 60,
        values.join(",")
    ) + "\n"
}

/// So many runs of a test, from a number on.
fn runs(test: &str, numbers: std::ops::Range<u64>, shift: f64) -> String {
    let value = |number: u64| shift + normal(&format!("{test} {number}"));
    numbers
        .map(|number| run(test, number, "f", value(number)))
        .collect()
}

fn history(text: &str) -> History {
    let mut history = History::default();
    history.add("a.jsonl", Ok(text));
    assert!(history.notes.is_empty(), "{:?}", history.notes);
    history.ordered()
}

fn drift(text: &str) -> DriftReport {
    let settings = DriftSettings {
        runs: 1e4,
        since: Since::Ever,
        filters: Vec::new(),
    };
    DriftReport::of(&history(text), settings)
}

#[test]
fn what_moved_is_named_with_its_commit_and_drawn() {
    let calibrated = calibration("a", 0, "f", 0.0) + &calibration("b", 0, "f", 0.0);
    let before = runs("a", 1..400, 0.0) + &runs("b", 1..500, 0.0);
    let report = drift(&(calibrated.clone() + &before));
    assert_eq!(report.moved(), 0, "{report}");
    assert!(
        report
            .to_string()
            .starts_with("nothing has moved: 2 series of values"),
        "{report}"
    );

    let report = drift(&(calibrated + &before + &runs("a", 400..500, 1.0)));
    assert_eq!(report.moved(), 1, "{report}");
    let text = report.to_string();
    for part in [
        "p lib a: x<_ (a.rs:7)\n  higher by about 0.9 sd since c0099",
        "(1970-01-01, run 398)",
        "moved here",
        "check it: cargo flex calibrate -p p --exact a --check",
        "1 of 2 series of values moved",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    let json = report.json();
    assert_eq!(json["moved"], 1);
    assert_eq!(json["series"][0]["drift"]["since"]["run"], 397);
    assert_eq!(json["series"][0]["calibrated"], 100);
    assert!(json["series"][1]["drift"].is_null());
}

#[test]
fn the_order_of_files_and_copies_of_them_change_nothing() {
    let text = calibration("a", 0, "f", 0.0) + &runs("a", 1..300, 0.0) + &runs("a", 300..350, 1.5);
    let mut lines: Vec<&str> = text.lines().rev().collect();
    lines.extend(text.lines().take(100));
    let shuffled = lines.join("\n");
    assert_eq!(drift(&text).json(), drift(&shuffled).json());
    assert_eq!(drift(&text).moved(), 1);
}

#[test]
fn a_seed_that_comes_again_counts_once() {
    // A seed that is fixed in CI would show the same value again and again.
    let mut text = calibration("a", 0, "f", 0.0);
    for number in 0..300 {
        text += &run("a", number, "f", 1.9).replace(&format!("\"s{number}\""), "\"fixed\"");
    }
    let report = drift(&text);
    assert_eq!(report.moved(), 0, "{report}");
    let words = report.to_string().replace('\n', " ");
    assert!(
        words.contains("299 runs under the seed of another were left out"),
        "{words}"
    );
}

#[test]
fn a_test_that_changed_begins_anew_and_so_does_one_that_was_calibrated_after_it_moved() {
    let moved = calibration("a", 0, "f", 0.0) + &runs("a", 1..200, 0.0) + &runs("a", 200..300, 2.0);
    assert_eq!(drift(&moved).moved(), 1);
    let changed = moved.clone() + &run("a", 300, "other", 2.0);
    assert_eq!(drift(&changed).moved(), 0);
    let calibrated = moved + &calibration("a", 300, "f", 2.0);
    assert_eq!(drift(&calibrated).moved(), 0);
    let since = calibrated.clone() + &runs("a", 301..500, 2.0);
    assert_eq!(drift(&since).moved(), 0);
    assert_eq!(drift(&(since + &runs("a", 500..600, 0.0))).moved(), 1);
}

#[test]
fn a_calibration_that_found_nothing_leaves_the_history_in_use() {
    let text = calibration("a", 0, "f", 0.0)
        + &runs("a", 1..400, 0.0)
        + &calibration("a", 400, "f", 0.0)
        + &runs("a", 401..420, 0.0);
    let report = drift(&text);
    assert_eq!(report.json()["series"][0]["runs"], 418, "{report}");
    assert_eq!(report.json()["series"][0]["calibrated"], 200, "{report}");
}

#[test]
fn values_that_are_no_numbers_are_beyond_all_others() {
    let mut text = calibration("a", 0, "f", 0.0) + &runs("a", 1..200, 0.0);
    for number in 200..230 {
        text += &run("a", number, "f", 0.0).replace("0.0", "\"nan\"");
    }
    let report = drift(&text);
    assert_eq!(report.moved(), 1, "{report}");
    assert!(report.to_string().contains("higher by about"), "{report}");
}

#[test]
fn later_runs_alone_can_be_asked_for() {
    let text = runs("a", 1..300, 0.0) + &runs("a", 300..420, 1.5);
    let asked = |since: Since, filters: &[&str]| {
        let filters = filters.iter().map(ToString::to_string).collect();
        let settings = DriftSettings {
            runs: 1e4,
            since,
            filters,
        };
        let report = DriftReport::of(&history(&text), settings);
        (report.moved(), report.watched.len())
    };
    assert_eq!(asked(Since::Ever, &["a"]), (1, 1));
    assert_eq!(asked(Since::Commit("c0076".to_owned()), &[]), (0, 1));
    assert_eq!(asked(Since::Time(1000 + 310 * 60), &[]), (0, 1));
    assert_eq!(asked(Since::Ever, &["other"]), (0, 0));
}

#[test]
fn what_cannot_be_read_is_left_out_with_a_word() {
    let mut history = History::default();
    let mut text = run("a", 1, "f", 0.5);
    let _ = write!(text, "{}", &run("a", 2, "f", 0.5)[..60]);
    history.add("torn.jsonl", Ok(&text));
    history.add("gone.jsonl", Err("it is a folder"));
    history.add(
        "new.jsonl",
        Ok(&run("a", 3, "f", 0.5).replace("\"version\":1", "\"version\":7")),
    );
    assert_eq!(
        history
            .tests
            .values()
            .map(|test| test.runs.len())
            .sum::<usize>(),
        1
    );
    let words = history.notes.join("\n");
    for part in [
        "torn.jsonl was left out: one line",
        "gone.jsonl",
        "version 7",
    ] {
        assert!(words.contains(part), "{words}");
    }
    assert!(History::default().is_empty());
}

#[test]
fn a_calibration_may_use_what_has_not_moved_of_the_same_source() {
    let pool = |text: &str, fingerprint: &str| {
        let test = Test {
            package: Some("p".to_owned()),
            fingerprint: fingerprint.to_owned(),
            ..Test::new(TestId::cargo("lib", "a"))
        };
        history(text).pooled(&test, None)
    };
    let text = calibration("a", 0, "f", 0.0) + &runs("a", 1..200, 0.0);
    let all = pool(&text, "f");
    assert_eq!(all.sites.len(), 1);
    assert_eq!(all.sites[0].1.len(), 199);
    assert_eq!(all.left_out, [""; 0]);
    // Another source, another machine, and values that moved.
    let none = pool(&text, "g");
    assert!(none.sites.is_empty(), "{none:?}");
    assert_eq!(none.left_out, ["199 runs of another version of the test"]);
    let elsewhere = text.replace(&flex_run::history::platform(), "riscv64-haiku");
    assert!(pool(&elsewhere, "f").sites.is_empty());
    let moved = pool(&(text + &runs("a", 200..300, 1.0)), "f");
    assert!(moved.sites.is_empty(), "{moved:?}");
    assert_eq!(moved.left_out, ["values of x<_, which may have moved"]);
}
