//! Patterns for the paths of tests: `*` stands for any text, `?` for any one character.

use std::fmt;

/// A pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob(String);

impl Glob {
    /// The pattern that a person wrote.
    pub fn new(pattern: impl Into<String>) -> Self {
        Glob(pattern.into())
    }

    /// Whether the pattern stands for all of this text.
    pub fn matches(&self, text: &str) -> bool {
        let pattern: Vec<char> = self.0.chars().collect();
        let text: Vec<char> = text.chars().collect();
        let (mut p, mut t) = (0, 0);
        // Where the last star was, and how much of the text it stands for; it takes more if the rest does not fit.
        let mut star: Option<(usize, usize)> = None;
        while t < text.len() {
            match pattern.get(p) {
                Some('*') => {
                    star = Some((p, t));
                    p += 1;
                }
                Some(c) if *c == '?' || *c == text[t] => {
                    p += 1;
                    t += 1;
                }
                _ => {
                    let Some((at, taken)) = star else {
                        return false;
                    };
                    star = Some((at, taken + 1));
                    p = at + 1;
                    t = taken + 1;
                }
            }
        }
        pattern[p..].iter().all(|c| *c == '*')
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(pattern: &str, fit: &[&str], others: &[&str]) {
        let glob = Glob::new(pattern);
        for text in fit {
            assert!(glob.matches(text), "{pattern} {text}");
        }
        for text in others {
            assert!(!glob.matches(text), "{pattern} {text}");
        }
    }

    #[test]
    fn stars_and_question_marks_stand_for_text() {
        check("a::b", &["a::b"], &["a::bc", "xa::b", ""]);
        check("a::*", &["a::", "a::b::c"], &["a:b", "b::a::c"]);
        check(
            "*_slow",
            &["_slow", "x_slow", "a_slow_slow"],
            &["slower", "_slow_"],
        );
        check("*a*b*", &["ab", "xaxbx", "bab"], &["ba", ""]);
        check("te?t", &["test", "te*t", "teßt"], &["tet", "tesst"]);
        check("*", &["", "anything"], &[]);
        check("", &[""], &["a"]);
    }

    #[test]
    fn many_stars_take_no_long_time() {
        // Tried one way after the other, this would take longer than the age of the universe.
        let glob = Glob::new("*a".repeat(40) + "b");
        assert!(!glob.matches(&"a".repeat(2000)));
    }
}
