use flex_core::tail::Domain;

use super::*;
use crate::record::{ObservedSite, Role, Series};
use crate::source::{NoPlace, apply};

/// The site of the line that holds `«`, which is taken out of the source.
fn marked(source: &str) -> (String, ObservedSite) {
    let place = source.find('«').expect("a marked line");
    let line = source[..place].matches('\n').count() as u32 + 1;
    let clean = source.replace('«', "");
    let site = ObservedSite {
        id: "x<1".into(),
        place: flex_run::model::Place::new("src/lib.rs", line),
        span: None,
        text: String::new(),
        form: "assert!".to_owned(),
        within: None,
        is_hard: true,
        failed: Vec::new(),
        series: Vec::new(),
    };
    (clean, site)
}

/// Asserts what the marked line becomes when the number becomes `value`.
fn check(line: &str, (role, bound): (Role, f64), value: f64, expected: &str) {
    // With a byte order mark, too, which is no token and takes its place.
    for mark in ["", "\u{feff}"] {
        let source = format!(
            "{mark}const LIMIT: f64 = 0.25;\nfn test() {{\n    let eps = 1e-3; // small\n    «{line}\n}}\n"
        );
        let (source, site) = marked(&source);
        let assertion = RustAssertion::find(&source, &site).unwrap();
        let place = assertion.place(&source, &Series::new(role, bound)).unwrap();
        let (edit, _) = place.write(value).unwrap();
        let changed = apply(&source, &[edit]).unwrap();
        assert!(changed.contains(expected), "{changed}");
        parses(&changed).unwrap();
        assert_eq!(changed.lines().count(), source.lines().count());
    }
}

#[test]
fn the_number_of_a_comparison_is_found() {
    use Role::{Lower, Upper};
    check(
        "assert!(x < 0.5);",
        (Upper, 0.5),
        0.57,
        "assert!(x < 0.57);",
    );
    check(
        "assert!(0.5 > x /* big */, \"{x}\");",
        (Upper, 0.5),
        1.0,
        "assert!(1.0 > x /* big */, \"{x}\");",
    );
    check(
        "assert!(n as f32 >= -0.5_f32);",
        (Lower, -0.5),
        -0.7,
        "n as f32 >= -0.7_f32",
    );
    check("assert!(x >= -0.5);", (Lower, -0.5), -0.75, "x >= -0.75");
    check(
        "assert!(v.len() <= 1_000);",
        (Upper, 1000.0),
        1200.0,
        "v.len() <= 1_200",
    );
    check(
        "assert!(Vec::<f64>::new().len() < 5);",
        (Upper, 5.0),
        7.0,
        "len() < 7",
    );
    check("assert!((x) < (0.5));", (Upper, 0.5), 0.6, "(x) < (0.6)");
    check(
        "assert!(x < eps);",
        (Upper, 1e-3),
        2e-3,
        "let eps = 2e-3; // small",
    );
    check(
        "assert!(x < LIMIT);",
        (Upper, 0.25),
        0.3,
        "const LIMIT: f64 = 0.3;",
    );
    check(
        "std::assert!(x < 0.5);",
        (Upper, 0.5),
        0.6,
        "std::assert!(x < 0.6)",
    );
    check(
        "assert!(x < 0.1);",
        (Upper, f64::from(0.1_f32)),
        0.2,
        "x < 0.2",
    );
}

#[test]
fn chains_have_a_number_on_each_side() {
    let chain = "assert_tail_bound!(0.1 < x < 0.5, name = \"a\");";
    check(chain, (Role::Upper, 0.5), 0.6, "0.1 < x < 0.6");
    check(chain, (Role::Lower, 0.1), 0.05, "0.05 < x < 0.5");
    check(
        "assert_tail_bound!(0.5 >= x >= -0.1);",
        (Role::Lower, -0.1),
        -0.2,
        "0.5 >= x >= -0.2",
    );
}

