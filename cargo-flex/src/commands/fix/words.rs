//! Menus for people: what can be done about each assertion, and what it costs.

use std::fmt::Write;
use std::path::Path;

use flex_core::visible::visible;
use flex_core::words::{count, duration, indented};
use flex_detect::menu::{Menu, Offer, OfferKind, Standing};
use flex_detect::proposal::{Patch, Proposal, level};
use flex_detect::pull_request::{interval, number, power};
use flex_detect::record::ObservedSite;
use flex_detect::report::replay;
use flex_run::model::Runner;

use super::work::FixWork;
use crate::called;

/// The menus of all assertions about which there is something to say.
pub fn menus(work: &FixWork<'_>) -> String {
    let mut text = String::new();
    let mut test = None;
    for proposal in &work.plan.proposals {
        if !is_told(work, proposal) {
            continue;
        }
        if test != Some(proposal.test) {
            test = Some(proposal.test);
            let _ = writeln!(text, "{}", visible(work.record.tests[proposal.test].name()));
        }
        text += &menu(work, proposal);
        text.push('\n');
    }
    text
}

/// Assertions that are fine are told when somebody names them, or wants them closer.
fn is_told(work: &FixWork<'_>, proposal: &Proposal) -> bool {
    match proposal.menu.standing {
        Standing::Keep => {
            let asked_for = !work.args.filters.is_empty();
            let tighter = work.args.choose == Some(OfferKind::Tighten) && proposal.choice.is_ok();
            (asked_for || tighter) && !proposal.menu.offers.is_empty()
        }
        Standing::Uncontrolled(_) => proposal.finding.is_finding(),
        _ => true,
    }
}

fn menu(work: &FixWork<'_>, proposal: &Proposal) -> String {
    let Proposal { finding, menu, .. } = proposal;
    let place = finding.place.to_string();
    let mut text = format!("  {}: {}\n", visible(&place), visible(&finding.named()));
    text += &indented(&verdict(proposal), "    ");
    for suspicion in &menu.suspicions {
        text += &indented(&format!("look here first: {suspicion}"), "    ");
    }
    text += &replays(work, proposal);
    if !menu.offers.is_empty() {
        text += "\n  option           number    fails by chance (95%)    costs    1, 2, 3 sd\n";
        let chosen = proposal.choice.as_ref().ok().map(|choice| choice.offer);
        for (index, offer) in menu.offers.iter().enumerate() {
            text += &row(offer, Some(index) == chosen);
        }
        text += &notes(menu, proposal.confidence);
    }
    match &proposal.choice {
        Ok(choice) => text += &indented(&format!("patch: {}", choice.words), "    "),
        Err(why) => text += &indented(&format!("no patch: {why}"), "    "),
    }
    if let Some(hint) = menu
        .hint
        .as_ref()
        .filter(|_| menu.standing != Standing::Keep)
    {
        text += &indented(&format!("hint: {hint}"), "    ");
    }
    text
}

fn verdict(proposal: &Proposal) -> String {
    let figures = &proposal.finding.figures;
    let menu = &proposal.menu;
    let mut text = match figures.failed.len() {
        0 => format!(
            "no failure in {}; probability of failure {}",
            count(figures.runs, "run", "runs"),
            interval(menu.rate)
        ),
        failed => format!(
            "fails in {failed} of {}: {}",
            count(figures.runs, "run", "runs"),
            interval(menu.rate)
        ),
    };
    if let Some(domain) = menu.domain.filter(|domain| domain.upper().is_finite()) {
        let _ = write!(text, "; its values lie in {domain}");
    }
    text
}

