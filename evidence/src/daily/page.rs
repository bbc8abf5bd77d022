//! The words and tables of docs/daily.md.

use std::fmt::Write;

use flex_core::drift::LEVEL;
use statrs::distribution::{Beta, ContinuousCDF};

use super::drift::{CHECK_RUNS, CHECKS, LEARNED_RUNS, Moved, SITES, SUITE, TRIALS, Unmoved};
use super::merging::{Merges, PAIRS};
use super::recalibration::{Recalibration, TESTS, TIMES};
use crate::page::{Bar, Section, table};

pub fn page(sections: &[&str]) -> String {
    format!(
        "# Daily use, measured

Written by `cargo xtask daily`, which fails if a bar is missed. Seeds are fixed, so the counts are the same each time.

{}",
        sections.join("\n")
    )
}

/// The share of the moves that must be found.
const FOUND: f64 = 0.99;

pub fn moved(cells: &[Moved]) -> Section {
    let [default, as_many] = LEARNED_RUNS;
    let mut text = format!(
        "## A distribution moved

`cargo flex calibrate --check` makes fresh runs and compares them with the quantiles in the bounds file. The level,
{LEVEL}, is that of the whole check, so each of its sites has the more to prove the more there are. Here the values of a
site moved by one standard deviation, up or down. They go through the calibration machine, an entry rounded as in the
file, and the decision of the command; only the processes are left out. Each cell: the share of {TRIALS} checks with
{CHECK_RUNS} runs that found it, and the 95 % interval of Clopper and Pearson.

The bar is {FOUND}. It is put on every cell whose entry rests on {as_many} runs, as the check does. Of entries of {default}
runs, which is the default, it is put on continuous values, and on counts that are compared alone. Counts among many
sites, in brackets, fall short of {FOUND} with entries of {default} runs, and no bar is put on them: an entry keeps 17
quantiles, which do not tell how many of the equal counts at a quantile lay below it, and ties are taken for \"not
moved\" so that the level is kept. Whoever counts small numbers in a large suite calibrates with {as_many} runs.

| values | entry from | moved | {} |
|---|---|---|---|---|---|
",
        SITES
            .map(|sites| match sites {
                1 => "1 site".to_owned(),
                sites => format!("{sites} sites"),
            })
            .join(" | ")
    );
    let mut missed = Vec::new();
    for cell in cells {
        let _ = write!(
            text,
            "| {} | {} runs | {:+} sd |",
            cell.values.name(),
            cell.learned_runs,
            cell.by
        );
        for (sites, found) in SITES.iter().zip(cell.found) {
            let share = found as f64 / TRIALS as f64;
            let (low, high) = interval(found, TRIALS);
            let has_bar = cell.learned_runs == as_many || !cell.values.is_count() || *sites == 1;
            let (open, close) = if has_bar { ("", "") } else { ("(", ")") };
            let _ = write!(text, " {open}{share:.4}, {low:.3} to {high:.3}{close} |");
            if has_bar && share < FOUND {
                missed.push(format!(
                    "{} from {} runs, {:+} sd, {sites} sites: found {share}, bar {FOUND}",
                    cell.values.name(),
                    cell.learned_runs,
                    cell.by
                ));
            }
        }
        text.push('\n');
    }
    Section { text, missed }
}

/// The 95 % interval of a share (Clopper & Pearson 1934).
fn interval(count: usize, all: usize) -> (f64, f64) {
    let quantile = |a: usize, b: usize, p: f64| {
        let beta = Beta::new(a as f64, b as f64).expect("positive counts");
        beta.inverse_cdf(p)
    };
    (
        if count == 0 {
            0.0
        } else {
            quantile(count, all - count + 1, 0.025)
        },
        if count == all {
            1.0
        } else {
            quantile(count + 1, all - count, 0.975)
        },
    )
}

