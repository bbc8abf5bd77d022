//! `flex-harness fix` on real files in a real repository, from records as `detect` writes them.

#[path = "fix_support/mod.rs"]
mod support;

use flex_detect::record::{Given, Harness, Knob, ObservedTest, RerunMarker, Role};
use support::{Folder, in_source, literal, normal, place, series, site, span, test, uniform};

const FILE: &str = "tests/test_a.py";

const SOURCE: &str = "\"\"\"Tests of a sketch.\"\"\"\nimport math\n\n\ndef test_error():\n    x = error()\n    assert x < 2.5, \"too far\"  # guessed\n\n\n@slow\ndef test_other():\n    assert error() < 2.0\n";

/// A flaky assertion: a standard normal below 2.5.
fn flaky() -> ObservedTest {
    let knob = literal(SOURCE, "x < ", "2.5");
    let values = series(Role::Upper, 2.5, knob, normal);
    let site = site((FILE, 7), "assert x < 2.5", vec![values]);
    test("tests/test_a.py::test_error", 5, vec![site])
}

/// Another, in the same file: twice as often.
fn flakier() -> ObservedTest {
    let knob = literal(SOURCE, "error() < ", "2.0");
    let values = series(Role::Upper, 2.0, knob, |run| normal(run + 1000));
    let site = site((FILE, 12), "assert error() < 2.0", vec![values]);
    test("tests/test_a.py::test_other", 10, vec![site])
}

fn repository(tests: Vec<ObservedTest>) -> Folder {
    let folder = Folder::repository(&[(FILE, SOURCE)]);
    folder.record(Harness::Pytest, tests);
    folder
}

/// The lines of a diff that change something.
fn changed(diff: &str) -> Vec<&str> {
    let is_change = |line: &&str| {
        line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---")
    };
    diff.lines().filter(is_change).collect()
}

/// The number after `before` in a text.
fn number_after(text: &str, before: &str) -> f64 {
    let rest = text
        .split(before)
        .nth(1)
        .unwrap_or_else(|| panic!("no `{before}` in {text}"));
    let end = rest.find(|c: char| !(c.is_ascii_digit() || ".e-".contains(c)));
    rest[..end.unwrap_or(rest.len())].parse().expect("a number")
}

#[test]
fn the_diff_changes_numbers_only_and_can_be_applied() {
    let folder = repository(vec![flaky(), flakier()]);
    let told = folder.fix(&[]);
    told.says(
        0,
        &[
            "fails in",
            "> bound",
            "99.99%",
            "patch: 2.5 becomes",
            "seed=fixed@detect:",
            "2 patches",
        ],
    );
    let lines = changed(&told.out);
    assert_eq!(lines.len(), 4, "{told}");
    assert_eq!(lines[0], "-    assert x < 2.5, \"too far\"  # guessed");
    assert!(lines[1].ends_with(", \"too far\"  # guessed"), "{told}");
    // The quantile of a normal is 3.7; a bound from 1000 runs has a margin.
    let bound = number_after(lines[1], "x < ");
    assert!((3.7..12.0).contains(&bound), "{bound}");
    assert_eq!(
        told.out.matches("--- a/").count(),
        2,
        "one patch per test: {told}"
    );
    assert_eq!(
        folder.read(FILE),
        SOURCE,
        "nothing is written without --apply"
    );
    for apply in [
        &["git", "apply", "--check"][..],
        &["patch", "-p1", "--dry-run"],
        &["git", "apply"],
    ] {
        folder.pipe(apply, &told.out).says(0, &[]);
    }
    assert_eq!(folder.read(FILE).lines().count(), SOURCE.lines().count());
    assert_eq!(number_after(&folder.read(FILE), "x < "), bound);
}

/// A source in which a test can be run, and the command that does.
fn runnable(value: &str) -> (Folder, String) {
    let source = format!(
        "import math\r\n\r\n\r\ndef test_error():\r\n    x = {value}\r\n    assert x < 2.5  # guessed\r\n"
    );
    let folder = Folder::repository(&[(FILE, &source)]);
    let values = series(Role::Upper, 2.5, literal(&source, "x < ", "2.5"), normal);
    let site = site((FILE, 6), "assert x < 2.5", vec![values]);
    let mut test = test("tests/test_a.py::test_error", 4, vec![site]);
    let run = "import sys; sys.path.insert(0, 'tests'); import test_a; test_a.test_error()";
    test.replay = Some(format!("SEED={{seed}} python3 -B -c \"{run}\""));
    folder.record(Harness::Pytest, vec![test]);
    (folder, source)
}

