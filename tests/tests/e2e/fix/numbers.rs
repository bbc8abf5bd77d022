//! Which number is written where: constants, cases, tolerances of every kind, Python and Rust.

use flex_detect::record::{Given, Knob, Role};
use flex_run::model::{Runner, TestId};

use super::support::{
    Folder, in_source, literal, normal, place, series, site, span, test, uniform,
};
use super::*;

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
    folder.record(Runner::Pytest, tests.clone());
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
    folder.record(Runner::Pytest, tests[..1].to_vec());
    let alone = number_after(changed(&folder.fix(&[]).out)[1], "LIMIT = ");
    assert!(both > alone, "{both} {alone}");
}

#[test]
fn cases_of_one_test_share_their_number() {
    let case = |name: &str, scale: f64| {
        let mut test = flaky();
        test.id = TestId::pytest(format!("tests/test_a.py::test_error[{name}]"));
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
            Runner::Pytest,
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
        Runner::Pytest,
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
    let folder = Folder::package(&[(file, source)]);
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
    test.place.file = file.into();
    test.id = TestId::cargo("test:a", test.name());
    test.is_stochastic = true;
    test.replay = None;
    test.package = Some("own".to_owned());
    folder.record(Runner::Cargo, vec![test]);
    let of_another = folder.fix(&["-p", "another"]);
    of_another.says(2, &["none that is asked for"]);
    let told = folder.fix(&["-p", "own", "--confidence", "0.999"]);
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
