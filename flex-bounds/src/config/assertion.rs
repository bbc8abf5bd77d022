//! `[[assertion]]`: a function of a project's own that asserts something about numbers.

use crate::document::Placed;
use crate::file::error::{Fault, Parsed};
use crate::file::field::{Field, NO_ADVICE, fields, table_of};
use crate::keys::{self, names};

/// A function that asserts something about numbers, and which of its parameters say what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssertionRule {
    /// Its full name, like `pkg.mod.assert_close_enough`.
    pub function: String,
    /// The parameter with the value that is asserted about.
    pub actual: String,
    /// The parameter with what it should be close to; without one, the value is a difference already.
    pub expected: Option<String>,
    /// What the number means that it is held against.
    pub kind: BoundKind,
    /// The parameter with that number.
    pub bound: String,
}

/// What the number means that a value is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoundKind {
    /// An absolute tolerance.
    Atol,
    /// A relative tolerance.
    Rtol,
    /// The value is to stay below.
    Upper,
    /// The value is to stay above.
    Lower,
}

impl BoundKind {
    /// Its key in `flex.toml`.
    pub fn as_str(self) -> &'static str {
        match self {
            BoundKind::Atol => "atol",
            BoundKind::Rtol => "rtol",
            BoundKind::Upper => "upper",
            BoundKind::Lower => "lower",
        }
    }
}

pub(super) fn assertion_rule(value: &Placed<'_>) -> Parsed<AssertionRule> {
    let at = value.at;
    let (mut function, mut actual, mut expected, mut bound) = (None, None, None, None);
    for field in fields(table_of(value, "assertion")?, NO_ADVICE) {
        let kind = match field.key {
            "function" => {
                function = Some(dotted(&field)?);
                continue;
            }
            "actual" => {
                actual = Some(parameter(&field)?);
                continue;
            }
            "expected" => {
                expected = Some((parameter(&field)?, field.at));
                continue;
            }
            "atol" => BoundKind::Atol,
            "rtol" => BoundKind::Rtol,
            "upper" => BoundKind::Upper,
            "lower" => BoundKind::Lower,
            _ => return Err(field.unknown(&names(keys::ASSERTION))),
        };
        if let Some((other, _)) = bound.replace((kind, parameter(&field)?)) {
            let (one, other) = (kind.as_str(), BoundKind::as_str(other));
            return Err(field.wrong(format!(
                "an assertion has one bound: state `{other}` or `{one}`, not both"
            )));
        }
    }
    let missing = |what: &str, example: &str| {
        Fault::new(
            at,
            format!("this `[[assertion]]` does not say {what}: add `{example}`"),
        )
    };
    let function = function.ok_or_else(|| {
        missing(
            "which function it is",
            "function = \"package.module.assert_close_enough\"",
        )
    })?;
    let actual = actual
        .ok_or_else(|| missing("which parameter holds the value", "actual = \"measured\""))?;
    let (kind, bound) = bound.ok_or_else(|| {
        missing(
            "which parameter holds the bound",
            "atol = \"tolerance\"`, or `rtol`, `upper`, `lower",
        )
    })?;
    match expected {
        Some((_, at)) if matches!(kind, BoundKind::Upper | BoundKind::Lower) => Err(Fault::new(
            at,
            format!(
                "`expected` goes with a tolerance, `atol` or `rtol`; with `{}` the value itself is held against it",
                kind.as_str()
            ),
        )),
        expected => Ok(AssertionRule {
            function,
            actual,
            expected: expected.map(|(name, _)| name),
            kind,
            bound,
        }),
    }
}

/// The full name of a function.
fn dotted(field: &Field<'_>) -> Parsed<String> {
    let name = field.string()?;
    let words: Vec<&str> = name.split('.').collect();
    if words.len() < 2 || !words.iter().all(|word| is_name(word)) {
        return Err(field.wrong(format!(
            "`{name}` is not a function with its module, like \"package.module.assert_close_enough\""
        )));
    }
    Ok(name)
}

/// The name of a parameter.
fn parameter(field: &Field<'_>) -> Parsed<String> {
    let name = field.string()?;
    if is_name(&name) {
        Ok(name)
    } else {
        Err(field.wrong(format!(
            "`{}` is the name of a parameter of the function, not \"{name}\"",
            field.key
        )))
    }
}

fn is_name(word: &str) -> bool {
    let mut letters = word.chars();
    let is_first = |letter: char| letter.is_alphabetic() || letter == '_';
    letters.next().is_some_and(is_first)
        && letters.all(|letter| is_first(letter) || letter.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn a_function_says_which_parameter_means_what() {
        let text = r#"
            [[assertion]]
            function = "pkg.mod.assert_close_enough"
            actual = "a"
            expected = "b"
            rtol = "tolerance"
            [[assertion]]
            function = "mod.Case.check"
            actual = "x"
            lower = "least"
        "#;
        let config: Config = text.parse().unwrap();
        let rule = AssertionRule {
            function: "pkg.mod.assert_close_enough".to_owned(),
            actual: "a".to_owned(),
            expected: Some("b".to_owned()),
            kind: BoundKind::Rtol,
            bound: "tolerance".to_owned(),
        };
        assert_eq!(config.assertions[0], rule);
        assert_eq!(config.assertions[1].kind, BoundKind::Lower);
        assert_eq!(config.assertions[1].expected, None);
    }

    fn wrong(keys: &str, line: usize, expected: &str) {
        let text = format!("[[assertion]]\n{keys}");
        let error = text.parse::<Config>().unwrap_err();
        assert_eq!(error.line, line, "{error}");
        assert!(error.message.contains(expected), "{error}");
    }

    #[test]
    fn what_is_missing_or_too_much_is_said() {
        let whole = "function = 'p.f'\nactual = 'a'\n";
        wrong("actual = 'a'\natol = 't'", 1, "which function");
        wrong("function = 'p.f'\natol = 't'", 1, "holds the value");
        wrong(whole, 1, "holds the bound");
        wrong(&format!("{whole}atl = 't'"), 4, "did you mean `atol`?");
        wrong(&format!("{whole}atol = 't'\nupper = 'u'"), 5, "not both");
        wrong(
            &format!("{whole}upper = 'u'\nexpected = 'b'"),
            5,
            "goes with a tolerance",
        );
        wrong("function = 'close'", 2, "with its module");
        wrong("function = 'p.f()'", 2, "with its module");
        wrong("actual = 3", 2, "");
        wrong("actual = 'a b'", 2, "name of a parameter");
        let error = "assertion = [1]".parse::<Config>().unwrap_err();
        assert!(error.message.contains("[[assertion]]"), "{error}");
    }
}
