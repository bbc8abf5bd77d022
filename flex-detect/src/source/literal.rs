//! Writing a number as the literal before it was written: a float stays a float, with its suffix and its exponent.

/// A literal, taken apart.
#[derive(Debug, Clone, PartialEq)]
struct Style {
    is_float: bool,
    /// `e` or `E`, if there is an exponent.
    exponent: Option<char>,
    /// Whether thousands are set apart.
    underscores: bool,
    /// Rust's type, with an underscore before it if there is one.
    suffix: String,
}

/// What sort of number a literal may become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WholeNumber {
    /// A whole number may become a fraction, as in Python.
    MayBecomeFraction,
    /// A whole number must stay one, as in Rust.
    Stays,
}

/// `value` in the style of `literal`. `None` if the literal is not one, or a whole number cannot say it.
pub fn restyle(literal: &str, value: f64, whole: WholeNumber) -> Option<String> {
    let style = Style::of(literal)?;
    if !value.is_finite() {
        return None;
    }
    let sign = if value < 0.0 { "-" } else { "" };
    let size = value.abs();
    let digits = if !style.is_float && size.fract() == 0.0 && size < 1e18 {
        grouped(&format!("{size:.0}"), style.underscores)
    } else if !style.is_float && whole == WholeNumber::Stays {
        return None;
    } else {
        float(size, &style)
    };
    Some(format!("{sign}{digits}{}", style.suffix))
}

/// The value of a literal: its sign, digits, exponent and suffix.
pub fn value(literal: &str) -> Option<f64> {
    let (negative, text) = unsigned(literal);
    let (number, _) = split_suffix(text);
    if !number.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return None;
    }
    let value: f64 = number.replace('_', "").parse().ok()?;
    Some(if negative { -value } else { value })
}

impl Style {
    fn of(literal: &str) -> Option<Style> {
        value(literal)?;
        let (_, text) = unsigned(literal);
        let (number, suffix) = split_suffix(text);
        let exponent = number.chars().find(|c| matches!(c, 'e' | 'E'));
        let is_float = number.contains('.')
            || exponent.is_some()
            || suffix.trim_start_matches('_').starts_with('f');
        let whole = number.split(['.', 'e', 'E']).next().unwrap_or_default();
        Some(Style {
            is_float,
            exponent,
            underscores: whole.contains('_'),
            suffix: suffix.to_owned(),
        })
    }
}

fn unsigned(literal: &str) -> (bool, &str) {
    match literal.trim().strip_prefix('-') {
        Some(rest) => (true, rest.trim_start()),
        None => (false, literal.trim().trim_start_matches('+')),
    }
}

/// Cuts Rust's type off the end of a number.
fn split_suffix(number: &str) -> (&str, &str) {
    const TYPES: [&str; 14] = [
        "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64",
        "u128", "usize",
    ];
    let suffix = TYPES.iter().find(|suffix| number.ends_with(**suffix));
    let end = number.len() - suffix.map_or(0, |suffix| suffix.len());
    let end = number[..end].trim_end_matches('_').len();
    number.split_at(end)
}

/// The shortest digits of a float, with an exponent where the literal had one or plain digits would be hard to count.
fn float(size: f64, style: &Style) -> String {
    let plain = format!("{size:?}");
    let is_readable = size == 0.0 || (1e-5..1e15).contains(&size);
    match style.exponent {
        None if is_readable && !plain.contains('e') => match plain.split_once('.') {
            Some((whole, fraction)) => {
                format!("{}.{fraction}", grouped(whole, style.underscores))
            }
            None => plain,
        },
        letter => format!("{size:e}").replace('e', &letter.unwrap_or('e').to_string()),
    }
}

/// Underscores between thousands, as before.
fn grouped(digits: &str, underscores: bool) -> String {
    if !underscores {
        return digits.to_owned();
    }
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push('_');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_keeps_the_style_of_the_literal() {
        for (literal, value, expected) in [
            ("0.5", 0.57, "0.57"),
            ("0.5", 1.0, "1.0"),
            (".5", 2.0, "2.0"),
            ("5.", 12.0, "12.0"),
            ("0.5_f32", 0.57, "0.57_f32"),
            ("0.5f64", 2.0, "2.0f64"),
            ("2f64", 2.5, "2.5f64"),
            ("1e-3", 0.002, "2e-3"),
            ("1E-3", 0.0021, "2.1E-3"),
            ("1e-3", 3.0, "3e0"),
            ("0.001", 2e-7, "2e-7"),
            ("1_000", 12000.0, "12_000"),
            ("1_000.5", 12000.5, "12_000.5"),
            ("1000", 12000.0, "12000"),
            ("7usize", 9.0, "9usize"),
            ("-0.5", -0.75, "-0.75"),
            ("- 3", 2.0, "2"),
            ("3", -2.0, "-2"),
            ("1_000_i64", -1e6, "-1_000_000_i64"),
        ] {
            assert_eq!(
                restyle(literal, value, WholeNumber::Stays).as_deref(),
                Some(expected),
                "{literal}"
            );
        }
    }

    #[test]
    fn whole_numbers_become_fractions_only_where_the_language_lets_them() {
        assert_eq!(restyle("3", 2.5, WholeNumber::Stays), None);
        assert_eq!(
            restyle("3", 2.5, WholeNumber::MayBecomeFraction).as_deref(),
            Some("2.5")
        );
        assert_eq!(restyle("0.5", f64::INFINITY, WholeNumber::Stays), None);
    }

    #[test]
    fn literals_are_read_and_other_things_are_not() {
        for (literal, expected) in [
            ("0.5", Some(0.5)),
            ("-1_000.5e-1", Some(-100.05)),
            ("3u8", Some(3.0)),
            ("1e3_f64", Some(1000.0)),
            ("+2", Some(2.0)),
            ("0x10", None),
            ("EPS", None),
            ("inf", None),
            ("nan", None),
            ("", None),
            ("-", None),
        ] {
            assert_eq!(value(literal), expected, "{literal}");
        }
    }
}
