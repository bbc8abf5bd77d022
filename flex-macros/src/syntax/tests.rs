//! Expressions, as `syn` reads them.

use std::fs;
use std::path::{Path as FilePath, PathBuf};

use quote::ToTokens;
use syn::visit::{self, Visit};

use super::*;
use crate::tokens::text;

/// What an expression is on the outside, with the parts that decide where it ends.
fn outside(expression: &Expr) -> String {
    let part = |part: &Expr| text(&crate::quoted::ToTokens::to_tokens(part));
    match &expression.kind {
        ExprKind::Infer => "infer".to_owned(),
        ExprKind::Literal(_) | ExprKind::Bool(_) => "literal".to_owned(),
        ExprKind::Path(_) => "path".to_owned(),
        ExprKind::Macro(..) => "macro".to_owned(),
        ExprKind::Brackets(_) => "brackets".to_owned(),
        ExprKind::Array(_) => "array".to_owned(),
        ExprKind::Binary(left, operator, right) => {
            format!("{} {} {}", part(left), operator.text, part(right))
        }
        ExprKind::Range(start, operator, end) => {
            let end_of = |end: &Option<Box<Expr>>| end.as_deref().map_or_else(String::new, part);
            format!("{} {operator} {}", end_of(start), end_of(end))
        }
        ExprKind::Unary(operator, operand) => format!("{operator} {}", part(operand)),
        ExprKind::Reference { is_mutable, target } => format!("& {is_mutable} {}", part(target)),
        ExprKind::Cast(value, _) => format!("{} as", part(value)),
        ExprKind::Call(function, _) => format!("{} ()", part(function)),
        ExprKind::MethodCall {
            receiver, method, ..
        } => format!("{} . {method} ()", part(receiver)),
        ExprKind::Field(base, name) => format!("{} . {name}", part(base)),
        ExprKind::Index(base, _) => format!("{} []", part(base)),
        ExprKind::Try(tried) => format!("{} ?", part(tried)),
        ExprKind::Await(awaited) => format!("{} await", part(awaited)),
        ExprKind::Closure { body, is_move, .. } => format!("| {is_move} {}", part(body)),
        ExprKind::Assign => "assign".to_owned(),
        ExprKind::Let => "let".to_owned(),
        ExprKind::Group(_) | ExprKind::Other => "other".to_owned(),
    }
}

/// The same by `syn`.
fn outside_by_syn(expression: &syn::Expr) -> String {
    let part = |part: &syn::Expr| text(&part.to_token_stream());
    match expression {
        syn::Expr::Infer(_) => "infer".to_owned(),
        syn::Expr::Lit(_) => "literal".to_owned(),
        syn::Expr::Path(path) if path.qself.is_none() => "path".to_owned(),
        syn::Expr::Macro(_) => "macro".to_owned(),
        syn::Expr::Paren(_) | syn::Expr::Tuple(_) => "brackets".to_owned(),
        syn::Expr::Array(_) | syn::Expr::Repeat(_) => "array".to_owned(),
        syn::Expr::Binary(binary) => {
            let operator = text(&binary.op.to_token_stream());
            format!("{} {operator} {}", part(&binary.left), part(&binary.right))
        }
        syn::Expr::Range(range) => {
            let end_of =
                |end: &Option<Box<syn::Expr>>| end.as_deref().map_or_else(String::new, part);
            let limits = text(&range.limits.to_token_stream());
            format!("{} {limits} {}", end_of(&range.start), end_of(&range.end))
        }
        syn::Expr::Unary(unary) => {
            format!(
                "{} {}",
                text(&unary.op.to_token_stream()),
                part(&unary.expr)
            )
        }
        syn::Expr::Reference(reference) => {
            let is_mutable = reference.mutability.is_some();
            format!("& {is_mutable} {}", part(&reference.expr))
        }
        syn::Expr::Cast(cast) => format!("{} as", part(&cast.expr)),
        syn::Expr::Call(call) => format!("{} ()", part(&call.func)),
        syn::Expr::MethodCall(call) => format!("{} . {} ()", part(&call.receiver), call.method),
        syn::Expr::Field(field) => {
            let member = text(&field.member.to_token_stream());
            format!("{} . {member}", part(&field.base))
        }
        syn::Expr::Index(index) => format!("{} []", part(&index.expr)),
        syn::Expr::Try(tried) => format!("{} ?", part(&tried.expr)),
        syn::Expr::Await(awaited) => format!("{} await", part(&awaited.base)),
        syn::Expr::Closure(closure) => {
            let is_move = text(&closure.to_token_stream()).starts_with("move|");
            format!("| {is_move} {}", part(&closure.body))
        }
        syn::Expr::Assign(_) => "assign".to_owned(),
        syn::Expr::Let(_) => "let".to_owned(),
        _ => "other".to_owned(),
    }
}

