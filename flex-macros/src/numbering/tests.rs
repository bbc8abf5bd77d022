use super::*;
use crate::tokens::text;

#[test]
fn equal_texts_are_numbered() {
    let check = |source: &str, expected: &str| {
        assert_eq!(text(&numbered(source.parse().unwrap())), expected);
    };
    check(
        "assert_tail_bound!(x < _); assert_tail_bound!(y < _); assert_tail_bound!(x<_);",
        "assert_tail_bound!(@1x<_);assert_tail_bound!(@1y<_);assert_tail_bound!(@2x<_);",
    );
    // In brackets of any kind, with a path, and in other macros.
    check(
        "if a { flex_harness::assert_tail_bound![x < _] } else { vec![|| assert_tail_bound! { x < _ }] }",
        "ifa{flex_harness::assert_tail_bound![@1x<_]}else{vec![||assert_tail_bound!{@2x<_}]}",
    );
    check(
        "assert_close!(a, b, abs = _); assert_close!(a, b, rel = _); assert_close!(a, b, abs = _, case = 3)",
        "assert_close!(@1a,b,abs=_);assert_close!(@1a,b,rel=_);assert_close!(@2a,b,abs=_,case=3)",
    );
    // A name identifies a site by itself.
    check(
        "assert_tail_bound!(x < _, name = \"a\"); assert_tail_bound!(x < _)",
        "assert_tail_bound!(@1x<_,name=\"a\");assert_tail_bound!(@1x<_)",
    );
    // Not assertions, or not readable.
    check("assert_tail_bound != (x < y)", "assert_tail_bound!=(x<y)");
    check("assert_tail_bound!($x < _)", "assert_tail_bound!($x<_)");
    check("assert_eq!(x < y, true)", "assert_eq!(x<y,true)");
}

/// The number of recorded assertions with each text, in order; the others are left as they were.
fn check_recorded(source: &str, expected: &[&str]) {
    let tokens = source.parse::<TokenStream>().unwrap();
    let walked = text(&numbered(tokens.clone()));
    if expected.is_empty() {
        assert_eq!(walked, text(&tokens));
    }
    let sites = walked.split("Assertion{text:\"").skip(1).map(|site| {
        let (text, rest) = site.split_once("\",").unwrap();
        let (_, number) = rest.split_once("nth:").unwrap();
        let (number, _) = number.split_once("u32").unwrap();
        format!("{text} {number}")
    });
    assert_eq!(sites.collect::<Vec<_>>(), expected, "{source}");
}

#[test]
fn plain_assertions_are_numbered_with_the_others() {
    check_recorded(
        "assert!(x < y); assert!(x<y, \"{}\", 1)",
        &["x<y 1", "x<y 2"],
    );
    let source = "assert_tail_bound!(x < 1.0); std::assert!(x < 1.0); debug_assert![x < 1.0]";
    check_recorded(source, &["x<1.0 2", "x<1.0 3"]);
    let source = "::approx::assert_ulps_eq!(a, b); assert_ulps_eq!(a, b,)";
    check_recorded(source, &["ulps_eq(a,b) 1", "ulps_eq(a,b) 2"]);
}

#[test]
fn plain_assertions_are_found_where_code_runs() {
    let found = [
        "if a { assert!(x < y) }",
        "if !{ assert!(x < y); a } {}",
        "let f = |x| assert!(x < y);",
        "f(a, { assert!(x < y) })",
        "fn f<const N: usize>() where T: A, { assert!(x < y) }",
        "fn f(x: &'static str, y: *const u8) { assert!(x < y) }",
        "const A: u8 = 1; assert!(x < y)",
        "const fn f() {} assert!(x < y)",
        "enum A {} assert!(x < y)",
        "let v = [assert!(x < y); 2];",
        "#[cfg(a)] assert!(x < y)",
        "mod m { fn f() { assert!(x < y) } }",
    ];
    for source in found {
        check_recorded(source, &["x<y 1"]);
    }
    let not_found = [
        "vec![assert!(x < y)]",
        "macro_rules! m { () => { assert!(x < y) } }",
        "#[a(assert!(x < y))] fn f() {}",
        "const A: () = assert!(x < y);",
        "static A: () = { assert!(x < y) };",
        "const { assert!(x < y) }",
        "f(a, const { assert!(x < y) })",
        "const unsafe extern \"C\" fn f() { assert!(x < y) }",
        "enum A { B = { assert!(x < y); 1 } }",
        "let v = [0; { assert!(x < y); 2 }];",
        "A::<{ assert!(x < y); 2 }>",
        "A::<u8, { assert!(x < y); 2 }, 3>",
        "mine::assert!(x < y)",
    ];
    for source in not_found {
        check_recorded(source, &[]);
    }
}

#[test]
fn what_is_no_comparison_of_two_values_is_left_alone() {
    let sources = [
        "assert!(x < y && a)",
        "assert!((x < y))",
        "assert!(!x)",
        "assert!(x == y)",
        "assert!(1 < 2)",
        "assert!(x < y; 3)",
        "assert!(x < y \"message\")",
        "assert!()",
        "assert != (x < y)",
        "assert_abs_diff_eq!(a)",
        "assert_abs_diff_eq!(a, b, max_ulps = 3)",
        "assert_abs_diff_eq!(a, b, epsilon = 1.0, epsilon = 2.0)",
        "assert_abs_diff_eq!(a, b).clone()",
        "assert_abs_diff_ne!(a, b)",
    ];
    for source in sources {
        check_recorded(source, &[]);
    }
}