#[test]
fn apply_writes_what_the_diff_says_and_runs_the_test() {
    let (folder, source) = runnable("3.0");
    folder.pipe(&["chmod", "755", FILE], "").says(0, &[]);
    folder.commit();
    let diff = folder.fix(&[]);
    let told = folder.fix(&["--apply"]);
    told.says(
        0,
        &[
            "wrote",
            "tests/test_a.py::test_error passes: SEED=fixed@detect:",
        ],
    );
    assert_eq!(told.out, "");
    let patched = folder.read(FILE);
    let number = number_after(changed(&diff.out)[1], "x < ");
    assert_eq!(
        patched,
        source.replace("2.5", &format!("{number:?}")),
        "line endings stay"
    );
    let permissions = folder.pipe(&["stat", "-c", "%a", FILE], "");
    assert_eq!(permissions.out.trim(), "755");
    // The record speaks of the number that was there.
    folder
        .fix(&[])
        .says(1, &["line 6 no longer says `2.5`: the source changed"]);
}

#[test]
fn a_test_that_still_fails_is_told() {
    let (folder, source) = runnable("1e9");
    let told = folder.fix(&["--apply"]);
    told.says(1, &["still fails", "git checkout"]);
    assert_ne!(
        folder.read(FILE),
        source,
        "the patch stays, to be looked at"
    );
}

#[test]
fn only_what_can_be_had_back_is_changed() {
    let (folder, source) = runnable("3.0");
    let edited = source.replace("import math", "import math  # mine");
    folder.write(FILE, &edited);
    let told = folder.fix(&["--apply"]);
    told.says(
        2,
        &["changes that are not committed in", FILE, "--allow-dirty"],
    );
    assert_eq!(folder.read(FILE), edited);
    folder
        .fix(&["--apply", "--allow-dirty"])
        .says(0, &["wrote"]);
    assert!(folder.read(FILE).starts_with("import math  # mine\r\n"));

    let plain = Folder::plain(&[(FILE, SOURCE)]);
    plain.record(Harness::Pytest, vec![flaky()]);
    plain
        .fix(&["--apply"])
        .says(2, &["no version control knows", "--allow-dirty"]);
    assert_eq!(plain.read(FILE), SOURCE);
    plain.fix(&[]).says(0, &["+    assert x < "]);

    // What is ignored shows no changes, and cannot be had back either.
    let ignored = Folder::repository(&[("target/test_a.py", SOURCE)]);
    let mut test = flaky();
    test.file = "target/test_a.py".into();
    test.sites[0].file = "target/test_a.py".into();
    ignored.record(Harness::Pytest, vec![test]);
    ignored
        .fix(&["--apply"])
        .says(2, &["no version control knows", "--allow-dirty"]);
    assert_eq!(ignored.read("target/test_a.py"), SOURCE);
}

#[test]
fn what_cannot_be_read_is_said_and_left_alone() {
    let folder = repository(vec![flaky()]);
    let stale = SOURCE.replace("2.5", "2.7");
    folder.write(FILE, &stale);
    folder
        .fix(&[])
        .says(1, &["no longer says `2.5`", "0 patches"]);
    let conflict = SOURCE.replace(
        "import math",
        "<<<<<<< HEAD\nimport math\n=======\n>>>>>>> b",
    );
    folder.write(FILE, &conflict);
    folder
        .fix(&["--apply", "--allow-dirty"])
        .says(1, &["test_a.py:2 holds what a merge left behind"]);
    assert_eq!(folder.read(FILE), conflict);
    folder.write("record.json", "<<<<<<< HEAD\n");
    folder.fix(&[]).says(
        2,
        &[
            "not a record of flex",
            "`flex-harness detect` writes it anew",
        ],
    );
    let missing = folder.fix_of("missing.json", &[]);
    missing.says(2, &["missing.json", "flex-harness detect"]);
    let program = flex_tests::program("flex-harness");
    let program = program.to_str().unwrap();
    folder
        .pipe(&[program, "fix", "--pytest", "tests"], "")
        .says(
            2,
            &[
                ".pytest_cache/d/flex/detect.json",
                "`flex-harness detect --pytest tests`",
            ],
        );
    folder.write("Cargo.toml", "[package]\nname = \"a\"\n");
    folder.write("src/lib.rs", "");
    folder.pipe(&[program, "fix"], "").says(
        2,
        &[
            "flex/detect.json",
            "`flex-harness detect` searches the tests",
        ],
    );
}

