//! The record of a search: what it holds, and how several go together.

use serde_json::Value;

use super::*;

#[test]
fn records_of_several_searches_go_together() {
    let project = project();
    let names = || -> Vec<String> {
        let record: Value = serde_json::from_str(&project.read("detect.json")).unwrap();
        assert_eq!(record["version"], 2);
        let tests = record["tests"].as_array().unwrap().iter();
        tests
            .map(|test| {
                format!(
                    "{} {}",
                    test["seeds"].as_str().unwrap(),
                    test["name"].as_str().unwrap()
                )
            })
            .collect()
    };
    let with = |args: &[&str]| {
        detect(
            &project,
            &[&["--test", "stochastic", "--max-runs", "30"], args].concat(),
        )
    };
    with(&["often", "steady"]).says(1, &[]);
    assert_eq!(names(), ["fixed@detect often", "fixed@detect steady"]);
    let other = [
        "flex",
        "detect",
        "--seed",
        "other",
        "--record",
        "detect.json",
        "--max-runs",
        "30",
    ];
    project
        .cargo(
            &[&other[..], &["often", "--test", "stochastic"]].concat(),
            &[],
        )
        .says(1, &[]);
    assert_eq!(names(), ["other@detect often", "fixed@detect steady"]);
    // A test that is gone is forgotten.
    project.replace("tests/stochastic.rs", "fn steady(", "fn firm(");
    with(&["firm"]).says(0, &[]);
    assert_eq!(names(), ["fixed@detect firm", "other@detect often"]);

    // Files are relative to the workspace, and what is no test of ours or libtest's is never started.
    let inner = ["-p", "inner", "--max-runs", "30"];
    let said = detect(&project, &inner);
    said.says(
        0,
        &[
            "note: inner test:own has a harness of its own; its tests are left out",
            "1 test searched",
        ],
    );
    let record: Value = serde_json::from_str(&project.read("detect.json")).unwrap();
    let files: Vec<&Value> = record["tests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|test| &test["file"])
        .collect();
    assert_eq!(
        files,
        [
            "tests/stochastic.rs",
            "tests/stochastic.rs",
            "inner/tests/sound.rs"
        ]
    );
    assert_eq!(
        record["root"].as_str(),
        project
            .path("")
            .to_str()
            .map(|path| path.trim_end_matches('/'))
    );

    // Roles, forms and literals are those of the source.
    with(&["many"]).says(1, &[]);
    let record: Value = serde_json::from_str(&project.read("detect.json")).unwrap();
    let tests = record["tests"].as_array().unwrap();
    let many = tests.iter().find(|test| test["name"] == "many").unwrap();
    let sites: Vec<String> = many["sites"]
        .as_array()
        .unwrap()
        .iter()
        .map(|site| {
            let series = &site["series"][0];
            format!(
                "{} {} {}",
                site["form"], series["role"], series["knob"]["given"]
            )
            .replace('"', "")
        })
        .collect();
    assert_eq!(
        sites,
        [
            "assert_relative_eq! relative source",
            "assert_abs_diff_eq! absolute source",
            "assert_ulps_eq! ulps source",
            "assert_close! relative source",
            "assert! upper null",
        ]
    );

    for (text, why) in [
        ("{\"version\": 1, ", "not a record of flex"),
        ("{\"version\": 9}", "newer than what this flex knows"),
        (
            &project
                .read("detect.json")
                .replace("\"harness\":\"cargo\"", "\"harness\":\"pytest\""),
            "another harness",
        ),
    ] {
        project.write("detect.json", text);
        with(&["firm"]).says(
            2,
            &[
                "detect.json: ",
                why,
                "hint: delete the file, or name another one with --record",
            ],
        );
        assert_eq!(project.read("detect.json"), text);
    }
}
