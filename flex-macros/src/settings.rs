//! Settings: the `key = value` pairs of the attribute and of the assertions.

use crate::quoted::{ToTokens as _, quote};
use crate::token::{Ident, Literal, TokenStream};

use crate::spelling::closest;
use crate::syntax::{Error, Expr, ExprKind, Input, Parse, Result, literal_number, literal_text};
use crate::tokens::is_word;

/// `key = value`.
pub struct Setting {
    pub key: Ident,
    pub value: Expr,
}

impl Setting {
    /// Whether the key is this one.
    pub fn is(&self, key: &str) -> bool {
        is_word(&self.key, key)
    }
}

impl Parse for Setting {
    fn parse(input: &mut Input) -> Result<Self> {
        let key = input.word()?;
        if !input.take_punct("=") {
            return Err(Error::new_spanned(
                &key,
                format!("expected `{key} = …`: every option has a value"),
            ));
        }
        let value = input.parse()?;
        Ok(Setting { key, value })
    }
}

/// Refuses keys that are not among the known ones, and keys that occur twice.
pub fn check_keys(settings: &[Setting], known: &[&str], errors: &mut Errors) {
    for (i, Setting { key, .. }) in settings.iter().enumerate() {
        let name = key.to_string();
        if !known.contains(&name.as_str()) {
            let hint = match closest(&name, known) {
                Some(close) => format!("did you mean `{close}`?"),
                None => format!("there are {}", list(known)),
            };
            errors.push(Error::new_spanned(
                key,
                format!("no option `{name}`; {hint}"),
            ));
        } else if settings[..i].iter().any(|earlier| earlier.is(&name)) {
            let message = format!("`{name}` is given twice; remove one of them");
            errors.push(Error::new_spanned(key, message));
        }
    }
}

/// Refuses a confidence that is no probability, if it is a literal.
pub fn check_confidence(value: &Expr, errors: &mut Errors) {
    match number(value) {
        Some(confidence) if confidence <= 0.0 || confidence >= 1.0 => {
            let hint = if confidence > 50.0 && confidence < 100.0 {
                format!("write {} for {confidence} %", percent(confidence))
            } else {
                "write 0.9999, for example".to_owned()
            };
            errors.push(Error::new_spanned(
                value,
                format!("`confidence` is a probability between 0 and 1; {hint}"),
            ));
        }
        _ => {}
    }
}

/// `confidence` divided by 100, without the dust of binary arithmetic.
fn percent(confidence: f64) -> f64 {
    (confidence * 1e10).round() / 1e12
}

/// The value of a literal number, which may have a sign.
pub fn number(value: &Expr) -> Option<f64> {
    let number = match &value.kind {
        ExprKind::Literal(literal) => literal_number(literal),
        ExprKind::Unary('-', operand) => number(operand).map(|number| -number),
        ExprKind::Brackets(_) => number(&value.in_brackets()?),
        ExprKind::Group(inside) => number(inside),
        _ => None,
    };
    number.filter(|number: &f64| number.is_finite())
}

/// A value that is a single word, with or without quotes.
pub fn word(value: &Expr) -> Option<String> {
    match &value.kind {
        ExprKind::Literal(text) => literal_text(text),
        ExprKind::Path(path) => path.word().map(ToString::to_string),
        _ => None,
    }
}

/// The number as tokens.
pub fn number_tokens(number: f64) -> TokenStream {
    let magnitude = Literal::f64_suffixed(number.abs());
    if number.is_sign_negative() {
        quote!([magnitude] -#magnitude)
    } else {
        magnitude.to_tokens()
    }
}

/// Errors that are reported together.
#[derive(Default)]
pub struct Errors(Option<Error>);

impl Errors {
    /// Takes an error.
    pub fn push(&mut self, error: Error) {
        match &mut self.0 {
            Some(errors) => errors.combine(error),
            None => self.0 = Some(error),
        }
    }

    /// All errors as one, if there are any.
    pub fn into_result(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}

/// "`a`, `b` and `c`".
fn list(words: &[&str]) -> String {
    let quoted = words.iter().map(|word| format!("`{word}`"));
    let quoted = quoted.collect::<Vec<_>>();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::parse;

    #[test]
    fn literal_numbers_have_values() {
        let check = |source: &str, expected| {
            assert_eq!(
                number(&parse(source.parse().unwrap()).unwrap()),
                expected,
                "{source}"
            );
        };
        check("0.05", Some(0.05));
        check("-1_000", Some(-1000.0));
        check("(3u8)", Some(3.0));
        check("1e-9f32", Some(1e-9));
        check("0x10", Some(16.0));
        check("1e999", None);
        check("x", None);
        check("-x", None);
        check("\"1\"", None);
        check("1.0 + 1.0", None);
    }
}