pub fn unmoved(checks: &[Unmoved]) -> Section {
    let red: Vec<&Unmoved> = checks.iter().filter(|c| !c.found.is_empty()).collect();
    let quiet = checks.len() - red.len();
    let (table, missed) = table(&[Bar {
        what: format!("checks of {SUITE} unmoved sites that find nothing"),
        measured: format!("{quiet} of {CHECKS}"),
        bar: format!("≥ {} of {CHECKS}", CHECKS - CHECKS / 1000),
        kept: quiet >= CHECKS - CHECKS / 1000,
    }]);
    let mut text = format!(
        "## Nothing moved

A suite of {SUITE} sites, a seventh of them of each kind above, calibrated with {} runs and checked with {CHECK_RUNS}; {CHECKS}
checks, each against a calibration of its own. A check counts as red if it finds anything at any site, for whatever
reason. The level, {LEVEL}, allows {:.0} red check on average; counts, ties and the limits that the probabilities are bounded
by leave less.

{table}",
        LEARNED_RUNS[0],
        LEVEL * CHECKS as f64
    );
    for check in red {
        let _ = writeln!(text, "\nRed: {}.", check.found.join("; "));
    }
    let compared = checks.len() * SUITE;
    let [alone, of_ten] = [0, 1].map(|i| checks.iter().map(|c| c.among_few[i]).sum::<usize>());
    let _ = writeln!(
        text,
        "
How careful that is shows in the single sites: of {compared} comparisons, {alone} would be red at the level {LEVEL}, where {:.0}
are allowed, and {of_ten} at a tenth of it, where {:.0} are.",
        LEVEL * compared as f64,
        0.1 * LEVEL * compared as f64
    );
    Section { text, missed }
}

pub fn recalibration(seen: &Recalibration) -> Section {
    let unchanged = TIMES - seen.changed.len();
    let (table, missed) = table(&[
        Bar {
            what: "recalibrations that left the file as it was, byte for byte".to_owned(),
            measured: format!("{unchanged} of {TIMES}"),
            bar: format!("{TIMES}"),
            kept: unchanged == TIMES,
        },
        Bar {
            what: "recalibrations that left something for a review".to_owned(),
            measured: seen.pending.to_string(),
            bar: "0".to_owned(),
            kept: seen.pending == 0,
        },
    ]);
    let text = format!(
        "## Unchanged code, calibrated again

A real crate of {TESTS} stochastic tests with {} sites: one, two and three sites a test, both tails, cases, heavy tails,
counts, accuracies, tolerances, and a site that four runs in ten reach. `cargo flex calibrate` wrote its bounds file ({}
bytes), and then ran {TIMES} times more, each time under another seed.

{table}",
        seen.sites, seen.bytes
    );
    Section { text, missed }
}

pub fn merging(rows: &[Merges]) -> Section {
    let mut text = format!(
        "## Two branches

Two branches start from one bounds file, and each adds a test with a bound; the names fall anywhere in the alphabet. An
entry stands in a block of its own, in the order of names, and nothing else in the file changes: no count, no date, no
other bound. So git merges the two in the usual case, which is that an old test stands between the two new ones, by
target and name. Where both new blocks go into the same gap, git cannot know which comes first and leaves it to people;
no spelling of the entries changes that, only a file for each entry would.
{PAIRS} pairs of branches for each row, with `git merge-file`:

| entries before | not neighbours | merged by git | neighbours | merged by git | else by one `calibrate` |
|---|---|---|---|---|---|
"
    );
    let mut missed = Vec::new();
    for row in rows {
        let others = PAIRS - row.neighbours;
        let conflicts = row.neighbours + others - row.merged[0] - row.merged[1];
        let _ = writeln!(
            text,
            "| {} | {others} | {} | {} | {} | {} of {conflicts} |",
            row.entries, row.merged[1], row.neighbours, row.merged[0], row.resolved
        );
        if row.merged[1] < others {
            let conflicts = others - row.merged[1];
            missed.push(format!(
                "{conflicts} conflicts between tests that are no neighbours, of {} entries",
                row.entries
            ));
        }
        missed.extend(row.problems.iter().cloned());
    }
    text += "
Where git leaves conflict marks, `cargo test` fails and names file and line, and one `cargo flex calibrate` puts both sides
together: entries that only one side has stay to the byte, comments too, and entries on which the sides differ are
learned anew, from the merged code. `tests/tests/merge.rs` does this with real repositories and real crates, in all three
of git's conflict styles.
";
    Section { text, missed }
}