#[test]
fn the_record_of_pytest_is_found_in_its_cache() {
    let folder = repository(vec![flaky(), flakier()]);
    let record = folder.read("record.json");
    folder.write(".pytest_cache/d/flex/detect.json", &record);
    let program = flex_tests::program("flex-harness");
    let program = program.to_str().unwrap();
    let fix = |path: &str| folder.pipe(&[program, "fix", "--pytest", path], "");
    fix("tests").says(0, &["2 patches"]);
    fix("tests/test_a.py::test_other")
        .says(0, &["1 patch for 1 assertion", "-    assert error() < 2.0"]);
    fix("src").says(2, &["none that is asked for"]);
}

#[test]
fn a_pull_request_tells_a_maintainer_everything() {
    let folder = repository(vec![flaky()]);
    folder
        .fix(&["--pr-text"])
        .says(0, &["wrote flex-fix/01-test-a-py--test-error.md"]);
    let text = folder.read("flex-fix/01-test-a-py--test-error.md");
    for words in [
        "failed in 8 of 1000 runs",
        "generalised Pareto tail was fitted to the 64 of 1000 values above",
        "| 99.99% |",
        "pytest tests/test_a.py::test_error --flex-seed=fixed@detect:1",
        "![Distribution of the values](01-test-a-py--test-error-0.svg)",
        "| **bound 99.99%** |",
        "+    assert x < ",
    ] {
        assert!(text.contains(words), "`{words}` is not in:\n{text}");
    }
    let svg = folder.read("flex-fix/01-test-a-py--test-error-0.svg");
    let picture = roxmltree::Document::parse(&svg).expect("the picture is XML");
    let texts: Vec<&str> = picture
        .descendants()
        .filter_map(|node| node.text())
        .collect();
    assert!(
        texts.iter().any(|text| text.starts_with("now: 2.5")),
        "{texts:?}"
    );
    assert!(
        texts.iter().any(|text| text.starts_with("new: ")),
        "{texts:?}"
    );
    assert!(!svg.contains("href"), "it needs nothing else");
    folder.write("taken", "");
    folder
        .fix(&["--pr-text=taken"])
        .says(2, &["cannot write taken"]);
}

#[test]
fn a_suspected_bug_is_changed_only_on_request() {
    let mut nan = flaky();
    nan.sites[0].series[0].values[77].1 = f64::NAN;
    nan.sites[0].failed.push(77);
    nan.sites[0].failed.sort_unstable();
    nan.runs[77].outcome = flex_detect::record::Outcome::Fail;
    nan.runs[77].failed_site = Some(0);
    let folder = repository(vec![nan.clone(), flakier()]);
    let told = folder.fix(&[]);
    told.says(
        1,
        &[
            "look here first: values are NaN or infinite (run 77)",
            "seed=fixed@detect:77",
            "1 patch for",
        ],
    );
    assert!(!told.out.contains("x < "), "{told}");
    folder.fix(&["--apply"]).says(1, &["wrote"]);
    assert!(folder.read(FILE).contains("x < 2.5"));
    folder
        .fix(&["--choose", "rerun", "--suspected"])
        .says(2, &["FILTERS"]);
    folder.write(FILE, SOURCE);
    folder.record_with(Harness::Pytest, vec![nan, flakier()], |record| {
        record.rerun_marker = Some(RerunMarker::Rerunfailures);
    });
    let told = folder.fix(&["--choose", "rerun", "--suspected", "test_error"]);
    told.says(0, &["look here first", "> rerun"]);
    assert_eq!(
        changed(&told.out),
        ["+import pytest", "+@pytest.mark.flaky(reruns=2)"]
    );
}