/// Compares every expression of a file with `syn`'s reading.
#[derive(Default)]
struct Reading {
    count: usize,
}

impl<'a> Visit<'a> for Reading {
    fn visit_expr(&mut self, expression: &'a syn::Expr) {
        // `syn` puts attributes into the expression that they are on.
        let tokens = expression.to_token_stream();
        if !text(&tokens).starts_with('#') && !matches!(expression, syn::Expr::Verbatim(_)) {
            let ours = parse::<Expr>(tokens.clone());
            let ours = ours.unwrap_or_else(|error| panic!("{tokens}: {error}"));
            assert_eq!(outside(&ours), outside_by_syn(expression), "{tokens}");
            self.count += 1;
        }
        visit::visit_expr(self, expression);
    }
}

#[test]
fn odd_expressions_are_read_as_by_syn() {
    let sources = [
        "a < b",
        "a as u8 as f64 + 1.0 < -b",
        "a && b || c && !d",
        "a | b ^ c & d << 1 + 2 * 3 % 4",
        "a = b = c",
        "a <<= b",
        "..",
        "..=b",
        "a..",
        "a..b + 1",
        "&a..&mut b",
        "&&a",
        "&raw const a",
        "-a.b.c()",
        "a.0.1.b",
        "a.0 .1",
        "*a?.b[c](d)",
        "a.b::<C, D<E>>(f)",
        "A::<B>::c::<D>()",
        "<A as B<C>>::d(e)",
        "::a::b",
        "a!(b) + c![d]",
        "A { b, ..c }.d",
        "|a, b| a < b",
        "move |a: Vec<B>| -> C { d }",
        "|| a",
        "async move { a }.await",
        "async |a| b",
        "if a { b } else if let C { d, .. } = e && f { g } else { h }.i",
        "match a { b => c } + d",
        "match A { b => c }",
        "while let Some(a) = b {}",
        "for (a, b) in c..d {}",
        "'a: loop { break 'a b }",
        "'a: { c }",
        "unsafe { a } < b",
        "const { a }",
        "return a + b",
        "return",
        "break",
        "let 1..=3 = a",
        "a as fn(B) -> C",
        "a as *const B as &'static mut dyn C",
        "a as [u8; 3]",
        "a as <B as C>::D",
        "{ a } - b",
        "(a, b).0",
        "[a; 3][b]",
        "b'a' + 'c' as u8",
        "a as u32 <= b",
        "r#if < b",
        "a == b..c != d",
        "f(a)(b)(c)",
        "a.await?.b",
        "_",
    ];
    for source in sources {
        let expression = syn::parse_str::<syn::Expr>(source);
        let expression = expression.unwrap_or_else(|error| panic!("{source}: {error}"));
        Reading::default().visit_expr(&expression);
    }
}

#[test]
fn what_is_no_expression_is_refused() {
    for source in [
        "",
        "a +",
        "a b",
        "< a",
        "a <",
        "a < b < c",
        "a.",
        "a::",
        "a.b::<C>",
        "a as",
        "a::<B",
        "if a",
        "match a",
        "|a",
        "fn",
        "a =",
        "let a",
        "&",
        "a => b",
        "..=",
    ] {
        let tokens = source.parse::<proc_macro2::TokenStream>().unwrap();
        assert!(
            syn::parse2::<syn::Expr>(tokens.clone()).is_err(),
            "{source}"
        );
        assert!(parse::<Expr>(tokens).is_err(), "{source}");
    }
}

/// The sources in a folder and in those below.
fn sources(folder: &FilePath) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn the_expressions_of_this_crate_are_read_as_by_syn() {
    let mut reading = Reading::default();
    for path in sources(FilePath::new(env!("CARGO_MANIFEST_DIR"))) {
        let source = fs::read_to_string(&path).unwrap();
        let file = syn::parse_file(&source).unwrap();
        reading.visit_file(&file);
    }
    assert!(reading.count > 4000, "{} expressions", reading.count);
}
