//! The report of a project that has everything, as programs read it: its JSON is what its schema says.

use std::path::Path;
use std::process::Command;

use flex_core::words;
use flex_tests::folders::{program_folder, root};
use serde_json::Value;

/// The JSON of a project made for the purpose, with what was said besides.
fn report(folder: &Path) -> (Value, String) {
    let mut command = Command::new(program_folder().join("flex-harness"));
    command.args(["report", "--format", "json", "--manifest-path"]);
    command.arg(folder.join("Cargo.toml")).arg("--pytest");
    let output = command.arg(folder.join("python")).output();
    let output = output.expect("flex-harness is built");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let json =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {said}"));
    (json, said)
}

#[test]
fn the_report_is_what_its_schema_says_and_broken_files_are_left_out() {
    let folder = tempfile::tempdir().expect("there is room");
    let folder = folder.path().join("sketches");
    let made = Command::new(env!("CARGO_BIN_EXE_report-project"))
        .arg(&folder)
        .status();
    assert!(made.expect("it is built").success());
    let schema = std::fs::read_to_string(root().join("docs/reference/report.schema.json"));
    let schema: Value = serde_json::from_str(&schema.expect("it is there")).expect("it is JSON");
    let (whole, said) = report(&folder);
    assert_eq!(said, "");
    let mut wrong = Vec::new();
    check(&schema, &schema, &whole, "report", &mut wrong);
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Every part of it is used, so that the check is about all of them.
    for part in schema["$defs"].as_object().expect("definitions").keys() {
        let text = whole.to_string();
        let is_there = [
            "number", "suite", "test", "site", "side", "past", "values", "series",
        ]
        .contains(&part.as_str())
            || text.contains(&format!("\"{part}\":"))
            || (part == "offer" && text.contains("\"offers\":[{"))
            || (part == "probability" && text.contains("\"failure\":{"));
        assert!(is_there, "{part}");
    }

    // Tests of pytest stand beside those of the package that one is in.
    let runners = |place: &Path| {
        let mut command = Command::new(program_folder().join("flex-harness"));
        command.args(["report", "--format", "json", "--pytest"]);
        command.arg(folder.join("python")).current_dir(place);
        let output = command.output().expect("flex-harness is built");
        let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        let suites = report["suites"].as_array().cloned().unwrap_or_default();
        suites
            .iter()
            .map(|suite| suite["runner"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(runners(&folder), ["cargo", "pytest"]);
    assert_eq!(runners(folder.parent().expect("it has one")), ["pytest"]);

    let samples = folder.join("target/flex/samples");
    let files = std::fs::read_dir(&samples).expect("samples were kept");
    let mut broken = 0;
    for file in files.map(|file| file.expect("an entry").path()) {
        if file.extension().is_some_and(|end| end == "json") && broken < 2 {
            std::fs::write(&file, ["<<<<<<< HEAD\n", "{\"version\": 1, \"at\""][broken])
                .expect("it can be written");
            broken += 1;
        }
    }
    std::fs::write(folder.join("target/flex/compare.json"), "{\"version\": 99}")
        .expect("it can be written");
    let (fewer, said) = report(&folder);
    assert_eq!(said.matches("warning: ").count(), 3, "{said}");
    assert!(
        said.contains("compare.json was left out: version 99"),
        "{said}"
    );
    assert_eq!(fewer["notes"].as_array().map(Vec::len), Some(3));
    let tests = |report: &Value| report["suites"][0]["tests"].as_array().map(Vec::len);
    assert!(tests(&fewer) >= Some(8), "{:?}", tests(&fewer));
}

/// The same table is read by tests/browser/check.mjs, for the page.
#[test]
fn numbers_are_written_as_the_page_writes_them() {
    let table = std::fs::read_to_string(root().join("tests/browser/numbers.json"));
    let table: Vec<(String, f64, String)> =
        serde_json::from_str(&table.expect("it is there")).expect("it is a table");
    for (kind, value, expected) in table {
        let written = match kind.as_str() {
            "short" => words::short(value),
            "plain" => words::plain(value),
            "percent" => words::percent(value),
            "duration" => words::duration(value),
            "one_in" => words::one_in(value),
            other => panic!("{other}"),
        };
        assert_eq!(written, expected, "{kind} {value}");
    }
}

/// As much of JSON Schema as ours uses: what a value is to be, and what of it is not.
fn check(schema: &Value, rule: &Value, value: &Value, place: &str, wrong: &mut Vec<String>) {
    if let Some(name) = rule["$ref"].as_str() {
        let name = name.rsplit('/').next().unwrap_or_default();
        return check(schema, &schema["$defs"][name], value, place, wrong);
    }
    if let Some(rules) = rule["anyOf"].as_array() {
        let fits = |rule: &Value| {
            let mut found = Vec::new();
            check(schema, rule, value, place, &mut found);
            found.is_empty()
        };
        if !rules.iter().any(fits) {
            wrong.push(format!("{place}: {value} is none of {rules:?}"));
        }
        return;
    }
    if let Some(words) = rule["enum"].as_array()
        && !words.contains(value)
    {
        wrong.push(format!("{place}: {value} is not one of {words:?}"));
    }
    if rule.get("const").is_some_and(|wanted| wanted != value) {
        wrong.push(format!("{place}: {value} is not {}", rule["const"]));
    }
    let is = match rule["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("null") => value.is_null(),
        _ => true,
    };
    if !is {
        wrong.push(format!("{place}: {value} is no {}", rule["type"]));
    }
    if let (Some(items), Some(values)) = (rule.get("items"), value.as_array()) {
        for (index, value) in values.iter().enumerate() {
            check(schema, items, value, &format!("{place}[{index}]"), wrong);
        }
    }
    let Some(object) = value.as_object().filter(|_| rule["type"] == "object") else {
        return;
    };
    for name in rule["required"].as_array().into_iter().flatten() {
        let name = name.as_str().unwrap_or_default();
        if !object.contains_key(name) {
            wrong.push(format!("{place}: {name} is missing"));
        }
    }
    for (name, value) in object {
        match rule["properties"].get(name) {
            Some(rule) => check(schema, rule, value, &format!("{place}.{name}"), wrong),
            None => wrong.push(format!("{place}: nobody knows {name}")),
        }
    }
}
