//! Tokens as texts: what identifies a site, what tells that a test changed, and where errors point.

use std::iter::Peekable;

use crate::token::{Delimiter, Ident, Span, TokenStream, TokenTree};

/// The text of the tokens without the white space between them.
///
/// A comma before a closing bracket is left out: rustfmt adds it when it breaks a line.
pub fn text(tokens: &TokenStream) -> String {
    let mut text = String::new();
    for_each(tokens, &mut |token| text += token);
    text
}

/// Whether the word is this one.
pub fn is_word(word: &Ident, expected: &str) -> bool {
    let word = word.to_string();
    word == expected
}

/// FNV-1a (Fowler, Noll and Vo; 32 bits) over the texts of the tokens, in hexadecimal. Doc comments do not count.
pub fn fingerprint(tokens: &TokenStream) -> String {
    let mut hash = 0x811c_9dc5_u32;
    for_each(tokens, &mut |token| {
        // A byte that is in no text keeps `ab` and `a b` apart.
        for byte in token.bytes().chain([0xff]) {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    });
    format!("{hash:08x}")
}

/// Where the tokens begin and end. The names there are those of the macro, not of the user.
pub fn ends(tokens: &TokenStream) -> (Span, Span) {
    let here = Span::mixed_site();
    let mut spans = tokens
        .clone()
        .into_iter()
        .map(|token| here.located_at(token.span()));
    let first = spans.next().unwrap_or(here);
    (first, spans.last().unwrap_or(first))
}

/// Where the tokens begin and end, as if the user had written what stands there.
pub fn user_ends(tokens: &TokenStream) -> (Span, Span) {
    let mut spans = tokens.clone().into_iter().map(|token| token.span());
    let first = spans.next().unwrap_or_else(Span::call_site);
    (first, spans.last().unwrap_or(first))
}

/// Shows the texts of all tokens in order.
fn for_each(tokens: &TokenStream, show: &mut dyn FnMut(&str)) {
    let mut tokens = tokens.clone().into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(hash) if hash.as_char() == '#' && skip_doc(&mut tokens) => {}
            TokenTree::Punct(comma) if comma.as_char() == ',' && tokens.peek().is_none() => {}
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    // What a `macro_rules!` macro passed on; it has no brackets in the source.
                    Delimiter::None => {
                        for_each(&group.stream(), show);
                        continue;
                    }
                };
                show(open);
                for_each(&group.stream(), show);
                show(close);
            }
            token => show(&token.to_string()),
        }
    }
}

/// Skips the `[doc = "…"]` of a doc comment, if the next token is one.
fn skip_doc(tokens: &mut Peekable<impl Iterator<Item = TokenTree>>) -> bool {
    let is_doc = |token: &TokenTree| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
            let first = group.stream().into_iter().next();
            first.is_some_and(|first| first.to_string() == "doc")
        }
        _ => false,
    };
    tokens.next_if(is_doc).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(source: &str) -> TokenStream {
        source.parse().unwrap()
    }

    #[test]
    fn text_has_no_white_space_between_tokens() {
        let check = |source, expected| assert_eq!(text(&tokens(source)), expected);
        check("error  <  _", "error<_");
        check("max(a,\n    b,\n) < _", "max(a,b)<_");
        check("x < - 1.0", "x<-1.0");
        check("len(\"two words\") < _", "len(\"two words\")<_");
        check("n as f64 < _", "nasf64<_");
    }

    #[test]
    fn fingerprint_ignores_formatting_and_doc_comments() {
        let print = |source| fingerprint(&tokens(source));
        let original = print("fn f(rng: &mut TestRng) { let x = g(1, 2); assert!(x<-1); }");
        assert_eq!(original.len(), 8);
        let same = [
            "fn f( rng : & mut TestRng ){\n let x = g(\n 1,\n 2,\n);\n assert!(x < -1); }",
            "fn f(rng: &mut TestRng) { // a comment\n let x = g(1, 2); assert!(x<-1); }",
            "fn f(rng: &mut TestRng) { /// a doc comment\n let x = g(1, 2); assert!(x<-1); }",
        ];
        for source in same {
            assert_eq!(print(source), original, "{source}");
        }
        let different = [
            "fn f(rng: &mut TestRng) { let x = g(1, 3); assert!(x<-1); }",
            "fn f(rng: &mut TestRng) { let x = g(12); assert!(x<-1); }",
            "fn f(rng: &mut TestRng) { let x = g(1, 2); assert!(x<-1) }",
        ];
        for source in different {
            assert_ne!(print(source), original, "{source}");
        }
    }

    #[test]
    fn fingerprint_is_fnv_1a() {
        // In Python: for b in (0x61, 0xff): h = ((h ^ b) * 0x01000193) % 2**32, from h = 0x811c9dc5.
        assert_eq!(fingerprint(&tokens("a")), "d225d729");
        assert_eq!(fingerprint(&tokens("")), "811c9dc5");
    }
}
