//! The text of a bounds file as a person sees it: headers, keys with their values, comments and blank lines.

use toml_parser::Source;
use toml_parser::lexer::{Token, TokenKind};

/// A line, or several if a value is written over several.
pub(super) struct Statement<'t> {
    pub kind: Kind<'t>,
    /// The whole of it, with its line ending.
    pub text: &'t str,
    /// Comments between the lines of a value.
    pub inner: Vec<&'t str>,
    /// The comment at its end, with the white space before it.
    pub end: Option<&'t str>,
}

impl Statement<'_> {
    pub fn is_comment(&self) -> bool {
        matches!(self.kind, Kind::Comment)
    }
}

pub(super) enum Kind<'t> {
    Blank,
    Comment,
    /// `[[bound]]`: nothing else is written in double brackets.
    Entry,
    /// `[bound.key]`.
    Table {
        key: &'t str,
    },
    /// `key = …`, or `key.part = …`.
    Value {
        key: &'t str,
        is_array: bool,
    },
}

/// Splits a text that is known to be a bounds file.
pub(super) fn statements(text: &str) -> Vec<Statement<'_>> {
    let mut statements = Vec::new();
    let mut tokens = Vec::new();
    let (mut start, mut depth) = (0, 0_usize);
    for token in Source::new(text).lex() {
        let ends = match token.kind() {
            TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket => {
                depth += 1;
                false
            }
            TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket => {
                depth = depth.saturating_sub(1);
                false
            }
            TokenKind::Newline => depth == 0,
            TokenKind::Eof => !tokens.is_empty(),
            _ => false,
        };
        tokens.push(token);
        if ends {
            let end = token.span().end();
            statements.push(statement(text, start, end, &tokens));
            tokens.clear();
            start = end;
        }
    }
    statements
}

fn statement<'t>(text: &'t str, start: usize, end: usize, tokens: &[Token]) -> Statement<'t> {
    let slice = |start, end| text.get(start..end).unwrap_or_default();
    let mut meaningful = Vec::new();
    let mut comments = Vec::new();
    let mut done = start;
    for token in tokens {
        let span = token.span();
        match token.kind() {
            TokenKind::Whitespace | TokenKind::Newline | TokenKind::Eof => {}
            TokenKind::Comment => comments.push(span),
            kind => {
                meaningful.push((kind, slice(span.start(), span.end())));
                done = span.end();
            }
        }
    }
    let at_end = comments.pop_if(|comment| comment.start() >= done);
    Statement {
        kind: kind(&meaningful, at_end.is_some()),
        text: slice(start, end),
        inner: comments
            .iter()
            .map(|comment| slice(comment.start(), comment.end()))
            .collect(),
        end: at_end.map(|comment| slice(done, comment.end())),
    }
}

fn kind<'t>(meaningful: &[(TokenKind, &'t str)], has_comment: bool) -> Kind<'t> {
    use TokenKind::LeftSquareBracket;
    let name = |key: &'t str| key.trim_matches(['"', '\'']);
    match meaningful {
        [] if has_comment => Kind::Comment,
        [] => Kind::Blank,
        [(LeftSquareBracket, _), (LeftSquareBracket, _), ..] => Kind::Entry,
        [(LeftSquareBracket, _), _, _, (_, key), ..] => Kind::Table { key: name(key) },
        [(_, key), rest @ ..] => Kind::Value {
            key: name(key),
            is_array: matches!(rest, [(TokenKind::Equals, _), (LeftSquareBracket, _), ..]),
        },
    }
}
