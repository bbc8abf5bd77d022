//! Lines of 80 columns, in colour where somebody sees it.

use std::fmt;

use flex_core::paint::{Ink, Paint};
use flex_core::words::wrapped;

/// Columns of the whole.
const WIDTH: usize = 80;

/// Words behind a label, wrapped at 80 columns and indented.
pub fn paragraph(f: &mut fmt::Formatter<'_>, label: &str, words: &str) -> fmt::Result {
    let words: Vec<&str> = words.split_whitespace().collect();
    let line = format!("  {label}: {}", words.join(" "));
    let text = wrapped(&line, WIDTH, "    ");
    let ink = match label {
        "refused" | "failed by themselves" => Some(Ink::Bad),
        "not written" | "warning" | "uncontrolled randomness" | "inconclusive" => Some(Ink::Look),
        "hint" => Some(Ink::Hint),
        _ => None,
    };
    match ink {
        Some(ink) => writeln!(
            f,
            "{}",
            paint(f).beginning(ink, &format!("  {label}:"), &text)
        ),
        None => writeln!(f, "{text}"),
    }
}

/// Numbers at the end of a line, or on one of their own where the line is too short for them.
pub fn fitting(f: &mut fmt::Formatter<'_>, row: &str, numbers: &str) -> fmt::Result {
    let width = row.chars().count() + numbers.chars().count();
    let numbers = paint(f).word(Ink::Strong, numbers);
    match width <= WIDTH {
        true => writeln!(f, "{row}{numbers}"),
        false => writeln!(f, "{}\n      {numbers}", row.trim_end()),
    }
}

/// Whether whoever reads this sees weight and colour.
pub fn paint(f: &fmt::Formatter<'_>) -> Paint {
    Paint::when(f.alternate())
}
