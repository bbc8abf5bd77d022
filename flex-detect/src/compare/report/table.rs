//! The table: a block for each test, two lines for each series that changed.

use flex_core::paint::{Ink, Paint};
use flex_core::visible::visible;
use flex_core::words::wrapped;

use super::counts::last_lines;
use super::picture::picture;
use super::words::{e_value, remarks, revisions, shift, spread, verdict};
use crate::compare::decided::{Compared, ComparedTest, DecidedSeries};
use crate::compare::verdict::SeriesVerdict;

/// Columns of a line.
const WIDTH: usize = 80;

/// The comparison for people. Readable without colour, and 80 columns wide but for names and sources. Identical series are
/// counted, and listed only if `verbose`; `paint` adds weight and colour, and no word.
pub fn text(compared: &Compared, verbose: bool, paint: Paint) -> String {
    let [old, new] = revisions(compared);
    let mut text = format!("old: {}\nnew: {}\n\n", visible(&old), visible(&new));
    for test in &compared.tests {
        text += &of_test(test, verbose, paint);
    }
    for (word, tests) in [("new", &compared.added), ("gone", &compared.gone)] {
        for test in tests {
            text += &format!("{word}: {}\n", visible(test.name()));
        }
    }
    if !(compared.added.is_empty() && compared.gone.is_empty()) {
        text.push('\n');
    }
    text + &last_lines(compared)
}

fn of_test(test: &ComparedTest, verbose: bool, paint: Paint) -> String {
    let is_told = |decided: &&DecidedSeries| verbose || decided.verdict != SeriesVerdict::Identical;
    let told: Vec<&DecidedSeries> = test.series.iter().filter(is_told).collect();
    let remarks = remarks(test);
    if told.is_empty() && remarks.is_empty() {
        return String::new();
    }
    let mut text = paint.word(Ink::Strong, &visible(&test.label())) + "\n";
    for decided in told {
        text += &of_series(decided, paint);
    }
    for remark in remarks {
        text += &wrapped(&format!("  {}", visible(&remark)), WIDTH, "    ");
        text.push('\n');
    }
    text + "\n"
}

/// The ink of a verdict.
fn ink(verdict: SeriesVerdict) -> Ink {
    match verdict {
        SeriesVerdict::Worse => Ink::Bad,
        SeriesVerdict::Undecided => Ink::Look,
        SeriesVerdict::Better => Ink::Good,
        SeriesVerdict::Identical | SeriesVerdict::WithinMargin => Ink::Faint,
    }
}

/// Two parts in a line, or one below the other where it does not hold both. The second may be painted.
fn columns(left: &str, right: &str, painted: &str) -> String {
    const LEFT: usize = 40;
    let width = left.chars().count().max(LEFT) + right.chars().count();
    match width + "     ".len() <= WIDTH {
        true => format!("    {left:<LEFT$} {painted}\n"),
        false => format!("    {left}\n      {painted}\n"),
    }
}

fn of_series(decided: &DecidedSeries, paint: Paint) -> String {
    let mut text = format!("  {}\n", visible(&decided.key.label()));
    let values = format!("{} -> {}", spread(&decided.old), spread(&decided.new));
    let verdict = verdict(decided);
    let painted = paint.word(ink(decided.verdict), &verdict);
    text += &columns(&values, &verdict, &painted);
    if decided.verdict == SeriesVerdict::Identical {
        return text;
    }
    let shift = shift(decided).unwrap_or_default();
    let evidence = decided.ln_e_value.zip(decided.level);
    let evidence =
        evidence.map(|(ln, level)| format!("e = {} of {}", e_value(ln), e_value(-level.ln())));
    let evidence = evidence.unwrap_or_default();
    text += &columns(&shift, &evidence, &evidence);
    for line in picture(decided).iter().flat_map(|picture| picture.lines()) {
        text += &format!("    {line}\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_a_terminal_and_no_number_is_cut() {
        let long = "-0.0001234 ± 0.0001234 -> -0.0001234 ± 0.0001234";
        let verdict = "different, better after 99999 pairs";
        for (left, right, lines) in [
            ("0.04141 ± 0.0313 -> 0.0478 ± 0.0352", verdict, 1),
            (long, verdict, 2),
            ("shift +0.016", "", 1),
        ] {
            let text = columns(left, right, right);
            assert!(text.contains(left) && text.contains(right), "{text}");
            assert!(
                text.lines().all(|line| line.chars().count() <= WIDTH),
                "{text}"
            );
            assert_eq!(text.lines().count(), lines, "{text}");
        }
    }
}
