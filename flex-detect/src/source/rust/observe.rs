//! Which plain tests of a source can be seen: where the attribute goes that records what their assertions compare.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::find::tokens;
use crate::source::{Edit, apply};

/// The attribute, on the line of `#[test]`, so that every line stays where it is.
const ATTRIBUTE: &str = "#[::flex_harness::__private::observed]";

/// Attributes that leave a test what it is. Any other may do anything with it.
const HARMLESS: [&str; 11] = [
    "test", "ignore", "doc", "allow", "expect", "warn", "deny", "cfg", "cfg_attr", "inline",
    "must_use",
];

/// The source with the attribute on each of its plain tests; `None` if it has none, or is no Rust.
///
/// A plain test is a function with `#[test]` and no attributes but harmless ones, that takes nothing, is neither `async` nor
/// `unsafe`, and stands in the file or in a module of it, not in the input of a macro.
pub fn observable(text: &str) -> Option<String> {
    let mut edits = Vec::new();
    find(&tokens(text).ok()?, &mut edits);
    match edits.is_empty() {
        true => None,
        false => apply(text, &edits).ok(),
    }
}

/// Whether the source names a crate, whatever is configured: then a program is linked with it. What stands under a `cfg`
/// other than `cfg(test)` may not be there.
pub fn names_crate(text: &str, name: &str) -> bool {
    tokens(text).is_ok_and(|tokens| names(&tokens, name))
}

fn names(stream: &TokenStream, name: &str) -> bool {
    let all: Vec<TokenTree> = stream.clone().into_iter().collect();
    let mut at = 0;
    while at < all.len() {
        let (attributes, next) = attributes(&all, at);
        at = next;
        if attributes.iter().any(|attribute| attribute.may_be_absent) {
            // The item ends with its body, or with a semicolon.
            let is_end = |token: &TokenTree| match token {
                TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                TokenTree::Punct(punct) => punct.as_char() == ';',
                _ => false,
            };
            let length = all[at..].iter().position(is_end);
            at += length.map_or(all.len() - at, |length| length + 1);
            continue;
        }
        match all.get(at) {
            Some(TokenTree::Ident(word)) if word == name => return true,
            Some(TokenTree::Group(group)) if names(&group.stream(), name) => return true,
            _ => at += 1,
        }
    }
    false
}

fn find(stream: &TokenStream, edits: &mut Vec<Edit>) {
    let all: Vec<TokenTree> = stream.clone().into_iter().collect();
    let mut at = 0;
    while at < all.len() {
        let (attributes, next) = attributes(&all, at);
        if let Some(end) = plain_test(&attributes, &all[next..]) {
            edits.push(Edit::insert(end, ATTRIBUTE));
        }
        if let [
            TokenTree::Ident(word),
            TokenTree::Ident(_),
            TokenTree::Group(body),
            ..,
        ] = &all[next..]
            && word == "mod"
            && body.delimiter() == Delimiter::Brace
        {
            find(&body.stream(), edits);
        }
        at = next.max(at + 1);
    }
}

/// An attribute.
struct Attribute {
    /// Its name, if that is a single word.
    name: Option<String>,
    /// The byte after it.
    end: usize,
    /// Whether what it stands on may not be there in a test program.
    may_be_absent: bool,
}

/// The attributes that begin here, and where they end.
fn attributes(all: &[TokenTree], mut at: usize) -> (Vec<Attribute>, usize) {
    let mut found = Vec::new();
    while let [TokenTree::Punct(hash), TokenTree::Group(group), ..] = &all[at..]
        && hash.as_char() == '#'
        && group.delimiter() == Delimiter::Bracket
    {
        let inner: Vec<TokenTree> = group.stream().into_iter().collect();
        let name = match &inner[..] {
            [TokenTree::Ident(name)] => Some(name.to_string()),
            [TokenTree::Ident(name), TokenTree::Group(_)] => Some(name.to_string()),
            [TokenTree::Ident(name), TokenTree::Punct(equals), ..] if equals.as_char() == '=' => {
                Some(name.to_string())
            }
            _ => None,
        };
        let is_of_tests = group.stream().to_string().replace(' ', "") == "cfg(test)";
        let is_cfg = name.as_deref().is_some_and(|name| name.starts_with("cfg"));
        found.push(Attribute {
            name,
            end: group.span_close().byte_range().end,
            may_be_absent: is_cfg && !is_of_tests,
        });
        at += 2;
    }
    (found, at)
}

