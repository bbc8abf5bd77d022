//! The published methods on the command line, against golden numbers of R and scipy.
#![expect(
    clippy::unwrap_used,
    reason = "the golden files are part of the repository"
)]

use std::fs;
use std::path::PathBuf;

use flex_tests::project::{MOVES, NORMAL, Project};
use flex_tests::{Said, flex_harness};
use serde_json::Value;

fn golden(folder: &str) -> PathBuf {
    PathBuf::from(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../flex-core/tests/golden"
    ))
    .join(folder)
}

/// The samples of a golden set, without their header.
fn samples(name: &str) -> String {
    let csv = fs::read_to_string(golden("samples").join(format!("{name}.csv"))).unwrap();
    csv.split_once('\n').unwrap().1.to_owned()
}

fn bound(args: &[&str], name: &str) -> Said {
    flex_harness(&[&["bound"], args].concat(), &samples(name))
}

#[test]
fn a_fit_at_given_exceedances_is_the_reference() {
    let mut compared = 0;
    for name in [
        "exponential_n500",
        "gamma05_n500",
        "pareto3_n3000",
        "small1e6_n500",
    ] {
        let fits = fs::read_to_string(golden("fits").join(format!("{name}.json"))).unwrap();
        let fits: Value = serde_json::from_str(&fits).unwrap();
        for threshold in fits["thresholds"].as_array().unwrap() {
            let (Some(mle), Some(gof)) = (
                threshold["reference_mle"].as_object(),
                threshold["gof_at_threshold_with_reference_mle"].as_object(),
            ) else {
                continue;
            };
            let k = threshold["k"].to_string();
            let got = bound(&["--exceedances", &k, "--json"], name).json();
            let close = |key: &str, want: &Value, tolerance: f64| {
                let (got, want) = (got[key].as_f64().unwrap(), want.as_f64().unwrap());
                assert!(
                    (got - want).abs() <= tolerance * want.abs().max(1e-9),
                    "{name} {key}: {got} {want}"
                );
            };
            close("threshold", &threshold["threshold"], 1e-12);
            close("scale", &mle["scale"], 1e-4);
            close("shape", &mle["shape"], 1e-4);
            close("log_likelihood", &mle["loglik"], 1e-6);
            for (key, golden) in [("ad", "ad"), ("cvm", "cvm")] {
                let (got, want) = (got[key].as_f64().unwrap(), gof[golden].as_f64().unwrap());
                assert!((got - want).abs() < 1e-6, "{name} {key}: {got} {want}");
            }
            for (key, golden) in [("ad_p", "ad_p_boot5000"), ("cvm_p", "cvm_p_boot5000")] {
                let (got, want) = (got[key].as_f64().unwrap(), gof[golden].as_f64().unwrap());
                assert!((got - want).abs() < 0.03, "{name} {key}: {got} {want}");
            }
            compared += 1;
        }
    }
    assert!(compared >= 4, "{compared}");
}

#[test]
fn a_tail_that_cannot_be_fitted_is_refused_with_its_reason() {
    let said = bound(&["--exceedances", "50"], "uniform_n500");
    assert_eq!((said.code, said.err.as_str()), (4, ""));
    assert!(
        said.out
            .starts_with("refused: the likelihood has no interior maximum"),
        "{}",
        said.out
    );
    let few = flex_harness(&["bound", "--exceedances", "9", "--json"], "1 2 3");
    assert_eq!(few.code, 4);
    assert!(
        few.json()["reason"]
            .as_str()
            .unwrap()
            .contains("need at least 10 samples")
    );
}

