//! What a maintainer needs to know of a patch, in Markdown.

use std::fmt::Write;

use flex_core::tail::Side;
use flex_core::visible::visible;
use flex_core::words::{duration, percent, plain, short};

use crate::diff::unified;
use crate::markdown::{block, code, words};
use crate::menu::{Menu, Offer, Rate, Remedy, test_rate};
use crate::proposal::{FixPlan, Patch, Proposal, level};
use crate::record::Record;
use crate::report::replay;
use crate::verdict::Findings;

/// The description of a patch. `picture` names the picture of a proposal, by its index in the plan.
pub fn markdown(
    (record, findings): (&Record, &Findings),
    plan: &FixPlan,
    patch: &Patch,
    picture: impl Fn(usize) -> String,
) -> String {
    let test = &record.tests[patch.test];
    let (failed, runs, rate) = test_rate(test);
    let mut text = format!("# {} fails by chance\n\n", code(test.name()));
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "Unchanged code failed in {failed} of {runs} runs under different seeds: {}.\n",
        interval(rate)
    );
    for index in &patch.proposals {
        let proposal = &plan.proposals[*index];
        text += &assertion(proposal, &picture(*index));
        let replays = findings.tests.get(patch.test).and_then(|judged| {
            let run = *proposal.finding.figures.failed.first()?;
            Some((run, replay(judged, run)?))
        });
        if let Some((run, command)) = replays {
            let _ = writeln!(
                text,
                "Run {run} fails without this patch:\n\n{}",
                block("sh", &visible(&command.to_string()))
            );
        }
    }
    let path = patch.file.to_string_lossy().replace('\\', "/");
    let diff = unified(&path, &patch.before, &patch.after);
    let _ = writeln!(text, "## The patch\n\n{}", block("diff", &diff).trim_end());
    text
}

fn assertion(proposal: &Proposal, picture: &str) -> String {
    let Proposal { finding, menu, .. } = proposal;
    let mut text = format!(
        "## {}\n\n{}: fails in {} of {} runs, {}.",
        code(&finding.named()),
        words(&finding.place.to_string()),
        finding.figures.failed.len(),
        finding.figures.runs,
        interval(menu.rate)
    );
    if let Ok(choice) = &proposal.choice {
        let offer = &menu.offers[choice.offer];
        let _ = write!(
            text,
            " With this patch ({}), unchanged code fails it in {}.",
            words(&choice.words),
            interval(offer.price.rate)
        );
    }
    text += "\n\n";
    let _ = writeln!(text, "![Distribution of the values]({picture})\n");
    text += &tail(menu);
    text += &percentiles(menu);
    text += &offers(
        menu,
        proposal.choice.as_ref().ok().map(|choice| choice.offer),
    );
    if let Some(hint) = &menu.hint {
        let _ = writeln!(text, "Or: {}.\n", words(hint));
    }
    text
}

fn tail(menu: &Menu) -> String {
    let runs = menu.samples.len();
    match menu.tail {
        Some(fit) => format!(
            "A generalised Pareto tail was fitted to the {} of {runs} values {} {}: scale {}, shape {}. Its bounds have a \
             margin for the error of the fit, so that they keep their rate with an assurance of 99%.\n\n",
            fit.exceedances,
            match menu.side {
                Side::Upper => "above",
                Side::Lower => "below",
            },
            short(fit.threshold),
            short(fit.excess.scale()),
            short(fit.excess.shape())
        ),
        None => format!("No tail was fitted to the {runs} values.\n\n"),
    }
}

fn percentiles(menu: &Menu) -> String {
    if menu.percentiles.is_empty() {
        return String::new();
    }
    let mut text =
        "| part of the runs | value that they keep | with margin |\n|---|---|---|\n".to_owned();
    for percentile in &menu.percentiles {
        let limit = percentile.limit.map_or("–".to_owned(), short);
        let _ = writeln!(
            text,
            "| {} | {} | {limit} |",
            level(percentile.level),
            short(percentile.value)
        );
    }
    text + "\n"
}

/// The menu as a table.
fn offers(menu: &Menu, chosen: Option<usize>) -> String {
    let mut text = "| option | number | false alarms (95% interval) | extra time per run | catches a shift by 1, 2, 3 sd |\n\
                    |---|---|---|---|---|\n"
        .to_owned();
    for (index, offer) in menu.offers.iter().enumerate() {
        let mark = if Some(index) == chosen { "**" } else { "" };
        let _ = writeln!(
            text,
            "| {mark}{}{mark} | {} | {} | {} | {} |",
            title(offer),
            number(offer),
            interval(offer.price.rate),
            match offer.price.seconds {
                0.0 => "none".to_owned(),
                seconds => duration(seconds),
            },
            power(offer)
        );
    }
    text + "\n"
}

fn title(offer: &Offer) -> String {
    match offer.confidence {
        Some(confidence) => format!("{} {}", offer.kind, level(confidence)),
        None => offer.kind.to_string(),
    }
}

/// What an offer puts in the place of the number, in short.
pub fn number(offer: &Offer) -> String {
    match &offer.change {
        Remedy::Number { number, .. } if number.abs() < 1e-4 && *number != 0.0 => {
            format!("{number:e}")
        }
        Remedy::Number { number, .. } => plain(*number),
        Remedy::Reruns { attempts } => format!("{attempts} runs"),
        Remedy::Learned { .. } => "learned".to_owned(),
        Remedy::Hint(_) | Remedy::Nothing => "–".to_owned(),
    }
}

/// A rate with its interval: 4.3% (2.3% to 7.3%), or 0.001% (up to 0.01%) where it may be nothing.
pub fn interval(rate: Rate) -> String {
    let Rate {
        estimate,
        low,
        high,
    } = rate;
    match (low == high, low == 0.0) {
        _ if high < RARE => rare(high),
        (true, _) => rare(estimate),
        (_, true) if estimate == high => format!("at most {}", rare(high)),
        (_, true) => format!("{} (up to {})", rare(estimate), rare(high)),
        _ => format!("{} ({} to {})", rare(estimate), rare(low), rare(high)),
    }
}

/// Rates below this are all the same to people.
const RARE: f64 = 1e-5;

/// A probability in percent; those that nobody lives to see are all the same.
fn rare(probability: f64) -> String {
    match probability {
        p if p > 0.0 && p < RARE => "<0.001%".to_owned(),
        p => percent(p),
    }
}

/// How likely a shift by 1, 2 and 3 standard deviations is caught: 3% 19% 55%.
pub fn power(offer: &Offer) -> String {
    let caught = offer.price.power.map(|power| match power {
        p if p > 0.0 && p < 0.01 => "<1%".to_owned(),
        p => percent(p),
    });
    caught.join(" ")
}
