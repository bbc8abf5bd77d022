//! `flex-harness bound`, as a user runs it.

use flex_tests::{Said, flex_harness, program, run};
use serde_json::Value;
use std::process::Command;

/// Quantiles of an exponential with mean 1, in a fixed scrambled order: a sample without chance.
fn exponential(n: u32) -> Vec<f64> {
    let value = |i| -((f64::from(i * 37 % n) + 0.5) / f64::from(n)).ln();
    (0..n).map(value).collect()
}

fn text(values: &[f64]) -> String {
    let words: Vec<String> = values.iter().map(f64::to_string).collect();
    words.join("\n")
}

fn bound(args: &[&str], values: &[f64]) -> Said {
    flex_harness(&[&["bound"], args].concat(), &text(values))
}

fn json(args: &[&str], values: &[f64]) -> Value {
    let said = bound(&[&["--json"], args].concat(), values);
    assert_eq!(said.err, "");
    said.json()
}

#[test]
fn words_say_the_bounds_and_what_they_promise() {
    let said = bound(&[], &exponential(100));
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    for words in [
        "100 values from",
        "guard    x ≤ ",
        "12 hits are a regression",
        "ceiling  x ≤ ",
        "1 run in 10,000 (confidence 0.9999)",
        "generalised Pareto tail",
    ] {
        assert!(said.out.contains(words), "{words}: {}", said.out);
    }
    let widest = said.out.lines().map(|line| line.chars().count()).max();
    assert!(widest <= Some(80), "{}", said.out);
}

#[test]
fn json_holds_every_part_of_the_answer() {
    let answer = json(&[], &exponential(100));
    assert_eq!(answer["strategy"], "tail");
    assert_eq!(answer["guard"]["hits"], 12);
    assert_eq!(answer["fit"]["exceedances"], 20);
    assert_eq!(answer["reason"], Value::Null);
    assert_eq!(answer["power"].as_array().map(Vec::len), Some(4));
    let number = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
    assert!(number(&answer["extra_runs"]) < 0.3);
    assert!(number(&answer["guard"]["bound"]) < number(&answer["ceiling"]));
    assert!(number(&answer["rounded"]["ceiling"]) >= number(&answer["ceiling"]));
}

#[test]
fn numbers_come_from_a_file_or_standard_input_with_comments() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("errors.txt");
    let mut content = "# errors of 100 runs\n".to_owned();
    content += &text(&exponential(100)).replace('\n', ", ");
    std::fs::write(&path, content).unwrap();
    let from_file = flex_harness(&["bound", "--json", path.to_str().unwrap()], "");
    let from_input = bound(&["--json", "-"], &exponential(100));
    assert_eq!(from_file.json(), from_input.json());
}

#[test]
fn cargo_flex_is_the_same_program() {
    let input = text(&exponential(100));
    let expected = flex_harness(&["bound"], &input).out;
    for args in [&["flex", "bound"][..], &["bound"]] {
        let said = run(Command::new(program("cargo-flex")).args(args), &input);
        assert_eq!(said.out, expected);
    }
}

#[test]
fn both_tails_and_the_domain_are_answered_side_by_side() {
    let answer = json(&["--tail", "both", "--domain", "0.."], &exponential(100));
    assert_eq!(answer["lower"]["ceiling"], Value::Null);
    assert!(answer["lower"]["guard"]["bound"].as_f64() > Some(0.0));
    assert!(answer["upper"]["ceiling"].as_f64() > Some(4.6));
    assert!(
        answer["reason"]
            .as_str()
            .unwrap()
            .contains("end of the domain (0)")
    );
}

#[test]
fn a_light_tail_is_tighter_and_a_lower_tail_mirrors() {
    let ceiling = |args: &[&str], values: &[f64]| json(args, values)["ceiling"].as_f64().unwrap();
    let values = exponential(100);
    assert!(ceiling(&["--light"], &values) < 0.5 * ceiling(&[], &values));
    let mirrored: Vec<f64> = values.iter().map(|x| -x).collect();
    assert_eq!(
        ceiling(&["--tail", "lower"], &mirrored),
        -ceiling(&[], &values)
    );
}

#[test]
fn a_declared_bound_is_counted_with_its_interval() {
    // Five of the hundred quantiles are beyond 3; scipy's exact interval for 5 of 100.
    let answer = json(&["--declared", "3"], &exponential(100));
    assert_eq!(answer["declared"]["failures"], 5);
    let interval = &answer["declared"]["interval"];
    assert!((interval[0].as_f64().unwrap() - 0.016431879).abs() < 1e-8);
    assert!((interval[1].as_f64().unwrap() - 0.112834911).abs() < 1e-8);
    let said = bound(&["--declared", "3"], &exponential(100));
    assert!(
        said.out.contains("5 of 100 values are beyond 3"),
        "{}",
        said.out
    );
}

