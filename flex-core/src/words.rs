//! Numbers, lists and paragraphs for people: short, and 80 columns wide. The page of a report writes numbers in the same
//! way (flex-report/src/page/app/words.js).

use std::fmt;

use crate::visible::is_obeyed;

/// All digits of a bound, with an exponent where that is shorter.
pub fn plain(number: f64) -> String {
    let (plain, scientific) = (format!("{number}"), format!("{number:e}"));
    if plain.len() > 12 && scientific.len() < plain.len() {
        scientific
    } else {
        plain
    }
}

/// A number to four significant digits, without an exponent where that is short.
pub fn short(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let rounded: f64 = format!("{number:.3e}").parse().unwrap_or(number);
    if (1e-4..1e7).contains(&rounded.abs()) {
        format!("{rounded}")
    } else {
        format!("{rounded:e}")
    }
}

/// A probability in percent, to two significant digits.
pub fn percent(probability: f64) -> String {
    let percent = 100.0 * probability;
    match percent {
        0.0 => "0%".to_owned(),
        // Only certainty is 100%.
        p if (99.0..100.0).contains(&p) => format!("{:.1}%", p.min(99.9)),
        // What is rounded to 10 has two digits before the point.
        p if p >= 9.95 => format!("{p:.0}%"),
        p if p >= 0.995 => format!("{p:.1}%"),
        p if p >= 0.001 => format!("{}%", short(format!("{p:.1e}").parse().unwrap_or(p))),
        p => format!("{p:.1e}%"),
    }
}

/// A time, as a person would say it.
pub fn duration(seconds: f64) -> String {
    let (number, unit) = match seconds {
        s if s < 1e-3 => (s * 1e6, "µs"),
        s if s < 1.0 => (s * 1e3, "ms"),
        s if s < 120.0 => (s, "s"),
        s if s < 7200.0 => (s / 60.0, "min"),
        s => (s / 3600.0, "h"),
    };
    let number = format!("{number:.1}");
    format!("{} {unit}", number.strip_suffix(".0").unwrap_or(&number))
}

/// How rare something is: "1 in 10,000".
#[inline]
pub fn one_in(probability: f64) -> String {
    match probability > 0.0 {
        true => {
            let runs = format!("{:.3e}", 1.0 / probability);
            format!("1 in {}", thousands(runs.parse().unwrap_or(f64::INFINITY)))
        }
        false => "never".to_owned(),
    }
}

/// A time that nobody knows exactly.
#[inline]
pub fn about(seconds: f64) -> String {
    match seconds {
        s if s < 99.5 => format!("{} s", s.ceil()),
        s if s < 5970.0 => format!("{} min", (s / 60.0).round()),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// A whole number with commas between its thousands.
pub fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// Writes words wrapped at 80 columns and followed by an empty line.
#[inline]
pub fn paragraph(f: &mut fmt::Formatter<'_>, label: &str, words: &str) -> fmt::Result {
    f.write_str(&block(&format!("{label}{words}")))
}

/// Words wrapped at 80 columns and followed by an empty line.
pub fn block(words: &str) -> String {
    wrapped(words, 80, "") + "\n\n"
}

/// Words in lines of at most 80 columns that all begin with the indent, and end.
#[inline]
pub fn indented(words: &str, indent: &str) -> String {
    let words: Vec<&str> = words.split_whitespace().collect();
    match words.is_empty() {
        true => String::new(),
        false => wrapped(&format!("{indent}{}", words.join(" ")), 80, indent) + "\n",
    }
}

/// Wraps each line at so many columns, between words; what is carried over begins with the indent.
pub fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let lines = text.lines().map(|line| wrapped_line(line, width, indent));
    lines.collect::<Vec<String>>().join("\n")
}

fn wrapped_line(line: &str, width: usize, indent: &str) -> String {
    if line.chars().count() <= width {
        return line.to_owned();
    }
    let mut text = String::new();
    let mut column = 0;
    for (i, word) in line.split(' ').enumerate() {
        let length = word.chars().count();
        // An indent of the whole line is made of empty words.
        let is_first = text.chars().all(|c| c == ' ');
        if i > 0 && !is_first && column + 1 + length > width {
            text = text.trim_end().to_owned() + "\n" + indent;
            column = indent.chars().count();
        } else if i > 0 {
            text.push(' ');
            column += 1;
        }
        text += word;
        column += length;
    }
    text
}

/// A number with its noun and verb in the right form: "1 run is", "3 runs are".
pub fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Names runs, the first few of them: "run 7", "runs 3, 14 and 15", "runs 1, 2, 3, 4, 5 and 12 more".
pub fn run_list(runs: &[u32]) -> String {
    const SHOWN: usize = 5;
    match runs {
        [] => "no run".to_owned(),
        [run] => format!("run {run}"),
        [first @ .., last] if runs.len() <= SHOWN => {
            format!("runs {} and {last}", join(first))
        }
        _ => format!(
            "runs {} and {} more",
            join(&runs[..SHOWN]),
            runs.len() - SHOWN
        ),
    }
}

/// A word for the shell, quoted where it must be. Signs that a terminal would obey are left to `printf` (which cannot give
/// back a line that ends the word).
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if !word.contains(is_obeyed) {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    let mut format = String::new();
    for c in word.chars() {
        match c {
            '%' => format += "%%",
            '\\' => format += r"\\",
            '\'' => format += r"\047",
            c if is_obeyed(c) => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    format += &format!("\\{byte:03o}");
                }
            }
            c => format.push(c),
        }
    }
    format!("\"$(printf '{format}')\"")
}