#[test]
fn reruns_are_asked_for_in_the_words_of_the_project() {
    let folder = repository(vec![flaky()]);
    let marked = |marker: Option<RerunMarker>| {
        folder.record_with(Harness::Pytest, vec![flaky(), flakier()], |record| {
            record.rerun_marker = marker;
        });
        let told = folder.fix(&["--choose", "rerun"]);
        told.says(0, &["2 patches"]);
        folder
            .pipe(&["git", "apply", "--check"], &told.out)
            .says(0, &[]);
        changed(&told.out).join("\n")
    };
    assert_eq!(
        marked(Some(RerunMarker::Rerunfailures)),
        "+import pytest\n+@pytest.mark.flaky(reruns=2)\n+@pytest.mark.flaky(reruns=2)"
    );
    assert_eq!(
        marked(Some(RerunMarker::Flaky)),
        "+from flaky import flaky\n+@flaky(max_runs=3)\n+@flaky(max_runs=3)"
    );
    assert_eq!(
        marked(None),
        "+from pytest_flex import stochastic\n+@stochastic(attempts=3)\n+@stochastic(attempts=3)"
    );
}

#[test]
fn a_plain_test_of_rust_has_nobody_to_rerun_it() {
    let file = "tests/a.rs";
    let folder = Folder::repository(&[(file, "#[test]\nfn it() {\n    assert!(x() < 2.5);\n}\n")]);
    let values = series(Role::Upper, 2.5, in_source("2.5"), normal);
    let mut plain = test(
        "it",
        1,
        vec![site((file, 3), "assert!(x() < 2.5)", vec![values])],
    );
    plain.file = file.into();
    folder.record(Harness::Cargo, vec![plain]);
    let told = folder.fix(&["--choose", "rerun"]);
    told.says(
        1,
        &[
            "cargo reruns no tests",
            "retries = 2",
            "#[stochastic_test(attempts = 3)]",
        ],
    );
}

#[test]
fn learned_numbers_bring_their_import_and_their_marker() {
    let folder = repository(vec![flaky(), flakier()]);
    let told = folder.fix(&["--choose", "learned"]);
    told.says(
        0,
        &["`flex-harness calibrate --pytest .` learns the numbers"],
    );
    assert_eq!(
        changed(&told.out),
        [
            "+from pytest_flex import learned, stochastic",
            "+@stochastic",
            "-    assert x < 2.5, \"too far\"  # guessed",
            "+    assert x < learned(), \"too far\"  # guessed",
            "+@stochastic",
            "-    assert error() < 2.0",
            "+    assert error() < learned()",
        ]
    );
    folder
        .pipe(&["git", "apply", "--check"], &told.out)
        .says(0, &[]);
}

#[test]
fn a_constant_becomes_what_the_most_demanding_test_needs() {
    let source = "LIMIT = 2.5  # for all\n\n\ndef test_one():\n    assert error() < LIMIT\n\n\ndef test_two():\n    assert 2 * error() < LIMIT\n";
    let folder = Folder::repository(&[(FILE, source)]);
    let constant = || Knob {
        text: "2.5".to_owned(),
        given: Given::Constant {
            name: "LIMIT".to_owned(),
            span: span(source, "LIMIT = ", "2.5"),
            also_in: None,
        },
    };
    let one = site(
        (FILE, 5),
        "assert error() < LIMIT",
        vec![series(Role::Upper, 2.5, constant(), normal)],
    );
    let two = site(
        (FILE, 9),
        "assert 2 * error() < LIMIT",
        vec![series(Role::Upper, 2.5, constant(), |run| {
            1.2 * normal(run)
        })],
    );
    let tests = vec![
        test("tests/test_a.py::test_one", 4, vec![one]),
        test("tests/test_a.py::test_two", 8, vec![two]),
    ];
    folder.record(Harness::Pytest, tests.clone());
    let told = folder.fix(&[]);
    told.says(
        0,
        &[
            "LIMIT = 2.5 becomes",
            "the looser of two that need it",
            "1 patch for 2 assertions",
        ],
    );
    let lines = changed(&told.out);
    assert_eq!(lines.len(), 2, "{told}");
    let both = number_after(lines[1], "LIMIT = ");
    folder.record(Harness::Pytest, tests[..1].to_vec());
    let alone = number_after(changed(&folder.fix(&[]).out)[1], "LIMIT = ");
    assert!(both > alone, "{both} {alone}");
}