/// Commands that show what was found.
fn replays(work: &FixWork<'_>, proposal: &Proposal) -> String {
    let judged = &work.findings.tests[proposal.test];
    let suspected = proposal.menu.suspicions.iter().map(|s| s.runs().first());
    let failed = proposal.finding.figures.failed.first();
    let mut runs: Vec<u32> = suspected.chain([failed]).flatten().copied().collect();
    let mut seen = Vec::new();
    runs.retain(|run| {
        !seen.contains(run) && {
            seen.push(*run);
            true
        }
    });
    let shown = match proposal.menu.suspicions.is_empty() {
        true => 1,
        false => 3,
    };
    runs.iter()
        .take(shown)
        .filter_map(|run| Some((run, replay(judged, *run)?)))
        .fold(String::new(), |mut text, (run, command)| {
            let _ = writeln!(text, "    run {run}: {}", visible(&command.to_string()));
            text
        })
}

fn row(offer: &Offer, is_chosen: bool) -> String {
    let mark = if is_chosen { ">" } else { " " };
    let level = offer.confidence.map_or(String::new(), level);
    let seconds = match offer.price.seconds {
        0.0 => "none".to_owned(),
        seconds => duration(seconds),
    };
    let row = format!(
        "{mark} {:<9} {level:<6} {:<9} {:<24} {seconds:<8} {}",
        offer.kind.as_str(),
        number(offer),
        interval(offer.price.rate),
        power(offer),
    );
    format!("{}\n", row.trim_end())
}

/// What is to be said of the offers at the confidence that is asked for; equal words once.
fn notes(menu: &Menu, confidence: f64) -> String {
    let mut said: Vec<String> = Vec::new();
    let is_asked_for = |offer: &&Offer| offer.confidence.is_none_or(|level| level == confidence);
    for offer in menu.offers.iter().filter(is_asked_for) {
        for note in &offer.notes {
            let note = format!("{}: {note}", offer.kind);
            if !said.contains(&note) {
                said.push(note);
            }
        }
    }
    let lines = said.iter().map(|note| indented(note, "      "));
    lines.collect()
}

/// What comes of it, in the end.
pub fn summary(work: &FixWork<'_>, remain: usize) -> String {
    let proposals = &work.plan.proposals;
    let patched = proposals.iter().filter(|proposal| proposal.choice.is_ok());
    let fine = proposals
        .iter()
        .filter(|proposal| proposal.menu.standing == Standing::Keep);
    let mut text = format!(
        "{} for {}; {} without a patch, {} fine\n",
        count(work.plan.patches.len(), "patch", "patches"),
        count(patched.count(), "assertion", "assertions"),
        count(remain, "finding", "findings"),
        fine.count()
    );
    if work.plan.patches.iter().any(|patch| hides(work, patch)) {
        let _ = writeln!(
            text,
            "hint: runs stop where they fail, so that what stands below was seen less often;\n      \
             run `{} detect` again with the patch",
            called::name()
        );
    }
    if !work.plan.patches.is_empty() && !work.args.apply {
        text += "hint: --apply writes what is on standard output; so does `git apply`\n";
    }
    let is_learned = |proposal: &Proposal| {
        let choice = proposal.choice.as_ref().ok();
        choice.is_some_and(|choice| proposal.menu.offers[choice.offer].kind == OfferKind::Learned)
    };
    if proposals.iter().any(is_learned) && !work.plan.patches.is_empty() {
        let command = match work.record.runner {
            Runner::Pytest => {
                let tests = work.args.pytest.as_deref().unwrap_or(Path::new("."));
                format!("{} calibrate --pytest {}", called::name(), tests.display())
            }
            Runner::Cargo => "cargo flex calibrate".to_owned(),
        };
        let _ = writeln!(text, "hint: then `{command}` learns the numbers");
    }
    text
}

/// Whether runs of a patched test stopped before some of its assertions.
fn hides(work: &FixWork<'_>, patch: &Patch) -> bool {
    let test = &work.record.tests[patch.test];
    let reached = |site: &ObservedSite| site.series.first().map(|series| series.values.len());
    let most = test.sites.iter().filter_map(reached).max();
    let stops = test
        .sites
        .iter()
        .any(|site| site.is_hard && !site.failed.is_empty());
    stops && test.sites.iter().any(|site| reached(site) < most)
}
