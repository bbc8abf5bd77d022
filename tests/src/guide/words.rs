//! What a page shows of a command against what the command said, whatever the numbers and commits are.

/// Whether all lines of `shown` stand in `said`, in this order; numbers, times, seeds and pictures may differ, and `...` stands
/// for any lines, or for how a line goes on. Returns the first line that is missing.
pub fn missing<'a>(shown: &'a str, said: &str) -> Option<&'a str> {
    let mut said = said.lines().map(alike);
    let shown = shown
        .lines()
        .filter(|line| !["", "...", "…"].contains(&line.trim()));
    shown
        .into_iter()
        .find(|line| !said.any(|known| is_shown_by(&alike(line), &known)))
}

/// Whether a line of a page shows what was said.
fn is_shown_by(shown: &str, said: &str) -> bool {
    match shown.strip_suffix("...") {
        Some(begins) => said.starts_with(begins),
        None => shown == said,
    }
}

/// A line without what differs from run to run.
fn alike(line: &str) -> String {
    let words: Vec<String> = line.split_whitespace().map(word).collect();
    let mut kept: Vec<&str> = Vec::new();
    let mut is_picture = false;
    for word in words.iter().map(String::as_str) {
        let is_unit = ["ns", "µs", "ms", "seconds", "second", "minutes"]
            .iter()
            .any(|unit| word.trim_end_matches([',', ';', ')', ':', '.']) == *unit);
        let opens = word.starts_with('[') && word.contains(['-', '=', '|']);
        is_picture |= opens;
        let was_picture = is_picture;
        is_picture &= !word.ends_with(']');
        if was_picture || is_unit {
            continue;
        }
        kept.push(word);
    }
    kept.join(" ")
}

/// A word without its digits, its seed, its little bars; a commit has none that count.
fn word(word: &str) -> String {
    let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    let is_hex = bare.chars().all(|c| c.is_ascii_hexdigit());
    if bare.len() >= 7 && is_hex {
        return word.replace(bare, "#");
    }
    for seed in ["FLEX_SEED=", "--flex-seed="] {
        if let Some(at) = word.find(seed) {
            return format!("{}{seed}#", &word[..at]);
        }
    }
    let mut text = String::new();
    let mut chars = word.chars().peekable();
    while let Some(c) = chars.next() {
        let next = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>, signs: &str| {
            chars.peek().is_some_and(|c| signs.contains(*c))
        };
        let is_bar = |c: char| ('▁'..='█').contains(&c);
        if c.is_ascii_digit() {
            text.push('#');
            while next(&mut chars, "0123456789.,e") {
                let sign = chars.next();
                if sign == Some('e') && next(&mut chars, "-") {
                    chars.next();
                }
            }
        } else if matches!(c, '-' | '+' | '−') && next(&mut chars, "0123456789") {
            // The sign of a number.
        } else if is_bar(c) {
            text.push('█');
            while chars.peek().copied().is_some_and(is_bar) {
                chars.next();
            }
        } else {
            text.push(c);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_times_and_pictures_may_differ() {
        let same = |a: &str, b: &str| assert_eq!(alike(a), alike(b));
        same("  100 runs, 3.2 ms each", "100 runs, 155.6 µs each");
        same("guard 0.0133  ceiling 0.82", "guard 1e-5 ceiling 12,000.5");
        same("moved -0.5 by +3", "moved 0.5 by 3");
        same("walk ▂▃▄", "walk █");
        same("old: main (b7e5b4b8e)", "old: main (abcdefabc)");
        same("0.1 [-==|G=-- X] 0.3", "2 [-=|=--  G  X ] 9");
        same(
            "replay: FLEX_SEED=abc cargo test",
            "replay: FLEX_SEED=x1 cargo test",
        );
        assert_ne!(alike("3 runs failed"), alike("3 runs passed"));
    }

    #[test]
    fn lines_come_in_their_order() {
        let said = "one 1\ntwo\nthree\n";
        assert_eq!(missing("one 7\n...\nthree\n", said), None);
        assert_eq!(missing("three\none 1\n", said), Some("one 1"));
        assert_eq!(missing("four\n", said), Some("four"));
    }
}
