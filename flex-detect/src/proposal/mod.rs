//! From verdicts to patches: one for each test, in which only the numbers change.

mod markers;
mod patches;
mod place;
mod plan;
mod sources;

use std::path::{Path, PathBuf};

use flex_core::bound::confidence::Confidence;

use crate::menu::{Ask, Menu, OfferKind, Remedy, Standing, subjects};
use crate::record::{ObservedSite, ObservedTest, Record};
use crate::source::{NoPlace, apply};
use crate::verdict::{Finding, Findings};
use patches::{Want, Wish, grant};
use place::SourceFile;
pub use plan::{Choice, FixPlan, Patch, Proposal};
use sources::Sources;

/// What is asked of all proposals.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FixOrder {
    /// The probability that unchanged code passes a test.
    pub confidence: Confidence,
    /// What to do, instead of what is done by default.
    pub choose: Option<OfferKind>,
    /// Change assertions, too, that look like they show a bug.
    pub even_suspected: bool,
}

/// Proposes patches for the tests that are named. `read` gives the text of a source file, or says why it cannot.
pub fn propose(
    record: &Record,
    findings: &Findings,
    order: &FixOrder,
    is_named: impl Fn(&ObservedTest) -> bool,
    read: &mut dyn FnMut(&Path) -> Result<String, String>,
) -> FixPlan {
    let mut sources = Sources::new(record, read);
    let mut plan = FixPlan::default();
    for (index, test) in record.tests.iter().enumerate() {
        if is_named(test) {
            let judged = findings.tests.get(index);
            let findings = judged.map_or(&[][..], |judged| &judged.findings[..]);
            plan.proposals
                .extend(menus(index, test, findings, order, &mut sources));
        }
    }
    let wants = wants(&mut plan, order, &mut sources);
    grant(&mut plan, wants, &sources);
    plan
}

/// The menus of a test's assertions, which share its confidence.
fn menus(
    index: usize,
    test: &ObservedTest,
    findings: &[Finding],
    order: &FixOrder,
    sources: &mut Sources<'_>,
) -> Vec<Proposal> {
    let price = |assertions: usize, sources: &mut Sources<'_>| {
        let mut proposals = Vec::new();
        for finding in findings {
            let mut ask = Ask::shared(order.confidence, assertions);
            let proposal = |site: Option<ObservedSite>, menu: Menu| Proposal {
                test: index,
                site,
                finding: finding.clone(),
                confidence: ask.confidence,
                menu,
                choice: Err(String::new()),
            };
            let site = finding.site.and_then(|site| test.sites.get(site));
            let Some(site) = site.filter(|site| !site.is_condition()) else {
                proposals.push(proposal(None, Menu::of_outcome(test, finding, &ask)));
                continue;
            };
            let source = sources.source(Path::new(&site.place.file)).ok();
            ask.domain = source.as_ref().and_then(|source| source.domain(site));
            let site = source.map_or_else(|| site.clone(), |source| source.as_written(site));
            for subject in subjects(&site) {
                let menu = Menu::price(test, &site, subject, finding, &ask);
                proposals.extend(menu.map(|menu| proposal(Some(site.clone()), menu)));
            }
        }
        proposals
    };
    let proposals = price(1, sources);
    let is_mended = |proposal: &&Proposal| proposal.menu.standing == Standing::Mend;
    match proposals.iter().filter(is_mended).count() {
        0 | 1 => proposals,
        many => price(many, sources),
    }
}

/// What all proposals want, by their choices.
fn wants(plan: &mut FixPlan, order: &FixOrder, sources: &mut Sources<'_>) -> Vec<Want> {
    let mut wants = Vec::new();
    for (index, proposal) in plan.proposals.iter_mut().enumerate() {
        let test = &sources.record.tests[proposal.test];
        let file = |change: &Remedy| match (&proposal.site, change) {
            (Some(site), Remedy::Number { .. } | Remedy::Learned { .. }) => {
                PathBuf::from(&site.place.file)
            }
            _ => PathBuf::from(&test.place.file),
        };
        let chosen = proposal
            .menu
            .choose(order.choose, order.even_suspected, proposal.confidence)
            .and_then(|offer| {
                let file = file(&offer.change);
                let source = sources.source(&file)?;
                let wish = wish(&source, test, proposal.site.as_ref(), &offer.change)
                    .map_err(|why| instead_of_a_number(&proposal.menu, &offer.change, why))?;
                let offers = &proposal.menu.offers;
                let at = offers.iter().position(|other| other == offer).unwrap_or(0);
                Ok((at, file, wish))
            });
        proposal.choice = chosen.map(|(offer, file, wish)| {
            wants.push(Want {
                proposal: index,
                file,
                wish,
            });
            Choice {
                offer,
                words: String::new(),
            }
        });
    }
    wants
}

/// Why there is no patch, where something was tried because no number can be changed.
fn instead_of_a_number(menu: &Menu, change: &Remedy, why: String) -> String {
    let mut refusals = menu.refusals.iter();
    let number = refusals.find(|(kind, _)| *kind == OfferKind::Bound);
    match (change, number) {
        (Remedy::Reruns { .. }, Some((_, no_number))) => format!("{no_number}; {why}"),
        _ => why,
    }
}

/// The text of a source after one change, for the sake of a test or of an assertion in it: what a patch makes of it.
pub fn changed(
    record: &Record,
    text: &str,
    (test, site): (&ObservedTest, Option<&ObservedSite>),
    change: &Remedy,
) -> Result<String, String> {
    let source = SourceFile::new(record.runner, record.rerun_marker, text.to_owned());
    let edits = match wish(&source, test, site, change)? {
        Wish::Edits { edits, .. } => edits,
        Wish::Number { place, number, .. } => {
            let written = place.write(number);
            let (edit, _) = written.ok_or_else(|| place.cannot_say(number))?;
            vec![edit]
        }
    };
    apply(text, &edits)
}

fn wish(
    source: &SourceFile,
    test: &ObservedTest,
    site: Option<&ObservedSite>,
    change: &Remedy,
) -> Result<Wish, String> {
    let place = site.map_or(&test.place, |site| &site.place);
    let said = |why: NoPlace| format!("{}: {why}", place.file);
    match (change, site) {
        (Remedy::Number { series, number, .. }, Some(site)) => Ok(Wish::Number {
            place: source.place(site, &site.series[*series]).map_err(said)?,
            number: *number,
            larger_is_looser: place::larger_is_looser(site.series[*series].role),
        }),
        (Remedy::Learned { series }, Some(site)) => {
            let edits = markers::learned(source, test, site, &site.series[*series]);
            Ok(Wish::Edits {
                edits: edits.map_err(said)?,
                words: "the number is left to flex".to_owned(),
            })
        }
        (Remedy::Reruns { attempts }, _) => {
            let (edits, words) = markers::rerun(source, test, *attempts)?;
            Ok(Wish::Edits { edits, words })
        }
        (Remedy::Hint(how), _) => Err(format!("only you can do that: {how}")),
        (Remedy::Number { .. } | Remedy::Learned { .. } | Remedy::Nothing, _) => {
            Err("nothing changes".to_owned())
        }
    }
}

/// A confidence for people: 99.99%. What is left to 100% has two digits.
pub fn level(confidence: f64) -> String {
    let percent = 100.0 * confidence;
    let rounded = flex_bounds::round::nearest(percent, 100.0 * (100.0 - percent));
    format!("{}%", if rounded < 100.0 { rounded } else { percent })
}

#[cfg(test)]
mod tests;
