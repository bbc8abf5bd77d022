//! The comparison as Markdown, for the summary of a pull request.

use super::counts::last_lines;
use super::picture::picture;
use super::words::{remarks, revisions, shift, spread, verdict};
use crate::compare::decided::{Compared, DecidedSeries};
use crate::compare::verdict::SeriesVerdict;
use crate::markdown::{block, code, words};

/// A table of all series that changed, their pictures, and what the reader should know.
pub fn markdown(compared: &Compared) -> String {
    let [old, new] = revisions(compared);
    let mut text = format!(
        "### Old and new code under the same seeds\n\nold: {}, new: {}\n\n",
        words(&old),
        words(&new)
    );
    let is_told = |(_, decided): &(_, &DecidedSeries)| decided.verdict != SeriesVerdict::Identical;
    let told: Vec<_> = compared.series().filter(is_told).collect();
    if !told.is_empty() {
        text += "| test | what | old | new | verdict |\n|---|---|---|---|---|\n";
    }
    for (test, decided) in &told {
        // A bar would end the cell, in code too.
        let cell = |text: &str| code(text).replace('|', "\\|");
        text += &format!(
            "| {} | {} | {} | {} | {} |\n",
            cell(&test.label()),
            cell(&decided.key.label()),
            spread(&decided.old),
            spread(&decided.new),
            verdict(decided)
        );
    }
    for (test, decided) in &told {
        if let Some(picture) = picture(decided) {
            let (label, what) = (test.label(), decided.key.label());
            let shift = shift(decided).unwrap_or_default();
            text += &format!("\n{}, {}: {shift}\n\n", code(&label), code(&what));
            text += &block("text", &picture);
        }
    }
    for test in &compared.tests {
        for remark in remarks(test) {
            text += &format!("\n- {}: {}\n", code(&test.label()), words(&remark));
        }
    }
    for (word, tests) in [("new", &compared.added), ("gone", &compared.gone)] {
        for test in tests {
            text += &format!("\n- {word}: {}\n", code(test.name()));
        }
    }
    format!("{text}\n{}", last_lines(compared))
}