#[test]
fn the_method_reports_its_percentiles_and_warns() {
    let said = bound(&["--method", "flex"], "exponential_n500");
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    for words in ["strategy tail", "99.99%", "point estimate without a margin"] {
        assert!(said.out.contains(words), "{words}: {}", said.out);
    }
    let json = bound(&["--method", "flex", "--json"], "lognormal1_n500").json();
    assert_eq!(json["percentiles"].as_array().map(Vec::len), Some(5));
    assert!(
        json["box_cox"].as_f64().is_some(),
        "a heavy tail is transformed"
    );
    assert_eq!(json["percentiles"][4][1], json["ceiling"]);
    let said = bound(
        &["--method", "flex", "--bootstrap", "200", "--json"],
        "exponential_n500",
    );
    assert_eq!(said.json()["method"], "flex");
}

#[test]
fn the_rule_can_be_chosen_and_samples_grow_as_in_the_paper() {
    let exceedances = |args: &[&str], name: &str| {
        let args = [&["--method", "flex", "--json"], args].concat();
        let json = bound(&args, name).json();
        (
            json["samples"].as_u64().unwrap(),
            json["fit"]["exceedances"].as_u64(),
        )
    };
    let (all, _) = exceedances(&[], "exponential_n500");
    let (grown, _) = exceedances(&["--grow"], "exponential_n500");
    assert_eq!((all, grown), (500, 100), "the first hundred are enough");
    let strong = exceedances(&["--rule", "strong"], "normal_n500");
    assert_eq!(
        strong,
        exceedances(&[], "normal_n500"),
        "the paper's is usual"
    );
    let said = bound(&["--grow"], "exponential_n500");
    said.says(2, &["--grow goes with --method flex"]);
    let said = bound(&["--rule", "forward"], "exponential_n500");
    said.says(2, &["--rule goes with --method flex"]);
    let forward = bound(
        &["--method", "flex", "--rule", "forward"],
        "exponential_n500",
    );
    forward.says(0, &["strategy tail"]);
}

#[test]
fn a_declared_bound_is_kept_or_leads_to_reruns() {
    let keep = bound(
        &["--method", "flex", "--declared", "50", "--json"],
        "exponential_n500",
    )
    .json();
    assert_eq!(keep["strategy"], "keep");
    // Quantiles of a Cauchy distribution: a heavy tail on both sides, which no transform helps.
    let cauchy = |i: u32| (std::f64::consts::PI * ((f64::from(i) + 0.5) / 100.0 - 0.5)).tan();
    let values: Vec<String> = (0..100).map(|i| cauchy(i).to_string()).collect();
    let args = ["bound", "--method", "flex", "--declared", "10", "--json"];
    let rerun = flex_harness(&args, &values.join(" ")).json();
    assert_eq!(rerun["strategy"], "rerun");
    // 3 of 100 fail: ⌈ln 1e-4 / ln 0.03⌉ runs until one passes.
    assert_eq!(
        (rerun["runs"].as_u64(), rerun["failure_rate"].as_f64()),
        (Some(3), Some(0.03))
    );
}