#[test]
fn tolerances_are_options() {
    use Role::{Absolute, Relative, Ulps};
    check(
        "assert_close!(a, b, abs = 0.1);",
        (Absolute, 0.1),
        0.2,
        "abs = 0.2",
    );
    check(
        "assert_abs_diff_eq!(a, b, epsilon = 1e-3);",
        (Absolute, 1e-3),
        0.02,
        "epsilon = 2e-2",
    );
    check(
        "approx::assert_relative_eq!(a, b);",
        (Relative, f64::EPSILON),
        0.02,
        "(a, b, max_relative = 2e-2)",
    );
    check(
        "assert_relative_eq!(a, b, epsilon = eps,);",
        (Relative, f64::EPSILON),
        0.02,
        "epsilon = eps, max_relative = 2e-2,)",
    );
    check(
        "assert_relative_eq!(a, b, epsilon = eps);",
        (Absolute, 1e-3),
        0.02,
        "let eps = 2e-2;",
    );
    check(
        "assert_ulps_eq!(a, b, max_ulps = 4);",
        (Ulps, 4.0),
        12.0,
        "max_ulps = 12",
    );
    check(
        "assert_ulps_eq!(a, b);",
        (Ulps, 4.0),
        12.0,
        "(a, b, max_ulps = 12)",
    );
    check(
        "assert_abs_diff_eq!(a, b, epsilon = f64::EPSILON);",
        (Absolute, f64::EPSILON),
        1e-12,
        "epsilon = 1e-12)",
    );
}

#[test]
fn what_is_not_there_is_said() {
    let why = |line: &str, role: Role, bound: f64| {
        let (source, site) = marked(&format!("fn t() {{\n«{line}\n}}\n"));
        let assertion = match RustAssertion::find(&source, &site) {
            Ok(assertion) => assertion,
            Err(why) => return why,
        };
        assertion
            .place(&source, &Series::new(role, bound))
            .unwrap_err()
    };
    assert!(matches!(
        why("assert!(x < 0.6);", Role::Upper, 0.5),
        NoPlace::Changed(_)
    ));
    assert!(matches!(
        why("let a = 1;", Role::Upper, 0.5),
        NoPlace::Changed(_)
    ));
    assert!(matches!(
        why("assert!(x < y);", Role::Upper, 0.0),
        NoPlace::NoNumber(_)
    ));
    assert!(matches!(
        why("assert!(x < 2.0 * eps);", Role::Upper, 0.5),
        NoPlace::NoNumber(_)
    ));
    assert!(matches!(
        why("let mut e = 0.5; assert!(x < e);", Role::Upper, 0.5),
        NoPlace::NoNumber(_)
    ));
    assert!(matches!(
        why(
            "let e = 0.5; let e = 0.6; assert!(x < e);",
            Role::Upper,
            0.5
        ),
        NoPlace::NoNumber(_)
    ));
    assert!(matches!(
        why("fn (", Role::Upper, 0.5),
        NoPlace::Unreadable(_)
    ));
}

#[test]
fn an_assertion_that_moved_is_found_by_its_text() {
    let (source, mut site) =
        marked("«\nfn t() {\n    assert!(y < 0.5);\n    assert!( x < 0.5 );\n}\n");
    site.text = "x<0.5".to_owned();
    let assertion = RustAssertion::find(&source, &site).unwrap();
    let place = assertion
        .place(&source, &Series::new(Role::Upper, 0.5))
        .unwrap();
    assert_eq!(&source[place.range()], "0.5");
    assert!(source[..place.range().start].ends_with("assert!( x < "));
    site.text = "z<0.5".to_owned();
    assert!(RustAssertion::find(&source, &site).is_err());
}

#[test]
fn a_declared_domain_is_read() {
    let (source, site) = marked("fn t() {\n«assert_tail_bound!(x > 0.5, domain = 0.0..=1.0);\n}\n");
    let domain = RustAssertion::find(&source, &site).unwrap().domain();
    assert_eq!(domain, Domain::new(0.0, 1.0).ok());
}

/// Asserts what becomes of the marked line when flex is to learn the number.
fn check_learned(line: &str, (role, bound): (Role, f64), expected: &str) {
    let (source, site) = marked(&format!(
        "use flex_harness::prelude::*;\nfn t() {{\n    «{line}\n}}\n"
    ));
    let assertion = RustAssertion::find(&source, &site).unwrap();
    let edits = learn(&source, &assertion, &Series::new(role, bound)).unwrap();
    let changed = apply(&source, &edits).unwrap();
    assert_eq!(changed.lines().nth(2).unwrap().trim(), expected);
    parses(&changed).unwrap();
}

