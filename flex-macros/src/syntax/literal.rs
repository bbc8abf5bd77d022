//! What literals stand for.

use crate::token::Literal;

/// The value of a number.
pub fn literal_number(literal: &Literal) -> Option<f64> {
    let text = literal.to_string().replace('_', "");
    if !text.starts_with(|first: char| first.is_ascii_digit() || first == '-') {
        return None;
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = text.strip_prefix(prefix) {
            let end = digits.find(|digit: char| !digit.is_digit(radix));
            let digits = &digits[..end.unwrap_or(digits.len())];
            return u128::from_str_radix(digits, radix)
                .ok()
                .map(|value| value as f64);
        }
    }
    let is_suffix = |&(place, letter): &(usize, char)| {
        let mut rest = text[place + 1..].chars();
        let is_exponent = matches!(letter, 'e' | 'E')
            && (rest.next()).is_some_and(|next| next.is_ascii_digit() || "+-".contains(next));
        letter.is_alphabetic() && !is_exponent
    };
    let suffix = text.char_indices().find(is_suffix);
    let end = suffix.map_or(text.len(), |(place, _)| place);
    text[..end].parse().ok()
}

/// What stands between the quotes of a text, with its escapes as they are written.
pub fn literal_text(literal: &Literal) -> Option<String> {
    let text = literal.to_string();
    if !text.starts_with('"') && !text.starts_with("r\"") && !text.starts_with("r#") {
        return None;
    }
    let (first, last) = (text.find('"')?, text.rfind('"')?);
    text.get(first + 1..last).map(str::to_owned)
}