#[test]
fn real_tests_are_calibrated_by_the_papers_schedule_and_nothing_is_written() {
    let tests = format!(
        "use flex_harness::prelude::*;\nuse by_paper::{{knob, normal}};\n{MOVES}\n#[stochastic_test(confidence = 0.99)]\n\
         fn both(rng: &mut TestRng) {{\n    let x = normal(rng, 0.0);\n    assert_tail_bound!(_ < x < _, name = \"sides\");\n    \
         assert!(x < knob(\"MOST\") + 1e9);\n}}\n"
    );
    let project = Project::new(
        "by-paper",
        "",
        &[("src/lib.rs", NORMAL), ("tests/a.rs", &tests)],
    );
    let calibrate = |args: &[&str], env: &[(&str, &str)]| {
        project.calibrate(&[&["--method", "flex"], args].concat(), env)
    };
    let said = calibrate(&["moves"], &[]);
    let words = [
        "runs, confidence 0.9999",
        "upper  x ≤ ",
        "tail",
        "without a margin",
        "nothing was written",
    ];
    said.says(0, &words);
    // 100 runs, or so many fifties more.
    let between = |before: &str, after: &str| {
        let (_, rest) = said.out.split_once(before).unwrap();
        rest.split(after).next().unwrap().trim().to_owned()
    };
    let runs: u32 = between("test:a moves: ", " runs").parse().unwrap();
    assert!(runs >= 100 && (runs - 100).is_multiple_of(50), "{said}");
    let bound: f64 = between("upper  x ≤ ", "  ").parse().unwrap();
    assert!((2.0..12.0).contains(&bound), "{said}");
    assert_eq!(project.bounds(), "", "it keeps no promise");
    calibrate(&["both"], &[]).says(0, &["confidence 0.99", "lower  x ≥ -", "upper  x ≤ "]);
    // A run that fails by itself is no sample, and is a finding.
    let failing = calibrate(&["both", "--max-runs", "100"], &[("MOST", "-1e9")]);
    failing.says(
        1,
        &["fail by themselves", "1 test fails by itself; see above"],
    );
    for (args, words) in [
        (&["--accept"][..], "--accept does not go with --method flex"),
        (&["--check"], "--check does not go with --method flex"),
        (
            &["--shard", "1/2", "--out", "parts"],
            "--shard does not go with --method flex",
        ),
        (&["--pytest", "tests"], "tests of cargo alone"),
    ] {
        let said = calibrate(args, &[]);
        said.says(2, &[words, "hint: "]);
    }
    project
        .calibrate(&["--rule", "strong"], &[])
        .says(2, &["--rule goes with --method flex"]);
}

#[test]
fn a_stream_knows_the_method() {
    let values = samples("normal_n100").replace('\n', ",");
    let line = format!(
        "{{\"id\": 1, \"method\": \"flex\", \"samples\": [{}]}}",
        values.trim_end_matches(',')
    );
    let lines = flex_harness(&["bound", "--jsonl"], &line).json_lines();
    assert_eq!(
        (lines[0]["id"].as_u64(), lines[0]["method"].as_str()),
        (Some(1), Some("flex"))
    );
    assert_eq!(lines[0]["guard"], Value::Null);
}

#[test]
fn the_published_bound_in_words_is_never_tighter_than_the_learned_one() {
    let far: Vec<String> = samples("exponential_n500")
        .lines()
        .map(|line| (1e6 + line.parse::<f64>().unwrap()).to_string())
        .collect();
    let said = flex_harness(&["bound", "--method", "flex"], &far.join("\n")).out;
    let json = flex_harness(&["bound", "--method", "flex", "--json"], &far.join("\n")).json();
    let shown: f64 = said
        .split_once("x ≤ ")
        .and_then(|(_, rest)| rest.split_whitespace().next()?.parse().ok())
        .unwrap();
    let exact = json["ceiling"].as_f64().unwrap();
    assert!(shown >= exact && shown < exact + 0.1, "{shown} {exact}");
    let mirrored: Vec<String> = far.iter().map(|x| format!("-{x}")).collect();
    let args = ["bound", "--method", "flex", "--tail", "lower", "--json"];
    let lower = flex_harness(&args, &mirrored.join("\n")).json();
    let threshold = |json: &Value| json["fit"]["threshold"].as_f64().unwrap();
    assert_eq!(
        threshold(&lower),
        -threshold(&json),
        "the threshold is on its own side"
    );
}

#[test]
fn impossible_fits_are_errors_with_hints() {
    for (args, words) in [
        (
            &["bound", "--exceedances", "9", "--tail", "both"][..],
            "has one side",
        ),
        (&["bound", "--bootstrap", "99"], "goes with --method flex"),
        (
            &["bound", "--method", "flex", "--light"],
            "goes with the default method",
        ),
    ] {
        let said = flex_harness(args, "1 2 3");
        said.says(2, &[words, "hint: "]);
        assert_eq!(said.out, "", "{args:?}");
    }
}