#[test]
fn a_learned_number_is_a_blank() {
    use Role::{Absolute, Lower, Relative, Upper};
    check_learned(
        "assert!(x < 0.5, \"{x}\");",
        (Upper, 0.5),
        "assert_tail_bound!(x < _, \"{x}\");",
    );
    check_learned(
        "std::assert!(0.5 < x);",
        (Lower, 0.5),
        "assert_tail_bound!(_ < x);",
    );
    check_learned(
        "assert_tail_bound!(0.1 < x < 0.5);",
        (Upper, 0.5),
        "assert_tail_bound!(0.1 < x < _);",
    );
    check_learned(
        "assert_close!(a, b, abs = 0.1);",
        (Absolute, 0.1),
        "assert_close!(a, b, abs = _);",
    );
    check_learned(
        "approx::assert_relative_eq!(a, b, epsilon = 0.1, max_relative = 0.2);",
        (Relative, 0.2),
        "assert_close!(a, b, rel = _);",
    );
    check_learned(
        "assert_abs_diff_eq!(a, b);",
        (Absolute, f64::EPSILON),
        "assert_close!(a, b, abs = _);",
    );
}

#[test]
fn our_macro_is_named_with_its_crate_where_it_is_not_known() {
    let (source, site) = marked("fn t() {\n    «assert!(x < 0.5);\n}\n");
    let assertion = RustAssertion::find(&source, &site).unwrap();
    let edits = learn(&source, &assertion, &Series::new(Role::Upper, 0.5)).unwrap();
    let changed = apply(&source, &edits).unwrap();
    assert!(
        changed.contains("flex_harness::assert_tail_bound!(x < _);"),
        "{changed}"
    );
}

#[test]
fn margins_from_a_constant_are_values() {
    let check = |line: &str, role: Role, expected: Option<(Role, f64)>| {
        let source = format!("const LIMIT: f64 = 0.25;\nfn t() {{\n    «{line}\n}}\n");
        let (source, site) = marked(&source);
        let mut margins = Series::new(role, 0.0);
        margins.values = vec![(0, -0.125), (1, 0.25)];
        let assertion = RustAssertion::find(&source, &site).unwrap();
        let values = assertion.without_margin(&source, &margins);
        let found = values.map(|series| (series.role, series.values[0].1));
        assert_eq!(found, expected, "{line}");
    };
    use Role::{Absolute, Lower, Upper};
    check("assert!(x < LIMIT);", Upper, Some((Upper, 0.125)));
    check("assert!(LIMIT < x);", Upper, Some((Lower, 0.375)));
    check("assert!(LIMIT > x);", Lower, Some((Upper, 0.375)));
    check("assert!(x >= LIMIT, \"{x}\");", Lower, Some((Lower, 0.125)));
    check(
        "assert_close!(a, b, abs = LIMIT);",
        Absolute,
        Some((Absolute, 0.125)),
    );
    check("assert!(x < y);", Upper, None);
    check("assert_tail_bound!(0.0 < x < LIMIT);", Upper, None);
}

#[test]
fn a_constant_that_stands_for_something_else_too_stays() {
    let check = |body: &str, role: Role, is_free: bool| {
        let source = format!("const LIMIT: f64 = 0.25;\nfn t() {{\n    {body}\n}}\n");
        let (source, site) = marked(&source);
        let assertion = RustAssertion::find(&source, &site).unwrap();
        let place = assertion.place(&source, &Series::new(role, 0.25));
        assert_eq!(place.is_ok(), is_free, "{body}: {place:?}");
    };
    use Role::{Absolute, Lower, Upper};
    check("«assert!(x < LIMIT, \"{}\", LIMIT);", Upper, true);
    check("«assert!(x < LIMIT);\nassert!(LIMIT >= y);", Upper, true);
    check("«assert_close!(x, y, abs = LIMIT);", Absolute, true);
    check("«assert!(x < LIMIT);\nassert!(y > LIMIT);", Upper, false);
    check("let x = LIMIT * y;\n«assert!(x < LIMIT);", Upper, false);
    check(
        "«assert!(x > LIMIT);\nassert!(x < 2.0 * LIMIT);",
        Lower,
        false,
    );
    check(
        "«assert!(LIMIT < x);\nassert_close!(x, y, abs = LIMIT);",
        Lower,
        false,
    );
    check(
        "«assert!(x < LIMIT);\nassert_close!(LIMIT, y, abs = 1.0);",
        Upper,
        false,
    );
}

#[test]
fn another_assertion_in_its_line_is_not_taken_for_it() {
    let (source, mut site) =
        marked("fn t() {\n    «assert!(y < 0.5);\n    assert!(x < 0.5, \"a b\");\n}\n");
    let found = |site: &ObservedSite| {
        RustAssertion::find(&source, site).map(|found| *found.call.lines.start())
    };
    "x<0.5".clone_into(&mut site.text);
    assert_eq!(found(&site).unwrap(), 3, "it has moved");
    "z<0.5".clone_into(&mut site.text);
    assert!(matches!(found(&site), Err(NoPlace::Changed(_))));
}
