//! What was found, for people: as text, as annotations of GitHub, and as Markdown.

use std::fmt::Write as _;
use std::path::Path;

use flex_core::paint::{Ink, Paint};
use flex_core::visible::{visible, visible_lines};
use flex_core::words::wrapped;
use flex_detect::compare as report;
use flex_gate::trials::TrialVerdict;
use flex_run::project::github;

use super::checked::{Checked, CheckedTest};

/// The tests, those that block first; each line fits a terminal but for its names.
pub fn text(checked: &Checked, paint: Paint) -> String {
    let mut text = String::new();
    for test in sorted(checked) {
        let name = paint.word(Ink::Strong, &visible(&test.name));
        let verdict = format!("    {}: {}", test.verdict.name(), test.verdict.words());
        let verdict = wrapped(&visible(&verdict), 80, "      ");
        let begins = format!("    {}", test.verdict.name());
        let verdict = paint.beginning(ink(&test.verdict), &begins, &verdict);
        let _ = writeln!(text, "{name}\n{verdict}");
        for line in details(test) {
            let line = format!("    {}", visible(&line));
            // A command is to be pasted.
            let _ = match line.starts_with("    replay: ") {
                true => writeln!(text, "{line}"),
                false => writeln!(text, "{}", wrapped(&line, 80, "      ")),
            };
        }
    }
    if let Some(compared) = &checked.compared {
        text.push('\n');
        text += &report::text(compared, false, paint);
    }
    text
}

/// The ink of a verdict.
fn ink(verdict: &TrialVerdict) -> Ink {
    match verdict {
        verdict if verdict.blocks() => Ink::Bad,
        TrialVerdict::Flaky { .. } | TrialVerdict::Failing { .. } | TrialVerdict::NotBegun => {
            Ink::Look
        }
        _ => Ink::Good,
    }
}

fn sorted(checked: &Checked) -> Vec<&CheckedTest> {
    let mut tests: Vec<&CheckedTest> = checked.tests.iter().collect();
    tests.sort_by_key(|test| match &test.verdict {
        verdict if verdict.blocks() => 0,
        TrialVerdict::Flaky { .. } | TrialVerdict::Failing { .. } => 1,
        TrialVerdict::NotBegun => 2,
        _ => 3,
    });
    tests
}

/// Why a test failed, and how to see it again.
fn details(test: &CheckedTest) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some((why, seed, replay)) = &test.failure {
        lines.push(format!("run: {why}"));
        lines.push(format!("seed: {seed}"));
        lines.extend(replay.as_ref().map(|replay| format!("replay: {replay}")));
        if !test.touches.is_empty() {
            lines.push(format!("touches: {}", test.touches.join(", ")));
        }
        lines.extend(test.notes.iter().map(|note| format!("note: {note}")));
    }
    lines
}

/// Annotations for the pages of pull requests; nothing outside of GitHub Actions.
pub fn annotations(checked: &Checked) -> String {
    let blocking = checked.tests.iter().filter(|test| test.verdict.blocks());
    let lines = blocking.filter_map(|test| {
        let here = std::env::current_dir().unwrap_or_default();
        let words = [vec![test.verdict.words()], details(test)]
            .concat()
            .join("\n");
        let title = format!("{}: {}", test.name, test.verdict.name());
        github::annotation(Path::new(&here), test.place.as_ref()?, &title, &words)
    });
    lines.collect()
}

/// A table for a summary.
pub fn markdown(checked: &Checked) -> String {
    let mut text = "## flex gate\n\n".to_owned();
    if checked.tests.is_empty() {
        return text + "No test is affected.\n";
    }
    text += "| test | verdict | |\n|---|---|---|\n";
    for test in sorted(checked) {
        let cell = |words: &str| {
            visible_lines(words)
                .replace('|', "\\|")
                .replace(['\n', '`'], " ")
        };
        let verdict = match test.verdict.blocks() {
            true => format!("**{}**", test.verdict.name()),
            false => test.verdict.name().to_owned(),
        };
        let (name, words) = (cell(&test.name), cell(&test.verdict.words()));
        let _ = writeln!(text, "| `{name}` | {verdict} | {words} |");
    }
    for test in sorted(checked) {
        if let Some((_, _, Some(replay))) = &test.failure {
            let fence = "```";
            let _ = write!(
                text,
                "\n{fence}sh\n{}\n{fence}\n",
                visible(replay).replace('`', "'")
            );
        }
    }
    text
}
