//! The grammar by example.

use super::*;
use crate::settings::Setting;

fn parsed(source: &str) -> Result<(Comparison, Details)> {
    parse(source.parse().unwrap())
}

/// The operands and operators, separated by blanks.
fn cut(source: &str) -> String {
    let (comparison, _) = parsed(source).unwrap_or_else(|error| panic!("{source}: {error}"));
    let mut pieces = Vec::new();
    for (i, operand) in comparison.operands.iter().enumerate() {
        pieces.push(text(&operand.tokens));
        let operator = comparison.operators.get(i);
        pieces.extend(operator.map(|operator| text(&operator.tokens)));
    }
    pieces.join(" ")
}

#[test]
fn comparisons_are_cut_where_they_compare() {
    let check = |source, expected| assert_eq!(cut(source), expected, "{source}");
    check("x < _", "x < _");
    check("x<_", "x < _");
    check("x <= _,", "x <= _");
    check("_ > x", "_ > x");
    check("_ >= x", "_ >= x");
    check("_ < x < _", "_ < x < _");
    check("0.0 <= x < _", "0.0 <= x < _");
    check("_ < error - expected < _", "_ < error-expected < _");
    check("-x < _", "-x < _");
    check("x <-1.0", "x < -1.0");
    check("x<&y", "x < &y");
    check("*x < *y", "*x < *y");
    check("!x < y", "!x < y");
    check("x << 2 < _", "x<<2 < _");
    check("x >> 2 >= y >> 1", "x>>2 >= y>>1");
    check("x & y | z ^ 1 < _", "x&y|z^1 < _");
}

#[test]
fn generics_are_not_comparisons() {
    let check = |source, expected| assert_eq!(cut(source), expected, "{source}");
    check("n as f64 < _", "nasf64 < _");
    check("0 < n as usize < _", "0 < nasusize < _");
    check("x as u32 as f64 > y as f64", "xasu32asf64 > yasf64");
    check("a::<B>() < _", "a::<B>() < _");
    check("a::<B, C>() < _", "a::<B,C>() < _");
    check(
        "a::<Vec<B>>() < b::<C>() < _",
        "a::<Vec<B>>() < b::<C>() < _",
    );
    check("x.sum::<f64>() > _", "x.sum::<f64>() > _");
    check(
        "x.collect::<Vec<_>>().len() < _",
        "x.collect::<Vec<_>>().len() < _",
    );
    check("x < size_of::<_>()", "x < size_of::<_>()");
    check("<T as Trait>::f() < _", "<TasTrait>::f() < _");
    check("x < <T as Trait>::LIMIT", "x < <TasTrait>::LIMIT");
    check("x as Wrapped<f64> < _", "xasWrapped<f64> < _");
    check(
        "Foo::<A>::new().x < Foo::<B>::LIMIT",
        "Foo::<A>::new().x < Foo::<B>::LIMIT",
    );
    check("f as fn(A) -> B < _", "fasfn(A)->B < _");
}

#[test]
fn any_expression_can_be_an_operand() {
    let check = |source, expected| assert_eq!(cut(source), expected, "{source}");
    check("f(|x| x < 3) < _", "f(|x|x<3) < _");
    check("(|x| x + 1)(2) < _", "(|x|x+1)(2) < _");
    check(
        "xs.iter().map(|x| -> f64 { *x }).sum::<f64>() < _",
        "xs.iter().map(|x|->f64{*x}).sum::<f64>() < _",
    );
    check("if a < b { a } else { b } < _", "ifa<b{a}else{b} < _");
    check("_ < if a < b { a } else { b }", "_ < ifa<b{a}else{b}");
    check("match x { 1 => 2, _ => 3 } < _", "matchx{1=>2,_=>3} < _");
    check("{ let y = x; y } < _", "{lety=x;y} < _");
    check("unsafe { x } < _", "unsafe{x} < _");
    check(
        "Point { x, y: 1.0 }.norm() < _",
        "Point{x,y:1.0}.norm() < _",
    );
    check("x? < _", "x? < _");
    check("f().await < _", "f().await < _");
    check("x[i < j] < _", "x[i<j] < _");
    check("max!(a, b) < _", "max!(a,b) < _");
    check("(a < b) as u8 < _", "(a<b)asu8 < _");
    check("x - (y..z).len() < _", "x-(y..z).len() < _");
}

#[test]
fn kinds_of_operands_are_told_apart() {
    use OperandKind::{Expression, Learned, Literal};
    let check = |source, expected: &[OperandKind]| {
        let (comparison, _) = parsed(source).unwrap();
        let kinds = comparison.operands.iter().map(|operand| operand.kind);
        assert_eq!(kinds.collect::<Vec<_>>(), expected, "{source}");
    };
    check("x < _", &[Expression, Learned]);
    check("-0.5 < x < 1", &[Literal(-0.5), Expression, Literal(1.0)]);
    check("x < (1.0)", &[Expression, Literal(1.0)]);
    check("x < 1.0 + 1.0", &[Expression, Expression]);
    check("x < -y", &[Expression, Expression]);
}

#[test]
fn details_follow_the_comparison() {
    let check = |source, expected: &[&str]| {
        let (comparison, details) =
            parsed(source).unwrap_or_else(|error| panic!("{source}: {error}"));
        assert!(comparison.text.ends_with("<_"), "{source}");
        let keys = details
            .settings
            .iter()
            .map(|Setting { key, .. }| key.to_string());
        assert_eq!(keys.collect::<Vec<_>>(), expected, "{source}");
    };
    check("x < _, name = \"a\"", &["name"]);
    check(
        "x < _, domain = 0.0..=1.0, case = n < 3, \"{}\", a < b",
        &["domain", "case"],
    );
    check(
        "x < _, domain = 0.., confidence = 0.9,",
        &["domain", "confidence"],
    );
    check("f::<A, B>(x) < _, \"message {x} {y}\", y = a > b,", &[]);
    check("x < _, concat!(\"a\", \"b\")", &[]);
}

#[test]
fn what_cannot_be_read_is_refused() {
    let check = |source, words: &str| {
        let error = parsed(source).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(words), "{source}: {error}");
    };
    check("", "expected a comparison");
    check("x", "expected a comparison");
    check("x, name = \"a\"", "expected a comparison");
    check("x == 1.0", "compared by `<`");
    check("x != 1.0", "compared by `<`");
    check("x <", "expected a value or `_` after");
    check("< x", "expected a value or `_` before");
    check("x < y == z", "compared by `<`");
    check("x < _ && y < _", "one comparison at a time");
    check("x < _ || y < _", "cannot be learned");
    check("a < b < c < d", "at most two comparisons");
    check("x < _ + 1.0", "stands for a whole bound");
    check("-_ < x", "stands for a whole bound");
    check("_.abs() > x", "stands for a whole bound");
    check("0..n < _", "not a number");
    check("|x| x < _", "not a number");
    check("x = y < _", "not a number");
    check("x < _ name = \"a\"", "expected `,`");
    check("x < _, 3", "expected an option");
    check("x < _, y < _", "expected an option");
    check("x < _, name == \"a\"", "expected an option");
}
