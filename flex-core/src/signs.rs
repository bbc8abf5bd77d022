//! Signs beyond ASCII, spelt in ASCII where the locale has no others.

/// The signs that we write, and what stands for them. Whatever else there is comes from names, and stays.
const SIGNS: [(char, &str); 30] = [
    ('▁', "."),
    ('▂', ":"),
    ('▃', "-"),
    ('▄', "="),
    ('▅', "+"),
    ('▆', "*"),
    ('▇', "#"),
    ('█', "@"),
    ('░', "."),
    ('│', "|"),
    ('─', "-"),
    ('µ', "u"),
    ('±', "+-"),
    ('–', "-"),
    ('—', "--"),
    ('−', "-"),
    ('…', "..."),
    ('·', "-"),
    ('≤', "<="),
    ('≥', ">="),
    ('×', "x"),
    ('→', "->"),
    ('←', "<-"),
    ('√', "sqrt "),
    ('α', "alpha"),
    ('β', "beta"),
    ('λ', "lambda"),
    ('σ', "sigma"),
    ('ξ', "xi"),
    ('’', "'"),
];

/// A text with our own signs spelt in ASCII.
#[inline]
pub fn ascii(text: &str) -> String {
    let mut spelt = String::with_capacity(text.len());
    for c in text.chars() {
        match SIGNS.iter().find(|(sign, _)| *sign == c) {
            Some((_, ascii)) => spelt += ascii,
            None => spelt.push(c),
        }
    }
    spelt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_signs_have_a_spelling() {
        assert_eq!(ascii("0.2 µs ± 3 ≤ ▁█"), "0.2 us +- 3 <= .@");
        assert_eq!(ascii("tests::größe"), "tests::größe");
    }
}
