//! What there is to say of one assertion, in a few labelled lines.

use flex_core::paint::{Ink, Paint};
use flex_core::visible::visible;
use flex_core::words::{count, percent, plain, run_list, short};

use flex_run::model::{Probe, Touch};

use super::replay::{replay, seed, telling_run};
use crate::verdict::{AsWritten, Cluster, Diagnosis, Figures, Finding, JudgedTest, Remark};

/// Seeds that are listed.
const SEEDS: usize = 3;

/// Touches that are listed.
const TOUCHES: usize = 5;

/// The columns of a line.
const WIDTH: usize = 80;

pub(super) fn block(test: &JudgedTest, finding: &Finding, paint: Paint) -> String {
    let place = finding.place.to_string();
    let mut text = format!(
        "{}: {}: {}\n",
        paint.word(ink(finding), finding.word()),
        visible(&place),
        paint.word(Ink::Strong, &visible(&finding.named()))
    );
    let mut line = |label: &str, words: &str| text += &labelled(label, words);
    line("test", &named(test));
    if let Some(words) = told(finding) {
        line("", &words);
    }
    if finding.is_condition {
        line("", "a condition: it holds or not, and compares no numbers");
    }
    let figures = &finding.figures;
    if figures.runs > 0 {
        line("fails", &rate(figures));
    }
    match &figures.tail {
        Some(Ok(tail)) => line(
            "tail",
            &format!(
                "fails with probability {}, at most {} (97.5%), by the fitted tail",
                percent(tail.estimate),
                percent(tail.upper_limit)
            ),
        ),
        Some(Err(why)) => line("tail", &format!("cannot be fitted: {why}")),
        None => {}
    }
    if let Some(words) = values(figures) {
        line("values", &words);
    }
    if let Some(why) = &figures.why {
        line("why", why);
    }
    for remark in &finding.remarks {
        line("remark", &remarked(remark));
    }
    let can_vary = !matches!(finding.verdict, Diagnosis::Broken | Diagnosis::Skipped);
    if let Some(words) = test.probe.as_ref().filter(|_| can_vary).and_then(touched) {
        line("touches", &words);
    }
    if !figures.failed.is_empty() && test.replay.is_some() {
        line("seeds", &seeds(test, &figures.failed));
    }
    match telling_run(finding).map(|run| replay(test, run)) {
        Some(Some(command)) if finding.is_notable() => {
            // A command is one line, however long.
            let command = command.to_string();
            text += &format!("{:>8}  {}\n", "replay", visible(&command));
        }
        Some(None) => line(
            "replay",
            "no seed controls this test, so no run can be repeated",
        ),
        _ => {}
    }
    text
}

/// The ink of a verdict.
fn ink(finding: &Finding) -> Ink {
    match finding.verdict {
        Diagnosis::Steady | Diagnosis::Constant | Diagnosis::Skipped if !finding.is_risky => {
            Ink::Faint
        }
        Diagnosis::Uncontrolled(_) | Diagnosis::Golden | Diagnosis::Steady => Ink::Look,
        _ => Ink::Bad,
    }
}

/// The name of a test, and where cargo has it.
fn named(test: &JudgedTest) -> String {
    let target = test.id.target().unwrap_or("lib");
    match &test.package {
        None => test.name().to_owned(),
        Some(package) => format!("{} ({package}, {target})", test.name()),
    }
}

/// What the verdict means here, where its word is not enough.
fn told(finding: &Finding) -> Option<String> {
    match &finding.verdict {
        Diagnosis::Golden => Some("passes only under the seeds that the source states".to_owned()),
        Diagnosis::Uncontrolled(source) => Some(format!(
            "the same seed gives another result; what no seed controls: {source}"
        )),
        Diagnosis::SecondMode(cluster) => Some(format!(
            "{}, which is probably a bug; look there first",
            apart(cluster)
        )),
        Diagnosis::Broken => Some("fails in every run".to_owned()),
        Diagnosis::Skipped => Some("no run reached it".to_owned()),
        Diagnosis::Steady if finding.is_risky => {
            Some("never failed, but is likelier to than was asked for".to_owned())
        }
        Diagnosis::Steady | Diagnosis::Constant | Diagnosis::Flaky => None,
    }
}