#[test]
fn a_declared_bound_beyond_the_data_is_read_from_the_tail() {
    let answer = json(&["--declared", "9"], &exponential(1000));
    assert_eq!(answer["declared"]["failures"], 0);
    let from_tail = &answer["declared"]["from_tail"];
    let (rate, limit) = (
        from_tail[0].as_f64().unwrap(),
        from_tail[1].as_f64().unwrap(),
    );
    let truth = (-9.0f64).exp();
    assert!(rate > truth / 5.0 && rate < 5.0 * truth, "{rate}");
    assert!(limit > truth, "{limit}");
}

#[test]
fn odd_values_are_explained() {
    let line = |args: &[&str], values: &[f64]| bound(args, values).out.replace('\n', " ");
    let mut values = vec![f64::NEG_INFINITY; 90];
    values.extend((1..=10).map(f64::from));
    let said = line(&[], &values);
    assert!(
        said.contains("100 values, 10 of them finite, from 1 to 10"),
        "{said}"
    );
    assert!(
        said.contains("90 of 100 values are NaN or infinite, so no finite guard"),
        "{said}"
    );
    let said = line(&["--light"], &exponential(100));
    assert!(
        said.contains("takes your word that the tail is light"),
        "{said}"
    );
    let said = line(&["--confidence", "0.6"], &exponential(100));
    assert!(said.contains("at most 40% of runs"), "{said}");
    let said = line(&[], &[1.0]);
    assert!(
        said.contains("1 value from 1 to 1") && said.contains("1 run is too few"),
        "{said}"
    );
    assert!(line(&[], &[]).starts_with("no values"));
}

#[test]
fn counts_are_recognised_and_their_bounds_are_counts() {
    let counts: Vec<f64> = exponential(100).iter().map(|x| (4.0 * x).floor()).collect();
    let answer = json(&[], &counts);
    assert_eq!(answer["lattice_step"], 1.0);
    for bound in [
        &answer["ceiling"],
        &answer["guard"]["bound"],
        &answer["rounded"]["ceiling"],
    ] {
        let bound = bound.as_f64().unwrap();
        assert_eq!(bound, bound.floor());
    }
    assert!(bound(&[], &counts).out.contains("on a lattice of step 1\n"));
    assert_eq!(json(&[], &exponential(100))["lattice_step"], Value::Null);
}

#[test]
fn numbers_of_any_size_fit_the_page() {
    for factor in [1e-13, 1e-300, 1e300] {
        let values: Vec<f64> = exponential(100).iter().map(|x| x * factor).collect();
        let out = bound(&[], &values).out;
        let widest = out.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(80), "{out}");
    }
    let help = flex_harness(&["bound", "--help"], "").out;
    assert!(
        help.lines().all(|line| line.chars().count() <= 80),
        "{help}"
    );
}

#[test]
fn a_full_disk_is_said() {
    let full = std::fs::File::options().write(true).open("/dev/full");
    // Only some systems have such a device.
    let Ok(full) = full else { return };
    let mut command = Command::new(program("flex-harness"));
    let output = command
        .args(["bound", "--help"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(70));
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains("error: cannot write the answer"), "{err}");
}

#[test]
fn a_refusal_has_a_reason_and_exit_code_4() {
    let said = bound(&[], &[1.0, 2.0, 3.0]);
    assert_eq!(said.code, 4);
    assert!(
        said.out.contains("refused: 3 runs are too few for a guard"),
        "{}",
        said.out
    );
    assert_eq!(bound(&["--json"], &[]).code, 4);
}

#[test]
fn a_second_cluster_names_its_runs() {
    let mut values = exponential(100);
    values[3] = 60.0;
    values[57] = 61.0;
    let reason = json(&[], &values)["reason"].as_str().unwrap().to_owned();
    assert!(
        reason.contains("2 largest of 100 values form a second cluster"),
        "{reason}"
    );
    assert!(reason.ends_with("look at runs 57 and 3"), "{reason}");
}

#[test]
fn wrong_input_is_an_error_with_a_hint_and_exit_code_2() {
    for (args, input, words) in [
        (
            &["bound"][..],
            "1\n2\nx\n",
            "standard input:3: `x` is not a number",
        ),
        (&["bound", "no-such-file"], "", "cannot read no-such-file"),
        (&["bound", "."], "", "cannot read ."),
        (&["bound", "--jsonl", "."], "", "cannot read ."),
        (
            &["bound", "--confidence", "1"],
            "",
            "strictly between 0 and 1",
        ),
        (&["bound", "--tail", "left"], "", "`left` is not a tail"),
        (
            &["bound", "--domain", "1..0"],
            "",
            "the lower end must be smaller",
        ),
        (&["bound", "--effort", "-1"], "", "cannot be negative"),
        (
            &["bound", "--tail", "both", "--declared", "1"],
            "",
            "a declared bound has one side",
        ),
        (&["bound", "--jsonl", "--light"], "", "cannot be used with"),
        (&["bond"], "", "unrecognized subcommand"),
    ] {
        let said = flex_harness(args, input);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{args:?}");
        assert!(said.err.starts_with("error: "), "{}", said.err);
        assert!(said.err.contains(words), "{words}: {}", said.err);
    }
}