#[test]
fn cases_of_one_test_share_their_number() {
    let case = |name: &str, scale: f64| {
        let mut test = flaky();
        test.name = format!("tests/test_a.py::test_error[{name}]");
        for (run, value) in &mut test.sites[0].series[0].values {
            *value = scale * normal(*run);
        }
        let values = &test.sites[0].series[0].values;
        test.sites[0].failed = values
            .iter()
            .filter(|(_, value)| *value >= 2.5)
            .map(|(run, _)| *run)
            .collect();
        test
    };
    let folder = repository(vec![case("a", 1.0), case("b", 1.3)]);
    let told = folder.fix(&[]);
    told.says(0, &["1 patch for 2 assertions"]);
    let both = number_after(changed(&told.out)[1], "x < ");
    let b = number_after(changed(&folder.fix(&["[b]"]).out)[1], "x < ");
    assert_eq!(both, b);
}

/// Asserts that `rule` holds in Python for every difference that was seen, and for no stricter number.
fn check_tolerance(role: Role, call: (&str, &str), reach: f64, rule: &str) {
    for exponent in [3, 5, 7] {
        let unit = 10f64.powi(-exponent);
        let source = format!("def test_it():\n    {}\n", call.0);
        let folder = Folder::repository(&[(FILE, &source)]);
        let knob = literal(&source, call.1, "9");
        // The largest values are near a power of ten, where the number must be exact.
        let value = |run: u32| reach * unit * uniform(u64::from(run));
        let values = series(role, unit * 0.2, knob, value);
        let largest = values
            .values
            .iter()
            .map(|(_, value)| *value)
            .fold(0.0, f64::max);
        let site = site((FILE, 2), call.0, vec![values]);
        folder.record(
            Harness::Pytest,
            vec![test("tests/test_a.py::test_it", 1, vec![site])],
        );
        let told = folder.fix(&[]);
        told.says(0, &["tolerance"]);
        let number = number_after(changed(&told.out)[1], call.1);
        let asks = |number: f64| {
            let line =
                format!("import sys; d, n = {largest:e}, {number}; sys.exit(0 if {rule} else 1)");
            folder.pipe(&["python3", "-c", &line], "").code
        };
        assert_eq!(asks(number), 0, "{told}");
        assert_eq!(asks(number + 1.0), 1, "{told}");
    }
}

#[test]
fn places_are_what_python_rounds_by() {
    check_tolerance(
        Role::Places,
        ("self.assertAlmostEqual(a, b, places=9)", "places="),
        1.0,
        "round(d, n) == 0",
    );
    check_tolerance(
        Role::Decimal,
        ("assert_almost_equal(a, b, decimal=9)", "decimal="),
        1.0,
        "d < 1.5 * 10.0 ** -n",
    );
    check_tolerance(
        Role::Significant,
        ("assert_approx_equal(a, b, significant=9)", "significant="),
        1.2,
        "d < 10.0 ** -(n - 1)",
    );
}

#[test]
fn a_tolerance_that_is_left_out_is_put_in() {
    let source = "def test_it():\n    assert_allclose(a, b)\n";
    let folder = Folder::repository(&[(FILE, source)]);
    let (line, column) = place(
        source,
        source.find(")\n").map_or(0, |_| source.rfind(')').unwrap()),
    );
    let left_out = |keyword: &str, default: &str| Knob {
        text: default.to_owned(),
        given: Given::Default {
            keyword: keyword.to_owned(),
            line,
            column,
        },
    };
    let difference = |run: u32| 3e-7 * uniform(u64::from(run)).powi(4);
    let mut rtol = series(Role::Relative, 1e-7, left_out("rtol", "1e-07"), difference);
    rtol.bound = Some(1e-7);
    let atol = series(Role::Absolute, 0.0, left_out("atol", "0"), difference);
    let site = site((FILE, 2), "assert_allclose(a, b)", vec![rtol, atol]);
    folder.record(
        Harness::Pytest,
        vec![test("tests/test_a.py::test_it", 1, vec![site])],
    );
    let told = folder.fix(&[]);
    told.says(0, &["> tolerance"]);
    let written = changed(&told.out)[1];
    assert!(
        written.starts_with("+    assert_allclose(a, b, rtol=") && written.ends_with("e-7)"),
        "{told}"
    );
}

