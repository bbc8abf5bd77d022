//! The text that the compiler gives the condition of an assertion that has no message: `assertion failed: x < y`.
//!
//! The compiler prints the parsed expression, whatever its formatting in the source. A condition that is not on one
//! line there, or holds what is not printed here, has no text.

use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{
    Expr, GenericArgument, Lit, MacroDelimiter, Member, Pat, Path, PathArguments, ReturnType, Type,
    UnOp,
};

/// Columns of a line; the compiler breaks longer ones.
const WIDTH: usize = 78;

/// The text of the expression, if it is certain.
pub fn printed(condition: &Expr) -> Option<String> {
    let text = expression(condition)?;
    (text.len() <= WIDTH && !text.contains('\n')).then_some(text)
}

fn expression(printed: &Expr) -> Option<String> {
    let list = |expressions: &Punctuated<Expr, _>| list(expressions, expression);
    Some(match printed {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Verbatim(_) => return None,
            _ => source(literal),
        },
        Expr::Path(path) if path.qself.is_none() => segments(&path.path, "::<")?,
        Expr::Paren(paren) => format!("({})", expression(&paren.expr)?),
        Expr::Binary(binary) => {
            let (left, right) = (expression(&binary.left)?, expression(&binary.right)?);
            format!("{left} {} {right}", source(&binary.op))
        }
        Expr::Unary(unary) => {
            let operator = match unary.op {
                UnOp::Deref(_) => "*",
                UnOp::Not(_) => "!",
                UnOp::Neg(_) => "-",
                _ => return None,
            };
            format!("{operator}{}", expression(&unary.expr)?)
        }
        Expr::Reference(reference) => {
            let mutable = reference.mutability.as_ref().map_or("", |_| "mut ");
            format!("&{mutable}{}", expression(&reference.expr)?)
        }
        Expr::Cast(cast) => format!("{} as {}", expression(&cast.expr)?, type_(&cast.ty)?),
        Expr::Call(call) => format!("{}({})", expression(&call.func)?, list(&call.args)?),
        Expr::MethodCall(call) => {
            let generics = match &call.turbofish {
                Some(generics) => format!("::<{}>", self::list(&generics.args, generic)?),
                None => String::new(),
            };
            let (receiver, arguments) = (expression(&call.receiver)?, list(&call.args)?);
            format!("{receiver}.{}{generics}({arguments})", call.method)
        }
        Expr::Field(field) => {
            let base = expression(&field.base)?;
            match &field.member {
                Member::Named(name) => format!("{base}.{name}"),
                Member::Unnamed(index) => format!("{base}.{}", index.index),
            }
        }
        Expr::Index(index) => {
            format!(
                "{}[{}]",
                expression(&index.expr)?,
                expression(&index.index)?
            )
        }
        Expr::Range(range) => {
            let end = |end: &Option<Box<Expr>>| match end {
                Some(end) => expression(end),
                None => Some(String::new()),
            };
            format!(
                "{}{}{}",
                end(&range.start)?,
                source(&range.limits),
                end(&range.end)?
            )
        }
        Expr::Tuple(tuple) if tuple.elems.len() != 1 => format!("({})", list(&tuple.elems)?),
        Expr::Array(array) => format!("[{}]", list(&array.elems)?),
        Expr::Repeat(repeat) => {
            format!(
                "[{}; {}]",
                expression(&repeat.expr)?,
                expression(&repeat.len)?
            )
        }
        Expr::Try(try_) => format!("{}?", expression(&try_.expr)?),
        Expr::Await(await_) => format!("{}.await", expression(&await_.base)?),
        Expr::Closure(closure) => {
            let move_ = closure.capture.as_ref().map_or("", |_| "move ");
            let modified = !source(closure).starts_with([move_, "|"].concat().trim_end());
            if modified || !matches!(closure.output, ReturnType::Default) {
                return None;
            }
            let inputs = self::list(&closure.inputs, pattern)?;
            format!("{move_}|{inputs}| {}", expression(&closure.body)?)
        }
        Expr::Macro(call) => {
            let (open, close) = match call.mac.delimiter {
                MacroDelimiter::Paren(_) => ('(', ')'),
                MacroDelimiter::Bracket(_) => ('[', ']'),
                MacroDelimiter::Brace(_) => return None,
            };
            let path = segments(&call.mac.path, "<")?;
            format!("{path}!{open}{}{close}", call.mac.tokens)
        }
        _ => return None,
    })
}

/// The tokens as they stand in the source.
fn source(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

fn segments(path: &Path, open: &str) -> Option<String> {
    let mut text = String::new();
    for (i, segment) in path.segments.iter().enumerate() {
        if i > 0 || path.leading_colon.is_some() {
            text += "::";
        }
        text += &segment.ident.to_string();
        match &segment.arguments {
            PathArguments::None => {}
            PathArguments::AngleBracketed(generics) => {
                text += &format!("{open}{}>", list(&generics.args, generic)?);
            }
            PathArguments::Parenthesized(_) => return None,
        }
    }
    Some(text)
}

fn generic(argument: &GenericArgument) -> Option<String> {
    match argument {
        GenericArgument::Type(argument) => type_(argument),
        _ => None,
    }
}

fn type_(printed: &Type) -> Option<String> {
    match printed {
        Type::Path(path) if path.qself.is_none() => segments(&path.path, "<"),
        Type::Infer(_) => Some("_".to_owned()),
        Type::Reference(reference) if reference.lifetime.is_none() => {
            let mutable = reference.mutability.as_ref().map_or("", |_| "mut ");
            Some(format!("&{mutable}{}", type_(&reference.elem)?))
        }
        _ => None,
    }
}

fn pattern(printed: &Pat) -> Option<String> {
    match printed {
        Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => {
            let mutable = name.mutability.as_ref().map_or("", |_| "mut ");
            Some(format!("{mutable}{}", name.ident))
        }
        Pat::Wild(_) => Some("_".to_owned()),
        Pat::Reference(reference) if reference.mutability.is_none() => {
            Some(format!("&{}", pattern(&reference.pat)?))
        }
        Pat::Tuple(tuple) if tuple.elems.len() != 1 => {
            Some(format!("({})", list(&tuple.elems, pattern)?))
        }
        _ => None,
    }
}

/// The elements with commas between them.
fn list<T, P>(elements: &Punctuated<T, P>, print: impl Fn(&T) -> Option<String>) -> Option<String> {
    let elements = elements.iter().map(print);
    Some(elements.collect::<Option<Vec<_>>>()?.join(", "))
}