fn join(runs: &[u32]) -> String {
    let words: Vec<String> = runs.iter().map(u32::to_string).collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_wrapped_between_words() {
        let check = |text: &str, width, indent, expected: &str| {
            assert_eq!(wrapped(text, width, indent), expected);
        };
        check("one two three", 7, "", "one two\nthree");
        check("one two three", 13, "", "one two three");
        check("  one two three", 9, "    ", "  one two\n    three");
        check("unbreakable word", 4, "", "unbreakable\nword");
        check("a  b |  drawn", 20, "", "a  b |  drawn");
        check("first\nsecond line", 8, "", "first\nsecond\nline");
        let lines = indented(&"four ".repeat(16), "  ");
        assert_eq!(lines, format!("  {}four\n  four\n", "four ".repeat(14)));
    }

    #[test]
    fn numbers_are_shown_short() {
        assert_eq!(short(0.0123456), "0.01235");
        assert_eq!(short(-1234567.0), "-1235000");
        assert_eq!(short(1.5e-9), "1.5e-9");
        assert_eq!(percent(0.0), "0%");
        assert_eq!(percent(0.6428), "64%");
        assert_eq!(percent(0.01234), "1.2%");
        assert_eq!([0.0994, 0.0997, 0.1].map(percent), ["9.9%", "10%", "10%"]);
        assert_eq!([0.009_94, 0.009_97].map(percent), ["0.99%", "1.0%"]);
        assert_eq!(percent(0.000_123_4), "0.012%");
        assert_eq!(percent(0.9999), "99.9%");
        assert_eq!(plain(81.2), "81.2");
        assert_eq!(plain(1.074e-13), "1.074e-13");
        assert_eq!(plain(1e308), "1e308");
        assert_eq!(duration(2.5e-7), "0.2 µs");
        assert_eq!(duration(0.0134), "13.4 ms");
        assert_eq!(duration(90.0), "90 s");
        assert_eq!(duration(600.0), "10 min");
        assert_eq!(duration(9000.0), "2.5 h");
        assert_eq!(one_in(1e-4), "1 in 10,000");
        assert_eq!(one_in(0.3), "1 in 3");
        assert_eq!(one_in(0.0), "never");
        assert_eq!(about(0.2), "1 s");
        assert_eq!(about(75.2), "76 s");
        assert_eq!(about(200.0), "3 min");
        assert_eq!(about(9000.0), "2.5 h");
        assert_eq!(thousands(10_000.0), "10,000");
        assert_eq!(thousands(100.0), "100");
    }

    #[test]
    fn the_shell_reads_one_word() {
        assert_eq!(quoted("k3J9@calibrate:57"), "k3J9@calibrate:57");
        assert_eq!(quoted("two words"), "'two words'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
        assert_eq!(
            quoted("\x1b[2J\n50% 'a' \\ \u{202e}$(b)"),
            r#""$(printf '\033[2J\01250%% \047a\047 \\ \342\200\256$(b)')""#
        );
    }

    #[test]
    fn one_is_singular() {
        assert_eq!(count(1, "run is", "runs are"), "1 run is");
        assert_eq!(count(0, "run is", "runs are"), "0 runs are");
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(run_list(&[7]), "run 7");
        assert_eq!(run_list(&[3, 14, 15]), "runs 3, 14 and 15");
        assert_eq!(
            run_list(&[1, 2, 3, 4, 5, 6, 7]),
            "runs 1, 2, 3, 4, 5 and 2 more"
        );
    }
}
