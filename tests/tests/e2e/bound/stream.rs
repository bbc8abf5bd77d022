//! `flex-harness bound` as a service: one answer for each line.

use super::*;

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
