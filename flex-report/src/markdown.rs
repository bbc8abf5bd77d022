//! The report for the summary of a CI job: what is wrong first, then how much is well, then who spends the budget.

use std::fmt::Write as _;

use flex_core::words::{count, one_in, percent, plain};
use flex_detect::markdown::code;

use crate::model::{Probability, Report, Side, Site, Suite, Test};

/// Rows of a table at most; the page has all.
const MOST: usize = 50;

impl Report {
    /// The report as Markdown.
    pub fn markdown(&self) -> String {
        let graded = |grade: &str| self.sites().filter(|site| site.grade == grade).count();
        let (bad, look, good) = (graded("bad"), graded("look"), graded("good"));
        let mut text = String::from("## flex report\n\n");
        let _ = writeln!(
            text,
            "{} with {}: **{bad} failing**, {look} to look at, {good} fine\n",
            count(self.test_count(), "test", "tests"),
            count(self.sites().count(), "site", "sites"),
        );
        for (grade, title) in [("bad", "Failing"), ("look", "To look at")] {
            self.table(&mut text, grade, title);
        }
        for suite in &self.suites {
            budget(&mut text, suite);
        }
        for note in &self.notes {
            let _ = writeln!(text, "\n> {}", code(note));
        }
        text
    }

    fn table(&self, text: &mut String, grade: &str, title: &str) {
        let of_test = |test| Iterator::map(sites_of(test), move |site| (test, site));
        let rows: Vec<(&Test, &Site)> = self
            .tests()
            .flat_map(of_test)
            .filter(|(_, site)| site.grade == grade)
            .collect();
        if rows.is_empty() {
            return;
        }
        let _ = writeln!(
            text,
            "### {title}\n\n| verdict | test | site | bounds | fails by chance | look at it again |\n|---|---|---|---|---|---|"
        );
        for (test, site) in rows.iter().take(MOST) {
            let _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} |",
                site.verdict,
                cell(&test.name),
                cell(&site.site),
                site.sides
                    .iter()
                    .map(bounds)
                    .collect::<Vec<String>>()
                    .join("; "),
                site.failure.as_ref().map_or_else(String::new, probability),
                replay(test, site).map_or_else(String::new, |command| cell(&command)),
            );
        }
        if rows.len() > MOST {
            let _ = writeln!(text, "\nand {} more", rows.len() - MOST);
        }
        text.push('\n');
    }
}

fn sites_of(test: &Test) -> std::slice::Iter<'_, Site> {
    test.sites.iter()
}

/// The bounds of a side.
fn bounds(side: &Side) -> String {
    let tiers = [
        ("guard", side.guard),
        ("ceiling", side.ceiling),
        ("declared", side.declared),
        ("bound", side.bound),
    ];
    let known = tiers
        .iter()
        .filter_map(|(name, bound)| Some(format!("{name} {}", plain((*bound)?.0))));
    known.collect::<Vec<String>>().join(", ")
}

fn probability(failure: &Probability) -> String {
    match failure.estimate {
        Some(estimate) => format!(
            "{} ({} to {})",
            percent(estimate),
            percent(failure.low),
            percent(failure.high)
        ),
        None => format!("at most {}", one_in(failure.high)),
    }
}

/// The command that shows what is wrong again.
fn replay(test: &Test, site: &Site) -> Option<String> {
    let last = test.last.as_ref().and_then(|last| last.replay.clone());
    let run = site
        .failed_runs
        .first()
        .or(site.extremes.first().map(|(run, _)| run));
    let template = site.replay.as_ref().or(test.replay.as_ref());
    last.or_else(|| Some(template?.replace("{run}", &run?.to_string())))
}

fn budget(text: &mut String, suite: &Suite) {
    if suite.false_alarm_rate <= 0.0 {
        return;
    }
    let spent = percent(suite.false_alarm_rate);
    let of = match suite.budget {
        Some(budget) => format!(
            ", {} of its budget of {}",
            percent(suite.false_alarm_rate / budget),
            percent(budget)
        ),
        None => String::new(),
    };
    let _ = writeln!(
        text,
        "{}: a run of all tests raises a false alarm with a probability of {spent} at most{of}.",
        cell(&suite.name)
    );
}

/// A name in a cell of a table.
fn cell(name: &str) -> String {
    code(name).replace('|', "\\|")
}