#[test]
fn help_opens_with_a_sentence_and_an_example() {
    for (args, command) in [
        (&["--help"][..], "cargo flex calibrate"),
        (&["bound", "--help"], "flex-harness bound"),
    ] {
        let said = flex_harness(args, "");
        assert_eq!(said.code, 0);
        let (sentence, _) = said.out.split_once("\n\n").unwrap();
        assert!(sentence.ends_with('.'), "{sentence}");
        let example = said
            .out
            .lines()
            .find(|line| line.starts_with("Example: "))
            .unwrap();
        assert!(example.contains(command), "{example}");
    }
}

#[test]
fn a_stream_answers_line_by_line_and_survives_bad_ones() {
    let samples = serde_json::to_string(&exponential(100)).unwrap();
    let input = [
        format!(r#"{{"id": 1, "samples": {samples}, "confidence": 0.9999, "tail": "upper"}}"#),
        r#"{"id": "two", "samples": [1, 2, 3]}"#.to_owned(),
        "not json".to_owned(),
        String::new(),
        r#"{"id": 4, "samples": [1, "x"]}"#.to_owned(),
        r#"{"id": 5, "samples": [1], "sample": 2}"#.to_owned(),
        r#"{"id": 6, "samples": [1], "tail": "left"}"#.to_owned(),
        r#"{"id": 7, "samples": [1], "method": "magic"}"#.to_owned(),
        format!(r#"{{"id": 8, "samples": {samples}, "domain": [0, 6], "light": true}}"#),
        r#"{"id": [9], "samples": [null, 1e400]}"#.to_owned(),
        r#"{"id": "NaN \" NaN", "samples": [1, NaN, -Infinity, Infinity], "tail": null}"#
            .to_owned(),
        r#"{"id": 12, "samples": [NaN, ], "tail": "upper"}"#.to_owned(),
        "\u{feff}{\"id\": 13, \"samples\": [1], \"domain\": \"0..1\", \"light\": null}".to_owned(),
        r#"{"id": 14, "samples": [1], "domain": 3}"#.to_owned(),
        r#"{"id": 15, "samples": [1, NaN], "foo": 3}"#.to_owned(),
    ]
    .join("\n");
    let said = flex_harness(&["bound", "--jsonl"], &input);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let lines = said.json_lines();
    assert_eq!(lines.len(), 14);
    let single = json(&[], &exponential(100));
    for key in [
        "strategy",
        "ceiling",
        "guard",
        "reason",
        "fit",
        "power",
        "extra_runs",
    ] {
        assert_eq!(lines[0][key], single[key], "{key}");
    }
    assert_eq!(lines[0]["id"], 1);
    assert_eq!(
        (&lines[1]["id"], &lines[1]["strategy"]),
        (&"two".into(), &"refuse".into())
    );
    for (line, words) in [
        (2, "line 3: column"),
        (3, "line 5: column"),
        (4, "unknown field `sample`"),
        (5, "`left` is not a tail"),
        (6, "`magic` is not a method"),
        (8, "line 10: column"),
        (10, "line 12: trailing comma"),
        (12, "a domain is written like [0, 1]"),
        (13, "line 15: unknown field `foo`"),
    ] {
        let error = lines[line]["error"].as_str().unwrap();
        assert!(error.contains(words), "{error}");
    }
    assert_eq!(lines[3]["id"], 4, "the id of a readable line is kept");
    assert_eq!(lines[9]["id"], "NaN \" NaN", "names in strings stay");
    assert_eq!(lines[9]["samples"], 4);
    assert_eq!(lines[11]["id"], 13);
    assert_eq!(
        lines[7]["strategy"], "guard",
        "the domain ends before the ceiling"
    );
}

#[test]
fn equal_samples_give_equal_bytes() {
    let input = text(&exponential(300));
    let first = flex_harness(&["bound", "--json"], &input);
    let again = flex_harness(&["bound", "--json"], &input);
    assert_eq!(first.out, again.out);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let line = format!("{{\"id\": 1, \"samples\": {:?}}}\n", exponential(100));
    let program = program("flex-harness");
    let script = format!("{} bound --jsonl | head -n 1", program.display());
    let said = run(
        Command::new("bash").args(["-o", "pipefail", "-c", &script]),
        &line.repeat(500),
    );
    assert_eq!((said.code, said.err.as_str()), (0, ""));
}
