//! The attribute of a stochastic test, and its options.

use std::ops::RangeInclusive;

use proc_macro2::{Group, Ident, TokenStream, TokenTree};

use super::calls;
use super::comparison::is_literal;
use super::find::{only, tokens};
use crate::record::ObservedTest;
use crate::source::{Edit, NoPlace};

/// The edit that makes `#[stochastic_test]` say `key = number`, besides what it says already.
pub fn option(text: &str, test: &ObservedTest, key: &str, number: u64) -> Result<Edit, NoPlace> {
    let attribute = Attribute::find(&tokens(text)?, test)?;
    let Some(arguments) = &attribute.arguments else {
        let end = attribute.path_end.span().byte_range().end;
        return Ok(Edit::insert(end, format!("({key} = {number})")));
    };
    let tokens: Vec<TokenTree> = arguments.stream().into_iter().collect();
    if let Some(value) = calls::option(&tokens, key) {
        let range = calls::range(value).filter(|_| is_literal(value));
        let range = range.ok_or_else(|| {
            NoPlace::NoNumber(format!("`{key}` is no number there: make it {number}"))
        })?;
        return Ok(Edit::replace(range, number.to_string()));
    }
    Ok(match calls::end_of_last(&tokens) {
        Some(end) => Edit::insert(end, format!(", {key} = {number}")),
        None => {
            let open = arguments.span_open().byte_range().end;
            Edit::insert(open, format!("{key} = {number}"))
        }
    })
}

/// `#[path::stochastic_test(arguments)]`.
#[derive(Debug, Clone)]
struct Attribute {
    path_end: Ident,
    arguments: Option<Group>,
    /// The name of the function below it.
    function: String,
    /// From the attribute to the name of the function.
    lines: RangeInclusive<u32>,
}

impl Attribute {
    /// Finds the attribute of a test: by the name of its function, and by its line if several have that name.
    fn find(file: &TokenStream, test: &ObservedTest) -> Result<Attribute, NoPlace> {
        let name = test.name().rsplit("::").next().unwrap_or_default();
        let mut all = attributes(file);
        all.retain(|attribute| attribute.function == name);
        let is_there = |attribute: &&Attribute| attribute.lines.contains(&test.place.line);
        only(all.iter().filter(is_there))
            .or_else(|| only(all.iter()))
            .cloned()
            .ok_or_else(|| {
                NoPlace::Changed(format!("no `#[stochastic_test]` stands above `fn {name}`"))
            })
    }
}

/// Every such attribute of a function, also in modules.
fn attributes(stream: &TokenStream) -> Vec<Attribute> {
    let tokens: Vec<TokenTree> = stream.clone().into_iter().collect();
    let mut found = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        let is_attribute =
            matches!(tokens[..i].last(), Some(TokenTree::Punct(p)) if p.as_char() == '#');
        match is_attribute {
            true => found.extend(attribute(group, &tokens[i + 1..])),
            false => found.extend(attributes(&group.stream())),
        }
    }
    found
}

/// What is in the brackets of an attribute, if it is ours and a function comes after it.
fn attribute(brackets: &Group, after: &[TokenTree]) -> Option<Attribute> {
    let inner: Vec<TokenTree> = brackets.stream().into_iter().collect();
    let (path, arguments) = match &inner[..] {
        [path @ .., TokenTree::Group(arguments)] => (path, Some(arguments.clone())),
        path => (path, None),
    };
    let Some(TokenTree::Ident(path_end)) = path.last() else {
        return None;
    };
    let is_fn = |token: &TokenTree| matches!(token, TokenTree::Ident(word) if word == "fn");
    let at = after.iter().position(is_fn)?;
    let Some(TokenTree::Ident(function)) = after.get(at + 1) else {
        return None;
    };
    let line = |ident_line: usize| u32::try_from(ident_line).unwrap_or(u32::MAX);
    (path_end == "stochastic_test").then(|| Attribute {
        path_end: path_end.clone(),
        arguments,
        function: function.to_string(),
        lines: line(brackets.span_open().start().line)..=line(function.span().start().line),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{apply, rust::parses};
    use flex_run::model::TestId;

    /// Asserts what becomes of the attribute of `fn it`, which is in a module, below another of that name.
    fn check(attribute: &str, expected: &str) {
        let before = "fn it() {}\n#[stochastic_test(runs = 3)]\nfn other() {}\n";
        let source = |attribute: &str| {
            format!(
                "{before}mod tests {{\n    {attribute}\n    #[ignore]\n    fn it(rng: &mut TestRng) {{}}\n}}\n"
            )
        };
        let text = source(attribute);
        let mut test = crate::verdict::tests::test(1, 0.0, |_| 0.0);
        test.id = TestId::cargo("lib", "tests::it");
        for line in [5, 77] {
            test.place.line = line;
            let edit = option(&text, &test, "attempts", 4).unwrap();
            let changed = apply(&text, &[edit]).unwrap();
            assert_eq!(changed, source(expected), "line {line}");
            parses(&changed).unwrap();
        }
    }

    #[test]
    fn an_option_joins_those_that_are_there() {
        check("#[stochastic_test]", "#[stochastic_test(attempts = 4)]");
        check(
            "#[flex_harness::stochastic_test()] // as it was",
            "#[flex_harness::stochastic_test(attempts = 4)] // as it was",
        );
        check(
            "#[stochastic_test(runs = 10, tail = light, )]",
            "#[stochastic_test(runs = 10, tail = light, attempts = 4, )]",
        );
        check(
            "#[stochastic_test(attempts = 2, runs = 10)]",
            "#[stochastic_test(attempts = 4, runs = 10)]",
        );
    }

    #[test]
    fn what_is_not_there_or_no_number_is_said() {
        let mut test = crate::verdict::tests::test(1, 0.0, |_| 0.0);
        test.id = TestId::cargo("lib", "it");
        let why = |text: &str| option(text, &test, "attempts", 4).unwrap_err().to_string();
        assert!(why("#[test]\nfn it() {}").contains("no `#[stochastic_test]` stands above"));
        let constant = "#[stochastic_test(attempts = MANY)]\nfn it() {}";
        assert!(why(constant).contains("make it 4"));
    }
}