fn rate(figures: &Figures) -> String {
    let (failed, runs) = (figures.failed.len(), figures.runs);
    let (low, high) = figures.interval;
    let rate = match failed {
        0 => String::new(),
        _ => format!(", {}", percent(failed as f64 / runs as f64)),
    };
    format!(
        "in {failed} of {}{rate} (95% interval: {} to {})",
        count(runs, "run", "runs"),
        percent(low),
        percent(high)
    )
}

fn values(figures: &Figures) -> Option<String> {
    let (low, high) = figures.range?;
    let mut words = match low == high {
        true => short(low),
        false => format!("{} to {}", short(low), short(high)),
    };
    if let Some(bound) = figures.bound {
        words += &format!("; the bound is {}", plain(bound));
    }
    if let Some(AsWritten {
        value: Some(value), ..
    }) = figures.as_written
    {
        words += &format!("; as written {}", short(value));
    }
    Some(words)
}

fn apart(cluster: &Cluster) -> String {
    let ends = |(low, high): (f64, f64)| match low == high {
        true => short(low),
        false => format!("{} to {}", short(low), short(high)),
    };
    format!(
        "{} ({}) far from the rest ({})",
        count(cluster.runs.len(), "value", "values"),
        ends(cluster.range),
        ends(cluster.rest)
    )
}

pub(super) fn remarked(remark: &Remark) -> String {
    match remark {
        Remark::NotFinite(runs) => format!("NaN or infinite in {}", run_list(runs)),
        Remark::AtEnd { end, runs } => format!(
            "exactly {end}, the end of its domain, in {}",
            run_list(runs)
        ),
        Remark::SecondMode(cluster) => format!("{}: {}", apart(cluster), run_list(&cluster.runs)),
        Remark::Uncontrolled { source, difference } if difference.is_finite() => format!(
            "the same seed gives values up to {} apart; what no seed controls: {source}",
            short(*difference)
        ),
        Remark::Uncontrolled { source, .. } => {
            format!("the same seed gives another result; what no seed controls: {source}")
        }
        Remark::OtherOutcome(runs) => format!(
            "ended otherwise when made again under the same seed: {}",
            run_list(runs)
        ),
        Remark::FailsAsWritten => "fails under the seeds that the source states".to_owned(),
        Remark::FailsWhenReached { reached, of } => {
            format!("fails whenever it is reached, which is in {reached} of {of} runs")
        }
        Remark::Caught(runs) => format!("failed without failing the test in {}", run_list(runs)),
        Remark::OnlyAsWritten => {
            "reached only under the seeds that the source states; other runs end before".to_owned()
        }
    }
}

fn seeds(test: &JudgedTest, failed: &[u32]) -> String {
    let listed: Vec<String> = failed
        .iter()
        .take(SEEDS)
        .map(|run| seed(test, *run))
        .collect();
    match failed.len().saturating_sub(SEEDS) {
        0 => listed.join(", "),
        more => format!("{} and {more} more", listed.join(", ")),
    }
}

/// What the runs touched that can differ: first what no seed decides, and so may be the cause.
fn touched(probe: &Probe) -> Option<String> {
    let (seeded, free): (Vec<&Touch>, Vec<&Touch>) =
        probe.touches().iter().partition(|touch| touch.seeded);
    let all: Vec<String> = free
        .iter()
        .chain(&seeded)
        .map(ToString::to_string)
        .collect();
    let listed = all[..all.len().min(TOUCHES)].join(", ");
    match all.len().saturating_sub(TOUCHES) {
        _ if all.is_empty() => None,
        0 => Some(listed),
        more => Some(format!("{listed}, and {more} more")),
    }
}

/// A label, and words wrapped beside it.
fn labelled(label: &str, words: &str) -> String {
    const INDENT: usize = 10;
    let mut text = format!("{label:>8} ");
    let mut column = INDENT - 1;
    for word in words.split_whitespace() {
        let length = word.chars().count();
        if column > INDENT && column + 1 + length > WIDTH {
            text += &format!("\n{:9}", "");
            column = INDENT - 1;
        }
        text.push(' ');
        text += &visible(word);
        column += 1 + length;
    }
    text.push('\n');
    text
}
