//! The text that the compiler gives the condition of an assertion that has no message: `assertion failed: x < y`.
//!
//! The compiler prints the parsed expression, whatever its formatting in the source. A condition that is not on one
//! line there, or holds what is not printed here, has no text.

use crate::token::{Delimiter, Group, TokenStream, TokenTree};

use crate::syntax::{
    Arguments, Expr, ExprKind, Input, Parse, Path, Result, Type, parse, parse_list,
};

/// Columns of a line; the compiler breaks longer ones.
const WIDTH: usize = 78;

/// The text of the expression, if it is certain.
pub fn printed(condition: &Expr) -> Option<String> {
    let text = expression(condition)?;
    (text.len() <= WIDTH && !text.contains('\n')).then_some(text)
}

fn expression(printed: &Expr) -> Option<String> {
    Some(match &printed.kind {
        ExprKind::Literal(literal) => literal.to_string(),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Path(path) => segments(path, "::<")?,
        ExprKind::Brackets(group) => brackets(group)?,
        ExprKind::Array(group) => array(group)?,
        ExprKind::Binary(left, operator, right) => {
            let (left, right) = (expression(left)?, expression(right)?);
            format!("{left} {} {right}", operator.text)
        }
        ExprKind::Unary(operator, operand) => format!("{operator}{}", expression(operand)?),
        ExprKind::Reference { is_mutable, target } => {
            let mutable = if *is_mutable { "mut " } else { "" };
            format!("&{mutable}{}", expression(target)?)
        }
        ExprKind::Cast(value, to) => format!("{} as {}", expression(value)?, type_(to)?),
        ExprKind::Call(function, arguments) => {
            format!("{}({})", expression(function)?, list(arguments)?)
        }
        ExprKind::MethodCall {
            receiver,
            method,
            generics,
            arguments,
        } => {
            let generics = match generics {
                Some(generics) => format!("::<{}>", generic(generics)?),
                None => String::new(),
            };
            let (receiver, arguments) = (expression(receiver)?, list(arguments)?);
            format!("{receiver}.{method}{generics}({arguments})")
        }
        ExprKind::Field(base, name) => format!("{}.{name}", expression(base)?),
        ExprKind::Index(base, index) => {
            let index = parse::<Expr>(index.stream()).ok()?;
            format!("{}[{}]", expression(base)?, expression(&index)?)
        }
        ExprKind::Range(start, operator, end) => {
            let end_of = |end: &Option<Box<Expr>>| match end {
                Some(end) => expression(end),
                None => Some(String::new()),
            };
            format!("{}{operator}{}", end_of(start)?, end_of(end)?)
        }
        ExprKind::Try(tried) => format!("{}?", expression(tried)?),
        ExprKind::Await(awaited) => format!("{}.await", expression(awaited)?),
        ExprKind::Closure {
            is_plain: true,
            is_move,
            parameters,
            body,
        } => {
            let move_ = if *is_move { "move " } else { "" };
            let parameters = patterns(parameters.clone())?;
            format!("{move_}|{parameters}| {}", expression(body)?)
        }
        ExprKind::Macro(path, group) => {
            let (open, close) = match group.delimiter() {
                Delimiter::Parenthesis => ('(', ')'),
                Delimiter::Bracket => ('[', ']'),
                Delimiter::Brace | Delimiter::None => return None,
            };
            let path = segments(path, "<")?;
            format!("{path}!{open}{}{close}", group.stream())
        }
        _ => return None,
    })
}

/// An expression in brackets, or a tuple.
fn brackets(group: &Group) -> Option<String> {
    let elements = parse_list(group.stream()).ok()?;
    if elements.len() == 1 && ends_in_comma(group) {
        return None;
    }
    Some(format!("({})", joined(&elements)?))
}

fn ends_in_comma(group: &Group) -> bool {
    let last = group.stream().into_iter().last();
    matches!(last, Some(TokenTree::Punct(comma)) if comma.as_char() == ',')
}

/// An array, by its elements or by its length.
fn array(group: &Group) -> Option<String> {
    if let Ok(elements) = parse_list(group.stream()) {
        return Some(format!("[{}]", joined(&elements)?));
    }
    let mut input = Input::new(group.stream());
    let element = input.parse::<Expr>().ok()?;
    if !input.take_punct(";") {
        return None;
    }
    let length = parse::<Expr>(input.rest()).ok()?;
    Some(format!(
        "[{}; {}]",
        expression(&element)?,
        expression(&length)?
    ))
}

fn segments(path: &Path, open: &str) -> Option<String> {
    let mut text = String::new();
    for (i, segment) in path.segments.iter().enumerate() {
        if i > 0 || path.is_global {
            text += "::";
        }
        text += &segment.name.to_string();
        match &segment.arguments {
            Arguments::None => {}
            Arguments::Angles(generics) => text += &format!("{open}{}>", generic(generics)?),
            Arguments::Brackets => return None,
        }
    }
    Some(text)
}

/// Generic arguments, if all are types.
fn generic(arguments: &[TokenTree]) -> Option<String> {
    let types = parse_list::<Type>(arguments.iter().cloned().collect()).ok()?;
    let types = types.iter().map(type_).collect::<Option<Vec<_>>>()?;
    Some(types.join(", "))
}

fn type_(printed: &Type) -> Option<String> {
    match printed {
        Type::Path(path) => segments(path, "<"),
        Type::Infer => Some("_".to_owned()),
        Type::Reference {
            has_lifetime: false,
            is_mutable,
            target,
        } => {
            let mutable = if *is_mutable { "mut " } else { "" };
            Some(format!("&{mutable}{}", type_(target)?))
        }
        _ => None,
    }
}

/// The parameters of a closure, if they have no types.
fn patterns(parameters: TokenStream) -> Option<String> {
    let patterns = parse_list::<Pattern>(parameters).ok()?;
    let patterns = patterns.into_iter().map(|Pattern(text)| text);
    Some(patterns.collect::<Option<Vec<_>>>()?.join(", "))
}

/// The text of a pattern, if it is one that is printed here.
struct Pattern(Option<String>);

impl Parse for Pattern {
    fn parse(input: &mut Input) -> Result<Self> {
        if input.take_punct("&") {
            let is_shared = !input.is_word("mut");
            let Pattern(target) = input.parse()?;
            return Ok(Pattern(
                target
                    .filter(|_| is_shared)
                    .map(|target| format!("&{target}")),
            ));
        }
        if let Some(group) = input.take_group(Delimiter::Parenthesis) {
            let elements = parse_list::<Pattern>(group.stream())?.len();
            let text = patterns(group.stream()).filter(|_| elements != 1);
            return Ok(Pattern(text.map(|text| format!("({text})"))));
        }
        let mutable = if input.take_word("mut") { "mut " } else { "" };
        let name = input.word()?;
        Ok(Pattern(Some(format!("{mutable}{name}"))))
    }
}

/// The arguments of a call, with commas between them.
fn list(arguments: &Group) -> Option<String> {
    joined(&parse_list(arguments.stream()).ok()?)
}

fn joined(elements: &[Expr]) -> Option<String> {
    let elements = elements.iter().map(expression);
    Some(elements.collect::<Option<Vec<_>>>()?.join(", "))
}
