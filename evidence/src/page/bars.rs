//! The sections of a page, and the bars that measurements are held to.

use std::fmt::Write;

/// A section of a page: the results of one part.
#[derive(Debug, Default)]
pub struct Section {
    /// Its text, in Markdown.
    pub text: String,
    /// The bars that are missed, a line each.
    pub missed: Vec<String>,
    /// Further files that go with the page, by their names in `docs/evidence`.
    pub files: Vec<(&'static str, String)>,
}

impl Section {
    /// A section with a table of bars at its end.
    pub fn with_bars(text: String, bars: &[Bar]) -> Self {
        Section {
            text: text + &table(bars),
            missed: missed(bars),
            ..Section::default()
        }
    }
}

impl From<String> for Section {
    /// A section without bars.
    fn from(text: String) -> Self {
        Section {
            text,
            ..Section::default()
        }
    }
}

/// A bar: what was measured, and what is allowed.
#[derive(Debug)]
pub struct Bar {
    /// The quantity that is held to it.
    pub what: String,
    /// The measured value, in words.
    pub measured: String,
    /// The allowed values, in words.
    pub bar: String,
    /// The measured value is allowed.
    pub kept: bool,
}

/// The bars as a table.
pub fn table(bars: &[Bar]) -> String {
    let mut text = "| what | measured | bar | |\n|---|---|---|---|\n".to_owned();
    for bar in bars {
        let word = if bar.kept { "kept" } else { "**missed**" };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {word} |",
            bar.what, bar.measured, bar.bar
        );
    }
    text
}

/// The bars that are missed, a line each.
pub fn missed(bars: &[Bar]) -> Vec<String> {
    bars.iter()
        .filter(|bar| !bar.kept)
        .map(|bar| format!("{}: {}, bar {}", bar.what, bar.measured, bar.bar))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missed_bar_is_marked_and_listed() {
        let bar = |what: &str, kept| Bar {
            what: what.to_owned(),
            measured: "3 ms".to_owned(),
            bar: "≤ 2 ms".to_owned(),
            kept,
        };
        let section =
            Section::with_bars("Times.\n\n".to_owned(), &[bar("a", true), bar("b", false)]);
        assert!(section.text.starts_with("Times.\n\n| what |"));
        assert!(section.text.contains("| a | 3 ms | ≤ 2 ms | kept |"));
        assert!(
            section
                .text
                .ends_with("| b | 3 ms | ≤ 2 ms | **missed** |\n")
        );
        assert_eq!(section.missed, ["b: 3 ms, bar ≤ 2 ms"]);
    }
}