/// Where the attribute goes if these attributes and what follows them are a plain test.
fn plain_test(attributes: &[Attribute], after: &[TokenTree]) -> Option<usize> {
    let is_harmless = |attribute: &Attribute| {
        let name = attribute.name.as_deref();
        name.is_some_and(|name| HARMLESS.contains(&name))
    };
    let is_test = |attribute: &&Attribute| attribute.name.as_deref() == Some("test");
    let mut tests = attributes.iter().filter(is_test);
    let end = tests.next()?.end;
    if tests.next().is_some() || !attributes.iter().all(is_harmless) {
        return None;
    }
    let is_word =
        |token: &TokenTree, word: &str| matches!(token, TokenTree::Ident(it) if it == word);
    let after = match after {
        [public, TokenTree::Group(_), rest @ ..] if is_word(public, "pub") => rest,
        [public, rest @ ..] if is_word(public, "pub") => rest,
        rest => rest,
    };
    match after {
        [
            function,
            TokenTree::Ident(_),
            TokenTree::Group(parameters),
            ..,
        ] if is_word(function, "fn")
            && parameters.delimiter() == Delimiter::Parenthesis
            && parameters.stream().is_empty() =>
        {
            Some(end)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let expected = expected.replace('@', ATTRIBUTE);
        assert_eq!(observable(text).as_deref(), Some(&*expected), "{text}");
    }

    #[test]
    fn plain_tests_get_the_attribute_and_no_line_moves() {
        check("#[test]\nfn a() {}\n", "#[test]@\nfn a() {}\n");
        check(
            "/// Says.\n#[ignore = \"slow\"]\n#[test]\n#[cfg(unix)]\npub(crate) fn a() -> Result<(), u8> { Ok(()) }\n",
            "/// Says.\n#[ignore = \"slow\"]\n#[test]@\n#[cfg(unix)]\npub(crate) fn a() -> Result<(), u8> { Ok(()) }\n",
        );
        check(
            "#[cfg(test)]\nmod tests {\n    #[test]\n    fn ä() {}\n    mod more { #[test] fn b() {} }\n}\n",
            "#[cfg(test)]\nmod tests {\n    #[test]@\n    fn ä() {}\n    mod more { #[test]@ fn b() {} }\n}\n",
        );
    }

    #[test]
    fn a_crate_is_named_where_it_is_surely_linked() {
        for (text, is_named) in [
            ("use flex_harness as _;", true),
            (
                "#[cfg(test)]\nmod tests { use flex_harness::prelude::*; }",
                true,
            ),
            ("fn f() { flex_harness::scope(); }", true),
            (
                "#[cfg(feature = \"x\")]\nuse flex_harness as _;\nfn f() {}",
                false,
            ),
            ("#[cfg(unix)]\nmod a { use flex_harness as _; }", false),
            (
                "// flex_harness\n/// flex_harness\nfn f() { \"flex_harness\"; }",
                false,
            ),
        ] {
            assert_eq!(names_crate(text, "flex_harness"), is_named, "{text}");
        }
    }

    #[test]
    fn what_is_no_plain_test_is_left_alone() {
        for text in [
            "fn a() {}",
            "#[tokio::test]\nasync fn a() {}",
            "#[test]\n#[should_panic]\nfn a() {}",
            "#[test]\n#[test_case(1)]\nfn a() {}",
            "#[test]\nfn a(x: u8) {}",
            "#[test]\nasync fn a() {}",
            "#[test]\nunsafe fn a() {}",
            "proptest! {\n    #[test]\n    fn a() {}\n}",
            "macro_rules! m { () => { #[test] fn a() {} } }",
            "fn f() { #[test] fn inner() {} }",
            "#[test] not rust",
        ] {
            assert_eq!(observable(text), None, "{text}");
        }
    }
}
