//! What is in no brackets and no quotes: numbers, dates, `true` and `false`.

use std::borrow::Cow;

use super::Value;

/// The value that a word is, if it is one.
pub(super) fn scalar(word: &str) -> Option<Value<'_>> {
    Some(match word {
        "true" => Value::Boolean(true),
        "false" => Value::Boolean(false),
        _ if is_date(word) => Value::Date,
        _ => number(word)?,
    })
}

fn number(word: &str) -> Option<Value<'_>> {
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = word.strip_prefix(prefix) {
            return are_digits(digits, radix).then(|| Value::Integer(plain(digits), radix));
        }
    }
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    if unsigned == "inf" || unsigned == "nan" {
        return Some(Value::Float(Cow::Borrowed(word)));
    }
    let (before, exponent) = parted(unsigned, &['e', 'E']);
    let (whole, fraction) = parted(before, &['.']);
    let exponent = exponent.map(|digits| digits.strip_prefix(['+', '-']).unwrap_or(digits));
    let is_number = are_digits(whole, 10)
        && (whole.len() == 1 || !whole.starts_with('0'))
        && fraction.is_none_or(|digits| are_digits(digits, 10))
        && exponent.is_none_or(|digits| are_digits(digits, 10));
    let is_whole = fraction.is_none() && exponent.is_none();
    is_number.then(|| match is_whole {
        true => Value::Integer(plain(word), 10),
        false => Value::Float(plain(word)),
    })
}

/// A word up to the first of these characters, and what is behind it.
fn parted<'t>(word: &'t str, at: &[char]) -> (&'t str, Option<&'t str>) {
    match word.split_once(at) {
        Some((before, behind)) => (before, Some(behind)),
        None => (word, None),
    }
}

/// Digits, with single `_` between them.
fn are_digits(word: &str, radix: u32) -> bool {
    let mut was_digit = false;
    for c in word.chars() {
        match (c.is_digit(radix), c) {
            (true, _) => was_digit = true,
            (false, '_') if was_digit => was_digit = false,
            _ => return false,
        }
    }
    was_digit
}

/// Digits without `_`.
fn plain(digits: &str) -> Cow<'_, str> {
    match digits.contains('_') {
        true => Cow::Owned(digits.replace('_', "")),
        false => Cow::Borrowed(digits),
    }
}

/// Whether a word is written as a day, a time or both; whether there is such a day nobody asks.
fn is_date(word: &str) -> bool {
    if like(word, "0000-00-00") {
        return true;
    }
    let time = match word.split_at_checked(10) {
        Some((day, rest)) if like(day, "0000-00-00") => {
            let Some(time) = rest.strip_prefix(['T', 't', ' ']) else {
                return false;
            };
            let offset = time.len().saturating_sub("+00:00".len());
            match time.split_at_checked(offset) {
                Some((time, offset)) if like(offset, "+00:00") || like(offset, "-00:00") => time,
                _ => time.strip_suffix(['Z', 'z']).unwrap_or(time),
            }
        }
        _ => word,
    };
    match time.split_once('.') {
        Some((time, parts)) => {
            like(time, "00:00:00")
                && !parts.is_empty()
                && parts.bytes().all(|byte| byte.is_ascii_digit())
        }
        None => like(time, "00:00:00") || like(time, "00:00"),
    }
}

/// Whether a word has this shape, in which `0` is for any digit.
fn like(word: &str, shape: &str) -> bool {
    let mut both = word.bytes().zip(shape.bytes());
    word.len() == shape.len()
        && both.all(|(byte, shape)| match shape {
            b'0' => byte.is_ascii_digit(),
            _ => byte == shape,
        })
}