#[test]
fn rust_sources_are_mended_too() {
    let file = "tests/a.rs";
    let source = "const LIMIT: f64 = 2.5; // for all\n\n#[stochastic_test]\nfn bounds(rng: &mut TestRng) {\n    assert!(error(rng) < 2.5, \"too far\"); // guessed\n    assert_tail_bound!(-2.5 < bias(rng) < 9.5);\n    assert_relative_eq!(a, b);\n    assert!(count(rng) < 15);\n    assert!(error(rng) < LIMIT);\n}\n";
    let folder = Folder::repository(&[(file, source)]);
    let at = |line: u32, text: &str, series| site((file, line), text, series);
    let mut relative = series(
        Role::Relative,
        f64::EPSILON,
        in_source("2.220446049250313e-16"),
        |run| 1e-16 * (2.0 + 0.5 * normal(run)).abs(),
    );
    relative.role = Role::Relative;
    let mut margin = series(Role::Upper, 0.0, in_source("0"), |run| {
        normal(run + 50) - 2.5
    });
    (margin.is_margin, margin.knob) = (true, None);
    let sites = vec![
        at(
            5,
            "error(rng)<2.5",
            vec![series(Role::Upper, 2.5, in_source("2.5"), normal)],
        ),
        at(
            6,
            "-2.5<bias(rng)<9.5",
            vec![
                series(Role::Lower, -2.5, in_source("-2.5"), |run| normal(run + 9)),
                series(Role::Upper, 9.5, in_source("9.5"), |run| normal(run + 9)),
            ],
        ),
        at(7, "relative_eq(a,b)", vec![relative]),
        at(
            8,
            "count(rng)<15",
            vec![series(Role::Upper, 15.0, in_source("15"), |run| {
                (10.0 + 2.0 * normal(run)).round()
            })],
        ),
        at(9, "error(rng)<LIMIT", vec![margin]),
    ];
    let mut test = test("bounds", 3, sites);
    test.sites.iter_mut().for_each(|site| site.is_hard = false);
    test.file = file.into();
    test.target = Some("test:a".to_owned());
    test.is_stochastic = true;
    test.replay = None;
    folder.record(Harness::Cargo, vec![test]);
    let told = folder.fix(&["--confidence", "0.999"]);
    told.says(0, &["> bound", "> tolerance", "LIMIT = 2.5 becomes"]);
    folder.pipe(&["git", "apply"], &told.out).says(0, &[]);
    let patched = folder.read(file);
    assert!(number_after(&patched, "LIMIT: f64 = ") > 3.5, "{patched}");
    assert!(
        number_after(&patched, "assert!(error(rng) < ") > 3.5,
        "{patched}"
    );
    assert!(
        number_after(&patched, "assert_tail_bound!(") < -3.5,
        "{patched}"
    );
    assert!(
        patched.contains(" < bias(rng) < 9.5);\n"),
        "the other end is fine: {patched}"
    );
    assert!(
        patched.contains("assert_relative_eq!(a, b, max_relative = "),
        "{patched}"
    );
    let count = number_after(&patched, "count(rng) < ");
    assert!(
        count.fract() == 0.0 && !patched.contains("count(rng) < 15)"),
        "{patched}"
    );
    assert!(
        patched.contains(", \"too far\"); // guessed\n"),
        "{patched}"
    );
    assert_eq!(patched.lines().count(), source.lines().count());
}

#[test]
fn programs_get_json() {
    let folder = repository(vec![flaky()]);
    let told = folder.fix(&["--json"]);
    told.says(0, &[]);
    let value = told.json();
    let assertion = &value["assertions"][0];
    assert_eq!(assertion["verdict"], "flaky");
    assert_eq!(assertion["failed"].as_array().map(Vec::len), Some(8));
    let menu = assertion["menu"].as_array().expect("a menu");
    let chosen: Vec<_> = menu
        .iter()
        .filter(|offer| offer["chosen"] == true)
        .collect();
    assert_eq!(chosen.len(), 1);
    assert_eq!(chosen[0]["confidence"], 0.9999);
    let diff = value["patches"][0]["diff"].as_str().expect("a diff");
    folder.pipe(&["git", "apply", "--check"], diff).says(0, &[]);
}
