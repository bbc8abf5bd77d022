//! What the pages of measurements share: sections, and tables of bars.

use std::fmt::Write;

/// A part of a page, and the bars that it misses.
pub struct Section {
    pub text: String,
    pub missed: Vec<String>,
}

/// A bar: what was measured, what is allowed.
pub struct Bar {
    pub what: String,
    pub measured: String,
    pub bar: String,
    pub kept: bool,
}

/// The table of some bars, and those of them that are missed.
pub fn table(bars: &[Bar]) -> (String, Vec<String>) {
    let mut text = "| what | measured | bar | |\n|---|---|---|---|\n".to_owned();
    let mut missed = Vec::new();
    for bar in bars {
        let Bar {
            what,
            measured,
            bar: allowed,
            kept,
        } = bar;
        let word = if *kept { "kept" } else { "**missed**" };
        let _ = writeln!(text, "| {what} | {measured} | {allowed} | {word} |");
        if !kept {
            missed.push(format!("{what}: {measured}, bar {allowed}"));
        }
    }
    (text, missed)
}

/// Whether all bars are kept; the error lists those that are not.
pub fn judge(missed: Vec<String>) -> Result<(), String> {
    if missed.is_empty() {
        Ok(())
    } else {
        Err(format!("missed bars:\n  {}", missed.join("\n  ")))
    }
}
